"""The files of a report."""

import base64
import csv
import hashlib
import json
import re
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.cli.corpus import WIRE
from tests.cli.running import Made, here, read_jsonl, write_jsonl

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


def test_pairs_name_the_smaller_id_first(report: tuple[Path, dict[str, Any]]) -> None:
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


def test_clusters_share_no_document_and_name_one_of_their_own(report: tuple[Path, dict[str, Any]]) -> None:
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


def parsed(path: Path) -> LexborHTMLParser:
    return LexborHTMLParser(path.read_text(encoding="utf-8"))


def all_pages(folder: Path) -> list[Path]:
    return [folder / "index.html", *sorted((folder / "pages").glob("*.html"))]


def test_the_pages_open_offline(report: tuple[Path, dict[str, Any]]) -> None:
    """They link to each other, ask for nothing else, and no attribute holds code."""
    pages = all_pages(report[0])
    assert len(pages) > 2
    for path in pages:
        page = parsed(path)
        for tag in ("link", "img", "iframe", "object", "embed", "base", "form"):
            assert page.css(tag) == [], tag
        for node in page.css("*"):
            for name, value in node.attributes.items():
                assert not name.startswith("on")
                assert name not in ("src", "action", "srcset")
                assert "url(" not in (value or "")
                if name == "href":
                    target, _, fragment = (value or "").partition("#")
                    assert (path.parent / target).is_file()
                    assert not fragment or fragment[0] == "c"
        assert not re.search(r"@import|url\(", page.css_first("style").text())


def test_only_the_script_a_page_names_can_run(report: tuple[Path, dict[str, Any]]) -> None:
    for path in all_pages(report[0]):
        page = parsed(path)
        policy = page.css_first('meta[http-equiv="Content-Security-Policy"]')
        assert policy is not None
        told = policy.attributes["content"] or ""
        assert "default-src 'none'" in told
        running = [script.text() for script in page.css("script") if script.attributes.get("type") is None]
        if path.name == "index.html":
            assert running == [] and "script-src" not in told
            continue
        (script,) = running
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"script-src 'sha256-{digest}'" in told
        assert not re.search(r"innerHTML|eval\(|fetch\(|XMLHttpRequest|import\(", script)


def test_every_cluster_is_on_a_page_with_its_texts(report: tuple[Path, dict[str, Any]]) -> None:
    found: list[str] = []
    for path in sorted((report[0] / "pages").glob("clusters-*.html")):
        page = parsed(path)
        texts = json.loads(page.css_first("script#texts").text())
        for button in page.css("button[data-a]"):
            assert texts[int(button.attributes["data-a"] or "")] != ""
            assert texts[int(button.attributes["data-b"] or "")] != ""
        found += [heading.attributes["id"] or "" for heading in page.css("h2[id]")]
    clusters = read_jsonl(report[0] / "clusters.jsonl")
    assert found == [f"c{cluster['cluster']}" for cluster in clusters]
    told = json.loads(parsed(report[0] / "pages" / "search.html").css_first("script#clusters").text())
    assert [one[:2] for one in told] == [[cluster["cluster"], len(cluster["members"])] for cluster in clusters]


def test_pages_show_titles_as_text(articles: Made) -> None:
    here("report", "-i", articles.index, "-o", "page", "--format", "html", cwd=articles.cwd)
    shown = "".join(
        node.text()
        for path in all_pages(articles.cwd / "page")
        for node in parsed(path).css("body h2, body p, body a, body code")
    )
    for text in ("<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "市图书馆新馆开放"):
        assert text in shown


def test_a_title_without_end_hides_nothing_else(tmp_path: Path) -> None:
    records = [{"id": name, "title": f"{name}{'长' * 3000}", "text": WIRE} for name in ("one", "other")]
    write_jsonl(tmp_path / "a.jsonl", records)
    assert here("index", "a.jsonl", cwd=tmp_path).code == 0
    assert here("report", "-o", "out", cwd=tmp_path).code == 0
    for name in ("index.html", "pages/clusters-00001.html"):
        content = (tmp_path / "out" / name).read_text("utf-8").partition("<script type")[0]
        assert "长…" in content and "长" * 200 not in content


@pytest.mark.parametrize("letter", ["\u202e", "\u2066", "\u061c", "\x1b", "\x9b"])
def test_pages_obey_no_letter_that_steers(tmp_path: Path, letter: str) -> None:
    """The writing of a page is never turned round: what a title says is what stands there."""
    text = f"终端机会执行{letter}控制字符，所以输出之前要把它们换掉。"
    same = [{"id": f"{one}{letter}evil", "title": f"{letter}evil", "text": text, "source": letter} for one in "ab"]
    write_jsonl(tmp_path / "same.jsonl", same)
    here("index", "same.jsonl", cwd=tmp_path)
    here("report", "-o", "re", cwd=tmp_path)
    pages = all_pages(tmp_path / "re")
    assert len(pages) == 3
    for path in pages:
        content = path.read_text(encoding="utf-8")
        assert letter not in content
        assert "\ufffdevil" in content
        for data in parsed(path).css("script[type='application/json']"):
            assert letter not in str(json.loads(data.text()))
    assert {one["id"] for one in read_jsonl(tmp_path / "re" / "members.jsonl")} == {one["id"] for one in same}


def test_the_representative_stands_first_on_the_page_and_on_the_terminal(tmp_path: Path) -> None:
    text = "市图书馆新馆昨日向公众开放，读者可以凭身份证进入各个阅览室。"
    records = [{"id": one, "text": text, "date": f"20{20 - place}"} for place, one in enumerate("abcde")]
    write_jsonl(tmp_path / "same.jsonl", records)
    here("index", "same.jsonl", cwd=tmp_path)
    ran = here("report", "-o", "re", "--keep", "oldest", "--date-field", "date", cwd=tmp_path)
    shown = [line.split() for line in ran.out.splitlines() if line.startswith("     ")]
    assert shown == [["e", "e", "representative"], ["a", "a"], ["b", "b"], ["…", "and", "2", "more"]]
    page = parsed(tmp_path / "re" / "pages" / "clusters-00001.html")
    told = [member.css("p")[-2 if place else -1].text() for place, member in enumerate(page.css("div.member"))]
    assert told[0].startswith("e ") and "representative" in told[0]
    assert all("exact, 100 % alike, 0 bits apart" in one for one in told[1:]) and len(told) == 5
    members = read_jsonl(tmp_path / "re" / "members.jsonl")
    assert {one["kind"] for one in members if one["id"] != "e"} == {"exact"}


def test_an_earlier_report_tells_what_is_new(articles: Made) -> None:
    first = here("report", "-i", articles.index, "-o", "first", "--json", cwd=articles.cwd).json
    again = here("report", "-i", articles.index, "-o", "again", "--since", "first", "--json", cwd=articles.cwd).json
    assert (again["new_documents"], again["new_clusters"]) == (0, 0)
    assert read_jsonl(articles.cwd / "again" / "new.jsonl") == []
    (articles.cwd / "first" / "clusters.jsonl").write_text("", encoding="utf-8")
    all_new = here("report", "-i", articles.index, "-o", "again", "--since", "first", "--json", cwd=articles.cwd).json
    assert all_new["new_documents"] == first["documents_in_clusters"]
    new = read_jsonl(articles.cwd / "again" / "new.jsonl")
    assert sum(len(one["new"]) for one in new) == first["documents_in_clusters"]
    assert not any(one["grown"] for one in new)


def test_what_is_no_earlier_report_is_said(articles: Made) -> None:
    """A part, and a report without JSON lines, were answered with the number of an error and the name of a file."""
    say = partial(here, "report", "-i", articles.index, "-o", "later", "--since", cwd=articles.cwd)
    for place, options in (("part", ("--partition", "1/2")), ("pages", ("--format", "html"))):
        assert here("report", "-i", articles.index, "-o", place, *options, cwd=articles.cwd).code == 0
    assert "part is part 1/2 of a report, and a part has no clusters" in say("part").sentence
    assert "The report in pages has no clusters.jsonl" in say("pages").sentence
    assert "There is no report in nowhere" in say("nowhere").sentence
    (articles.cwd / "pages" / "clusters.jsonl").write_text("1\n", encoding="utf-8")
    assert "The report in pages is damaged" in say("pages").sentence
    (articles.cwd / "pages" / "summary.json").write_text("[]", encoding="utf-8")
    assert "There is no report in pages" in say("pages").sentence
    assert not (articles.cwd / "later").exists()


def test_parquet_holds_what_json_lines_hold(articles: Made) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    here("report", "-i", articles.index, "-o", "both", "--format", "parquet,jsonl", cwd=articles.cwd)
    folder = articles.cwd / "both"
    assert parquet.read_table(folder / "pairs.parquet").to_pylist() == read_jsonl(folder / "pairs.jsonl")
    rows = parquet.read_table(folder / "clusters.parquet").to_pylist()
    assert [row["member"] for row in rows] == [
        member for cluster in read_jsonl(folder / "clusters.jsonl") for member in cluster["members"]
    ]


def test_dedupe_lists_and_does(articles: Made, tmp_path: Path) -> None:
    shutil.copytree(articles.cwd / articles.index, tmp_path / "ix")
    here("report", "-i", "ix", "-o", "acted", cwd=tmp_path)
    spare = json.loads((tmp_path / "acted" / "summary.json").read_text("utf-8"))["documents_to_spare"]
    dry = here("dedupe", "acted", "-i", "ix", "--action", "delete", "--json", cwd=tmp_path).json
    assert (dry["done"], dry["documents"]) == (False, spare)
    assert dry["bytes"] == sum(change["bytes"] for change in dry["changes"]) > 0
    marked = here("dedupe", "acted", "-i", "ix", "--yes", "--json", cwd=tmp_path).json
    assert marked["done"]
    assert marked["documents"] + marked["left"]["marked"] == spare, "some were marked when they were indexed"
    undone = here("dedupe", "acted", "-i", "ix", "--undo", "--yes", "--json", cwd=tmp_path).json
    assert undone["documents"] == spare
    for wrong in (
        ("--action", "burn"),
        ("--keep", "newest"),
        ("--undo", "--action", "delete"),
        ("--keep", "oldest"),
        ("--date-field", "date"),
    ):
        assert here("dedupe", "acted", "-i", "ix", *wrong, cwd=tmp_path).code == 2
    (tmp_path / "ix2").symlink_to("ix")
    gone = here("delete", marked["changes"][0]["id"], "-i", "ix", cwd=tmp_path)
    assert gone.code == 0
    assert "was made of" not in here("dedupe", "acted", "-i", "./ix", cwd=tmp_path).err
    assert "was made of ix, and this is ix2" in here("dedupe", "acted", "-i", "ix2", cwd=tmp_path).err
    refused = here("dedupe", "nowhere", "-i", "ix", cwd=tmp_path)
    assert refused.code == 2 and "There is no report in nowhere" in refused.err


def test_dates_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    text = "港珠澳大桥今天正式通车，全长五十五公里，连接香港、珠海和澳门三地。" * 4
    dates = ["2020年1月2日", "2018年10月24日", "2019.01.02", "24.10.2017", "1543339200000"]
    lines = (json.dumps({"id": str(place), "text": text, "date": date}) for place, date in enumerate(dates))
    (tmp_path / "bridge.jsonl").write_text("\n".join(lines), encoding="utf-8")
    here("index", "bridge.jsonl", "-i", "ix", cwd=tmp_path)
    oldest = ("--keep", "oldest", "--date-field")
    ran = here("report", "-i", "ix", "-o", "rf", *oldest, "date", "--json", cwd=tmp_path)
    assert ran.code == 0 and "1 of 5 dates are missing or not understood, for example '24.10.2017'" in ran.err
    assert ran.json["dates"] == {"documents": 5, "unread": 1, "example": "24.10.2017"}
    assert [one["representative"] for one in read_jsonl(tmp_path / "rf" / "clusters.jsonl")] == ["1"]
    for options in ((), (*oldest, "date")):
        dry = here("dedupe", "rf", "-i", "ix", *options, "--json", cwd=tmp_path)
        assert {one["representative"] for one in dry.json["changes"]} == {"1"}
        assert "1 of 5 dates are missing or not understood" in dry.err
    for command in (("report", "-o", "other"), ("dedupe", "rf")):
        refused = here(*command, "-i", "ix", *oldest, "nosuch", cwd=tmp_path)
        assert refused.code == 2 and "The oldest cannot be told" in refused.err and "'nosuch'" in refused.err


def test_a_report_that_cannot_be_kept_for_the_pages_says_so(tmp_path: Path, permissions: None) -> None:
    told = "The pages of leitong serve do not show this report: it cannot be kept beside the index."
    write_jsonl(tmp_path / "docs.jsonl", [{"id": name, "text": WIRE} for name in ("a", "b")])
    assert here("index", "docs.jsonl", "-i", "ix", cwd=tmp_path).code == 0
    assert told not in here("report", "-i", "ix", "-o", "kept", cwd=tmp_path).err
    notes = tmp_path / "ix" / "notes"
    notes.chmod(0o500)
    try:
        ran = here("report", "-i", "ix", "-o", "report", cwd=tmp_path)
    finally:
        notes.chmod(0o700)
    assert ran.code == 0
    assert told in ran.err
