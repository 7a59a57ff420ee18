"""Which stored blocks must be asked so that no fingerprint within a radius is missed?

A fingerprint of f bits is f/16 blocks of 16 bits, most significant first. When block i is asked for every value within
t_i bits of its own and the sum of (t_i + 1) is radius + 1, two fingerprints within the radius agree in at least one of
the blocks asked: were block i to differ in more than t_i bits for every i, the distance would be at least the sum of
(t_i + 1), which is more than the radius. (Pigeonhole principle; article P2 of docs/papers.md has the case of four
blocks and radius 3.)

Where one block h is hot, as the beginning of a template may be, it alone says little. What no other block finds differs
in each of them by t_i + 1 bits or more. Together with what h may differ by that is the radius, so a block c differs
by at most t_c + 1 + t_h bits; within 3 bits by one bit in each.

Where several are hot, what holds for blocks holds for pairs of them: some pair differs in at most t bits, so its first
block in at most a and its second in at most t - a, for some a of 0…t. Nor can all the other blocks differ in many bits
then: with k of them, some other block differs in at most radius / k. That takes more keys and finds little but what is
within the radius.
"""

from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.errors import RecipeError

Values = NDArray[np.uint16]

BLOCK_BITS: Final = 16
MAX_RADIUS: Final = 15
_OTHERS: Final = 64
"""Values of other blocks that pay beside a hot block or a pair, measured on servers: 34 save time, 274 lose it."""


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
def _masks(tolerance: int) -> Values:
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
    """Values for the block of this number and for the one after it: in one of the ways both must be among theirs.

    `others` may be asked too, by number of a block: one of these blocks must be among its values. It is empty where
    that takes too many values.
    """

    block: int
    ways: tuple[tuple[Values, Values], ...]
    others: tuple[tuple[int, Values], ...]

    def __len__(self) -> int:
        ways = sum(len(first) + len(second) for first, second in self.ways)
        return ways + sum(len(values) for _, values in self.others)


@dataclass(frozen=True)
class HotKeys:
    """The blocks as they are, but for a hot one, which must fit together with all of `others`, by number of a block."""

    block: int
    values: tuple[Values, ...]
    others: tuple[tuple[int, Values], ...]

    def __len__(self) -> int:
        return sum(map(len, self.values)) + sum(len(some) for _, some in self.others)


@dataclass(frozen=True)
class BlockKeys:
    """For each block the values to ask for: a union of exact matches that misses nothing within `radius`."""

    radius: int
    blocks: tuple[int, ...]
    values: tuple[Values, ...]

    def __len__(self) -> int:
        return sum(map(len, self.values))

    @property
    def fingerprint(self) -> int:
        """The fingerprint that is asked for."""
        return sum(block << BLOCK_BITS * place for place, block in enumerate(reversed(self.blocks)))

    def beside(self, hot: int) -> HotKeys:
        """The same where many documents share one of the blocks asked, by its number: a union that misses nothing."""
        share = tolerances(self.radius, len(self.blocks))
        others = sorted((share[block] + 1 + share[hot], block) for block in range(len(self.blocks)) if block != hot)
        asked: list[tuple[int, Values]] = []
        for within, block in others:
            values = np.uint16(self.blocks[block]) ^ _masks(within)
            if not asked or sum(len(some) for _, some in asked) + len(values) <= _OTHERS:
                asked.append((block, values))
        return HotKeys(hot, self.values, tuple(asked))

    def pairs(self) -> list[PairKeys]:
        """The same for pairs of blocks: a union that misses nothing, for blocks that many documents share."""
        return [
            self._pair(2 * place, tolerance)
            for place, tolerance in enumerate(tolerances(self.radius, len(self.blocks) // 2))
            if tolerance >= 0
        ]

    def _pair(self, block: int, tolerance: int) -> PairKeys:
        first, second = (np.uint16(value) for value in self.blocks[block : block + 2])
        ways = tuple((first ^ _masks(part), second ^ _masks(tolerance - part)) for part in range(tolerance + 1))
        pair = PairKeys(block, ways, ())
        numbers = [number for number in range(len(self.blocks)) if number not in (block, block + 1)]
        spread = _masks(self.radius // len(numbers)) if numbers else _masks(0)
        if len(numbers) * len(spread) > min(len(pair), _OTHERS):
            return pair
        return replace(pair, others=tuple((number, np.uint16(self.blocks[number]) ^ spread) for number in numbers))


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
