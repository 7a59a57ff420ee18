"""Words to bits: published values of MurmurHash3, and BLAKE2b as the standard library has it."""

import hashlib

import mmh3
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leitong.indexer.errors import RecipeError
from leitong.indexer.fingerprint.hashing import HASHES, hash_words


def values(words: list[str], *, family: str, seed: int = 0, bits: int) -> list[int]:
    rows = hash_words(words, family=family, seed=seed, bits=bits)
    assert rows.dtype == np.uint64 and rows.shape == (len(words), 2 if bits == 128 else 1)
    return [int.from_bytes(row.astype(">u8").tobytes(), "big") for row in rows]


@pytest.mark.parametrize(
    ("word", "seed", "bits", "hash_"),
    [  # of the reference implementation, smhasher
        ("hello", 0, 32, 0x248BFA47),
        ("hello", 0, 64, 0xCBD8A7B341BD9B02),
        ("hello", 0, 128, 0xCBD8A7B341BD9B025B1E906A48AE1D19),
        ("", 1, 32, 0x514E28B7),
        ("", 0, 128, 0),
    ],
)
def test_murmur3_reference_values(word: str, seed: int, bits: int, hash_: int) -> None:
    assert values([word], family="mmh3", seed=seed, bits=bits) == [hash_]


@given(
    words=st.lists(st.text(max_size=8), max_size=5), seed=st.integers(0, 2**32 - 1), bits=st.sampled_from([32, 64, 128])
)
def test_every_family_hashes_utf8(words: list[str], seed: int, bits: int) -> None:
    murmur, blake = [], []
    for word in words:
        octets = word.encode("utf-8", "surrogatepass")
        if bits == 32:
            murmur.append(mmh3.hash(octets, seed, signed=False))
        else:
            upper, lower = mmh3.hash64(octets, seed, x64arch=True, signed=False)
            murmur.append(upper if bits == 64 else upper * 2**64 + lower)
        key = seed.to_bytes(8, "big") if seed else b""
        blake.append(int(hashlib.blake2b(octets, digest_size=bits // 8, key=key).hexdigest(), 16))
    assert values(words, family="mmh3", seed=seed, bits=bits) == murmur
    assert values(words, family="blake2b", seed=seed, bits=bits) == blake


@pytest.mark.parametrize("family", sorted(HASHES))
def test_the_seed_makes_another_function(family: str) -> None:
    assert values(["雷同"], family=family, seed=1, bits=64) != values(["雷同"], family=family, seed=2, bits=64)


def test_an_unknown_family_is_refused() -> None:
    with pytest.raises(RecipeError, match=r"Unknown hash 'md5'\. Known: blake2b, mmh3"):
        hash_words(["a"], family="md5", seed=0, bits=64)
