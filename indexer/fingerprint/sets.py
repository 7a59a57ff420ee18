"""The loops that make sets of hashes: sorted distinct values of one text after the other."""

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.fingerprint.compiled import compiled

Words = NDArray[np.uint64]
Longs = NDArray[np.int64]

_HIGHEST = np.uint64((1 << 64) - 1)
_MORE = np.uint64(4)


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
def smallest(values: Words, bounds: Longs, below: np.uint64, least: int, most: int) -> tuple[Words, Longs]:
    """The sorted distinct values of each text that are below a bound, at most so many, and where each text's begin.

    A text that has fewer than the least gives the least of its smallest values: more are looked through until there are
    enough, as sorting all of them would take far longer.
    """
    found = np.empty(len(values), dtype=np.uint64)
    starts = np.zeros(len(bounds), dtype=np.int64)
    count = 0
    for text in range(len(bounds) - 1):
        first, last = bounds[text], bounds[text + 1]
        bound = below
        while True:
            size = _sorted_below(values[first:last], bound, found[count:])
            if size >= least or bound == _HIGHEST:
                break
            bound = bound * _MORE if bound < _HIGHEST // _MORE else _HIGHEST
        count += min(size, most if bound == below else least)
        starts[text + 1] = count
    return found[:count].copy(), starts


@compiled
def _sorted_below(values: Words, bound: np.uint64, found: Words) -> int:
    """Put the distinct values up to a bound into `found`, sorted; returns how many."""
    size = 0
    for value in values:
        if value < bound or bound == _HIGHEST:
            found[size] = value
            size += 1
    found[:size].sort()
    distinct = 0
    for place in range(size):
        if place == 0 or found[place] != found[distinct - 1]:
            found[distinct] = found[place]
            distinct += 1
    return distinct


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
