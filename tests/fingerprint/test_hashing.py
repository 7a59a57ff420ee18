"""Words to bits: the published values of each family."""

import hashlib
from typing import Final

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


VERIFICATION: Final = {  # of smhasher: a checksum over 256 keys and seeds, printed in its table of functions
    ("murmur2", 32): 0x27864C1E,
    ("murmur2", 64): 0x1F0D3804,
    ("mmh3", 32): 0xB0F57EE3,
}


@pytest.mark.parametrize(("family", "bits"), list(VERIFICATION))
def test_the_checksum_of_smhasher(family: str, bits: int) -> None:
    """Keys of 0 to 255 bytes 0, 1, 2, …, each with the seed 256 - length; the hashes together are hashed again."""
    hash_ = HASHES[family]
    key = bytes(range(256))
    together = b"".join(hash_(key[:size], 256 - size, bits).to_bytes(bits // 8, "little") for size in range(256))
    assert hash_(together, 0, bits) & 0xFFFFFFFF == VERIFICATION[family, bits]


CITY: Final = {  # size of the key: CityHash64, CityHash64WithSeed by 1234567, from Google's 1.1; 1.0 had others
    0: (0x9AE16A3B2F90404F, 0x75106DB890237A4A),
    1: (0xCBA3F2CA8391B238, 0x3B365791E8339B7A),
    2: (0x7010064660AC75FE, 0x50B753244E99F3D6),
    3: (0x6D15E2F64ED6E9ED, 0x9DC263736F704B51),
    4: (0x6909F428854D7BFF, 0x9AFBB4A9EDDDD1F6),
    7: (0x3E582E3278CE84C0, 0x6970CFBC6BD603B2),
    8: (0xF48CEB04506AC64E, 0xE6F0924526FC4F0C),
    9: (0x29899479FC017C4A, 0xDDA7E6F291D1A058),
    16: (0x0F694D306B01D6FD, 0x91573044C176D9C0),
    17: (0xC5415D937A4A3466, 0xC1BB61E4E5E9CF54),
    32: (0xAAE5E5D14C32F5C2, 0x507F4993D7238FD4),
    33: (0xDEED449BC818CA55, 0x793832CE39F784BE),
    48: (0xC1BE9F2DD78B0AEB, 0x333D953A5FBAF986),
    64: (0x9508F37F99020447, 0xE4FB50F1F88C8C90),
    65: (0x1A2BD6641870B0E4, 0xE4126E928F4A7314),
    127: (0xE07EDBE7325C718C, 0x9DB1EDA964F06827),
    128: (0xF4B56421EAE4C4E7, 0x5DA0070CF40937A0),
    129: (0xC07FCB8AE7B4E480, 0x4EBCAD82E0B53976),
    299: (0x6344D0E07A6EABC6, 0x7149EBCD32C8A102),
}


def test_cityhash_at_every_range_of_lengths() -> None:
    """The test data of the reference: key number i is i pseudorandom bytes from place i * i."""
    a, b, mask, data = 9, 777, 2**64 - 1, bytearray()
    for place in range(300 * 300):
        a = ((a ^ (a >> 41)) * 0xC3A5C85C97CB3127 + b) & mask
        b = ((b ^ (b >> 41)) * 0xC3A5C85C97CB3127 + place) & mask
        data.append(b >> 37 & 0xFF)
    for size, hashes in CITY.items():
        key = bytes(data[size * size : size * size + size])
        assert tuple(HASHES["cityhash64"](key, seed, 64) for seed in (0, 1234567)) == hashes, size


def test_xxh3_of_nothing() -> None:
    """The values its specification gives for no input."""
    assert values([""], family="xxh3", bits=64) == [0x2D06800538D394C2]
    assert values([""], family="xxh3", bits=128) == [0x99AA06D3014798D86001C324468D497F]


@given(word=st.binary(max_size=40), seed=st.integers(0, 2**32 - 1))
def test_bkdr_is_a_sum_of_powers_of_131(word: bytes, seed: int) -> None:
    terms = [octet * 131 ** (len(word) - 1 - place) for place, octet in enumerate(word)]
    assert HASHES["bkdr64"](word, seed, 64) == (seed * 131 ** len(word) + sum(terms)) % 2**64


def test_bkdr_leaves_the_upper_bits_of_short_words_empty() -> None:
    """Widened to 64 bits it has nothing to fill them with: a word of two Chinese characters reaches 44 bits."""
    assert max(values(["中国", "读者", "世界"], family="bkdr64", bits=64)) < 2**44


@given(word=st.text(max_size=8), seed=st.integers(0, 2**32 - 1))
def test_fifty_bits_are_the_lower_ones(word: str, seed: int) -> None:
    for family in HASHES:
        (whole,) = values([word], family=family, seed=seed, bits=64)
        assert values([word], family=family, seed=seed, bits=50) == [whole % 2**50]


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
    with pytest.raises(RecipeError, match=r"Unknown hash 'md5'\. Known: bkdr64, blake2b"):
        hash_words(["a"], family="md5", seed=0, bits=64)


def test_sizes_a_family_has_not() -> None:
    with pytest.raises(RecipeError, match="The hash xxh3 gives 50, 64, 128 bits, not 32"):
        hash_words(["a"], family="xxh3", seed=0, bits=32)
