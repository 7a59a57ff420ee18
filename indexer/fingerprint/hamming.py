"""How many bits differ? Fingerprints as rows of 64-bit words, and as Python integers."""

import numpy as np
from numpy.typing import NDArray

Fingerprints = NDArray[np.uint64]
"""Shape (n, words): 1 word for up to 64 bits, 2 for 128, most significant first."""


def words_of(bits: int) -> int:
    """64-bit words of a fingerprint."""
    return (bits + 63) // 64


def pack(fingerprints: list[int], bits: int) -> Fingerprints:
    """Rows of words from integers."""
    words = words_of(bits)
    raw = b"".join(value.to_bytes(words * 8, "big") for value in fingerprints)
    return np.frombuffer(raw, dtype=">u8").astype(np.uint64).reshape(-1, words)


def unpack(rows: Fingerprints) -> list[int]:
    """Integers from rows of words."""
    if rows.shape[1] == 1:
        return [int(value) for value in rows[:, 0].tolist()]
    return [int.from_bytes(row.astype(">u8").tobytes(), "big") for row in rows]


def distances(rows: Fingerprints, other: Fingerprints) -> NDArray[np.uint8]:
    """Hamming distance of each row to the row of `other` beside it; a single row is compared with all."""
    difference: NDArray[np.uint8] = np.bitwise_count(rows ^ other)
    return difference[:, 0] if difference.shape[1] == 1 else difference.sum(axis=1, dtype=np.uint8)


def distance(one: int, other: int) -> int:
    """Hamming distance of two integers."""
    return (one ^ other).bit_count()


def to_hex(fingerprint: int, bits: int) -> str:
    """Lower-case hexadecimal, as many digits as the bits need."""
    return f"{fingerprint:0{(bits + 3) // 4}x}"
