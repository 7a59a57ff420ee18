"""Which shingles would two texts share if misspelled words were those of the other text?

    misspelled       a word of three letters or more and no digit that the other text does not have, while it has one
                     that this text does not have, with one letter replaced, inserted or left out, or with two
                     neighbours in each other's place
    restored         of the shingles that both have once misspelled words are the other text's: those that they do not
                     have before, by the lesser of both weights. None where fewer than two words are misspelled, or
                     fewer than half of those that only one text has: it is another text then, or a translation

A letter wrong in twenty is a word wrong in four, and leaves two shingles of five.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.duplicates.boilerplate import WEIGHTS
from leitong.indexer.duplicates.profile import CODE_BITS, Profile
from leitong.indexer.fingerprint.compiled import compiled
from leitong.indexer.fingerprint.kernels import WORD_SPAN, run_values
from leitong.indexer.fingerprint.shingles import SPAN

_LEAST: Final = 3
_SEVERAL: Final = 2
_HASH_BITS: Final = 44

Set = NDArray[np.uint64]
Letters = NDArray[np.uint16]
Longs = NDArray[np.int64]


def restored(one: Profile, other: Profile) -> tuple[float, float]:
    """Weight and number of the shingles of a pair of texts, both spelled out; the same in either order."""
    first, second = (one, other) if one.digest < other.digest else (other, one)
    return _restored(
        first.units,
        first.spelled.view(np.uint16),
        first.packed,
        second.units,
        second.spelled.view(np.uint16),
        second.packed,
        WEIGHTS,
    )


@compiled
def _starts(letters: Letters, units: int) -> Longs:
    """Where the letters of each unit begin; they end before the beginning of the next one less one."""
    starts = np.zeros(units + 1, dtype=np.int64)
    place = 0
    for unit in range(units):
        while letters[place]:
            place += 1
        place += 1
        starts[unit + 1] = place
    return starts


@compiled
def _only_there(units: Set, others: Set, starts: Longs) -> Longs:
    """Places of the words of some length that the other text does not have."""
    known = np.sort(others)
    found = np.empty(len(units), dtype=np.int64)
    count = 0
    for unit in range(len(units)):
        if starts[unit + 1] - starts[unit] > _LEAST:
            place = np.searchsorted(known, units[unit])
            if place == len(known) or known[place] != units[unit]:
                found[count] = unit
                count += 1
    return found[:count].copy()


@compiled
def _one_letter(left: Letters, start: int, end: int, right: Letters, other_start: int, other_end: int) -> bool:
    """Whether two words that are not equal differ in one letter, or two neighbours stand in each other's place."""
    if abs((end - start) - (other_end - other_start)) > 1:
        return False
    while start < end and other_start < other_end and left[start] == right[other_start]:
        start += 1
        other_start += 1
    while start < end and other_start < other_end and left[end - 1] == right[other_end - 1]:
        end -= 1
        other_end -= 1
    size, other_size = end - start, other_end - other_start
    if size <= 1 and other_size <= 1:
        return True
    return size == other_size == 2 and left[start] == right[other_start + 1] and left[start + 1] == right[other_start]


@compiled
def _code(packed: Set, shingle: np.uint64) -> int:
    """The code of a shingle's weight, negative where the text does not have it."""
    hash_ = shingle >> np.uint64(64 - _HASH_BITS) << np.uint64(CODE_BITS)
    place = np.searchsorted(packed, hash_)
    if place < len(packed) and packed[place] >> np.uint64(CODE_BITS) == hash_ >> np.uint64(CODE_BITS):
        return int(np.int64(packed[place] - hash_))
    return -1


@compiled
def _restored(
    units: Set,
    letters: Letters,
    packed: Set,
    other_units: Set,
    other_letters: Letters,
    other_packed: Set,
    weights: NDArray[np.float64],
) -> tuple[float, float]:
    starts, other_starts = _starts(letters, len(units)), _starts(other_letters, len(other_units))
    others = _only_there(other_units, units, other_starts)
    taken = units.copy()
    mine = _only_there(units, other_units, starts)
    misspelled = 0
    for unit in mine:
        for other in others:
            if _one_letter(
                letters,
                starts[unit],
                starts[unit + 1] - 1,
                other_letters,
                other_starts[other],
                other_starts[other + 1] - 1,
            ):
                taken[unit] = other_units[other]
                misspelled += 1
                break
    if misspelled < _SEVERAL or 2 * misspelled < min(len(mine), len(others)):
        return 0.0, 0.0
    spans = np.empty(len(units), dtype=np.uint8)
    for unit in range(len(units)):
        spans[unit] = WORD_SPAN if starts[unit + 1] - starts[unit] > 1 else 1
    bounds = np.array([0, len(units)])
    before, after = run_values(units, spans, bounds, SPAN)[0], run_values(taken, spans, bounds, SPAN)[0]
    found = np.empty(len(before), dtype=np.uint64)
    count = 0
    weight = 0.0
    for place in range(len(before)):
        if before[place] == after[place] or (found[:count] == after[place]).any():
            continue
        code, other_code = _code(packed, before[place]), _code(other_packed, after[place])
        if code >= 0 and other_code >= 0 and _code(packed, after[place]) < 0:
            weight += weights[max(code, other_code)]
            found[count] = after[place]
            count += 1
    return weight, float(count)
