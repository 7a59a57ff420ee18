"""CityHash64 of Google, version 1.1 (1.0 is another function); and BKDR, Kernighan and Ritchie's, in 64 bits."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.fingerprint.compiled import compiled

Octets = NDArray[np.uint8]

_K0: Final = np.uint64(0xC3A5C85C97CB3127)
_K1: Final = np.uint64(0xB492B66FBE98F273)
_K2: Final = np.uint64(0x9AE16A3B2F90404F)
_PAIR: Final = np.uint64(0x9DDFEA08EB382D69)
_BKDR: Final = np.uint64(131)


@compiled
def _fetch(octets: Octets, start: int, count: int) -> np.uint64:
    """So many bytes as a number, the first the least significant."""
    value = np.uint64(0)
    for place in range(start + count - 1, start - 1, -1):
        value = (value << np.uint64(8)) | np.uint64(octets[place])
    return value


@compiled
def _turn(value: np.uint64, places: int) -> np.uint64:
    return (value >> np.uint64(places)) | (value << np.uint64(64 - places))


@compiled
def _shift_mix(value: np.uint64) -> np.uint64:
    return value ^ (value >> np.uint64(47))


@compiled
def _swap(value: np.uint64) -> np.uint64:
    """The eight bytes in the other order."""
    swapped = np.uint64(0)
    for _ in range(8):
        swapped = (swapped << np.uint64(8)) | (value & np.uint64(0xFF))
        value >>= np.uint64(8)
    return swapped


@compiled
def _pair(u: np.uint64, v: np.uint64, factor: np.uint64) -> np.uint64:
    """128 bits to 64."""
    a = _shift_mix((u ^ v) * factor)
    return _shift_mix((v ^ a) * factor) * factor


@compiled
def _up_to_16(octets: Octets) -> np.uint64:
    size = len(octets)
    factor = _K2 + np.uint64(2 * size)
    if size >= 8:
        a = _fetch(octets, 0, 8) + _K2
        b = _fetch(octets, size - 8, 8)
        return _pair(_turn(b, 37) * factor + a, (_turn(a, 25) + b) * factor, factor)
    if size >= 4:
        a = _fetch(octets, 0, 4)
        return _pair(np.uint64(size) + (a << np.uint64(3)), _fetch(octets, size - 4, 4), factor)
    if size > 0:
        y = np.uint64(octets[0]) + (np.uint64(octets[size >> 1]) << np.uint64(8))
        z = np.uint64(size) + (np.uint64(octets[size - 1]) << np.uint64(2))
        return _shift_mix((y * _K2) ^ (z * _K0)) * _K2
    return _K2


@compiled
def _17_to_32(octets: Octets) -> np.uint64:
    size = len(octets)
    factor = _K2 + np.uint64(2 * size)
    a = _fetch(octets, 0, 8) * _K1
    b = _fetch(octets, 8, 8)
    c = _fetch(octets, size - 8, 8) * factor
    d = _fetch(octets, size - 16, 8) * _K2
    return _pair(_turn(a + b, 43) + _turn(c, 30) + d, a + _turn(b + _K2, 18) + c, factor)


@compiled
def _33_to_64(octets: Octets) -> np.uint64:
    size = len(octets)
    factor = _K2 + np.uint64(2 * size)
    a = _fetch(octets, 0, 8) * _K2
    b = _fetch(octets, 8, 8)
    c = _fetch(octets, size - 24, 8)
    d = _fetch(octets, size - 32, 8)
    e = _fetch(octets, 16, 8) * _K2
    f = _fetch(octets, 24, 8) * np.uint64(9)
    g = _fetch(octets, size - 8, 8)
    h = _fetch(octets, size - 16, 8) * factor
    u = _turn(a + g, 43) + (_turn(b, 30) + c) * np.uint64(9)
    v = ((a + g) ^ d) + f + np.uint64(1)
    w = _swap((u + v) * factor) + h
    x = _turn(e + f, 42) + c
    y = (_swap((v + w) * factor) + g) * factor
    z = e + f + c
    a = _swap((x + z) * factor + y) + b
    return _shift_mix((z + a) * factor + d + h) * factor + x


@compiled
def _weak(octets: Octets, start: int, a: np.uint64, b: np.uint64) -> tuple[np.uint64, np.uint64]:
    """32 bytes and two seeds to two numbers."""
    w, x = _fetch(octets, start, 8), _fetch(octets, start + 8, 8)
    y, z = _fetch(octets, start + 16, 8), _fetch(octets, start + 24, 8)
    a += w
    b = _turn(b + a + z, 21)
    c = a
    a += x
    a += y
    b += _turn(a, 44)
    return a + z, b + c


@compiled
def _over_64(octets: Octets) -> np.uint64:
    size = len(octets)
    x = _fetch(octets, size - 40, 8)
    y = _fetch(octets, size - 16, 8) + _fetch(octets, size - 56, 8)
    z = _pair(_fetch(octets, size - 48, 8) + np.uint64(size), _fetch(octets, size - 24, 8), _PAIR)
    v0, v1 = _weak(octets, size - 64, np.uint64(size), z)
    w0, w1 = _weak(octets, size - 32, y + _K1, x)
    x = x * _K1 + _fetch(octets, 0, 8)
    for start in range(0, (size - 1) // 64 * 64, 64):
        x = _turn(x + y + v0 + _fetch(octets, start + 8, 8), 37) * _K1
        y = _turn(y + v1 + _fetch(octets, start + 48, 8), 42) * _K1
        x ^= w1
        y += v0 + _fetch(octets, start + 40, 8)
        z = _turn(z + w0, 33) * _K1
        v0, v1 = _weak(octets, start, v1 * _K1, x + w0)
        w0, w1 = _weak(octets, start + 32, z + w1, y + _fetch(octets, start + 16, 8))
        z, x = x, z
    return _pair(
        _pair(v0, w0, _PAIR) + _shift_mix(y) * _K1 + z,
        _pair(v1, w1, _PAIR) + x,
        _PAIR,
    )


@compiled
def city_64(octets: Octets, seed: int) -> np.uint64:
    """CityHash64 of some bytes; CityHash64WithSeed where the seed is not 0."""
    size = len(octets)
    if size <= 16:
        value = _up_to_16(octets)
    elif size <= 32:
        value = _17_to_32(octets)
    elif size <= 64:
        value = _33_to_64(octets)
    else:
        value = _over_64(octets)
    return _pair(value - _K2, np.uint64(seed), _PAIR) if seed else value


@compiled
def bkdr_64(octets: Octets, seed: int) -> np.uint64:
    """h = 131·h + byte for each byte, beginning with the seed, modulo 2^64.

    A word of n bytes reaches about 7·n bits: of a word of two Chinese characters the uppermost twenty bits are 0.
    """
    value = np.uint64(seed)
    for octet in octets:
        value = value * _BKDR + np.uint64(octet)
    return value
