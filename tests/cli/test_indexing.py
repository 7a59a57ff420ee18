"""What `index` does with sources, duplicates and interruptions."""

import gzip
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from leitong.indexer import LeitongError, open_index
from leitong.indexer.engines.open import open_engine
from tests.cli.corpus import WIRE
from tests.cli.running import SCRIPT, Made, environment, here, run, write_jsonl

pytestmark = pytest.mark.slow

TEXTS = [
    "天气预报说明天有雨，请带好雨伞。",
    "图书馆明天闭馆整理，后天开放。",
    "火车票今天上午开始发售。",
    "Trains run late.",
]


def test_every_kind_of_source_at_once(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow

    folder = tmp_path / "folder" / "below"
    folder.mkdir(parents=True)
    (folder / "note.md").write_text(f"# 标题\n\n{TEXTS[0]}", encoding="utf-8")
    (folder / "page.html").write_text(f"<title>页</title><p>{TEXTS[1]}</p><script>no()</script>", encoding="utf-8")
    (folder / "photo.jpg").write_bytes(b"\xff")
    (tmp_path / "old.txt").write_bytes(TEXTS[0].encode("gb18030"))
    (tmp_path / "a.csv").write_text(f'id,title,text,city\nc1,t,"{TEXTS[2]}\n{TEXTS[3]}",北京\n', encoding="utf-8-sig")
    (tmp_path / "b.tsv").write_text(f"id\ttitle\ttext\nt1\tt\t{TEXTS[3]}\n", encoding="utf-8")
    table = pyarrow.table({"id": ["p1"], "title": ["t"], "text": [TEXTS[2]], "n": [7]})
    parquet.write_table(table, tmp_path / "c.parquet")
    with gzip.open(tmp_path / "d.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(json.dumps({"id": 5, "text": TEXTS[1]}) + "\n")
    stdin = json.dumps({"text": TEXTS[3]}) + "\n" + json.dumps({"id": "s1", "content": TEXTS[2]})
    names = ("folder", "old.txt", "a.csv", "b.tsv", "c.parquet", "d.jsonl.gz", "-")
    ran = run("index", *names, "-i", "ix", "--json", cwd=tmp_path, input=stdin)
    assert (ran.json["indexed"], ran.json["rejected"]) == (9, 0)
    assert "1 file in folder left out" in ran.err
    with open_index(tmp_path / "ix") as index:
        stored = index.documents(
            ["folder/below/note.md", "folder/below/page.html", "old.txt", "c1", "t1", "p1", "5", "s1"]
        )
    assert len(stored) == 8
    assert stored["folder/below/note.md"].document.title == "标题"
    assert stored["folder/below/page.html"].document.text == TEXTS[1]
    assert stored["old.txt"].document.text == TEXTS[0]
    assert stored["c1"].document.text == f"{TEXTS[2]}\n{TEXTS[3]}"
    assert stored["c1"].document.metadata == {"city": "北京"}
    assert stored["p1"].document.metadata == {"n": 7}


def test_fields_by_other_names(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "a.jsonl", [{"nr": 7, "head": "头", "doc": {"main": TEXTS[0]}, "city": "北京", "x": 1}])
    names = ("--id-field", "nr", "--title-field", "head", "--text-field", "doc.main", "--metadata-field", "city")
    assert here("index", "a.jsonl", "-i", "ix", *names, "--json", cwd=tmp_path).json["indexed"] == 1
    shown = here("get", "7", "-i", "ix", "--json", cwd=tmp_path).json
    assert (shown["title"], shown["text"], shown["metadata"]) == ("头", TEXTS[0], {"city": "北京"})


NEAR = WIRE.replace("三万", "四万").replace("昨日", "今日")
RUN: list[dict[str, Any]] = [
    {"id": "first", "text": WIRE},
    {"id": "other", "text": TEXTS[0]},
    {"id": "copy", "text": WIRE},
    {"id": "near", "text": NEAR},
]


@pytest.mark.parametrize("policy", ["index", "mark", "skip"])
def test_duplicates_within_one_run_and_the_next(tmp_path: Path, policy: str) -> None:
    write_jsonl(tmp_path / "one.jsonl", RUN)
    write_jsonl(tmp_path / "two.jsonl", [{"id": "late", "text": WIRE}, {"id": "new", "text": TEXTS[2]}])

    def index(name: str) -> dict[str, Any]:
        answer: dict[str, Any] = here("index", name, "-i", "ix", "--on-duplicate", policy, "--json", cwd=tmp_path).json
        return answer

    one, two = index("one.jsonl"), index("two.jsonl")
    skipped = policy == "skip"
    there = policy != "index"  # those marked are counted as well
    assert (one["indexed"], one["duplicates"]) == (2 if skipped else 4, 2 if there else 0)
    assert (two["indexed"], two["duplicates"]) == (1 if skipped else 2, 1 if there else 0)
    with open_index(tmp_path / "ix") as opened:
        stored = opened.documents(["first", "other", "copy", "near", "late", "new"])
    marks = {id: one.duplicate_of for id, one in stored.items() if one.duplicate_of}
    clusters = {id: one.cluster for id, one in stored.items()}
    if skipped:
        assert set(stored) == {"first", "other", "new"}
    else:
        expected = {"copy": "first", "near": "first", "late": "first"} if policy == "mark" else {}
        assert clusters == {id: expected.get(id, id) for id in stored}
        assert set(marks) == set(expected)


def test_the_same_id_is_replaced_by_the_next_run(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "one.jsonl", [{"id": "a", "text": TEXTS[0]}, {"id": "b", "text": TEXTS[1]}])
    write_jsonl(tmp_path / "two.jsonl", [{"id": "a", "text": TEXTS[2]}, {"id": "b", "text": TEXTS[1]}])
    here("index", "one.jsonl", "-i", "ix", cwd=tmp_path)
    assert here("index", "two.jsonl", "-i", "ix", "--resume", "--json", cwd=tmp_path).json["unchanged"] == 1
    with open_index(tmp_path / "ix") as index:
        assert index.info().documents == 2
        assert index.get("a").document.text == TEXTS[2]
        assert index.search(TEXTS[0]).total == 0


def state(index: Path) -> dict[str, Any]:
    """Everything an index holds, by id."""
    with open_index(index) as opened:
        count = opened.info().documents
        rows = opened._engine.snapshot()
        stored = [one for part in rows.rows() for one in rows.documents(part.refs)]
    assert len(stored) == count == len({one.document.id for one in stored})
    return {one.document.id: one for one in stored}


def lines(count: int) -> list[bytes]:
    """So many short documents cut from the sample, some of them alike, as JSON lines."""
    with gzip.open(str(files("leitong.cli") / "sample" / "docs.jsonl.gz")) as file:
        text = "".join(json.loads(line)["text"] for line in file)
    size = len(text) // count
    return [
        json.dumps({"id": f"doc {place}", "text": text[place * size : place * size + max(40, size)]}).encode() + b"\n"
        for place in range(count)
    ]


def undisturbed(cwd: Path, content: list[bytes], *options: str) -> dict[str, Any]:
    (cwd / "all.jsonl").write_bytes(b"".join(content))
    assert run("index", "all.jsonl", "-i", "whole", *options, cwd=cwd).code == 0
    return state(cwd / "whole")


def begin(cwd: Path, content: list[bytes], *options: str, source: str = "-") -> "subprocess.Popen[bytes]":
    """An `index` run that has been given these lines and waits for more, as the leader of its own process group; or one
    that reads another source."""
    process = subprocess.Popen(
        [SCRIPT, "index", source, "-i", "broken", *options],
        cwd=cwd,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        start_new_session=True,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # a test run in the background ignores it
    )
    assert process.stdin is not None
    process.stdin.write(b"".join(content))
    process.stdin.flush()
    return process


def alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.slow
@pytest.mark.parametrize(
    ("workers", "policy", "stopped_by"),
    [("1", "mark", signal.SIGINT), ("2", "index", signal.SIGINT), ("2", "index", signal.SIGTERM)],
)
def test_stopped_and_resumed(tmp_path: Path, workers: str, policy: str, stopped_by: signal.Signals) -> None:
    """By Ctrl-C, which a terminal sends to workers too, or as whoever runs services stops them."""
    content = lines(12_000)
    options = ("--workers", workers, "--on-duplicate", policy)
    expected = undisturbed(tmp_path, content, *options)
    process = begin(tmp_path, content[:11_500], *options)
    os.killpg(process.pid, stopped_by)
    out, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == b""
    assert b"Interrupted" in said
    assert b"--resume" in said
    assert b"Traceback" not in said
    committed = len(state(tmp_path / "broken"))
    assert committed > 500 or policy == "mark"  # which begins by learning from the first 2,000
    ran = run("index", "all.jsonl", "-i", "broken", "--resume", "--json", *options, cwd=tmp_path)
    assert ran.json["unchanged"] == committed
    assert ran.json["indexed"] == 12_000 - committed
    assert state(tmp_path / "broken") == expected


@contextmanager
def with_a_worker(cwd: Path) -> "Iterator[tuple[subprocess.Popen[bytes], int]]":
    """An `index` run of some seconds that has just started another process, and that process."""
    content = (json.dumps({"id": str(number), "text": f"{number} " * 60}) + "\n" for number in range(60_000))
    (cwd / "all.jsonl").write_text("".join(content), encoding="utf-8")
    process = begin(cwd, [], "--workers", "2", source="all.jsonl")
    try:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        deadline = time.monotonic() + 60
        while True:
            started = [int(child) for child in children.read_text().split()]
            workers = [child for child in started if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]
            if workers:
                break
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.01)
        yield process, workers[0]
    finally:
        process.kill()
        process.communicate(timeout=60)


@pytest.mark.slow
@pytest.mark.parametrize("later", [0.0, 0.6, 1.2])
def test_a_worker_that_is_killed_is_a_sentence(tmp_path: Path, later: float) -> None:
    """As by a system whose memory runs out: while it starts, computes or answers."""
    with with_a_worker(tmp_path) as (process, worker):
        time.sleep(later)
        os.kill(worker, signal.SIGKILL)
        _, told = process.communicate(timeout=60)
    assert process.returncode == 2
    assert told.decode().startswith("Error: A worker process was killed, perhaps because memory ran out. ")
    assert told.decode().endswith("An interrupted run goes on with --resume.\n")


@pytest.mark.slow
@pytest.mark.parametrize("stopped_by", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_all_processes_is_for_the_first(tmp_path: Path, stopped_by: signal.Signals) -> None:
    """A pool whose workers end for it, in their first moment too, would be broken, and the run would hang."""
    with with_a_worker(tmp_path) as (process, _):
        os.killpg(process.pid, stopped_by)
        _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert told.startswith(b"Interrupted.") and told.count(b"\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["2"])
def test_kill_9_and_resume(tmp_path: Path, workers: str) -> None:
    content = lines(24_000)
    options = ("--workers", workers)
    expected = undisturbed(tmp_path, content, *options)
    process = begin(tmp_path, content[:23_000], *options)  # a commit takes 20,000
    try:
        deadline = time.monotonic() + 600
        while _count(tmp_path / "broken") == 0:  # until the first commit
            assert time.monotonic() < deadline
            time.sleep(0.2)
    finally:
        process.kill()
        process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    committed = len(state(tmp_path / "broken"))  # readable at once
    assert 0 < committed < 23_000
    ran = run("index", "all.jsonl", "-i", "broken", "--resume", "--json", *options, cwd=tmp_path)
    assert ran.json["unchanged"] == committed
    assert ran.json["indexed"] == 24_000 - committed
    assert state(tmp_path / "broken") == expected
    deadline = time.monotonic() + 10
    while alive(process.pid):  # the worker processes do not stay behind
        assert time.monotonic() < deadline, "worker processes outlive a killed run"
        time.sleep(0.2)


def _count(index: Path) -> int:
    try:
        with open_index(index) as opened:
            return opened.info().documents
    except LeitongError:
        return 0


def test_one_writer_and_readers_meanwhile(articles: Made, tmp_path: Path) -> None:
    shutil.copytree(articles.cwd / articles.index, tmp_path / "ix")
    with open_engine(str(tmp_path / "ix")).writer():
        second = run("delete", "weather", "-i", "ix", cwd=tmp_path)
        assert second.code == 2
        assert "Another run is writing to ix" in second.sentence
        assert run("search", "图书馆", "-i", "ix", "--json", cwd=tmp_path).json["total"] == 3
    assert run("delete", "weather", "-i", "ix", cwd=tmp_path).code == 0
