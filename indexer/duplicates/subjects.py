"""Do two texts speak of the same things? What one names again and again the other should name as well.

Pages of one form about two subjects have sentences in common and the subject not: DB2 stands thirty times in the one
and never in the other, where Oracle stands. Two versions of one page name the same things, however much was reworded.

    terms            words and pairs of words that few texts of the collection hold (see `Boilerplate.common`)
    foreign          of the occurrences of terms that stand in a text at least twice, and FEW more: the share of those
                     terms that the other text does not have; the lesser of both texts, as a text that stands inside a
                     longer one has nothing foreign
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.fingerprint.terms import TERM_BITS, Terms, term_counts

_FEW: Final = 8
_AGAIN: Final = 2
_PAIRS_AT_ONCE: Final = 5_000


def foreign(one: Sequence[Terms], other: Sequence[Terms]) -> NDArray[np.float64]:
    """How much of what the texts of each pair name again and again is foreign to the other one, 0…1."""
    found = np.zeros(len(one), dtype=np.float64)
    for start in range(0, len(one), _PAIRS_AT_ONCE):
        some = slice(start, start + _PAIRS_AT_ONCE)
        left, right = _Named(one[some]), _Named(other[some])
        found[some] = np.minimum(left.foreign_to(right), right.foreign_to(left))
    return found


class _Named:
    """The terms of one side of some pairs, one text after the other; no two pairs share a key."""

    def __init__(self, side: Sequence[Terms]) -> None:
        found = np.concatenate(side)
        pairs = np.repeat(np.arange(len(side)), [len(terms) for terms in side])
        self._size = len(side)
        self._keys = pairs.astype(np.uint64) << np.uint64(TERM_BITS) | found >> np.uint64(64 - TERM_BITS)
        again = term_counts(found)
        again[again < _AGAIN] = 0
        self._pairs, self._again = pairs, again

    def foreign_to(self, other: "_Named") -> NDArray[np.float64]:
        """The share of each text."""
        theirs = np.isin(self._keys, other._keys, assume_unique=True)
        whole = np.bincount(self._pairs, self._again, minlength=self._size)
        strange = np.bincount(self._pairs, np.where(theirs, 0, self._again), minlength=self._size)
        share: NDArray[np.float64] = strange / (whole + _FEW)
        return share
