"""Which numbers stand where in a text?

Pages of a series (every week's ratings, the result of every race) agree in their words and differ in the numbers
between them; a copied or rewritten article keeps its numbers. The place of a number is named by the letters around it.
Numbers with fewer letters than that between them are one, such as a date and time. Separators do not count: 1,000 and
1000 are the same number.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.fingerprint.compiled import compiled
from leitong.indexer.fingerprint.shingles import distinct
from leitong.indexer.fingerprint.short import Letters, all_letters

Numbers = NDArray[np.uint64]
"""Sorted distinct values of 44 bits, a hash of the place in the upper 24: each place once with 0 in the lower 20, and
each number at its place with a hash of the number there, which is never 0."""

PLACE_BITS: Final = 24
NUMBER_BITS: Final = 20
CONTEXT: Final = 3
"""Letters on either side that name a place; a number nearer to the beginning or the end has none."""
_BASE: Final = np.uint64(0xD1342543DE82EF95)
_ZERO, _NINE = np.uint64(ord("0")), np.uint64(ord("9"))
_PLACE_SHIFT, _NUMBER_SHIFT = np.uint64(64 - PLACE_BITS), np.uint64(64 - NUMBER_BITS)


def numbers(text: str) -> Numbers:
    """The numbers of a normalised text, each with its place."""
    return distinct(_placed(all_letters(text)))


@compiled
def _placed(letters: Letters) -> Numbers:
    """For each number with a place the value of the place and that of the number there, in the order of the text."""
    found = np.empty(2 * len(letters), dtype=np.uint64)
    count = 0
    end = 0
    while end < len(letters):
        start = end
        while start < len(letters) and not _ZERO <= letters[start] <= _NINE:
            start += 1
        end = start + 1  # behind the last digit that has less than CONTEXT other letters before the next
        last = end
        while last < len(letters) and last - end < CONTEXT:
            if _ZERO <= letters[last] <= _NINE:
                end = last + 1
            last += 1
        if start < CONTEXT or end + CONTEXT > len(letters):
            continue
        place = number = np.uint64(0)
        for letter in range(start - CONTEXT, start):
            place = (place + letters[letter]) * _BASE
        for letter in range(end, end + CONTEXT):
            place = (place + letters[letter]) * _BASE
        power = _BASE
        for letter in range(start, end):
            number += letters[letter] * power
            power *= _BASE
        place = _mix(place) >> _PLACE_SHIFT << np.uint64(NUMBER_BITS)
        found[count] = place
        found[count + 1] = place | _mix(number) >> _NUMBER_SHIFT | np.uint64(1)
        count += 2
    return found[:count].copy()


@compiled
def _mix(value: np.uint64) -> np.uint64:
    return (value ^ value >> np.uint64(32)) * _BASE
