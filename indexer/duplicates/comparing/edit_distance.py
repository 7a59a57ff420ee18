"""How many letters must be replaced, inserted or left out to make one short text of the other?

A column of the table of Wagner and Fischer (1974) differs from row to row by one at most, so that two words of 64 bits
hold it, and a letter of the longer text takes a dozen operations: Myers (1999), as Hyyrö (2001) counts the last row.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.fingerprint.compiled import compiled
from leitong.indexer.fingerprint.short import Letters


def edit_distances(one: Sequence[Letters], other: Sequence[Letters]) -> NDArray[np.int64]:
    """The edit distance of each pair one[i], other[i] of short texts."""
    return _distances(*_in_a_row(one), *_in_a_row(other))


def rows_of(texts: Sequence[Letters]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The texts as rows, filled up behind their ends, and their lengths."""
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    rows = np.zeros((len(texts), int(lengths.max(initial=0))), dtype=np.uint32)
    if len(texts):
        rows[np.arange(rows.shape[1]) < lengths[:, None]] = np.concatenate(texts)
    return rows, lengths


def _in_a_row(texts: Sequence[Letters]) -> tuple[Letters, NDArray[np.int64]]:
    """The texts one after the other, and where each one ends."""
    nothing = np.empty(0, dtype=np.uint64)
    return np.concatenate([nothing, *texts]), np.cumsum([len(text) for text in texts], dtype=np.int64)


@compiled
def _distances(
    one: Letters, ends: NDArray[np.int64], other: Letters, other_ends: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The edit distances of texts that stand one after the other on each side."""
    found = np.empty(len(ends), dtype=np.int64)
    start, other_start = np.int64(0), np.int64(0)
    for pair in range(len(ends)):
        left, right = one[start : ends[pair]], other[other_start : other_ends[pair]]
        found[pair] = _distance(left, right) if len(left) <= len(right) else _distance(right, left)
        start, other_start = ends[pair], other_ends[pair]
    return found


@compiled
def _distance(short: Letters, text: Letters) -> np.int64:
    """The edit distance of two texts, the first of at most 64 letters."""
    size = len(short)
    if not size:
        return np.int64(len(text))
    last = np.uint64(size - 1)
    one = np.uint64(1)
    up, down = ~np.uint64(0), np.uint64(0)  # the rows of a column that are one more, or one less, than the row above
    away = np.int64(size)
    for letter in text:
        equal = np.uint64(0)
        for place in range(size):
            equal |= np.uint64(short[place] == letter) << np.uint64(place)
        across = equal | down
        straight = (((equal & up) + up) ^ up) | equal
        more, less = down | ~(straight | up), up & straight  # than in the column before
        away += np.int64(more >> last & one) - np.int64(less >> last & one)
        more = more << one | one
        up, down = less << one | ~(across | more), more & across
    return away
