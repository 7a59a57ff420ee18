"""What a screen shows of a text from somewhere else, and how an id is written."""

import json

import pytest

from leitong.indexer.plain import plain, written_id

STEERS = [*map(chr, range(0x20)), "\x7f", "\x9b", "\u061c", "\u202a", "\u202e", "\u2066", "\u2069", "\ufffa", "\ud83d"]
IDS = [
    *("a b", "a\nb", "a\tb", "a\rb", "a  b", "a b ", " a b", "a\u00a0b", "a\u2028b", "a\\nb", "a\\u0020b"),
    *("a\x1bb", "a\u202eb", "a\u2066b", 'a"b', "雷同 1", "雷同\u30001", "é", "e\u0301", "👩‍👧", " ", "  "),
]


@pytest.mark.parametrize("letter", [letter for letter in STEERS if letter not in "\t\n"], ids=ascii)
def test_nothing_that_steers_is_left(letter: str) -> None:
    assert plain(f"a{letter}b{letter}") == "a\ufffdb\ufffd"


def test_lines_and_letters_stay_as_they_are() -> None:
    for text in ("一行\n下一行\r\n\t第三行", "مرحبا", "שלום", "👩‍👧", "e\u0301", "a\u200eb", ""):
        assert plain(text) == text


def test_ids_can_be_told_apart() -> None:
    assert len({written_id(one) for one in IDS}) == len(IDS)


@pytest.mark.parametrize("doc_id", [*IDS, *(f"a{letter}b" for letter in STEERS)], ids=ascii)
def test_an_id_is_written_as_inside_a_json_string(doc_id: str) -> None:
    written = written_id(doc_id)
    assert json.loads(f'"{written}"') == doc_id
    assert written == plain(written) == " ".join(written.splitlines()).strip()


@pytest.mark.parametrize("doc_id", ["news/1", "a b", "雷同", "👩‍👧", "=1+1", "é"])
def test_usual_ids_are_written_as_they_are(doc_id: str) -> None:
    assert written_id(doc_id) == doc_id
