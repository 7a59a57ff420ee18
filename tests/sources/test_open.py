"""Which source does a name mean, and what is said when it means none?"""

import os
import socket
from io import BytesIO
from pathlib import Path

import pytest

from leitong.indexer.errors import SourceError
from leitong.indexer.sources.open import ENDINGS, open_sources
from tests.sources.reading import read


def failure(*names: str | Path, stdin: bytes | None = None) -> str:
    with pytest.raises(SourceError) as caught:
        open_sources([str(name) for name in names], stdin=None if stdin is None else BytesIO(stdin))
    message = str(caught.value)
    message.encode()
    assert message.endswith((".", "s", "t", "e")) or "<" in message
    return message


def test_every_ending_opens(tmp_path: Path) -> None:
    for ending in ENDINGS:
        path = tmp_path / f"file{ending.upper()}"
        path.touch()
        (source,) = open_sources([str(path)])
        assert source.name == str(path)
        assert (source.size, source.position) == (0, 0)
        assert [getattr(record, "reason", "") for record in source] == ["it is empty"]


def test_several_sources_keep_their_order(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("b")
    (tmp_path / "a.csv").write_text("id,text\nrow,a\n")
    (tmp_path / "f").mkdir()
    (tmp_path / "f" / "c.md").write_text("c")
    outcome = read(tmp_path / "b.txt", "-", tmp_path / "a.csv", tmp_path / "f", stdin=b'{"id":"line","text":"d"}')
    assert outcome.ids == ["b.txt", "line", "row", "f/c.md"]


def test_nothing_named() -> None:
    assert failure() == (
        "There is nothing to read. Name files (.jsonl, .jsonl.gz, .ndjson, .ndjson.gz, .csv, .csv.gz, .tsv, .tsv.gz, "
        ".parquet, .txt, .md, .markdown, .html, .htm), folders, or - for JSON lines on stdin."
    )


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    assert failure(tmp_path / "no.jsonl") == f"There is no file or folder '{tmp_path}/no.jsonl'. Check the path."


@pytest.mark.parametrize("name", ["", "a\0b.jsonl", "x" * 5000, "no/such/folder/"])
def test_names_that_can_be_no_path(name: str) -> None:
    assert failure(name).endswith("Check the path.")


def test_a_link_to_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").symlink_to(tmp_path / "nowhere")
    assert failure(tmp_path / "a.jsonl").endswith("Check the path, it is a link to nothing.")


@pytest.mark.parametrize("name", ["a.pdf", "a.gz", "README", "a.jsonl.bz2", "jsonl"])
def test_an_ending_that_is_not_known(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("x")
    message = failure(tmp_path / name)
    assert message.startswith(f"{tmp_path / name} has no ending that tells what it is. Known: .jsonl, .jsonl.gz")
    assert message.endswith(f"can be read as stdin: name - and add < {tmp_path / name}")


def test_a_list_in_a_file_of_json_is_told_how_it_becomes_lines(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('[{"text": "a"}]')
    assert failure(tmp_path / "a.json").endswith(f"becomes such lines with jq -c '.[]' {tmp_path / 'a.json'}")


def test_all_names_are_looked_at_before_anything_is_read(tmp_path: Path) -> None:
    stdin = BytesIO(b'{"text":"a"}')
    with pytest.raises(SourceError):
        open_sources(["-", str(tmp_path / "no.jsonl")], stdin=stdin)
    assert stdin.tell() == 0


def test_stdin_twice_or_without_one() -> None:
    assert failure("-", "-", stdin=b"") == "Stdin (-) is named twice, and it can be read only once. Name it once."
    assert failure("-") == "There is no stdin to read (-). Name a file instead."


@pytest.mark.parametrize("url", ["postgresql://host/db", "mongodb://host", "https://host:9200/index"])
def test_places_that_come_later(url: str) -> None:
    assert "cannot be read from" in failure(url)


def test_a_name_that_is_not_utf_8_can_be_printed(tmp_path: Path) -> None:
    assert "caf\\\\xe9.jsonl" in failure(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.jsonl"))


def test_a_name_that_is_not_utf_8_can_be_read(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.jsonl"))
    path.write_text('{"id":"1","text":"a"}\n{')
    outcome = read(path)
    assert outcome.ids == ["1"]
    assert outcome.rejects[0].source == str(tmp_path / "caf\\xe9.jsonl")


def test_a_socket_is_not_a_source(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s.txt"))
        assert read(tmp_path / "s.txt").reject.reason.startswith("this is no regular file")


@pytest.mark.parametrize("name", ["a.jsonl", "a.txt"])
def test_a_file_without_permission(tmp_path: Path, permissions: None, name: str) -> None:
    (tmp_path / name).write_text("x")
    (tmp_path / name).chmod(0)
    assert failure(tmp_path / name).endswith("may not be read by you. Change its permissions, or run as its owner.")
