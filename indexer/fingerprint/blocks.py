"""Which stored blocks must be asked so that no fingerprint within a radius is missed?

A fingerprint of f bits is f/16 blocks of 16 bits, most significant first. When block i is asked for every value within
t_i bits of its own and the sum of (t_i + 1) is radius + 1, two fingerprints within the radius agree in at least one of
the blocks asked: were block i to differ in more than t_i bits for every i, the distance would be at least the sum of
(t_i + 1), which is more than the radius. (Pigeonhole principle; article P2 of docs/papers.md has the case of four
blocks and radius 3.)

Where one block is hot, as the beginning of a template may be, it alone says little. The same holds for pairs of blocks:
some pair differs in at most t bits, so its first block in at most a and its second in at most t - a, for some a of 0…t.
That takes more keys and finds hardly anything but what is within the radius.
"""

from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.errors import RecipeError

BLOCK_BITS: Final = 16
MAX_RADIUS: Final = 15


def block_count(bits: int) -> int:
    """Blocks of a fingerprint of so many bits. Raises RecipeError where it cannot be cut into blocks."""
    if bits % BLOCK_BITS:
        raise RecipeError(
            f"An index cannot hold fingerprints of {bits} bits: it stores them in blocks of {BLOCK_BITS}. Recipes of "
            f"{bits} bits are for `leitong fingerprint` and `leitong compare --files` only; index with 32, 64 or 128."
        )
    return bits // BLOCK_BITS


def split(fingerprint: int, bits: int) -> tuple[int, ...]:
    """The blocks of one fingerprint, most significant first."""
    return tuple(fingerprint >> shift & 0xFFFF for shift in range(bits - BLOCK_BITS, -1, -BLOCK_BITS))


def tolerances(radius: int, blocks: int) -> tuple[int, ...]:
    """How many bits each block may differ by; -1 for a block that need not be asked. The keys are the fewest."""
    spare = radius + 1
    share, extra = divmod(spare, blocks)
    return tuple(share - 1 + (1 if block < extra else 0) for block in range(blocks))


@cache
def _masks(tolerance: int) -> NDArray[np.uint16]:
    """Every 16-bit value with at most `tolerance` bits set."""
    return np.array(
        [
            sum(1 << place for place in places)
            for size in range(tolerance + 1)
            for places in combinations(range(BLOCK_BITS), size)
        ],
        dtype=np.uint16,
    )


@dataclass(frozen=True)
class PairKeys:
    """Values for the block of this number and for the one after it: both must be among theirs."""

    block: int
    values: tuple[NDArray[np.uint16], NDArray[np.uint16]]


@dataclass(frozen=True)
class BlockKeys:
    """For each block the values to ask for: a union of exact matches that misses nothing within `radius`."""

    radius: int
    blocks: tuple[int, ...]
    values: tuple[NDArray[np.uint16], ...]

    def __len__(self) -> int:
        return sum(map(len, self.values))

    def pairs(self) -> list[PairKeys]:
        """The same for pairs of blocks: a union that misses nothing, for blocks that many documents share."""
        return [
            PairKeys(2 * pair, (np.uint16(first) ^ _masks(part), np.uint16(second) ^ _masks(tolerance - part)))
            for pair, (first, second, tolerance) in enumerate(
                zip(self.blocks[::2], self.blocks[1::2], tolerances(self.radius, len(self.blocks) // 2), strict=True)
            )
            for part in range(tolerance + 1)
        ]


def block_keys(fingerprint: int, *, bits: int, radius: int) -> BlockKeys:
    """The complete key set of a fingerprint for a radius of 0 to 15."""
    if not 0 <= radius <= MAX_RADIUS:
        raise ValueError(f"radius {radius} is not within 0…{MAX_RADIUS}")
    blocks = split(fingerprint, bits)
    empty = np.empty(0, dtype=np.uint16)
    return BlockKeys(
        radius,
        blocks,
        tuple(
            np.uint16(block) ^ _masks(tolerance) if tolerance >= 0 else empty
            for block, tolerance in zip(blocks, tolerances(radius, len(blocks)), strict=True)
        ),
    )
