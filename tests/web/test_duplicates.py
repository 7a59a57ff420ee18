"""The page of duplicates: what it shows, what is decided there, and that nothing is decided by others."""

import csv
import io
import json
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode
from starlette.testclient import TestClient

from leitong.indexer import Document, open_index
from tests.cli.running import here
from tests.web.conftest import TOKEN, Serve
from tests.web.test_api import valid
from tests.web.test_pages import page, shown_ids, texts

BEARER = {"authorization": f"Bearer {TOKEN}"}
TRIO = {"news/1", "news/2", "news/3", "moved"}


@pytest.fixture(scope="module")
def reported(library: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index whose report is there. Nobody may change it."""
    path = tmp_path_factory.mktemp("reported") / "index"
    shutil.copytree(library, path)
    with open_index(path) as index:
        assert index.keep_report(index.report())
    return path


@pytest.fixture(scope="module")
def shown(serve: Serve, reported: Path) -> Iterator[TestClient]:
    """Its page, for those who decide nothing, though whoever shows TOKEN may."""
    with serve(reported, token=TOKEN) as client:
        yield client


@pytest.fixture
def compared(serve: Serve, reported: Path, tmp_path: Path) -> Iterator[TestClient]:
    """The same page over an index of its own; whoever shows TOKEN may decide."""
    shutil.copytree(reported, tmp_path / "index")
    with serve(tmp_path / "index", token=TOKEN) as client:
        yield client


def clusters(site: TestClient, query: str = "") -> list[set[str]]:
    reply = site.get(f"/api/clusters?{query}")
    valid(reply.json(), "/api/clusters")
    return [set(cluster["members"]) for cluster in reply.json()["clusters"]]


def decide(site: TestClient, **decision: object) -> dict[str, object]:
    reply = site.post("/api/decide", json=decision, headers=BEARER)
    assert reply.status_code == 200, reply.text
    valid(reply.json(), "/api/decide", "post")
    return dict(reply.json())


def test_the_first_visit_compares_and_then_shows_the_clusters(serve: Serve, library: Path, tmp_path: Path) -> None:
    shutil.copytree(library, tmp_path / "index")
    with serve(tmp_path / "index") as client:
        first = client.get("/duplicates")
        assert first.headers["refresh"] == "2"
        assert "documents are compared with each other" in first.text
        until = time.monotonic() + 120
        while client.get("/api/clusters").json()["made"] is None and time.monotonic() < until:
            time.sleep(0.2)
        while "refresh" in (reply := client.get("/duplicates")).headers and time.monotonic() < until:
            time.sleep(0.2)
        assert set(shown_ids(LexborHTMLParser(reply.text), ".members p:first-child > a")) >= TRIO
        with open_index(tmp_path / "index") as index:
            expected = [set(cluster.members) for cluster in index.report().clusters]
        assert clusters(client) == expected


def test_clusters_are_shown_with_sizes_and_sources_as_pictures(shown: TestClient) -> None:
    tree = page(shown, "/duplicates")
    assert texts(tree, ".clusters .size")[0] == "4"
    assert [node.text() for node in tree.css(".bars th")] != []
    assert all(float(node.attributes["width"] or 0) <= 100 for node in tree.css(".bars rect"))
    assert tree.css(".decide") == []


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("kind=partial", False),
        ("kind=exact", True),
        ("least=4", True),
        ("least=5", False),
        ("q=新馆", True),
        ("q=没有这样的标题", False),
        ("state=open", True),
        ("state=decided", False),
        ("source=nowhere", False),
        ("sort=title", True),
        ("sort=similarity", True),
    ],
)
def test_clusters_are_filtered_and_sorted(shown: TestClient, query: str, found: bool) -> None:
    assert any(cluster >= TRIO for cluster in clusters(shown, query)) is found
    page(shown, f"/duplicates?{query}")


@pytest.mark.parametrize("query", ["kind=x", "sort=x", "state=x", "least=x", "least=1", "size=0", "start=-1"])
def test_a_page_forgives_what_the_json_refuses(shown: TestClient, query: str) -> None:
    page(shown, f"/duplicates?{query}")
    assert shown.get(f"/api/clusters?{query}").status_code == 400


def test_decisions_change_the_clusters_and_stay_beside_the_index(
    compared: TestClient, serve: Serve, tmp_path: Path
) -> None:
    decide(compared, decision="keep", id="news/3")
    assert compared.get("/api/clusters?state=decided").json()["clusters"][0]["representative"] == "news/3"
    decide(compared, decision="apart", id="moved")
    assert TRIO - {"moved"} in clusters(compared)
    with serve(tmp_path / "index") as another:
        assert TRIO - {"moved"} in clusters(another)
        assert "no duplicate" in another.get("/duplicates").text
    decide(compared, decision="forget", id="moved")
    assert TRIO in clusters(compared)


def sent(form: LexborNode) -> dict[str, str]:
    """What a browser sends of a form: line ends become those of the web."""
    fields = {str(node.attributes["name"]): node.attributes["value"] or "" for node in form.css("input")}
    return {name: re.sub("\r\n|\r|\n", "\r\n", value) for name, value in fields.items()}


def test_an_id_with_line_ends_is_decided_on(serve: Serve, tmp_path: Path) -> None:
    text = "市图书馆从下月起延长开放时间，早上八点半开门，晚上九点半闭馆，{}周末不休息。"
    with open_index(tmp_path / "lines", create=True) as index:
        index.add([Document("a\nb\rc", text.format("")), Document("z", text.format("节假日和"))])
        index.keep_report(index.report())
    with serve(tmp_path / "lines", token=TOKEN) as site:
        site.post("/access", data={"token": TOKEN})
        for label, kept in (("Keep", ["a\nb\rc"]), ("Undo", [])):
            form = next(node for node in page(site, "/duplicates").css(".decide form") if label in node.text())
            assert site.post(str(form.attributes["action"]), data=sent(form)).status_code == 303
            with open_index(tmp_path / "lines") as index:
                assert sorted(index.decisions().keep) == kept
        shown = page(site, "/document?fold=1&id=" + quote("a\nb\rc"))
        assert all("\n" not in value for form in shown.css("main form") for value in sent(form).values())
        wider = next(link for link in shown.css("#similar a") if link.text() == "15")
        shown = page(site, str(wider.attributes["href"]).partition("#")[0])
        assert texts(shown, "#similar [aria-current]") == ["15"]
        assert texts(shown, "article .id") == [r"a\nb\rc"]


def test_a_person_decides_with_buttons_and_comes_back_to_the_same_place(compared: TestClient) -> None:
    compared.post("/access", data={"token": TOKEN})
    tree = page(compared, "/duplicates?q=新馆")
    form = next(node for node in tree.css(".decide form") if "Keep" in node.text())
    done = compared.post(str(form.attributes["action"]), data=sent(form))
    assert done.status_code == 303
    assert done.headers["location"] == "/duplicates?" + "q=" + quote("新馆") + "#c1"
    assert texts(page(compared, "/duplicates?state=decided"), ".members .kept b") == ["keep"]


def test_one_pair_is_taken_back_with_its_button(compared: TestClient) -> None:
    compared.post("/access", data={"token": TOKEN})
    decide(compared, decision="apart", id="news/1", others=["news/2", "news/3"])
    (form, _) = page(compared, "/duplicates").css("details form")
    action = str(form.attributes["action"])
    assert "id=news%2F1&other=news%2F2" in action
    compared.post(action, data=sent(form))
    assert decide(compared, decision="forget", id="nothing")["apart"] == [["news/1", "news/3"]]


@pytest.mark.parametrize(
    ("decision", "status"),
    [
        ({"decision": "drop", "id": "news/1"}, 400),
        ({"decision": "keep", "id": "weather"}, 400),
        ({"decision": "keep"}, 400),
        ({"decision": "apart", "id": "news/1", "others": "news/2"}, 400),
        ([], 400),
    ],
)
def test_wrong_decisions_are_refused(shown: TestClient, decision: object, status: int) -> None:
    assert shown.post("/api/decide", json=decision, headers=BEARER).status_code == status


def test_nobody_else_decides_or_starts_what_is_up_to_date(compared: TestClient) -> None:
    asked = {"decision": "keep", "id": "news/1"}
    assert compared.post("/api/decide", json=asked).status_code == 403
    assert compared.post("/duplicates/decide", params=asked).status_code == 403
    assert compared.post("/duplicates/start").status_code == 403
    away = {**BEARER, "origin": "https://evil.example"}
    assert compared.post("/duplicates/decide", params=asked, headers=away).status_code == 403
    elsewhere = compared.post("/duplicates/decide", params={**asked, "back": "//evil.example"}, headers=BEARER)
    assert elsewhere.headers["location"] == "/duplicates"
    assert compared.get("/api/clusters?state=decided").json()["total"] == 1


def test_a_report_of_fewer_documents_says_so(compared: TestClient, tmp_path: Path) -> None:
    with open_index(tmp_path / "index") as index:
        index.add([Document("one more", "又来了一篇谁也没有写过的短文，谈的是茶叶。")])
    text = compared.get("/duplicates").text
    assert "Compared when there were" in text and "/duplicates/start" in text


def test_other_texts_under_the_same_ids_are_said(compared: TestClient, tmp_path: Path) -> None:
    assert compared.post("/duplicates/start").status_code == 403
    with open_index(tmp_path / "index") as index:
        index.add([Document("news/2", "又来了一篇谁也没有写过的短文，谈的是茶叶。")])
    tree = page(compared, "/duplicates?lang=en")
    assert "1 document shown here has changed since, or is gone." in texts(tree, "p.note")
    (marked,) = [node for node in tree.css(".members li") if "changed since" in node.text()]
    assert "news/2" in marked.text()
    assert "Compared when there were" not in tree.text()
    assert compared.post("/duplicates/start").status_code == 303


def test_clusters_are_exported_with_the_decisions(compared: TestClient) -> None:
    decide(compared, decision="keep", id="news/2")
    reply = compared.get("/duplicates/clusters.csv?least=4")
    rows = list(csv.DictReader(io.StringIO(reply.text)))
    assert {row["member"]: row["decision"] for row in rows} == {
        member: "keep" if member == "news/2" else "duplicate" for member in TRIO
    }
    everything = compared.get("/duplicates/clusters.csv").text
    assert "\n=" not in everything and ",=" not in everything
    lines = [json.loads(line) for line in compared.get("/duplicates/clusters.jsonl").text.splitlines()]
    assert [line["representative"] for line in lines][:1] == ["news/2"]
    assert "attachment" in reply.headers["content-disposition"]


def test_the_report_of_the_command_line_is_shown(serve: Serve, library: Path, tmp_path: Path) -> None:
    shutil.copytree(library, tmp_path / "index")
    assert here("report", "--index", "index", "-o", "report", cwd=tmp_path).code == 0
    lines = (tmp_path / "report" / "clusters.jsonl").read_text("utf-8").splitlines()
    with serve(tmp_path / "index") as client:
        assert clusters(client) == [set(json.loads(line)["members"]) for line in lines]


def test_there_is_nothing_to_export_before_a_report(writable: TestClient) -> None:
    assert writable.get("/duplicates/clusters.csv").status_code == 404
    assert clusters(writable) == []


def test_an_index_that_cannot_be_written_says_so(library: Path, tmp_path: Path) -> None:
    shutil.copytree(library, tmp_path / "index")
    with open_index(tmp_path / "index") as index:
        report = index.report()
    notes = tmp_path / "index" / "notes"
    for path in notes.iterdir():
        path.unlink()
    notes.rmdir()
    notes.write_text("no folder")
    with open_index(tmp_path / "index") as index:
        assert index.keep_report(report) is False
