"""How do several processes share work? Results in order, memory bounded, and a process that is killed is told.

Each other process has pipes of its own, so that its end is seen at once, whatever it was doing. The processes of a pool
of the standard library share theirs: one that is killed while it answers leaves all others waiting for ever.
"""

import atexit
import os
import pickle
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from multiprocessing import Pipe, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from queue import SimpleQueue
from threading import Condition, Thread, current_thread, main_thread
from types import ModuleType
from typing import Any, Final, Generic, TypeVar

from leitong.indexer.errors import PassingError

_AHEAD: Final = 10
"""Jobs that wait for each process: enough to keep it busy while an engine commits."""
_GIVEN: Final = 2
"""Jobs that each process has: one that it does, and the next."""
_WAITING: Final = 12
"""Jobs kept for each process, done or not, while the first of them is done: few enough to keep memory small."""
_STOPPING: Final = (signal.SIGINT, signal.SIGTERM)

K = TypeVar("K")
J = TypeVar("J")
G = TypeVar("G")
T = TypeVar("T")
R = TypeVar("R")


def mapped(
    jobs: Iterable[tuple[K, J]],
    work: Callable[[T, J], R],
    *,
    make: Callable[[G], T],
    given: G,
    workers: int,
    enough: Callable[[K], bool] = lambda name: True,
) -> Iterator[tuple[K, R]]:
    """What the work makes of each job, in order, beside what the job was named by, which stays in this process.

    Each process makes its tool once, from what it is given. With one worker everything happens in this process, and so
    does what comes before there is `enough` to do for others. Raises PassingError where a process was killed.
    """
    waiting = iter(jobs)
    tool: T | None = None
    for name, job in waiting:
        if workers > 1 and enough(name):
            waiting = chain([(name, job)], waiting)
            break
        tool = make(given) if tool is None else tool
        yield name, work(tool, job)
    else:
        return
    others = workers - 1  # this process is one of them: it works whenever the others have enough to do
    shared: _Shared[J, R] = _Shared()
    started: list[_Other[J, R]] = []
    try:
        for _ in range(others):
            with _signals_waiting():
                started.append(_Other(shared, work, make, given))
        tool = make(given) if tool is None else tool
        tasks: deque[tuple[K, _Task[J, R]]] = deque()

        def first() -> tuple[K, R]:
            """The first result; while it is not there, this process does the last task that waits."""
            name, task = tasks[0]
            while not task.done and (last := shared.take_back()) is not None:
                last.end(work(tool, last.job))
            tasks.popleft()
            return name, shared.result(task)

        for name, job in waiting:
            task: _Task[J, R] = _Task(job)
            tasks.append((name, task))
            if shared.waiting < others * _AHEAD:
                shared.put(task)
            else:
                task.end(work(tool, job))
            while tasks and (tasks[0][1].done or len(tasks) > _WAITING * workers):
                yield first()
        while tasks:
            yield first()
    finally:
        shared.close()
        for other in started:
            other.end()


def as_given(tool: T) -> T:
    """The tool is what is given: for `make`."""
    return tool


class _Task(Generic[J, R]):
    """A job, and once it is done its result or the error it ended with."""

    def __init__(self, job: J) -> None:
        self.job = job
        self.done = False
        self._result: R | None = None
        self._error: BaseException | None = None

    def end(self, result: R | None, error: BaseException | None = None) -> None:
        """It is done."""
        self._result, self._error = result, error
        self.done = True

    def result(self) -> R:
        """What came of it. Raises its error."""
        if self._error is not None:
            raise self._error
        return self._result  # type: ignore[return-value] # it is done


class _Shared(Generic[J, R]):
    """Tasks that wait for whoever is free; used by several threads."""

    def __init__(self) -> None:
        self._held: deque[_Task[J, R]] = deque()
        self._closed = False
        self._changed = Condition()

    @property
    def waiting(self) -> int:
        """Tasks that nobody works on."""
        return len(self._held)

    def put(self, task: _Task[J, R]) -> None:
        """Somebody is to do it."""
        with self._changed:
            self._held.append(task)
            self._changed.notify_all()

    def take(self, *, wait: bool) -> _Task[J, R] | None:
        """The first one that waits; None where there is none, or with `wait` where no more will come."""
        with self._changed:
            while wait and not self._held and not self._closed:
                self._changed.wait()
            return self._held.popleft() if self._held else None

    def take_back(self) -> _Task[J, R] | None:
        """The last one that waits."""
        with self._changed:
            return self._held.pop() if self._held else None

    def end(self, task: _Task[J, R], result: R | None, error: BaseException | None) -> None:
        """It is done, by another process."""
        with self._changed:
            task.end(result, error)
            self._changed.notify_all()

    def result(self, task: _Task[J, R]) -> R:
        """Wait for what comes of a task that somebody works on. Raises its error."""
        with self._changed:
            while not task.done:
                self._changed.wait()
        return task.result()

    def close(self) -> None:
        """Nothing is wanted any more."""
        with self._changed:
            self._held.clear()
            self._closed = True
            self._changed.notify_all()


class _Other(Generic[J, R]):
    """Another process, and the thread that gives it tasks and takes its results."""

    def __init__(
        self, shared: _Shared[J, R], work: Callable[[Any, J], R], make: Callable[[Any], Any], given: Any
    ) -> None:
        self._shared = shared
        theirs, self._jobs = Pipe(duplex=False)
        self._results, answers = Pipe(duplex=False)
        self._process = _Process(target=_work, args=(theirs, answers, work, make, given), daemon=True)
        self._process.start()
        atexit.register(self._process.kill)  # where nobody ends what goes on when the program ends
        theirs.close()  # what the process alone has ends with it
        answers.close()
        self._thread = Thread(target=self._serve, name="leitong-work", daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        under_way: deque[_Task[J, R]] = deque()
        try:
            while True:
                while len(under_way) < _GIVEN and (task := self._shared.take(wait=not under_way)) is not None:
                    under_way.append(task)
                    self._jobs.send(task.job)
                if not under_way:
                    return
                answer: tuple[R | None, BaseException | None] = self._results.recv()
                self._shared.end(under_way.popleft(), *answer)
        except Exception as error:
            if isinstance(error, EOFError | OSError):
                error = PassingError(
                    "A worker process was killed, perhaps because memory ran out. Run again, with fewer --workers."
                )
            for task in under_way:
                self._shared.end(task, None, error)

    def end(self) -> None:
        """The process goes, and the thread; what it does is not wanted any more."""
        self._process.kill()
        self._process.join()
        atexit.unregister(self._process.kill)
        self._thread.join()
        for pipe in (self._jobs, self._results):
            pipe.close()


class _Process(SpawnProcess):
    """A process that does not begin by running the caller's program again, as spawned ones do: a program without
    `if __name__ == "__main__"` would start itself without end. Nothing that a worker needs is defined there.
    """

    @staticmethod
    def _Popen(process_obj: Any) -> Any:  # noqa: N802 - the name it has in the standard library
        own = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            return SpawnProcess._Popen(process_obj)
        finally:
            sys.modules["__main__"] = own


@contextmanager
def _signals_waiting() -> Iterator[None]:
    """Ctrl-C and SIGTERM, which may be sent to all processes of a program, are for this one, and wait meanwhile.

    A process that is started meanwhile inherits that they are blocked, from its first moment on. In this process any
    other thread may take them, and Python would interrupt the start halfway: so their handlers wait too.
    """
    arrived: list[int] = []
    handlers = {number: signal.getsignal(number) for number in _STOPPING if current_thread() is main_thread()}
    handlers = {number: handler for number, handler in handlers.items() if callable(handler)}
    for stopping in handlers:
        signal.signal(stopping, lambda number, _: arrived.append(number))
    resource_tracker.ensure_running()  # which lets the signals through when it starts
    blocked = hasattr(signal, "pthread_sigmask")  # Windows sends no such signals
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING) if blocked else set()
    try:
        yield
    finally:
        if blocked:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for stopping, handler in handlers.items():
            signal.signal(stopping, handler)
        for number in arrived:
            signal.raise_signal(number)


def _work(
    jobs: Connection, results: Connection, work: Callable[[Any, J], R], make: Callable[[Any], Any], given: Any
) -> None:
    """What another process does: its tool, then jobs, until the other end of the pipes is gone."""
    coming: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_read, args=(jobs, coming), daemon=True).start()
    tool = make(given)
    while True:
        job = coming.get()
        try:
            answer = pickle.dumps((work(tool, pickle.loads(job)), None), pickle.HIGHEST_PROTOCOL)
        except Exception as error:
            answer = pickle.dumps((None, error), pickle.HIGHEST_PROTOCOL)
        with suppress(OSError):  # nobody reads any more
            results.send_bytes(answer)


def _read(jobs: Connection, coming: SimpleQueue[bytes]) -> None:
    """The next job is read while one is done, so that whoever sends it never waits for whoever takes the results.

    A parent that is gone wants nothing any more: what is being done ends with it.
    """
    with suppress(EOFError, OSError):
        while True:
            coming.put(jobs.recv_bytes())
    os._exit(1)
