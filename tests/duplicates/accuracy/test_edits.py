"""Copies as people make them: each edit does what it says, about as much of it as asked for."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leitong.indexer.duplicates.accuracy.edits import EDITS, Edit, edit, words
from leitong.indexer.duplicates.comparing.diff import diff

TEXT = "".join(f"第{number}句话说的是一件别处没有提到的事情{number * 7919 % 997}号。" for number in range(60))
FOREIGN = ["陌生", "外来", "奇怪"]


def made(text: str, kind: Edit, rate: float, seed: int = 1) -> str | None:
    return edit(text, kind, rate, foreign=FOREIGN, header="首页 新闻 体育 ", random=Random(seed))


@pytest.mark.parametrize("rate", [0.01, 0.05, 0.2])
def test_so_much_is_edited(rate: float) -> None:
    amount = rate * len(TEXT)
    replaced, moved, cut, headed = (made(TEXT, kind, rate) or "" for kind in EDITS)
    assert sum(map(replaced.count, FOREIGN)) == pytest.approx(amount / 2, rel=0.3, abs=2)
    assert sorted(moved) == sorted(TEXT) and moved != TEXT
    away = sum(len(change.text) for change in diff(TEXT, moved) if change.where == "a")
    assert 0 < away < amount + 60
    assert len(TEXT) - len(cut) == round(amount)
    assert headed.endswith("\n" + TEXT) and len(headed) - len(TEXT) == pytest.approx(amount, abs=2)


@pytest.mark.parametrize("kind", EDITS)
def test_the_same_seed_makes_the_same_copy(kind: Edit) -> None:
    assert made(TEXT, kind, 0.05) == made(TEXT, kind, 0.05)
    if kind != "header added":
        assert made(TEXT, kind, 0.05) != made(TEXT, kind, 0.05, seed=2)


def test_what_is_too_short_for_an_edit() -> None:
    assert made("一句话", "sentences moved", 0.1) is None
    assert made("……", "words replaced", 0.1) is None
    assert made("短", "paragraphs cut", 0.1) is None


def test_edits_take_words_and_pairs_of_chinese_letters() -> None:
    assert words("雷同的意思，SimHash 指纹！") == ["雷同", "的意", "思", "SimHash", "指纹"]


@given(
    text=st.text("甲乙丙丁a b。，！\n", min_size=1, max_size=60), kind=st.sampled_from(EDITS), rate=st.floats(0.01, 0.5)
)
def test_any_text_can_be_tried(text: str, kind: Edit, rate: float) -> None:
    copy = made(text, kind, rate)
    assert copy is None or copy.strip() or not text.strip()
