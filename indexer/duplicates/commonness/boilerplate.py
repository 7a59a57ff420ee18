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
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from math import isqrt
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.closing import Closing
from leitong.indexer.duplicates.commonness.kernels import look_up
from leitong.indexer.duplicates.commonness.leaders import Leaders
from leitong.indexer.duplicates.commonness.tally import Tally
from leitong.indexer.errors import EngineError
from leitong.indexer.fingerprint.shingles import Shingles
from leitong.indexer.fingerprint.terms import Terms, term_hashes
from leitong.indexer.passages import NAMED, Outlines
from leitong.indexer.workers import cores

T = TypeVar("T", bound=np.generic)

FREE: Final = 4
"""A shingle in at most so many groups keeps its full weight."""
NOTE: Final = "boilerplate.npz"
"""Name under which an engine keeps the table."""
CODES: Final = 64
MOST_SCALE: Final = 8.0
"""A sample tells the number of groups in a collection of so many times its size. Beyond it a phrase of the language is
no form, however many texts there are to hold it."""
_BEGINNING: Final = 3
"""2 to the power of this is about how many shingles have the same first bits."""

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

_TERMS: Final = 3
"""Place of the terms among the parts of an outline; those before it are counted together."""

WEIGHTS: Final[NDArray[np.float64]] = 2.0 ** (-np.arange(CODES) / 4)
"""Weight of each code: code c stands for about FREE * 2^(c/4) groups."""


def codes_of(groups: NDArray[Any]) -> NDArray[np.uint8]:
    """The code of the weight of shingles that so many groups hold."""
    codes: NDArray[np.float64] = np.round(4 * np.log2(np.maximum(groups, FREE) / FREE))
    return np.minimum(codes, CODES - 1).astype(np.uint8)


def with_largest(values: Shingles, numbers: NDArray[T]) -> tuple[Shingles, NDArray[T]]:
    """Each value once, sorted, with the largest of its numbers."""
    order = np.lexsort((numbers, values))
    values, numbers = values[order], numbers[order]
    last = np.append(values[1:] != values[:-1], np.ones(min(1, len(values)), dtype=np.bool_))
    return values[last], numbers[last]


@dataclass(frozen=True)
class Boilerplate:
    """The shingles of more than FREE groups, sorted, with their numbers of groups.

    `common` are the terms of more groups than the square root of their number, estimated from one group in NAMED of
    which more than FREE hold them. `documents` is the size of the collection when this was learned, `texts` how many
    different ones there were, estimated where `sampled`, which were read, are fewer.
    """

    documents: int
    texts: int
    sampled: int
    shingles: Shingles
    groups: NDArray[np.int64]
    common: Shingles

    @classmethod
    def empty(cls) -> "Boilerplate":
        """Nothing learned: every shingle weighs 1."""
        nothing = np.empty(0, dtype=np.uint64)
        return cls(0, 0, 0, nothing, np.empty(0, dtype=np.int64), nothing)

    @property
    def of_sample(self) -> bool:
        """Whether some texts were not read, so that families of a few pages are not known."""
        return self.sampled < self.texts

    @property
    def scale(self) -> float:
        """How many groups of the collection stand behind one that was read, at most MOST_SCALE."""
        return min(MOST_SCALE, self.texts / self.sampled) if self.of_sample else 1.0

    def look_up(self, shingles: Shingles) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Weight code and number of groups of each shingle; 0 and 0 where it is no boilerplate."""
        return look_up(self.shingles, self._starts, self._codes, self.groups, shingles)

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        """Where the shingles with the same first bits begin, a few of them: they are spread evenly."""
        bits = max(0, len(self.shingles).bit_length() - _BEGINNING)
        firsts = np.arange(1 << bits, dtype=np.uint64) << np.uint64(64 - bits) if bits else np.zeros(1, dtype=np.uint64)
        return np.append(np.searchsorted(self.shingles, firsts), len(self.shingles))

    @cached_property
    def _codes(self) -> NDArray[np.uint8]:
        """Weight code of each shingle."""
        return codes_of(self.groups * self.scale)

    def uncommon(self, terms: Terms) -> Terms:
        """Those of a text's terms that few texts hold."""
        if not len(self.common):
            return terms
        hashes = term_hashes(terms)
        places = np.searchsorted(self.common, hashes)
        places[places == len(self.common)] = 0
        uncommon: Terms = terms[self.common[places] != hashes]
        return uncommon

    def joined(self, other: "Boilerplate") -> "Boilerplate":
        """What is common in either, each with the larger number of groups; of a sample and of all texts alike."""
        texts, sampled = max((one.texts, one.sampled) for one in (self, other))
        joined = replace(self, documents=max(self.documents, other.documents), sampled=sampled, texts=texts)
        numbers = [np.rint(one.groups * (one.scale / joined.scale)).astype(np.int64) for one in (self, other)]
        shingles, groups = with_largest(np.concatenate([self.shingles, other.shingles]), np.concatenate(numbers))
        return replace(joined, shingles=shingles, groups=groups, common=np.union1d(self.common, other.common))

    def to_bytes(self) -> bytes:
        """For `Engine.write_note`."""
        out = io.BytesIO()
        np.savez_compressed(
            out,
            documents=self.documents,
            texts=self.texts,
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
                numbers = int(parts["documents"]), int(parts["texts"]), int(parts["sampled"])
                found = cls(*numbers, parts["shingles"], parts["groups"], parts["common"])
            if found.shingles.dtype != np.uint64 or found.groups.dtype != np.int64 or found.common.dtype != np.uint64:
                raise ValueError("its numbers are of another kind")
            if found.shingles.ndim != 1 or found.groups.shape != found.shingles.shape or found.common.ndim != 1:
                raise ValueError("its parts do not fit together")
            return found
        except _DAMAGE as error:
            raise EngineError(
                f"The table of common passages beside the index is damaged ({error}); it will be learned anew."
            ) from error


class Learner(Closing):
    """Learns boilerplate from one document after another; the same documents give the same table.

    Counting goes on in threads while further documents come, `sampled` of them so far. Use it in a `with` statement.
    """

    def __init__(self) -> None:
        self.sampled = 0
        self._leaders = Leaders()
        self._naming = 0
        self._threads = ThreadPoolExecutor(cores(), thread_name_prefix="leitong-learn")
        self._shingles = Tally(self._threads)
        self._terms = Tally(self._threads)

    def add(self, outlines: Outlines) -> None:
        """Count documents, but for those nearly equal to one that was counted."""
        self.sampled += len(outlines)
        leads = np.flatnonzero(self._leaders.lead(outlines.values, outlines.starts, outlines.sizes[:, 0]))
        starts, sizes = outlines.starts[leads], outlines.sizes[leads]
        whole = sizes[:, :_TERMS].sum(axis=1)
        self._shingles.add(outlines.values, starts, whole)
        self._terms.add(outlines.values, starts + whole, sizes[:, _TERMS])
        self._naming += int((sizes[:, _TERMS] > 0).sum())

    def finish(self, *, documents: int, texts: int | None = None) -> Boilerplate:
        """What was learned so far, of so many documents with so many different texts, by default those that came."""
        shingles, groups = self._shingles.above(FREE)
        common, _ = self._terms.above(max(FREE, isqrt(self._naming // NAMED)))
        return Boilerplate(documents, texts or self.sampled, self.sampled, shingles, groups, common)

    def close(self) -> None:
        """Stop counting."""
        self._threads.shutdown(cancel_futures=True)
