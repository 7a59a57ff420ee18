"""Computing for many documents on several cores.

Only texts travel to the worker processes and only what was computed travels back.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from leitong.indexer.documents import Document, Entry, Reject
from leitong.indexer.duplicates.commonness.collected import Collected
from leitong.indexer.errors import DocumentError
from leitong.indexer.fingerprint import weighted
from leitong.indexer.fingerprint.hamming import unpack
from leitong.indexer.fingerprint.recipe import Recipe
from leitong.indexer.passages import Passage
from leitong.indexer.prepare import Prepared, Preparer
from leitong.indexer.processes import mapped

_BATCH_DOCUMENTS: Final = 256
_BATCH_CHARACTERS: Final = 1_000_000
_ALONE: Final = 2_000_000
"""Characters that this process deals with alone: fewer than it does in the second that another one takes to start …"""
_DOCUMENT: Final = 500
"""… where each document counts for so many more."""


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
