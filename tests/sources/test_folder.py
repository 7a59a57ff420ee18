"""Folders: which files, in which order, under which ids."""

import os
import threading
from pathlib import Path

import pytest

from leitong.indexer.documents import Document
from leitong.indexer.errors import SourceError
from leitong.indexer.sources.folder import Folder
from leitong.indexer.sources.open import open_sources
from tests.sources.reading import read


def fill(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"text of {name}")
    return folder


def test_files_of_all_levels_sorted_with_the_folders_name_before_the_path(tmp_path: Path) -> None:
    folder = fill(tmp_path / "news", "b.txt", "a/z.md", "a/b/c.html", "体育/金庸.htm", "a.txt", "A.TXT")
    outcome = read(folder)
    assert outcome.ids == [
        "news/A.TXT",
        "news/a/b/c.html",
        "news/a/z.md",
        "news/a.txt",
        "news/b.txt",
        "news/体育/金庸.htm",
    ]
    assert outcome.documents[-1].title == ""


@pytest.mark.parametrize("name", [".", "./", "../news", "sub/.."])
def test_the_id_does_not_depend_on_how_the_folder_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(fill(tmp_path / "news", "a.txt", "sub/b.txt"))
    assert read(name).ids == ["news/a.txt", "news/sub/b.txt"]


def test_hidden_files_and_folders_are_left_out(tmp_path: Path) -> None:
    folder = fill(tmp_path / "f", ".git/a.txt", ".hidden.txt", "a.txt", "sub/.b.md")
    outcome = read(folder)
    assert outcome.ids == ["f/a.txt"]
    assert not outcome.sources[0].remarks


def test_other_files_are_counted_and_named_in_one_sentence(tmp_path: Path) -> None:
    folder = fill(tmp_path / "f", "a.txt", "b.jsonl", "c.PDF", "d.pdf", "README", "sub/e.jsonl.gz")
    outcome = read(folder)
    (source,) = outcome.sources
    assert isinstance(source, Folder)
    assert source.skipped == 5
    (remark,) = source.remarks
    assert remark.startswith(f"5 files in {folder} left out, not .txt, .md, .markdown, .html, .htm: .pdf 2")
    assert "no ending 1" in remark
    assert "are read when you name them" in remark


def test_what_leitong_wrote_is_left_out(tmp_path: Path) -> None:
    folder = fill(tmp_path / "news", "a.txt", "index/leitong.json", "index/notes/b.txt", "report/pages/clusters-1.html")
    (folder / "report" / "summary.json").write_text('{"leitong_version": "0.1.0"}')
    fill(folder, "other/summary.json", "other/c.txt")
    outcome = read(folder)
    assert outcome.ids == ["news/a.txt", "news/other/c.txt"]
    assert "2 folders in" in Folder(folder).remarks[0]


def test_links_are_followed_and_loops_end(tmp_path: Path) -> None:
    folder = fill(tmp_path / "f", "a/b.txt")
    fill(tmp_path / "elsewhere", "c.txt")
    (folder / "a" / "loop").symlink_to(folder)
    (folder / "self").symlink_to(folder / "self")
    (folder / "linked").symlink_to(tmp_path / "elsewhere")
    (folder / "again").symlink_to(tmp_path / "elsewhere")
    assert read(folder).ids == ["f/a/b.txt", "f/again/c.txt"]


def test_files_that_cannot_be_read_are_rejects(tmp_path: Path) -> None:
    folder = fill(tmp_path / "f", "a.txt")
    (folder / "gone.txt").symlink_to(folder / "nowhere")
    (folder / "loop.md").symlink_to(folder / "loop.md")
    (folder / "empty.html").touch()
    os.mkfifo(folder / "pipe.txt")
    outcome = read(folder)
    assert outcome.ids == ["f/a.txt"]
    assert [(Path(reject.record).name, reject.reason.partition(";")[0]) for reject in outcome.rejects] == [
        ("empty.html", "it is empty"),
        ("gone.txt", "it cannot be read (No such file or directory)"),
        ("loop.md", "it cannot be read (Too many levels of symbolic links)"),
        ("pipe.txt", "this is no regular file (a device, a pipe or a folder)"),
    ]
    assert [reject.told.partition(": it")[0] for reject in outcome.rejects[:2]] == [
        f"{folder}, f/empty.html",
        f"{folder}, f/gone.txt",
    ]


def test_files_and_folders_without_permission_are_rejects(tmp_path: Path, permissions: None) -> None:
    folder = fill(tmp_path / "f", "a.txt", "b.txt", "sub/c.txt")
    (folder / "b.txt").chmod(0)
    (folder / "sub").chmod(0)
    outcome = read(folder)
    (folder / "sub").chmod(0o755)
    assert outcome.ids == ["f/a.txt"]
    assert ["Permission denied" in reject.reason for reject in outcome.rejects] == [True, True]


def test_a_name_that_is_not_utf_8_is_a_reject_that_can_be_printed(tmp_path: Path) -> None:
    folder = fill(tmp_path / "f", "a.txt")
    Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.txt")).write_text("text")
    outcome = read(folder)
    assert outcome.ids == ["f/a.txt"]
    (reject,) = outcome.rejects
    assert reject.reason == "the file's name is not valid UTF-8, so it cannot be an id; rename it"
    assert reject.record == str(folder / "caf\\xe9.txt")


def test_strange_names_are_ids(tmp_path: Path) -> None:
    names = sorted(["a\nb.txt", "🀄️.md", 'q"uote.txt', "-.txt", " .txt"])
    assert read(fill(tmp_path / "f", *names)).ids == [f"f/{name}" for name in names]


def test_an_id_that_is_too_long_is_a_reject(tmp_path: Path) -> None:
    outcome = read(fill(tmp_path / "f", "a.txt", f"{'x' * 200}/{'y' * 200}/{'z' * 200}.txt"))
    assert outcome.ids == ["f/a.txt"]
    assert outcome.rejects[0].reason.startswith("the id has 608 bytes")


def test_a_folder_deeper_than_python_recurses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = fill(tmp_path / "f", "a.txt", "/".join(["d"] * 300) + "/deep.txt")
    outcome = read(folder)
    assert len(outcome.documents) + len(outcome.rejects) == 2


def test_a_file_that_vanishes_and_one_that_appears(tmp_path: Path) -> None:
    folder = fill(tmp_path / "f", "a.txt", "b.txt")
    (source,) = open_sources([str(folder)])
    records = iter(source)
    next(records)
    (folder / "b.txt").unlink()
    (folder / "c.txt").write_text("too late")
    assert [type(record) is Document for record in records] in ([], [False])


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ((), "is empty (hidden files do not count). Name a folder that holds .txt, .md, .markdown, .html, .htm files."),
        ((".a.txt",), "is empty"),
        (("a.jsonl", "b.jsonl"), "holds no .txt, .md, .markdown, .html, .htm file, but 2 other files (.jsonl 2)"),
    ],
)  # fmt: skip
def test_a_folder_with_nothing_to_read(tmp_path: Path, names: tuple[str, ...], message: str) -> None:
    fill(tmp_path, *names)
    with pytest.raises(SourceError) as caught:
        open_sources([str(tmp_path)])
    assert message in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_a_folder_with_nothing_but_broken_links(tmp_path: Path) -> None:
    (tmp_path / "a.txt").symlink_to(tmp_path / "nowhere")
    with pytest.raises(SourceError, match=r"a\.txt: it cannot be read \(No such file"):
        open_sources([str(tmp_path)])


def test_reading_does_not_wait_for_a_pipe(tmp_path: Path) -> None:
    folder = fill(tmp_path / "f", "a.txt")
    os.mkfifo(folder / "pipe.txt")
    thread = threading.Thread(target=read, args=(folder,), daemon=True)
    thread.start()
    thread.join(5)
    assert not thread.is_alive()
