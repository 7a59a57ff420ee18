"""By what are texts of a few letters found? Titles, posts, rows: too little for a fingerprint or for runs of words.

Letters and digits alone count, each for itself, in every script. A text of at most MOST letters has further keys:

* up to DELETED letters, the text itself and the text without each one of its letters: two texts that are one
  letter apart (replaced, inserted, left out) share one of them, and hardly any others do (the deletion
  neighbourhood of Garbe's SymSpell);
* from WINDOW letters, every run of WINDOW letters: one letter replaced spoils WINDOW of them, so of n letters with one
  in twenty replaced at least n - (WINDOW - 1) - WINDOW * n / 20 are shared.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.fingerprint.kernels import letters_among
from leitong.indexer.fingerprint.normalise import code_points
from leitong.indexer.fingerprint.shingles import Shingles, letter_table

Letters = NDArray[np.uint64]
"""Code points of a text's letters and digits, in order."""

MOST: Final = 64
"""A text with more letters is not short."""
_LONGEST: Final = 8 * MOST
"""Characters of the longest text that is looked through for its letters."""
DELETED: Final = 20
WINDOW: Final = 6
_BASE: Final = 0xD6E8FEB86659FD93
_POWERS: Final = np.cumprod(np.full(MOST, _BASE, dtype=np.uint64), dtype=np.uint64)


def letters(text: str) -> Letters:
    """The letters of a normalised text that is short; none of a longer one."""
    if len(text) > _LONGEST:
        return np.empty(0, dtype=np.uint64)
    found = all_letters(text)
    return found if len(found) <= MOST else found[:0]


def all_letters(text: str) -> Letters:
    """The letters of a normalised text, however long."""
    return letters_among(code_points(text), letter_table())


def short_keys(found: Letters) -> Shingles:
    """What a short text is found by, sorted and distinct; none for a text without letters."""
    size = len(found)
    if not size:
        return np.empty(0, dtype=np.uint64)
    parts = []
    if size <= DELETED:
        places = np.arange(size - 1)
        without = found[places + (places >= np.arange(size)[:, None])]
        parts += [_hashes(found[None]), _hashes(without)] if size > 1 else [_hashes(found[None])]
    return np.unique(np.concatenate([*parts, windows(found)]))


def windows(found: Letters) -> Shingles:
    """A hash of each run of WINDOW letters, in order."""
    if len(found) < WINDOW:
        return np.empty(0, dtype=np.uint64)
    return _hashes(np.lib.stride_tricks.sliding_window_view(found, WINDOW))


def _hashes(rows: NDArray[np.uint64]) -> Shingles:
    """A hash of each row of a matrix, its length included."""
    values: Shingles = (rows * _POWERS[: rows.shape[1]]).sum(axis=1, dtype=np.uint64) + np.uint64(rows.shape[1])
    for shift in (33, 29):
        values ^= values >> np.uint64(shift)
        values *= np.uint64(_BASE)
    values ^= values >> np.uint64(32)
    return values
