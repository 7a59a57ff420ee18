"""Of very many hashes, how many groups hold each? Those of few groups are forgotten where memory would not hold all."""

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.fingerprint.shingles import Shingles

_MOST: Final = 24_000_000
"""Hashes that are remembered …"""
_FORGETTING: Final = 8_000_000
"""… after so many more were counted, at least."""
_AT_ONCE: Final = 4_000_000
_RANGE_BITS: Final = 6
_RANGES: Final = 1 << _RANGE_BITS


class Tally:
    """Counts hashes, each once for every group that holds it; the same groups in the same order give the same counts.

    They are counted in threads while further groups come, range by range of their values, so that only a small part of
    all is copied at a time.
    """

    def __init__(self, threads: ThreadPoolExecutor) -> None:
        self._threads = threads
        self._waiting: Shingles = np.empty(_AT_ONCE, dtype=np.uint64)
        self._waits = self._since = 0
        self._full = False
        self._counts = [_Counts.empty() for _ in range(_RANGES)]
        self._counting: list[Future[None]] = []

    def add(self, values: Shingles, starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> None:
        """Count those of some groups: so many values from each start on."""
        from leitong.indexer.duplicates.commonness import kernels

        ends = np.cumsum(sizes)
        first = before = 0
        while first < len(ends):
            fit = int(np.searchsorted(ends, before + len(self._waiting) - self._waits, side="right"))
            enough = int(np.searchsorted(ends, before + _FORGETTING - self._since)) + 1
            last = min(fit, enough, len(ends))
            if last == first:
                self._make_room(int(sizes[first]))
                continue
            kernels.gather(values, starts[first:last], sizes[first:last], self._waiting[self._waits :])
            more = int(ends[last - 1]) - before
            self._waits += more
            self._since += more
            if self._since >= _FORGETTING:
                self._count()
                self._since, self._full = 0, True
            first, before = last, before + more

    def above(self, floor: int) -> tuple[Shingles, NDArray[np.int64]]:
        """What more groups hold, sorted, and how many do."""
        self._count()
        self._full = True
        self._settle()
        common = [counts.above(floor) for counts in self._counts]
        groups = np.concatenate([counts.groups for counts in common]).astype(np.int64)
        return np.concatenate([counts.shingles for counts in common]), groups

    def _make_room(self, size: int) -> None:
        if self._waits:
            self._count()
        else:
            self._waiting = np.empty(size, dtype=np.uint64)

    def _count(self) -> None:
        """Begin to count what waits."""
        from leitong.indexer.duplicates.commonness import kernels

        self._settle()
        fresh, edges = kernels.in_ranges(self._waiting[: self._waits], _RANGE_BITS)
        self._waits = 0
        ranges = enumerate(pairwise(edges.tolist()))
        self._counting = [self._threads.submit(self._merge, place, fresh[start:end]) for place, (start, end) in ranges]

    def _merge(self, place: int, fresh: Shingles) -> None:
        self._counts[place] = self._counts[place].with_more(fresh)

    def _settle(self) -> None:
        """Wait for the counting that goes on; forget the rarest where it is time to."""
        for counting in self._counting:
            counting.result()
        self._counting = []
        floor = 1
        while self._full and sum(len(counts.shingles) for counts in self._counts) > _MOST:
            for place, counts in enumerate(self._counts):
                self._counts[place] = counts.above(floor)
            floor += 1
        self._full = False


@dataclass(frozen=True)
class _Counts:
    """Sorted hashes of one range of values, each once, and how many groups hold each."""

    shingles: Shingles
    groups: NDArray[np.uint32]

    @classmethod
    def empty(cls) -> "_Counts":
        return cls(np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.uint32))

    def with_more(self, fresh: Shingles) -> "_Counts":
        """These and further ones, which may repeat; they are sorted on the way."""
        from leitong.indexer.duplicates.commonness import kernels

        fresh.sort()
        shingles = np.empty(len(self.shingles) + len(fresh), dtype=np.uint64)
        groups = np.empty(len(shingles), dtype=np.uint32)
        size = kernels.merge_counts(self.shingles, self.groups, fresh, shingles, groups)
        return _Counts(shingles[:size].copy(), groups[:size].copy())

    def above(self, floor: int) -> "_Counts":
        """Those of more groups."""
        kept = self.groups > floor
        return _Counts(self.shingles[kept], self.groups[kept])
