"""Which texts are nearly equal to an earlier one, and which lead a group of their own?

The smallest shingles of a text stand for all of them: a text whose smallest are mostly those of a leader is of its
group. Leaders are looked up by the smallest of those: texts that share four fifths of all shingles share one of eight
all but surely.
"""

from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.fingerprint.compiled import compiled
from leitong.indexer.fingerprint.shingles import Shingles

T = TypeVar("T", bound=np.generic)

SKETCH: Final = 32
_FOUND_BY: Final = 8
_SAME: Final = 0.8
_MOST_LEADERS: Final = 8
"""Leaders that are found by one shingle."""
_COMPARED: Final = 3
"""Leaders that a text is compared with: those that share most of what they are found by."""
_FREE: Final = -1
_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)

Longs = NDArray[np.int64]
Links = NDArray[np.int32]


class Leaders:
    """The leaders so far. Which texts lead depends on the order in which they are given."""

    def __init__(self) -> None:
        self._count = 0
        self._sketches = np.empty((0, SKETCH), dtype=np.uint64)
        self._widths = np.empty(0, dtype=np.int64)
        self._linked = 0
        self._links: Links = np.empty((0, 2), dtype=np.int32)
        self._keys = np.empty(1, dtype=np.uint64)
        self._heads: Links = np.full(1, _FREE, dtype=np.int32)

    def lead(self, shingles: Shingles, starts: Longs, sizes: Longs) -> NDArray[np.bool_]:
        """Which of further texts lead a group: text i has so many shingles from starts[i] on, at least one to lead."""
        self._make_room(len(starts))
        leading, self._count, self._linked = _lead(
            (shingles, starts, sizes),
            (self._sketches, self._widths, self._count),
            (self._keys, self._heads, self._links, self._linked),
        )
        return leading

    def _make_room(self, texts: int) -> None:
        """Should all of them lead; at least half of the slots stay free."""
        if self._count + texts > len(self._widths):
            most = 2 * (self._count + texts)
            self._sketches, self._widths = _longer(self._sketches, most), _longer(self._widths, most)
            self._links = _longer(self._links, most * _FOUND_BY)
        slots = 1 << (2 * (self._linked + texts * _FOUND_BY)).bit_length()
        if slots > len(self._keys):
            keys, heads = np.empty(slots, dtype=np.uint64), np.full(slots, _FREE, dtype=np.int32)
            _move(self._keys, self._heads, keys, heads)
            self._keys, self._heads = keys, heads


def _longer(array: NDArray[T], size: int) -> NDArray[T]:
    longer = np.empty((size, *array.shape[1:]), dtype=array.dtype)
    longer[: len(array)] = array
    return longer


@compiled
def shared_values(one: Shingles, other: Shingles, most: int) -> tuple[int, int, int]:
    """How many values two sorted arrays have together, how many of all both have, how many of the first `most`."""
    place = other_place = either = shared = first_shared = 0
    while place < len(one) or other_place < len(other):
        in_one = other_place == len(other) or (place < len(one) and one[place] <= other[other_place])
        in_other = place == len(one) or (other_place < len(other) and other[other_place] <= one[place])
        either += 1
        if in_one and in_other:
            shared += 1
            first_shared += either <= most
        place += in_one
        other_place += in_other
    return either, shared, first_shared


@compiled
def _slot(key: np.uint64, keys: Shingles, heads: Links) -> np.int64:
    """The slot of a key, or the free one where it belongs."""
    last = len(keys) - 1
    slot = np.int64((key * _GOLDEN) >> np.uint64(32)) & last
    while heads[slot] != _FREE and keys[slot] != key:
        slot = (slot + 1) & last
    return slot


@compiled
def _move(keys: Shingles, heads: Links, more_keys: Shingles, more_heads: Links) -> None:
    """Put every key into empty slots, of which there are more."""
    for slot in range(len(keys)):
        if heads[slot] != _FREE:
            to = _slot(keys[slot], more_keys, more_heads)
            more_keys[to], more_heads[to] = keys[slot], heads[slot]


@compiled
def _next(votes: Links, after: int, leader: int) -> tuple[int, int]:
    """Of leaders in order, each as often as it has votes, the first of those behind one with so many: most votes first,
    then the least leader. No votes: there is none."""
    most = best = place = 0
    while place < len(votes):
        first = place
        while place < len(votes) and votes[place] == votes[first]:
            place += 1
        number = place - first
        behind = number < after or (number == after and votes[first] > leader)
        if behind and number > most:
            most, best = number, votes[first]
    return most, best


@compiled
def _lead(
    texts: tuple[Shingles, Longs, Longs],
    leaders: tuple[Shingles, Longs, int],
    found: tuple[Shingles, Links, Links, int],
) -> tuple[NDArray[np.bool_], int, int]:
    """Which of the texts lead; they are put among the leaders and where those are found.

    A slot's head is the last link of its key: a leader and the link before it.
    """
    shingles, starts, sizes = texts
    sketches, widths, count = leaders
    keys, heads, links, linked = found
    leading = np.zeros(len(starts), dtype=np.bool_)
    votes = np.empty(_FOUND_BY * _MOST_LEADERS, dtype=np.int32)
    for text in range(len(starts)):
        sketch = shingles[starts[text] : starts[text] + min(sizes[text], SKETCH)]
        voted = 0
        for key in sketch[:_FOUND_BY]:
            link = heads[_slot(key, keys, heads)]
            while link != _FREE:
                votes[voted] = links[link, 0]
                voted += 1
                link = links[link, 1]
        votes[:voted].sort()
        known = len(sketch) == 0
        number, leader = _FOUND_BY + 1, 0
        for _ in range(_COMPARED):
            number, leader = _next(votes[:voted], number, leader)
            if known or number == 0:
                break
            either, shared, first = shared_values(sketch, sketches[leader, : widths[leader]], SKETCH)
            known = min(shared, first) >= _SAME * min(SKETCH, either)
        if known:
            continue
        leading[text] = True
        sketches[count, : len(sketch)], widths[count] = sketch, len(sketch)
        for key in sketch[:_FOUND_BY]:
            slot = _slot(key, keys, heads)
            held, link = 0, heads[slot]
            while link != _FREE:
                held, link = held + 1, links[link, 1]
            if held < _MOST_LEADERS:
                links[linked, 0], links[linked, 1] = count, heads[slot]
                keys[slot], heads[slot] = key, linked
                linked += 1
        count += 1
    return leading, count, linked
