"""All pairs within a radius: complete and exact against comparing each with each."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leitong.indexer.duplicates.join import pairs_within
from leitong.indexer.fingerprint.hamming import Fingerprints, distances, pack

Found = dict[tuple[int, int], int]


def joined(rows: Fingerprints, *, bits: int, radius: int) -> Found:
    found: Found = {}
    for part in pairs_within(rows, bits=bits, radius=radius):
        for left, right, away in zip(part.left.tolist(), part.right.tolist(), part.distances.tolist(), strict=True):
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


def family(bits: int, size: int, random: Random) -> list[int]:
    """Fingerprints many of which are near each other: every second one is an earlier one with some bits flipped."""
    values = [random.getrandbits(bits)]
    while len(values) < size:
        if random.random() < 0.5:
            values.append(random.getrandbits(bits))
        else:
            flips = random.sample(range(bits), random.randint(0, min(20, bits)))
            values.append(random.choice(values) ^ sum(1 << place for place in flips))
    return values


@pytest.mark.parametrize("bits", [32, 64, 128])
@pytest.mark.parametrize("radius", range(16))
def test_complete_and_exact(bits: int, radius: int) -> None:
    rows = pack(family(bits, 220, Random(bits * 100 + radius)), bits)
    assert joined(rows, bits=bits, radius=radius) == brute(rows, radius)


@given(
    bits=st.sampled_from([32, 64, 128]),
    radius=st.integers(0, 15),
    size=st.integers(0, 40),
    random=st.randoms(use_true_random=False),
)
@settings(max_examples=80, deadline=None)
def test_complete_and_exact_for_any(bits: int, radius: int, size: int, random: Random) -> None:
    rows = pack(family(bits, size, random)[:size], bits)
    assert joined(rows, bits=bits, radius=radius) == brute(rows, radius)


@pytest.mark.parametrize("radius", range(6))
def test_every_fingerprint_of_eight_bits(radius: int) -> None:
    """All 256 of them, which are all there are."""
    rows = np.arange(256, dtype=np.uint64).reshape(-1, 1)
    assert joined(rows, bits=8, radius=radius) == brute(rows, radius)


@pytest.mark.parametrize("bits", [32, 64, 128])
def test_equal_rows_are_pairs_of_distance_0(bits: int) -> None:
    rows = pack([5] * 12 + [2**bits - 1] * 3 + [7], bits)
    assert joined(rows, bits=bits, radius=0) == brute(rows, 0)
    assert len(joined(rows, bits=bits, radius=0)) == 12 * 11 // 2 + 3
    assert joined(rows, bits=bits, radius=1) == brute(rows, 1)


@pytest.mark.parametrize("bits", [32, 64, 128])
def test_nothing_and_one(bits: int) -> None:
    assert joined(pack([], bits), bits=bits, radius=3) == joined(pack([9], bits), bits=bits, radius=3) == {}


@pytest.mark.slow
@pytest.mark.parametrize(("bits", "radius"), [(32, 3), (64, 3), (64, 7), (64, 15), (128, 7)])
def test_many_rows_choose_other_blocks_and_lose_nothing(bits: int, radius: int) -> None:
    rows = pack(family(bits, 12_000, Random(radius)), bits)
    assert joined(rows, bits=bits, radius=radius) == brute(rows, radius)
