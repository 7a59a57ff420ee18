"""The loops that make sets of hashes: sorted distinct values of one text after the other."""

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.fingerprint.compiled import compiled

Words = NDArray[np.uint64]
Longs = NDArray[np.int64]


@compiled
def drop_repeats(values: Words, bounds: Longs) -> tuple[Words, Longs]:
    """The distinct values of each text from its sorted ones, and where each text's begin."""
    found = np.empty(len(values), dtype=np.uint64)
    starts = np.zeros(len(bounds), dtype=np.int64)
    count = 0
    for text in range(len(bounds) - 1):
        for place in range(bounds[text], bounds[text + 1]):
            if place == bounds[text] or values[place] != values[place - 1]:
                found[count] = values[place]
                count += 1
        starts[text + 1] = count
    return found[:count].copy(), starts


@compiled
def _pair_hash(one: np.uint64, other: np.uint64) -> np.uint64:
    """Hash of two neighbouring units."""
    return one * np.uint64(31) + other


@compiled
def words_and_pairs(units: Words, bounds: Longs) -> tuple[Words, Longs]:
    """The sorted distinct hashes of units and of each two neighbouring ones, and where each text's begin."""
    values = np.empty(2 * len(units), dtype=np.uint64)
    starts = np.zeros(len(bounds), dtype=np.int64)
    count = 0
    for text in range(len(bounds) - 1):
        starts[text] = count
        for place in range(bounds[text], bounds[text + 1]):
            values[count] = units[place]
            count += 1
            if place + 1 < bounds[text + 1]:
                values[count] = _pair_hash(units[place], units[place + 1])
                count += 1
        values[starts[text] : count].sort()
    starts[-1] = count
    return drop_repeats(values[:count], starts)


@compiled
def term_hashes(units: Words, below: int) -> Words:
    """The hashes of units and of each two neighbouring ones, without the lower bits."""
    values = np.empty(max(0, 2 * len(units) - 1), dtype=np.uint64)
    for place in range(len(units)):
        values[place] = units[place] >> np.uint64(below)
    for place in range(len(units) - 1):
        values[len(units) + place] = _pair_hash(units[place], units[place + 1]) >> np.uint64(below)
    return values


@compiled
def count_terms(hashes: Words, below: int, most: int) -> Words:
    """The distinct ones of sorted hashes, each with how often it stands there, at most so often, in its lower bits."""
    found = np.empty(len(hashes), dtype=np.uint64)
    count = place = 0
    while place < len(hashes):
        first = place
        while place < len(hashes) and hashes[place] == hashes[first]:
            place += 1
        found[count] = hashes[first] << np.uint64(below) | np.uint64(min(place - first, most))
        count += 1
    return found[:count].copy()
