"""Which shingles would two texts share if misspelled words were those of the other text?

    misspelled       a word of three letters or more that the other text does not have, while it has one without a
                     number that differs in one letter, from LONG letters on in two: replaced, inserted or left out, or
                     two neighbours in each other's place. A figure in it is a letter misread (1ike)
    restored         of the shingles that both have once misspelled words are the other text's: those that they do not
                     have before, by the lesser of both weights. None where fewer than two words are misspelled, or
                     fewer than half of those that only one text has: it is another text then, or a translation

A letter wrong in twenty is a word wrong in four, and leaves two shingles of five.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.duplicates.commonness.boilerplate import WEIGHTS
from leitong.indexer.duplicates.comparing.overlap import Set
from leitong.indexer.duplicates.comparing.profile import CODE_BITS, HASH_BITS, Profile
from leitong.indexer.fingerprint.compiled import compiled
from leitong.indexer.fingerprint.kernels import WORD_SPAN, run_values
from leitong.indexer.fingerprint.shingles import SPAN
from leitong.indexer.fingerprint.spelling import NUMBERED

_LEAST: Final = 3
_SEVERAL: Final = 2
_LONG: Final = 7

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
def _only_there(units: Set, letters: Letters, starts: Longs, others: Set) -> tuple[Longs, int]:
    """Places of the words of some length that the other text does not have, and how many of them have no number."""
    known = np.sort(others)
    found = np.empty(len(units), dtype=np.int64)
    count = plain = 0
    for unit in range(len(units)):
        if starts[unit + 1] - starts[unit] > _LEAST:
            place = np.searchsorted(known, units[unit])
            if place == len(known) or known[place] != units[unit]:
                found[count] = unit
                count += 1
                plain += letters[starts[unit]] != NUMBERED
    return found[:count].copy(), plain


@compiled
def _distinct(units: Set, starts: Longs) -> Longs:
    """Places of the distinct words of some length."""
    found = np.empty(len(units), dtype=np.int64)
    count = 0
    for unit in np.argsort(units, kind="mergesort"):
        if starts[unit + 1] - starts[unit] > _LEAST and (not count or units[found[count - 1]] != units[unit]):
            found[count] = unit
            count += 1
    return found[:count].copy()


@compiled
def _mask(letters: Letters, start: int, end: int) -> np.uint64:
    """One bit for each letter, which some letters share."""
    found = np.uint64(0)
    for place in range(start, end):
        found |= np.uint64(1) << np.uint64(letters[place] % 64)
    return found


@compiled
def _few(mask: np.uint64, most: int) -> bool:
    """Whether at most so many bits are set."""
    for _ in range(most):
        if mask:
            mask &= mask - np.uint64(1)
    return not mask


@compiled
def _alike(left: Letters, start: int, end: int, right: Letters, other_start: int, other_end: int, most: int) -> bool:
    """Whether two words differ in so many letters at most; neighbours in each other's place count as one."""
    while start < end and other_start < other_end and left[start] == right[other_start]:
        start += 1
        other_start += 1
    while start < end and other_start < other_end and left[end - 1] == right[other_end - 1]:
        end -= 1
        other_end -= 1
    size, other_size = end - start, other_end - other_start
    if max(size, other_size) <= most:
        return True
    if abs(size - other_size) > most:
        return False
    edits = np.empty((size + 1, other_size + 1), dtype=np.int64)
    for one in range(size + 1):
        least = most + 1
        for other in range(other_size + 1):
            fewest = one + other
            if one and other:
                same = left[start + one - 1] == right[other_start + other - 1]
                fewest = min(edits[one - 1, other], edits[one, other - 1], edits[one - 1, other - 1] - same) + 1
                if (
                    one > 1
                    and other > 1
                    and left[start + one - 1] == right[other_start + other - 2]
                    and left[start + one - 2] == right[other_start + other - 1]
                ):
                    fewest = min(fewest, edits[one - 2, other - 2] + 1)
            edits[one, other] = fewest
            least = min(least, fewest)
        if least > most:
            return False
    return bool(edits[size, other_size] <= most)


@compiled
def _corrected(
    units: Set, letters: Letters, starts: Longs, other_units: Set, other_letters: Letters, other_starts: Longs
) -> tuple[Set, bool]:
    """The units of a text, misspelled ones in the other text's words; and whether they are enough."""
    mine, plain = _only_there(units, letters, starts, other_units)
    own, others = _only_there(other_units, other_letters, other_starts, units)
    meant = np.append(own, _distinct(other_units, other_starts))  # what this text never has comes first
    masks = np.empty(len(meant), dtype=np.uint64)
    for place in range(len(meant)):
        masks[place] = _mask(other_letters, other_starts[meant[place]], other_starts[meant[place] + 1] - 1)
    taken = units.copy()
    misspelled = 0
    for unit in mine:
        numbered = letters[starts[unit]] == NUMBERED
        start, end = starts[unit] + numbered, starts[unit + 1] - 1
        mask = _mask(letters, start, end)
        for most in range(1, 3 if end - start >= _LONG else 2):
            for place in range(len(meant)):
                other_start, other_end = other_starts[meant[place]], other_starts[meant[place] + 1] - 1
                if (
                    other_letters[other_start] != NUMBERED
                    and abs((end - start) - (other_end - other_start)) <= most
                    and _few(mask ^ masks[place], 2 * most)
                    and _alike(letters, start, end, other_letters, other_start, other_end, most)
                ):
                    taken[unit] = other_units[meant[place]]
                    misspelled += 1
                    plain += numbered
                    break
            if taken[unit] != units[unit]:
                break
    return taken, misspelled >= _SEVERAL and 2 * misspelled >= min(plain, others)


@compiled
def _code(packed: Set, shingle: np.uint64) -> int:
    """The code of a shingle's weight, negative where the text does not have it."""
    hash_ = shingle >> np.uint64(64 - HASH_BITS) << np.uint64(CODE_BITS)
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
    taken, enough = _corrected(units, letters, starts, other_units, other_letters, other_starts)
    if not enough:
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
