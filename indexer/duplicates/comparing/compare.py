"""How alike are these texts, by every measure, and why?"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from leitong.indexer.documents import Document, Kind
from leitong.indexer.duplicates.commonness.boilerplate import Boilerplate
from leitong.indexer.duplicates.comparing.check import TextCheck
from leitong.indexer.duplicates.comparing.diff import Change, diff
from leitong.indexer.duplicates.comparing.families import Families
from leitong.indexer.duplicates.comparing.profile import Profile
from leitong.indexer.duplicates.comparing.short_texts import are_of_one_series
from leitong.indexer.errors import UsageError
from leitong.indexer.fingerprint.hamming import distance
from leitong.indexer.fingerprint.weights import SCALE
from leitong.indexer.passages import Text, read
from leitong.indexer.prepare import Preparer

_Key = TypeVar("_Key")
_SHOWN_WORDS: Final = 12


@dataclass(frozen=True, slots=True)
class Feature:
    """A word and its weight in one text, or the smaller of two where both have it."""

    word: str
    weight: float


@dataclass(frozen=True, slots=True)
class Bit:
    """One bit of both fingerprints, and the votes that decided it: the sum of +weight and -weight of all words."""

    a: bool
    b: bool
    votes_a: float
    votes_b: float


@dataclass(frozen=True)
class Comparison:
    """Two texts: distance in bits, similarity and shares 0…1, the heaviest words, and what differs.

    `heaviest_a` and `heaviest_b` are the heaviest words of each text, `shared` those of both, `only_a` and `only_b`
    those that the other text has not. `series` tells short texts that differ only in numbers, a model or a word at an
    end: they are taken for two of a series, which is no match. `each_bit` goes from the most significant bit down.
    """

    a: str
    b: str
    distance: int
    bits: int
    similarity: float
    share_a: float
    share_b: float
    kind: Kind | None
    series: bool
    heaviest_a: tuple[Feature, ...]
    heaviest_b: tuple[Feature, ...]
    shared: tuple[Feature, ...]
    only_a: tuple[Feature, ...]
    only_b: tuple[Feature, ...]
    diff: tuple[Change, ...]
    each_bit: tuple[Bit, ...]


@dataclass(frozen=True)
class Matrix:
    """Several texts by several measures: values[measure][i][j] for texts i and j."""

    ids: tuple[str, ...]
    values: Mapping[str, tuple[tuple[float, ...], ...]]


class Comparer:
    """Compares documents by one recipe and one collection's boilerplate."""

    def __init__(self, preparer: Preparer, boilerplate: Boilerplate, families: Families | None = None) -> None:
        """`families` are what the documents share with others of the collection, see `Finder.families`."""
        self._preparer = preparer
        self._check = TextCheck(boilerplate)
        self._families = families or Families.join([])

    def two(self, a: Document, b: Document) -> Comparison:
        """Everything about two documents."""
        one, other = (self._preparer.entries([document])[0].stored for document in (a, b))
        profiles = [self._profile(text) for text in map(self._read, (a, b))]
        likeness = self._check.compare(profiles[:1], profiles[1:])
        fingerprinter = self._preparer.fingerprinter
        left, right = map(self._weights, (a, b))
        return Comparison(
            a=a.id,
            b=b.id,
            distance=distance(one.fingerprint, other.fingerprint),
            bits=fingerprinter.recipe.bits,
            similarity=float(likeness.similarity[0]),
            share_a=float(likeness.share[0]),
            share_b=float(likeness.share_other[0]),
            kind=likeness.kind(0),
            series=bool(likeness.similarity[0]) and are_of_one_series(*profiles),
            heaviest_a=_heaviest(left),
            heaviest_b=_heaviest(right),
            shared=_heaviest({word: min(left[word], right[word]) for word in left if word in right}),
            only_a=_heaviest({word: weight for word, weight in left.items() if word not in right}),
            only_b=_heaviest({word: weight for word, weight in right.items() if word not in left}),
            diff=tuple(diff(a.text, b.text, script=self._script)),
            each_bit=self._bits((a, one.fingerprint), (b, other.fingerprint)),
        )

    @property
    def _script(self) -> str:
        return self._preparer.fingerprinter.recipe.script

    def _read(self, document: Document) -> Text:
        return read(document.passage, title=document.title, script=self._script)

    def _profile(self, text: Text) -> Profile:
        return self._families.weigh(self._check.profile(text))

    def _weights(self, document: Document) -> dict[str, float]:
        passage = self._preparer.passage(document)
        return self._preparer.fingerprinter.weights(passage.whole, passage.context)

    def _votes(self, document: Document) -> list[float]:
        passage = self._preparer.passage(document)
        votes: list[float] = (self._preparer.fingerprinter.votes(passage.whole, passage.context) / SCALE).tolist()
        return votes

    def _bits(self, *sides: tuple[Document, int]) -> tuple[Bit, ...]:
        fingerprinter = self._preparer.fingerprinter
        bits = fingerprinter.recipe.bits
        votes = [self._votes(document) for document, _ in sides]
        turned_on = [[bool(value >> place & 1) for place in reversed(range(bits))] for _, value in sides]
        return tuple(Bit(*bit) for bit in zip(*turned_on, *votes, strict=True))

    def alike(self, a: Document, b: Document) -> float:
        """The similarity of two documents alone."""
        one, other = ([self._profile(self._read(document))] for document in (a, b))
        return float(self._check.compare(one, other).similarity[0])

    def matrix(self, documents: Sequence[Document]) -> Matrix:
        """Every document with every other. Raises UsageError for fewer than two."""
        if len(documents) < 2:
            raise UsageError("Comparing takes two or more documents.")
        fingerprinter = self._preparer.fingerprinter
        entries = self._preparer.entries(documents)
        texts = list(map(self._read, documents))
        profiles = [self._profile(text) for text in texts]
        weights = [self._weights(document) for document in documents]
        votes = [_nonzero(self._votes(document)) for document in documents]
        bits = fingerprinter.recipe.bits
        places = range(len(documents))

        def away(i: int, j: int) -> int:
            return distance(entries[i].stored.fingerprint, entries[j].stored.fingerprint)

        return Matrix(
            tuple(document.id for document in documents),
            {
                "distance": tuple(tuple(float(away(i, j)) for j in places) for i in places),
                "similarity": tuple(
                    tuple(self._check.compare([profiles[i]] * len(texts), profiles).similarity.tolist()) for i in places
                ),
                "simhash": tuple(tuple(math.cos(math.pi * away(i, j) / bits) for j in places) for i in places),
                "simhash_votes": tuple(tuple(_cosine(votes[i], votes[j]) for j in places) for i in places),
                "cosine": tuple(tuple(_cosine(weights[i], weights[j]) for j in places) for i in places),
                "jaccard": tuple(tuple(_jaccard(texts[i], texts[j]) for j in places) for i in places),
            },
        )


def _nonzero(votes: Sequence[float]) -> dict[int, float]:
    return {place: vote for place, vote in enumerate(votes) if vote}


def _heaviest(weights: Mapping[str, float]) -> tuple[Feature, ...]:
    ordered = sorted(weights.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Feature(word, weight) for word, weight in ordered[:_SHOWN_WORDS])


def _cosine(one: Mapping[_Key, float], other: Mapping[_Key, float]) -> float:
    """Cosine of two sparse vectors; 1 for two empty ones, 0 where one is empty."""
    if not one or not other:
        return 1.0 if one == other else 0.0
    product = sum(weight * other.get(key, 0.0) for key, weight in one.items())
    norms = math.sqrt(sum(w * w for w in one.values())) * math.sqrt(sum(w * w for w in other.values()))
    return product / norms if norms else 0.0


def _jaccard(one: Text, other: Text) -> float:
    """Shared shingles out of all; 1 for two texts without any."""
    left, right = set(one.shingles.tolist()), set(other.shingles.tolist())
    return len(left & right) / len(left | right) if left | right else 1.0
