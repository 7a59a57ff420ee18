"""Who works on a request? A few threads, each with an index opened for itself; what is too much is turned away."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from leitong.indexer.errors import EngineError, LockedIndexError, StorageError
from leitong.indexer.library import Index, open_index

T = TypeVar("T")


class BusyError(Exception):
    """Too many requests wait already, or this one waited too long; says which."""


class Pool:
    """Indexes of one locator, opened when they are needed and again after an engine has failed."""

    def __init__(self, locator: str, *, threads: int, waiting: int, seconds: float) -> None:
        self._locator = locator
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="leitong")
        self._threads = threads
        self._most = threads + waiting
        self._seconds = seconds
        self._held = threading.local()
        self._opened: list[Index] = []
        self.asked = 0

    async def ask(self, call: Callable[[Index], T]) -> T:
        """What the call answers. Raises BusyError, and what the call raises."""
        if self.asked >= self._most:
            raise BusyError(f"{self.asked} requests are worked on or wait: one more is turned away.")
        loop = asyncio.get_running_loop()
        self.asked += 1
        future = self._executor.submit(self._run, call)
        future.add_done_callback(lambda _: None if loop.is_closed() else loop.call_soon_threadsafe(self._done))
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self._seconds)
        except TimeoutError as error:
            raise BusyError(
                f"A request took more than {self._seconds:g} s: the index is slow, or does not answer."
            ) from error

    async def warm(self) -> None:
        """Open the index in every thread, one after another; an engine that does not answer is asked again later."""
        loading = threading.Lock()

        def load(index: Index) -> None:
            with loading:
                index.warm()

        await asyncio.gather(*(self.ask(load) for _ in range(self._threads)), return_exceptions=True)

    def close(self) -> None:
        """Let the threads end and close their indexes."""
        self._executor.shutdown(wait=True, cancel_futures=True)
        for index in self._opened:
            index.close()

    def _done(self) -> None:
        self.asked -= 1

    def _run(self, call: Callable[[Index], T]) -> T:
        index: Index | None = getattr(self._held, "index", None)
        if index is None:
            index = self._held.index = open_index(self._locator)
            self._opened.append(index)
        try:
            return call(index)
        except (LockedIndexError, StorageError):
            raise
        except EngineError:  # the next one begins with a fresh connection
            self._held.index = None
            self._opened.remove(index)
            index.close()
            raise
