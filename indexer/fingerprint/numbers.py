"""Which numbers stand where in a text?

Pages of a series (every week's ratings, the result of every race) agree in their words and differ in the numbers
between them; a copied or rewritten article keeps its numbers. The place of a number is named by the letters around it.
Numbers with fewer letters than that between them are one, such as a date and time. Separators do not count: 1,000 and
1000 are the same number.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.fingerprint.shingles import is_letter

Numbers = NDArray[np.uint64]
"""Sorted distinct values of 44 bits, a hash of the place in the upper 24: each place once with 0 in the lower 20, and
each number at its place with a hash of the number there, which is never 0."""

PLACE_BITS: Final = 24
NUMBER_BITS: Final = 20
CONTEXT: Final = 3
"""Letters on either side that name a place; a number nearer to the beginning or the end has none."""
_BASE: Final = np.uint64(0xD1342543DE82EF95)


def numbers(text: str) -> Numbers:
    """The numbers of a normalised text, each with its place."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    codes = codes[is_letter(codes)].astype(np.uint64)
    digits = np.flatnonzero((codes >= ord("0")) & (codes <= ord("9")))
    apart = np.diff(digits) > CONTEXT
    starts = digits[np.concatenate([[True], apart])[: len(digits)]]
    ends = digits[np.concatenate([apart, [True]])[: len(digits)]] + 1
    placed = (starts >= CONTEXT) & (ends + CONTEXT <= len(codes))
    starts, ends = starts[placed], ends[placed]
    if not len(starts):
        return np.empty(0, dtype=np.uint64)
    around = [starts + step for step in range(-CONTEXT, 0)] + [ends + step for step in range(CONTEXT)]
    places = np.zeros(len(starts), dtype=np.uint64)
    for letter in around:
        places = (places + codes[letter]) * _BASE
    lengths = ends - starts
    first = np.cumsum(lengths) - lengths
    inside = np.arange(int(lengths.sum())) - np.repeat(first, lengths)
    powers = np.cumprod(np.full(int(lengths.max()), _BASE, dtype=np.uint64), dtype=np.uint64)
    values = np.add.reduceat(codes[inside + np.repeat(starts, lengths)] * powers[inside], first)
    places = _mix(places) >> np.uint64(64 - PLACE_BITS) << np.uint64(NUMBER_BITS)
    return np.unique(np.concatenate([places, places | _mix(values) >> np.uint64(64 - NUMBER_BITS) | np.uint64(1)]))


def _mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return (values ^ values >> np.uint64(32)) * _BASE
