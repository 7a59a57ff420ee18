"""Killed, full, locked, read-only: the last commit stays readable, and the next run finishes the work."""

import errno
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from leitong.indexer.engines.embedded import EmbeddedEngine
from leitong.indexer.engines.open import open_engine, open_or_create
from leitong.indexer.errors import (
    EngineError,
    ForeignIndexError,
    LockedIndexError,
    MissingIndexError,
    NewerIndexError,
    StorageError,
)
from leitong.indexer.library import open_index
from tests.pipeline.run import WORDS, everything, records, run, start, write

COUNT = 1500
COMMIT = 200


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


def test_a_folder_that_goes_away_is_told_as_that(tmp_path: Path, folder: Path) -> None:
    """Not as a folder that somebody else is writing to: what cannot be locked is not there."""
    run(folder, write(tmp_path / "a.jsonl", records(3)))
    with closing(open_engine(str(folder))) as engine:
        folder.rename(tmp_path / "elsewhere")
        with pytest.raises(MissingIndexError, match="is not there any more"):
            engine.info()
        with pytest.raises(MissingIndexError, match="is not there any more"):
            engine.writer()
        (tmp_path / "elsewhere").rename(folder)
        assert engine.info().documents == 3


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of a run that nothing stopped, and beside it the file."""
    path = tmp_path_factory.mktemp("undisturbed")
    run(path / "index", write(path / "a.jsonl", records(COUNT)))
    return path


def finish(folder: Path, undisturbed: Path) -> None:
    """Resume, and the index is that of an undisturbed run."""
    outcome = run(folder, undisturbed / "a.jsonl", resume=True)
    assert outcome.indexed + outcome.unchanged == COUNT and outcome.rejected == 0
    assert everything(folder) == everything(undisturbed / "index")


def children(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]


def running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.slow
@pytest.mark.parametrize("moment", [1, 250, 512, 700, 900, 1400])
def test_kill_9_of_a_process_that_indexes(folder: Path, undisturbed: Path, moment: int) -> None:
    """At the first progress after `moment` documents; two workers, a commit every 200 documents or so."""
    process = start(folder, undisturbed / "a.jsonl", workers=2, commit=COMMIT)
    assert process.stdout is not None
    for line in process.stdout:
        if line == "done\n" or int(line) >= moment:
            break
    workers = children(process.pid)
    process.send_signal(signal.SIGKILL)
    process.stdout.close()
    assert process.wait() in (-signal.SIGKILL, 0)

    there = everything(folder)  # readable, and whole
    wanted = everything(undisturbed / "index")
    assert all(wanted[doc_id] == stored for doc_id, stored in there.items())
    end = time.monotonic() + 20
    while any(map(running, workers)) and time.monotonic() < end:
        time.sleep(0.1)
    assert not any(map(running, workers)), "no worker outlives its parent"
    finish(folder, undisturbed)


@pytest.mark.slow
def test_killed_again_and_again_while_resuming(folder: Path, undisturbed: Path) -> None:
    before = 0
    for delay in (0.3, 0.8, 1.1, 1.4, 1.7):
        process = start(folder, undisturbed / "a.jsonl", workers=1, commit=COMMIT, resume=True)
        time.sleep(delay)
        process.kill()
        process.communicate()
        if (folder / "leitong.json").exists():
            there = len(everything(folder))
            assert there >= before, "what was committed stays"
            before = there
    finish(folder, undisturbed)


@pytest.mark.parametrize("wrapped", [False, True])
def test_an_interrupted_run_keeps_what_it_did(folder: Path, undisturbed: Path, wrapped: bool) -> None:
    """Ctrl-C commits, also where it comes out of a compiled loop."""

    class Stop(KeyboardInterrupt):
        pass

    def stop(progress: object) -> None:
        if wrapped:
            raise SystemError("a compiled loop returned with an exception set") from Stop()
        raise Stop

    from leitong.indexer.pipeline import IndexOptions, index
    from leitong.indexer.sources.open import open_sources

    engine = open_or_create(str(folder), recipe=WORDS)
    options = IndexOptions(rejects=folder.with_name("rejects"))
    with pytest.raises(SystemError if wrapped else Stop):
        index(engine, open_sources([str(undisturbed / "a.jsonl")]), options=options, watch=stop)
    assert len(everything(folder)) == 256
    finish(folder, undisturbed)


READER = """
import sys, time
from pathlib import Path
from leitong.indexer.engines.embedded import EmbeddedEngine
engine = EmbeddedEngine.open(Path(sys.argv[1]))
seen, rounds, end = 0, 0, time.monotonic() + float(sys.argv[2])
while time.monotonic() < end:
    with engine.snapshot() as snapshot:
        count = snapshot.count
        parts = list(snapshot.rows())
        ids = [stored.document.id for rows in parts for stored in snapshot.documents(rows.refs)]
        assert len(ids) == len(set(ids)) == count == snapshot.count, "one state, however much is written meanwhile"
    assert count >= seen, "what was committed stays"
    seen, rounds = count, rounds + 1
print(rounds, seen)
"""


@pytest.mark.slow
def test_one_writer_and_readers_in_other_processes(folder: Path, undisturbed: Path) -> None:
    open_or_create(str(folder), recipe=WORDS)
    command = [sys.executable, "-c", READER, str(folder), "2.5"]
    readers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    process = start(folder, undisturbed / "a.jsonl", workers=1, commit=100)
    for reader in readers:
        output, _ = reader.communicate(timeout=120)
        assert reader.returncode == 0
        assert int(output.split()[0]) > 0
    assert process.communicate(timeout=120)[0].endswith("done\n") and process.returncode == 0
    assert everything(folder) == everything(undisturbed / "index")


@pytest.mark.slow
def test_a_second_writer_is_refused(folder: Path, undisturbed: Path) -> None:
    engine = open_or_create(str(folder), recipe=WORDS)
    with engine.writer():
        with pytest.raises(LockedIndexError, match=r"Another run is writing to .* reading works meanwhile"):
            run(folder, undisturbed / "a.jsonl")
        process = start(folder, undisturbed / "a.jsonl", workers=1, commit=COMMIT)
        process.communicate(timeout=120)
        assert process.returncode != 0
        assert everything(folder) == {}
    finish(folder, undisturbed)


def _mount(*arguments: str) -> None:
    done = subprocess.run(["mount", *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"this machine lets nobody mount: {done.stderr.strip()}")


@contextmanager
def small_disk(size: str) -> Iterator[Path]:
    """A disk of its own, as small as we like. Not in pytest's folder, which cannot be cleared with one that was left
    there by a run that was killed."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount a small disk")
    with tempfile.TemporaryDirectory(prefix="leitong-disk-") as place:
        _mount("-t", "tmpfs", "-o", f"size={size}", "leitong-test", place)
        try:
            yield Path(place)
        finally:
            subprocess.run(["umount", "-l", place], check=True)


def test_a_full_disk(tmp_path: Path, undisturbed: Path) -> None:
    with small_disk("2m") as disk:
        folder = disk / "index"
        lines = (undisturbed / "a.jsonl").read_text(encoding="utf-8").splitlines()
        run(folder, write(tmp_path / "few.jsonl", lines[:50]))
        free = os.statvfs(disk)
        (disk / "other").write_bytes(b"x" * (free.f_bavail * free.f_frsize - 100_000))
        before = everything(folder)
        with pytest.raises(StorageError, match=r"The disk is full: free some space, then run again"):
            run(folder, undisturbed / "a.jsonl")
        assert everything(folder) == before, "the last commit stays readable"
        (disk / "other").unlink()
        subprocess.run(["mount", "-o", "remount,size=50m", str(disk)], check=True)
        finish(folder, undisturbed)


def test_a_full_disk_from_the_beginning(tmp_path: Path) -> None:
    with small_disk("64k") as disk:
        (disk / "other").write_bytes(b"x" * 60_000)
        with pytest.raises(StorageError, match=r"disk is full"):
            run(disk / "index", write(tmp_path / "a.jsonl", records(300)))


def test_a_read_only_folder(tmp_path: Path) -> None:
    """Refused in a sentence."""
    with small_disk("20m") as disk:
        folder = disk / "index"
        file = write(tmp_path / "a.jsonl", records(20))
        run(folder, file)
        _mount("-o", "remount,ro", str(disk))
        with pytest.raises(StorageError, match="read-only: choose a place"):
            run(folder, file)
        with pytest.raises(StorageError, match="read-only: choose a place"):
            run(disk / "new", file)


def test_reading_where_nothing_may_be_written(tmp_path: Path) -> None:
    with small_disk("20m") as disk:
        run(disk / "index", write(tmp_path / "a.jsonl", records(20)))
        _mount("-o", "remount,ro", str(disk))
        assert len(everything(disk / "index")) == 20
        with open_index(disk / "index") as opened:
            assert opened.search("自由").total > 0
            assert opened.report().documents == 20
            with pytest.raises(StorageError, match="read-only: choose a place"):
                opened.delete(["doc-00001"])


def test_what_others_write_is_read_where_we_may_not_write(tmp_path: Path) -> None:
    """As in a container that has the folder of its host read-only."""
    with small_disk("20m") as disk:
        run(disk / "index", write(tmp_path / "a.jsonl", records(20)))
        (tmp_path / "view").mkdir()
        _mount("--bind", str(disk), str(tmp_path / "view"))
        try:
            _mount("-o", "remount,bind,ro", str(tmp_path / "view"))
            with open_index(tmp_path / "view" / "index") as opened:
                assert opened.search("").total == 20
                for count in (40, 60, 80):
                    run(disk / "index", write(tmp_path / "a.jsonl", records(count)))
                    assert opened.search("").total == count
        finally:
            subprocess.run(["umount", "-l", str(tmp_path / "view")], check=True)


def test_whoever_may_read_the_folder_may_read_the_index(tmp_path: Path) -> None:
    run(tmp_path / "index", write(tmp_path / "a.jsonl", records(20)))
    header = (tmp_path / "index" / "leitong.json").stat().st_mode
    modes = {file.name: file.stat().st_mode for file in (tmp_path / "index" / "tantivy").iterdir()}
    assert all(mode == header for mode in modes.values()), modes


def test_missing_and_foreign_places(tmp_path: Path) -> None:
    with pytest.raises(MissingIndexError, match=r"There is no index at .*leitong index SOURCE"):
        open_engine(str(tmp_path / "absent"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(MissingIndexError, match="is empty"):
        open_engine(str(tmp_path / "empty"))
    (tmp_path / "file").write_text("x", encoding="utf-8")
    for opening in (open_engine, open_or_create):
        with pytest.raises(ForeignIndexError, match="is a file"):
            opening(str(tmp_path / "file"))
    photos = tmp_path / "photos"
    photos.mkdir()
    (photos / "cat.jpg").write_bytes(b"meow")
    for opening in (open_engine, open_or_create):
        with pytest.raises(ForeignIndexError, match="no Leitong index"):
            opening(str(photos))
    assert [one.name for one in photos.iterdir()] == ["cat.jpg"], "nothing was left there"
    with pytest.raises(ForeignIndexError, match="is a file"):
        open_or_create(str(tmp_path / "file" / "inside"))


def test_an_index_of_a_newer_version(folder: Path) -> None:
    open_or_create(str(folder), recipe=WORDS)
    header = json.loads((folder / "leitong.json").read_text(encoding="utf-8"))
    (folder / "leitong.json").write_text(json.dumps(header | {"format": 99}), encoding="utf-8")
    for opening in (open_engine, open_or_create):
        with pytest.raises(NewerIndexError, match=r"has format 99; .*pip install -U leitong"):
            opening(str(folder))


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"null", b"\xff", b"{}", b'{"format": "x"}', b'{"format": 3}', b'{"format": 3, "recipe": 5}'],
)
def test_a_damaged_header(folder: Path, content: bytes) -> None:
    open_or_create(str(folder), recipe=WORDS)
    (folder / "leitong.json").write_bytes(content)
    for opening in (open_engine, open_or_create):
        with pytest.raises(EngineError, match=r"is damaged: leitong\.json .* or index anew"):
            opening(str(folder))


@pytest.mark.parametrize(
    "change", [{"bits": 48}, {"unknown": 1}, {"name": 5}, {"idf": "feed"}, {"segmenter": "mecab"}, {"weights": ["idf"]}]
)
def test_a_header_with_a_recipe_that_cannot_be(folder: Path, change: dict[str, object]) -> None:
    open_or_create(str(folder), recipe=WORDS)
    header = json.loads((folder / "leitong.json").read_text(encoding="utf-8"))
    header["recipe"] |= change
    (folder / "leitong.json").write_text(json.dumps(header), encoding="utf-8")
    with pytest.raises(EngineError, match="is damaged"):
        open_engine(str(folder))


def test_damaged_data_are_an_error_of_ours(folder: Path, tmp_path: Path) -> None:
    run(folder, write(tmp_path / "a.jsonl", records(5)))
    (folder / "tantivy" / "meta.json").write_bytes(b"{")
    with (
        pytest.raises(EngineError, match=r"does not answer|damaged"),
        EmbeddedEngine.open(folder).snapshot() as snapshot,
    ):
        list(snapshot.rows())


def test_what_a_killed_creation_leaves_behind_is_no_hindrance(folder: Path, tmp_path: Path) -> None:
    """Killed before the header was written: the folder counts as ours and is made again."""
    (folder / "tantivy").mkdir(parents=True)
    (folder / "leitong.json.new").write_bytes(b'{"form')
    outcome = run(folder, write(tmp_path / "a.jsonl", records(3)))
    assert outcome.indexed == 3 == len(everything(folder))


def test_every_kind_of_disk_error_has_its_advice() -> None:
    from leitong.indexer.files import storage_error

    advice = {
        code: str(storage_error(OSError(code, os.strerror(code)), Path("x"), "write to"))
        for code in (errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EIO)
    }
    assert "free some space" in advice[errno.ENOSPC] and "read-only" in advice[errno.EROFS]
    assert "permissions" in advice[errno.EACCES] and "Check the place" in advice[errno.EIO]
    assert all(message.startswith("Cannot write to x: ") for message in advice.values())
