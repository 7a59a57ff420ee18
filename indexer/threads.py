"""Iterators that run in threads, as one: what they find arrives as it is found, and none runs far ahead. One iterator,
that goes on while a thread does something else.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import Full, Queue
from typing import Final, TypeVar

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
    found: Queue[T | _End] = Queue(threads * _AHEAD)
    stopped = threading.Event()

    def put(one: T | _End) -> None:
        while not stopped.is_set():
            try:
                found.put(one, timeout=_WAIT)
            except Full:
                continue
            return

    def run(task: Callable[[], Iterator[T]]) -> None:
        try:
            for one in task():
                put(one)
                if stopped.is_set():
                    return
            put(_End(None))
        except BaseException as error:
            put(_End(error))

    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(run, task) for task in tasks]
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
            stopped.set()
            for future in futures:
                future.cancel()


@dataclass(frozen=True)
class _End:
    """A task has ended, well or with an error."""

    error: BaseException | None


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
