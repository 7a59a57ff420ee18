"""Computing for many documents on several cores: results in order, memory bounded.

Only texts travel to the worker processes and only what was computed travels back.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context, parent_process
from typing import Final, TypeVar

from leitong.indexer.documents import Document, Entry
from leitong.indexer.fingerprint.hamming import unpack
from leitong.indexer.fingerprint.recipe import Recipe
from leitong.indexer.prepare import Passage, Prepared, Preparer

_AHEAD: Final = 3
"""Batches handed to each process and not done: enough to keep it busy."""
_WAITING: Final = 8
"""Batches kept for each worker, done or not, while the first of them is computed: few enough to keep memory small."""
_BATCH_DOCUMENTS: Final = 256
_BATCH_CHARACTERS: Final = 1_000_000

R = TypeVar("R")
Work = Callable[[Preparer, Sequence[Passage]], list[R]]

_preparer: Preparer | None = None


def cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_batches(documents: Iterable[Document], *, most: int = _BATCH_DOCUMENTS) -> Iterator[list[Document]]:
    """Few or short enough documents together to be handed to a process, at most so many."""
    batch: list[Document] = []
    characters = 0
    for document in documents:
        batch.append(document)
        characters += len(document.text)
        if len(batch) >= most or characters >= _BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def prepare_all(batches: Iterable[list[Document]], *, recipe: Recipe, workers: int) -> Iterator[list[Entry]]:
    """Entries of each batch, in order, from so many workers, of which this process is one."""
    for batch, prepared in _mapped(batches, _prepare, recipe=recipe, workers=workers):
        yield [one.entry(document) for document, one in zip(batch, prepared, strict=True)]


def fingerprint_all(documents: Iterable[Document], *, recipe: Recipe, workers: int) -> Iterator[tuple[Document, int]]:
    """Each document with its fingerprint, in order."""
    for batch, fingerprints in _mapped(in_batches(documents), _fingerprint, recipe=recipe, workers=workers):
        yield from zip(batch, fingerprints, strict=True)


def _prepare(preparer: Preparer, passages: Sequence[Passage]) -> list[Prepared]:
    return preparer.prepare(passages)


def _fingerprint(preparer: Preparer, passages: Sequence[Passage]) -> list[int]:
    return unpack(preparer.fingerprinter.batch([passage.whole for passage in passages]).fingerprints)


def _mapped(
    batches: Iterable[list[Document]], work: Work[R], *, recipe: Recipe, workers: int
) -> Iterator[tuple[list[Document], list[R]]]:
    if workers <= 1:
        preparer = Preparer(recipe)
        for batch in batches:
            yield batch, work(preparer, list(map(Passage.of, batch)))
        return
    others = workers - 1  # this process is one of them: it computes whenever the others have enough to do
    with ProcessPoolExecutor(others, mp_context=get_context("spawn"), initializer=_start, initargs=(recipe,)) as pool:
        pool.submit(cores)  # the others start while this one loads its dictionary
        preparer = Preparer(recipe)
        under_way: deque[tuple[list[Document], Future[list[R]]]] = deque()
        try:
            for batch in batches:
                passages = list(map(Passage.of, batch))
                if sum(not future.done() for _, future in under_way) < others * _AHEAD:
                    under_way.append((batch, pool.submit(_work, work, passages)))
                else:
                    under_way.append((batch, _done(work(preparer, passages))))
                while under_way and (under_way[0][1].done() or len(under_way) > _WAITING * workers):
                    done, future = under_way.popleft()
                    yield done, future.result()
            while under_way:
                done, future = under_way.popleft()
                yield done, future.result()
        finally:
            for _, future in under_way:
                future.cancel()


def _done(result: list[R]) -> Future[list[R]]:
    future: Future[list[R]] = Future()
    future.set_result(result)
    return future


def _start(recipe: Recipe) -> None:
    """Runs once in each worker process; the preparer it makes is that process's only state."""
    import signal
    import threading

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is told and stops us
    threading.Thread(target=_end_with_parent, daemon=True).start()
    global _preparer
    _preparer = Preparer(recipe)


def _end_with_parent() -> None:
    """A killed parent tells nobody, and its workers would wait for work for ever."""
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)


def _work(work: Work[R], passages: Sequence[Passage]) -> list[R]:
    assert _preparer is not None
    return work(_preparer, passages)
