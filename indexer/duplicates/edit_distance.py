"""How many letters must be replaced, inserted or left out to make one short text of the other?

Many pairs at once: the table of Wagner and Fischer (1974) row by row, all pairs beside each other. Along a row each
insertion costs one, so a row is the running minimum of what comes from above, less the place in the row.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.fingerprint.short import Letters


def edit_distances(one: Sequence[Letters], other: Sequence[Letters]) -> NDArray[np.int64]:
    """The edit distance of each pair one[i], other[i]."""
    left, heights = rows_of(one)
    right, widths = rows_of(other)
    along = np.arange(right.shape[1] + 1, dtype=np.int16)
    row = np.repeat(along[None], len(left), axis=0)
    found = row[np.arange(len(left)), widths].astype(np.int64)  # where the first text is empty
    for place in range(left.shape[1]):
        best = np.empty_like(row)
        best[:, 0] = place + 1
        best[:, 1:] = np.minimum(row[:, 1:] + 1, row[:, :-1] + (right != left[:, place : place + 1]))
        row = np.minimum.accumulate(best - along, axis=1) + along
        last = heights == place + 1
        found[last] = row[last, widths[last]]
    return found


def rows_of(texts: Sequence[Letters]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The texts as rows, filled up behind their ends, and their lengths."""
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    rows = np.zeros((len(texts), int(lengths.max(initial=0))), dtype=np.uint32)
    if len(texts):
        rows[np.arange(rows.shape[1]) < lengths[:, None]] = np.concatenate(texts)
    return rows, lengths
