"""Words by their rows: the compiled table against a dictionary, what is a feature against `str.isalnum`."""

import mmh3
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from leitong.indexer.fingerprint.hashing import HASHES, hash_octets
from leitong.indexer.fingerprint.kernels import lengths
from leitong.indexer.fingerprint.recipe import load
from leitong.indexer.fingerprint.vocabulary import Vocabulary
from leitong.indexer.fingerprint.wordtable import SHORT, as_utf8

RECIPE = load("standard")
anything = st.text(st.characters(), max_size=3 * SHORT)
"""Lone surrogates and NUL too; short words, longer ones, and none at all."""
close = st.text("ab长", max_size=SHORT + 2)
"""Many that begin alike."""


@given(lists=st.lists(st.lists(anything | close, max_size=30), max_size=4))
def test_a_word_has_one_row_and_no_other_word_has_it(lists: list[list[str]]) -> None:
    vocabulary = Vocabulary(RECIPE, [])
    row_of: dict[str, int] = {}
    for words in lists:
        for word, row in zip(words, vocabulary.rows(words).tolist(), strict=True):
            assert row_of.setdefault(word, row) == row
            assert (row >= 0) == (any(map(str.isalnum, word)) and word not in RECIPE.stop_set), word
    assert len(set(row_of.values())) == len(row_of)
    assert {row for row in row_of.values() if row >= 0} == set(range(vocabulary.features))
    assert all(-vocabulary.others <= row < vocabulary.features for row in row_of.values())


def test_features_are_words_with_a_letter_or_digit_of_any_script() -> None:
    characters = list(map(chr, range(0x110000)))
    rows = Vocabulary(RECIPE, []).rows(characters).tolist()
    features = [one for one, row in zip(characters, rows, strict=True) if row >= 0]
    assert features == [one for one in characters if one.isalnum() and one not in RECIPE.stop_set]


def test_long_words_that_differ_in_one_character_or_in_their_order() -> None:
    word = "".join(map(chr, range(ord("一"), ord("一") + 500)))
    others = [word[:place] + "长" + word[place + 1 :] for place in range(500)]
    turned = [word[place:] + word[:place] for place in range(1, 500)]
    assert len(set(Vocabulary(RECIPE, []).rows([word, *others, *turned, word[1:], word + "\0"]).tolist())) == 1_002


@given(words=st.lists(anything | st.text(max_size=300)))
def test_lengths_are_those_of_the_interpreter(words: list[str]) -> None:
    assert lengths(words).tolist() == list(map(len, words))


def test_each_feature_has_its_hash_and_its_length() -> None:
    words = ["雷同", "a", "naïve", "𠮷野家", "的", "a-very-long-word-of-one-piece", "\ud800x"]
    vocabulary = Vocabulary(RECIPE, [])
    for word, row in zip(words, vocabulary.rows(words).tolist(), strict=True):
        if row >= 0:
            octets = word.encode("utf-8", "surrogatepass")
            assert vocabulary.hashes[row].tolist() == [mmh3.hash64(octets, 0, signed=False)[0]]
            assert vocabulary.lengths[row] == len(word)


@given(words=st.lists(anything, max_size=8))
def test_bytes_are_those_of_utf8(words: list[str]) -> None:
    codes = np.array([ord(one) for word in words for one in word], dtype=np.uint32)
    sizes = np.array(list(map(len, words)), dtype=np.int32)
    octets, ends = as_utf8(codes, np.cumsum(sizes, dtype=np.int64) - sizes, sizes)
    keys = [word.encode("utf-8", "surrogatepass") for word in words]
    assert octets.tobytes() == b"".join(keys)
    assert np.diff(ends, prepend=0).tolist() == list(map(len, keys))


@given(keys=st.lists(st.binary(max_size=100), max_size=8), seed=st.integers(0, 2**32 - 1))
def test_the_compiled_hash_of_many_is_the_package_s_of_each(keys: list[bytes], seed: int) -> None:
    octets = np.frombuffer(b"".join(keys), dtype=np.uint8)
    ends = np.cumsum([len(key) for key in keys], dtype=np.int64)
    for bits in (64, 128):
        rows = hash_octets(octets, ends, family="mmh3", seed=seed, bits=bits)
        found = [int.from_bytes(row.astype(">u8").tobytes(), "big") for row in rows]
        assert found == [HASHES["mmh3"](key, seed, bits) for key in keys]
