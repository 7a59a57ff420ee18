"""The files of a report."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.cli.conftest import Made
from tests.cli.running import here, read_jsonl

pytestmark = pytest.mark.slow

SUMMARY = {
    *("index", "documents", "pairs", "kinds", "clusters", "documents_in_clusters", "documents_to_spare"),
    *("largest_cluster", "compared", "radius", "min_similarity", "recipe", "recipe_id", "engine", "engine_version"),
    *("leitong_version", "seconds"),
}


@pytest.fixture(scope="module", params=["articles", "demo"])
def report(request: pytest.FixtureRequest) -> tuple[Path, dict[str, Any]]:
    """The folder of a report of each index, and what the command answered."""
    made: Made = request.getfixturevalue(request.param)
    ran = here("report", "-i", made.index, "-o", "report", "--json", cwd=made.cwd)
    return made.cwd / "report", ran.json


def test_pairs(report: tuple[Path, dict[str, Any]]) -> None:
    pairs = read_jsonl(report[0] / "pairs.jsonl")
    assert len(pairs) == report[1]["pairs"] > 0
    for pair in pairs:
        assert list(pair) == ["a", "b", "distance", "similarity", "kind"]
        assert pair["a"] < pair["b"]
        assert 0 <= pair["distance"] <= 64
        assert report[1]["min_similarity"] <= pair["similarity"] <= 1
        assert pair["kind"] in ("exact", "near", "partial")
    names = [(pair["a"], pair["b"]) for pair in pairs]
    assert names == sorted(set(names))


def test_equal_texts_are_paired_with_the_first_id_only(report: tuple[Path, dict[str, Any]]) -> None:
    pairs = read_jsonl(report[0] / "pairs.jsonl")
    exact = [pair for pair in pairs if pair["kind"] == "exact"]
    assert exact
    others = {pair["b"] for pair in exact}
    assert not others & {pair["a"] for pair in pairs}
    assert not others & {pair["b"] for pair in pairs if pair["kind"] != "exact"}
    assert len(others) == len(exact)
    assert all(pair["similarity"] == 1.0 for pair in exact)


def test_clusters(report: tuple[Path, dict[str, Any]]) -> None:
    clusters = read_jsonl(report[0] / "clusters.jsonl")
    assert [cluster["cluster"] for cluster in clusters] == list(range(1, len(clusters) + 1))
    members = [member for cluster in clusters for member in cluster["members"]]
    assert len(members) == len(set(members))
    home = {}
    for cluster in clusters:
        assert list(cluster) == ["cluster", "representative", "members", "weakest", "direct"]
        assert cluster["representative"] in cluster["members"]
        assert len(cluster["members"]) > 1
        home |= dict.fromkeys(cluster["members"], cluster["cluster"])
    sizes = [len(cluster["members"]) for cluster in clusters]
    assert sizes == sorted(sizes, reverse=True)
    pairs = read_jsonl(report[0] / "pairs.jsonl")
    assert all(home[pair["a"]] == home[pair["b"]] for pair in pairs)
    assert set(home) == {pair[end] for pair in pairs for end in "ab"}


def test_the_summary_adds_up(report: tuple[Path, dict[str, Any]]) -> None:
    summary = json.loads((report[0] / "summary.json").read_text(encoding="utf-8"))
    assert summary == report[1]
    assert set(summary) >= SUMMARY
    clusters = read_jsonl(report[0] / "clusters.jsonl")
    assert summary["clusters"] == len(clusters)
    assert summary["documents_in_clusters"] == sum(len(cluster["members"]) for cluster in clusters)
    assert summary["documents_to_spare"] == summary["documents_in_clusters"] - summary["clusters"]
    assert summary["largest_cluster"] == len(clusters[0]["members"])
    assert sum(summary["kinds"].values()) == summary["pairs"]


@pytest.mark.parametrize("name", ["pairs", "clusters"])
def test_no_cell_begins_a_formula(report: tuple[Path, dict[str, Any]], name: str) -> None:
    with (report[0] / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == (
        ["a", "b", "distance", "similarity", "kind"] if name == "pairs" else ["cluster", "representative", "member"]
    )
    assert len(rows) == sum(len(c["members"]) for c in read_jsonl(report[0] / "clusters.jsonl")) or name == "pairs"
    assert rows
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]


def test_ids_that_look_like_formulas_are_all_there(articles: Made) -> None:
    here("report", "-i", articles.index, "-o", "formulas", "--format", "csv", cwd=articles.cwd)
    text = (articles.cwd / "formulas" / "clusters.csv").read_text(encoding="utf-8")
    assert all(f"'{id}" in text for id in ("=1+1", "@SUM(A1)", "-2+3"))
    assert sorted(path.name for path in (articles.cwd / "formulas").iterdir()) == [
        "clusters.csv",
        "pairs.csv",
        "summary.json",
    ]


def test_the_page_opens_offline_and_runs_nothing(report: tuple[Path, dict[str, Any]]) -> None:
    html = (report[0] / "index.html").read_text(encoding="utf-8")
    page = LexborHTMLParser(html)
    for tag in ("script", "link", "img", "iframe", "object", "embed", "base", "form"):
        assert page.css(tag) == [], tag
    for node in page.css("*"):
        for name, value in node.attributes.items():
            assert not name.startswith("on")
            assert name not in ("src", "href", "action", "srcset")
            assert "url(" not in (value or "")
    assert not re.search(r"@import|url\(", page.css_first("style").text())
    policy = page.css_first('meta[http-equiv="Content-Security-Policy"]')
    assert policy is not None
    assert "default-src 'none'" in (policy.attributes["content"] or "")


def test_the_page_shows_titles_as_text(articles: Made) -> None:
    here("report", "-i", articles.index, "-o", "page", "--format", "html", cwd=articles.cwd)
    page = LexborHTMLParser((articles.cwd / "page" / "index.html").read_text(encoding="utf-8"))
    assert page.body is not None
    assert "<script>alert(1)</script>" in page.body.text()
    assert "<img src=x onerror=alert(1)>" in page.body.text()
    assert "市图书馆新馆开放" in page.body.text()
