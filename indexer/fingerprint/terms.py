"""Which terms does a text name, and how often? Its words, and each two neighbouring ones.

A unit is a word or a character, as in `shingles`; two neighbouring characters are a word of most Chinese texts.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.fingerprint import sets
from leitong.indexer.fingerprint.compiled import compiled

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


@compiled
def term_of(value: np.uint64) -> np.uint64:
    """One term without its count, in the lower 44 bits."""
    return value >> np.uint64(_BELOW)


@compiled
def count_of(value: np.uint64) -> int:
    """How often one stands in the text."""
    return int(np.int64(value & np.uint64(_MOST)))


def term_hashes(found: Terms) -> NDArray[np.uint64]:
    """The terms without their counts, sorted."""
    return found >> np.uint64(_BELOW) << np.uint64(_BELOW)


def term_counts(found: Terms) -> NDArray[np.int64]:
    """How often each stands in the text."""
    return (found & np.uint64(_MOST)).astype(np.int64)
