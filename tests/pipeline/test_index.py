"""What becomes of every record: counts, rejects, limits, duplicates, the same with one process or several."""

import json
import os
import subprocess
import sys
import threading
import time
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest

from leitong.indexer.documents import MAX_ID_BYTES, MAX_TEXT_BYTES, Document
from leitong.indexer.engines.open import open_or_create
from leitong.indexer.errors import DocumentError, RecipeError, StorageError, UsageError
from leitong.indexer.fingerprint.recipe import Recipe
from leitong.indexer.library import open_index
from leitong.indexer.pipeline import IndexOptions, OnDuplicate, Progress, index
from leitong.indexer.sources.open import open_sources
from leitong.indexer.workers import fingerprint_all, in_batches, prepare_all
from tests.duplicates.drawn import article
from tests.fingerprint.texts import TEXTS
from tests.pipeline.run import WORDS, everything, records, rejects, rejects_of, run, write


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


def test_what_became_of_each_record_is_counted(tmp_path: Path, folder: Path) -> None:
    file = write(tmp_path / "a.jsonl", [*records(5), "no json", {"id": "x"}, {"id": "doc-00001", "text": "again"}])
    told: list[Progress] = []
    outcome = index(
        open_or_create(str(folder), recipe=WORDS),
        open_sources([str(file)]),
        options=IndexOptions(rejects=rejects_of(folder)),
        watch=told.append,
    )
    assert (outcome.indexed, outcome.unchanged, outcome.duplicates, outcome.rejected) == (5, 0, 0, 3)
    assert outcome.documents == 8
    assert outcome.position == outcome.size == file.stat().st_size
    assert told[-1].documents == 8 and [one.documents for one in told] == sorted(one.documents for one in told)
    assert set(everything(folder)) == {f"doc-{number:05}" for number in range(5)}


def test_the_seconds_hold_what_comes_after_the_last_document(tmp_path: Path, folder: Path) -> None:
    told: list[Progress] = []
    sources = open_sources([str(write(tmp_path / "a.jsonl", records(5)))])
    with open_index(folder, create=True, recipe=WORDS) as opened:
        outcome = opened.index(sources, options=IndexOptions(rejects=rejects_of(folder)), watch=told.append)
    assert outcome.seconds > told[-1].seconds > 0


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("on_duplicate", ["index", "mark"])
def test_the_position_is_that_of_what_was_dealt_with(
    tmp_path: Path, folder: Path, workers: int, on_duplicate: OnDuplicate
) -> None:
    """Not that of what was read ahead: the time left is reckoned by it."""
    file = write(tmp_path / "a.jsonl", records(3_000))
    ends = [0, *accumulate(map(len, file.read_bytes().splitlines(keepends=True)))]
    told: list[Progress] = []
    index(
        open_or_create(str(folder), recipe=WORDS),
        open_sources([str(file)]),
        options=IndexOptions(rejects=rejects_of(folder), workers=workers, on_duplicate=on_duplicate),
        watch=told.append,
    )
    assert len({one.position for one in told}) > 10
    assert all(one.position <= ends[one.documents] for one in told)
    assert (told[-1].position, told[-1].documents) == (ends[-1], 3_000)


def test_rejects_alone_move_the_position(tmp_path: Path, folder: Path) -> None:
    file = write(tmp_path / "a.jsonl", ["no json"] * 2_000)
    told: list[Progress] = []
    index(
        open_or_create(str(folder), recipe=WORDS),
        open_sources([str(file)]),
        options=IndexOptions(rejects=rejects_of(folder)),
        watch=told.append,
    )
    assert len({one.position for one in told}) > 5
    assert told[-1].position == file.stat().st_size


def test_everything_of_a_document_is_kept(tmp_path: Path, folder: Path) -> None:
    metadata = {"tags": ["甲", 1, None, 2.5, True], "deep": {"er": {"est": "x"}}, "": "empty name", "a.b": {"c": 1}}
    run(folder, write(tmp_path / "a.jsonl", [{"id": 7, "title": "标题", "text": " 正文\r\n", **metadata}]))
    (stored,) = everything(folder).values()
    assert stored.document == Document("7", " 正文\r\n", "标题", metadata)
    assert (stored.cluster, stored.duplicate_of) == ("7", None)


def test_the_rejects_file(tmp_path: Path, folder: Path) -> None:
    good = {"id": "good", "text": TEXTS["zh"]}
    bad: list[tuple[Any, str | None, str]] = [
        ("{not json", None, "not JSON"),
        ("[1]", None, "is a list, not a JSON object"),
        ({"id": "a"}, "a", "there is no field 'text'"),
        ({"id": "b", "text": "  "}, "b", "there is no text"),
        ({"id": "c", "text": "nul \0"}, "c", "NUL"),
        ('{"id": "d", "text": "\\ud800"}', None, "lone surrogate"),
        ({"id": "good", "text": "other"}, "good", "stands in an earlier record"),
        ({"id": "", "text": "x"}, "", "the id is empty"),
        ({"id": "e" * 513, "text": "x"}, None, "more than 512"),
        ({"id": "f", "text": 5}, "f", "the text is a number"),
        ({"id": "g", "text": "x", "deep": json.loads("[" * 400 + "]" * 400)}, "g", "cannot be written as JSON"),
    ]
    file = write(tmp_path / "a.jsonl", [good, *(record for record, _, _ in bad), {"id": "last", "text": "末"}])
    outcome = run(folder, file)
    assert (outcome.indexed, outcome.rejected) == (2, len(bad))
    assert set(everything(folder)) == {"good", "last"}
    found = rejects(folder)
    assert [reject["line"] for reject in found] == list(range(2, 2 + len(bad)))
    for reject, (record, doc_id, reason) in zip(found, bad, strict=True):
        assert set(reject) == {"source", "line", "id", "reason", "record"}
        assert reject["source"] == str(file)
        assert reason in reject["reason"] and "\n" not in reject["reason"]
        assert reject["id"] == doc_id
        if isinstance(record, str):
            assert reject["record"] == record
        else:
            assert json.loads(reject["record"]).items() >= record.items()


def test_an_index_that_cannot_be_written_is_what_is_told_first(tmp_path: Path, permissions: None) -> None:
    """Its file of rejects cannot be written either; another place for that would not help."""
    file, folder = write(tmp_path / "a.jsonl", records(2)), tmp_path / "index"
    with open_index(folder, create=True, recipe=WORDS) as opened:
        opened.index(open_sources([str(file)]), options=IndexOptions(rejects=folder / "rejects.jsonl"))
        parts = [folder, *folder.rglob("*")]
        for part in parts:
            part.chmod(0o500)
        try:
            with pytest.raises(StorageError) as caught:
                opened.index(open_sources([str(file)]), options=IndexOptions(rejects=folder / "rejects.jsonl"))
        finally:
            for part in parts:
                part.chmod(0o700)
    assert str(folder) in str(caught.value)
    assert "rejects" not in str(caught.value)


def test_rejects_of_another_run_are_gone(tmp_path: Path, folder: Path) -> None:
    run(folder, write(tmp_path / "a.jsonl", ["bad", "bad"]))
    assert len(rejects(folder)) == 2
    run(folder, write(tmp_path / "b.jsonl", ["worse"]))
    assert [reject["record"] for reject in rejects(folder)] == ["worse"]
    run(folder, write(tmp_path / "c.jsonl", records(2)))
    assert not rejects_of(folder).exists()


def test_a_file_that_is_not_ours_stays(tmp_path: Path, folder: Path) -> None:
    rejects_of(folder).write_text("mine")
    for bad in (records(2), ["no record"]):
        with pytest.raises(UsageError, match=r"is no file of rejects, .*Name another file"):
            run(folder, write(tmp_path / "a.jsonl", bad))
        assert rejects_of(folder).read_text() == "mine"
    assert not everything(folder)


def test_an_empty_file_is_nobodys(tmp_path: Path, folder: Path) -> None:
    rejects_of(folder).touch()
    run(folder, write(tmp_path / "a.jsonl", ["no record"]))
    assert [reject["record"] for reject in rejects(folder)] == ["no record"]


def test_no_rejects_no_file(tmp_path: Path, folder: Path) -> None:
    run(folder, write(tmp_path / "a.jsonl", records(2)))
    assert not rejects_of(folder).exists()


def test_one_id_in_two_sources_of_a_run(tmp_path: Path, folder: Path) -> None:
    files = [write(tmp_path / f"{name}.jsonl", [{"id": "same", "text": name}]) for name in ("a", "b")]
    outcome = run(folder, *files)
    assert (outcome.indexed, outcome.rejected) == (1, 1)
    assert everything(folder)["same"].document.text == "a"
    assert rejects(folder)[0]["source"] == str(files[1])


def test_a_second_run_replaces(tmp_path: Path, folder: Path) -> None:
    run(folder, write(tmp_path / "a.jsonl", [{"id": "x", "text": "old"}, {"id": "y", "text": "stays"}]))
    run(folder, write(tmp_path / "b.jsonl", [{"id": "x", "text": "new"}]))
    assert {one: stored.document.text for one, stored in everything(folder).items()} == {"x": "new", "y": "stays"}


@pytest.mark.parametrize(
    "doc_id",
    ["a\nb", "a/b/../../etc", "😀👨‍👩‍👧", "长" * 170, "x" * 512, '"', "\\", " ", "id\t", "*", "é", "e\u0301", "\ufffe"],
)
def test_ids_of_any_kind(tmp_path: Path, folder: Path, doc_id: str) -> None:
    run(
        folder,
        write(tmp_path / "a.jsonl", [{"id": doc_id, "text": "one"}, {"id": f"{doc_id}"[:-1] + "?", "text": "two"}]),
    )
    assert everything(folder)[doc_id].document.text == "one"
    with open_index(folder) as opened:
        assert opened.get(doc_id).document.id == doc_id
        assert opened.delete([doc_id, doc_id, "absent"]) == 1
        assert len(everything(folder)) == 1


@pytest.mark.slow
def test_limits_exactly(tmp_path: Path, folder: Path) -> None:
    texts = {"fits": "a " * (MAX_TEXT_BYTES // 2), "over": "a " * (MAX_TEXT_BYTES // 2) + "a", "wide": "长" * 3_333_334}
    outcome = run(folder, write(tmp_path / "a.jsonl", [{"id": name, "text": text} for name, text in texts.items()]))
    assert (outcome.indexed, outcome.rejected) == (1, 2)
    assert everything(folder)["fits"].document.text == texts["fits"]
    assert ["10,000,001 bytes" in one["reason"] or "10,000,002" in one["reason"] for one in rejects(folder)] == [
        True
    ] * 2


def test_limits_of_ids(tmp_path: Path, folder: Path) -> None:
    ids = ["x" * MAX_ID_BYTES, "x" * (MAX_ID_BYTES + 1), "长" * 170 + "ab", "长" * 171]
    outcome = run(folder, write(tmp_path / "a.jsonl", [{"id": one, "text": "t"} for one in ids]))
    assert (outcome.indexed, outcome.rejected) == (2, 2)


def test_words_and_texts_of_the_odd_kind(tmp_path: Path, folder: Path) -> None:
    texts = {
        "million": "a" * 1_000_000,
        "million-han": "长" * 50_000,
        "stop": "的 了 the of and",
        "punctuation": "……！？",
        "emoji": "😀" * 50,
        "blank inside": "\u3000\u2028甲\u00a0",
        "combining": "e" + "\u0301" * 5000,
        "controls": "alpha\x01\x02\x7f\x85omega",
    }
    outcome = run(folder, write(tmp_path / "a.jsonl", [{"id": name, "text": text} for name, text in texts.items()]))
    assert (outcome.indexed, outcome.rejected) == (len(texts), 0)
    found = everything(folder)
    assert {name: found[name].document.text for name in texts} == texts
    assert {name for name in texts if found[name].features == 0} == {"stop", "punctuation", "emoji"}
    with open_index(folder) as opened:
        for text in texts.values():
            opened.search(text)
            opened.similar_to(text)


def test_nothing_to_index(tmp_path: Path, folder: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    outcome = run(folder, empty)
    assert (outcome.indexed, outcome.rejected) == (0, 1), "an empty file is told, not passed over"
    assert everything(folder) == {}


def test_resume_leaves_alone_what_is_there(tmp_path: Path, folder: Path) -> None:
    some = records(300)
    run(folder, write(tmp_path / "a.jsonl", some[:280]))
    some[5]["text"] += "又一句话。"
    outcome = run(folder, write(tmp_path / "b.jsonl", some), resume=True)
    assert (outcome.indexed, outcome.unchanged) == (21, 279)
    assert everything(folder)["doc-00005"].document.text == some[5]["text"]
    again = run(folder, tmp_path / "b.jsonl", resume=True)
    assert (again.indexed, again.unchanged) == (0, 300), "whole batches of nothing new"


@pytest.mark.slow
def test_one_process_or_several(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leitong.indexer.workers._ALONE", 100_000)
    file = write(tmp_path / "a.jsonl", [*records(520), "bad", {"id": "doc-00003", "text": "again"}])
    outcomes = [run(tmp_path / f"{workers}", file, workers=workers) for workers in (1, 2)]
    assert outcomes[0].indexed == outcomes[1].indexed == 520
    assert everything(tmp_path / "1") == everything(tmp_path / "2")
    assert rejects(tmp_path / "1") == rejects(tmp_path / "2")
    with open_index(tmp_path / "1") as one, open_index(tmp_path / "2") as two:
        hits = [[(hit.id, hit.score) for hit in opened.search("number 7919 自由").hits] for opened in (one, two)]
        assert hits[0] == hits[1] != []


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_duplicates_in_a_run(tmp_path: Path, workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leitong.indexer.workers._ALONE", 0)
    text = TEXTS["news"]
    file = write(
        tmp_path / "a.jsonl",
        [
            {"id": "first", "text": text},
            {"id": "other", "text": TEXTS["en"]},
            {"id": "copy", "text": text.replace("，", " ")},
        ],
    )
    skipped = run(tmp_path / "skip", file, on_duplicate="skip", workers=workers)
    assert (skipped.indexed, skipped.duplicates) == (2, 1)
    assert set(everything(tmp_path / "skip")) == {"first", "other"}
    run(tmp_path / "mark", file, on_duplicate="mark", workers=workers)
    found = everything(tmp_path / "mark")
    assert {one: (stored.cluster, stored.duplicate_of) for one, stored in found.items()} == {
        "first": ("first", None),
        "other": ("other", None),
        "copy": ("first", "first"),
    }
    run(tmp_path / "index", file, workers=workers)
    assert all(stored.duplicate_of is None for stored in everything(tmp_path / "index").values())


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_what_a_pausing_stream_brought_is_committed(folder: Path, workers: int) -> None:
    """Its writer waits until it is there: a batch that is not full, and the commit, do not wait for more."""
    reading, writing = os.pipe()
    there: list[int] = []

    def write_and_wait() -> None:
        with os.fdopen(writing, "wb", buffering=0) as pipe:
            for some in (records(300), records(310)[300:]):
                pipe.write("".join(json.dumps(record) + "\n" for record in some).encode())
                deadline = time.monotonic() + 120
                while len(everything(folder)) < sum(there, len(some)) and time.monotonic() < deadline:
                    time.sleep(0.1)
                there.append(len(everything(folder)) - sum(there))

    engine = open_or_create(str(folder), recipe=WORDS)
    options = IndexOptions(rejects=rejects_of(folder), workers=workers, commit_seconds=0.2)
    writer = threading.Thread(target=write_and_wait)
    with os.fdopen(reading, "rb") as stdin:
        writer.start()
        outcome = index(engine, open_sources(["-"], stdin=stdin), options=options)
    writer.join()
    assert there == [300, 10]
    assert outcome.indexed == 310


def test_duplicates_across_commits(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leitong.indexer.pipeline._COMMIT_DOCUMENTS", 1)
    pool = ["news", "en", "poem"]
    file = write(
        tmp_path / "a.jsonl", [{"id": f"{n}-{name}", "text": TEXTS[name]} for n in range(260) for name in pool]
    )
    outcome = run(folder, file, on_duplicate="skip")
    assert (outcome.indexed, outcome.duplicates) == (3, 777)
    assert set(everything(folder)) == {f"0-{name}" for name in pool}


@pytest.fixture
def sites(tmp_path: Path) -> list[Path]:
    """Texts of one site, and fewer of another one that has a long footer under each: no two say the same."""
    rows = [{"id": f"{number:02}", "text": article(number, 150)} for number in range(70)]
    footer = article(99, 150)
    with_footer = [{**row, "text": row["text"] + footer} for row in rows[40:]]
    return [write(tmp_path / "news.jsonl", rows[:40]), write(tmp_path / "site.jsonl", with_footer)]


@pytest.mark.parametrize("runs", [1, 2])
def test_a_site_that_is_new_to_an_index_has_a_footer_of_its_own(
    folder: Path, sites: list[Path], runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the first documents share was all that was known: the others of a site repeated its first one."""
    monkeypatch.setattr("leitong.indexer.workers._BATCH_CHARACTERS", 1_500)
    monkeypatch.setattr("leitong.indexer.pipeline._LEARNED_FROM", 20)
    parts = [sites] if runs == 1 else [[one] for one in sites]
    assert [run(folder, *files, on_duplicate="skip").duplicates for files in parts] == [0] * runs
    assert len(everything(folder)) == 70


@pytest.mark.parametrize("on_duplicate", ["index", "mark"])
def test_a_report_does_not_depend_on_the_runs_that_brought_its_documents(
    folder: Path, sites: list[Path], on_duplicate: OnDuplicate
) -> None:
    with open_index(folder, create=True, recipe=WORDS) as opened:
        for file in sites:
            options = IndexOptions(rejects=rejects_of(folder), on_duplicate=on_duplicate)
            opened.index(open_sources([str(file)]), options=options)
        assert opened.duplicate_counts(["69"]) == {"69": 0}
        opened.add([Document("one more", article(100, 150) + article(99, 150))])
        assert len(opened.report().pairs) == 0


def test_what_comes_in_place_of_others_is_learned_from(tmp_path: Path, folder: Path) -> None:
    """As a site whose pages got another footer: there are as many documents as before."""
    rows = [{"id": f"{number:02}", "text": article(number, 150)} for number in range(30)]
    again = [{**row, "text": row["text"] + article(99, 150)} for row in rows]
    with open_index(folder, create=True, recipe=WORDS) as opened:
        for some in (rows, again):
            file = write(tmp_path / "pages.jsonl", some)
            opened.index(open_sources([str(file)]), options=IndexOptions(rejects=rejects_of(folder)))
        assert len(opened.report().pairs) == 0


def test_another_recipe_is_refused(tmp_path: Path, folder: Path) -> None:
    file = write(tmp_path / "a.jsonl", records(1))
    run(folder, file)
    with pytest.raises(RecipeError, match=r"has the recipe words \(.*\), not other \(.*\)"):
        run(folder, file, recipe=Recipe(name="other", segmenter="words", seed=1))
    run(folder, file, recipe=Recipe(name="another name", segmenter="words", radius=9))


def test_the_library_adds(folder: Path) -> None:
    with open_index(folder, create=True, recipe=WORDS) as opened:
        assert opened.add([Document("1", "雷同的意思是一样。"), Document("2", "雷同，意思是一样！")]) == 2
        assert opened.add([]) == 0
        for bad, message in (
            (Document("", "x"), "the id is empty"),
            (Document("3", " "), "there is no text"),
            (Document("3", "x" * (MAX_TEXT_BYTES + 1)), "10,000,001 bytes"),
            (Document("3", "x", metadata={"set": {1}}), "cannot be written as JSON"),
            (Document("3", "x", metadata={"half": "\ud800"}), "cannot be written as JSON"),
            (Document("3", "\ud800"), "lone surrogate"),
        ):
            with pytest.raises(DocumentError, match=message):
                opened.add([Document("good", "x"), bad])
        assert opened.info().documents == 2, "nothing is added then"


def test_a_footer_under_many_articles_makes_no_duplicates_in_a_new_index(tmp_path: Path) -> None:
    """What everybody has is learned from the run itself before anything is skipped; a skipped text leaves nothing."""
    footer = "声明：本网站转载的文章版权归原作者所有，未经许可不得转载，违者将依法追究责任，如有异议请与编辑部联系。"
    names = [chr(0x4E00 + number * 37) + chr(0x5000 + number * 53) for number in range(40)]
    texts = [f"{name}在{name}市说，{name * 3}的故事讲的是{name * 2}。{footer * 2}" for name in names]
    articles = [{"id": f"d{number:02}", "text": text} for number, text in enumerate(texts)]
    options = IndexOptions(on_duplicate="skip", rejects=tmp_path / "rejects.jsonl")
    write(tmp_path / "one.jsonl", [*articles, {"id": "copy", "text": texts[7]}])
    write(tmp_path / "two.jsonl", [{"id": "d03", "text": texts[9]}])
    with open_index(tmp_path / "ix", create=True) as opened:
        outcome = opened.index(open_sources([str(tmp_path / "one.jsonl")]), options=options)
        assert (outcome.indexed, outcome.duplicates) == (40, 1)
        opened.index(open_sources([str(tmp_path / "two.jsonl")]), options=options)
        assert not opened.documents(["d03"]), "what the source says no longer is gone"


def test_the_size_is_that_of_the_index_alone(tmp_path: Path, folder: Path) -> None:
    run(folder, write(tmp_path / "a.jsonl", records(3)))
    with open_index(folder) as opened:
        before = opened.info().size_bytes
        (folder / "report").mkdir()
        (folder / "report" / "index.html").write_bytes(b"x" * 100_000)
        assert opened.info().size_bytes == before > 0


def test_other_processes_are_started_when_there_is_enough_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def started(*_: object, **settings: object) -> None:
        raise RuntimeError("started")

    monkeypatch.setattr("leitong.indexer.processes._Other", started)
    documents = [Document(f"{number}", f"text number {number}") for number in range(7_000)]
    few, pause = documents[:2], [None]
    assert [one.id for one, _ in fingerprint_all(few, recipe=WORDS, workers=2)] == ["0", "1"]
    batches = list(in_batches([*few, *pause, *pause, *documents[2:10]]))
    assert [len(entries) for entries in prepare_all(batches, recipe=WORDS, workers=2)] == [2, 0, 8]
    for some in (documents, [Document("long", "word " * 700_000)]):
        with pytest.raises(RuntimeError, match="started"):
            list(fingerprint_all(some, recipe=WORDS, workers=2))
    halves = [documents[start : start + 60] for start in range(0, len(documents), 60)]
    with pytest.raises(RuntimeError, match="started"):
        list(prepare_all(halves, recipe=WORDS, workers=2))


@pytest.mark.slow
def test_a_program_without_a_main_guard_does_not_start_itself_again(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "print('started', flush=True)\n"
        "from leitong.indexer import Document\n"
        "from leitong.indexer.fingerprint.recipe import load\n"
        "from leitong.indexer.workers import fingerprint_all\n"
        "documents = (Document(str(number), f'text number {number}') for number in range(8_000))\n"
        "print(sum(1 for _ in fingerprint_all(documents, recipe=load('words'), workers=3)))\n"
    )
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == "started\n8000\n"
