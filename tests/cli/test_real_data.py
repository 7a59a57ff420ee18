"""The main job on real web news: index, search, similar, report."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Made
from tests.cli.running import read_jsonl, run

pytestmark = pytest.mark.slow
DOCUMENTS = 11_743


@pytest.fixture(scope="module")
def news(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Made:
    cwd = tmp_path_factory.mktemp("news")
    source = data / "zh-webnews-2018" / "docs.jsonl.gz"
    return Made(cwd, "ix", run("index", str(source), "-i", "ix", "--json", cwd=cwd))


def test_index(news: Made) -> None:
    answer = news.ran.json
    assert answer["indexed"] + answer["rejected"] == DOCUMENTS
    assert answer["rejected"] == 0
    assert news("info", "--json").json["documents"] == DOCUMENTS


def test_search(news: Made) -> None:
    answer = news("search", "中国 经济", "--json", "--size", "20").json
    assert list(answer) == ["total", "took_ms", "hits"]
    assert answer["total"] > len(answer["hits"]) == 20
    assert all("<em>" in hit["snippet"] for hit in answer["hits"])
    assert sum(hit["duplicates"] for hit in answer["hits"]) > 0


def test_report_and_similar_agree(news: Made) -> None:
    summary = news("report", "-o", "report", "--json").json
    assert summary["documents"] == DOCUMENTS
    pairs = read_jsonl(news.cwd / "report" / "pairs.jsonl")
    assert summary["pairs"] == len(pairs) > 1_000
    assert {pair["kind"] for pair in pairs} == {"exact", "near", "partial"}
    near = [pair for pair in pairs if pair["kind"] == "near"][:: len(pairs) // 5][:3]
    for pair in near:
        answer = news("similar", pair["a"], "--limit", "1000", "--json").json
        match = {match["id"]: match for match in answer["matches"]}[pair["b"]]
        assert match["distance"] == pair["distance"]
        assert match["similarity"] == pytest.approx(pair["similarity"], abs=2e-4)
        assert match["kind"] == pair["kind"]


def test_most_labelled_duplicates_are_found(news: Made, data: Path) -> None:
    """A floor against accidents; accuracy has its own measurements."""
    news("report", "-o", "labels", "--format", "jsonl")
    home: dict[str, int] = {}
    for line in (news.cwd / "labels" / "clusters.jsonl").read_text(encoding="utf-8").splitlines():
        cluster = json.loads(line)
        home |= dict.fromkeys(cluster["members"], cluster["cluster"])
    rows = (data / "zh-webnews-2018" / "pairs-dev.tsv").read_text(encoding="utf-8").splitlines()
    header = rows[0].split("\t")
    labels = [dict(zip(header, row.split("\t"), strict=False)) for row in rows[1:]]
    copies = [label for label in labels if "copy" in label.values()]
    assert copies
    found = sum(home.get(label[header[0]], -1) == home.get(label[header[1]], -2) for label in copies)
    assert found / len(copies) > 0.9
