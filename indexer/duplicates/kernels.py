"""The loops of the join that arrays cannot express; they run without the interpreter's lock.

A layout is a permutation of a fingerprint's bits: those of the key come first, so that sorting groups equal keys. Its
rows are (from_word, shift_left, shift_right, mask, to_word): mask what stays after both shifts.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.fingerprint.compiled import compiled

Words = NDArray[np.uint64]

STATE: Final = 8
"""Numbers `scan` keeps between calls."""
PLAIN: Final = 24
"""A run of at most so many is compared each with each."""
_LO, _HI, _PART, _P, _Q, _STAMP, HOT, COMPARED = range(STATE)
_FRESH: Final = -2
_END: Final = -1


@compiled
def _popcount(value: np.uint64) -> np.uint64:
    """Bits that are set, as LLVM knows it: one machine instruction comes of it."""
    value = value - ((value >> np.uint64(1)) & np.uint64(0x5555555555555555))
    value = (value & np.uint64(0x3333333333333333)) + ((value >> np.uint64(2)) & np.uint64(0x3333333333333333))
    value = (value + (value >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (value * np.uint64(0x0101010101010101)) >> np.uint64(56)


@compiled
def permute(values: Words, layout: Words, out: Words, done: int) -> None:
    """Permute the bits of rows, shape (words, n), into out[:, done : done + n]."""
    count = values.shape[1]
    for word in range(out.shape[0]):
        there = out[word, done : done + count]
        there[:] = 0
        for move in range(len(layout)):
            if layout[move, 4] == np.uint64(word):
                source = values[np.int64(layout[move, 0])]
                up, down, mask = layout[move, 1], layout[move, 2], layout[move, 3]
                for row in range(count):
                    there[row] |= ((source[row] << up) >> down) & mask


@compiled
def in_share(first: Words, key_bits: int, part: int, parts: int) -> NDArray[np.bool_]:
    """Which arranged rows belong to a share by their key: each key belongs to one of `parts`."""
    told = np.empty(len(first), dtype=np.bool_)
    for row in range(len(first)):
        key = first[row] >> np.uint64(64 - key_bits) if key_bits else np.uint64(0)
        mixed = key * np.uint64(0x9E3779B97F4A7C15)
        told[row] = (mixed >> np.uint64(33)) % np.uint64(parts) == np.uint64(part)
    return told


@compiled
def scan(
    first: Words,
    second: Words,
    key_bits: int,
    radius: int,
    pieces: Words,
    earlier: Words,
    largest: int,
    state: NDArray[np.int64],
    heads: NDArray[np.int64],
    links: NDArray[np.int32],
    hot: NDArray[np.int64],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
) -> int:
    """Pairs within the radius among rows with equal keys; returns how many were written to `left` and `right`.

    Called again until it returns fewer than there is room for. Within a run of equal keys the other bits are cut into
    pieces, more of them than the radius: some piece is equal in both rows of a pair, so only rows that share a piece
    are compared, through a table of chains. A pair is told where its first equal piece is, and not at all where an
    earlier layout had its key equal (`earlier`: masks of those keys). Runs longer than `largest` go to `hot`. How many
    rows were compared is added to the state.

    Args:
        first, second: the rows' words, sorted by the key, which stands at the top of `first`; `second` may be empty.
        key_bits: bits of the key.
        pieces: rows of (mask in first, mask in second, shift of first, shift of second, mask of a place in the table).
    """
    two = len(second) > 0
    shift = np.uint64(64 - key_bits)
    lo, hi, part, p, q, stamp = state[_LO], state[_HI], state[_PART], state[_P], state[_Q], state[_STAMP]
    count = compared = 0
    while lo < len(first):
        if hi <= lo:
            hi = lo + 1
            if key_bits:
                key = first[lo] >> shift
                while hi < len(first) and first[hi] >> shift == key:
                    hi += 1
            else:
                hi = len(first)
            if hi - lo == 1:
                lo = hi
                continue
            if hi - lo > largest:
                hot[state[HOT], 0] = lo
                hot[state[HOT], 1] = hi
                state[HOT] += 1
                lo = hi
                continue
            part, p, q = 0, lo, _FRESH
            stamp += 1
        plain = hi - lo <= PLAIN or len(pieces) == 0
        while part < (1 if plain else len(pieces)):
            while p < hi:
                if q == _FRESH:
                    if plain:
                        q = p - 1 if p > lo else _END
                    else:
                        slot = (first[p] & pieces[part, 0]) >> pieces[part, 2]
                        if two:
                            slot ^= (second[p] & pieces[part, 1]) >> pieces[part, 3]
                        slot &= pieces[part, 4]
                        head = heads[slot]
                        q = head & 0xFFFFFFFF if head >> 32 == stamp else _END
                        links[p] = q
                        heads[slot] = (stamp << 32) | p
                while q >= 0:
                    other = q
                    q = (q - 1 if q > lo else _END) if plain else np.int64(links[q])
                    compared += 1
                    difference = first[p] ^ first[other]
                    away = _popcount(difference)
                    beyond = np.uint64(0)
                    if two:
                        beyond = second[p] ^ second[other]
                        away += _popcount(beyond)
                    if away > np.uint64(radius):
                        continue
                    fresh = True
                    if not plain:
                        fresh = difference & pieces[part, 0] == 0 and beyond & pieces[part, 1] == 0
                        for before in range(part):
                            if difference & pieces[before, 0] == 0 and beyond & pieces[before, 1] == 0:
                                fresh = False
                    for before in range(len(earlier)):
                        if difference & earlier[before, 0] == 0 and beyond & earlier[before, 1] == 0:
                            fresh = False
                    if fresh:
                        left[count] = other
                        right[count] = p
                        count += 1
                        if count == len(left):
                            state[_LO], state[_HI], state[_PART] = lo, hi, part
                            state[_P], state[_Q], state[_STAMP] = p, q, stamp
                            state[COMPARED] += compared
                            return count
                p += 1
                q = _FRESH
            part += 1
            p = lo
            stamp += 1
        lo = hi
    state[_LO], state[_HI], state[_STAMP] = lo, hi, stamp
    state[COMPARED] += compared
    return count
