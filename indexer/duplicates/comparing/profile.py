"""What is a text compared by, and what have two of them in common? The sums of the text check share it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.duplicates.commonness.boilerplate import WEIGHTS
from leitong.indexer.duplicates.comparing.overlap import shared
from leitong.indexer.fingerprint.numbers import Numbers
from leitong.indexer.fingerprint.short import Letters
from leitong.indexer.fingerprint.terms import TERM_BITS, Terms

CODE_BITS: Final = 6
"""Of a packed hash, the lowest: the code of its weight, see `WEIGHTS`."""
HASH_BITS: Final = TERM_BITS
"""Of a packed hash, those above: a title's words are looked for among terms."""

_FORMED: Final = (0.1, 0.2)
"""Boilerplate of either text: from here on, and in full from there, it is asked whether their forms are two."""
_FORM: Final = (0.4, 0.7)
"""What both have of the boilerplate of the text that has less: two forms up to the first, one from the second."""
_SAME: Final = (0.5, 0.7)
_MUCH: Final = (50.0, 150.0)

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Profile:
    """A text ready to be compared.

    `packed` and `title` hold the shingles and the title's words, HASH_BITS of each and the code of its weight, sorted;
    `weight` and `title_weight` the weight of all of them together, `letter_weight` that of a short text's letters.
    `units` and `spelled` are a `Spelling`.
    `named` are those of the title's words that stand in the text once more, `terms` those of its terms that few texts
    hold, `telling` those of the title's words that are among them, `opening` is what it begins with; none of the last
    three where it has no form, since they are not asked then.
    """

    packed: NDArray[np.uint64]
    weight: float
    title: NDArray[np.uint64]
    title_weight: float
    named: NDArray[np.uint64]
    heading: Letters
    numbers: Numbers
    letters: Letters
    letter_weight: float
    units: NDArray[np.uint64]
    spelled: NDArray[np.uint64]
    terms: Terms
    telling: NDArray[np.uint64]
    opening: NDArray[np.uint64]
    digest: str


@dataclass(frozen=True)
class TextPairs:
    """Pairs of texts, one[i] beside other[i]; arrays of one length.

    `common` and `count` are weight and number of the shingles that both have.
    """

    one: Sequence[Profile]
    other: Sequence[Profile]
    weight: Floats
    weight_other: Floats
    common: Floats
    count: Floats

    @cached_property
    def sizes(self) -> tuple[Floats, Floats]:
        """How many shingles the texts have, on both sides; at least one."""
        return _sizes(self.one), _sizes(self.other)

    @cached_property
    def free(self) -> tuple[Floats, Floats]:
        """How much of the texts is no boilerplate, on both sides."""
        return self.weight / self.sizes[0], self.weight_other / self.sizes[1]

    @cached_property
    def most_boilerplate(self) -> Floats:
        """How much of a text is boilerplate, in the one that has more."""
        most: Floats = 1 - np.minimum(*self.free)
        return most

    @cached_property
    def least_boilerplate(self) -> Floats:
        """How much of a text is boilerplate, in the one that has less."""
        least: Floats = 1 - np.maximum(*self.free)
        return least

    @cached_property
    def share(self) -> Floats:
        """How much of a text the other one has, the lesser of both."""
        share: Floats = self.common / np.maximum(np.maximum(self.weight, self.weight_other), 1e-9)
        return share

    @cached_property
    def one_form(self) -> Floats:
        """How much both texts may be one form, 0…1: not where each has a form of its own, and much the same text in it,
        as an article has on the pages of two sites.
        """
        size, size_other = self.sizes
        lost = np.minimum(size - self.weight, size_other - self.weight_other)
        apart = ramp(self.least_boilerplate, _FORMED) * (1 - ramp((self.count - self.common) / (lost + 1e-9), _FORM))
        one_form: Floats = 1 - apart * ramp(self.share, _SAME) * ramp(self.common, _MUCH)
        return one_form

    @cached_property
    def titled(self) -> NDArray[np.bool_]:
        """Whether both have a title."""
        return np.array([len(a.title) and len(b.title) for a, b in zip(self.one, self.other, strict=True)]) > 0

    def of(self, asked: NDArray[np.bool_]) -> "TextPairs":
        """Those of the pairs that are asked."""
        values = (self.weight, self.weight_other, self.common, self.count)
        return TextPairs(*self.some(asked), *(value[asked] for value in values))

    def some(self, asked: NDArray[np.bool_]) -> tuple[list[Profile], list[Profile]]:
        """Both sides of those that are asked."""
        places = np.flatnonzero(asked).tolist()
        return [self.one[place] for place in places], [self.other[place] for place in places]


def _sizes(side: Sequence[Profile]) -> Floats:
    return np.array([max(1, len(profile.packed)) for profile in side], dtype=np.float64)


def in_common(one: Sequence[NDArray[np.uint64]], other: Sequence[NDArray[np.uint64]]) -> tuple[Floats, Floats]:
    """Weight and number of the packed hashes that both of each pair have."""
    weight, count = np.zeros(len(one)), np.zeros(len(one))
    for pairs, values in shared(one, other):
        codes = (values & np.uint64((1 << CODE_BITS) - 1)).astype(np.int64)
        weight += np.bincount(pairs, WEIGHTS[codes], minlength=len(one))
        count += np.bincount(pairs, minlength=len(one))
    return weight, count


def ramp(values: Floats, ends: tuple[float, float]) -> Floats:
    """0 up to the first end, 1 from the second, straight between."""
    clipped: Floats = np.clip((values - ends[0]) / (ends[1] - ends[0]), 0.0, 1.0)
    return clipped
