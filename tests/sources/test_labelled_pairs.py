"""Labelled pairs out of a file: columns by name or by place, what counts as a duplicate, what was left out and why."""

import gzip
import os
from collections import Counter
from pathlib import Path
from threading import Thread

import pytest

from leitong.indexer.errors import SourceError, UsageError
from leitong.indexer.sources.pairs import STDIN, LabelFile, read_pairs


def read(tmp_path: Path, text: str | bytes, **options: object) -> LabelFile:
    path = tmp_path / "pairs.tsv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_pairs(path, **options)  # type: ignore[arg-type]


def said(labels: LabelFile) -> list[tuple[str, str, bool]]:
    return [(pair.a, pair.b, pair.duplicate) for pair in labels.pairs]


def test_packed_pairs(tmp_path: Path) -> None:
    packed = gzip.compress(b"a\tb\nc\td\n")
    assert said(read(tmp_path, packed)) == [("a", "b", True), ("c", "d", True)]
    with pytest.raises(SourceError, match=r"pairs\.tsv: the gzip data end too early"):
        read(tmp_path, packed[:-9])


def test_columns_by_their_names(tmp_path: Path) -> None:
    labels = read(tmp_path, "confidence\tid_b\tlabel\tid_a\nhigh\tx\tcopy\ty\nlow\tx\ttopic\tz\n")
    assert said(labels) == [("x", "y", True), ("x", "z", False)]
    assert labels.labels == {"copy": 1, "topic": 1}
    assert labels.duplicates == ("copy",)
    assert labels.left_out == ()


@pytest.mark.parametrize("header", ["id_beta\tid_v1\tjaccard5", "id_a\tid_b\tlen"])
def test_without_labels_every_line_is_a_duplicate(tmp_path: Path, header: str) -> None:
    labels = read(tmp_path, f"{header}\nx\ty\t0.9\nx\tz\t0.1\n")
    assert said(labels) == [("x", "y", True), ("x", "z", True)]
    assert labels.labels == {}


def test_without_names_columns_have_their_places(tmp_path: Path) -> None:
    assert said(read(tmp_path, "a\tb\nc\td\n")) == [("a", "b", True), ("c", "d", True)]
    assert said(read(tmp_path, "a\tb\tcopy\nc\td\ttopic\n")) == [("a", "b", True), ("c", "d", False)]


def test_what_counts_is_named(tmp_path: Path) -> None:
    text = "id_a\tid_b\trelation\tkind\nx\ty\tsame-page\tA\nx\tz\tother\tB\n"
    assert said(read(tmp_path, text, duplicates=["same-page"])) == [("x", "y", True), ("x", "z", False)]
    assert said(read(tmp_path, text, duplicates=["all"])) == [("x", "y", True), ("x", "z", True)]
    assert said(read(tmp_path, text, duplicates=["B"], label_field="kind")) == [("x", "y", False), ("x", "z", True)]
    assert said(read(tmp_path, text, duplicates=["all"], filters=[("kind", "B")])) == [("x", "z", True)]


def test_lines_that_cannot_be_used_are_told(tmp_path: Path) -> None:
    labels = read(
        tmp_path,
        'id_a\tid_b\tlabel\n"x"\ty\tcopy\nx\n\nx\tx\tcopy\nx\tz\t\nz\tx\ttopic\ny\t"x"\tcopy\nx\tz\tcopy\nx\tz\ttopic\n',
    )
    assert said(labels) == [('"x"', "y", True), ("x", "z", False)], "quotes belong to ids"
    assert labels.left_out == (
        "line 3: it does not name two documents",
        "line 5: it names one document twice",
        "line 6: it has no label",
        "2 lines, the first is 8: an earlier line labels the same pair",
        "line 9: an earlier line labels the same pair and says the opposite; the earlier one counts",
    )


def test_windows_and_other_encodings(tmp_path: Path) -> None:
    text = "id_a\tid_b\tlabel\r\n新闻一\t新闻二\tcopy\r\n"
    for encoding in ("utf-8-sig", "utf-16"):
        assert said(read(tmp_path, text.encode(encoding))) == [("新闻一", "新闻二", True)]


@pytest.mark.parametrize(
    ("text", "options", "parts"),
    [
        ("", {}, ("is empty",)),
        ("\n \n", {}, ("is empty",)),
        ("id_a\tid_b\tlabel\n", {}, ("no labelled pairs",)),
        ("id_a,id_b,label\nx,y,copy\n", {}, ("no tabs",)),
        ("x\tx\n", {}, ("no labelled pairs", "line 1: it names one document twice")),
        ("x\ty\tsame\nx\tz\tsame\nx\tw\tno\n", {}, ("copy or derived", "same (2), no (1)", "--duplicates same")),
        ("x\ty\ttopic\n", {}, ("copy or derived", "topic (1)")),
        ("x\ty\tcopy\n", {"duplicates": ["dup"]}, ("'dup'", "copy (1)")),
        ("x\ty\tcopy\n", {"label_field": "verdict"}, ("--label-field verdict",)),
        ("id_a\tid_b\tlabel\nx\ty\tcopy\n", {"label_field": "verdict"}, ("no column 'verdict'", "id_a, id_b, label")),
        ("id_a\tid_b\tlabel\nx\ty\tcopy\n", {"filters": [("sure", "yes")]}, ("no column 'sure'",)),
        ("id_a\tid_b\tlabel\nx\ty\tcopy\n", {"filters": [("label", "yes")]}, ("--filter leaves it out",)),
        (b"\x00\x01\x02", {}, ("cannot be read", "binary")),
    ],
)
def test_one_sentence(tmp_path: Path, text: str | bytes, options: dict[str, object], parts: tuple[str, ...]) -> None:
    with pytest.raises((SourceError, UsageError)) as caught:
        read(tmp_path, text, **options)
    for part in ("pairs.tsv", *parts):
        assert part in str(caught.value)


@pytest.mark.parametrize("named", [None, ["copy"], ["COPY"]])
def test_a_capital_makes_no_other_label(tmp_path: Path, named: list[str] | None) -> None:
    labels = read(tmp_path, "a\tb\tCopy\na\tc\tcopy\na\td\tDifferent\n", duplicates=named)
    assert [pair.duplicate for pair in labels.pairs] == [True, True, False]
    assert labels.duplicates == ("Copy", "copy")
    assert all(pair.duplicate for pair in read(tmp_path, "a\tb\tx\n", duplicates=["All"]).pairs)


def test_a_pipe_is_read_to_its_end() -> None:
    """A pipe gives less than was asked for while there is more."""
    lines = "".join(f"one-{number}\tother-{number}\n" for number in range(10_000)).encode()
    reading, writing = os.pipe()

    def write() -> None:
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(lines)

    writer = Thread(target=write)
    writer.start()
    with os.fdopen(reading, "rb", buffering=0) as pipe:
        assert len(read_pairs(STDIN, stdin=pipe).pairs) == 10_000
    writer.join()


def test_lines_left_out_are_told_where_no_other_is_a_duplicate(tmp_path: Path) -> None:
    file = tmp_path / "pairs.tsv"
    file.write_text("a\ta\tcopy\nb\tc\ttopic\n")
    with pytest.raises(UsageError, match="Left out, line 1: it names one document twice"):
        read_pairs(file)


def test_labels_that_are_shown_can_be_typed(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--duplicates 'near copy'; or"):
        read(tmp_path, "a\tb\tnear copy\n")
    with pytest.raises(UsageError, match="""--duplicates '"yes"'; or"""):
        read(tmp_path, 'a\tb\t"yes"\n')


def test_what_is_no_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "loop.tsv").symlink_to("loop.tsv")
    for path, what in (
        (tmp_path / "none.tsv", "There is no file"),
        (STDIN, "There is no stdin to read"),
        (tmp_path, f"{tmp_path} is a folder"),
        (tmp_path / "loop.tsv", "cannot be read: Too many levels of symbolic links. Check"),
    ):
        with pytest.raises(SourceError, match=what):
            read_pairs(path)


def test_the_labels_of_real_data(data: Path) -> None:
    news = read_pairs(data / "zh-webnews-2018" / "pairs-dev.tsv")
    assert len(news.pairs) == 501
    assert news.duplicates == ("copy", "derived")
    assert Counter(pair.duplicate for pair in news.pairs) == {True: 305, False: 196}
    pages = read_pairs(data / "msdocs-zh-graph" / "pairs_beta_v1.tsv")
    assert len(pages.pairs) == 3_522 and all(pair.duplicate for pair in pages.pairs)
    with pytest.raises(UsageError, match="same-page-beta-v1"):
        read_pairs(data / "demo-sample" / "pairs.tsv")
