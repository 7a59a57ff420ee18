"""The loops of counting that arrays cannot express; they run without the interpreter's lock."""

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.fingerprint.compiled import compiled

Words = NDArray[np.uint64]


@compiled
def merge_counts(
    known: Words, groups: NDArray[np.uint32], fresh: Words, out: Words, out_groups: NDArray[np.uint32]
) -> int:
    """Sorted values with their counts, and further sorted values that count one each, merged; returns how many there
    are. Only `fresh` may repeat a value. `out` has room for all of them."""
    place = other = size = 0
    while place < len(known) or other < len(fresh):
        if other == len(fresh) or (place < len(known) and known[place] <= fresh[other]):
            value, count = known[place], np.int64(groups[place])
            place += 1
        else:
            value, count = fresh[other], np.int64(0)
        while other < len(fresh) and fresh[other] == value:
            count += 1
            other += 1
        out[size] = value
        out_groups[size] = count
        size += 1
    return size


@compiled
def in_ranges(values: Words, bits: int) -> tuple[Words, NDArray[np.int64]]:
    """The values by their first bits, in no order within such a range; where each range begins, and the end of all."""
    shift = np.uint64(64 - bits)
    edges = np.zeros((1 << bits) + 1, dtype=np.int64)
    for value in values:
        edges[np.int64(value >> shift) + 1] += 1
    for range_ in range(1 << bits):
        edges[range_ + 1] += edges[range_]
    ends = edges.copy()
    out = np.empty_like(values)
    for value in values:
        place = np.int64(value >> shift)
        out[ends[place]] = value
        ends[place] += 1
    return out, edges


@compiled
def gather(values: Words, starts: NDArray[np.int64], sizes: NDArray[np.int64], out: Words) -> None:
    """Some stretches of the values, one after the other."""
    place = 0
    for start, size in zip(starts, sizes):  # noqa: B905 - numba knows no strict
        out[place : place + size] = values[start : start + size]
        place += size


@compiled
def look_up(
    table: Words, starts: NDArray[np.int64], codes: NDArray[np.uint8], groups: NDArray[np.int64], asked: Words
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Code and groups of each value by a sorted table; 0 and 0 where it is not there.

    Values with the same first bits stand from starts[bits] to starts[bits + 1]; there is a power of two of these.
    """
    bits = 0
    while 1 << bits < len(starts) - 1:
        bits += 1
    found = np.zeros(len(asked), dtype=np.uint8), np.zeros(len(asked), dtype=np.int64)
    for place in range(len(asked)):
        value = asked[place]
        first = np.int64(value >> np.uint64(64 - bits)) if bits else 0
        low, high = starts[first], starts[first + 1]
        while low < high:
            middle = (low + high) // 2
            if table[middle] < value:
                low = middle + 1
            else:
                high = middle
        if low < starts[first + 1] and table[low] == value:
            found[0][place], found[1][place] = codes[low], groups[low]
    return found
