"""What the page refuses, and what nobody can do to its readers."""

import re
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from selectolax.lexbor import LexborHTMLParser
from starlette.testclient import TestClient

from leitong.indexer import Document, open_index
from leitong.indexer.engines.server.failures import refusal
from leitong.indexer.errors import UsageError
from leitong.indexer.library import Index
from leitong.web.serve import listen
from leitong.web.settings import Settings
from tests.cli.running import run
from tests.web.conftest import TOKEN, Serve, served

HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(2)>{{ 7 * 7 }}\u202eevil\x1b[2J"
    "</textarea></title><svg/onload=alert(3)>"
)
BEARER = {"authorization": f"Bearer {TOKEN}"}
ADDED = {"id": "new", "text": "写进去的一篇新文章，谈谈古籍修复的手艺。"}


@pytest.fixture(scope="module")
def hostile(serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """An index whose every part is an attack."""
    path = tmp_path_factory.mktemp("hostile") / "index"
    again = HOSTILE + " 这一篇与另一篇几乎一样，只是结尾不同，用来看相似文档怎样显示。" * 2
    with open_index(path, create=True) as index:
        index.add(
            [
                Document(HOSTILE, again + "甲。", HOSTILE, {HOSTILE: HOSTILE, "date": "<b>", "list": [HOSTILE]}),
                Document(HOSTILE + "2", again + "乙。", HOSTILE, {"list": [HOSTILE], "date": "<b>"}),
            ]
        )
    with serve(path) as client:
        yield client


@pytest.mark.parametrize(
    "address",
    [
        "/search?q={}",
        "/search?q=相似&filter={}%3D{}",
        "/document?id={}",
        "/document?id={}x",
        "/compare?a={}&b={}2",
        "/compare?a={}",
        "/{}",
        "/search?q=相似&lang={}",
    ],
)
def test_documents_and_questions_show_as_text(hostile: TestClient, address: str) -> None:
    reply = hostile.get(address.replace("{}", quote(HOSTILE, safe="")))
    tree = LexborHTMLParser(reply.text)
    assert [node.attributes.get("src") for node in tree.css("script")] == [tree.css_first("script").attributes["src"]]  # type: ignore[union-attr]
    assert tree.css("img, iframe, object, style") == []
    assert not [name for node in tree.css("*") for name in node.attributes if name.startswith(("on", "style"))]
    labels = [node.attributes[name] or "" for name in ("aria-label", "title") for node in tree.css(f"[{name}]")]
    readable = "".join([*labels, *(node.text() for node in tree.css("title, body"))])
    assert not {"\u202e", "\x1b"} & set(readable)
    assert "49" not in "".join(node.text() for node in tree.css("h1"))


def test_checked_texts_show_as_text(hostile: TestClient) -> None:
    reply = hostile.post("/check", data={"title": HOSTILE, "text": HOSTILE.replace("\x1b", "")})
    tree = LexborHTMLParser(reply.text)
    assert tree.css("img") == []
    assert len(tree.css("script")) == 1


@pytest.mark.parametrize(
    "address", ["/", "/search?q=x", "/nothing", "/api/search?q=x", "/static/leitong.js", "/metrics"]
)
def test_every_answer_carries_a_policy_without_inline_script_or_style(site: TestClient, address: str) -> None:
    headers = site.get(address).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy and "*" not in policy and "http" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert "server" not in headers


def test_no_page_names_another_machine(site: TestClient) -> None:
    for address in ("/", "/search?q=新馆", "/document?id=news/1", "/compare?a=news/1&b=news/3", "/check", "/api"):
        text = site.get(address).text
        assert re.findall(r"""(?:src|href|action)=["']?(?:https?:)?//""", text) == [], address
    for name in ("leitong.css", "leitong.js", "seal.svg"):
        text = site.get(f"/static/{name}").text.replace("http://www.w3.org/2000/svg", "")
        assert "//" not in text.replace("// ", ""), name


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8765", "127.0.0.1.evil.example", "", "localhost.evil"])
def test_other_names_are_refused(site: TestClient, host: str) -> None:
    assert site.get("/", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:99", "[::1]:8765", "192.168.1.7:8765"])
def test_our_own_names_and_addresses_are_served(site: TestClient, host: str) -> None:
    assert site.get("/", headers={"host": host}).status_code == 200


def test_a_name_can_be_allowed(serve: Serve, library: Path) -> None:
    with serve(library, hosts=("search.example",)) as client:
        assert client.get("/", headers={"host": "search.example"}).status_code == 200
        assert client.get("/", headers={"host": "other.example"}).status_code == 421


@pytest.mark.parametrize(
    "headers", [{}, {"authorization": "Bearer wrong"}, {"authorization": "Basic " + TOKEN}, {"cookie": "leitong=1"}]
)
def test_nobody_writes_without_the_token(writable: TestClient, headers: dict[str, str]) -> None:
    assert writable.post("/api/add", json=ADDED, headers=headers).status_code == 403
    assert writable.post("/add", data=ADDED, headers=headers).status_code == 403
    assert writable.get("/api/document?id=new").status_code == 404


def test_nobody_writes_at_all_unless_it_was_allowed(site: TestClient) -> None:
    assert site.post("/api/add", json=ADDED, headers=BEARER).status_code == 403
    assert site.get("/access").status_code == 404
    assert "/access" not in site.get("/").text


def test_a_browser_shows_the_token_once_and_may_write_until_it_gives_it_back(writable: TestClient) -> None:
    assert writable.post("/access", data={"token": "wrong"}).status_code == 403
    given = writable.post("/access", data={"token": TOKEN})
    cookie = given.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie
    assert TOKEN not in cookie
    added = writable.post("/add", data=ADDED)
    assert (added.status_code, added.headers["location"]) == (303, "/document?id=new")
    assert writable.post("/add", data=ADDED).status_code == 422  # the id is taken
    assert writable.post("/add", data={**ADDED, "id": " "}).status_code == 422
    writable.post("/access", data={"leave": "1"})
    assert writable.post("/add", data={**ADDED, "id": "newer"}).status_code == 403


def test_behind_a_server_that_encrypts_the_cookie_is_for_encrypted_connections(serve: Serve, library: Path) -> None:
    """As docs/web.md has it: the server in front passes on the name, and the browser tells from where it sends."""
    with serve(library, token=TOKEN, hosts=("search.example",)) as client:
        for host, secure in (("search.example", True), ("127.0.0.1:8765", False)):
            scheme = "https" if secure else "http"
            headers = {"host": host, "origin": f"{scheme}://{host}"}
            given = client.post("/access", data={"token": TOKEN}, headers=headers)
            assert given.status_code == 303
            assert ("Secure" in given.headers["set-cookie"]) is secure
        refused = client.post("/access", data={"token": TOKEN}, headers={"origin": "https://search.example"})
        assert refused.status_code == 403
        assert "does not pass on the name" in refused.text


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"origin": "http://127.0.0.1:9999"},
    ],
)
def test_forms_of_other_sites_change_nothing(writable: TestClient, headers: dict[str, str]) -> None:
    writable.post("/access", data={"token": TOKEN})
    assert writable.post("/add", data=ADDED, headers=headers).status_code == 403
    assert writable.post("/add", data=ADDED, headers={"origin": "http://127.0.0.1:8765"}).status_code == 303


def test_other_sites_read_the_json_only_when_allowed(serve: Serve, library: Path, site: TestClient) -> None:
    asked = {"origin": "https://search.example"}
    assert "access-control-allow-origin" not in site.get("/api/similar?id=news/1", headers=asked).headers
    with serve(library, origins=("https://search.example",)) as client:
        reply = client.get("/api/similar?id=news/1", headers=asked)
        assert reply.headers["access-control-allow-origin"] == "https://search.example"
        assert "Origin" in reply.headers["vary"]
        other = client.get("/api/similar?id=news/1", headers={"origin": "https://evil.example"})
        assert "access-control-allow-origin" not in other.headers
        assert "access-control-allow-origin" not in client.get("/", headers=asked).headers


def test_a_body_that_is_too_large_is_refused(serve: Serve, library: Path) -> None:
    def pieces() -> Iterator[bytes]:
        for _ in range(100):
            yield b"x" * 1000

    with serve(library, max_body=10_000) as client:
        assert client.post("/api/check", content=b"x" * 10_001).status_code == 413
        assert client.post("/api/check", content=pieces(), headers={"content-type": "text/plain"}).status_code == 413
        assert client.post("/api/check", json={"text": "短短的一句话。"}).status_code == 200


@pytest.mark.slow
def test_a_text_of_megabytes_is_shown_and_compared_within_bounds(serve: Serve, tmp_path: Path) -> None:
    text = "".join(f"第{number}行写着不同的字句。\n" for number in range(200_000))
    with open_index(tmp_path / "index", create=True) as index:
        index.add([Document("large", text), Document("larger", text + "完"), Document("line", "一" * 1_000_000)])
    with serve(tmp_path / "index") as client:
        for doc_id in ("large", "line"):
            reply = client.get(f"/document?id={doc_id}")
            assert reply.status_code == 200
            assert len(reply.content) < 200_000
        assert "leitong compare A B" in client.get("/compare?a=large&b=larger").text


def test_a_dead_engine_is_a_plain_page_and_comes_back_by_itself(
    serve: Serve, library: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path, away = tmp_path / "index", tmp_path / "away"
    shutil.copytree(library, path)
    with serve(path) as client:
        assert client.get("/search?q=新馆").status_code == 200
        shutil.move(path, away)
        path.mkdir()
        caplog.clear()
        for address in ("/", "/search?q=新馆", "/document?id=news/1", "/api/search?q=新馆", "/healthz"):
            reply = client.get(address)
            assert reply.status_code == 503, address
            assert reply.headers["retry-after"] == "5"
            assert "Traceback" not in reply.text and str(tmp_path) not in reply.text
        assert "is not there any more" in caplog.text and "writing" not in caplog.text
        assert "leitong_up 0.0" in client.get("/metrics").text
        path.rmdir()
        shutil.move(away, path)
        assert client.get("/search?q=新馆").status_code == 200
        assert client.get("/healthz").status_code == 200


def test_an_error_nobody_thought_of_shows_no_trace(site: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object, **kwargs: object) -> None:
        raise RuntimeError("a secret")

    monkeypatch.setattr(Index, "search", broken)
    for address in ("/search?q=x", "/api/search?q=x"):
        reply = site.get(address)
        assert reply.status_code == 500
        assert "secret" not in reply.text and "Traceback" not in reply.text


def test_who_lacks_a_privilege_on_the_server_is_not_told_to_wait(
    writable: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refused(*args: object, **kwargs: object) -> None:
        raise refusal("http://a/secret", 403, "security_exception", "no permissions for [write]", product="opensearch")

    monkeypatch.setattr(Index, "search", refused)
    for address in ("/search?q=x", "/api/search?q=x"):
        reply = writable.get(address)
        assert reply.status_code == 500
        assert "retry-after" not in reply.headers
        assert "secret" not in reply.text
    assert "no permissions for [write]" in caplog.text


def test_what_is_too_slow_or_too_much_is_turned_away(
    serve: Serve, library: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    let_go = threading.Event()
    really = Index.search

    def slow(self: Index, *args: object, **kwargs: object) -> object:
        let_go.wait(20)
        return really(self, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(Index, "search", slow)
    with serve(library, threads=1, waiting=1, seconds=0.3) as client:
        assert client.get("/search?q=x").status_code == 503  # it takes too long
        assert "the index is slow, or does not answer" in caplog.text
        assert client.get("/document?id=news/1").status_code == 503  # the only thread is still held
        let_go.set()
        until = time.monotonic() + 20
        while client.get("/search?q=x").status_code != 200 and time.monotonic() < until:
            time.sleep(0.05)
        assert client.get("/search?q=x").status_code == 200


def test_settings_that_make_no_sense_are_refused() -> None:
    with pytest.raises(UsageError, match="LEITONG_TOKEN"):
        Settings(locator="x", token="short")
    for origin in ("search.example", "https://search.example/path", "*", "javascript://x"):
        with pytest.raises(UsageError, match="--allow-origin"):
            Settings(locator="x", origins=(origin,))
    assert TOKEN not in repr(Settings(locator="x", token=TOKEN))


@pytest.mark.slow
def test_serve_says_what_is_wrong(tmp_path: Path, library: Path) -> None:
    assert "There is no index" in run("serve", cwd=tmp_path).sentence
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert "Cannot listen" in run("serve", "-i", str(library), "--port", port, cwd=tmp_path).sentence
    assert "Cannot listen" in run("serve", "-i", str(library), "--host", "no.such.host.invalid", cwd=tmp_path).sentence
    short = run("serve", "-i", str(library), "--write", cwd=tmp_path, env={"LEITONG_TOKEN": "short"})
    assert "LEITONG_TOKEN" in short.sentence


def test_unless_told_otherwise_it_listens_on_this_machine_only() -> None:
    with listen(Settings(locator="none", port=0)) as server:
        assert server.getsockname()[0] == "127.0.0.1"


@pytest.mark.slow
def test_it_listens_on_this_machine_only_and_ends_quietly(library: Path) -> None:
    with served(library) as address:
        port = int(address.rpartition(":")[2])
        listening = Path("/proc/net/tcp").read_text().split("\n")
        addresses = {line.split()[1] for line in listening[1:] if line and line.split()[3] == "0A"}
        assert f"0100007F:{port:04X}" in addresses
        assert f"00000000:{port:04X}" not in addresses
        with socket.create_connection(("127.0.0.1", port), timeout=10) as raw:
            raw.sendall(b"GET /" + b"x" * 200_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert b" 400 " in raw.recv(100)
        with socket.create_connection(("127.0.0.1", port), timeout=10) as raw:
            raw.sendall(b"nonsense\r\n\r\n")
            assert b" 400 " in raw.recv(100)


def test_a_page_does_not_wait_for_its_head_to_be_acknowledged() -> None:
    """asyncio turns the waiting off only for sockets that name their protocol."""
    with listen(Settings(locator="none", port=0)) as server:
        assert server.proto == socket.IPPROTO_TCP
