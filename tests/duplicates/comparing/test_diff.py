"""What two texts have in common, what only one has, what has moved: original texts, compared by letters and digits."""

import gzip
from itertools import islice, pairwise
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leitong.indexer.duplicates.comparing import diff as module
from leitong.indexer.duplicates.comparing.diff import Change, diff

BRIDGE = "港珠澳大桥今天正式通车运营。大桥全长55公里，连接香港、珠海和澳门。"
FIRST, SECOND, THIRD = "第一句话写的是桥梁。", "中间的一句话说明了原因。", "最后的一句话给出了结论。"


def text_a(changes: list[Change]) -> str:
    return "".join(change.text for change in changes if change.where != "b")


def text_b(changes: list[Change]) -> str:
    return "".join(change.text if change.text_b is None else change.text_b for change in changes if change.where != "a")


def shown(changes: list[Change]) -> list[tuple[str, str]]:
    return [(change.where, change.text) for change in changes]


def test_words_that_were_replaced() -> None:
    assert shown(diff("The quick brown fox jumps over the dog.", "The quick red fox jumps over the dog.")) == [
        ("both", "The quick "),
        ("a", "brown "),
        ("b", "red "),
        ("both", "fox jumps over the dog."),
    ]


@pytest.mark.parametrize(
    "other",
    [
        BRIDGE.replace("55", "５５").replace("，", ","),
        BRIDGE.replace("。", "!\n\n"),
        BRIDGE.replace("大桥", "【大桥】"),
        f"（{BRIDGE}）",
    ],
    ids=["width", "punctuation and blanks", "brackets", "around it"],
)
def test_width_and_brackets_make_no_difference(other: str) -> None:
    """Both have it; how B writes it is kept."""
    assert diff(BRIDGE, other) == [Change("both", BRIDGE, other)]
    longer = diff(BRIDGE + THIRD, other)
    assert [(change.where, change.text_b) for change in longer] == [("both", other), ("a", None)]


def test_a_sentence_that_moved() -> None:
    changes = diff(FIRST + SECOND + THIRD, THIRD + FIRST + SECOND)
    assert changes == [
        Change("b", THIRD, moved=1),
        Change("both", FIRST + SECOND),
        Change("a", THIRD, moved=1),
    ]


def test_moved_and_edited() -> None:
    changes = diff(FIRST + SECOND + THIRD, THIRD.replace("给出了", "有") + FIRST + SECOND.replace("原因", "理由"))
    assert {change.moved for change in changes} == {None}, "what is left of it is too short to be known again"
    assert shown(changes)[2:] == [("a", "原因。" + THIRD), ("b", "理由。")]


def test_every_moved_part_has_two_halves() -> None:
    changes = diff(f"{FIRST}{SECOND}{THIRD}{BRIDGE}", f"{THIRD}新的句子。{BRIDGE}{SECOND}{FIRST}")
    halves: dict[int | None, set[str]] = {}
    for change in changes:
        halves.setdefault(change.moved, set()).add(change.where)
    assert all(where == {"a", "b"} for number, where in halves.items() if number)
    assert len(halves) >= 3


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("", "", []),
        ("", "甲", [("b", "甲")]),
        ("甲。", "", [("a", "甲。")]),
        ("。。", "！", [("a", "。。"), ("b", "！")]),
        ("。。", "甲乙丙丁。", [("b", "甲乙丙丁。"), ("a", "。。")]),
        ("甲", "甲。", [("both", "甲")]),
        ("哈哈哈哈哈哈", "哈哈哈哈", [("both", "哈哈哈哈"), ("a", "哈哈")]),
    ],
)
def test_little_text(a: str, b: str, expected: list[tuple[str, str]]) -> None:
    assert shown(diff(a, b)) == expected


words = st.lists(
    st.sampled_from(
        ["甲乙丙丁戊", "己庚辛壬癸子丑寅", "a.b ", "ＡＢ c;\n", "\n\n", "one two three four ", "。", "㎡", "é"]
    ),
    max_size=12,
).map("".join)


@given(a=words, b=words)
def test_a_diff_holds_both_texts_whole(a: str, b: str) -> None:
    changes = diff(a, b)
    assert text_a(changes) == a
    assert text_b(changes) == b
    assert all(change.text or change.text_b for change in changes)
    if a == b:
        assert changes == ([Change("both", a)] if a else [])
    else:
        assert all(change.text != change.text_b for change in changes)


@given(a=words, b=words)
def test_long_texts_are_compared_by_sentences(a: str, b: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BY_SENTENCES", 0)
        changes = diff(a, b)
    assert (text_a(changes), text_b(changes)) == (a, b)


@pytest.mark.slow
def test_real_news(data: Path) -> None:
    """Neighbours in a real collection, related or not: both texts come back whole."""
    with gzip.open(data / "zh-webnews-2018" / "docs.jsonl.gz") as lines:
        texts = [orjson.loads(line)["text"][:3000] for line in islice(lines, 60)]
    for a, b in pairwise(texts):
        for one, other in ((a, b), (a, a[len(a) // 2 :] + b + a[: len(a) // 2])):
            changes = diff(one, other)
            assert (text_a(changes), text_b(changes)) == (one, other)
    halves = diff(texts[0], texts[0][len(texts[0]) // 2 :] + texts[0][: len(texts[0]) // 2])
    assert any(change.moved for change in halves)


@pytest.mark.parametrize("line", ["-", " ", "，", "_", "\u0301", "- "])
def test_a_line_of_three_hundred_thousand_signs_is_read_once(line: str) -> None:
    """As between the parts of an export. Reading it again from each of them would take hours."""
    signs = line * (300_000 // len(line))
    assert [change.where for change in diff(f"{FIRST}{signs}", f"{FIRST}{signs}")] == ["both"]
    assert [change.where for change in diff(f"{FIRST}{signs}{SECOND}", f"{FIRST}{signs}")] == ["both", "a"]
