"""Computing for many documents on several cores: results in order, memory bounded.

Only texts travel to the worker processes and only what was computed travels back.
"""

import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain
from multiprocessing import parent_process, resource_tracker
from multiprocessing.context import SpawnContext, SpawnProcess
from types import ModuleType
from typing import Any, Final, TypeVar

from leitong.indexer.documents import Document, Entry, Reject
from leitong.indexer.duplicates.collected import Collected
from leitong.indexer.errors import DocumentError, PassingError
from leitong.indexer.fingerprint import weighted
from leitong.indexer.fingerprint.hamming import unpack
from leitong.indexer.fingerprint.recipe import Recipe
from leitong.indexer.passages import Passage
from leitong.indexer.prepare import Prepared, Preparer

_AHEAD: Final = 10
"""Batches handed to each process and not done: enough to keep it busy while an engine commits."""
_WAITING: Final = 12
"""Batches kept for each worker, done or not, while the first of them is computed: few enough to keep memory small."""
_BATCH_DOCUMENTS: Final = 256
_BATCH_CHARACTERS: Final = 1_000_000
_ALONE: Final = 2_000_000
"""Characters that this process deals with alone: fewer than it does in the second that another one takes to start …"""
_DOCUMENT: Final = 500
"""… where each document counts for so many more."""

K = TypeVar("K")
J = TypeVar("J")
G = TypeVar("G")
T = TypeVar("T")
R = TypeVar("R")

_tool: Any = None


def cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_batches(documents: Iterable[Document | None], *, most: int = _BATCH_DOCUMENTS) -> Iterator[list[Document]]:
    """Few or short enough documents together to be handed to a process, at most so many.

    None in place of a document ends a batch, which may be empty: nothing more comes for now.
    """
    batch: list[Document] = []
    characters = 0
    for document in documents:
        if document is not None:
            batch.append(document)
            characters += len(document.text)
        if document is None or len(batch) >= most or characters >= _BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def prepare_all(
    batches: Iterable[list[Document]], *, recipe: Recipe, workers: int, collected: Collected | None = None
) -> Iterator[list[Entry]]:
    """Entries of each batch, in order, from so many workers, of which this process is one.

    The outlines of the documents are collected on the way where they are wanted.
    """
    jobs = ((batch, (_passages(batch, recipe), collected is not None and collected.wanted)) for batch in batches)
    for batch, prepared in mapped(jobs, _prepare, make=Preparer, given=recipe, workers=workers, enough=_Enough()):
        if collected is not None and prepared.outlines is not None:
            collected.add(prepared.digests, prepared.outlines)
        yield prepared.entries(batch)


def fingerprint_all(documents: Iterable[Document], *, recipe: Recipe, workers: int) -> Iterator[tuple[Document, int]]:
    """Each document with its fingerprint, in order."""
    jobs = ((batch, _passages(batch, recipe)) for batch in in_batches(documents))
    for batch, fingerprints in mapped(
        jobs, _fingerprint, make=Preparer, given=recipe, workers=workers, enough=_Enough()
    ):
        yield from zip(batch, fingerprints, strict=True)


def fingerprint_weighted(
    documents: Iterable[Document], *, recipe: Recipe, source: str
) -> Iterator[tuple[Document, int] | Reject]:
    """Each document of a source whose texts are words with weights, with its fingerprint; or why it has none."""
    for document in documents:
        try:
            yield document, weighted.fingerprint(weighted.parse(document.text), recipe)
        except DocumentError as error:
            yield Reject(source, int(document.id), str(error), document.text)


class _Enough:
    """Whether so much has come that other processes save more time than their start takes; told of each batch once."""

    def __init__(self) -> None:
        self._characters = 0

    def __call__(self, batch: Sequence[Document]) -> bool:
        self._characters += sum(_DOCUMENT + len(document.text) for document in batch)
        return self._characters > _ALONE


def _passages(documents: Iterable[Document], recipe: Recipe) -> list[Passage]:
    return [Passage.of(document, fields=recipe.value_fields) for document in documents]


def _prepare(preparer: Preparer, job: tuple[Sequence[Passage], bool]) -> Prepared:
    passages, outlined = job
    return preparer.prepare(passages, outlined=outlined)


def _fingerprint(preparer: Preparer, passages: Sequence[Passage]) -> list[int]:
    contexts = [passage.context for passage in passages]
    return unpack(preparer.fingerprinter.batch([one.whole for one in passages], contexts=contexts).fingerprints)


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
    others = workers - 1  # this process is one of them: it computes whenever the others have enough to do
    with ProcessPoolExecutor(others, mp_context=_Context(), initializer=_start, initargs=(make, given)) as pool:
        pool.submit(cores)  # the others start while this one makes its tool
        tool = make(given) if tool is None else tool
        under_way: deque[tuple[K, J, Future[R]]] = deque()

        def first() -> tuple[K, R]:
            """The first result; while it is not there, this process takes back the last job that waits."""
            while not under_way[0][2].done():
                for place in range(len(under_way) - 1, 0, -1):
                    name, job, future = under_way[place]
                    if future.cancel():
                        under_way[place] = (name, job, _done(work(tool, job)))
                        break
                else:
                    break
            name, _, future = under_way.popleft()
            return name, future.result()

        try:
            for name, job in waiting:
                busy = sum(not future.done() for _, _, future in under_way)
                future = pool.submit(_work, work, job) if busy < others * _AHEAD else _done(work(tool, job))
                under_way.append((name, job, future))
                while under_way and (under_way[0][2].done() or len(under_way) > _WAITING * workers):
                    yield first()
            while under_way:
                yield first()
        except BrokenProcessPool:
            raise PassingError(
                "A worker process was killed, perhaps because memory ran out. Run again, with fewer --workers."
            ) from None
        finally:
            for _, _, future in under_way:
                future.cancel()


class _Process(SpawnProcess):
    """A process that does not begin by running the caller's program again, as spawned ones do: a program without
    `if __name__ == "__main__"` would start itself without end. Nothing that a worker needs is defined there.

    Ctrl-C and SIGTERM, which may be sent to all processes of a program, are for the parent, from the worker's first
    moment on: a pool that loses a worker is broken and may hang.
    """

    def terminate(self) -> None:
        """What a broken pool does to its other workers."""
        self.kill()

    @staticmethod
    def _Popen(process_obj: Any) -> Any:  # noqa: N802 - the name it has in the standard library
        resource_tracker.ensure_running()  # which lets the signals through when it starts
        own = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))  # a new process inherits it
        try:
            return SpawnProcess._Popen(process_obj)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            sys.modules["__main__"] = own


class _Context(SpawnContext):
    """Starts such processes."""

    Process = _Process


def _done(result: R) -> Future[R]:
    future: Future[R] = Future()
    future.set_result(result)
    return future


def _start(make: Callable[[Any], Any], given: Any) -> None:
    """Runs once in each worker process; the tool it makes is that process's only state."""
    import threading

    threading.Thread(target=_end_with_parent, daemon=True).start()
    global _tool
    _tool = make(given)


def _end_with_parent() -> None:
    """A killed parent tells nobody, and its workers would wait for work for ever."""
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)


def _work(work: Callable[[Any, J], R], job: J) -> R:
    return work(_tool, job)
