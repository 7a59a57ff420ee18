"""Every document of an index against every other: all pairs that match, and the clusters they make.

rows        fingerprints and digests of all documents, streamed
texts       one document for each digest: equal texts are compared once
candidates  texts within the radius (join), and texts that share a rare shingle of their sketches
check       the texts decide
pairs       the first id of each group of equal texts stands for it; the others are paired with that id only
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.documents import Kind
from leitong.indexer.duplicates.boilerplate import Boilerplate
from leitong.indexer.duplicates.check import MIN_SIMILARITY, TextCheck
from leitong.indexer.duplicates.clusters import Cluster, connected
from leitong.indexer.duplicates.find import rare_limit
from leitong.indexer.duplicates.join import Groups, pairs_within
from leitong.indexer.duplicates.learn import current
from leitong.indexer.duplicates.shelf import Shelf
from leitong.indexer.engines.base import Engine, Rows, Snapshot
from leitong.indexer.fingerprint.hamming import distances
from leitong.indexer.fingerprint.shingles import sketch
from leitong.indexer.prepare import Passage, read_all

_DOCUMENTS_AT_ONCE: Final = 500
_PAIRS_AT_ONCE: Final = 20_000
_FOUND_AT_ONCE: Final = 4_000_000


@dataclass(frozen=True, slots=True)
class Pair:
    """Two documents that match; `a` comes before `b`."""

    a: str
    b: str
    distance: int
    similarity: float
    kind: Kind | None


@dataclass(frozen=True)
class Report:
    """All that was found, pairs by their ids, clusters the largest first.

    `compared` counts the pairs that were checked, equal texts among them.
    """

    documents: int
    radius: int
    min_similarity: float
    compared: int
    pairs: tuple[Pair, ...]
    clusters: tuple[Cluster, ...]
    seconds: float


@dataclass(frozen=True)
class Step:
    """How far a report is: the name of the step, and `done` of `total`."""

    name: str
    done: int
    total: int


def report(
    engine: Engine,
    snapshot: Snapshot,
    *,
    radius: int | None = None,
    min_similarity: float | None = None,
    watch: Callable[[Step], None] = lambda step: None,
) -> Report:
    """Find all pairs of a snapshot. None takes the recipe's radius and the default similarity."""
    begun = time.monotonic()
    radius = engine.recipe.radius if radius is None else radius
    min_similarity = MIN_SIMILARITY if min_similarity is None else min_similarity
    watch(Step("learn", 0, 1))
    boilerplate = current(engine, snapshot)
    with Shelf() as shelf:
        texts = _Texts(snapshot, boilerplate, shelf, bits=engine.recipe.bits, watch=watch)
        left, right = texts.candidates(radius)
        pairs = [*texts.equal_pairs(), *texts.matches(left, right, min_similarity)]
    pairs.sort(key=lambda pair: (pair.a, pair.b))
    clusters = connected((pair.a, pair.b) for pair in pairs)
    return Report(
        documents=snapshot.count,
        radius=radius,
        min_similarity=min_similarity,
        compared=len(left) + len(texts.equal_pairs()),
        pairs=tuple(pairs),
        clusters=tuple(clusters),
        seconds=time.monotonic() - begun,
    )


class _Texts:
    """The distinct texts of a snapshot, by number, in the order of their digests."""

    def __init__(
        self, snapshot: Snapshot, boilerplate: Boilerplate, shelf: Shelf, *, bits: int, watch: Callable[[Step], None]
    ) -> None:
        self._snapshot = snapshot
        self._boilerplate = boilerplate
        self._shelf = shelf
        self._bits = bits
        self._watch = watch
        self._check = TextCheck(boilerplate)
        rows = Rows.join(list(snapshot.rows()), bits=bits)
        order = np.lexsort((rows.digests[:, 1], rows.digests[:, 0]))
        self._rows = rows.take(order)
        fresh = np.ones(len(order), dtype=np.bool_)
        fresh[1:] = (self._rows.digests[1:] != self._rows.digests[:-1]).any(axis=1)
        self._starts = np.flatnonzero(fresh)
        self._equal_pairs: list[Pair] = []
        self._firsts = self._rows.take(self._first_of_each())
        self._ids: list[str] = []
        self._keys: list[NDArray[np.uint64]] = []
        self._read()

    def _first_of_each(self) -> NDArray[np.int64]:
        """The row that stands for each text: the one whose id comes first. The others of its text are paired with it.

        Equal texts need not have equal fingerprints: punctuation can change how words are cut.
        """
        sizes = np.diff(self._starts, append=len(self._rows))
        chosen = self._starts.copy()
        for number in np.flatnonzero(sizes > 1).tolist():
            group = self._rows.take(np.arange(chosen[number], chosen[number] + sizes[number]))
            ids = [stored.document.id for stored in self._snapshot.documents(group.refs)]
            first, *others = sorted(range(len(ids)), key=ids.__getitem__)
            away = distances(group.fingerprints, group.fingerprints[first : first + 1]).tolist()
            self._equal_pairs += [Pair(ids[first], ids[other], away[other], 1.0, "exact") for other in others]
            chosen[number] += first
        return chosen

    def _read(self) -> None:
        """Profile and sketch of each text."""
        limit = rare_limit(self._boilerplate, len(self._rows))
        for start in range(0, len(self._firsts), _DOCUMENTS_AT_ONCE):
            self._watch(Step("read", start, len(self._firsts)))
            documents = self._snapshot.documents(self._firsts.refs[start : start + _DOCUMENTS_AT_ONCE])
            texts = read_all([Passage.of(stored.document) for stored in documents])
            for stored, text in zip(documents, texts, strict=True):
                keys = sketch(text.shingles)
                self._keys.append(keys[self._boilerplate.look_up(keys)[1] <= limit])
                self._shelf.add(self._check.profile(text))
                self._ids.append(stored.document.id)

    def candidates(self, radius: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Every pair of texts that has to be compared, each once, as two arrays of numbers."""
        self._watch(Step("join", 0, 1))
        size = len(self._firsts)
        codes = np.empty(0, dtype=np.int64)
        waiting: list[NDArray[np.int64]] = []
        for left, right in self._found(radius):
            waiting.append(np.minimum(left, right) * size + np.maximum(left, right))
            if sum(map(len, waiting)) >= _FOUND_AT_ONCE:
                codes, waiting = np.unique(np.concatenate([codes, *waiting])), []
        codes = np.unique(np.concatenate([codes, *waiting]))
        return codes // max(size, 1), codes % max(size, 1)

    def _found(self, radius: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        usable = np.flatnonzero(self._firsts.features > 0)
        equal = Groups.of(self._firsts.fingerprints[usable])
        members = _Members(usable[equal.rows], equal.starts[:-1], equal.sizes)
        yield from _within_groups(members)
        for found in pairs_within(equal.values, bits=self._bits, radius=radius):
            yield _across(members, found.left, found.right)
        keys = np.concatenate([np.empty(0, dtype=np.uint64), *self._keys])
        owners = np.repeat(np.arange(len(self._keys)), [len(part) for part in self._keys])
        _, key = np.unique(keys, return_inverse=True)
        yield from _within_groups(_grouped(owners, key, int(key.max(initial=-1)) + 1))

    def equal_pairs(self) -> list[Pair]:
        """The first id of each group of equal texts with each other id."""
        return self._equal_pairs

    def matches(self, left: NDArray[np.int64], right: NDArray[np.int64], min_similarity: float) -> Iterator[Pair]:
        """Those of the candidates whose texts are similar enough."""
        for start in range(0, len(left), _PAIRS_AT_ONCE):
            self._watch(Step("check", start, len(left)))
            ones, others = left[start : start + _PAIRS_AT_ONCE], right[start : start + _PAIRS_AT_ONCE]
            away = distances(self._firsts.fingerprints[ones], self._firsts.fingerprints[others])
            likeness = self._check.compare(self._shelf.take(ones.tolist()), self._shelf.take(others.tolist()))
            for place in np.flatnonzero(likeness.similarity >= min_similarity).tolist():
                a, b = sorted((self._ids[ones[place]], self._ids[others[place]]))
                similarity = float(likeness.similarity[place])
                yield Pair(a, b, int(away[place]), similarity, likeness.kind(place))


@dataclass(frozen=True)
class _Members:
    """Numbers by group: group g owns values[starts[g] : starts[g] + sizes[g]]."""

    values: NDArray[np.int64]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]


def _grouped(values: NDArray[np.int64], group: NDArray[np.int64], groups: int) -> _Members:
    sizes = np.bincount(group, minlength=groups)
    return _Members(values[np.argsort(group, kind="stable")], np.cumsum(sizes) - sizes, sizes)


def _within_groups(members: _Members) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """All pairs inside each group: every value with the one `step` places after it, for each step."""
    ends = np.repeat(members.starts + members.sizes, members.sizes)
    places = np.arange(len(members.values))
    step = 1
    while len(places := places[places + step < ends[places]]):
        yield members.values[places], members.values[places + step]
        step += 1


def _across(
    members: _Members, left: NDArray[np.int64], right: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Every value of each left group with every value of the right group beside it."""
    counts = members.sizes[left] * members.sizes[right]
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    width = np.repeat(members.sizes[right], counts)
    return (
        members.values[np.repeat(members.starts[left], counts) + within // width],
        members.values[np.repeat(members.starts[right], counts) + within % width],
    )
