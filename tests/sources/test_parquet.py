"""Parquet: columns, types, damage, and a clear answer without pyarrow."""

import json
import subprocess
import sys
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leitong.indexer.sources.base import Source
from leitong.indexer.sources.open import open_sources
from tests.sources.reading import Outcome, read

NESTED = pa.struct([("tags", pa.list_(pa.string())), ("at", pa.timestamp("ns"))])


def table(tmp_path: Path, columns: dict[str, Any], *, group: int = 1000, **fields: Any) -> Outcome:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table(columns), path, row_group_size=group)
    return read(path, **fields)


def test_a_row_is_a_document(tmp_path: Path) -> None:
    outcome = table(tmp_path, {"id": [1, 2], "title": ["央行", None], "text": ["降准", "逝世"], "n": [0.5, None]})
    assert outcome.ids == ["1", "2"]
    assert [document.title for document in outcome.documents] == ["央行", ""]
    assert [document.metadata for document in outcome.documents] == [{"n": 0.5}, {"n": None}]


def test_many_row_groups_in_order(tmp_path: Path) -> None:
    numbers = list(range(5000))
    outcome = table(tmp_path, {"id": numbers, "text": [f"text {number}" for number in numbers]}, group=700)
    assert outcome.ids == [str(number) for number in numbers]


def test_every_type_becomes_json(tmp_path: Path) -> None:
    values = {
        "when": pa.array([datetime(2018, 10, 7, 9, 30)], pa.timestamp("ns")),
        "zoned": pa.array([datetime(2018, 10, 7, 1, 30, tzinfo=UTC)], pa.timestamp("ns", tz="Asia/Shanghai")),
        "day": pa.array([date(2018, 10, 7)]),
        "time": pa.array([time(9, 30)], pa.time64("ns")),
        "span": pa.array([timedelta(seconds=90)], pa.duration("ns")),
        "price": pa.array([Decimal("12.30")]),
        "bytes": pa.array([b"\xff\xfe"]),
        "nan": pa.array([float("nan")]),
        "nested": pa.array([{"tags": ["金融"], "at": datetime(2018, 10, 7)}], NESTED),
        "map": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64())),
        "kind": pa.array(["news"]).dictionary_encode(),
    }  # fmt: skip
    document = table(tmp_path, {"id": ["1"], "text": ["a"], **values}).only
    assert document.metadata == {
        "when": "2018-10-07T09:30:00",
        "zoned": "2018-10-07T01:30:00+00:00",
        "day": "2018-10-07",
        "time": "09:30:00",
        "span": 90.0,
        "price": "12.30",
        "bytes": "//4=",
        "nan": None,
        "nested": {"tags": ["金融"], "at": "2018-10-07T00:00:00"},
        "map": [["k", 1]],
        "kind": "news",
    }
    json.dumps(document.metadata, allow_nan=False)


def test_infinity_rejects_its_row(tmp_path: Path) -> None:
    columns = {"id": ["a", "b", "c"], "text": ["x", "y", "z"], "n": [1.0, float("-inf"), None]}
    outcome = table(tmp_path, {**columns, "deep": [[{"m": 1.0}], [], [{"m": float("inf")}]]})
    assert outcome.ids == ["a"]
    assert [reject.reason for reject in outcome.rejects] == [
        "the field 'n' holds infinity, which JSON cannot say; write another number, or null",
        "the field 'deep' holds infinity, which JSON cannot say; write another number, or null",
    ]
    assert "-inf" in json.loads(outcome.rejects[0].record)["n"]


def test_nanoseconds_are_cut_rather_than_refused(tmp_path: Path) -> None:
    when = pa.array([1_538_900_000_123_456_789], pa.timestamp("ns"))
    assert table(tmp_path, {"id": ["1"], "text": ["a"], "t": when}).only.metadata == {"t": "2018-10-07T08:13:20.123456"}


def test_text_in_a_binary_column_is_text(tmp_path: Path) -> None:
    assert table(tmp_path, {"id": ["1"], "text": pa.array(["降准".encode()])}).only.text == "降准"


def test_text_in_a_binary_column_is_read_in_its_encoding(tmp_path: Path) -> None:
    news = "中国人民银行决定下调存款准备金率，释放长期资金约一万亿元。"
    columns = {
        "id": [1, 2],
        "title": pa.array([b"caf\xe9", None]),
        "text": pa.array([news.encode("gbk"), b"\x00\x01\x80\xff"]),
    }
    outcome = table(tmp_path, columns)
    assert [(document.title, document.text) for document in outcome.documents] == [("café", news)]
    assert outcome.lines == [2]
    assert outcome.rejects[0].reason.startswith("the column 'text' holds bytes that are no text: ")


def test_of_two_columns_of_one_name_the_first_counts_and_none_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    columns = [pa.array(["1"]), pa.array(["first"]), pa.array(["second"])]
    pq.write_table(pa.Table.from_arrays(columns, names=["id", "text", "text"]), path)
    document = read(path).only
    assert (document.text, document.metadata) == ("first", {"text (column 3)": "second"})


def test_a_damaged_group_of_rows_costs_no_other(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    rows = 40
    pq.write_table(
        pa.table({"id": [f"{number}" for number in range(rows)], "text": [f"text {number}" for number in range(rows)]}),
        path,
        row_group_size=10,
    )
    column = pq.ParquetFile(path).metadata.row_group(1).column(1)
    data = bytearray(path.read_bytes())
    start = column.dictionary_page_offset or column.data_page_offset
    data[start : start + column.total_compressed_size] = b"\x55" * column.total_compressed_size
    path.write_bytes(data)
    outcome = read(path)
    assert outcome.ids == [f"{number}" for number in range(rows) if not 10 <= number < 20]
    assert outcome.lines == [11]
    assert outcome.rejects[0].reason.startswith("the file is damaged in rows 11 to 20 (")
    assert "\n" not in outcome.rejects[0].reason


def test_fields_inside_objects(tmp_path: Path) -> None:
    columns = {"doc": [{"id": 5, "text": "a", "x": 1}], "y": [2], "unused": ["z"]}
    document = table(tmp_path, columns, id="doc.id", text="doc.text", metadata=("y",)).only
    assert (document.id, document.text, document.metadata) == ("5", "a", {"y": 2})


@pytest.mark.parametrize(
    ("columns", "line", "reason"),
    [
        ({"id": ["1"], "text": pa.array([None], pa.string())}, 1, "the field 'text' is null"),
        ({"id": ["1"], "text": [5]}, 1, "the text is a number"),
        ({"id": [1.5], "text": ["a"]}, 1, "the id is a number that is not whole"),
        ({"id": ["1"], "text": ["a\0"]}, 1, "the text holds a NUL"),
        ({"id": ["1"], "abstract": ["a"]}, 0, "no column is named 'text', it has 'id', 'abstract'"),
        ({"text": pa.array([], pa.string())}, 0, "the file has no rows"),
        ({}, 0, "no column is named 'text', it has none"),
    ],
)
def test_bad_rows_and_files(tmp_path: Path, columns: dict[str, Any], line: int, reason: str) -> None:
    reject = table(tmp_path, columns).reject
    assert reject.line == line
    assert reject.reason.startswith(reason)


def test_one_value_that_cannot_be_read_rejects_one_row(tmp_path: Path) -> None:
    bad = pa.array([b"fine", b"caf\xe9", b"good"]).view(pa.string())
    outcome = table(tmp_path, {"id": ["a", "b", "c"], "text": bad})
    assert outcome.ids == ["a", "c"]
    (reject,) = outcome.rejects
    assert reject.line == 2
    assert json.loads(reject.record) == {"id": "b", "text": "caf\\xe9"}


def test_a_date_beyond_pythons_calendar_rejects_one_row(tmp_path: Path) -> None:
    far = pa.array([0, 10**18], pa.timestamp("us"))
    outcome = table(tmp_path, {"id": ["a", "b"], "text": ["x", "y"], "t": far})
    assert outcome.ids == ["a"]
    assert outcome.lines == [2]


@pytest.mark.parametrize("data", [b"id,text\n1,a\n", b"PAR1 nothing PAR1", b"x"])
def test_what_is_no_parquet(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(data)
    assert read(path).reject.reason.startswith("this is no Parquet file, or a damaged one")


def test_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").touch()
    assert read(tmp_path / "a.parquet").reject.reason == "it is empty"


def test_damage_in_the_middle_keeps_what_stands_before_and_after(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    rows = list(range(20_000))
    pq.write_table(
        pa.table({"id": rows, "text": [f"t{row}" for row in rows]}), path, row_group_size=2000, compression="gzip"
    )
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 3000] = b"\xff" * 3000
    path.write_bytes(data)
    outcome = read(path)
    (line,) = outcome.lines
    lost = range(line - 1, len(rows) - len(outcome.ids) + line - 1)
    assert 0 < len(lost) <= 2000
    assert outcome.ids == [str(row) for row in rows if row not in lost]


def test_a_file_that_vanishes(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": ["a"]}), path)
    (source,) = open_sources([str(path)])
    path.unlink()
    assert [getattr(record, "reason", "") for record in source] == [
        "the file cannot be read (No such file or directory)"
    ]


def test_without_pyarrow_the_message_names_the_extra(tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": ["a"]}), tmp_path / "a.parquet")
    program = f"""
import sys
sys.modules["pyarrow"] = None
from leitong.indexer.errors import MissingExtraError
from leitong.indexer.sources.open import open_sources
try:
    open_sources([{str(tmp_path / "a.parquet")!r}])
except MissingExtraError as error:
    print(error)
"""
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert answer.strip().endswith("pip install 'leitong[parquet]'")


def test_it_is_a_source(tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": ["a"]}), tmp_path / "a.parquet")
    source: Source = open_sources([str(tmp_path / "a.parquet")])[0]
    assert source.size == (tmp_path / "a.parquet").stat().st_size
