"""Which signs belong to a word where vowels are signs on letters."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leitong.indexer.fingerprint import signs
from leitong.indexer.fingerprint.normalise import normalise
from leitong.indexer.fingerprint.recipe import load
from leitong.indexer.forms import search_form, search_words

SEGMENTER = load("standard").build_segmenter()


def words(text: str) -> list[str]:
    return [form for form in map(search_form, search_words(normalise(text), SEGMENTER)) if form]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("हिन्दी भारत की भाषा है।", ["हिन्दी", "भारत", "की", "भाषा", "है"]),
        ("தமிழ் மொழி", ["தமிழ்", "மொழி"]),
        ("اللُّغَةُ العَرَبِيَّةُ", ["اللغة", "العربية"]),
        ("שָׁלוֹם עוֹלָם", ["שלום", "עולם"]),
        ("ශ්‍රී ලංකාව", ["ශ්රී", "ලංකාව"]),
        ("မြန်မာ", ["မြန်", "န်မာ"]),
        ("มี", ["มี"]),
        ("น้ำใจ 2026", ["น้ํา", "าใ", "ใจ", "2026"]),
        ("在मुंबई开会", ["在", "मुंबई", "开会"]),
        ("Nguyễn za\u0308hlt caf\u00e9", ["nguyễn", "zählt", "café"]),
        ("中华人民共和国", SEGMENTER.cut("中华人民共和国")),
    ],
)
def test_a_search_finds_whole_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_neighbouring_characters_skip_signs() -> None:
    chars = load("chars").build_segmenter()
    assert search_words("العَرَبِيَّةُ", chars) == search_words("العربية", chars) == chars.cut("العربية")


def test_pairs_are_cut_alike_with_and_without_signs_near_them() -> None:
    assert set(words("ไทย")) <= set(words("ภาษาไทยเป็นภาษา"))


@pytest.mark.parametrize(("word", "one"), [("มี", True), ("มา", False), ("ม", False), ("हि", False), ("မြ", True)])
def test_what_one_letter_is(word: str, one: bool) -> None:
    assert signs.is_one_letter(word) is one


@given(st.text(st.characters(codec="utf-8") | st.sampled_from("हिन्दीम\u064eع\u200dמָ a1汉💬️"), max_size=60))
def test_nothing_is_lost_and_only_runs_with_signs_are_told(text: str) -> None:
    parted = list(signs.parted(text))
    assert "".join(part for part, _ in parted) == text
    assert all(signs.holds_signs(part) for part, signed in parted if signed)
    if not signs.holds_signs(text):
        assert parted == [(text, False)]
    for part, signed in parted:
        if signed:
            assert set("".join(signs.words(part))) == set(part)


@pytest.mark.parametrize("word", ["a", "कि", "a\u200d", "ก", "\u0650"])
def test_a_word_of_a_million_characters_beside_one_with_signs_is_read_once(word: str) -> None:
    """Reading it again from each of its letters would take hours."""
    text = f"हि {word * 1_000_000}"
    assert "".join(part for part, _ in signs.parted(text)) == text


def test_signs_are_marks_and_accents_are_none_of_them() -> None:
    assert all(unicodedata.category(char) in ("Mn", "Mc") for char in "ि्ื़ָာ" if signs.holds_signs(char))
    assert not signs.holds_signs("e\u0301 ́ 汉字 text ❤\ufe0f カ\u3099 гражданин")
