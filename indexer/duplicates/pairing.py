"""Which texts of a collection have to be compared? Those within the radius, and those that share a rare key.

Thousands of near-copies of one text would make millions of pairs that say the same. So where more than `LARGE` texts
share a key or a fingerprint, each is first compared with the first of them; those that match it and share `COPY` with
it, seen from either side, are its copies: they are paired with it and ask for nobody else, as equal texts do. The first
of what is left is taken next, until few are left or nobody copies anybody.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.duplicates.candidates import TRUSTED
from leitong.indexer.duplicates.join import Groups, pairs_within
from leitong.indexer.duplicates.texts import Texts
from leitong.indexer.duplicates.work import Work

LARGE: Final = 128
"""Texts that may share a key before copies are told from originals."""
COPY: Final = 0.8
"""Share of each text that stands in the other, where one is a copy of the other."""
_MOST_FIRSTS: Final = 64
_MOST_REMEMBERED: Final = 20_000_000
_KEYS_AT_ONCE: Final = 40_000_000
_CODES_AT_ONCE: Final = 4_000_000
_COMPARED_AT_ONCE: Final = 5_000
_RANGES: Final = 64

Places = NDArray[np.int64]


@dataclass(frozen=True)
class Copies:
    """Texts that are copies of others: copy[i] of first[i], numbers of texts in the order of the copies."""

    first: Places
    copy: Places


def copies(texts: Texts, least: float) -> Copies:
    """Near-copies in large groups, at least so similar to the first. Groups are taken in the order of their keys, so
    they are the same on every engine."""
    of: dict[int, int] = {}
    firsts: set[int] = set()
    asked = _Asked()
    for group in _large_groups(texts):
        left = [number for number in group.tolist() if number not in of]
        left.sort(key=lambda number: (number not in firsts, number))
        for _ in range(_MOST_FIRSTS):
            if len(left) <= LARGE:
                break
            first, rest = left[0], left[1:]
            others = asked.add(first, [number for number in rest if number not in firsts])
            copied = _copies_of(texts, first, others, least)
            if copied:
                firsts.add(first)
                of |= dict.fromkeys(copied, first)
            left = [number for number in rest if number not in copied]
    ordered = sorted(of)
    return Copies(np.array([of[one] for one in ordered], dtype=np.int64), np.array(ordered, dtype=np.int64))


def _large_groups(texts: Texts) -> Iterator[Places]:
    for members in _key_groups(texts, np.ones(len(texts), dtype=np.bool_)):
        for group in np.flatnonzero(members.sizes > LARGE).tolist():
            yield np.sort(members.values[members.starts[group] : members.starts[group] + members.sizes[group]])
    usable = np.flatnonzero(texts.features >= TRUSTED)
    equal = Groups.of(texts.fingerprints[usable])
    for group in np.flatnonzero(equal.sizes > LARGE).tolist():
        yield usable[equal.rows[equal.starts[group] : equal.starts[group + 1]]]


class _Asked:
    """Which texts were compared with which first: the pages of a site share hundreds of keys and are one group for each
    of them. Too many to remember are forgotten, and compared again."""

    def __init__(self) -> None:
        self._others: dict[int, Places] = {}
        self._count = 0

    def add(self, first: int, others: list[int]) -> Places:
        """Those of the texts that were not compared with this one."""
        known = self._others.get(first, np.empty(0, dtype=np.int64))
        new = np.setdiff1d(np.array(others, dtype=np.int64), known)
        self._count += len(new)
        if self._count > _MOST_REMEMBERED:
            self._others, self._count = {}, len(new)
            known = known[:0]
        self._others[first] = np.concatenate([known, new])
        return new


def _copies_of(texts: Texts, first: int, others: Places, least: float) -> set[int]:
    found: set[int] = set()
    for start in range(0, len(others), _COMPARED_AT_ONCE):
        some = others[start : start + _COMPARED_AT_ONCE]
        likeness = texts.compare(np.full(len(some), first), some)
        same = np.minimum(likeness.share, likeness.share_other) >= COPY
        found.update(some[same & (likeness.similarity >= least)].tolist())
    return found


class Candidates:
    """Pairs of texts that have to be compared, each once, in the order of the first and then the second."""

    def __init__(self, work: Work, *, size: int) -> None:
        self._work = work
        self._size = max(1, size)
        self._width = -(-self._size // _RANGES)
        self._waiting: list[NDArray[np.int64]] = []
        self._count = 0
        for number in range(_RANGES):
            work.remove(_name(number))

    def add(self, left: Places, right: Places) -> None:
        """Note pairs of texts, in either order and as often as they are found."""
        codes = np.minimum(left, right) * self._size + np.maximum(left, right)
        self._waiting.append(codes)
        self._count += len(codes)
        if self._count >= _CODES_AT_ONCE:
            self._write()

    def __len__(self) -> int:
        """How many there are, at most: one that was found in several ways may count more than once."""
        self._write()
        return sum(len(self._work.array(_name(number), np.int64)) for number in range(_RANGES))

    def __iter__(self) -> Iterator[tuple[Places, Places]]:
        """In ranges of the first text."""
        self._write()
        for number in range(_RANGES):
            codes = np.unique(self._work.array(_name(number), np.int64))
            if len(codes):
                yield codes // self._size, codes % self._size

    def _write(self) -> None:
        """Into files, so that memory holds one range only."""
        if not self._waiting:
            return
        codes = np.concatenate(self._waiting)
        codes.sort()
        codes = codes[np.append(True, codes[1:] != codes[:-1])] if len(codes) else codes
        self._waiting, self._count = [], 0
        edges = np.searchsorted(codes, np.arange(_RANGES + 1) * self._width * self._size)
        for number in range(_RANGES):
            if edges[number] < edges[number + 1]:
                self._work.append(_name(number), codes[edges[number] : edges[number + 1]].tobytes())


def _name(number: int) -> str:
    return f"candidates-{number:02}.bin"


def find(texts: Texts, copied: Copies, candidates: Candidates, *, bits: int, radius: int) -> None:
    """Every pair of texts that has to be compared; copies ask for nobody."""
    asks = np.ones(len(texts), dtype=np.bool_)
    asks[copied.copy] = False
    usable = np.flatnonzero((texts.features >= TRUSTED) & asks)
    equal = Groups.of(texts.fingerprints[usable])
    members = _Members(usable[equal.rows], equal.starts[:-1], equal.sizes)
    _each(_within_groups(members), candidates.add)
    for found in pairs_within(equal.values, bits=bits, radius=radius):
        _each(_across(members, found.left, found.right), candidates.add)
    for groups in _key_groups(texts, asks):
        _each(_within_groups(groups), candidates.add)


def _each(pairs: Iterator[tuple[Places, Places]], note: Callable[[Places, Places], None]) -> None:
    for left, right in pairs:
        note(left, right)


@dataclass(frozen=True)
class _Members:
    """Texts by group: group g owns values[starts[g] : starts[g] + sizes[g]]."""

    values: Places
    starts: Places
    sizes: Places


def _key_groups(texts: Texts, asks: NDArray[np.bool_]) -> Iterator[_Members]:
    """Texts that share a key, in the order of the keys; as many keys at once as memory should hold."""
    parts = -(-texts.key_count // _KEYS_AT_ONCE)
    for part in range(parts):
        keys, owners = texts.keys(part, parts)
        mine = asks[owners]
        keys, owners = keys[mine], owners[mine]
        if len(keys):
            order = np.argsort(keys, kind="stable")
            keys, owners = keys[order], owners[order]
            starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
            yield _Members(owners, starts, np.diff(starts, append=len(keys)))


def _within_groups(members: _Members) -> Iterator[tuple[Places, Places]]:
    """All pairs inside each group: every value with the one `step` places after it, for each step."""
    ends = np.repeat(members.starts + members.sizes, members.sizes)
    places = np.arange(len(members.values))
    step = 1
    while len(places := places[places + step < ends[places]]):
        yield members.values[places], members.values[places + step]
        step += 1


def _across(members: _Members, left: Places, right: Places) -> Iterator[tuple[Places, Places]]:
    """Every value of each left group with every value of the right group beside it."""
    counts = members.sizes[left] * members.sizes[right]
    ends = np.cumsum(counts)
    start = 0
    while start < len(left):
        base = ends[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, base + _CODES_AT_ONCE, side="right")))
        yield _product(members, left[start:stop], right[start:stop], counts[start:stop])
        start = stop


def _product(members: _Members, left: Places, right: Places, counts: Places) -> tuple[Places, Places]:
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    width = np.repeat(members.sizes[right], counts)
    return (
        members.values[np.repeat(members.starts[left], counts) + within // width],
        members.values[np.repeat(members.starts[right], counts) + within % width],
    )
