"""Which terms does a text name, and how often? Its words, and each two neighbouring ones.

A unit is a word or a character, as in `shingles`; two neighbouring characters are a word of most Chinese texts.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.fingerprint import sets

Terms = NDArray[np.uint64]
"""Sorted distinct values: a hash of a term in the upper 44 bits, below it how often the term stands in the text."""

TERM_BITS: Final = 44
_BELOW: Final = 64 - TERM_BITS
_MOST: Final = 255


def terms(units: NDArray[np.uint64]) -> Terms:
    """The terms of a text, of its units in order; each counts 255 times at most."""
    hashes = sets.term_hashes(units, _BELOW)
    hashes.sort()
    return sets.count_terms(hashes, _BELOW, _MOST)


def term_hashes(found: Terms) -> NDArray[np.uint64]:
    """The terms without their counts, sorted."""
    return found >> np.uint64(_BELOW) << np.uint64(_BELOW)


def term_counts(found: Terms) -> NDArray[np.int64]:
    """How often each stands in the text."""
    return (found & np.uint64(_MOST)).astype(np.int64)
