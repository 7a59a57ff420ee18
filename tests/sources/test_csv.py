"""CSV and TSV: header, quoting, line numbers, encodings."""

import csv
import gzip
import io
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sources.reading import Outcome, read

Content = Callable[..., Outcome]
SIMPLIFIED = (
    "id,标题,text\n1,央行降准,中国人民银行决定下调存款准备金率，释放长期资金。\n2,金庸逝世,著名作家金庸在香港逝世。\n"
)
TRADITIONAL = (
    "id,標題,text\n1,央行降準,自動檢測近似重複的文件，對於全文檢索系統來說相當重要。\n"
    "2,金庸逝世,臺灣的新聞網站經常轉載同一篇報導。\n"
)


def test_a_row_is_a_document_and_further_columns_are_metadata(content: Content) -> None:
    document = content("a.csv", "id,title,text,date,note\n7,央行,降准,2018-10-07,\n").only
    assert (document.id, document.title, document.text) == ("7", "央行", "降准")
    assert document.metadata == {"date": "2018-10-07", "note": ""}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv", b"id,text\n1,a b\n"),
        ("A.CSV", b"id,text\r\n1,a b\r\n"),
        ("a.csv", b"id,text\n1,a b"),
        ("a.csv", b"\xef\xbb\xbfid,text\n1,a b\n"),
        ("a.csv", b' "id" , text\n1,a b\n'.replace(b' "id" ', b"id ")),
        ("a.csv", b"\n\nid,text\n\n1,a b\n,\n\n"),
        ("a.tsv", b"id\ttext\n1\ta b\n"),
        ("a.tsv.gz", gzip.compress(b"id\ttext\n1\ta b\n", mtime=0)),
        ("a.csv.gz", gzip.compress(b"id,text\n1,a b\n", mtime=0)),
        ("a.csv", "id,text\n1,a b\n".encode("utf-16")),
        ("a.tsv", "id\ttext\r\n1\ta b\r\n".encode("utf-16")),
        ("a.csv", "id,text\r\n1,a b\r\n".encode("utf-16-le")),
        ("a.tsv.gz", gzip.compress("id\ttext\n1\ta b\n".encode("utf-16-be"), mtime=0)),
    ],
)
def test_ways_to_write_one_row(content: Content, name: str, data: bytes) -> None:
    document = content(name, data).only
    assert (document.id, document.text, document.metadata) == ("1", "a b", {})


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv", "id;text;note\n1;a, b;c\n"),
        ("a.csv", "id\ttext\tnote\n1\ta, b\tc\n"),
        ("a.csv", "id|text|note\n1|a, b|c\n"),
        ("a.csv", '"id";"text";"note"\n1;"a, b";c\n'),
        ("a.csv", "text;id;note\r\na, b;1;c\r\n"),
        ("a.csv", "\n\nid;text;note\n1;a, b;c\n"),
        ("a.csv", "\ufeffsep=;\r\nid;text;note\r\n1;a, b;c\r\n"),
        ("a.csv", '"sep=|"\nid|text|note\n1|a, b|c\n'),
        ("a.tsv", "id;text;note\n1;a, b;c\n"),
        ("a.tsv", 'id,text,note\n1,"a, b",c\n'),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le"])
def test_the_header_tells_the_delimiter(content: Content, name: str, data: str, encoding: str) -> None:
    document = content(name, data.removeprefix("\ufeff" * (encoding == "utf-16")).encode(encoding)).only
    assert (document.id, document.text, document.metadata) == ("1", "a, b", {"note": "c"})


@pytest.mark.parametrize("rows", ["1;2;3\n4;5;6\n", "a|b\tc;d\n"])
def test_only_the_header_counts(content: Content, rows: str) -> None:
    """However often another delimiter stands in the rows."""
    assert content("a.csv", "text\n" + rows).texts == rows.splitlines()


def test_a_header_that_names_no_text_is_told_by_its_columns(content: Content) -> None:
    assert "it has 'key', 'inhalt'; name" in content("a.csv", "key;inhalt\n1;a\n").reject.reason
    assert "it has 'key', 'inhalt'; name" in content("a.csv", '"key";"inhalt"\n1;a\n').reject.reason
    assert content("a.csv", "key;inhalt\n1;a\n", id="key", text="inhalt").only.text == "a"


def test_quoted_fields_hold_delimiters_quotes_and_newlines(content: Content) -> None:
    outcome = content("a.csv", 'id,text\n1,"one, ""two""\n\nthree"\n2,four\n')
    assert outcome.texts == ['one, "two"\n\nthree', "four"]


def test_the_line_of_a_reject_is_the_first_line_of_its_row(content: Content) -> None:
    outcome = content("a.csv", 'id,text\n1,"a\nb\nc"\n2,"\n\n"\n3,x,y\n4,ok\n')
    assert outcome.ids == ["1", "4"]
    assert [(reject.line, reject.record) for reject in outcome.rejects] == [(5, '2,"\n\n"'), (8, "3,x,y")]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("1", "the row has 1 column, the header has 2"),
        ("1,a,b", "the row has 3 columns, the header has 2"),
        ('1,"a"b', "the quotes do not add up"),
        ('1,"a', "a quote is opened here and not closed"),
        ("1,a\rb", "a carriage return stands in the middle of the row"),
        ("1,", "there is no text"),
        (",a", "the id is empty"),
        ("1,a\0b", "the text holds a NUL"),
        ("1," + "x" * 10_000_001, "the text has 10,000,001 bytes"),
    ],
)
def test_bad_rows_are_rejected_whole_and_the_rest_is_read(content: Content, row: str, reason: str) -> None:
    outcome = content("a.csv", f"id,text\n0,before\n{row}\n2,after\n3,end\n")
    assert outcome.ids == ["0", "2", "3"]
    (reject,) = outcome.rejects
    assert (reject.line, reject.record) == (3, row)
    assert reject.reason.startswith(reason)


def test_a_quote_that_is_never_closed_does_not_swallow_the_rest(content: Content) -> None:
    rows = "".join(f"{number},row {number}\n" for number in range(5000))
    outcome = content("a.csv", f'id,text\nx,"open\n{rows}')
    assert len(outcome.documents) == 5000
    assert outcome.lines == [2]


def test_tsv_without_quoting_is_taken_as_it_stands(content: Content) -> None:
    outcome = content("a.tsv", 'id\ttext\n1\t"令狐冲"李亚鹏忆金庸\n2\t"open\n')
    assert outcome.texts == ['"令狐冲"李亚鹏忆金庸', '"open']


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (SIMPLIFIED, "utf-8"),
        (SIMPLIFIED, "utf-8-sig"),
        (SIMPLIFIED, "gb18030"),
        (SIMPLIFIED, "gbk"),
        (SIMPLIFIED, "gb2312"),
        (SIMPLIFIED, "utf-16"),
        (TRADITIONAL, "big5"),
        (TRADITIONAL, "utf-32"),
    ],
)
def test_encodings(content: Content, text: str, encoding: str) -> None:
    outcome = content("a.csv", text.encode(encoding))
    assert not outcome.rejects
    rows = list(csv.reader(io.StringIO(text)))
    assert outcome.texts == [row[2] for row in rows[1:]]
    assert list(outcome.documents[0].metadata) == [rows[0][1]]


def test_the_first_chinese_character_may_come_late(content: Content) -> None:
    rows = "".join(f"a{number},plain English text\n" for number in range(20_000))
    outcome = content(
        "a.csv", ("id,text\n" + rows + SIMPLIFIED.partition("\n")[2].replace("央行降准,", "")).encode("gbk")
    )
    assert outcome.documents[-1].text == "中国人民银行决定下调存款准备金率，释放长期资金。"


def test_a_broken_row_does_not_turn_a_utf_8_file_into_nonsense(content: Content) -> None:
    outcome = content("a.csv", SIMPLIFIED.encode() + b"3,x,caf\xe9\n4,y,ok\n")
    assert outcome.ids == ["1", "2", "4"]
    (reject,) = outcome.rejects
    assert (reject.line, reject.record) == (4, "3,x,caf\\xe9")
    assert reject.reason.startswith("the row is not valid UTF-8, which the file was taken for")


def test_a_broken_row_of_gb18030(content: Content) -> None:
    outcome = content("a.csv", (SIMPLIFIED * 20).encode("gb18030") + b"3,x,ab\xff\xff\n")
    assert [reject.reason.partition(",")[0] for reject in outcome.rejects if "valid" in reject.reason] == [
        "the row is not valid GB18030"
    ]


@pytest.mark.parametrize(
    ("data", "line", "reason"),
    [
        ("", 0, "it is empty"),
        ("\n\n", 0, "it is empty"),
        ("id,text\n", 1, "there is a header and no row below it"),
        ("1,央行降准\n2,金庸逝世\n", 1, "the first line must name the columns: no column is named 'text', it has '1',"),
        ('id,"text\n1,a\n', 1, "the first line must name the columns: a quote is opened"),
        ("id,text\r1,a\r2,b\r", 1, "the first line must name the columns: its lines end in carriage returns alone"),
        ("id\0,text\r\n", 1, "the first line must name the columns: it holds NUL characters"),
    ],
)  # fmt: skip
def test_files_without_rows_or_header(content: Content, data: str, line: int, reason: str) -> None:
    reject = content("a.csv", data).reject
    assert reject.line == line
    assert reject.reason.startswith(reason)


def test_named_columns(content: Content) -> None:
    outcome = content("a.csv", "key,摘要,x,y\n1,降准,2,3\n", id="key", text="摘要", metadata=("y",))
    assert (outcome.only.id, outcome.only.text, outcome.only.metadata) == ("1", "降准", {"y": "3"})


def test_a_column_that_is_not_there_is_told_once_with_those_that_are(content: Content) -> None:
    outcome = content("a.csv", "key,body\n1,a\n2,b\n", id="nr")
    assert outcome.reject.reason.endswith(
        "no column is named 'nr', it has 'key', 'body'; name the right one with --id-field"
    )


def test_columns_without_a_name_and_names_that_repeat(content: Content) -> None:
    document = content("a.csv", "id,text,text,,\n1,a,b,,c\n").only
    assert document.text == "a"
    assert document.metadata == {"text (column 3)": "b", "column 5": "c"}


def test_truncated_gzip_does_not_pass_half_a_row_for_a_whole_one(content: Content) -> None:
    generator = random.Random(7)
    rows = "".join(f"{number},{generator.getrandbits(200):x} end\n" for number in range(20_000))
    packed = gzip.compress(f"id,text\n{rows}".encode())
    outcome = content("a.csv.gz", packed[: len(packed) // 2])
    assert len(outcome.documents) > 9_000
    assert all(text.endswith(" end") for text in outcome.texts)
    assert outcome.rejects[-1].reason.startswith("the gzip data end too early")


def test_a_line_beyond_the_limit_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"id,text\n1,a\n2," + b"x" * 65_000_000 + b"\n3,c\n")
    outcome = read(path)
    assert outcome.ids == ["1", "3"]
    assert outcome.lines == [3]
    assert outcome.rejects[0].reason.startswith("the line has 65,000,003 bytes")


cells = st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)


@given(st.lists(st.tuples(cells, cells), min_size=1), st.sampled_from(["excel", "unix"]))
def test_what_the_csv_module_writes_comes_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]], dialect: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "written.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, dialect=dialect)
        writer.writerow(["id", "text", "x"])
        writer.writerows((number, f"字{text}.", x) for number, (text, x) in enumerate(rows))
    outcome = read(path)
    assert not outcome.rejects
    assert [(document.text, document.metadata["x"]) for document in outcome.documents] == [
        (f"字{text}.", x) for text, x in rows
    ]


@given(st.binary(max_size=120))
def test_no_bytes_make_it_fail(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "noise.csv"
    path.write_bytes(b"id,text\n" + data)
    outcome = read(path)
    assert outcome.documents or outcome.rejects
