"""Work done by several processes: results in order, errors of the work arrive, and a signal never comes halfway."""

import operator
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from itertools import count
from multiprocessing import active_children, resource_tracker, util

import pytest

from leitong.indexer.processes import as_given, mapped

needs_signals = pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no such signals")


def thirds(jobs: Iterator[tuple[int, int]], workers: int) -> Iterator[tuple[int, float]]:
    return mapped(jobs, operator.truediv, make=as_given, given=3, workers=workers)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_results_come_in_the_order_of_the_jobs(workers: int) -> None:
    assert list(thirds(((number, number) for number in range(1, 500)), workers)) == [
        (number, 3 / number) for number in range(1, 500)
    ]
    assert active_children() == []


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_of_the_work_arrives_and_nothing_after_it(workers: int) -> None:
    done: list[int] = []
    with pytest.raises(ZeroDivisionError):
        for name, _ in thirds(((number, 40 - number) for number in range(100)), workers):
            done.append(name)
    assert done == list(range(len(done)))
    assert len(done) <= 40
    assert active_children() == []


@pytest.fixture
def another_thread() -> Iterator[None]:
    """One that a signal to the process may be given to: it blocks none."""
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    thread.start()
    yield
    end.set()
    thread.join()


@needs_signals
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.usefixtures("another_thread")
def test_a_signal_waits_until_a_process_is_started(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], number: signal.Signals
) -> None:
    """A process that is given half of what it needs would end with a stack trace of its own."""
    resource_tracker.ensure_running()  # whose own start is not meant
    spawn: Callable[..., int] = util.spawnv_passfds
    started: list[int] = []

    def interrupted(*arguments: object) -> int:
        started.append(spawn(*arguments))
        os.kill(os.getpid(), number)
        threading.Event().wait(0.2)  # for the other thread to take it
        return started[-1]

    monkeypatch.setattr(util, "spawnv_passfds", interrupted)
    before = signal.signal(number, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            next(thirds(((number, 1) for number in count()), 2))
        assert signal.getsignal(number) is signal.default_int_handler
    finally:
        signal.signal(number, before)
    (process,) = started
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    assert capfd.readouterr().err == ""
