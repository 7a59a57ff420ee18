"""Documents marked as duplicates: shown as such beside a document, and folded away at a click."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.cli.corpus import ARTICLES
from tests.cli.running import here
from tests.web.conftest import Serve
from tests.web.schema import valid
from tests.web.test_pages import page, shown_ids, texts


@pytest.fixture(scope="module")
def marked(serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """An index whose repeated articles are marked."""
    folder = tmp_path_factory.mktemp("marked")
    lines = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in ARTICLES)
    (folder / "articles.jsonl").write_text(lines, encoding="utf-8")
    here("index", "articles.jsonl", "--index", "index", "--on-duplicate", "mark", cwd=folder)
    with serve(Path(folder) / "index") as client:
        yield client


def test_marks_stand_at_the_matches(marked: TestClient) -> None:
    tree = page(marked, "/document?id=news/1")
    assert shown_ids(tree, ".matches .mark a")[0] == "news/1"
    assert set(texts(tree, ".matches .mark")) == {"Marked as a duplicate of news/1"}
    assert texts(page(marked, "/document?id=news/2"), ".note") == ["Marked as a duplicate of news/1"]


def test_folding_is_a_switch_that_takes_marked_ones_away(marked: TestClient) -> None:
    tree = page(marked, "/document?id=news/1")
    switch = tree.css_first(".switch")
    assert switch is not None
    assert switch.attributes["aria-checked"] == "false"
    before = set(shown_ids(tree, ".kind:not([aria-labelledby=kind-related]) .matches > li > a"))
    folded = page(marked, str(switch.attributes["href"]))
    after = set(shown_ids(folded, ".kind:not([aria-labelledby=kind-related]) .matches > li > a"))
    assert "news/2" in before and after < before
    assert f"{len(before - after)} folded away." in folded.body.text()  # type: ignore[union-attr]
    back = folded.css_first(".switch.on")
    assert back is not None
    assert set(shown_ids(page(marked, str(back.attributes["href"])), ".matches > li > a")) >= before
    radius = folded.css_first(".radius input[name=fold]")
    assert radius is not None, "another radius is asked for folded as well"


def test_without_marks_there_is_no_switch(site: TestClient) -> None:
    assert page(site, "/document?id=news/1").css_first(".switch") is None


def test_the_json_says_the_same(marked: TestClient) -> None:
    plain, folded = (marked.get(f"/api/similar?id=news/1{fold}").json() for fold in ("", "&fold=1"))
    for value in (plain, folded):
        valid(value, "/api/similar")
    assert {match["id"]: match.get("duplicate_of") for match in plain["matches"]}["news/2"] == "news/1"
    assert (folded["total"] + folded["folded"], folded["candidates"]) == (plain["total"], plain["candidates"])
    text = ARTICLES[0]["text"]
    checked = marked.post("/api/check?fold=1", json={"text": text}).json()
    valid(checked, "/api/check", "post")
    assert checked["folded"] >= 1
