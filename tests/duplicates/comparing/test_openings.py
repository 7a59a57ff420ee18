"""Pages under one title are told apart by what they say first."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given

from leitong.indexer.duplicates.comparing.check import Profile, TextCheck
from leitong.indexer.duplicates.comparing.openings import BEGINNING, opening, unsaid
from leitong.indexer.passages import Passage, read, read_all
from tests.duplicates.drawn import article, learned
from tests.examples import examples
from tests.fingerprint.texts import TEXTS, anything

CODE_BITS = 6


def told(one: str, other: str, *, title: str = "") -> float:
    texts = read_all([Passage(title, f"{title}\n{text}" if title else text) for text in (one, other)])
    found = [
        opening(text, text.shingles >> np.uint64(20) << np.uint64(CODE_BITS), code_bits=CODE_BITS) for text in texts
    ]
    return float(unsaid(found[:1], found[1:])[0])


@given(one=anything, other=anything)
@examples(100)
def test_range_symmetry_and_itself(one: str, other: str) -> None:
    assert 0 <= told(one, other) <= 2 * BEGINNING
    assert told(one, other) == told(other, one)
    assert told(one, one) == 0


def test_a_word_counts_two_and_a_character_one() -> None:
    rest = article(6, 3 * BEGINNING)
    assert told(f"列出应用的所有者。{rest}", f"列出群组的所有者。{rest}") == 2
    assert told(f"列出application的所有者。{rest}", f"列出group的所有者。{rest}") == 2


@pytest.mark.parametrize("name", ["zh", "en", "mixed", "news"])
def test_nothing_is_unsaid_where_a_text_goes_on_or_a_remark_was_put_before(name: str) -> None:
    text = TEXTS[name]
    assert told(text, text + article(1)) == 0
    assert told(text, f"本页可能会更改。{text}") == 0


def test_what_comes_later_does_not_count() -> None:
    assert told(article(1, 3 * BEGINNING) + article(2), article(1, 3 * BEGINNING) + article(3)) == 0


def test_the_title_is_left_out_however_long() -> None:
    title = article(4, 2 * BEGINNING)
    assert told("应用" + article(5), "群组" + article(5), title=title) == 2


def test_few_or_no_units() -> None:
    assert told("", "。") == told("", TEXTS["zh"]) == 0
    assert len(opening(read(""), read("").shingles, code_bits=CODE_BITS)) == 0


REQUEST = "要了解详细信息包括如何选择权限请参阅权限一节所需的权限从低到高如下表所列可选的查询参数见另一页"
REPLY = "如果成功此方法返回响应代码和对象集合为了提高可读性此处的响应对象可能已经缩短但不影响它的含义"


@cache
def reference() -> TextCheck:
    texts = [f"{article(number, 60)}{REQUEST}{article(number + 50, 20)}{REPLY}" for number in range(30)]
    return TextCheck(learned(texts, titles=["列出所有者" if number % 2 else "删除所有者" for number in range(30)]))


def page(first: str) -> Profile:
    text = f"{first}{REQUEST}{article(90, 40)}{REPLY}"
    return reference().profile(read(f"列出所有者\n{text}", title="列出所有者"))


def test_one_page_of_a_reference_for_two_things_under_one_title() -> None:
    application, group = page("从应用程序的名单中取得它的所有者。"), page("从群组的名单中取得它的所有者。")
    reworded = page("从应用程序名单中取得所有者。")
    apart = reference().compare([application], [group]).similarity[0]
    assert apart < reference().compare([application], [reworded]).similarity[0]
    assert apart < reference().compare([application], [application]).similarity[0]
