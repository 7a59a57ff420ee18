"""A report that is interrupted, shared among machines, or made while others write."""

import errno
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from leitong.indexer.documents import Document
from leitong.indexer.duplicates.found import Pair
from leitong.indexer.duplicates.settings import Step
from leitong.indexer.duplicates.work import Work
from leitong.indexer.errors import StorageError, UsageError
from leitong.indexer.files import held
from leitong.indexer.library import Index, open_index
from leitong.reports.parts import read_parts
from leitong.reports.read import read_policy, read_summary
from leitong.reports.write import write_report
from tests.duplicates.collection import DOCUMENTS, STORY, WORDS, make
from tests.full_disk import files_up_to


class StoppedError(Exception):
    """Something ends the run."""


def stop_at(name: str) -> Callable[[Step], None]:
    def watch(step: Step) -> None:
        if step.name == name and step.done:
            raise StoppedError

    return watch


@pytest.mark.parametrize("step", ["read", "check", "describe"])
def test_an_interrupted_report_goes_on(tmp_path: Path, step: str) -> None:
    with Index(make(tmp_path / "index", DOCUMENTS)) as index:
        with pytest.raises(StoppedError):
            index.report(work=tmp_path / "work", watch=stop_at(step))
        assert (tmp_path / "work" / "texts.jsonl").is_file()
        report = index.report(work=tmp_path / "work", resume=True)
        assert list(report.pairs) == list(index.report().pairs)
        assert report.clusters == index.report().clusters
        assert not (tmp_path / "work").exists()


def test_what_is_finished_is_not_done_again(tmp_path: Path) -> None:
    with Index(make(tmp_path / "index", DOCUMENTS)) as index:
        with pytest.raises(StoppedError):
            index.report(work=tmp_path / "work", watch=stop_at("check"))
        steps: list[str] = []
        index.report(work=tmp_path / "work", resume=True, watch=lambda step: steps.append(step.name))
        assert "read" not in steps


def test_a_report_of_another_state_does_not_go_on(tmp_path: Path) -> None:
    with Index(make(tmp_path / "index", DOCUMENTS)) as index:
        with pytest.raises(StoppedError):
            index.report(work=tmp_path / "work", watch=stop_at("check"))
        with pytest.raises(UsageError, match="has changed since the report was interrupted"):
            index.report(work=tmp_path / "work", resume=True, radius=7)
        index.add([Document("late", STORY)])
        with pytest.raises(UsageError, match="Run again without --resume"):
            index.report(work=tmp_path / "work", resume=True)
        assert len(index.report(work=tmp_path / "work").pairs) > 0


def test_half_a_line_is_of_a_killed_run(tmp_path: Path) -> None:
    work = Work(tmp_path / "work")
    work.begin({"a": 1}, resume=False)
    for number in range(3):
        work.append("data.bin", bytes([number] * 4))
        work.commit("journal.jsonl", {"n": number}, "data.bin")
    work.append("data.bin", b"torn")
    work.close(finished=False)
    with (tmp_path / "work" / "journal.jsonl").open("ab") as file:
        file.write(b'{"n":3,"_si')
    with Work(tmp_path / "work") as other:
        assert other.begin({"a": 1}, resume=True)
        assert [line["n"] for line in other.lines("journal.jsonl")] == [0, 1, 2]
        assert other.array("data.bin", "u1").tolist() == [0] * 4 + [1] * 4 + [2] * 4


def test_two_reports_at_once_do_not_share_their_work(tmp_path: Path) -> None:
    """The second one emptied the folder of the first, and both ended with an error that should not happen."""
    with Index(make(tmp_path / "index", DOCUMENTS)) as index, open_index(tmp_path / "index") as another:
        alone = list(index.report().pairs)

        def watch(step: Step) -> None:
            if step.name == "check":
                for resume in (False, True):
                    with pytest.raises(UsageError, match=r"Another run is writing to .*work.*Run again when"):
                        another.report(work=tmp_path / "work", resume=resume)

        assert list(index.report(work=tmp_path / "work", watch=watch).pairs) == alone
        assert list(another.report(work=tmp_path / "work").pairs) == alone, "nobody has it any more"


@pytest.mark.skipif(sys.platform == "win32", reason="nobody waits there")
def test_two_reports_that_end_at_once_do_not_mix_their_files(tmp_path: Path) -> None:
    with Index(make(tmp_path / "index", DOCUMENTS)) as index:
        found, info = index.report(), index.info()
        with ThreadPoolExecutor() as threads:
            with held(tmp_path / "report"):
                writing = threads.submit(write_report, tmp_path / "report", found, info=info, formats=("jsonl",))
                with pytest.raises(TimeoutError):
                    writing.result(timeout=0.3)
                assert list((tmp_path / "report").iterdir()) == []
            writing.result(timeout=60)
        assert read_summary(tmp_path / "report")["pairs"] == len(found.pairs)


@pytest.mark.skipif(sys.platform == "win32", reason="nobody waits there")
def test_a_report_goes_to_a_file_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def flock(handle: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    with Index(make(tmp_path / "index", DOCUMENTS)) as index:
        monkeypatch.setattr("fcntl.flock", flock)
        found = index.report(work=tmp_path / "work")
        write_report(tmp_path / "report", found, info=index.info(), formats=("jsonl",))
        assert read_summary(tmp_path / "report")["pairs"] == len(found.pairs)


KILLED = """
    import sys, time
    from leitong.indexer.library import open_index
    with open_index(sys.argv[1]) as index:
        def watch(step):
            if step.name == "check" and step.done:
                print("checking", flush=True)
                time.sleep(60)
        index.report(work=sys.argv[2], watch=watch)
"""


@pytest.mark.slow
def test_a_killed_process_leaves_what_can_go_on(tmp_path: Path) -> None:
    make(tmp_path / "index", DOCUMENTS).close()
    script = textwrap.dedent(KILLED).replace("work=sys.argv[2]", "work=__import__('pathlib').Path(sys.argv[2])")
    command = [sys.executable, "-c", script, str(tmp_path / "index"), str(tmp_path / "work")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        os.kill(process.pid, signal.SIGKILL)
    with open_index(tmp_path / "index") as index:
        assert list(index.report(work=tmp_path / "work", resume=True).pairs) == list(index.report().pairs)


@pytest.mark.parametrize("parts", [1, 2, 5])
def test_parts_make_the_same_report(tmp_path: Path, parts: int) -> None:
    with Index(make(tmp_path / "index", DOCUMENTS)) as index:
        whole = index.report()
        found: list[Pair] = []
        folders = [tmp_path / f"part-{part}" for part in range(parts)]
        for part, folder in enumerate(folders):
            report = index.report(part=part, parts=parts)
            found += report.pairs
            if parts > 1:
                assert report.clusters == ()
                write_report(folder, report, info=index.info(), formats=("jsonl",))
        assert sorted((pair.a, pair.b) for pair in found) == [(pair.a, pair.b) for pair in whole.pairs]
        if parts > 1:
            merged = index.merge(read_parts(folders))
            assert [(pair.a, pair.b, pair.kind) for pair in merged.pairs] == [
                (pair.a, pair.b, pair.kind) for pair in whole.pairs
            ]
            assert [cluster.members for cluster in merged.clusters] == [cluster.members for cluster in whole.clusters]
            assert merged.compared == whole.compared
            with pytest.raises(UsageError, match="Each must be there once"):
                read_parts(folders[1:])
            with pytest.raises(UsageError, match="Each must be there once"):
                read_parts([*folders, folders[0]])


def test_parts_of_different_reports_do_not_mix(tmp_path: Path) -> None:
    with Index(make(tmp_path / "index", DOCUMENTS)) as index:
        for part, radius in ((0, 3), (1, 7)):
            report = index.report(part=part, parts=2, radius=radius)
            write_report(tmp_path / str(part), report, info=index.info(), formats=("jsonl",))
        with pytest.raises(UsageError, match="a part of another report"):
            read_parts([tmp_path / "0", tmp_path / "1"])
        with pytest.raises(UsageError, match="holds no part of a report"):
            read_parts([tmp_path])
        with pytest.raises(UsageError, match="There is no folder"):
            read_parts([tmp_path / "nothing"])
        for damaged in ("[]", "{}", '{"part": 0}'):
            (tmp_path / "0" / "part.json").write_text(damaged)
            with pytest.raises(UsageError, match="holds no part of a report"):
                read_parts([tmp_path / "0"])


class TestPartsAndTheirIndex:
    """What a report tells of documents is acted on, so parts are joined over the documents they were made of only."""

    @pytest.fixture
    def folders(self, tmp_path: Path) -> list[Path]:
        folders = [tmp_path / "0", tmp_path / "1"]
        with Index(make(tmp_path / "index", DOCUMENTS)) as index:
            for part, folder in enumerate(folders):
                write_report(folder, index.report(part=part, parts=2), info=index.info(), formats=("jsonl",))
        return folders

    def test_another_index_with_the_same_ids(self, tmp_path: Path, folders: list[Path]) -> None:
        others = [Document(one.id, f"别的第{number}篇。{STORY}") for number, one in enumerate(DOCUMENTS)]
        with (
            Index(make(tmp_path / "other", others)) as index,
            pytest.raises(UsageError, match=r"documents of \S+index, and \S+other .* is another index"),
        ):
            index.merge(read_parts(folders))

    @pytest.mark.parametrize("change", ["text", "more", "less"])
    def test_the_index_after_a_change(self, tmp_path: Path, folders: list[Path], change: str) -> None:
        with open_index(tmp_path / "index") as index:
            if change == "less":
                index.delete([DOCUMENTS[0].id])
            else:
                index.add([Document(DOCUMENTS[0].id if change == "text" else "late", "全新的文章，和别的都没有关系。")])
            with pytest.raises(UsageError, match=r"has changed since.*make them again"):
                index.merge(read_parts(folders))

    def test_the_same_texts_under_exchanged_ids(self, tmp_path: Path, folders: list[Path]) -> None:
        """Only texts were looked at, so the pairs of one index were told of the documents of the other."""
        ids = {"news": "poem", "poem": "news"}
        exchanged = [replace(document, id=ids.get(document.id, document.id)) for document in DOCUMENTS]
        with (
            Index(make(tmp_path / "exchanged", exchanged)) as index,
            pytest.raises(UsageError, match=r"exchanged .* is another index"),
        ):
            index.merge(read_parts(folders))

    def test_a_part_is_not_acted_on_and_tells_no_clusters(self, folders: list[Path]) -> None:
        with pytest.raises(UsageError, match=r"is part 1/2 of a report.*leitong report merge"):
            read_policy(folders[0], action="mark")
        summary = read_summary(folders[0])
        assert summary["clusters"] is summary["documents_in_clusters"] is None
        assert summary["pairs"] is not None


def test_writing_meanwhile_changes_nothing(tmp_path: Path) -> None:
    """A report is of the state in which it began."""
    with Index(make(tmp_path / "index", DOCUMENTS, recipe=WORDS)) as index:
        expected = list(index.report().pairs)
        writing = {"done": False}

        def watch(step: Step) -> None:
            if step.name == "read" and not writing["done"]:
                writing["done"] = True
                with open_index(tmp_path / "index") as other:
                    other.delete(["story", "news-copy"])
                    other.add([Document("late", STORY)])

        report = index.report(watch=watch)
        assert list(report.pairs) == expected
        assert report.missing == ()
        assert {pair.a for pair in index.report().pairs} != {pair.a for pair in expected}


def test_a_full_disk_is_said_and_nothing_is_broken(tmp_path: Path) -> None:
    documents = [Document(f"{number:03}", f"{STORY} {number}") for number in range(40)]
    make(tmp_path / "index", documents, recipe=WORDS).close()
    with open_index(tmp_path / "index") as index:
        index.report()
        with files_up_to(20_000), pytest.raises(StorageError, match="The disk is full"):
            index.report(work=tmp_path / "work")
    with open_index(tmp_path / "index") as index:
        assert len(index.report(work=tmp_path / "work", resume=True).pairs) == 40 * 39 // 2


def test_storage_error_names_the_place(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with Index(make(tmp_path / "index", DOCUMENTS[:2])) as index, pytest.raises(StorageError, match="file"):
        index.report(work=tmp_path / "file" / "work")
