"""The main job on real web news: index, search, similar, report."""

import gzip
import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Made, read_jsonl, run
from tests.engines.places import Place, had

pytestmark = pytest.mark.slow
DOCUMENTS = 11_743


@pytest.fixture(scope="module")
def news(indexed_news: Made) -> Made:
    return indexed_news


@dataclass(frozen=True)
class Reported:
    """The files of a report on the news, and what the command answered."""

    folder: Path
    summary: Any


@pytest.fixture(scope="module")
def reported(news: Made) -> Reported:
    summary = news("report", "-o", "report", "--json").json
    return Reported(news.cwd / "report", summary)


def test_every_article_is_indexed(news: Made) -> None:
    answer = news.ran.json
    assert answer["indexed"] + answer["rejected"] == DOCUMENTS
    assert answer["rejected"] == 0
    assert news("info", "--json").json["documents"] == DOCUMENTS


def test_a_search_marks_words_and_counts_duplicates(news: Made) -> None:
    answer = news("search", "中国 经济", "--json", "--size", "20").json
    assert list(answer) == ["total", "took_ms", "hits"]
    assert answer["total"] > len(answer["hits"]) == 20
    assert all("<em>" in hit["snippet"] for hit in answer["hits"])
    assert sum(hit["duplicates"] for hit in answer["hits"]) > 0


def test_report_and_similar_agree(news: Made, reported: Reported) -> None:
    assert reported.summary["documents"] == DOCUMENTS
    pairs = read_jsonl(reported.folder / "pairs.jsonl")
    assert reported.summary["pairs"] == len(pairs) > 1_000
    assert {pair["kind"] for pair in pairs} == {"exact", "near", "partial"}
    near = [pair for pair in pairs if pair["kind"] == "near"][:: len(pairs) // 5][:3]
    for pair in near:
        answer = news("similar", pair["a"], "--limit", "1000", "--json").json
        match = {match["id"]: match for match in answer["matches"]}[pair["b"]]
        assert match["distance"] == pair["distance"]
        assert match["similarity"] == pytest.approx(pair["similarity"], abs=2e-4)
        assert match["kind"] == pair["kind"]


def test_most_labelled_duplicates_are_found(reported: Reported, data: Path) -> None:
    """A floor against accidents; accuracy has its own measurements."""
    home: dict[str, int] = {}
    for cluster in read_jsonl(reported.folder / "clusters.jsonl"):
        home |= dict.fromkeys(cluster["members"], cluster["cluster"])
    rows = (data / "zh-webnews-2018" / "pairs-dev.tsv").read_text(encoding="utf-8").splitlines()
    header = rows[0].split("\t")
    labels = [dict(zip(header, row.split("\t"), strict=False)) for row in rows[1:]]
    copies = [label for label in labels if "copy" in label.values()]
    assert copies
    found = sum(home.get(label[header[0]], -1) == home.get(label[header[1]], -2) for label in copies)
    assert found / len(copies) > 0.9


@pytest.fixture(params=[pytest.param(name, marks=pytest.mark.servers) for name in ("elasticsearch", "opensearch")])
def owned(request: pytest.FixtureRequest, data: Path, tmp_path: Path) -> Iterator[str]:
    """The same news in an index of somebody else's: other names of fields, an analyzer of its own, two shards."""
    place: Place = had(request, request.param, tmp_path)
    index = f"owned-{uuid.uuid4().hex[:8]}"
    text = {"type": "text", "analyzer": "letters"}
    mapping = {
        "settings": {
            "number_of_shards": 2,
            "number_of_replicas": 0,
            "analysis": {"analyzer": {"letters": {"type": "custom", "tokenizer": "standard", "filter": ["lowercase"]}}},
        },
        "mappings": {
            "dynamic": False,
            "_meta": {"app": "newsroom"},
            "properties": {"headline": text, "article": {"properties": {"body": text}}},
        },
    }
    assert place.request("PUT", f"/{index}", json.dumps(mapping).encode()) == 200
    with gzip.open(data / "zh-webnews-2018" / "docs.jsonl.gz", "rt", encoding="utf-8") as file:
        lines: list[str] = []
        for line in file:
            record = json.loads(line)
            body = {"headline": record.pop("title", ""), "article": {"body": record.pop("text")}}
            lines += [json.dumps({"index": {"_id": str(record.pop("id"))}}), json.dumps({**record, **body})]
            if len(lines) >= 1_000:
                assert place.request("POST", f"/{index}/_bulk", ("\n".join(lines) + "\n").encode()) == 200
                lines = []
        assert place.request("POST", f"/{index}/_bulk?refresh=true", ("\n".join(lines) + "\n").encode()) == 200
    yield f"{place.root}/{index}"
    place.request("DELETE", f"/{index}")
    place.request("DELETE", f"/{index}-leitong")


def test_an_attached_index_gives_the_same_pairs(news: Made, reported: Reported, owned: str) -> None:
    fields = ("--text-field", "article.body", "--title-field", "headline")
    answer = run("attach", owned, *fields, "--json", cwd=news.cwd).json
    assert (answer["attached"], answer["rejected"], answer["without_text"]) == (DOCUMENTS, 0, 0)
    summary = run("report", "-o", "there", "--format", "jsonl", "--index", owned, "--json", cwd=news.cwd).json
    assert summary["documents"] == DOCUMENTS
    for name in ("pairs.jsonl", "clusters.jsonl"):
        assert read_jsonl(news.cwd / "there" / name) == read_jsonl(reported.folder / name)
    found = run("search", "中国 经济", "--index", owned, "--json", cwd=news.cwd).json
    assert found["total"] > 100
    assert all("<em>" in hit["snippet"] for hit in found["hits"])
    again = run("attach", owned, "--json", cwd=news.cwd).json
    assert (again["attached"], again["unchanged"]) == (0, DOCUMENTS)
    assert run("detach", owned, "--json", cwd=news.cwd).json["detached"] == DOCUMENTS
