"""What do distance and similarity mean for this collection? Its own documents are edited and compared as they were.

A sample of documents, the same for the same seed on every engine, is copied with edits of known size. The copies show
how far fingerprints move and similarity falls; pairs of documents drawn at random show where unrelated texts are.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Final

import numpy as np

from leitong.indexer.documents import Document, StoredDocument
from leitong.indexer.duplicates.accuracy.edits import EDITS, Edit, edit, words
from leitong.indexer.duplicates.accuracy.measure import wilson
from leitong.indexer.duplicates.comparing.check import MIN_SIMILARITY
from leitong.indexer.duplicates.find import Finder
from leitong.indexer.duplicates.settings import Step
from leitong.indexer.engines.base import Rows, Snapshot
from leitong.indexer.errors import UsageError
from leitong.indexer.fingerprint.blocks import MAX_RADIUS
from leitong.indexer.fingerprint.hamming import distance
from leitong.indexer.fingerprint.short import letters
from leitong.indexer.prepare import Preparer

RATES: Final = (0.01, 0.02, 0.05, 0.10, 0.20)
SAMPLE: Final = 200
LEAST: Final = 10
"""Documents without which nothing is measured."""
ENOUGH: Final = 50
"""Documents from which advice is given: they make some 800 copies and 1,200 unrelated pairs, and advice is about one
copy in a hundred and one unrelated pair in a thousand."""
LONGEST: Final = 100_000
"""Characters of a text beyond which it is left out of the sample."""
COUNTED: Final = 0.10
"""Advice is for copies of which up to so much was edited; a fifth of all words replaced is hardly a copy."""
_PARTNERS: Final = 30
_AT_ONCE: Final = 20
_FOREIGN_WORDS: Final = 20_000
_HEADER: Final = 400
_STEPS: Final = 100
_NEARLY_ALL: Final = 0.99
_HARMLESS: Final = 0.001
_MIXER: Final = 0x9E3779B97F4A7C15


@dataclass(frozen=True, slots=True)
class Compared:
    """Two texts: distance in bits, similarity 0…1, and whether they are candidates whatever the radius."""

    distance: int
    similarity: float
    by_passage: bool


@dataclass(frozen=True, slots=True)
class Copy:
    """An edited copy beside its original; `rate` of the characters were edited."""

    kind: Edit
    rate: float
    compared: Compared


@dataclass(frozen=True, slots=True)
class Stranger:
    """Two documents drawn at random."""

    a: str
    b: str
    compared: Compared


@dataclass(frozen=True, slots=True)
class AtRadius:
    """A radius: shares of the copies within it and of those that are candidates, and how many unrelated documents lie
    within it for one document, on average."""

    radius: int
    copies_within: float
    copies_candidates: float
    strangers_for_each: float


@dataclass(frozen=True, slots=True)
class AtSimilarity:
    """A threshold: shares of the copies below it and of the unrelated pairs that reach it."""

    at: float
    missed: float
    false_alarms: float


@dataclass(frozen=True, slots=True)
class Advice:
    """Settings that suit the collection, judged by copies edited up to `COUNTED`.

    Args:
        radius: the least one with which 99 % of the copies are candidates; None where none is enough.
        low: similarity that 99.9 % of the unrelated pairs stay below.
        high: similarity that 99 % of the copies reach.
        min_similarity: the threshold in use where it lies between them; else `high`; where that is not above `low`
            the threshold with the fewest mistakes from MIN_SIMILARITY up: pairs drawn at random are far less alike than
            those that a report has to tell from duplicates.
        missed, false_alarms: shares to expect with these settings.
        false_alarms_at_most: the upper end of the 95 % interval of the false alarms.
    """

    radius: int | None
    low: float
    high: float
    min_similarity: float
    missed: float
    false_alarms: float
    false_alarms_at_most: float


@dataclass(frozen=True)
class Calibration:
    """What was found. `radius` and `min_similarity` are the settings in use; `short` of the sampled documents are short
    texts, see `fingerprint.short`. There is no `advice` where fewer than `ENOUGH` were sampled."""

    documents: int
    sampled: int
    short: int
    too_long: int
    seed: int
    bits: int
    radius: int
    min_similarity: float
    copies: tuple[Copy, ...]
    strangers: tuple[Stranger, ...]
    by_radius: tuple[AtRadius, ...]
    by_similarity: tuple[AtSimilarity, ...]
    advice: Advice | None

    def some(self, *, kind: Edit | None = None, rate: float | None = None) -> list[Compared]:
        """The copies of a kind or a rate."""
        return [copy.compared for copy in self.copies if kind in (None, copy.kind) and rate in (None, copy.rate)]

    def found(self, compared: Compared) -> bool:
        """Whether the settings in use find the pair."""
        return _candidate(compared, self.radius) and compared.similarity >= self.min_similarity


def calibrate(
    snapshot: Snapshot,
    finder: Finder,
    preparer: Preparer,
    *,
    radius: int,
    min_similarity: float,
    sample: int,
    seed: int,
    watch: Callable[[Step], None] = lambda step: None,
) -> Calibration:
    """Edit and compare. `finder` has radius 0, so that its other candidates are found by passages.

    Raises UsageError for a collection too small to say anything.
    """
    documents, too_long = _sample(snapshot, sample, seed)
    if len(documents) < LEAST:
        raise UsageError(
            f"Calibrating takes {LEAST} different documents with words in them, of up to {LONGEST:,} characters; the "
            f"index has {len(documents)}. Index some more first."
        )
    normalise = preparer.fingerprinter.recipe.normalise
    strangers = tuple(_strangers(finder, preparer, documents, seed))
    copies = tuple(_copies(finder, preparer, documents, seed, watch))
    counted = [copy.compared for copy in copies if copy.rate <= COUNTED]
    apart = [stranger.compared for stranger in strangers]
    by_radius = tuple(
        AtRadius(
            one,
            _share([pair.distance <= one for pair in counted]),
            _share([_candidate(pair, one) for pair in counted]),
            _share([pair.distance <= one for pair in apart]) * (snapshot.count - 1),
        )
        for one in range(MAX_RADIUS + 1)
    )
    similar = np.array([pair.similarity for pair in counted])
    strange = np.array([pair.similarity for pair in apart])
    by_similarity = tuple(
        AtSimilarity(step / _STEPS, float((similar < step / _STEPS).mean()), float((strange >= step / _STEPS).mean()))
        for step in range(_STEPS + 1)
    )
    return Calibration(
        documents=snapshot.count,
        sampled=len(documents),
        short=sum(len(letters(normalise(one.document.passage))) > 0 for one in documents),
        too_long=too_long,
        seed=seed,
        bits=preparer.fingerprinter.recipe.bits,
        radius=radius,
        min_similarity=min_similarity,
        copies=copies,
        strangers=strangers,
        by_radius=by_radius,
        by_similarity=by_similarity,
        advice=advise(by_radius, by_similarity, counted, apart, radius=radius, min_similarity=min_similarity)
        if len(documents) >= ENOUGH
        else None,
    )


def _sample(snapshot: Snapshot, size: int, seed: int) -> tuple[list[StoredDocument], int]:
    """Documents with different texts whose mixed digests come first, and how many were too long."""
    chosen = Rows.join([], bits=64)
    order = np.empty(0, dtype=np.uint64)
    spare = 2 * size
    for rows in snapshot.rows():
        rows = rows.take(rows.features > 0)
        mixed = (rows.digests[:, 0] ^ np.uint64(seed)) * np.uint64(_MIXER)
        mixed ^= mixed >> np.uint64(32)
        chosen = Rows.join([chosen, rows], bits=64) if len(chosen) else rows
        order = np.concatenate([order, mixed])
        _, first = np.unique(order, return_index=True)
        chosen, order = chosen.take(first[:spare]), order[first[:spare]]
    stored = snapshot.documents(chosen.refs)
    short = [one for one in stored if len(one.document.text) <= LONGEST]
    return short[:size], len(stored) - len(short)


def _strangers(
    finder: Finder, preparer: Preparer, documents: Sequence[StoredDocument], seed: int
) -> Iterator[Stranger]:
    """Each document with some others, each pair once."""
    count = len(documents)
    shifts = Random(f"{seed}/strangers").sample(range(1, (count + 1) // 2), min(_PARTNERS, (count - 1) // 2))
    for start in range(0, count, _AT_ONCE):
        asking = documents[start : start + _AT_ONCE]
        asked = [
            _Asked(one.document, [documents[(place + shift) % count] for shift in shifts])
            for place, one in enumerate(asking, start)
        ]
        for one, compared in zip(asked, _compare(finder, preparer, asked), strict=True):
            for other, pair in zip(one.others, compared, strict=True):
                yield Stranger(one.document.id, other.document.id, pair)


def _copies(
    finder: Finder,
    preparer: Preparer,
    documents: Sequence[StoredDocument],
    seed: int,
    watch: Callable[[Step], None],
) -> Iterator[Copy]:
    foreign = _foreign(documents, seed)
    for place, one in enumerate(documents):
        watch(Step("edit", place, len(documents)))
        header = documents[place - 1].document.passage[:_HEADER]
        made: list[tuple[Edit, float]] = []
        asked: list[_Asked] = []
        for kind, rate in product(EDITS, RATES):
            random = Random(f"{seed}/{one.digest}/{kind}/{rate}")
            text = edit(one.document.text, kind, rate, foreign=foreign, header=header, random=random)
            if text is not None:
                made.append((kind, rate))
                asked.append(_Asked(Document(f"{kind} {rate:g}\n", text, one.document.title), [one]))
        for (kind, rate), (compared,) in zip(made, _compare(finder, preparer, asked), strict=True):
            yield Copy(kind, rate, compared)


def _foreign(documents: Sequence[StoredDocument], seed: int) -> list[str]:
    """Words of the sample, each as often as it is used."""
    found = [word for one in documents for word in words(one.document.text[:_FOREIGN_WORDS])]
    return Random(f"{seed}/words").sample(found, min(_FOREIGN_WORDS, len(found)))


@dataclass(frozen=True, slots=True)
class _Asked:
    """A document that need not be stored, to be compared with some that are."""

    document: Document
    others: Sequence[StoredDocument]


def _compare(finder: Finder, preparer: Preparer, asked: Sequence[_Asked]) -> list[list[Compared]]:
    """For each question a result for each of the others."""
    entries = preparer.entries([one.document for one in asked])
    results: list[list[Compared]] = []
    for one, entry, candidates in zip(asked, entries, finder.candidates(entries), strict=True):
        near = {candidate.document.id for candidate in candidates}
        similarity = {match.id: match.similarity for match in finder.compare(entry, one.others).matches}
        results.append(
            [
                Compared(
                    distance(entry.stored.fingerprint, other.fingerprint),
                    similarity[other.document.id],
                    other.document.id in near,
                )
                for other in one.others
            ]
        )
    return results


def _candidate(compared: Compared, radius: int) -> bool:
    return compared.by_passage or compared.distance <= radius


def _share(hits: Sequence[bool]) -> float:
    return sum(hits) / max(1, len(hits))


def advise(
    by_radius: Sequence[AtRadius],
    by_similarity: Sequence[AtSimilarity],
    copies: Sequence[Compared],
    strangers: Sequence[Compared],
    *,
    radius: int,
    min_similarity: float,
) -> Advice:
    """Advice from what was measured at each radius and threshold, and from the pairs; the last two are in use."""
    enough = next((one.radius for one in by_radius if one.copies_candidates >= _NEARLY_ALL), None)
    similar = np.array([pair.similarity for pair in copies])
    strange = np.array([pair.similarity for pair in strangers])
    low = float(np.quantile(strange, 1 - _HARMLESS, method="higher"))
    high = float(np.quantile(similar, 1 - _NEARLY_ALL, method="lower"))
    threshold = min_similarity
    if not low < min_similarity <= high:
        threshold = math.floor(high * _STEPS) / _STEPS
        if threshold <= low:
            usual = [one for one in by_similarity if one.at >= MIN_SIMILARITY]
            threshold = min(usual, key=lambda one: one.missed + one.false_alarms).at
    used = radius if enough is None else max(radius, enough)
    false = int((strange >= threshold).sum())
    return Advice(
        radius=enough,
        low=low,
        high=high,
        min_similarity=threshold,
        missed=_share([not _candidate(pair, used) or pair.similarity < threshold for pair in copies]),
        false_alarms=false / len(strange),
        false_alarms_at_most=wilson(false, len(strange))[1],
    )
