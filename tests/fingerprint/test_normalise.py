"""The same letter in another width, case or composition is the same letter; punctuation stays."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leitong.indexer.fingerprint.normalise import HAN, SIMPLIFIED, OutsideOf, normalise, normalise_all
from tests.fingerprint.texts import TEXTS, anything


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("ＳｉｍＨａｓｈ２０２６", "simhash2026"),
        ("HTML Straße ÉCOLE", "html straße école"),
        ("Ⅳ ① ㎏ ﬁne", "iv 1 kg fine"),
        ("ｶﾀｶﾅ ｶﾞ", "カタカナ ガ"),
        ("中文，标点！（不变）", "中文，标点！（不变）"),
        ("豈更車", "豈更車"),  # CJK compatibility ideographs, U+F900 and after
        ("Ελληνικά Кириллица", "ελληνικά кириллица"),
        ("\ud800 half", "\ud800 half"),
        ("全\u3000角", "全 角"),
        ("", ""),
    ],
)
def test_width_case_and_compatibility_forms_are_folded(text: str, wanted: str) -> None:
    assert normalise(text) == wanted


@pytest.mark.parametrize("text", ["café", "naïve Ångström", "Đặng Việt Hưng", "ガギグ", "ǰ ẖ ẗ", "각"])
def test_an_accent_may_be_loose_or_part_of_the_letter(text: str) -> None:
    """macOS writes file names, and many a text, decomposed."""
    loose = unicodedata.normalize("NFD", text)
    assert loose != text
    assert normalise(loose) == normalise(text) == normalise(text.upper())


def test_punctuation_and_blanks_stay() -> None:
    text = "“引用”——说，“a b\tc\n”。！？：；（）【】《》"
    assert normalise(text) == text


@given(anything)
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once


@given(st.text(alphabet=st.characters(categories=("L", "N")), max_size=40))
def test_letters_and_digits_are_what_nfkc_makes_of_them(text: str) -> None:
    """The short way round (only what NFKC may change goes through it) ends where the long way ends."""
    assert normalise(text) == unicodedata.normalize("NFKC", text.lower()).lower()


@pytest.mark.slow
def test_every_character_composed_or_not() -> None:
    for code in (*range(0xD800), *range(0xE000, 0x110000)):
        letter = chr(code)
        folded = normalise(letter)
        assert normalise(folded) == folded, hex(code)
        if any(map(str.isalnum, folded)):
            assert normalise(unicodedata.normalize("NFD", letter)) == folded, hex(code)


@given(anything)
def test_outside_of_agrees_with_looking_at_each_character(text: str) -> None:
    ranges = ((0x00, 0x7F), *HAN[:4])
    expected = any(not any(first <= ord(letter) <= last for first, last in ranges) for letter in text)
    assert OutsideOf(ranges)(text) == expected


def test_real_texts_keep_their_length_in_words() -> None:
    for text in TEXTS.values():
        assert len(normalise(text).split()) == len(text.split())


class TestScript:
    """Where a recipe asks for it, Traditional characters are the Simplified ones that they became."""

    def test_a_real_text_in_both_scripts(self) -> None:
        traditional, simplified = TEXTS["zh-traditional"], TEXTS["zh"]
        assert normalise(traditional, script=SIMPLIFIED) == normalise(simplified) != normalise(traditional)

    @pytest.mark.parametrize(
        ("text", "wanted"),
        [
            ("臺灣與台灣", "台湾与台湾"),
            ("裏裡里", "里里里"),
            ("電腦軟體", "电脑软体"),  # characters, not words
            ("薴", "苎"),  # by way of 苧
            ("ＡＢＣ龍 Ⅳ", "abc龙 iv"),
            ("日本語 ひらがな", "日本语 ひらがな"),
            ("", ""),
        ],
    )
    def test_traditional_characters_are_read_as_simplified_ones(self, text: str, wanted: str) -> None:
        assert normalise(text, script=SIMPLIFIED) == wanted

    @given(st.one_of(anything, st.text(alphabet="臺灣龍裏裡里薴苧體A１é𠮷😀，", max_size=30)))
    def test_letters_keep_their_places_one_text_or_many(self, text: str) -> None:
        once = normalise(text, script=SIMPLIFIED)
        assert len(once) == len(normalise(text))
        assert normalise(once, script=SIMPLIFIED) == once
        both = normalise_all([text, "臺灣", text], script=SIMPLIFIED)
        assert [one.text for one in both] == [once, "台湾", once]
        assert both[0].plain == normalise_all([text])[0].plain
