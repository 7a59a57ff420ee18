"""Which hash turns a word into bits? A hash family is one function; a new one is one entry of `HASHES`.

The default family has a compiled loop for many words beside it, which gives the same.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import mmh3
import numpy as np
import xxhash
from numpy.typing import NDArray

from leitong.indexer.errors import RecipeError
from leitong.indexer.fingerprint.city import bkdr_64, city_64
from leitong.indexer.fingerprint.murmur2 import murmur2_32, murmur2_64
from leitong.indexer.fingerprint.murmur3 import murmur3_128

WordHash = Callable[[bytes, int, int], int]
ManyHash = Callable[[NDArray[np.uint8], NDArray[np.int64], int], NDArray[np.uint64]]


@dataclass(frozen=True)
class HashFamily:
    """A hash of bytes with a seed, in the sizes that were published: among 32, 64 and 128 bits.

    A family of 64 bits gives 50 as well: the lower ones. `many`, where there is one, gives the 128 bits of many words
    at once, of which the upper half are the 64; see `hash_octets` for its arguments.
    """

    function: WordHash
    native: tuple[int, ...]
    many: ManyHash | None = None

    @property
    def sizes(self) -> tuple[int, ...]:
        """Bits it can give."""
        return tuple(sorted({*self.native, *((50,) if 64 in self.native else ())}))

    def __call__(self, word: bytes, seed: int, bits: int) -> int:
        """Hash of one of `sizes`."""
        return self.function(word, seed, 64) & 2**50 - 1 if bits == 50 else self.function(word, seed, bits)


def _mmh3(word: bytes, seed: int, bits: int) -> int:
    """MurmurHash3: x86_32 for 32 bits, the upper half of x64_128 for 64, all of it for 128."""
    if bits == 32:
        return mmh3.mmh3_32_uintdigest(word, seed)
    first, second = mmh3.mmh3_x64_128_utupledigest(word, seed)
    return first if bits == 64 else first << 64 | second


def _blake2b(word: bytes, seed: int, bits: int) -> int:
    """BLAKE2b keyed with the seed: slow, and the same on every platform for ever."""
    key = seed.to_bytes(8, "big") if seed else b""
    return int.from_bytes(hashlib.blake2b(word, digest_size=bits // 8, key=key).digest(), "big")


def _xxh3(word: bytes, seed: int, bits: int) -> int:
    return xxhash.xxh3_64_intdigest(word, seed) if bits == 64 else xxhash.xxh3_128_intdigest(word, seed)


def _murmur2(word: bytes, seed: int, bits: int) -> int:
    """MurmurHash2 for 32 bits, MurmurHash64A for 64."""
    octets = np.frombuffer(word, dtype=np.uint8)
    return int(murmur2_32(octets, seed) if bits == 32 else murmur2_64(octets, seed))


def _city(word: bytes, seed: int, bits: int) -> int:
    return int(city_64(np.frombuffer(word, dtype=np.uint8), seed))


def _bkdr(word: bytes, seed: int, bits: int) -> int:
    return int(bkdr_64(np.frombuffer(word, dtype=np.uint8), seed))


HASHES: Final[dict[str, HashFamily]] = {
    "mmh3": HashFamily(_mmh3, (32, 64, 128), many=murmur3_128),
    "blake2b": HashFamily(_blake2b, (32, 64, 128)),
    "murmur2": HashFamily(_murmur2, (32, 64)),
    "cityhash64": HashFamily(_city, (64,)),
    "bkdr64": HashFamily(_bkdr, (64,)),
    "xxh3": HashFamily(_xxh3, (64, 128)),
}


def hash_words(words: Sequence[str], *, family: str, seed: int, bits: int) -> NDArray[np.uint64]:
    """Hash each word's UTF-8 bytes; what it returns and raises: see `hash_octets`."""
    keys = [word.encode("utf-8", "surrogatepass") for word in words]
    octets = np.frombuffer(b"".join(keys), dtype=np.uint8)
    ends = np.cumsum([len(key) for key in keys], dtype=np.int64)
    return hash_octets(octets, ends, family=family, seed=seed, bits=bits)


def hash_octets(
    octets: NDArray[np.uint8], ends: NDArray[np.int64], *, family: str, seed: int, bits: int
) -> NDArray[np.uint64]:
    """Hash keys that follow each other; key i ends before octets[ends[i]].

    Returns shape (len(ends), ceil(bits / 64)), most significant part first; 32 and 50 bits stand in the lower part.
    Raises RecipeError for an unknown family, or one that does not give so many bits.
    """
    try:
        function = HASHES[family]
    except KeyError:
        raise RecipeError(f"Unknown hash {family!r}. Known: {', '.join(sorted(HASHES))}.") from None
    if bits not in function.sizes:
        raise RecipeError(f"The hash {family} gives {', '.join(map(str, function.sizes))} bits, not {bits}.")
    if function.many is not None and bits in (64, 128):
        return np.ascontiguousarray(function.many(octets, ends, seed)[:, : bits // 64])
    together = octets.tobytes()
    values = [function(together[start:end], seed, bits) for start, end in pairwise([0, *ends.tolist()])]
    size = max(64, bits) // 8
    packed = b"".join(value.to_bytes(size, "big") for value in values)
    return np.frombuffer(packed, dtype=">u8").astype(np.uint64).reshape(len(ends), size // 8)
