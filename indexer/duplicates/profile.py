"""What is a text compared by, and what have two of them in common? The sums that `check` and `titles` share."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.duplicates.boilerplate import WEIGHTS
from leitong.indexer.duplicates.overlap import shared
from leitong.indexer.fingerprint.numbers import Numbers
from leitong.indexer.fingerprint.short import Letters
from leitong.indexer.fingerprint.terms import Terms

CODE_BITS: Final = 6
"""Of a packed hash, the lowest: the code of its weight, see `WEIGHTS`."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Profile:
    """A text ready to be compared.

    `packed` and `title` hold the shingles and the title's words with their weight codes behind 44 bits of hash, sorted;
    `weight` and `title_weight` the weight of all of them together, `letter_weight` that of a short text's letters.
    `units` and `spelled` are a `Spelling`.
    `named` are those of the title's words that stand in the text once more, `terms` those of its terms that few texts
    hold, `opening` is what it begins with; none where it has no form, since they are not asked then.
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
    opening: NDArray[np.uint64]
    digest: str


@dataclass(frozen=True)
class Sides:
    """Pairs of profiles, and the weights of both sides as arrays."""

    one: Sequence[Profile]
    other: Sequence[Profile]
    left: Floats
    right: Floats


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
