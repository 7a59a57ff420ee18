"""Which pairs of a whole collection lie within a radius? All of them, without comparing each with each.

The bits are cut into B > radius blocks. Two fingerprints within the radius differ in at most `radius` of the blocks, so
some choice of B - radius blocks is equal in both: for each choice the fingerprints are sorted by those bits, and only
neighbours with equal bits are compared. (Manku, Jain, Das Sarma 2007, section 3.) More blocks make more choices with
longer keys; the cheapest B is taken. Among neighbours the same thought is applied again: their other bits are cut into
radius + 1 pieces, and only those with an equal piece are compared. Where very many share one key (a hot block), they
are joined by themselves, as a collection of fewer bits: nothing grows with the square of a hot block, nothing is lost.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.fingerprint.hamming import Fingerprints, distances
from leitong.indexer.threads import threaded

MEMORY: Final = 1_000_000_000
"""Bytes that copies of the fingerprints may take; beyond them the work is cut into parts by key."""
_SORT: Final = 15.0
_SORT_TWO: Final = 80.0
_COMPARE: Final = 1.0
_CHAIN: Final = 2.5
"""Nanoseconds for each fingerprint or comparison; only their proportions matter."""
_KEY: Final = 1_500_000.0
"""Nanoseconds that a key takes, however few fingerprints there are."""
_KEY_BITS: Final = 60
_ROOM: Final = 1 << 18
_LARGEST: Final = 4096
_TABLE_BITS: Final = 12
_ROWS_AT_ONCE: Final = 1 << 14


@dataclass(frozen=True)
class Pairs:
    """Pairs of rows: `left` < `right` as places in the array that was joined, and their distance in bits.

    `compared` counts the comparisons made since the pairs told before; there may be no pair for them.
    """

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    distances: NDArray[np.uint8]
    compared: int

    def __len__(self) -> int:
        return len(self.left)


@dataclass(frozen=True)
class Groups:
    """Equal fingerprints together. Group g of `values`, which are sorted, owns rows[starts[g] : starts[g + 1]]."""

    values: Fingerprints
    rows: NDArray[np.int64]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, fingerprints: Fingerprints) -> "Groups":
        """Group an array of any order; rows of one group keep their order."""
        keys = tuple(fingerprints[:, word] for word in reversed(range(fingerprints.shape[1])))
        rows = np.lexsort(keys) if len(keys) > 1 else np.argsort(keys[0], kind="stable")
        ordered = fingerprints[rows]
        fresh = np.ones(len(rows), dtype=np.bool_)
        fresh[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
        starts = np.append(np.flatnonzero(fresh), len(rows))
        return cls(ordered[fresh], rows, starts)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Rows of each group."""
        return np.diff(self.starts)


def pairs_within(values: Fingerprints, *, bits: int, radius: int, memory: int = MEMORY) -> Iterator[Pairs]:
    """Every pair of rows within the radius, each once, in no particular order.

    Args:
        values: distinct and sorted, as `Groups.values`; may be mapped from a file.
        memory: bytes for copies of the values.
    """
    if len(values) < 2 or radius < 1:
        return
    from leitong.indexer.workers import cores

    threads = cores()
    cuts = max(1, math.ceil(len(values) * values.shape[1] * 12 * threads / memory))
    plan = _Plan.best(len(values), tuple(range(bits - 1, -1, -1)), radius)
    shares = [(choice, cut) for choice in range(len(plan.keys)) for cut in range(cuts)]
    tasks = [_Task(values, plan, choice, cut, cuts) for choice, cut in shares]
    yield from threaded([task.pairs for task in tasks], threads=threads)


@dataclass(frozen=True)
class _Plan:
    """How a collection is joined: by which bits it is sorted, once for each key."""

    radius: int
    free: tuple[int, ...]
    """Places of the bits in which the rows may differ; 0 is the least significant."""
    keys: tuple[tuple[int, ...], ...]
    run: float
    """Rows that are likely to share a key."""
    pieces: bool
    earlier: tuple[int, ...] = ()
    """Masks of keys that were equal nowhere else before: a pair that is equal there has been found."""

    @classmethod
    def best(cls, count: int, free: tuple[int, ...], radius: int, earlier: tuple[int, ...] = ()) -> "_Plan":
        """The cheapest plan by an estimate for fingerprints that are spread evenly."""
        costs: dict[int, float] = {0: _KEY + count * count / 2 * _COMPARE}
        sort = _SORT_TWO if max(free, default=0) > 63 else _SORT
        for blocks in range(radius + 1, min(len(free), radius + 9) + 1):
            key = len(free) * (blocks - radius) / blocks
            if key <= _KEY_BITS:
                run = count / 2**key
                each = sort + min(run / 2 * _COMPARE, _pieces_cost(run, len(free) - key, radius))
                costs[blocks] = math.comb(blocks, radius) * (_KEY + count * each)
        blocks = min(costs, key=lambda size: (costs[size], size))
        keys: tuple[tuple[int, ...], ...] = ((),)
        if blocks:
            edges = [len(free) * block // blocks for block in range(blocks + 1)]
            keys = tuple(
                tuple(bit for block in chosen for bit in free[edges[block] : edges[block + 1]])
                for chosen in combinations(range(blocks), blocks - radius)
            )
        run = count / 2.0 ** len(keys[0])
        rest = len(free) - len(keys[0])
        pieces = rest > radius and _pieces_cost(run, rest, radius) < run / 2 * _COMPARE
        return cls(radius, free, keys, run, pieces, earlier)


def _pieces_cost(run: float, rest: float, radius: int) -> float:
    return (radius + 1) * (_CHAIN + run / 2 ** (rest / (radius + 1)) / 2 * _COMPARE)


@dataclass(frozen=True)
class _Found:
    """Pairs of rows by value, and by place where that is known."""

    left: Fingerprints
    right: Fingerprints
    left_places: NDArray[np.int64] | None
    right_places: NDArray[np.int64] | None
    compared: int


@dataclass(frozen=True)
class _Task:
    """One key of a plan, and of the rows those that belong to one share."""

    values: Fingerprints
    plan: _Plan
    choice: int
    part: int
    parts: int

    def pairs(self) -> Iterator[Pairs]:
        """Its pairs, by places in the values."""
        found_here = _joined(
            self.values, None, self.plan, self.choice, part=self.part, parts=self.parts, is_sorted=True
        )
        for found in found_here:
            left = _places(self.values, found.left) if found.left_places is None else found.left_places
            right = _places(self.values, found.right) if found.right_places is None else found.right_places
            assert right is not None
            away = distances(found.left, found.right)
            yield Pairs(np.minimum(left, right), np.maximum(left, right), away, found.compared)


def _places(values: Fingerprints, wanted: Fingerprints) -> NDArray[np.int64]:
    """Where values of one word stand; looked up in their order, which is easier on the memory."""
    order = np.argsort(wanted[:, 0])
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.searchsorted(values[:, 0], wanted[order, 0])
    return places


def _joined(
    values: Fingerprints,
    places: NDArray[np.int64] | None,
    plan: _Plan,
    choice: int,
    *,
    part: int = 0,
    parts: int = 1,
    is_sorted: bool = False,
) -> Iterator[_Found]:
    """Pairs that share one key of the plan."""
    key = plan.keys[choice]
    layout = _Layout.of((*key, *(bit for bit in plan.free if bit not in set(key))), values.shape[1])
    if is_sorted and parts == 1 and values.shape[1] == 1 and layout.is_identity:
        arranged = values.T
    else:
        arranged, kept = layout.apply(values, len(key), part=part, parts=parts)
        places = _sort(arranged, kept if places is None else places[kept])
        del kept
    masks = (*plan.earlier, *(_mask(one) for one in plan.keys[:choice]))
    earlier, _ = layout.apply(_rows(masks, values.shape[1]), 0)
    scan = _Scan(arranged, plan, key_bits=len(key), earlier=np.ascontiguousarray(earlier.T))
    for left, right, compared in scan.pairs():
        yield _Found(
            layout.undo(arranged[:, left]),
            layout.undo(arranged[:, right]),
            None if places is None else places[left],
            None if places is None else places[right],
            compared,
        )
    free = tuple(bit for bit in plan.free if bit not in set(key))
    for low, high in scan.hot:
        some = layout.undo(arranged[:, low:high])
        deeper = _Plan.best(high - low, free, plan.radius, masks)
        for choice_there in range(len(deeper.keys)):
            yield from _joined(some, None if places is None else places[low:high], deeper, choice_there)


class _Scan:
    """Goes over arranged rows, sorted by their key, and compares neighbours that share it; see `kernels.scan`."""

    def __init__(
        self, arranged: NDArray[np.uint64], plan: _Plan, *, key_bits: int, earlier: NDArray[np.uint64]
    ) -> None:
        """`earlier` are the masks of the plan's keys that were looked at before, arranged in the same way."""
        self._rows = arranged[0], arranged[1] if len(arranged) > 1 else arranged[0, :0]
        self._key_bits = key_bits
        self._radius = plan.radius
        self._earlier = earlier
        size = arranged.shape[1]
        rest = len(plan.free) - key_bits
        self._pieces = _pieces(key_bits, rest, plan.radius) if plan.pieces else np.empty((0, 5), dtype=np.uint64)
        widest = int(self._pieces[:, 4].max(initial=0)) + 1
        self._largest = max(_LARGEST, 16 * widest) if rest > plan.radius and key_bits else max(1, size)
        self._chains = np.zeros(widest, dtype=np.int64), np.empty(size, dtype=np.int32)
        self._hot = np.zeros((size // self._largest + 1, 2), dtype=np.int64)
        self.hot: list[list[int]] = []
        """Where rows share a key that too many have, from and to; complete when all pairs were told."""

    def pairs(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], int]]:
        """Places of both rows of each pair that is near, and how many were compared for them; some at a time."""
        from leitong.indexer.duplicates import kernels

        state = np.zeros(kernels.STATE, dtype=np.int64)
        left, right = np.empty(_ROOM, dtype=np.int64), np.empty(_ROOM, dtype=np.int64)
        count = _ROOM
        while count == _ROOM:
            before = int(state[kernels.COMPARED])
            count = kernels.scan(
                *(*self._rows, self._key_bits, self._radius, self._pieces, self._earlier, self._largest),
                *(state, *self._chains, self._hot, left, right),
            )
            if state[kernels.COMPARED] > before:
                yield left[:count], right[:count], int(state[kernels.COMPARED]) - before
        self.hot = self._hot[: state[kernels.HOT]].tolist()


def _sort(arranged: NDArray[np.uint64], places: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Sort rows by their first word, in place. One word is sorted as it is, many times as fast as its places would be:
    the places are looked up later, for the few rows that are found."""
    if len(arranged) == 1:
        arranged[0].sort()
        return None
    order = np.argsort(arranged[0])
    for word in arranged:
        word[:] = word[order]
    return places[order]


@dataclass(frozen=True)
class _Layout:
    """A permutation of bits, there and back; see `kernels`."""

    there: NDArray[np.uint64]
    back: NDArray[np.uint64]

    @classmethod
    def of(cls, order: tuple[int, ...], words: int) -> "_Layout":
        """The layout that puts these bits first, in this order. Other bits are equal in all rows, and follow."""
        rest = set(range(64 * words)) - set(order)
        sources = [*order, *sorted(rest, reverse=True)]
        moves = list(zip(sources, range(64 * words - 1, -1, -1), strict=True))
        return cls(_moves(moves), _moves([(target, source) for source, target in moves]))

    @property
    def is_identity(self) -> bool:
        """Whether every bit stays where it is."""
        return not self.there[:, 1:3].any() and bool((self.there[:, 0] == self.there[:, 4]).all())

    def apply(
        self, values: Fingerprints, key_bits: int, *, part: int = 0, parts: int = 1
    ) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Arranged rows of a share, shape (words, n), and their places, which are left out where they are not needed:
        rows of one word."""
        words = values.shape[1]
        if parts == 1:
            places = np.arange(len(values) if words > 1 else 0)
            return _permuted(values, self.there), places
        size = sum(int(told.sum()) for _, told in self._share(values, key_bits, part, parts))
        out = np.empty((words, size), dtype=np.uint64)
        places = np.empty(size if words > 1 else 0, dtype=np.int64)
        done = 0
        for number, (moved, told) in enumerate(self._share(values, key_bits, part, parts)):
            rows = np.flatnonzero(told)
            out[:, done : done + len(rows)] = moved[:, rows]
            if words > 1:
                places[done : done + len(rows)] = number * _ROWS_AT_ONCE + rows
            done += len(rows)
        return out, places

    def _share(
        self, values: Fingerprints, key_bits: int, part: int, parts: int
    ) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.bool_]]]:
        """Some rows at a time, and which of them belong to the share."""
        from leitong.indexer.duplicates import kernels

        for start in range(0, len(values), _ROWS_AT_ONCE):
            moved = _permuted(values[start : start + _ROWS_AT_ONCE], self.there)
            yield moved, kernels.in_share(moved[0], key_bits, part, parts)

    def undo(self, arranged: NDArray[np.uint64]) -> Fingerprints:
        """The rows as they were, shape (n, words)."""
        return np.ascontiguousarray(_permuted(arranged.T, self.back).T)


def _permuted(values: Fingerprints, moves: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Rows with their bits moved, shape (words, n); a few at a time, which stay near the processor."""
    from leitong.indexer.duplicates import kernels

    out = np.empty((values.shape[1], len(values)), dtype=np.uint64)
    for start in range(0, len(values), _ROWS_AT_ONCE):
        kernels.permute(np.ascontiguousarray(values[start : start + _ROWS_AT_ONCE].T), moves, out, start)
    return out


def _moves(moves: list[tuple[int, int]]) -> NDArray[np.uint64]:
    """Moves of single bits (from, to), joined where neighbours stay neighbours inside one word."""
    runs: list[list[int]] = []
    for source, target in moves:
        if runs:
            first, onto, size = runs[-1]
            inside = first // 64 == source // 64 and onto // 64 == target // 64
            if inside and source == first - size and target == onto - size:
                runs[-1][2] += 1
                continue
        runs.append([source, target, 1])
    return np.array([_move(*run, words=max(source for source, _ in moves) // 64 + 1) for run in runs], dtype=np.uint64)


def _move(source: int, target: int, size: int, *, words: int) -> tuple[int, int, int, int, int]:
    """`size` bits from `source` downwards to `target` downwards."""
    up = target % 64 - source % 64
    mask = ((1 << size) - 1) << (target % 64 - size + 1)
    return words - 1 - source // 64, max(0, up), max(0, -up), mask, words - 1 - target // 64


def _mask(bits: tuple[int, ...]) -> int:
    return sum(1 << bit for bit in bits)


def _rows(masks: tuple[int, ...], words: int) -> Fingerprints:
    raw = b"".join(mask.to_bytes(words * 8, "big") for mask in masks)
    return np.frombuffer(raw, dtype=">u8").astype(np.uint64).reshape(-1, words)


def _pieces(key_bits: int, rest: int, radius: int) -> NDArray[np.uint64]:
    """The bits after the key in radius + 1 pieces; see `kernels.scan`. Bit 127 is the top of the first word."""
    top = 127 - key_bits
    edges = [rest * piece // (radius + 1) for piece in range(radius + 2)]
    rows: list[tuple[int, int, int, int, int]] = []
    for begin, end in pairwise(edges):
        mask = sum(1 << (top - place) for place in range(begin, end))
        high, low = mask >> 64, mask & (1 << 64) - 1
        width = min(end - begin, _TABLE_BITS)
        shift = (high & -high).bit_length() - 1 if high else 0
        shift_low = max(0, low.bit_length() - width)
        rows.append((high, low, shift, shift_low, (1 << width) - 1))
    return np.array(rows, dtype=np.uint64)
