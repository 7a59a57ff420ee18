"""What is a mark, and when does it go? When the document it names is gone, or says something else by now.

A marked document is folded away behind its original. When that changes or goes, the mark goes too, so that nothing is
hidden that nobody else says. What is marked as a duplicate of a document stands in the cluster that this one is in by
now.
"""

from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from functools import partial
from typing import Final

from leitong.indexer.documents import Entry, StoredDocument
from leitong.indexer.engines.base import Engine, Writer
from leitong.indexer.engines.lost import anew
from leitong.indexer.prepare import Preparer

_AT_ONCE: Final = 500


def marked(entry: Entry, original: StoredDocument) -> Entry:
    """The entry as a duplicate of the document."""
    stored = replace(
        entry.stored, cluster=original.cluster, duplicate_of=original.document.id, original=original.digest
    )
    return replace(entry, stored=stored)


def with_mark(preparer: Preparer, stored: StoredDocument, original: StoredDocument | None) -> Entry:
    """The document as a duplicate of another one; as an original of its own with None."""
    entry = preparer.entries([stored.document])[0]
    return entry if original is None else marked(entry, original)


def release(engine: Engine, writer: Writer, ids: Sequence[str], *, preparer: Callable[[], Preparer]) -> int:
    """Look after the duplicates of documents that were written or deleted, and commit; returns how many lost a mark.

    Call it after a commit. The preparer is asked for only where there are marks.
    """
    if not anew(partial(_has_marks, engine)):
        return 0
    released = 0
    for start in range(0, len(ids), _AT_ONCE):
        released += _release(engine, writer, ids[start : start + _AT_ONCE], preparer())
    return released


def _has_marks(engine: Engine) -> bool:
    with engine.snapshot() as snapshot:
        return snapshot.has_marks


def _duplicates(
    engine: Engine, ids: Sequence[str], known: Set[str]
) -> tuple[list[StoredDocument], dict[str, StoredDocument]]:
    """The documents marked as duplicates of these, without those that are known, and what they are duplicates of."""
    with engine.snapshot() as snapshot:
        found = [one for one in snapshot.duplicates_of(ids) if one.document.id not in known]
        names = list(dict.fromkeys(one.duplicate_of or "" for one in found))
        return found, {one.document.id: one for one in snapshot.get(names) if one is not None}


def _release(engine: Engine, writer: Writer, ids: Sequence[str], preparer: Preparer) -> int:
    released = 0
    looked_at: set[str] = set()
    asked = list(ids)
    while asked:
        marked, originals = anew(partial(_duplicates, engine, asked, looked_at))
        changes: dict[str, StoredDocument | None] = {}
        for one in marked:
            original = originals.get(one.duplicate_of or "")
            if original is None or not holds(one, original):
                changes[one.document.id] = None
            elif one.cluster != original.cluster:
                changes[one.document.id] = original

        def decide(stored: StoredDocument) -> Entry:
            original = changes[stored.document.id]  # noqa: B023 - called before the loop goes on
            if original is None:
                return with_mark(preparer, stored, None)
            entry = preparer.entries([stored.document])[0]
            return replace(entry, stored=replace(stored, cluster=original.cluster))

        if not changes:
            break
        done = writer.change(list(changes), decide)
        writer.commit()
        released += sum(done.get(doc_id, False) for doc_id, original in changes.items() if original is None)
        looked_at |= changes.keys()
        asked = list(changes)
    return released


def holds(marked: StoredDocument, original: StoredDocument | None) -> bool:
    """Whether a mark still means what it said: the original is there, and says what it said then."""
    return original is not None and marked.original in (None, original.digest)
