"""Do two texts speak of the same things? What one names again and again the other should name as well.

Pages of one form about two subjects have sentences in common and the subject not: DB2 stands thirty times in the one
and never in the other, where Oracle stands. Two versions of one page name the same things, however much was reworded.

    terms            words and pairs of words that few texts of the collection hold (see `Boilerplate.common`)
    foreign          of the occurrences of terms that stand in a text at least twice, and FEW more: the share of those
                     terms that the other text does not have; the lesser of both texts, as a text that stands inside a
                     longer one has nothing foreign. Beside it the greater
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.duplicates.comparing.overlap import sides
from leitong.indexer.fingerprint.compiled import compiled
from leitong.indexer.fingerprint.terms import Terms, count_of, term_of

Floats = NDArray[np.float64]

_FEW: Final = 8
_AGAIN: Final = 2


def foreign(one: Sequence[Terms], other: Sequence[Terms]) -> tuple[Floats, Floats]:
    """How much of what the texts of each pair name again and again is foreign to the other one, 0…1: the lesser of both
    texts, and the greater."""
    least, most = np.zeros(len(one), dtype=np.float64), np.zeros(len(one), dtype=np.float64)
    for some, both in sides(one, other):
        least[some], most[some] = _foreign(*both)
    return least, most


@compiled
def _foreign(
    left: Terms, left_ends: NDArray[np.int64], right: Terms, right_ends: NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """Of each pair of texts, see `overlap.Sides`."""
    least, most = np.empty(len(left_ends), dtype=np.float64), np.empty(len(left_ends), dtype=np.float64)
    place = other = 0
    for pair in range(len(left_ends)):
        whole = strange = whole_other = strange_other = 0
        while place < left_ends[pair] or other < right_ends[pair]:
            in_one = place < left_ends[pair]
            in_other = other < right_ends[pair]
            if in_one and in_other:
                term, term_other = term_of(left[place]), term_of(right[other])
                in_one, in_other = term <= term_other, term_other <= term
            if in_one:
                again = count_of(left[place])
                if again >= _AGAIN:
                    whole += again
                    strange += again * (not in_other)
                place += 1
            if in_other:
                again = count_of(right[other])
                if again >= _AGAIN:
                    whole_other += again
                    strange_other += again * (not in_one)
                other += 1
        mine, yours = strange / (whole + _FEW), strange_other / (whole_other + _FEW)
        least[pair], most[pair] = min(mine, yours), max(mine, yours)
    return least, most
