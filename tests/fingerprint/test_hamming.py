"""Fingerprints as rows of words and as integers, and how many bits differ."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leitong.indexer.fingerprint.hamming import distance, distances, pack, to_hex, unpack, words_of


@st.composite
def values(draw: st.DrawFn) -> tuple[int, list[int]]:
    bits = draw(st.sampled_from([32, 64, 128]))
    return bits, draw(st.lists(st.integers(0, 2**bits - 1), min_size=1, max_size=10))


@given(values())
def test_packing_and_unpacking(case: tuple[int, list[int]]) -> None:
    bits, numbers = case
    rows = pack(numbers, bits)
    assert rows.shape == (len(numbers), words_of(bits)) and rows.dtype == np.uint64
    assert unpack(rows) == numbers


@given(values())
def test_distances_count_differing_bits(case: tuple[int, list[int]]) -> None:
    bits, numbers = case
    rows = pack(numbers, bits)
    wanted = [bin(number ^ numbers[0]).count("1") for number in numbers]
    assert distances(rows, rows[:1]).tolist() == wanted
    assert [distance(number, numbers[0]) for number in numbers] == wanted
    assert distances(rows, rows[::-1]).tolist() == [distance(a, b) for a, b in zip(numbers, numbers[::-1], strict=True)]


def test_all_bits_may_differ() -> None:
    for bits in (32, 64, 128):
        assert distances(pack([0], bits), pack([2**bits - 1], bits)).tolist() == [bits]


def test_no_fingerprints() -> None:
    assert pack([], 64).shape == (0, 1) and pack([], 128).shape == (0, 2)
    assert unpack(pack([], 64)) == unpack(pack([], 128)) == []
    assert distances(pack([], 128), pack([5], 128)).tolist() == []


@pytest.mark.parametrize(
    ("value", "bits", "wanted"), [(255, 32, "000000ff"), (0, 64, "0" * 16), (1, 128, "0" * 31 + "1")]
)
def test_hexadecimal(value: int, bits: int, wanted: str) -> None:
    assert to_hex(value, bits) == wanted
