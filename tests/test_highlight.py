"""Which piece of a text is shown for the words of a question."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leitong.indexer.fingerprint.recipe import load
from leitong.indexer.highlight import SNIPPET_CHARACTERS, Snippet, snippet
from leitong.indexer.prepare import Preparer

LETTERS = re.compile(r"\w+|\S")


def found(text: str, *words: str) -> Snippet:
    return snippet(text, frozenset(words), cut=LETTERS.findall)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("港珠澳大桥今天正式通车。大桥全长 ５５ 公里，连接香港、珠海和澳门。", "55"),
        ("<img src=x onerror=alert(1)> Elasticsearch keeps an index of every word", "every"),
        ("a" * (SNIPPET_CHARACTERS - 5) + " word", "word"),
        ("", "word"),
    ],
)
def test_a_text_that_fits_is_shown_whole(text: str, word: str) -> None:
    piece = found(text, word)
    assert (piece.text, piece.follows, piece.more) == (text, False, False)
    assert len(piece.marks) == bool(text)


def test_the_end_of_a_text_is_shown_with_what_stands_before_it() -> None:
    text = "one two three four " * 20 + "needle."
    piece = found(text, "needle")
    assert text.endswith(piece.text) and SNIPPET_CHARACTERS <= len(piece.text) <= SNIPPET_CHARACTERS + 20
    assert text[-len(piece.text) - 1] == " ", "no word is cut at the beginning"
    assert (piece.follows, piece.more) == (True, False)


def test_where_something_is_left_out_is_told_and_nothing_else_changes() -> None:
    text = "zero one two three " * 20 + "needle " + "four five six seven " * 20
    piece = found(text, "needle")
    assert (piece.follows, piece.more) == (True, True)
    assert piece.text in text and not piece.text[0].isspace()
    assert piece.marked() == piece.text.replace("needle", "<em>needle</em>")
    assert piece.marked(left_out="…") == f"…{piece.marked()}…"
    assert not found(f"{'x ' * 50} \n\n{' ' * 500}", "y").more, "blanks are nothing"


@pytest.mark.parametrize(
    ("text", "word", "marks"),
    [
        ("abécédaire", "ab", ()),
        ("Straßenbahn", "bahn", ()),
        ("гражданин", "гра", ()),
        ("中华人民共和国", "人民", ((2, 4),)),
        ("唱卡拉ok", "ok", ((3, 5),)),
    ],
)
def test_words_stand_inside_longer_ones_where_no_blanks_part_them(text: str, word: str, marks: object) -> None:
    assert found(text, word).marks == marks


@given(st.text("ab \n。.é汉", max_size=400), st.sampled_from(["a", "b", "ab", "汉"]))
def test_what_is_marked_is_the_word_wherever_the_piece_is(text: str, word: str) -> None:
    piece = found(text, word)
    assert all(piece.text[start:end].startswith(word[0]) for start, end in piece.marks)
    assert piece.text in re.sub(r"\s", " ", text)
    assert len(piece.text) >= min(len(text), SNIPPET_CHARACTERS)
    beside_han = len(word) > 1 and re.search(f"(?<![abé]){word}(?![abé])", text) is not None
    assert bool(piece.marks) == (word in LETTERS.findall(text) or beside_han)


@pytest.mark.parametrize(
    ("recipe", "text", "question", "shown"),
    [
        ("standard", "唱カラオケ。からおけ、カラ", "カラ", "唱<em>カラ</em>オケ。からおけ、<em>カラ</em>"),
        ("standard", "唱カラオケ。", "ラオケ", "唱カ<em>ラオケ</em>。"),
        ("standard", "ハハハハと笑う", "ハハハ", "<em>ハハハハ</em>と笑う"),
        ("standard", "ภาษาไทยเป็นภาษา", "ภาษา", "<em>ภาษา</em>ไทยเป็น<em>ภาษา</em>"),
        ("standard", "มีน้ำใจ", "น้ำใจ", "มี<em>น้ำใจ</em>"),
        ("standard", "हिन्दी भारत की भाषा", "भाषा", "हिन्दी भारत की <em>भाषा</em>"),
        ("standard", "اللُّغَةُ العَرَبِيَّةُ", "العربية", "اللُّغَةُ <em>العَرَبِيَّةُ</em>"),
        ("standard", "မြန်မာဘာသာစကား", "ဘာသာ", "မြန်မာ<em>ဘာသာ</em>စကား"),
        ("chars", "港珠澳大桥今天通车", "大桥今天", "港珠澳<em>大桥今天</em>通车"),
        ("chars", "哈哈哈哈哈！", "哈哈哈", "<em>哈哈哈哈哈</em>！"),
        ("chars", "a banana, an ananas", "nanas", "a b<em>anana</em>, an <em>ananas</em>"),
    ],
)
def test_overlapping_words_and_those_with_signs_are_marked_whole(
    recipe: str, text: str, question: str, shown: str
) -> None:
    preparer = Preparer(load(recipe))
    words = frozenset(preparer.query_words(question))
    assert snippet(text, words, cut=preparer.search_words).marked() == shown


@pytest.mark.parametrize("unit", ["汉", "a", "é", "ア", "कि", "ع\u064e"])
def test_one_word_as_long_as_all_that_is_looked_at(unit: str) -> None:
    preparer = Preparer(load("standard"))
    piece = snippet(f"大桥 {unit * 60_000}", frozenset({"大桥", "汉汉"}), cut=preparer.search_words)
    assert piece.marked().startswith("<em>大桥</em>")
