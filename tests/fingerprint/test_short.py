"""A short text with one letter in twenty replaced, inserted or left out shares a key with what it was."""

from typing import Final

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from leitong.indexer.fingerprint.normalise import normalise
from leitong.indexer.fingerprint.short import MOST, WINDOW, letters, short_keys, windows
from leitong.indexer.passages import Passage, read
from leitong.indexer.prepare import Preparer
from tests.duplicates.collection import WORDS
from tests.examples import examples
from tests.fingerprint.texts import TEXTS, anything

WORD = st.text(alphabet="abcdefgh天地玄黄宇宙洪荒日月", min_size=2, max_size=MOST)


def keys(text: str) -> set[int]:
    return set(short_keys(letters(text)).tolist())


@given(
    text=WORD,
    place=st.integers(0, MOST),
    letter=st.sampled_from("xyz星辰"),
    edit=st.sampled_from(["put", "cut", "add"]),
)
@examples(300)
def test_one_edit_leaves_a_key(text: str, place: int, letter: str, edit: str) -> None:
    place %= len(text)
    changed = text[:place] + ("" if edit == "cut" else letter) + text[place + (edit != "add") :]
    assume(len(changed) <= MOST)
    assert keys(text) & keys(changed)


@given(text=st.text(alphabet="天地玄黄宇宙洪荒日月盈昃辰宿列张", min_size=40, max_size=60), data=st.data())
@examples(100)
def test_one_letter_in_twenty_leaves_a_key(text: str, data: st.DataObject) -> None:
    changed = list(text)
    for place in data.draw(st.lists(st.integers(0, len(text) - 1), max_size=len(text) // 20)):
        changed[place] = "x"
    assert keys(text) & keys("".join(changed))


@given(text=anything)
def test_only_letters_of_short_texts_count(text: str) -> None:
    found = letters(normalise(text))
    assert len(found) <= MOST
    assert found.tolist() == letters(f"  {normalise(text)} 。!").tolist()
    assert len(short_keys(found)) <= 2 * MOST
    assert len(windows(found)) == max(0, len(found) - WINDOW + 1)


def test_a_longer_text_has_no_letters_and_no_further_keys() -> None:
    assert len(letters("字" * MOST)) == MOST
    assert len(letters("字" * (MOST + 1))) == 0
    assert len(letters(" " * 10_000 + "字")) == 0
    assert not keys(normalise(TEXTS["news"]))


def test_texts_that_share_nothing_share_no_key() -> None:
    assert not keys("床前明月光疑是地上霜") & keys("春眠不觉晓处处闻啼鸟")


@pytest.mark.parametrize("text", ["上海", "the quick brown fox", "床前明月光，疑是地上霜。", TEXTS["news"], "……"])
def test_what_is_stored_is_what_is_asked_for(text: str) -> None:
    stored = Preparer(WORDS).prepare([Passage("", text)]).keys
    assert set(read(text).keys.tolist()) <= set(stored)


GOLDEN: Final[dict[str, list[int]]] = {
    "上海": [4265838347940150401, 6568082958266501943, 17894923831623243909],
    "fox": [1164144811718783321, 1657983827043028947, 12263968726607688185, 15717300610519480105],
    "床前明月光 9": [
        871452317112769461,
        6647891244875529172,
        9515699186331205040,
        13004601468954771805,
        15895319810476219488,
        15961894776776783501,
        16425986094752795510,
    ],
}


def test_keys_never_change() -> None:
    assert {text: short_keys(letters(text)).tolist() for text in GOLDEN} == GOLDEN
