"""Which hash turns a word into bits? A hash family is one function; a new one is one entry of `HASHES`."""

import hashlib
from collections.abc import Callable, Sequence
from typing import Final

import mmh3
import numpy as np
from numpy.typing import NDArray

from leitong.indexer.errors import RecipeError

WordHash = Callable[[bytes, int, int], int]


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


HASHES: Final[dict[str, WordHash]] = {"mmh3": _mmh3, "blake2b": _blake2b}


def hash_words(words: Sequence[str], *, family: str, seed: int, bits: int) -> NDArray[np.uint64]:
    """Hash each word's UTF-8 bytes.

    Returns shape (len(words), ceil(bits / 64)), most significant part first; 32 bits stand in the lower half.
    Raises RecipeError for an unknown family.
    """
    try:
        function = HASHES[family]
    except KeyError:
        raise RecipeError(f"Unknown hash {family!r}. Known: {', '.join(sorted(HASHES))}.") from None
    values = [function(word.encode("utf-8", "surrogatepass"), seed, bits) for word in words]
    octets = max(64, bits) // 8
    packed = b"".join(value.to_bytes(octets, "big") for value in values)
    return np.frombuffer(packed, dtype=">u8").astype(np.uint64).reshape(len(words), octets // 8)
