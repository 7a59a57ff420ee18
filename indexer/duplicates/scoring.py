"""The combined score of every pair of a report; pairs below the least one are left out."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.documents import Document
from leitong.indexer.duplicates.combined import Combined, absent
from leitong.indexer.duplicates.found import MATCH, Matches
from leitong.indexer.duplicates.work import Work
from leitong.indexer.engines.base import Snapshot
from leitong.indexer.errors import UnknownDocumentError
from leitong.indexer.fingerprint.minhash import FUNCTIONS

_DOCUMENTS_AT_ONCE: Final = 500
_PAIRS_AT_ONCE: Final = 50_000
_SIGNATURES: Final = "signatures.bin"
_NEAR: Final = "scored.bin"
_EQUAL: Final = "scored-equal.bin"


def scored(snapshot: Snapshot, found: Matches, combined: Combined, work: Work) -> tuple[Matches, tuple[str, ...]]:
    """The matches with their scores, in their order, and the fields that none of their documents has.

    Raises UsageError where metadata are no set.
    """
    for name in (_SIGNATURES, _NEAR, _EQUAL):
        work.remove(name)
    used = np.unique(np.concatenate([found.column("a"), found.column("b")]))
    lacked = combined.fields if len(used) else ()
    for documents in _documents(snapshot, found, used):
        lacked = absent(documents, lacked)
        for document in documents:
            work.append(_SIGNATURES, combined.signature(document).tobytes())
    signatures = work.array(_SIGNATURES, np.uint64).reshape(-1, FUNCTIONS)
    for name, part in ((_NEAR, found.near), (_EQUAL, found.equals)):
        for start in range(0, len(part), _PAIRS_AT_ONCE):
            pairs = np.array(part[start : start + _PAIRS_AT_ONCE])
            places = (np.searchsorted(used, pairs[end]).tolist() for end in ("a", "b"))
            pairs["score"] = [
                combined.score(distance, signatures[a], signatures[b])
                for distance, a, b in zip(pairs["distance"].tolist(), *places, strict=True)
            ]
            work.append(name, pairs[pairs["score"] >= combined.least].tobytes())
    kept = replace(found, near=work.array(_NEAR, MATCH), equals=work.array(_EQUAL, MATCH))
    return replace(kept, first=_still_first(kept)), lacked


def _still_first(kept: Matches) -> NDArray[np.int64]:
    """A document is listed with another one only where that pair is left."""
    size = len(kept.ids)
    left = _codes(kept.column("a"), kept.column("b"), size)
    numbers = np.arange(size)
    return np.where(np.isin(_codes(kept.first, numbers, size), left), kept.first, -1)


def _codes(one: NDArray[np.int64], other: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    codes: NDArray[np.int64] = np.minimum(one, other) * size + np.maximum(one, other)
    return codes


def _documents(snapshot: Snapshot, found: Matches, used: NDArray[np.int64]) -> Iterator[list[Document]]:
    """The documents of these numbers, in their order, some at a time. Raises UnknownDocumentError."""
    for start in range(0, len(used), _DOCUMENTS_AT_ONCE):
        ids = [found.ids[number] for number in used[start : start + _DOCUMENTS_AT_ONCE].tolist()]
        some: list[Document] = []
        for doc_id, stored in zip(ids, snapshot.get(ids), strict=True):
            if stored is None:
                raise UnknownDocumentError(doc_id, "the index")
            some.append(stored.document)
        yield some
