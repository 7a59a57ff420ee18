"""Numbers are named by the letters around them: the same letters, another number, is a changed number."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leitong.indexer.fingerprint.normalise import normalise
from leitong.indexer.fingerprint.numbers import CONTEXT, NUMBER_BITS, numbers
from tests.fingerprint.texts import anything


def places(text: str) -> set[int]:
    return {value for value in numbers(normalise(text)).tolist() if not value % (1 << NUMBER_BITS)}


def filled(text: str) -> set[int]:
    return set(numbers(normalise(text)).tolist()) - places(text)


@given(text=anything)
def test_any_text_has_sorted_distinct_numbers_of_44_bits(text: str) -> None:
    found = numbers(normalise(text))
    assert found.dtype == np.uint64
    assert (found[1:] > found[:-1]).all()
    assert not len(found) or int(found[-1]) < 1 << 44


@given(one=st.integers(0, 10**12), other=st.integers(0, 10**12))
def test_the_place_is_known_whatever_the_number(one: int, other: int) -> None:
    left, right = f"报名人数达到{one}人，创历史新高", f"本周报名人数达到 {other} 人。创历史新高。"
    assert places(left) == places(right) and len(places(left)) == 1
    assert (filled(left) == filled(right)) == (one == other)


@pytest.mark.parametrize(
    ("one", "other"), [("1,000", "1000"), ("１０００", "1000"), ("3.5%", "35"), ("12:30", "12：30")]
)
def test_separators_and_width_do_not_count(one: str, other: str) -> None:
    assert filled(f"the price is {one} dollars") == filled(f"THE PRICE IS {other} DOLLARS")


def test_a_date_is_one_number() -> None:
    assert len(places("截止十月份2018年10月26日16时，北京地区")) == 1


@pytest.mark.parametrize("text", ["", "12", "没有数字", "年2018年度报告", "二零一八年度报告", "2018"])
def test_no_number_without_letters_around_it(text: str) -> None:
    assert len(numbers(text)) == 0


def test_letters_enough_on_both_sides() -> None:
    letters = "甲乙丙丁"
    assert len(places(letters[:CONTEXT] + "7" + letters[:CONTEXT])) == 1
    assert len(places(letters[: CONTEXT - 1] + "7" + letters[:CONTEXT])) == 0
