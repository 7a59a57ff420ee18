"""Which id does a record without one get, and has an id been seen before?"""

import hashlib
from bisect import bisect_left
from typing import Final

import numpy as np
import orjson
from numpy.typing import NDArray

_NEWEST: Final = 1 << 15
_GROWTH: Final = 8
_BUCKET: Final = 8


class _Chunk:
    """Digests sorted by their upper halves, with a table of where each value of the first bits begins.

    What is looked up one by one is read through memory views, which is faster than through numpy's own scalars.
    """

    def __init__(self, upper: NDArray[np.uint64], lower: NDArray[np.uint64]) -> None:
        self.upper = upper
        self.lower = lower
        bits = max(1, (len(upper) // _BUCKET).bit_length())
        firsts = np.arange(2**bits, dtype=np.uint64) << np.uint64(64 - bits)
        self._shift = 64 - bits
        self._starts = np.append(np.searchsorted(upper, firsts), len(upper)).data
        self._uppers = upper.data
        self._lowers = lower.data

    def __len__(self) -> int:
        return len(self.upper)

    def has(self, upper: int, lower: int) -> bool:
        first = upper >> self._shift
        end = self._starts[first + 1]
        place = bisect_left(self._uppers, upper, self._starts[first], end)
        while place < end and self._uppers[place] == upper:
            if self._lowers[place] == lower:
                return True
            place += 1
        return False


class SeenIds:
    """A set of ids in about 17 bytes each: it keeps a 128-bit digest of every id, not the id.

    Among a billion ids, two share a digest with a probability of about 1 in 10^21. The newest digests stand in a Python
    set; when that is full it becomes a sorted array, and arrays are merged with neighbours less than eight times as
    large, so that there are never more than a few to look into and each digest is moved only now and then.
    """

    def __init__(self) -> None:
        self._newest: set[bytes] = set()
        self._chunks: list[_Chunk] = []

    def __len__(self) -> int:
        return len(self._newest) + sum(map(len, self._chunks))

    def add(self, id: str) -> bool:
        """True when the id is new, False when it was added before."""
        return self.add_digest(hashlib.blake2b(id.encode("utf-8", "surrogatepass"), digest_size=16).digest())

    def add_digest(self, digest: bytes) -> bool:
        """The same for a digest of 16 bytes that the caller has made."""
        newest = self._newest
        if digest in newest:
            return False
        if self._chunks:
            upper = int.from_bytes(digest[:8], "big")
            lower = int.from_bytes(digest[8:], "big")
            for chunk in self._chunks:
                if chunk.has(upper, lower):
                    return False
        newest.add(digest)
        if len(newest) >= _NEWEST:
            self._flush()
        return True

    def _flush(self) -> None:
        halves = np.frombuffer(b"".join(sorted(self._newest)), dtype=">u8").astype(np.uint64).reshape(-1, 2)
        self._newest = set()
        parts = [(halves[:, 0], halves[:, 1])]
        size = len(halves)
        while self._chunks and len(self._chunks[-1]) < _GROWTH * size:
            chunk = self._chunks.pop()
            parts.insert(0, (chunk.upper, chunk.lower))
            size += len(chunk)
        upper = np.concatenate([part[0] for part in parts])
        order = np.argsort(upper, kind="stable")
        self._chunks.append(_Chunk(upper[order], np.concatenate([part[1] for part in parts])[order]))


class ContentIds:
    """Ids for records without one: the same content gets the same id in every run, wherever its fields stand.

    The id is `content-` and 32 hexadecimal digits of the BLAKE2b hash of the JSON list of title and text. Further
    records of one run with the same content get `-2`, `-3` and so on, so all sources of a run must share one object.
    Memory: about 17 bytes for every record, to know that its content came before; a counter only for contents that did.
    """

    def __init__(self) -> None:
        self._seen = SeenIds()
        self._counts: dict[bytes, int] = {}

    def next_id(self, *, title: str, text: str) -> str:
        """The id of the next record with this content. Neither may hold lone surrogates."""
        digest = hashlib.blake2b(orjson.dumps([title, text]), digest_size=16).digest()
        if self._seen.add_digest(digest):
            return f"content-{digest.hex()}"
        number = self._counts.get(digest, 1) + 1
        self._counts[digest] = number
        return f"content-{digest.hex()}-{number}"
