"""Where do large temporary files go?"""

import sys
import tempfile
from pathlib import Path

import pytest

from leitong.indexer import files
from leitong.indexer.duplicates.commonness.collected import Collected
from leitong.indexer.duplicates.work import Work
from leitong.indexer.passages import Passage, outlines


@pytest.fixture
def nothing_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable says where temporary files go."""
    for name in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("nothing_named")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no /var/tmp")
def test_large_files_are_on_a_disk() -> None:
    assert files.for_large_files() == "/var/tmp"


def test_the_named_folder_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    with Work(None) as work, Collected(wanted=True) as collected:
        assert work.folder.parent == tmp_path
        collected.add(["0" * 32], outlines([Passage("", "今天天气很好，我们去公园散步。")]))
        assert collected.wanted


@pytest.mark.usefixtures("nothing_named")
def test_without_a_disk_the_usual_folder_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(files, "_ON_DISK", str(tmp_path / "nowhere"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert files.for_large_files() == str(tmp_path)


@pytest.mark.usefixtures("nothing_named")
def test_no_place_at_all_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(files, "_ON_DISK", str(tmp_path / "nowhere"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(files.StorageError, match=r"Cannot write the report's work to .*gone.*choose another place"):
        Work(None)
