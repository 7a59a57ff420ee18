"""How well do distance and similarity agree with people? Labelled pairs, judged as `report` would judge them.

A pair is found when it is a candidate, within the radius or by a shared passage, and its texts are similar enough.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.documents import Document, LabelledPair, StoredDocument
from leitong.indexer.duplicates.accuracy.measure import CrossFit, Score, Scorer
from leitong.indexer.duplicates.candidates import TRUSTED
from leitong.indexer.duplicates.find import Finder
from leitong.indexer.duplicates.settings import Step
from leitong.indexer.engines.base import Snapshot
from leitong.indexer.errors import UnknownDocumentError
from leitong.indexer.fingerprint.blocks import MAX_RADIUS
from leitong.indexer.prepare import Preparer

_AT_ONCE: Final = 50
_FAR: Final = 10_000
_STEPS: Final = 100


@dataclass(frozen=True, slots=True)
class Judged:
    """What is known of a labelled pair.

    Args:
        distance: in bits; None where one of the fingerprints means nothing.
        similarity: of the texts, 0…1.
        by_passage: whether they are candidates whatever the radius.
    """

    pair: LabelledPair
    distance: int | None
    similarity: float
    by_passage: bool


@dataclass(frozen=True, slots=True)
class Mistake:
    """A pair that was decided otherwise than it is labelled, with both documents."""

    judged: Judged
    a: Document
    b: Document
    candidate: bool


@dataclass(frozen=True)
class Evaluation:
    """What labelled pairs say about an index and its settings.

    Args:
        judged: the pairs that were used.
        unknown: ids that no document has; their pairs were left out.
        pairs_left_out: how many those are.
        settled: the score at `radius` and `min_similarity`.
        candidates: duplicates that are candidates at `radius`; the others are missed whatever the similarity.
        by_distance: fingerprints alone, a pair within radius 0, 1 … 15 counting as found.
        by_radius: radius 0, 1 … 15 and the texts at `min_similarity`.
        by_similarity: similarity 0.00, 0.01 … 1.00 at `radius`.
        best: the one of `by_similarity` with the highest F1; None where every pair is a duplicate.
        cross_fit: what to expect of a threshold fitted like that; None with too few pairs.
        missed, false_alarms: the worst mistakes of both kinds.
    """

    judged: tuple[Judged, ...]
    unknown: tuple[str, ...]
    pairs_left_out: int
    radius: int
    min_similarity: float
    settled: Score
    candidates: int
    by_distance: tuple[Score, ...]
    by_radius: tuple[Score, ...]
    by_similarity: tuple[Score, ...]
    best: Score | None
    cross_fit: CrossFit | None
    missed: tuple[Mistake, ...]
    false_alarms: tuple[Mistake, ...]


def evaluate(
    snapshot: Snapshot,
    finder: Finder,
    preparer: Preparer,
    pairs: Sequence[LabelledPair],
    *,
    radius: int,
    min_similarity: float,
    mistakes: int,
    watch: Callable[[Step], None] = lambda step: None,
) -> Evaluation:
    """Judge labelled pairs. `finder` has radius 0, so that its other candidates are found by passages.

    Raises UnknownDocumentError when not one pair is in the index.
    """
    judged = tuple(_judge(snapshot, finder, preparer, pairs, watch))
    there = snapshot.digests(list(dict.fromkeys(doc_id for pair in pairs for doc_id in (pair.a, pair.b))))
    unknown = dict.fromkeys(doc_id for pair in pairs for doc_id in (pair.a, pair.b) if doc_id not in there)
    if not judged:
        raise UnknownDocumentError(next(iter(unknown)), "the index, and no pair of the file is there as a whole")
    sums = _Sums(judged)
    steps = [step / _STEPS for step in range(_STEPS + 1)]
    found = np.stack([sums.found(radius, step) for step in steps])
    by_similarity = tuple(sums.scorer.score(step, row) for step, row in zip(steps, found, strict=True))
    radii = range(MAX_RADIUS + 1)
    settled = sums.found(radius, min_similarity)
    return Evaluation(
        judged=judged,
        unknown=tuple(unknown),
        pairs_left_out=len(pairs) - len(judged),
        radius=radius,
        min_similarity=min_similarity,
        settled=sums.scorer.score(min_similarity, settled),
        candidates=int((sums.candidates(radius) & sums.truth).sum()),
        by_distance=tuple(sums.scorer.score(one, sums.distances <= one) for one in radii),
        by_radius=tuple(sums.scorer.score(one, sums.found(one, min_similarity)) for one in radii),
        by_similarity=by_similarity,
        best=None if sums.scorer.one_class else by_similarity[sums.scorer.best(found)],
        cross_fit=sums.scorer.cross_fit(steps, found),
        missed=_mistakes(snapshot, sums, sums.truth & ~settled, radius, mistakes, highest=False),
        false_alarms=_mistakes(snapshot, sums, settled & ~sums.truth, radius, mistakes, highest=True),
    )


class _Sums:
    """The judged pairs as arrays."""

    def __init__(self, judged: Sequence[Judged]) -> None:
        self.judged = judged
        self.truth = np.array([one.pair.duplicate for one in judged], dtype=np.bool_)
        self.distances = np.array([_FAR if one.distance is None else one.distance for one in judged], dtype=np.int64)
        self.similarities = np.array([one.similarity for one in judged])
        self._by_passage = np.array([one.by_passage for one in judged], dtype=np.bool_)
        self.scorer = Scorer([(one.pair.a, one.pair.b) for one in judged], self.truth.tolist())

    def candidates(self, radius: int) -> NDArray[np.bool_]:
        """Which pairs reach the check of texts."""
        return self._by_passage | (self.distances <= radius)

    def found(self, radius: int, min_similarity: float) -> NDArray[np.bool_]:
        """Which pairs match."""
        return self.candidates(radius) & (self.similarities >= min_similarity)


def _judge(
    snapshot: Snapshot,
    finder: Finder,
    preparer: Preparer,
    pairs: Sequence[LabelledPair],
    watch: Callable[[Step], None],
) -> Iterator[Judged]:
    ordered = sorted(pairs, key=lambda pair: (pair.a, pair.b))
    for start in range(0, len(ordered), _AT_ONCE):
        watch(Step("judge", start, len(ordered)))
        batch = ordered[start : start + _AT_ONCE]
        ids = list(dict.fromkeys(doc_id for pair in batch for doc_id in (pair.a, pair.b)))
        stored = {one.document.id: one for one in snapshot.get(ids) if one is not None}
        usable = [pair for pair in batch if pair.a in stored and pair.b in stored]
        asking = list(dict.fromkeys(pair.a for pair in usable))
        entries = dict(zip(asking, preparer.entries([stored[doc_id].document for doc_id in asking]), strict=True))
        found = finder.candidates(list(entries.values()))
        near = {doc_id: {one.document.id for one in some} for doc_id, some in zip(asking, found, strict=True)}
        beside = dict(zip(asking, found, strict=True)) if finder.learns_from_candidates else {}
        for pair in usable:
            others = [one for one in beside.get(pair.a, ()) if one.document.id != pair.b]
            matches = finder.compare(entries[pair.a], [stored[pair.b], *others]).matches
            match = next(match for match in matches if match.id == pair.b)
            distance = match.distance if _mean_something(stored[pair.a], stored[pair.b]) else None
            yield Judged(pair, distance, match.similarity, pair.b in near[pair.a])


def _mean_something(*stored: StoredDocument) -> bool:
    return all(one.features >= TRUSTED for one in stored)


def _mistakes(
    snapshot: Snapshot, sums: _Sums, which: NDArray[np.bool_], radius: int, most: int, *, highest: bool
) -> tuple[Mistake, ...]:
    """The worst ones: duplicates least alike, others most alike."""
    candidates = sums.candidates(radius)
    places = np.flatnonzero(which)
    order = np.argsort(-sums.similarities[places] if highest else sums.similarities[places], kind="stable")
    worst = places[order[:most]].tolist()
    ids = [doc_id for place in worst for doc_id in (sums.judged[place].pair.a, sums.judged[place].pair.b)]
    documents = {one.document.id: one.document for one in snapshot.get(ids) if one is not None}
    return tuple(
        Mistake(judged, documents[judged.pair.a], documents[judged.pair.b], bool(candidates[place]))
        for place, judged in ((place, sums.judged[place]) for place in worst)
    )
