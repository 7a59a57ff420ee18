"""The compiled table of a vocabulary: which row is a word's, found for many words without making strings of them.

A word is known by three numbers. Up to SHORT characters, which nearly all words of a Chinese text have, they are its
characters, so nothing can collide; a longer one has its size and 128 bits of hash, as texts have digests.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.fingerprint.compiled import compiled
from leitong.indexer.fingerprint.kernels import hash_character, mix, put_utf8

Codes = NDArray[np.uint32]
"""Code points of words, one after the other, and two more."""
Longs = NDArray[np.int64]
Sizes = NDArray[np.int32]
Table = NDArray[np.uint64]
"""Slots of a word's three numbers and its row plus ROW_BASE, modulo 2^64; 0 there is a free slot."""

SHORT: Final = 9
"""Characters of a word that fit into three numbers: 21 bits each, three in each number."""
ROW_BASE: Final = 1 << 40
_ROW: Final = 3
_LONG: Final = np.uint64(1 << 63)
_SPREAD: Final = np.array([0x9E3779B97F4A7C15, 0xD1342543DE82EF95, 0xD6E8FEB86659FD93], dtype=np.uint64)


def slots(words: int) -> int:
    """Slots for so many words, of which at least half stay free: a power of two."""
    return 1 << (2 * words).bit_length()


def empty_table(slots: int) -> Table:
    """A table of free slots."""
    return np.zeros((slots, 4), dtype=np.uint64)


@compiled
def _third(codes: Codes, start: int, size: int) -> np.uint64:
    """One of the three numbers of a short word: up to three characters, each plus one, so that none is not NUL.

    Without a branch, which the processor could not foresee; this is why `codes` go on for two places.
    """
    one = (np.uint64(codes[start]) + np.uint64(1)) * np.uint64(size > 0)
    two = (np.uint64(codes[start + 1]) + np.uint64(1)) * np.uint64(size > 1)
    three = (np.uint64(codes[start + 2]) + np.uint64(1)) * np.uint64(size > 2)
    return one | two << np.uint64(21) | three << np.uint64(42)


@compiled
def _key(codes: Codes, start: int, size: int) -> tuple[np.uint64, np.uint64, np.uint64]:
    """The three numbers of a word."""
    if size > SHORT:
        one, two = np.uint64(0), _LONG
        for place in range(start, start + size):
            hash_ = hash_character(codes[place])
            one, two = mix(one + hash_), mix(two ^ hash_)
        return _LONG | np.uint64(size), one, two
    first = _third(codes, start, size)
    if size <= 3:
        return first, np.uint64(0), np.uint64(0)
    second = _third(codes, start + 3, size - 3)
    return first, second, _third(codes, start + 6, size - 6) if size > 6 else np.uint64(0)


@compiled
def _slot(key: tuple[np.uint64, np.uint64, np.uint64], table: Table) -> np.int64:
    """The slot that holds a key, or the free one where it belongs."""
    one, two, three = key
    last = len(table) - 1
    spread = (one * _SPREAD[0]) ^ (two * _SPREAD[1]) ^ (three * _SPREAD[2])
    slot = np.int64((spread ^ (spread >> np.uint64(32))) & np.uint64(last))
    while table[slot, _ROW] and (table[slot, 0] != one or table[slot, 1] != two or table[slot, 2] != three):
        slot = (slot + 1) & last
    return slot


@compiled
def find_rows(
    codes: Codes, starts: Longs, sizes: Sizes, table: Table, counts: NDArray[np.bool_], features: int, others: int
) -> tuple[Longs, Longs]:
    """The row of each word, and which words are features that were not in the table yet, each once.

    A word without a character that `counts` is no feature. So many features and others are there already: the next
    feature has the row `features`, the next other word -1 - `others`. The table must have room for all words.
    """
    rows = np.empty(len(sizes), dtype=np.int64)
    fresh = np.empty(len(sizes), dtype=np.int64)
    count = 0
    for word in range(len(sizes)):
        key = _key(codes, starts[word], sizes[word])
        slot = _slot(key, table)
        if not table[slot, _ROW]:
            feature = False
            for place in range(starts[word], starts[word] + sizes[word]):
                feature |= counts[codes[place]]
            if feature:
                row = features + count
                fresh[count] = word
                count += 1
            else:
                others += 1
                row = -others
            table[slot, 0], table[slot, 1], table[slot, 2] = key
            table[slot, _ROW] = np.uint64(row + ROW_BASE)
        rows[word] = np.int64(table[slot, _ROW]) - ROW_BASE
    return rows, fresh[:count].copy()


@compiled
def move_rows(table: Table, larger: Table) -> None:
    """Put everything into an empty table with more slots."""
    for slot in range(len(table)):
        if table[slot, _ROW]:
            larger[_slot((table[slot, 0], table[slot, 1], table[slot, 2]), larger)] = table[slot]


@compiled
def as_utf8(codes: Codes, starts: Longs, sizes: Sizes) -> tuple[NDArray[np.uint8], Longs]:
    """The bytes of words, one after the other, and where each one's end."""
    octets = np.empty(4 * np.int64(sizes.sum()), dtype=np.uint8)
    ends = np.empty(len(sizes), dtype=np.int64)
    count = 0
    for word in range(len(sizes)):
        for place in range(starts[word], starts[word] + sizes[word]):
            count = put_utf8(codes[place], octets, count)
        ends[word] = count
    return octets[:count].copy(), ends
