"""What is learned from, kept from when it was computed, so that no document is read again after it was indexed.

In a file without a name, which is gone with the process. It is a help and no more: a document that is not in it is read
from the index, so a full disk is no error here.
"""

import tempfile
from array import array
from collections.abc import Iterator, Sequence
from io import FileIO
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.closing import Closing
from leitong.indexer.files import for_large_files
from leitong.indexer.passages import PARTS, Outlines

_MOST_BYTES: Final = 2_000_000_000
"""Of the file: 150,000 articles of 1,400 characters."""
_VALUE: Final = 8
_DIGEST: Final = 16

Digests = NDArray[np.uint64]
"""Shape (n, 2), as in `Rows`."""


class Collected(Closing):
    """The outlines of documents by their digests. Use it in a `with` statement."""

    def __init__(self, *, wanted: bool) -> None:
        """What is not `wanted` is not collected."""
        self.wanted = wanted
        self._file: FileIO | None = None
        self._places: dict[bytes, int] = {}
        self._sizes = array("q")
        self._starts = array("q")
        self._end = 0

    def add(self, digests: Sequence[str], outlines: Outlines) -> None:
        """Keep the outlines of documents; of equal digests the first."""
        if not self.wanted:
            return
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile(  # noqa: SIM115 - closed in close
                    prefix="leitong-", dir=for_large_files(), buffering=0
                )
            self._file.seek(self._end)
            whole = self._file.write(outlines.values.data) == outlines.values.nbytes
        except OSError:
            whole = False
        if not whole:
            self.close()
            return
        for digest, sizes in zip(digests, outlines.sizes.tolist(), strict=True):
            self._places.setdefault(bytes.fromhex(digest), len(self._starts))
            self._starts.append(self._end)
            self._sizes.extend(sizes)
            self._end += sum(sizes) * _VALUE
        self.wanted = self._end < _MOST_BYTES

    def digests(self, most: int) -> Digests:
        """The first of all digests, in their order."""
        together = np.frombuffer(b"".join(self._places), dtype=">u8").astype(np.uint64).reshape(-1, 2)
        return together[np.lexsort((together[:, 1], together[:, 0]))[:most]]

    def take(self, digests: Digests) -> tuple[Outlines, NDArray[np.bool_]]:
        """The outlines of those documents of which they are kept, and which those are."""
        places = [self._places.get(digest, -1) for digest in _as_bytes(digests)]
        kept = np.array(places, dtype=np.int64) >= 0
        there = [place for place in places if place >= 0]
        sizes = np.array([self._sizes[place * PARTS : (place + 1) * PARTS] for place in there], dtype=np.int64)
        outlines = Outlines(np.empty(int(sizes.sum()), dtype=np.uint64), sizes.reshape(-1, PARTS))
        edges = [*outlines.starts.tolist(), len(outlines.values)]
        parts = [outlines.values[start:end] for start, end in pairwise(edges)]
        read = np.array(list(map(self._read, there, parts)), dtype=np.bool_)
        if not read.all():
            kept[kept] = read
            outlines = outlines.take(np.flatnonzero(read))
        return outlines, kept

    def count(self, digests: Digests) -> int:
        """Of how many documents the outline is kept."""
        return sum(digest in self._places for digest in _as_bytes(digests))

    def _read(self, place: int, values: NDArray[np.uint64]) -> bool:
        """Fill in the values of an outline; returns whether they could be read."""
        try:
            assert self._file is not None
            self._file.seek(self._starts[place])
            return self._file.readinto(values.data) == values.nbytes
        except OSError:
            return False

    def close(self) -> None:
        """Everything that was kept goes, and nothing more is wanted."""
        self.wanted = False
        self._places = {}
        if self._file is not None:
            self._file.close()
            self._file = None


def _as_bytes(digests: Digests) -> Iterator[bytes]:
    together = digests.astype(">u8").tobytes()
    return (together[start : start + _DIGEST] for start in range(0, len(together), _DIGEST))
