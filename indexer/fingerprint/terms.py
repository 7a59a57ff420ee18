"""Which terms does a text name, and how often? Its words, and each two neighbouring ones.

A unit is a word or a character, as in `shingles`; two neighbouring characters are a word of most Chinese texts.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

Terms = NDArray[np.uint64]
"""Sorted distinct values: a hash of a term in the upper 44 bits, below it how often the term stands in the text."""

TERM_BITS: Final = 44
_BELOW: Final = np.uint64(64 - TERM_BITS)
_MOST: Final = 255


def terms(units: NDArray[np.uint64]) -> Terms:
    """The terms of a text, of its units in order; each counts 255 times at most."""
    hashes = np.concatenate([units, units[:-1] * np.uint64(31) + units[1:]]) >> _BELOW
    hashes.sort()
    fresh = np.ones(len(hashes), dtype=np.bool_)
    fresh[1:] = hashes[1:] != hashes[:-1]
    counts = np.diff(np.flatnonzero(fresh), append=len(hashes))
    return hashes[fresh] << _BELOW | np.minimum(counts, _MOST).astype(np.uint64)


def term_hashes(found: Terms) -> NDArray[np.uint64]:
    """The terms without their counts, sorted."""
    return found >> _BELOW << _BELOW


def term_counts(found: Terms) -> NDArray[np.int64]:
    """How often each stands in the text."""
    return (found & np.uint64(_MOST)).astype(np.int64)
