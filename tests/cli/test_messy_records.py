"""A bad record is rejected with its line and the reason; an odd one is indexed; nothing is lost."""

import gzip
import json
import shutil
from pathlib import Path

import pytest

from leitong.indexer import open_index
from tests.cli.corpus import LONG_ID, ODD_IDS, RECORDS, Messy
from tests.cli.running import Made, here, read_jsonl, write_jsonl

pytestmark = pytest.mark.slow

REJECTED = [(line, record) for line, record in enumerate(RECORDS, 1) if record.reason is not None]
KEPT = [json.loads(json.dumps(record.line)) for record in RECORDS if record.reason is None]


def test_every_record_is_accounted_for(messy: Made) -> None:
    answer = messy.ran.json
    assert answer["indexed"] == len(KEPT)
    assert answer["rejected"] == len(REJECTED)
    assert answer["indexed"] + answer["rejected"] == len(RECORDS)
    assert "holds each with its line and the reason" in messy.ran.err
    assert "Traceback" not in messy.ran.err
    assert read_jsonl(messy.cwd / answer["rejects"]) is not None


@pytest.mark.parametrize(("line", "record"), REJECTED, ids=[record.name for _, record in REJECTED])
def test_a_reject_says_where_and_why(messy: Made, line: int, record: Messy) -> None:
    rejects = {reject["line"]: reject for reject in read_jsonl(messy.cwd / messy.ran.json["rejects"])}
    reject = rejects[line]
    assert {"source", "line", "reason", "record"} <= set(reject)
    assert reject["source"] == "messy.jsonl"
    assert record.reason is not None
    assert record.reason in reject["reason"]
    assert reject["id"] == record.id
    assert reject["record"]
    assert "\n" not in reject["reason"]


def test_everything_else_is_there(messy: Made) -> None:
    with open_index(messy.cwd / messy.index) as index:
        stored = index.documents([record["id"] for record in KEPT])
    assert [stored[record["id"]].document.text for record in KEPT] == [record["text"] for record in KEPT]


def test_texts_without_words_mean_nothing_to_fingerprints(messy: Made) -> None:
    with open_index(messy.cwd / messy.index) as index:
        assert [index.get(name).features for name in ("stop", "punctuation")] == [0, 0]
        assert index.similar("stop", radius=15, min_similarity=0.0).matches == ()
        # Two texts of the same punctuation are the same text all the same.
        pairs = [(pair.a, pair.b, pair.kind) for pair in index.report().pairs]
    assert [pair for pair in pairs if {"stop", "punctuation", "punctuation 2"} & set(pair)] == [
        ("punctuation", "punctuation 2", "exact")
    ]


def test_odd_ids_work_in_every_command(messy: Made, tmp_path: Path) -> None:
    shutil.copytree(messy.cwd / messy.index, tmp_path / "ix")
    got = [here("get", "-i", "ix", "--json", "--", id, cwd=tmp_path) for id in ODD_IDS]
    assert [one.json["id"] for one in got] == list(ODD_IDS)
    similar = here("similar", "-i", "ix", "--json", "--min-similarity", "0", "--radius", "15", ODD_IDS[0], cwd=tmp_path)
    assert similar.json["id"] == ODD_IDS[0]
    assert not {match["id"] for match in similar.json["matches"]} & {ODD_IDS[0]}
    deleted = here("delete", "-i", "ix", "--json", "--", *ODD_IDS, "nobody", cwd=tmp_path)
    assert deleted.json == {"deleted": len(ODD_IDS), "missing": ["nobody"]}
    assert "'nobody'" in deleted.err
    with open_index(tmp_path / "ix") as index:
        assert index.documents(ODD_IDS) == {}
        assert index.info().documents == len(KEPT) - len(ODD_IDS)


def test_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    ran = here("index", "empty.jsonl", "-i", "ix", "--rejects", "r.jsonl", "--json", cwd=tmp_path)
    assert ran.code == 2
    assert json.loads(ran.out)["indexed"] == 0
    assert "Nothing was indexed. empty.jsonl: it is empty. r.jsonl holds it." in ran.err
    (reject,) = read_jsonl(tmp_path / "r.jsonl")
    assert "empty" in reject["reason"]
    assert reject["source"] == "empty.jsonl"
    with open_index(tmp_path / "ix") as index:
        assert index.search("雷同").total == 0
        assert index.report().clusters == ()


def test_digits_survive_every_way(tmp_path: Path) -> None:
    far = 123456789012345678901234567890
    record = {"id": "far", "text": "雷同", "n": [far, {"m": -far}]}
    write_jsonl(tmp_path / "a.jsonl", [record, record])
    answer = here("index", "a.jsonl", "-i", "ix", "--json", cwd=tmp_path).json
    (reject,) = read_jsonl(tmp_path / answer["rejects"])
    assert json.loads(reject["record"]) == {**record, "title": ""}
    assert here("get", "far", "-i", "ix", "--json", cwd=tmp_path).json["metadata"] == {"n": record["n"]}
    for number, hits in ((far, 1), (far + 1, 0)):
        assert here("search", f"n:{number}", "-i", "ix", "--json", cwd=tmp_path).json["total"] == hits


def test_only_a_run_in_vain_fails(tmp_path: Path) -> None:
    bad = [b"no", {"id": "x"}]
    write_jsonl(tmp_path / "bad.jsonl", bad)
    write_jsonl(tmp_path / "some.jsonl", [*bad, {"id": "good", "text": "雷同"}])
    in_vain = here("index", "bad.jsonl", "-i", "ix", cwd=tmp_path)
    assert "Nothing was indexed. bad.jsonl, line 1: the line is not JSON" in in_vain.sentence
    assert "All 2 records were rejected: ix/rejects.jsonl holds each" in in_vain.sentence
    assert here("index", "some.jsonl", "-i", "ix", "--json", cwd=tmp_path).json["rejected"] == 2
    unchanged = here("index", "some.jsonl", "-i", "ix", "--resume", "--json", cwd=tmp_path)
    assert (unchanged.code, unchanged.json["indexed"], unchanged.json["unchanged"]) == (0, 0, 1)


def test_a_file_that_fails_its_checksum_is_an_error(tmp_path: Path) -> None:
    """What was read of it is kept, and nobody may take it for sound."""
    lines = "".join(
        json.dumps({"id": str(number), "text": f"第{number}号公告 {number:x}"}) + "\n" for number in range(50)
    )
    packed = bytearray(gzip.compress(lines.encode()))
    packed[-8] ^= 0xFF
    (tmp_path / "a.jsonl.gz").write_bytes(packed)
    ran = here("index", "a.jsonl.gz", "-i", "ix", "--json", cwd=tmp_path)
    told = json.loads(ran.out)
    assert (ran.code, told["indexed"], told["rejected"]) == (2, 50, 1)
    assert "Error: a.jsonl.gz, line 51" in ran.err and "records before it in this file may be wrong" in ran.err
    printed = here("fingerprint", "a.jsonl.gz", cwd=tmp_path)
    assert printed.code == 2 and len(printed.out.splitlines()) == 50 and "may be wrong" in printed.err


def test_limits_are_in_bytes() -> None:
    assert len(LONG_ID.encode()) == 512


def test_ids_that_differ_in_what_nobody_sees_are_told_apart(tmp_path: Path) -> None:
    ids = ("a b", "a\nb", "a\tb", "a\u202eb")
    records = [{"id": one, "text": "市图书馆新馆昨日向公众开放，读者可以凭身份证进入各个阅览室。"} for one in ids]
    write_jsonl(tmp_path / "same.jsonl", records)
    here("index", "same.jsonl", "-i", "ix", cwd=tmp_path)
    commands = (
        ("search", "图书馆", "-i", "ix"),
        ("similar", "a b", "-i", "ix"),
        ("compare", *ids, "-i", "ix"),
        ("report", "-i", "ix", "-o", "re"),
        ("dedupe", "re", "-i", "ix"),
        ("fingerprint", "same.jsonl"),
    )
    for command in commands:
        shown = here(*command, cwd=tmp_path).out
        for one in (r"a\nb", r"a\tb") if command[0] == "report" else (r"a\nb", r"a\tb", r"a\u202eb"):
            assert one in shown, command
            assert here("get", json.loads(f'"{one}"'), "-i", "ix", cwd=tmp_path).code == 0
