"""Two texts in rows: nothing is lost, and what both have stands at one height."""

from hypothesis import given
from hypothesis import strategies as st

from leitong.indexer.duplicates.comparing.diff import Change, diff
from leitong.web.sidebyside import Row, rows

LINES = st.lists(
    st.sampled_from(["第一段说的是春天。", "第二段说的是夏天！\n", "the third part is about autumn; ", "冬\n", "\n"])
)


def whole(found: list[Row], side: str) -> str:
    return "".join(
        "".join(piece.text for piece in (row.a if side == "a" else row.b)) + row.hidden + row.end for row in found
    )


@given(LINES, LINES)
def test_rows_hold_both_texts_whole(one: list[str], other: list[str]) -> None:
    a, b = "".join(one), "".join(other)
    found = rows(diff(a, b))
    assert (whole(found, "a"), whole(found, "b")) == (a, b)


def test_what_both_have_is_unmarked_and_what_one_has_is_marked() -> None:
    (row,) = rows([Change("both", "大桥"), Change("a", "昨天"), Change("b", "今天"), Change("both", "通车。")])
    assert [(piece.text, piece.own) for piece in row.a] == [("大桥", False), ("昨天", True), ("通车。", False)]
    assert [(piece.text, piece.own) for piece in row.b] == [("大桥", False), ("今天", True), ("通车。", False)]
    assert not row.same


def test_the_middle_of_a_long_common_run_is_hidden() -> None:
    text = "一样的话" * 500
    (row,) = rows([Change("both", text)])
    assert row.same
    assert len(row.hidden) > 1_500
    assert row.a[0].text + row.hidden + row.end == text


def test_a_passage_that_moved_has_its_number_on_both_sides() -> None:
    found = rows([Change("a", "甲乙丙丁。", moved=1), Change("both", "中间。"), Change("b", "甲乙丙丁。", moved=1)])
    pieces = [piece for row in found for piece in (*row.a, *row.b) if piece.moved]
    assert [(piece.moved, piece.own) for piece in pieces] == [(1, False), (1, False)]
