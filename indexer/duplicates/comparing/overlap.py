"""Which values do the two sets of each pair share? Sets are sorted, so each pair is one walk along both."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.fingerprint.compiled import compiled

Set = NDArray[np.uint64]
Longs = NDArray[np.int64]
Sides = tuple[Set, Longs, Set, Longs]
"""The sets of the one side of some pairs, one after the other, and where each ends; then those of the other side."""

_AT_ONCE: Final = 2_000_000


def sides(one: Sequence[Set], other: Sequence[Set]) -> Iterator[tuple[slice, Sides]]:
    """Both sides of all pairs, in parts of so many values as memory should hold, and which pairs those are."""
    sizes, sizes_other = (np.array([len(values) for values in side], dtype=np.int64) for side in (one, other))
    ends = np.cumsum(sizes + sizes_other)
    start = 0
    while start < len(ends):
        base = ends[start - 1] if start else 0
        some = slice(start, max(start + 1, int(np.searchsorted(ends, base + _AT_ONCE, side="right"))))
        yield (
            some,
            (
                np.concatenate(one[some]),
                np.cumsum(sizes[some]),
                np.concatenate(other[some]),
                np.cumsum(sizes_other[some]),
            ),
        )
        start = some.stop


def shared(one: Sequence[Set], other: Sequence[Set]) -> Iterator[tuple[Longs, Set]]:
    """The pair of each value that both of its sets have, and the value, in order, in parts."""
    for some, both in sides(one, other):
        pairs, values = _shared(*both)
        yield pairs + some.start, values


@compiled
def _shared(left: Set, left_ends: Longs, right: Set, right_ends: Longs) -> tuple[Longs, Set]:
    most = min(len(left), len(right))
    pairs, values = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.uint64)
    count = place = other = 0
    for pair in range(len(left_ends)):
        while place < left_ends[pair] and other < right_ends[pair]:
            one, two = left[place], right[other]
            if one == two:
                pairs[count], values[count] = pair, one
                count += 1
            place += one <= two
            other += two <= one
        place, other = left_ends[pair], right_ends[pair]
    return pairs[:count].copy(), values[:count].copy()
