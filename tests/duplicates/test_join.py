"""All pairs within a radius: complete and exact against comparing each with each."""

from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leitong.indexer.duplicates.join import MEMORY, Groups, pairs_within
from leitong.indexer.fingerprint.hamming import Fingerprints, distances, pack, unpack
from tests.duplicates.drawn import family
from tests.examples import examples

Found = dict[tuple[int, int], int]


def distinct(values: list[int], bits: int) -> Fingerprints:
    return Groups.of(pack(values, bits)).values


def joined(rows: Fingerprints, *, bits: int, radius: int, memory: int = MEMORY) -> Found:
    found: Found = {}
    for some in pairs_within(rows, bits=bits, radius=radius, memory=memory):
        for left, right, away in zip(some.left.tolist(), some.right.tolist(), some.distances.tolist(), strict=True):
            assert left < right
            assert (left, right) not in found, "each pair once"
            found[left, right] = away
    return found


def brute(rows: Fingerprints, radius: int) -> Found:
    found: Found = {}
    for left in range(len(rows) - 1):
        away = distances(rows[left + 1 :], rows[left : left + 1])
        found |= {(left, left + 1 + place): int(away[place]) for place in np.flatnonzero(away <= radius).tolist()}
    return found


@pytest.mark.parametrize("bits", [32, 64, 128])
@pytest.mark.parametrize("radius", range(16))
def test_complete_and_exact(bits: int, radius: int) -> None:
    rows = distinct(family(bits, 220, Random(bits * 100 + radius)), bits)
    assert joined(rows, bits=bits, radius=radius) == brute(rows, radius)


@given(
    bits=st.sampled_from([32, 64, 128]),
    radius=st.integers(0, 15),
    size=st.integers(0, 40),
    memory=st.sampled_from((MEMORY, 1_000, 300)),
    random=st.randoms(use_true_random=False),
)
@examples(80)
def test_complete_and_exact_for_any(bits: int, radius: int, size: int, memory: int, random: Random) -> None:
    rows = distinct(family(bits, size, random)[:size], bits)
    assert joined(rows, bits=bits, radius=radius, memory=memory) == brute(rows, radius)


@pytest.mark.parametrize("radius", range(6))
def test_every_fingerprint_of_eight_bits(radius: int) -> None:
    """All 256 of them, which are all there are."""
    rows = np.arange(256, dtype=np.uint64).reshape(-1, 1)
    assert joined(rows, bits=8, radius=radius) == brute(rows, radius)


@given(
    values=st.lists(st.sampled_from([0, 5, 7, 2**32 - 1]) | st.integers(0, 2**32 - 1), max_size=60),
    bits=st.sampled_from([32, 64, 128]),
)
def test_equal_fingerprints_are_one_group(values: list[int], bits: int) -> None:
    groups = Groups.of(pack(values, bits))
    assert unpack(groups.values) == sorted(set(values))
    assert sorted(groups.rows.tolist()) == list(range(len(values)))
    for number, value in enumerate(unpack(groups.values)):
        rows = groups.rows[groups.starts[number] : groups.starts[number + 1]].tolist()
        assert rows == [place for place, one in enumerate(values) if one == value]
    assert groups.sizes.sum() == len(values)


@pytest.mark.parametrize("bits", [32, 64, 128])
@pytest.mark.parametrize("radius", [1, 3])
def test_a_hot_block_is_joined_by_itself(bits: int, radius: int) -> None:
    """Most rows have the same first half: they are one run of the first key, far longer than the others."""
    random = Random(radius)
    low = bits // 2
    values = [value >> (bits - low) | 0xAB << low for value in family(bits, 6_000, random)]
    rows = distinct(values + family(bits, 500, random), bits)
    assert joined(rows, bits=bits, radius=radius) == brute(rows, radius)


def test_a_hot_block_is_not_compared_each_with_each() -> None:
    """docs/papers.md P3: 20,000 rows that share their first half would be 200 million comparisons."""
    random = Random(8)
    rows = distinct([0xABCD << 48 | random.getrandbits(48) for _ in range(20_000)], 64)
    compared = sum(some.compared for some in pairs_within(rows, bits=64, radius=3))
    assert 20_000 < compared < 20_000 * 19_999 // 2 // 100


def test_every_comparison_is_counted() -> None:
    """So few that each is compared with each, once."""
    rows = distinct([1 << place for place in range(20)], 32)
    assert sum(some.compared for some in pairs_within(rows, bits=32, radius=3)) == 20 * 19 // 2


@pytest.mark.parametrize("bits", [32, 64, 128])
def test_with_little_memory_it_goes_through_many_parts(bits: int) -> None:
    rows = distinct(family(bits, 1_000, Random(3)), bits)
    expected = brute(rows, 3)
    assert joined(rows, bits=bits, radius=3, memory=2_000) == expected
    assert joined(rows, bits=bits, radius=3, memory=5_000) == expected


def test_fingerprints_may_lie_in_a_file(tmp_path: Path) -> None:
    rows = distinct(family(64, 2_000, Random(4)), 64)
    np.save(tmp_path / "rows.npy", rows)
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    assert joined(mapped, bits=64, radius=5) == brute(rows, 5)


def test_leaving_early_ends_the_work() -> None:
    found = pairs_within(distinct(family(64, 5_000, Random(6)), 64), bits=64, radius=7)
    assert len(next(found)) > 0
    found.close()


def test_more_pairs_than_are_told_at_once() -> None:
    """All fingerprints of 11 bits lie within 11 bits of each other: two million pairs."""
    rows = np.arange(2_048, dtype=np.uint64).reshape(-1, 1)
    count = sum(len(some) for some in pairs_within(rows, bits=32, radius=11))
    assert count == 2_048 * 2_047 // 2


@pytest.mark.parametrize("bits", [32, 64, 128])
def test_nothing_and_one(bits: int) -> None:
    assert joined(distinct([], bits), bits=bits, radius=3) == joined(distinct([9], bits), bits=bits, radius=3) == {}


@pytest.mark.slow
@pytest.mark.parametrize(("bits", "radius"), [(32, 3), (64, 3), (64, 7), (64, 15), (128, 7)])
def test_many_rows_choose_other_blocks_and_lose_nothing(bits: int, radius: int) -> None:
    rows = distinct(family(bits, 12_000, Random(radius)), bits)
    assert joined(rows, bits=bits, radius=radius) == brute(rows, radius)
