"""The JSON of the page: the same as the command line's, and as the OpenAPI document says."""

import asyncio
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from leitong.indexer import open_index
from leitong.web.app import routes
from leitong.web.settings import Settings
from leitong.web.site import Site
from tests.cli.running import here
from tests.web.conftest import ODD, TOKEN
from tests.web.schema import DOCUMENT, valid

Sides = tuple[str, tuple[str, ...]]


def without_time(value: Any) -> Any:
    return {name: inner for name, inner in value.items() if name != "took_ms"}


@pytest.mark.parametrize(
    ("address", "command"),
    [
        ("/api/search?q=新馆&size=3&start=1", ("search", "新馆", "--size", "3", "--from", "1")),
        ("/api/search?q=&filter=category%3Dlocal&fold=1", ("search", "", "--filter", "category=local", "--fold")),
        ("/api/document?id=news/1", ("get", "news/1")),
        (
            "/api/similar?id=news/1&radius=7&min_similarity=0.2",
            ("similar", "news/1", "--radius", "7", "--min-similarity", "0.2"),
        ),
        ("/api/similar?id=news/1&fold=1", ("similar", "news/1", "--fold")),
        (f"/api/similar?id={quote(ODD, safe='')}", ("similar", ODD)),
        ("/api/compare?a=news/1&b=moved", ("compare", "news/1", "moved")),
    ],
)
def test_answers_are_those_of_the_command_line(
    site: TestClient, library: Path, address: str, command: tuple[str, ...]
) -> None:
    reply = site.get(address)
    assert reply.status_code == 200
    said = here(*command, "--json", "--index", str(library), cwd=library.parent)
    assert without_time(reply.json()) == without_time(json.loads(said.out))
    valid(reply.json(), address.partition("?")[0])


def test_a_text_is_checked_as_on_the_command_line(site: TestClient, library: Path, tmp_path: Path) -> None:
    text = site.get("/api/document?id=news/3").json()["text"]
    (tmp_path / "draft.txt").write_text(text, "utf-8")
    said = here("similar", "--text", "draft.txt", "--json", "--index", str(library), cwd=tmp_path)
    plain = site.post("/api/check", content=text.encode(), headers={"content-type": "text/plain; charset=utf-8"})
    assert plain.json() == site.post("/api/check", json={"text": text}).json() == json.loads(said.out)
    valid(plain.json(), "/api/check", "post")


def test_counts_are_those_of_the_search(site: TestClient) -> None:
    hits = site.get("/api/search?q=新馆").json()["hits"]
    reply = site.get("/api/counts", params={"id": [hit["id"] for hit in hits] + ["nobody"]})
    assert reply.json()["counts"] == {hit["id"]: hit["duplicates"] for hit in hits}
    valid(reply.json(), "/api/counts")
    uncounted = site.get("/api/search?q=新馆&count=0").json()
    assert {hit["duplicates"] for hit in uncounted["hits"]} == {None}
    valid(uncounted, "/api/search")


@pytest.mark.parametrize(
    ("address", "status", "said"),
    [
        ("/api/search?q=x&size=x", 400, "size must be a whole number from 1 to 50, not 'x'"),
        ("/api/search?q=x&size=51", 400, "size"),
        ("/api/search?q=x&start=-1", 400, "start"),
        ("/api/search?filter=x", 400, "field=value"),
        ("/api/document", 400, "id="),
        ("/api/document?id=nobody", 404, "'nobody'"),
        ("/api/document?id=" + "x" * 513, 400, "512"),
        ("/api/similar?id=news/1&radius=16", 400, "radius"),
        ("/api/similar?id=news/1&radius=1e1", 400, "radius"),
        ("/api/similar?id=news/1&min_similarity=nan", 400, "min_similarity"),
        ("/api/similar?id=news/1&limit=0", 400, "limit"),
        ("/api/compare?a=news/1", 400, "b="),
        ("/api/compare?a=news/1&b=nobody", 404, "'nobody'"),
        ("/api/counts?" + "&".join(f"id={number}" for number in range(51)), 400, "50"),
        ("/api/nothing", 404, "Not Found"),
    ],
)
def test_wrong_questions_are_answered_with_a_sentence(site: TestClient, address: str, status: int, said: str) -> None:
    reply = site.get(address)
    assert reply.status_code == status
    assert said in reply.json()["error"]
    assert "Traceback" not in reply.text
    path = address.partition("?")[0]
    if path in DOCUMENT["paths"]:
        valid(reply.json(), path, status=status)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", "application/json"),
        (b"{", "application/json"),
        (b"[1]", "application/json"),
        (b'{"text": 1}', "application/json"),
        (b"[" * 100_000, "application/json"),
        (b"\xff\xfe\xfd", "text/plain"),
    ],
)
def test_wrong_bodies_are_answered_with_a_sentence(site: TestClient, content: bytes, kind: str) -> None:
    reply = site.post("/api/check", content=content, headers={"content-type": kind})
    assert reply.status_code == 400
    assert reply.json()["error"]


@pytest.mark.parametrize("path", ["/api/add", "/api/check", "/api/decide"])
def test_a_key_that_nothing_is_made_of_is_refused_by_name(writable: TestClient, path: str) -> None:
    given = {
        "/api/add": {"id": "zz", "text": "一篇新文章。"},
        "/api/check": {"text": "一篇新文章。"},
        "/api/decide": {"decision": "forget", "id": "zz"},
    }[path]
    reply = writable.post(path, json={**given, "extra": 1}, headers={"authorization": f"Bearer {TOKEN}"})
    assert reply.status_code == 400
    assert "'extra'" in reply.json()["error"]
    assert all(name in reply.json()["error"] for name in given)
    assert writable.get("/api/document?id=zz").status_code == 404


@pytest.mark.parametrize(("text", "said"), [("", "there is no text"), ("a\0b", "NUL"), ("\ud83d", "lone surrogate")])
def test_texts_that_no_index_takes_are_refused(site: TestClient, text: str, said: str) -> None:
    reply = site.post("/api/check", content=json.dumps({"text": text}), headers={"content-type": "application/json"})
    assert reply.status_code == 422
    assert said in reply.json()["error"]


@pytest.mark.parametrize("path", ["/api/add", "/api/check"])
@pytest.mark.parametrize("given", [{"text": "新文章"}, {"id": "x", "text": ""}], ids=["no id", "no text"])
def test_what_is_wrong_with_a_document_is_said_without_options(
    writable: TestClient, path: str, given: dict[str, str]
) -> None:
    sent = given if path == "/api/add" else {"text": ""}
    reply = writable.post(path, json=sent, headers={"authorization": f"Bearer {TOKEN}"})
    assert reply.status_code == 422
    said = reply.json()["error"]
    assert ("the id is empty" if sent.get("text") else "there is no text") in said
    assert "--" not in said and "field" not in said and "leitong" not in said


def test_a_document_is_added_and_found(writable: TestClient) -> None:
    given = {"id": "new", "text": "写进去的一篇新文章，谈谈古籍修复的手艺。", "title": "古籍", "metadata": {"n": 2**70}}
    reply = writable.post("/api/add", json=given, headers={"authorization": f"Bearer {TOKEN}"})
    assert (reply.status_code, reply.json()) == (200, {"indexed": 1})
    valid(reply.json(), "/api/add", "post")
    assert [hit["id"] for hit in writable.get("/api/search?q=古籍修复").json()["hits"]] == ["new"]
    assert writable.get("/api/document?id=new").json()["metadata"] == given["metadata"]


def test_every_address_for_programs_is_described_and_no_other(library: Path) -> None:
    site = Site(Settings(locator=str(library)))
    described = {(path, method.upper()) for path, operations in DOCUMENT["paths"].items() for method in operations}
    served = {
        (route.path, method)
        for route in routes(site)
        for method in (route.methods or set()) - {"HEAD"}
        if route.path.startswith("/api/") and route.path != "/api/openapi.json"
    }
    asyncio.run(site.close())
    assert served == described


def test_the_description_is_served_and_shown(site: TestClient) -> None:
    assert site.get("/api/openapi.json").json() == json.loads(json.dumps(DOCUMENT))
    page = site.get("/api").text
    assert all(path in page for path in DOCUMENT["paths"])


def test_health_and_metrics(site: TestClient, library: Path) -> None:
    with open_index(library) as index:
        documents = index.info().documents
    assert site.get("/healthz").json() == {"status": "ok", "documents": documents}
    site.get("/search?q=secret-words")
    reply = site.get("/metrics")
    assert reply.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert f"leitong_documents {documents}.0" in reply.text
    assert 'leitong_http_requests_total{route="/search",status="200"}' in reply.text
    assert "secret-words" not in reply.text
