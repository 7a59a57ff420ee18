"""Which passages does everybody have? Learned from the collection itself, frozen until it is learned again.

A shingle counts by the number of *groups of near-equal texts* that hold it: an article copied forty times is one group
and no boilerplate, a footer under forty different articles is. A shingle of more than `FREE` groups weighs FREE /
groups. Words of titles are counted in the same way: a word that many titles have says little about any of them. So are
the keys of short texts, of which many texts hold some. Terms are counted too: those of few texts tell what a text is
about.
"""

import io
import zipfile
import zlib
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, pairwise
from math import isqrt
from types import TracebackType
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.errors import EngineError
from leitong.indexer.fingerprint.shingles import Shingles
from leitong.indexer.fingerprint.short import short_keys
from leitong.indexer.fingerprint.terms import Terms, term_hashes
from leitong.indexer.prepare import NAMED, Outline
from leitong.indexer.workers import cores

FREE: Final = 4
"""A shingle in at most so many groups keeps its full weight."""
NOTE: Final = "boilerplate.npz"
"""Name under which an engine keeps the table."""
CODES: Final = 64

_DAMAGE: Final = (
    OSError,
    ValueError,
    KeyError,
    EOFError,
    TypeError,
    NotImplementedError,
    zipfile.BadZipFile,
    zlib.error,
)

_SKETCH: Final = 32
_FOUND_BY: Final = 8
_SAME: Final = 0.8
_MOST_LEADERS: Final = 8
_BUFFERED: Final = 8_000_000
_MOST_SHINGLES: Final = 24_000_000
_RANGE_BITS: Final = 4
_RANGES: Final = 1 << _RANGE_BITS

WEIGHTS: Final[NDArray[np.float64]] = 2.0 ** (-np.arange(CODES) / 4)
"""Weight of each code: code c stands for about FREE * 2^(c/4) groups."""


@dataclass(frozen=True)
class Boilerplate:
    """The shingles of more than FREE groups, sorted, with their numbers of groups.

    `common` are the terms of more groups than the square root of their number, estimated from one group in NAMED of
    which more than FREE hold them. `documents` is the size of the collection when this was learned, `sampled` how many
    of them were read.
    """

    documents: int
    sampled: int
    shingles: Shingles
    groups: NDArray[np.int64]
    common: Shingles

    @classmethod
    def empty(cls) -> "Boilerplate":
        """Nothing learned: every shingle weighs 1."""
        nothing = np.empty(0, dtype=np.uint64)
        return cls(0, 0, nothing, np.empty(0, dtype=np.int64), nothing)

    def look_up(self, shingles: Shingles) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Weight code and number of groups of each shingle; 0 and 0 where it is no boilerplate."""
        if not len(self.shingles):
            return np.zeros(len(shingles), dtype=np.uint8), np.zeros(len(shingles), dtype=np.int64)
        places = np.searchsorted(self.shingles, shingles)
        places[places == len(self.shingles)] = 0
        groups = np.where(self.shingles[places] == shingles, self.groups[places], 0)
        codes = np.round(4 * np.log2(np.maximum(groups, FREE) / FREE))
        return np.minimum(codes, CODES - 1).astype(np.uint8), groups

    def uncommon(self, terms: Terms) -> Terms:
        """Those of a text's terms that few texts hold."""
        return terms[np.isin(term_hashes(terms), self.common, assume_unique=True, invert=True)]

    def to_bytes(self) -> bytes:
        """For `Engine.write_note`."""
        out = io.BytesIO()
        np.savez_compressed(
            out,
            documents=self.documents,
            sampled=self.sampled,
            shingles=self.shingles,
            groups=self.groups,
            common=self.common,
        )
        return out.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes | None) -> "Boilerplate":
        """What `to_bytes` wrote; the empty table for None. Raises EngineError for anything else."""
        if content is None:
            return cls.empty()
        try:
            with np.load(io.BytesIO(content)) as parts:
                numbers = int(parts["documents"]), int(parts["sampled"])
                return cls(*numbers, parts["shingles"], parts["groups"], parts["common"])
        except _DAMAGE as error:
            raise EngineError(
                f"The table of common passages beside the index is damaged ({error}). "
                "Run `leitong index` again on anything to have it learned anew."
            ) from error


class Learner:
    """Learns boilerplate from one document after another; the same documents give the same table.

    Counting goes on in threads while further documents come, `sampled` of them so far. Use it in a `with` statement.
    """

    def __init__(self) -> None:
        self.sampled = 0
        self._leaders: list[Shingles] = []
        self._where: dict[int, tuple[int, ...]] = {}
        self._naming = 0
        self._threads = ThreadPoolExecutor(cores(), thread_name_prefix="leitong-learn")
        self._shingles = _Tally(self._threads)
        self._terms = _Tally(self._threads)

    def add(self, text: Outline) -> None:
        """Count a document, unless it is nearly equal to one that was counted."""
        self.sampled += 1
        if not len(text.shingles) or self._is_known(text.shingles[:_SKETCH]):
            return
        self._shingles.add([text.shingles, text.title, short_keys(text.letters)])
        self._terms.add([text.named])
        self._naming += len(text.named) > 0

    def finish(self, *, documents: int) -> Boilerplate:
        """What was learned so far, as a sample of so many documents."""
        shingles, groups = self._shingles.above(FREE)
        common, _ = self._terms.above(max(FREE, isqrt(self._naming // NAMED)))
        return Boilerplate(documents, self.sampled, shingles, groups, common)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop counting."""
        self._threads.shutdown(cancel_futures=True)

    def _is_known(self, sketch: Shingles) -> bool:
        """Whether the smallest shingles, which stand for all of them, are mostly those of an earlier document.

        It is looked up by the smallest of those: texts that share four fifths of all share one of eight all but surely.
        """
        from leitong.indexer.duplicates import kernels

        first = sketch[:_FOUND_BY].tolist()
        votes = Counter(chain.from_iterable(holders for value in first if (holders := self._where.get(value))))
        for leader in sorted(votes, key=lambda one: (-votes[one], one))[:3] if votes else ():
            either, shared, first_shared = kernels.shared_values(sketch, self._leaders[leader], _SKETCH)
            if min(shared, first_shared) >= _SAME * min(_SKETCH, either):
                return True
        number = len(self._leaders)
        self._leaders.append(sketch.copy())
        for value in first:
            holders = self._where.get(value, ())
            if len(holders) < _MOST_LEADERS:
                self._where[value] = (*holders, number)
        return False


class _Tally:
    """Counts shingles, or terms, each once for every group that holds it. Of more than memory should hold the rarest
    are forgotten."""

    def __init__(self, threads: ThreadPoolExecutor) -> None:
        self._threads = threads
        self._buffer: list[Shingles] = []
        self._buffered = 0
        self._counts = [_Counts.empty() for _ in range(_RANGES)]
        self._counting: list[Future[_Counts]] = []

    def add(self, parts: Sequence[Shingles]) -> None:
        """Count those of a group, each distinct in its part."""
        self._buffer += parts
        self._buffered += sum(map(len, parts))
        if self._buffered >= _BUFFERED:
            self._count()

    def above(self, floor: int) -> tuple[Shingles, NDArray[np.int64]]:
        """What more groups hold, sorted, and how many do."""
        self._count()
        self._counted()
        common = [counts.above(floor) for counts in self._counts]
        groups = np.concatenate([counts.groups for counts in common]).astype(np.int64)
        return np.concatenate([counts.shingles for counts in common]), groups

    def _count(self) -> None:
        """Begin to count the buffer, range by range, so that only a small part of all is copied at a time."""
        self._counted()
        if not self._buffer:
            return
        from leitong.indexer.duplicates import kernels

        fresh, edges = kernels.in_ranges(np.concatenate(self._buffer), _RANGE_BITS)
        self._buffer, self._buffered = [], 0
        self._counting = [
            self._threads.submit(counts.with_more, fresh[start:end])
            for counts, (start, end) in zip(self._counts, pairwise(edges.tolist()), strict=True)
        ]

    def _counted(self) -> None:
        """Wait for the counting that goes on."""
        if not self._counting:
            return
        self._counts = [counting.result() for counting in self._counting]
        self._counting = []
        floor = 1
        while sum(len(counts.shingles) for counts in self._counts) > _MOST_SHINGLES:
            self._counts = [counts.above(floor) for counts in self._counts]
            floor += 1


@dataclass(frozen=True)
class _Counts:
    """Sorted shingles of one range of values, each once, and in how many groups each was seen."""

    shingles: Shingles
    groups: NDArray[np.uint32]

    @classmethod
    def empty(cls) -> "_Counts":
        return cls(np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.uint32))

    def with_more(self, fresh: Shingles) -> "_Counts":
        """These and further ones, which may repeat; they are sorted on the way."""
        from leitong.indexer.duplicates import kernels

        fresh.sort()
        shingles = np.empty(len(self.shingles) + len(fresh), dtype=np.uint64)
        groups = np.empty(len(shingles), dtype=np.uint32)
        size = kernels.merge_counts(self.shingles, self.groups, fresh, shingles, groups)
        return _Counts(shingles[:size].copy(), groups[:size].copy())

    def above(self, floor: int) -> "_Counts":
        """Those of more groups."""
        kept = self.groups > floor
        return _Counts(self.shingles[kept], self.groups[kept])
