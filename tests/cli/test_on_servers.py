"""Every command prints on a server what it prints on a folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.corpus import ARTICLES, RECORDS, WIRE
from tests.cli.running import read_jsonl, write_jsonl
from tests.cli.sides import Both, Side, plain
from tests.engines.places import Place, cleaned, had

pytestmark = [pytest.mark.servers, pytest.mark.slow]


@pytest.fixture(scope="module", params=["elasticsearch", "opensearch"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    yield from cleaned(had(request, request.param, tmp_path_factory.mktemp("unused")))


def write(side: Side) -> None:
    """The sources, beside an index."""
    write_jsonl(side.cwd / "articles.jsonl", ARTICLES)
    write_jsonl(side.cwd / "messy.jsonl", [record.line for record in RECORDS])
    more = [
        {"id": "late", "title": "", "text": WIRE},
        {"id": "new", "text": "火车票今天上午开始发售，请尽早购买。"},
    ]
    write_jsonl(side.cwd / "more.jsonl", more)
    labels = ("news/1\tnews/3\tderived", "news/1\tweather\tdifferent", "page\tpage 2\tcopy", "late\tgone\tcopy")
    (side.cwd / "pairs.tsv").write_text("\n".join(labels), encoding="utf-8")
    (side.cwd / "wire.txt").write_text(WIRE, encoding="utf-8")


@pytest.fixture
def both(place: Place, tmp_path: Path) -> Both:
    """Two empty places, and the sources beside each."""
    sides = []
    for name, locator in (("folder", "ix"), ("server", place.locator())):
        (tmp_path / name).mkdir()
        sides.append(Side(tmp_path / name, locator))
        write(sides[-1])
    return Both(*sides)


def test_index_read_and_delete(both: Both) -> None:
    assert both.json("index", "articles.jsonl")["indexed"] == len(ARTICLES)
    info = both.json("info")
    assert (info["documents"], info["bits"]) == (len(ARTICLES), 64)
    assert both.json("index", "articles.jsonl", "more.jsonl", "--resume") | {"seconds": 0} == {
        "index": both.server.locator,
        "indexed": 2,
        "unchanged": len(ARTICLES),
        "duplicates": 0,
        "rejected": 0,
        "rejects": None,
        "seconds": 0,
    }
    assert both.json("get", "news/1")["text"] == WIRE
    assert WIRE[:20] in both.text("get", "news/1")
    assert "No document" in both.text("get", "nobody")
    assert both.json("delete", "late", "nobody") == {"deleted": 1, "missing": ["nobody"]}
    assert both.json("search", "图书馆")["total"] == 3


def test_searches_answer_the_same(both: Both) -> None:
    both.json("index", "articles.jsonl", "--on-duplicate", "mark")
    for question in (
        "图书馆",
        "图书馆 读者",
        '"市图书馆新馆"',
        "-图书馆",
        "title:新馆",
        "category:copy",
        "nowhere",
        "SIMHASH",
    ):
        both.json("search", question)
    assert both.json("search", "图书馆", "--filter", "category=local")["total"] == 1
    assert len(both.json("search", "图书馆", "--fold")["hits"]) == 1
    assert both.json("search", "图书馆", "--from", "3")["hits"] == []
    assert "1 document found" in both.text("search", "气温下降")


def test_similar_and_compare(both: Both) -> None:
    both.json("index", "articles.jsonl")
    for options in ((), ("--radius", "15", "--min-similarity", "0"), ("--limit", "1")):
        assert both.json("similar", "news/1", *options)["total"] >= 2
        both.text("similar", "news/1", *options)
    assert both.json("similar", "--text", "wire.txt")["total"] == 3
    assert both.json("compare", "news/1", "news/3")["kind"] == "near"
    both.text("compare", "news/1", "news/3")
    assert both.json("compare", "news/1", "news/2", "weather")["ids"] == ["news/1", "news/2", "weather"]


def test_reports_are_the_same(both: Both) -> None:
    both.json("index", "articles.jsonl")
    for options in ((), ("--radius", "11", "--min-similarity", "0")):
        assert both.json("report", "-o", "out", "--format", "html,jsonl,csv", *options)["pairs"] >= 3
        for name in ("pairs.jsonl", "clusters.jsonl", "pairs.csv", "clusters.csv"):
            one, other = ((side.cwd / "out" / name).read_bytes() for side in (both.folder, both.server))
            assert one == other
        one, other = (
            json.loads((side.cwd / "out" / "summary.json").read_text()) for side in (both.folder, both.server)
        )
        assert plain(one) == plain(other)
    assert both.json("report", "-o", "out", "--fail-on-duplicates")["pairs"] >= 3


def test_evaluate_and_calibrate(both: Both) -> None:
    both.json("index", "articles.jsonl", "more.jsonl")
    answer = both.json("evaluate", "pairs.tsv", "--radius", "7")
    assert (answer["used"], answer["unknown_ids"], answer["result"]["right"]) == (3, ["gone"], 2)
    assert "1 of 4 pairs were left out" in both.text("evaluate", "pairs.tsv")
    assert both.json("calibrate", "--sample", "11")["sampled"] >= 10
    assert "too few for advice" in both.text("calibrate", "--sample", "10", "--seed", "7")


@pytest.mark.parametrize("policy", ["index", "mark", "skip"])
def test_duplicates_of_this_run_and_of_the_last(both: Both, policy: str) -> None:
    first = both.json("index", "articles.jsonl", "--on-duplicate", policy)
    later = both.json("index", "more.jsonl", "--on-duplicate", policy)
    assert (later["duplicates"] == 1) == (first["duplicates"] > 0) == (policy != "index")
    there = [one["id"] for one in ARTICLES] + ["late", "new"]
    for doc_id in there:
        both.text("get", doc_id)
    both.json("report", "-o", "out")
    again = both.json("index", "articles.jsonl", "more.jsonl", "--on-duplicate", policy, "--resume")
    assert again["unchanged"] == first["indexed"] + later["indexed"]


def test_every_odd_record(both: Both) -> None:
    answer = both.json("index", "messy.jsonl", "--rejects", "rejects.jsonl")
    assert answer["rejected"] > 5
    one, other = (read_jsonl(side.cwd / "rejects.jsonl") for side in (both.folder, both.server))
    assert one == other
    both.json("search", "", "--size", "100")


def test_what_the_server_refuses_is_a_reject(place: Place, tmp_path: Path) -> None:
    """An administrator wants the titles as numbers too; a title that is none is refused by the server."""
    side = Side(tmp_path, place.locator())
    write_jsonl(tmp_path / "one.jsonl", [{"id": "1", "title": "2017", "text": WIRE}])
    titles = {"2": "2018", "3": "二〇一九", "4": "2020"}
    write_jsonl(tmp_path / "two.jsonl", [{"id": key, "title": title, "text": WIRE} for key, title in titles.items()])
    assert side("index", "one.jsonl", "--json").json["indexed"] == 1
    field = b'{"type": "text", "index": false, "fields": {"number": {"type": "integer"}}}'
    name = side.locator.rpartition("/")[2]
    assert place.request("PUT", f"/{name}/_mapping", b'{"properties": {"title": %s}}' % field) == 200
    ran = side("index", "two.jsonl", "--rejects", "rejects.jsonl", "--json")
    assert (ran.json["indexed"], ran.json["rejected"], ran.json["rejects"]) == (2, 1, "rejects.jsonl")
    (reject,) = read_jsonl(tmp_path / "rejects.jsonl")
    assert reject["id"] == "3"
    assert "title.number" in reject["reason"]
    assert json.loads(reject["record"])["title"] == "二〇一九"
    assert side("info", "--json").json["documents"] == 3
