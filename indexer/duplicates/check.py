"""How much do two texts share? The texts decide; fingerprints only found the candidate.

    n, w             shingles of a text, and their weight: 1 - w / n of it is boilerplate
    common           weight of the shingles that both have
    share            common / w of the first text; share_other likewise
    evidence         the lesser of sqrt(w * n * d) of the two texts, d the greater of their w / n
    similarity       common / (evidence + SHRINK)

Where neither is boilerplate, evidence is the weight of the lighter text: similarity is the share of it that stands in
the other. A text that is mostly boilerplate has little weight left and is not believed to be contained in a long one on
that little: its evidence lies half way, in logarithms, to what it would weigh without boilerplate. SHRINK is weight
without which nothing is certain: it keeps a handful of shared shingles from being a match.

Pages of one template differ in little but their subject, and the subject stands in the title. So where both texts have
lost weight to boilerplate and have titles, half of what was lost is put back on both sides of the fraction: in full
where the titles say the same, hardly at all where they do not. And what is similar in spite of much boilerplate is
believed a little less. Titles only speak where boilerplate has silenced the text: a copied article under another
headline stays a copy.

    lost             (n - w) / 2 of the text that lost less; 0 where it is at most 1 or a title is missing
    titles           (Dice coefficient of the titles' words and pairs of words) ^ 4
    similarity       (common + lost * titles * similarity) / (evidence + lost + SHRINK)
    doubt            0 up to a tenth of boilerplate, in the text that has more, 1 from three tenths
    similarity       similarity * (1 - 0.24 * doubt * (1 - similarity))
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.documents import Kind
from leitong.indexer.duplicates.boilerplate import WEIGHTS, Boilerplate
from leitong.indexer.prepare import Text

MIN_SIMILARITY: Final = 0.39
"""From here on two documents are a match, by default."""
_SHRINK: Final = 5.0
_NEAR_SHARE: Final = 0.5
_TITLE_POWER: Final = 4
_DOUBT: Final = 0.24
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
    title: frozenset[int]


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

    def profile(self, text: Text) -> Profile:
        """Weigh a text's shingles."""
        codes, _ = self._boilerplate.look_up(text.shingles)
        packed = text.shingles >> np.uint64(64 - _HASH_BITS) << np.uint64(_CODE_BITS) | codes
        packed.sort()
        return Profile(packed, float(WEIGHTS[codes].sum()), text.digest, text.title)

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
        similarity = _similarity(_Sides(one, other, left, right), common)
        return Likeness(
            np.where(same, 1.0, similarity),
            np.where(same, 1.0, common / np.maximum(left, 1e-9)),
            np.where(same, 1.0, common / np.maximum(right, 1e-9)),
            same,
        )


@dataclass(frozen=True)
class _Sides:
    """Pairs of profiles, and the weights of both sides as arrays."""

    one: Sequence[Profile]
    other: Sequence[Profile]
    left: NDArray[np.float64]
    right: NDArray[np.float64]


def _similarity(sides: _Sides, common: NDArray[np.float64]) -> NDArray[np.float64]:
    sizes = np.array([max(1, len(profile.packed)) for profile in sides.one], dtype=np.float64)
    sizes_other = np.array([max(1, len(profile.packed)) for profile in sides.other], dtype=np.float64)
    free, free_other = sides.left / sizes, sides.right / sizes_other
    freer = np.maximum(free, free_other)
    evidence = np.sqrt(np.minimum(sides.left * sizes, sides.right * sizes_other) * freer)
    alone = common / (evidence + _SHRINK)
    lost, titles = _titles(sides, np.minimum(sizes - sides.left, sizes_other - sides.right) / 2)
    similarity = np.minimum(1.0, (common + lost * titles * alone) / (evidence + lost + _SHRINK))
    doubt = np.clip((1 - np.minimum(free, free_other) - 0.1) / 0.2, 0.0, 1.0)
    believed: NDArray[np.float64] = similarity * (1 - _DOUBT * doubt * (1 - similarity))
    return believed


def _titles(sides: _Sides, lost: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weight that titles answer for, and how alike they are; looked at only where there is such weight."""
    answered = np.zeros(len(lost))
    alike = np.ones(len(lost))
    for place in np.flatnonzero(lost > 1).tolist():
        one, other = sides.one[place].title, sides.other[place].title
        if one and other:
            answered[place] = lost[place]
            alike[place] = (2 * len(one & other) / (len(one) + len(other))) ** _TITLE_POWER
    return answered, alike


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
