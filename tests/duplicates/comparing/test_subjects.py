"""Two texts of one form are told apart by what they name again and again."""

import pytest
from hypothesis import given

from leitong.indexer.duplicates.commonness.boilerplate import Learner
from leitong.indexer.duplicates.comparing.subjects import foreign
from leitong.indexer.fingerprint.terms import Terms, term_counts, term_hashes
from leitong.indexer.passages import Passage, outlines, read
from tests.duplicates.collection import STORY
from tests.duplicates.drawn import article
from tests.examples import examples
from tests.fingerprint.texts import TEXTS, anything

PAGE = "要把{0}的数据迁到服务器，先连接{0}，再选择{0}中的表。{0}的类型由映射决定，见{0}参考。最后比较{0}的行数。"


def of(text: str) -> Terms:
    return read(text).terms


def told(one: str, other: str) -> float:
    return float(foreign([of(one)], [of(other)])[0][0])


@given(one=anything, other=anything)
@examples(100)
def test_range_symmetry_and_itself(one: str, other: str) -> None:
    assert 0 <= told(one, other) < 1
    assert told(one, other) == told(other, one)
    assert told(one, one) == 0


def test_a_form_filled_in_for_two_subjects() -> None:
    assert told(PAGE.format("甲骨文"), PAGE.format("贝塔库")) > 0.3
    assert told(PAGE.format("Oracle"), PAGE.format("Sybase")) > 0.15


@pytest.mark.parametrize("name", ["zh", "en", "mixed", "news"])
def test_an_abridged_text_names_nothing_foreign(name: str) -> None:
    text = TEXTS[name]
    assert told(text, text[: len(text) // 2]) == 0


def test_what_is_named_once_does_not_count() -> None:
    assert told("昨天下午开会讨论了预算", "今天上午休息参观了公园") == 0


def test_each_term_is_told_once_with_how_often_it_stands() -> None:
    found = of("红花 red red red 绿叶 red")
    assert sorted(term_counts(found).tolist())[-2:] == [2, 4]  # "red red" and "red"
    assert len(term_hashes(found)) == len(set(term_hashes(found).tolist()))
    assert of("").tolist() == of("。").tolist() == []
    assert term_counts(of("a " * 1000)).tolist() == [255, 255]


def test_what_many_texts_hold_is_no_subject() -> None:
    with Learner() as learner:
        learner.add(outlines([Passage("", f"{article(number)}本站版权所有未经许可不得转载") for number in range(40)]))
        learned = learner.finish(documents=40)
    common = learned.uncommon(of("版权版权版权所有"))
    assert len(common) < len(of("版权版权版权所有"))
    assert learned.uncommon(of(STORY)).tolist() == of(STORY).tolist()
