"""Iterators that run in threads, as one: what they find arrives as it is found, and none runs far ahead. One that
computes in threads, in order; one that goes on while a thread does something else; one that says when nothing comes.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from queue import Empty, Full, Queue
from typing import Final, Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")
_AHEAD: Final = 4
_WAIT: Final = 0.2


def threaded(tasks: Sequence[Callable[[], Iterator[T]]], *, threads: int) -> Iterator[T]:
    """Everything the tasks yield, in no particular order; the first error of a task is raised here.

    Leaving the iteration stops the tasks at what they would yield next.
    """
    if threads <= 1 or len(tasks) <= 1:
        for task in tasks:
            yield from task()
        return
    found: _Found[T] = _Found(threads * _AHEAD)
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(found.run, task) for task in tasks]
        try:
            ended = 0
            while ended < len(tasks):
                one = found.get()
                if not isinstance(one, _End):
                    yield one
                elif one.error is not None:
                    raise one.error
                else:
                    ended += 1
        finally:
            found.stop()
            for future in futures:
                future.cancel()


def in_order(items: Iterable[T], compute: Callable[[T], R], *, threads: int) -> Iterator[R]:
    """What is computed of each item, in their order; few items are taken ahead.

    Leaving the iteration leaves alone what has not begun. An error is raised in its item's turn.
    """
    waiting: deque[Future[R]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for item in items:
                waiting.append(pool.submit(compute, item))
                if len(waiting) > _AHEAD * threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def with_pauses(items: Callable[[], Iterator[T]], *, seconds: float) -> Iterator[T | None]:
    """The items, taken in a thread, and None whenever none has come for so many seconds. Few are taken ahead.

    Leaving the iteration stops the thread at its next item; one that never comes does not keep the program alive.
    """
    found: _Found[T] = _Found(_AHEAD)
    threading.Thread(target=found.run, args=(items,), daemon=True, name="leitong-read").start()
    try:
        while True:
            try:
                one = found.get(seconds)
            except Empty:
                yield None
                continue
            if not isinstance(one, _End):
                yield one
            elif one.error is not None:
                raise one.error
            else:
                return
    finally:
        found.stop()


@dataclass(frozen=True)
class _End:
    """A task has ended, well or with an error."""

    error: BaseException | None


class _Found(Generic[T]):
    """What tasks find, on its way from their threads; at most so many wait."""

    def __init__(self, most: int) -> None:
        self._waiting: Queue[T | _End] = Queue(most)
        self._stopped = threading.Event()

    def run(self, task: Callable[[], Iterator[T]]) -> None:
        """Runs in a thread."""
        try:
            for one in task():
                self._put(one)
                if self._stopped.is_set():
                    return
            self._put(_End(None))
        except BaseException as error:
            self._put(_End(error))

    def get(self, seconds: float | None = None) -> T | _End:
        """The next one. Raises queue.Empty when none has come for so long."""
        return self._waiting.get(timeout=seconds)

    def stop(self) -> None:
        """Nobody waits for more."""
        self._stopped.set()

    def _put(self, one: T | _End) -> None:
        while not self._stopped.is_set():
            try:
                self._waiting.put(one, timeout=_WAIT)
            except Full:
                continue
            return


class Held(Iterator[T]):
    """The same items; some are taken out early, while something else is waited for."""

    def __init__(self, items: Iterator[T], *, most: int) -> None:
        """At most so many are held."""
        self._items = items
        self._most = most
        self._held: deque[T] = deque()

    def __next__(self) -> T:
        return self._held.popleft() if self._held else next(self._items)

    def during(self, task: Callable[[], R]) -> R:
        """Run the task in a thread and take items out until it is done; its result or its error."""
        with ThreadPoolExecutor(1) as thread:
            future = thread.submit(task)
            while not future.done() and len(self._held) < self._most:
                try:
                    self._held.append(next(self._items))
                except StopIteration:
                    break
            return future.result()
