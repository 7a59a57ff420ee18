"""How much do two texts share? The texts decide; fingerprints only found the candidate.

    n, w             shingles of a text, and their weight: the share of boilerplate is 1 - w / n
    common           weight of the shingles that both have
    share            common / w of the first text; share_other likewise
    evidence         the lesser of sqrt(w * n * d) of the two texts, d the greater of their w / n
    similarity       common / (evidence + SHRINK)

A text that is as free of boilerplate as the other one has evidence w, so similarity is the share of the lighter text
that stands in the other. A text that is mostly boilerplate has little weight left, and is not believed to be contained
in a long one on that little: its evidence lies half way, in logarithms, to what it would weigh without boilerplate.
SHRINK is weight without which nothing is certain: it keeps a handful of shared shingles from being a match.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.documents import Kind
from leitong.indexer.duplicates.boilerplate import WEIGHTS, Boilerplate
from leitong.indexer.fingerprint.shingles import Shingles

MIN_SIMILARITY: Final = 0.42
"""From here on two documents are a match, by default."""
_SHRINK: Final = 5.0
_NEAR_SHARE: Final = 0.5
_HASH_BITS: Final = 44
_CODE_BITS: Final = 6
_PAIRS_AT_ONCE: Final = 1 << (64 - _HASH_BITS - _CODE_BITS)
_SHINGLES_AT_ONCE: Final = 2_000_000


@dataclass(frozen=True)
class Profile:
    """A text ready to be compared: its shingles with their weight codes packed behind 44 bits of hash, and the weight
    of all of them together."""

    packed: NDArray[np.uint64]
    weight: float
    digest: str


@dataclass(frozen=True)
class Likeness:
    """What was found for each of some pairs of texts; arrays of one length, 0…1 each."""

    similarity: NDArray[np.float64]
    share: NDArray[np.float64]
    share_other: NDArray[np.float64]
    same: NDArray[np.bool_]

    def kind(self, place: int) -> Kind | None:
        """exact, near or partial; None below the near threshold."""
        if self.same[place]:
            return "exact"
        if self.similarity[place] < MIN_SIMILARITY:
            return None
        smaller = min(self.share[place], self.share_other[place])
        return "near" if smaller >= _NEAR_SHARE else "partial"


class TextCheck:
    """Compares texts, common passages counting little."""

    def __init__(self, boilerplate: Boilerplate) -> None:
        self._boilerplate = boilerplate

    def profile(self, shingles: Shingles, digest: str) -> Profile:
        """Weigh a text's shingles."""
        codes, _ = self._boilerplate.look_up(shingles)
        packed = shingles >> np.uint64(64 - _HASH_BITS) << np.uint64(_CODE_BITS) | codes
        packed.sort()
        return Profile(packed, float(WEIGHTS[codes].sum()), digest)

    def compare(self, one: Sequence[Profile], other: Sequence[Profile]) -> Likeness:
        """The likeness of each pair one[i], other[i]."""
        common = np.zeros(len(one))
        start = 0
        sizes = np.array([len(a.packed) + len(b.packed) for a, b in zip(one, other, strict=True)], dtype=np.int64)
        ends = np.cumsum(sizes)
        while start < len(one):
            base = ends[start - 1] if start else 0
            stop = int(np.searchsorted(ends, base + _SHINGLES_AT_ONCE, side="right"))
            stop = max(start + 1, min(stop, start + _PAIRS_AT_ONCE))
            common[start:stop] = _common(one[start:stop], other[start:stop], sizes[start:stop])
            start = stop
        left = np.array([profile.weight for profile in one])
        right = np.array([profile.weight for profile in other])
        same = np.array([a.digest == b.digest for a, b in zip(one, other, strict=True)], dtype=np.bool_)
        evidence = np.minimum(_evidence(one, left, other, right), _evidence(other, right, one, left))
        similarity = np.minimum(1.0, common / (evidence + _SHRINK))
        return Likeness(
            np.where(same, 1.0, similarity),
            np.where(same, 1.0, common / np.maximum(left, 1e-9)),
            np.where(same, 1.0, common / np.maximum(right, 1e-9)),
            same,
        )


def _evidence(
    one: Sequence[Profile], weights: NDArray[np.float64], other: Sequence[Profile], others: NDArray[np.float64]
) -> NDArray[np.float64]:
    sizes = np.array([max(1, len(profile.packed)) for profile in one])
    free = np.maximum(weights / sizes, others / np.array([max(1, len(profile.packed)) for profile in other]))
    evidence: NDArray[np.float64] = np.sqrt(weights * sizes * free)
    return evidence


def _common(one: Sequence[Profile], other: Sequence[Profile], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Weight of the shared shingles of each pair: after one sort, what is shared stands beside itself."""
    values = np.concatenate([part.packed for pair in zip(one, other, strict=True) for part in pair])
    pairs = np.repeat(np.arange(len(one), dtype=np.uint64), sizes)
    values |= pairs << np.uint64(_HASH_BITS + _CODE_BITS)
    values.sort()
    shared = values[1:][values[1:] == values[:-1]]
    codes = (shared & np.uint64((1 << _CODE_BITS) - 1)).astype(np.int64)
    found: NDArray[np.float64] = np.bincount(
        (shared >> np.uint64(_HASH_BITS + _CODE_BITS)).astype(np.int64), WEIGHTS[codes], minlength=len(one)
    ).astype(np.float64)
    return found
