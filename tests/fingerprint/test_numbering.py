"""Numbering is what stands before a heading or an item; numbers that say something are not."""

import pytest
from hypothesis import given

from leitong.indexer.fingerprint.normalise import normalise
from leitong.indexer.fingerprint.numbering import unnumbered, without_numbering
from leitong.indexer.fingerprint.numbers import numbers
from leitong.indexer.fingerprint.shingles import units
from tests.examples import examples
from tests.fingerprint.texts import TEXTS, anything


@pytest.mark.parametrize(
    "text",
    [
        *("3. Paths", "2.13. Paths", "2.13 Paths", "A.4. Paths", "b. Paths", "1、Paths", "一、Paths", "十二、Paths"),
        *("第三章 Paths", "第 3 节 Paths", "  3. Paths", "３．　Paths"),
        *("Chapter 51. Paths", "CHAPTER IV: Paths", "Appendix C. Paths", "Глава\u00a03. Paths", "附录 A. Paths"),
    ],
)
def test_numbering(text: str) -> None:
    assert unnumbered(normalise(text)) == "paths"
    assert unnumbered(normalise(f"See there\n{text}\n{text}")) == "see there\npaths\npaths"


@pytest.mark.parametrize(
    "text",
    [
        *("3 paths", "3.15晚会", "2018. a year", "2018年", "3.5%", "0.5 of it", "1,000 paths", "v2.13 paths", "12:30"),
        *("chapter 3 of paths", "chapter. paths", "chapter 3.", "chapters 3. paths", "appendix on. paths"),
        *("第三章", "第3期 paths", "第三方 paths", "3.", "3.\npaths", "一 paths", "to 3. paths", "一个、两个"),
    ],
)
def test_numbers_that_say_something(text: str) -> None:
    assert unnumbered(text) is text


@given(text=anything)
@examples(60)
def test_a_text_without_numbering_is_itself(text: str) -> None:
    folded = normalise(text)
    cut = units([folded])
    found = next(without_numbering([folded], [(cut.hashes, cut.spans)]))
    assert len(found.units) == len(found.spans) <= len(cut.hashes)
    if unnumbered(folded) is folded:
        assert found.units is cut.hashes
        assert found.numbers.tolist() == numbers(folded).tolist()


def test_numbering_is_one_number_everywhere_and_no_unit() -> None:
    one, other = (f"before all\n{number} {TEXTS['en']}" for number in ("2.13.", "2.14."))
    texts = [normalise(one), normalise(other), normalise(f"before all\n{TEXTS['en']}")]
    cut = units(texts)
    found = list(without_numbering(texts, list(zip(cut.of_each(), [cut.spans] * 3, strict=True))))
    assert found[0].numbers.tolist() == found[1].numbers.tolist()
    assert found[0].units.tolist() == found[1].units.tolist() == found[2].units.tolist()
