"""Marks that have lost their meaning: the document they name is gone, or says something else by now.

A marked document is folded away behind its original. When that changes or goes, the mark goes too, so that nothing is
hidden that nobody else says. What is marked as a duplicate of such a document keeps its mark and follows it.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from leitong.indexer.documents import Entry, StoredDocument
from leitong.indexer.duplicates.dedupe import with_mark
from leitong.indexer.engines.base import Engine, Writer
from leitong.indexer.prepare import Preparer

_AT_ONCE: Final = 500


def release(engine: Engine, writer: Writer, ids: Sequence[str], *, preparer: Callable[[], Preparer]) -> int:
    """Look after the duplicates of documents that were written or deleted, and commit; returns how many lost a mark.

    Call it after a commit. The preparer is asked for only where there are marks.
    """
    with engine.snapshot() as snapshot:
        if not snapshot.has_marks:
            return 0
    released = 0
    for start in range(0, len(ids), _AT_ONCE):
        released += _release(engine, writer, ids[start : start + _AT_ONCE], preparer())
    return released


def _release(engine: Engine, writer: Writer, ids: Sequence[str], preparer: Preparer) -> int:
    released = 0
    moved: dict[str, str] = {}
    asked = list(ids)
    while asked:
        with engine.snapshot() as snapshot:
            marked = snapshot.duplicates_of(asked)
            names = list(dict.fromkeys(one.duplicate_of or "" for one in marked))
            originals = {one.document.id: one for one in snapshot.get(names) if one is not None}
        stale = {one.document.id for one in marked if not holds(one, originals.get(one.duplicate_of or ""))}
        following = {
            one.document.id: moved[one.duplicate_of]
            for one in marked
            if one.document.id not in stale and one.duplicate_of in moved and one.cluster != moved[one.duplicate_of]
        }

        def decide(stored: StoredDocument) -> Entry:
            doc_id = stored.document.id
            if doc_id in stale:  # noqa: B023 - called before the loop goes on
                return with_mark(preparer, stored, None)
            entry = preparer.entries([stored.document])[0]
            cluster = following[doc_id]  # noqa: B023
            kept = replace(stored, cluster=cluster)
            return replace(entry, stored=kept)

        changed = [*stale, *following]
        if not changed:
            break
        done = writer.change(changed, decide)
        writer.commit()
        released += sum(done.get(doc_id, False) for doc_id in stale)
        moved = {doc_id: doc_id for doc_id in stale} | following
        asked = changed
    return released


def holds(marked: StoredDocument, original: StoredDocument | None) -> bool:
    """Whether a mark still means what it said: the original is there, and says what it said then."""
    return original is not None and marked.original in (None, original.digest)
