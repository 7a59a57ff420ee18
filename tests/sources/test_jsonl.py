"""JSON lines: plain, gzip, stdin; strict, and nothing is lost."""

import gzip
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leitong.indexer.documents import Document
from leitong.indexer.sources.open import open_sources
from tests.sources.reading import Outcome, read

Content = Callable[..., Outcome]
GOOD = '{"id":"1","text":"央行宣布降准"}\n{"id":"2","text":"金庸逝世"}\n'


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "A.JSONL", "字 é.jsonl"])
def test_plain_files(content: Content, name: str) -> None:
    assert content(name, GOOD).texts == ["央行宣布降准", "金庸逝世"]


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.ndjson.gz", "A.JSONL.GZ", "named-wrongly.jsonl"])
def test_gzip_files(content: Content, name: str) -> None:
    outcome = content(name, gzip.compress(GOOD.encode()))
    assert outcome.texts == ["央行宣布降准", "金庸逝世"]
    assert outcome.sources[0].size == len(gzip.compress(GOOD.encode()))


def test_gzip_of_several_members_with_padding(content: Content) -> None:
    members = [gzip.compress(line.encode()) for line in GOOD.splitlines(keepends=True)]
    assert content("a.jsonl.gz", (b"\0" * 10).join(members) + b"\0" * 600_000).ids == ["1", "2"]


@pytest.mark.parametrize("data", [GOOD.encode(), gzip.compress(GOOD.encode(), mtime=0)])
def test_stdin_gives_json_lines(data: bytes) -> None:
    outcome = read("-", stdin=data)
    assert outcome.ids == ["1", "2"]
    assert [source.name for source in outcome.sources] == ["stdin"]


def test_stdin_that_is_a_pipe_is_not_closed_and_has_no_size() -> None:
    reading, writing = os.pipe()
    os.write(writing, GOOD.encode())
    os.close(writing)
    with open(reading, "rb") as pipe:  # noqa: PTH123
        (source,) = open_sources(["-"], stdin=pipe)
        assert source.size is None
        assert len(list(source)) == 2
        assert source.position == len(GOOD.encode())
        assert not pipe.closed


def test_windows_lines_blank_lines_bom_and_a_missing_last_newline(content: Content) -> None:
    outcome = content(
        "a.jsonl",
        b'\xef\xbb\xbf{"id":1,"text":"a"}\r\n\r\n  \t\r\n\n{"id":2,"text":"b"}\r\nnull\r\n{"id":3,"text":"c"}',
    )
    assert outcome.ids == ["1", "2", "3"]
    assert outcome.lines == [6]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"id":"1"', "the line is not JSON: unexpected end of data, column 10"),
        (b"id,text", "the line is not JSON"),
        (b"{'text': 'a'}", "the line is not JSON"),
        (b'{"text": "a"} {"text": "b"}', "the line is not JSON"),
        (b'{"text":"a","x":NaN}', "the line is not JSON: it holds NaN"),
        (b'{"text":"a","x":[1,-Infinity]}', "the line is not JSON: it holds Infinity"),
        (b'{"text":"a\tb"}', "the line is not JSON"),
        (b'[{"text":"a"}]', "the line is a list, not a JSON object; put each object on one line: jq -c '.[]'"),
        (b'"text"', "the line is a text, not a JSON object"),
        (b"null", "the line is null, not a JSON object"),
        (b"17", "the line is a single value, not a JSON object"),
        (b'{"text":"caf\xe9"}', "the line is not valid UTF-8: byte 13 is 0xe9"),
        ('{"text":"金庸逝世"}'.encode("gb18030"), "the line is not valid UTF-8: byte 10"),
        (b'{"text":"\xed\xa0\x80"}', "the line holds a lone surrogate (byte 10)"),
        (b'{"text":"\\ud800"}', "the line holds a lone surrogate"),
        (b'{"text":"\\udc00 \\ud83d"}', "the line holds a lone surrogate"),
        (b'{"text":"\\u0000"}', "the text holds a NUL"),
        (b"\0\0\0\0", "the line is not JSON"),
        (b"[" * 100_000, "the line is not JSON"),
    ],
)  # fmt: skip
def test_bad_lines_are_rejected_whole_and_the_rest_is_read(content: Content, line: bytes, reason: str) -> None:
    outcome = content("a.jsonl", b'{"id":"a","text":"x"}\n' + line + b'\n{"id":"b","text":"y"}\n')
    assert outcome.ids == ["a", "b"]
    (reject,) = outcome.rejects
    assert reject.line == 2
    assert reject.reason.startswith(reason)
    assert reject.record == line.decode("utf-8", "backslashreplace")


def test_a_pair_of_surrogates_is_a_character(content: Content) -> None:
    assert content("a.jsonl", r'{"text":"\ud83d\ude00"}').texts == ["😀"]


@pytest.mark.parametrize(
    ("name", "data"), [("a.jsonl", b""), ("a.jsonl.gz", b""), ("a.jsonl.gz", gzip.compress(b"", mtime=0))]
)
def test_an_empty_file(content: Content, name: str, data: bytes) -> None:
    reject = content(name, data).reject
    assert (reject.line, reject.reason) == (0, "it is empty")
    assert reject.record.endswith(name)


def test_a_file_of_blank_lines(content: Content) -> None:
    assert content("a.jsonl", b"\n\n  \n").reject.reason == "it holds nothing but blank lines"


@pytest.mark.parametrize(
    ("encoding", "origin"),
    [("utf-16", ""), ("utf-32", ""), ("utf-16-le", "-f UTF-16LE "), ("utf-16-be", "-f UTF-16BE ")],
)
def test_utf_16_is_told_once(encoding: str, origin: str) -> None:
    reason = read("-", stdin=GOOD.encode(encoding)).reject.reason
    assert reason == f"it is UTF-16 or UTF-32, and JSON lines are UTF-8; convert it with iconv {origin}-t UTF-8"


def news(count: int) -> bytes:
    rows = ({"id": f"n{number}", "text": os.urandom(30).hex()} for number in range(count))
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


@pytest.mark.parametrize("kept", [0.1, 0.5, 0.999])
def test_truncated_gzip_gives_what_stands_before_the_end(content: Content, kept: float) -> None:
    packed = gzip.compress(news(20_000))
    outcome = content("a.jsonl.gz", packed[: int(len(packed) * kept)])
    assert outcome.ids == [f"n{number}" for number in range(len(outcome.ids))]
    assert len(outcome.ids) > 20_000 * kept * 0.9
    assert outcome.rejects[-1].reason.startswith("the gzip data end too early")
    assert not any(reject.doubtful for reject in outcome.rejects)
    assert outcome.rejects[-1].line > len(outcome.ids)
    assert len(outcome.rejects) <= 2, "the line that is cut in two may be a reject of its own"


@pytest.mark.parametrize(("place", "problem"), [(-8, "incorrect data check"), (-1, "incorrect length check")])
@pytest.mark.parametrize("text", [GOOD.encode(), news(20_000) + GOOD.encode()])
def test_a_wrong_checksum_loses_no_record_and_makes_all_doubtful(
    content: Content, place: int, problem: str, text: bytes
) -> None:
    packed = bytearray(gzip.compress(text))
    packed[place] ^= 0xFF
    outcome = content("a.jsonl.gz", bytes(packed))
    assert outcome.ids[-2:] == ["1", "2"]
    (reject,) = outcome.rejects
    assert reject.doubtful
    assert reject.reason == (
        f"the gzip data are damaged ({problem}); records before it in this file may be wrong; get the file anew"
    )


def test_a_flipped_byte_makes_what_stands_before_it_doubtful(content: Content) -> None:
    packed = bytearray(gzip.compress(news(2_000)))
    packed[len(packed) // 2] ^= 0xFF
    assert content("a.jsonl.gz", bytes(packed)).rejects[-1].doubtful


def test_what_a_right_checksum_vouches_for_is_not_doubtful(content: Content) -> None:
    damaged = bytearray(gzip.compress(news(2_000)))
    for place, doubtful in ((3, False), (-8, True)):  # the header of the second part, and its checksum
        second = bytearray(damaged)
        second[place] ^= 0xFF
        outcome = content("a.jsonl.gz", gzip.compress(GOOD.encode()) + bytes(second))
        assert outcome.rejects[-1].doubtful == doubtful


def test_garbage_after_the_gzip_data(content: Content) -> None:
    outcome = content("a.jsonl.gz", gzip.compress(GOOD.encode()) + b"<html>")
    assert outcome.ids == ["1", "2"]
    assert outcome.rejects[0].reason.startswith("the gzip data are damaged")
    assert outcome.rejects[0].reason.endswith("what stood before this was read") and not outcome.rejects[0].doubtful


def test_a_gz_that_is_not_gzip(content: Content) -> None:
    reject = content("a.jsonl.gz", GOOD).reject
    assert reject.reason.startswith("it is not gzip, though its name says so")
    assert reject.line == 0


def test_a_file_that_vanishes_between_opening_and_reading(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(GOOD)
    (source,) = open_sources([str(path)])
    path.unlink()
    (reject,) = source
    assert not isinstance(reject, Document)
    assert reject.reason == "it cannot be opened (No such file or directory)"


class Failing(io.BytesIO):
    """A stream whose disk breaks after the first read."""

    def read1(self, size: int | None = -1, /) -> bytes:
        if self.tell() > 0:
            raise OSError(5, "Input/output error")
        return super().read1(30)


def test_an_error_while_reading_is_a_reject() -> None:
    (source,) = open_sources(["-"], stdin=Failing(b'{"id":"1","text":"a"}\n' * 9))
    first, *_, last = source
    assert isinstance(first, Document)
    assert not isinstance(last, Document)
    assert last.reason.startswith("it cannot be read any further (Input/output error)")


def test_a_line_of_hundreds_of_megabytes_is_skipped_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b'{"id":"1","text":"a"}\n{"text":"')
        for _ in range(150):
            file.write(b"x" * 1_000_000)
        file.write(b'"}\n{"id":"2","text":"b"}\n')
    program = f"""
import re
from leitong.indexer.sources.open import open_sources
a, big, b = open_sources([{str(path)!r}])[0]
print(a.id, b.id, big.line, len(big.record), big.reason, sep="|", end="|")
print(int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) // 1024)
"""
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    a, b, line, kept, reason, megabytes = answer.split("|")
    assert (a, b, line) == ("1", "2", "2")
    assert int(kept) == 1_000_000
    assert reason.startswith("the line has 150,000,012 bytes, more than 64,000,000; put one record on each line")
    assert int(megabytes) < 400


@given(st.lists(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=20)))
def test_every_text_comes_back_as_it_was(texts: list[str]) -> None:
    texts = [f"x{text}" for text in texts]
    outcome = read("-", stdin=b"\n".join(json.dumps({"text": text}).encode() for text in [*texts, "end"]))
    assert outcome.texts == [*texts, "end"]


@given(st.binary(max_size=200))
def test_no_bytes_make_it_fail_and_every_line_is_accounted_for(data: bytes) -> None:
    outcome = read("-", stdin=data)
    assert len(outcome.documents) + len(outcome.rejects) >= 1


def test_whole_numbers_keep_every_digit(content: Content) -> None:
    far = 123456789012345678901234567890
    record = {"id": far, "title": -far, "text": "a", "n": far, "in": [{"x": 2**64}, 2**63, 0.1]}
    document = content("a.jsonl", json.dumps(record)).only
    assert (document.id, document.title) == (str(far), str(-far))
    assert json.dumps(document.metadata) == json.dumps({"n": far, "in": [{"x": 2**64}, 2**63, 0.1]})


@pytest.mark.parametrize("number", ["1e400", "-" + "9" * 309])
def test_a_number_that_cannot_be_kept_is_told(content: Content, number: str) -> None:
    assert content("a.jsonl", f'{{"text": "a", "n": {number}}}').reject.reason == (
        "the line holds a number beyond 1e308 (column 20); write it as a text"
    )


@pytest.mark.parametrize(
    ("data", "told"), [('[\n{"text": "a"},\n]', "jq -c '.[]'"), ('{\n"text": "a"\n}', "jq -c '.'")]
)
def test_json_over_several_lines_is_told_how_to_become_json_lines(content: Content, data: str, told: str) -> None:
    assert content("a.jsonl", data).rejects[0].reason.endswith(f"put each object on one line: {told}")
