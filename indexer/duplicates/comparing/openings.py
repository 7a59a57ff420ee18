"""Do two texts begin with the same? Pages with one title may be about two things: the owners of an application and
those of a group. Which one it is, the first sentence says, and hardly anything else need differ.

    opening          of a text's first units, the title and BEGINNING behind it: the spans of those that are the same
                     unit together (a word spans 2, a character 1), each by the weight of the shingle that begins with
                     it, so that boilerplate counts little; by none where numbering stood inside that. BEGINNING units
                     more are known and count nothing: a remark may have been put before
    unsaid           what the opening of a text has and that of the other one does not; the lesser of both texts, as a
                     text that stands inside a longer one says nothing of its own
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.duplicates.commonness.boilerplate import WEIGHTS
from leitong.indexer.duplicates.comparing.overlap import Set, sides
from leitong.indexer.fingerprint.compiled import compiled
from leitong.indexer.fingerprint.kernels import run_values
from leitong.indexer.fingerprint.shingles import SPAN
from leitong.indexer.passages import Text

BEGINNING: Final = 40
_AMOUNT_BITS: Final = 20
_PARTS: Final = 1_000


def opening(text: Text, packed: Set, *, code_bits: int) -> Set:
    """The opening of a text, given its shingles as a profile has them, each with so many bits of its weight's code.

    Sorted distinct values: a hash of a unit in the upper 44 bits, below it how much the unit counts, in thousandths.
    """
    return _opening(text.units, text.spans, text.titled, packed, code_bits, WEIGHTS)


def unsaid(one: Sequence[Set], other: Sequence[Set]) -> NDArray[np.float64]:
    """How much of what each text of a pair begins with the other one does not begin with; in characters."""
    found = np.zeros(len(one), dtype=np.float64)
    for some, both in sides(one, other):
        found[some] = _unsaid(*both)
    return found / _PARTS


@compiled
def _opening(
    units: NDArray[np.uint64],
    spans: NDArray[np.uint8],
    titled: int,
    packed: Set,
    code_bits: int,
    weights: NDArray[np.float64],
) -> Set:
    size = min(len(units), titled + 2 * BEGINNING)
    below = (1 << _AMOUNT_BITS) - 1
    found = units[:size] >> np.uint64(_AMOUNT_BITS) << np.uint64(_AMOUNT_BITS)
    head = min(len(units), titled + BEGINNING + SPAN)
    shingles = run_values(units[:head], spans[:head], np.array([0, head]), SPAN)[0]
    hash_bits = np.uint64(_AMOUNT_BITS)
    for place in range(min(len(shingles), titled + BEGINNING)):
        hash_ = shingles[place] >> hash_bits << np.uint64(code_bits)
        known = np.searchsorted(packed, hash_)
        code = packed[known] - hash_ if known < len(packed) else np.uint64(len(weights))
        if code < np.uint64(len(weights)):
            found[place] |= np.uint64(round(weights[np.int64(code)] * spans[place] * _PARTS))
    found.sort()
    last = -1
    for value in found:
        amount = int(np.int64(value & np.uint64(below)))
        if last >= 0 and found[last] >> hash_bits == value >> hash_bits:
            amount = min(below, amount + int(np.int64(found[last] & np.uint64(below))))
        else:
            last += 1
        found[last] = value >> hash_bits << hash_bits | np.uint64(amount)
    return found[: last + 1].copy()


@compiled
def _unsaid(left: Set, left_ends: NDArray[np.int64], right: Set, right_ends: NDArray[np.int64]) -> NDArray[np.float64]:
    """Of each pair of texts, see `overlap.Sides`; in thousandths."""
    found = np.empty(len(left_ends), dtype=np.float64)
    below = np.uint64((1 << _AMOUNT_BITS) - 1)
    place = other = 0
    for pair in range(len(left_ends)):
        own = own_other = 0.0
        while place < left_ends[pair] or other < right_ends[pair]:
            in_one = place < left_ends[pair]
            in_other = other < right_ends[pair]
            if in_one and in_other:
                unit, unit_other = left[place] & ~below, right[other] & ~below
                in_one, in_other = unit <= unit_other, unit_other <= unit
            if in_one:
                own += float(left[place] & below) * (not in_other)
                place += 1
            if in_other:
                own_other += float(right[other] & below) * (not in_one)
                other += 1
        found[pair] = min(own, own_other)
    return found
