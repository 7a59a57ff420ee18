"""Preparing documents on several cores, in order, with bounded memory."""

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from typing import Final

from leitong.indexer.documents import Document, Entry
from leitong.indexer.fingerprint.recipe import Recipe
from leitong.indexer.prepare import Preparer

_AHEAD: Final = 3
"""Batches under way for each worker: enough to keep it busy, few enough to keep memory small."""

_preparer: Preparer | None = None


def cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def prepare_all(
    batches: Iterable[Sequence[Document]], *, recipe: Recipe, workers: int, preparer: Preparer | None = None
) -> Iterator[list[Entry]]:
    """Entries of each batch, in order. With one worker everything happens in this process."""
    if workers <= 1:
        here = preparer or Preparer(recipe)
        yield from map(here.entries, batches)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_start, initargs=(recipe,)) as pool:
        under_way: deque[Future[list[Entry]]] = deque()
        try:
            for batch in batches:
                under_way.append(pool.submit(_work, batch))
                if len(under_way) >= workers * _AHEAD:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        finally:
            for future in under_way:
                future.cancel()


def _start(recipe: Recipe) -> None:
    """Runs once in each worker process; the preparer it makes is that process's only state."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is told and stops us
    global _preparer
    _preparer = Preparer(recipe)


def _work(batch: Sequence[Document]) -> list[Entry]:
    assert _preparer is not None
    return _preparer.entries(batch)
