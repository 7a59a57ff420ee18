"""MurmurHash3 in its x64 form of 128 bits, as Austin Appleby published it in smhasher, for many keys at once."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.fingerprint.compiled import compiled

_ONE: Final = np.uint64(0x87C37B91114253D5)
_TWO: Final = np.uint64(0x4CF5AD432745937F)


@compiled
def murmur3_128(octets: NDArray[np.uint8], ends: NDArray[np.int64], seed: int) -> NDArray[np.uint64]:
    """The hash of each key, upper half first; shape (n, 2). Key i ends before octets[ends[i]]."""
    hashes = np.empty((len(ends), 2), dtype=np.uint64)
    start = 0
    for key in range(len(ends)):
        size = ends[key] - start
        upper = lower = np.uint64(seed)
        while start + 16 <= ends[key]:
            upper = _rotated(upper ^ _first(_number(octets, start, 8)), 27) + lower
            upper = upper * np.uint64(5) + np.uint64(0x52DCE729)
            lower = _rotated(lower ^ _second(_number(octets, start + 8, 8)), 31) + upper
            lower = lower * np.uint64(5) + np.uint64(0x38495AB5)
            start += 16
        rest = ends[key] - start
        if rest > 8:
            lower ^= _second(_number(octets, start + 8, rest - 8))
        upper ^= _first(_number(octets, start, min(rest, 8)))
        upper ^= np.uint64(size)
        lower ^= np.uint64(size)
        upper += lower
        lower += upper
        upper = _final(upper)
        lower = _final(lower)
        upper += lower
        hashes[key, 0], hashes[key, 1] = upper, lower + upper
        start = ends[key]
    return hashes


@compiled
def _number(octets: NDArray[np.uint8], start: int, size: int) -> np.uint64:
    """So many bytes, least significant first."""
    value = np.uint64(0)
    for place in range(start + size - 1, start - 1, -1):
        value = value << np.uint64(8) | np.uint64(octets[place])
    return value


@compiled
def _rotated(value: np.uint64, bits: int) -> np.uint64:
    return value << np.uint64(bits) | value >> np.uint64(64 - bits)


@compiled
def _first(part: np.uint64) -> np.uint64:
    return _rotated(part * _ONE, 31) * _TWO


@compiled
def _second(part: np.uint64) -> np.uint64:
    return _rotated(part * _TWO, 33) * _ONE


@compiled
def _final(value: np.uint64) -> np.uint64:
    value ^= value >> np.uint64(33)
    value *= np.uint64(0xFF51AFD7ED558CCD)
    value ^= value >> np.uint64(33)
    value *= np.uint64(0xC4CEB9FE1A85EC53)
    return value ^ value >> np.uint64(33)
