"""The keys of a fingerprint are few, and no fingerprint within the radius goes without one of them."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leitong.indexer.fingerprint.blocks import MAX_RADIUS, block_count, block_keys, split, tolerances
from leitong.indexer.fingerprint.hamming import distance
from tests.examples import examples

sizes = st.sampled_from([32, 64, 128])


def has_a_key(asked: int, stored: int, *, bits: int, radius: int) -> bool:
    keys = block_keys(asked, bits=bits, radius=radius)
    blocks = split(stored, bits)
    return any(np.isin(block, values) for block, values in zip(blocks, keys.values, strict=True))


@pytest.mark.parametrize(
    ("bits", "radius", "keys"),
    [
        *((64, radius, keys) for radius, keys in ((0, 1), (1, 2), (2, 3), (3, 4), (4, 20), (7, 68))),
        *((64, radius, keys) for radius, keys in ((8, 188), (11, 548), (15, 2788))),
        *((128, radius, keys) for radius, keys in ((3, 4), (7, 8), (15, 136))),
        *((32, radius, keys) for radius, keys in ((1, 2), (3, 34))),
    ],
)
def test_numbers_of_keys(bits: int, radius: int, keys: int) -> None:
    """The counts of keys for each radius."""
    assert len(block_keys(0x0123456789ABCDEF, bits=bits, radius=radius)) == keys


@pytest.mark.parametrize("bits", [32, 64, 128])
@pytest.mark.parametrize("radius", range(MAX_RADIUS + 1))
def test_tolerances_are_complete_and_no_more(bits: int, radius: int) -> None:
    """Complete when the sum of (tolerance + 1) is radius + 1."""
    found = tolerances(radius, block_count(bits))
    assert sum(tolerance + 1 for tolerance in found) == radius + 1
    assert max(found) - min(found) <= 1, "spread evenly, the keys are the fewest"
    keys = block_keys(12345, bits=bits, radius=radius)
    assert keys.radius == radius
    for values in keys.values:
        assert len(np.unique(values)) == len(values), "no key twice"


@pytest.mark.parametrize("radius", [0, 1, 2, 3, 4])
def test_small_radii_exhaustively(radius: int) -> None:
    """Every fingerprint of 32 bits within the radius of one shares a key with it: all 41,449 of them for radius 4."""
    centre = 0xDEADBEEF
    keys = [set(values.tolist()) for values in block_keys(centre, bits=32, radius=radius).values]
    for size in range(radius + 1):
        for places in combinations(range(32), size):
            other = centre
            for place in places:
                other ^= 1 << place
            assert other >> 16 in keys[0] or other & 0xFFFF in keys[1]


@dataclass(frozen=True)
class Pair:
    """Two neighbouring blocks, as in `block_keys`, in sets."""

    block: int
    ways: list[tuple[set[int], set[int]]]
    others: list[tuple[int, set[int]]]


@lru_cache(maxsize=16)
def pairs(asked: int, *, bits: int, radius: int) -> list[Pair]:
    return [
        Pair(
            pair.block,
            [(set(first.tolist()), set(second.tolist())) for first, second in pair.ways],
            [(number, set(values.tolist())) for number, values in pair.others],
        )
        for pair in block_keys(asked, bits=bits, radius=radius).pairs()
    ]


def fits_a_pair(asked: int, stored: int, *, bits: int, radius: int, others: bool = True) -> bool:
    blocks = split(stored, bits)
    return any(
        any(blocks[pair.block] in first and blocks[pair.block + 1] in second for first, second in pair.ways)
        and (not others or not pair.others or any(blocks[number] in values for number, values in pair.others))
        for pair in pairs(asked, bits=bits, radius=radius)
    )


@lru_cache(maxsize=16)
def beside(asked: int, hot: int, *, bits: int, radius: int) -> tuple[list[set[int]], list[tuple[int, set[int]]]]:
    keys = block_keys(asked, bits=bits, radius=radius).beside(hot)
    return [set(one.tolist()) for one in keys.values], [(number, set(one.tolist())) for number, one in keys.others]


def fits_beside(asked: int, stored: int, hot: int, *, bits: int, radius: int) -> bool:
    values, others = beside(asked, hot, bits=bits, radius=radius)
    blocks = split(stored, bits)
    if any(block in some for number, (block, some) in enumerate(zip(blocks, values, strict=True)) if number != hot):
        return True
    return blocks[hot] in values[hot] and all(blocks[number] in some for number, some in others)


@given(data=st.data(), bits=sizes, radius=st.integers(0, MAX_RADIUS))
@examples(100)
def test_every_pair_within_the_radius_shares_a_key(data: st.DataObject, bits: int, radius: int) -> None:
    one = data.draw(st.integers(0, 2**bits - 1))
    flips = data.draw(st.sets(st.integers(0, bits - 1), max_size=radius))
    other = one ^ sum(1 << place for place in flips)
    assert distance(one, other) <= radius
    assert has_a_key(one, other, bits=bits, radius=radius)
    assert has_a_key(other, one, bits=bits, radius=radius)
    assert fits_a_pair(one, other, bits=bits, radius=radius)
    for hot, tolerance in enumerate(tolerances(radius, block_count(bits))):
        assert tolerance < 0 or fits_beside(one, other, hot, bits=bits, radius=radius)


@pytest.mark.parametrize("bits", [32, 64, 128])
@pytest.mark.parametrize("radius", range(MAX_RADIUS + 1))
def test_the_worst_spread_of_differing_bits(bits: int, radius: int) -> None:
    """As many differences in each block as it can have without being found: one more is beyond the radius."""
    found = tolerances(radius, block_count(bits))
    other = 0
    for block, tolerance in enumerate(found):
        other |= ((1 << (tolerance + 1)) - 1) << (bits - 16 * (block + 1))
    assert other.bit_count() == radius + 1
    assert not has_a_key(0, other, bits=bits, radius=radius), "at radius + 1 a key may be missing"
    for place in range(bits):
        if other >> place & 1:
            assert has_a_key(0, other ^ 1 << place, bits=bits, radius=radius), "at the radius it may not"


def test_pairs_of_blocks_leave_a_hot_block_alone() -> None:
    """One block equal and the others far away is not enough for a pair; it takes 72 keys, a third block 68."""
    asked = 0x0123456789ABCDEF
    pairs = block_keys(asked, bits=64, radius=3).pairs()
    assert sum(map(len, pairs)) == 72 + 68
    assert has_a_key(asked, asked ^ 0xFFFF_FFFF_FFFF, bits=64, radius=3)
    assert not fits_a_pair(asked, asked ^ 0xFFFF_FFFF_FFFF, bits=64, radius=3, others=False)


def test_what_only_the_hot_block_finds_is_near_in_all_others() -> None:
    """Within 3 bits it differs by one bit in each of the three; two bits in one of them leave another equal."""
    asked = 0x0123456789ABCDEF
    keys = block_keys(asked, bits=64, radius=3).beside(0)
    assert [(number, len(values)) for number, values in keys.others] == [(1, 17), (2, 17), (3, 17)]
    assert len(keys) == 4 + 3 * 17
    assert fits_beside(asked, asked ^ 0x0001_0100_8000, 0, bits=64, radius=3)
    assert not fits_beside(asked, asked ^ 0x0003_0001_0001, 0, bits=64, radius=3)
    assert fits_beside(asked, asked ^ 0x0003_0001_0000, 0, bits=64, radius=3)
    assert not fits_beside(asked, asked ^ 0xFFFF_FFFF_FFFF, 0, bits=64, radius=3)


@pytest.mark.parametrize(("bits", "radius", "others"), [(64, 7, [697]), (64, 4, [17, 17]), (64, 2, [1, 17, 17])])
def test_as_many_other_blocks_as_take_few_values_but_one_at_least(bits: int, radius: int, others: list[int]) -> None:
    keys = block_keys(1, bits=bits, radius=radius).beside(1)
    assert [len(values) for _, values in keys.others] == others


def test_a_pair_of_blocks_alone_may_be_hot_too() -> None:
    """Two blocks equal and both others farther than radius / 2: no pair, once another block is asked for as well."""
    asked = 0x0123456789ABCDEF
    assert fits_a_pair(asked, asked ^ 0x0003_0003, bits=64, radius=3, others=False)
    assert not fits_a_pair(asked, asked ^ 0x0003_0003, bits=64, radius=3)
    assert fits_a_pair(asked, asked ^ 0x0003_0001, bits=64, radius=3)


@pytest.mark.parametrize(("bits", "radius", "values"), [(64, 3, 34), (64, 4, 0), (128, 3, 0), (128, 5, 6), (32, 3, 0)])
def test_other_blocks_are_asked_where_it_takes_few_values(bits: int, radius: int, values: int) -> None:
    first = block_keys(1, bits=bits, radius=radius).pairs()[0]
    assert sum(len(some) for _, some in first.others) == values


@pytest.mark.parametrize("bits", [64, 128])
@pytest.mark.parametrize("radius", [1, 2, 3, 4, 5])
def test_nothing_is_missed_by_any_spread_over_the_blocks(bits: int, radius: int) -> None:
    """The lowest bits of the blocks differ, in every choice of so many bits: the other bits behave alike."""
    places = [16 * block + bit for block in range(bits // 16) for bit in range(2 if bits == 128 else 3)]
    for size in range(radius + 1):
        for chosen in combinations(places, size):
            other = sum(1 << place for place in chosen)
            assert fits_a_pair(0, other, bits=bits, radius=radius)
            for hot, tolerance in enumerate(tolerances(radius, bits // 16)):
                assert tolerance < 0 or fits_beside(0, other, hot, bits=bits, radius=radius)


def test_blocks_are_sixteen_bits_most_significant_first() -> None:
    assert split(0x0123456789ABCDEF, 64) == (0x0123, 0x4567, 0x89AB, 0xCDEF)
    assert split(0x0123, 32) == (0, 0x0123)
    assert split(1 << 127, 128) == (0x8000, 0, 0, 0, 0, 0, 0, 0)
    assert [block_count(bits) for bits in (32, 64, 128)] == [2, 4, 8]


@pytest.mark.parametrize("radius", [-1, 16])
def test_radii_that_cannot_be(radius: int) -> None:
    with pytest.raises(ValueError, match=r"is not within 0…15"):
        block_keys(0, bits=64, radius=radius)
