"""MurmurHash2 (32 bits) and MurmurHash64A, as Austin Appleby published them in smhasher. Not MurmurHash3."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.fingerprint.compiled import compiled

_LOW: Final = np.uint64(0xFFFFFFFF)
_M32: Final = np.uint64(0x5BD1E995)
_M64: Final = np.uint64(0xC6A4A7935BD1E995)
_R32: Final = np.uint64(24)
_R64: Final = np.uint64(47)


@compiled
def murmur2_32(octets: NDArray[np.uint8], seed: int) -> np.uint64:
    """MurmurHash2 of some bytes, below 2^32."""
    size = len(octets)
    hash_ = (np.uint64(seed) ^ np.uint64(size)) & _LOW
    whole = size - size % 4
    for start in range(0, whole, 4):
        part = np.uint64(0)
        for place in range(3, -1, -1):
            part = (part << np.uint64(8)) | np.uint64(octets[start + place])
        part = (part * _M32) & _LOW
        part ^= part >> _R32
        part = (part * _M32) & _LOW
        hash_ = ((hash_ * _M32) & _LOW) ^ part
    if whole < size:
        for place in range(whole, size):
            hash_ ^= np.uint64(octets[place]) << np.uint64(8 * (place - whole))
        hash_ = (hash_ * _M32) & _LOW
    hash_ ^= hash_ >> np.uint64(13)
    hash_ = (hash_ * _M32) & _LOW
    return hash_ ^ (hash_ >> np.uint64(15))


@compiled
def murmur2_64(octets: NDArray[np.uint8], seed: int) -> np.uint64:
    """MurmurHash64A of some bytes."""
    size = len(octets)
    hash_ = np.uint64(seed) ^ (np.uint64(size) * _M64)
    whole = size - size % 8
    for start in range(0, whole, 8):
        part = np.uint64(0)
        for place in range(7, -1, -1):
            part = (part << np.uint64(8)) | np.uint64(octets[start + place])
        part *= _M64
        part ^= part >> _R64
        part *= _M64
        hash_ = (hash_ ^ part) * _M64
    if whole < size:
        for place in range(whole, size):
            hash_ ^= np.uint64(octets[place]) << np.uint64(8 * (place - whole))
        hash_ *= _M64
    hash_ ^= hash_ >> _R64
    hash_ *= _M64
    return hash_ ^ (hash_ >> _R64)
