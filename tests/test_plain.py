"""What a screen shows of a text from somewhere else, and how an id is written."""

import json
import subprocess

import pytest

from leitong.indexer.plain import by_numbers, plain, shell_word, written_id, written_value

STEERS = [*map(chr, range(0x20)), "\x7f", "\x9b", "\u061c", "\u202a", "\u202e", "\u2066", "\u2069", "\ufffa", "\ud83d"]
IDS = [
    *("a b", "a\nb", "a\tb", "a\rb", "a  b", "a b ", " a b", "a\u00a0b", "a\u2028b", "a\\nb", "a\\u0020b"),
    *(
        "ab",
        "a\u200bb",
        "ab\u200d",
        "a\u200db",
        "a\xadb",
        "ab\ufeff",
        "a\u2060b",
        "a\u200eb",
        "a\u3164b",
        "a\ufe0fb",
        "a\U000e0041b",
    ),
    *("👩", "👩\u200d", "👩\ufe0f", "\u200d👩", "❤", "❤\ufe0f"),
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


@pytest.mark.parametrize(
    "letter", ["\u200b", "\u200d", "\u200e", "\ufeff", "\xad", "\u3164", "\ufe0f", "\U000e0041"], ids=ascii
)
def test_nobody_overlooks_a_letter_of_an_id(letter: str) -> None:
    assert written_id(f"a{letter}b") == "a" + json.dumps(letter)[1:-1] + "b"


@pytest.mark.parametrize("letter", STEERS, ids=ascii)
def test_json_says_the_same_without_a_letter_that_steers(letter: str) -> None:
    value = {f"a{letter}": [f"{letter}雷同\n"]}
    written = by_numbers(json.dumps(value, ensure_ascii=False))
    assert written == plain(written)
    assert json.loads(written) == value


@pytest.mark.parametrize("doc_id", [*IDS, *(f"a{letter}b" for letter in STEERS)], ids=ascii)
def test_an_id_is_written_as_inside_a_json_string(doc_id: str) -> None:
    written = written_id(doc_id)
    assert json.loads(f'"{written}"') == doc_id
    assert written == plain(written) == " ".join(written.splitlines()).strip()


@pytest.mark.parametrize("doc_id", ["news/1", "a b", "雷同", "👩‍👧", "❤️‍🔥", "=1+1", "é", "می"])
def test_usual_ids_are_written_as_they_are(doc_id: str) -> None:
    assert written_id(doc_id) == doc_id


@pytest.mark.parametrize("doc_id", [*IDS, "it's", "$(a)", "a\x1b'\\b", "-x"], ids=ascii)
def test_an_id_can_be_pasted_into_a_shell(doc_id: str) -> None:
    word = shell_word(doc_id)
    assert plain(word) == word
    assert "\n" not in word
    shell = ["bash", "-c", f"printf %s {word}"]
    assert subprocess.run(shell, capture_output=True, env={"LC_ALL": "C.UTF-8"}).stdout.decode() == doc_id


@pytest.mark.parametrize(
    ("value", "written"),
    [("报", "报"), (None, "null"), (True, "true"), (2**70, str(2**70)), (["报", {"a": False}], '["报", {"a": false}]')],
)
def test_a_value_is_written_as_json_and_a_text_as_it_is(value: object, written: str) -> None:
    assert written_value(value) == written
