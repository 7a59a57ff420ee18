"""Who may come in, on real secured servers; and no secret in anything that people or logs see."""

from __future__ import annotations

import base64
import logging
import socketserver
import threading
import traceback
import uuid
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from leitong.indexer import Document, open_index
from leitong.indexer.attaching import attach, detach
from leitong.indexer.attachruns import AttachOptions
from leitong.indexer.engines.server.connect import connect
from leitong.indexer.engines.server.credentials import read
from leitong.indexer.engines.server.locator import parse
from leitong.indexer.errors import EngineError, LeitongError, MissingIndexError, UsageError
from tests.engines.places import needs_client
from tests.servers import SecuredServer

SECRET = "s3cr3t-Wrong"
VARIABLES = ("API_KEY", "USERNAME", "PASSWORD", "CA_FILE", "FINGERPRINT")


@dataclass
class Door:
    """A secured server, and the environment that opens it."""

    server: SecuredServer
    environment: pytest.MonkeyPatch

    def set(self, **values: object) -> None:
        for name, value in values.items():
            self.environment.setenv(f"{self.server.product.upper()}_{name.upper()}", str(value))

    def locator(self) -> str:
        return f"{self.server.url}/secured-{uuid.uuid4().hex[:8]}"


class Signing:
    """Signs requests, here with a user and a password, and remembers which."""

    def __init__(self, server: SecuredServer) -> None:
        self.pair = base64.b64encode(f"{server.username}:{server.password}".encode()).decode()
        self.signed: list[tuple[str, str]] = []

    def __call__(self, method: str, url: str, body: object) -> dict[str, str]:
        self.signed.append((method, url))
        return {"Authorization": f"Basic {self.pair}"}


@pytest.fixture(params=["secured_elasticsearch", "secured_opensearch"])
def door(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Door:
    for product in ("ELASTICSEARCH", "OPENSEARCH"):
        for name in VARIABLES:
            monkeypatch.delenv(f"{product}_{name}", raising=False)
    if request.param == "secured_elasticsearch":
        needs_client(9)
    return Door(request.getfixturevalue(request.param), monkeypatch)


def use(locator: str) -> None:
    with open_index(locator, create=True) as index:
        assert (
            index.add([Document("1", "雷同的文章，意思是一样的文章"), Document("2", "雷同的文章！意思是一样的文章")])
            == 2
        )
        assert [match.id for match in index.similar("1").matches] == ["2"]
        assert index.delete(["1", "2"]) == 2


@pytest.mark.servers
class TestDoor:
    def test_user_and_ca_file(self, door: Door, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level(logging.DEBUG)
        door.set(username=door.server.username, password=door.server.password, ca_file=door.server.ca_file)
        use(door.locator())
        assert door.server.password not in caplog.text
        pair = f"{door.server.username}:{door.server.password}".encode()
        assert base64.b64encode(pair).decode() not in caplog.text

    def test_a_certificate_is_known_by_its_fingerprint(self, door: Door) -> None:
        door.set(username=door.server.username, password=door.server.password, fingerprint=door.server.fingerprint)
        use(door.locator())
        door.set(fingerprint=":".join(["AB"] * 32))
        self.refused(door, "certificate")

    def test_a_password_may_have_characters_of_any_script(self, door: Door) -> None:
        secret = f"p ä\"'$:@/%密\\{uuid.uuid4().hex}Z"
        name = f"user-{uuid.uuid4().hex[:8]}"
        rights = {
            "elasticsearch": {"cluster": ["all"], "indices": [{"names": ["*"], "privileges": ["all"]}]},
            "opensearch": {
                "cluster_permissions": ["*"],
                "index_permissions": [{"index_patterns": ["*"], "allowed_actions": ["*"]}],
            },
        }
        door.server.grant(name, secret, rights[door.server.product])
        door.set(username=name, password=secret, ca_file=door.server.ca_file)
        use(door.locator())
        door.set(password=secret.replace("密", "钥"))
        self.refused(door, "does not let us in")

    def test_a_wrong_password_is_refused_and_not_logged(self, door: Door, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level(logging.DEBUG)
        door.set(username=door.server.username, password=SECRET, ca_file=door.server.ca_file)
        self.refused(door, "does not let us in")
        assert SECRET not in caplog.text

    def test_a_wrong_key_is_refused_and_not_logged(self, door: Door, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level(logging.DEBUG)
        door.set(api_key="c2VjcmV0OnMzY3IzdC1Xcm9uZw==", ca_file=door.server.ca_file)
        self.refused(door, "does not let us in")
        assert "c2VjcmV0" not in caplog.text

    def test_without_credentials_nobody_is_let_in(self, door: Door) -> None:
        door.set(ca_file=door.server.ca_file)
        self.refused(door, "credentials")

    def test_an_unknown_certificate_is_refused(self, door: Door) -> None:
        door.set(username=door.server.username, password=door.server.password)
        self.refused(door, "CA_FILE")

    def test_several_hosts_of_which_one_is_away(self, door: Door) -> None:
        door.set(username=door.server.username, password=door.server.password, ca_file=door.server.ca_file)
        use(door.locator().replace("127.0.0.1", "127.0.0.1:9,127.0.0.1", 1))

    def test_each_request_is_signed(self, door: Door, caplog: pytest.LogCaptureFixture) -> None:
        """What signs requests to a hosted OpenSearch is asked for each of them, and nothing else lets us in."""
        caplog.set_level(logging.DEBUG)
        door.set(ca_file=door.server.ca_file)
        sign = Signing(door.server)
        if door.server.product == "elasticsearch":
            with pytest.raises(LeitongError):
                open_index(door.locator(), create=True, signer=sign)
            return
        locator = door.locator()
        with open_index(locator, create=True, signer=sign) as index:
            assert index.add([Document("1", "雷同的文章，意思是一样的文章")]) == 1
        assert any(method == "POST" and "/_bulk" in url for method, url in sign.signed)
        assert all(url.startswith(door.server.url) for _, url in sign.signed)
        assert sign.pair not in caplog.text
        self.refused(door, "credentials")

    def test_a_signer_attaches_and_detaches(self, door: Door, tmp_path: Path) -> None:
        door.set(ca_file=door.server.ca_file)
        sign = Signing(door.server)
        locator, options = door.locator(), AttachOptions(rejects=tmp_path / "rejects.jsonl")
        if door.server.product == "elasticsearch":
            with pytest.raises(LeitongError):
                attach(locator, text_fields=["body"], options=options, signer=sign)
            return
        with closing(connect(parse(locator), signer=sign)) as server:
            document = f"/{server.locator.index}/_doc/1"
            server.request("PUT", document, body={"body": "雷同的文章，意思是一样的文章"})
            assert attach(locator, text_fields=["body"], options=options, signer=sign).written == 1
            with open_index(locator, signer=sign) as index:
                assert [match.id for match in index.similar_to("雷同的文章！意思是一样的文章").matches] == ["1"]
            assert detach(locator, options=options, signer=sign).written == 1
            assert server.request("GET", document)["_source"] == {"body": "雷同的文章，意思是一样的文章"}

    def test_a_cloud_id_names_the_server(self, door: Door) -> None:
        """A cloud id names a host by its parts: here 127.0.0 and 1."""
        door.set(username=door.server.username, password=door.server.password, ca_file=door.server.ca_file)
        port = door.server.url.rpartition(":")[2]
        cloud_id = "mine:" + base64.b64encode(f"1:{port}$127.0.0$kibana".encode()).decode()
        use(f"cloud:{cloud_id}/{door.locator().rpartition('/')[2]}")

    def test_an_index_that_is_not_there_is_told(self, door: Door) -> None:
        door.set(username=door.server.username, password=door.server.password, ca_file=door.server.ca_file)
        with pytest.raises(MissingIndexError):
            open_index(door.locator())

    def refused(self, door: Door, said: str) -> None:
        with pytest.raises(EngineError) as caught:
            open_index(door.locator())
        assert said in str(caught.value)
        told = "".join(traceback.format_exception(caught.value))
        assert SECRET not in told
        assert door.server.password not in told


def test_a_locator_with_a_password_is_refused_without_repeating_it() -> None:
    with pytest.raises(UsageError) as caught:
        open_index(f"https://elastic:{SECRET}@127.0.0.1:9200/docs")
    assert SECRET not in "".join(traceback.format_exception(caught.value))
    with pytest.raises(UsageError) as caught:
        open_index(f"https://elastic:{SECRET}@127.0.0.1:port/docs")
    assert SECRET not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(
    "locator",
    ["http://127.0.0.1:9200", "http://127.0.0.1:9200/", "http:///docs", "http://h:9200/Docs", "http://h:9200/_all",
     "cloud:name:no base64/docs",
     "cloud:name:aG9zdA==/docs", "cloud:name:aG9zdCRpZCRr",
     "http://h:9200/a,b", "http://h:9200/docs?x=1", "http://h:9200/" + "x" * 250, "http://h:99999/docs"],
)  # fmt: skip
def test_what_is_no_address(locator: str) -> None:
    with pytest.raises(UsageError):
        open_index(locator)


@pytest.mark.parametrize(
    "locator",
    ["htttp://h:9200/docs", "HTTPS://h:9200/docs", "https:/h:9200/docs", "ftp://h/docs", "localhost:9200/docs",
     f"me:{SECRET}@localhost:9200/docs", f"https:/me:{SECRET}@h/docs"],
)  # fmt: skip
def test_what_was_meant_as_an_address_becomes_no_folder(
    locator: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="looks like the address of a server") as caught:
        open_index(locator, create=True)
    assert SECRET not in str(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("folder", ["./localhost:9200/docs", "2026:11", "12:30/docs"])
def test_a_folder_may_have_a_colon(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "12:30" / "docs").mkdir(parents=True)
    with open_index(folder, create=True) as index:
        assert index.info().documents == 0


def test_nobody_answers() -> None:
    with pytest.raises(EngineError, match=r"Cannot reach http://127\.0\.0\.1:9/docs"):
        open_index("http://127.0.0.1:9/docs")


class Curt(socketserver.BaseRequestHandler):
    """Hangs up on whom it does not understand, or answers in plain text."""

    answer = b""

    def handle(self) -> None:
        self.request.recv(65_536)
        self.request.sendall(self.answer)


class Plain(Curt):
    answer = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


@pytest.mark.parametrize(("scheme", "handler", "other"), [("http", Curt, "https://"), ("https", Plain, "http://")])
def test_who_speaks_the_other_scheme_is_told_so(scheme: str, handler: type[Curt], other: str) -> None:
    with socketserver.TCPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(EngineError, match=f"one for {other}"):
            open_index(f"{scheme}://127.0.0.1:{server.server_address[1]}/docs")
        server.shutdown()


class TestEnvironment:
    def test_half_a_set(self) -> None:
        with pytest.raises(UsageError, match="ELASTICSEARCH_PASSWORD is not"):
            read("elasticsearch", {"ELASTICSEARCH_USERNAME": "me"})
        with pytest.raises(UsageError) as caught:
            read("opensearch", {"OPENSEARCH_PASSWORD": SECRET})
        assert SECRET not in str(caught.value)

    def test_wrong_values(self) -> None:
        with pytest.raises(LeitongError, match="no such file"):
            read("elasticsearch", {"ELASTICSEARCH_CA_FILE": "/absent.pem"})
        with pytest.raises(LeitongError, match="64 hexadecimal"):
            read("elasticsearch", {"ELASTICSEARCH_FINGERPRINT": "abc"})

    @pytest.mark.parametrize("key", [f"{SECRET}\n{SECRET}", f"{SECRET} {SECRET}", f"{SECRET}密钥"])
    @pytest.mark.parametrize("product", ["elasticsearch", "opensearch"])
    def test_a_key_that_no_header_carries_is_not_repeated(self, product: str, key: str) -> None:
        with pytest.raises(UsageError, match="_API_KEY holds") as caught:
            read(product, {f"{product.upper()}_API_KEY": key})
        assert SECRET not in "".join(traceback.format_exception(caught.value))

    def test_line_ends_of_a_file_are_no_part_of_a_secret(self) -> None:
        assert read("opensearch", {"OPENSEARCH_API_KEY": "a2V5\r\n"}).api_key == "a2V5"
        ours = read("opensearch", {"OPENSEARCH_USERNAME": "me\r\n", "OPENSEARCH_PASSWORD": " two words \r\n"})
        assert (ours.username, ours.password) == ("me", " two words ")

    def test_a_password_is_sent_in_any_script(self) -> None:
        ours = read("opensearch", {"OPENSEARCH_USERNAME": "用户", "OPENSEARCH_PASSWORD": "pä:密 \udce4"})
        assert base64.b64decode(ours.basic or "") == "用户:pä:密 ".encode() + b"\xe4"

    def test_a_name_has_no_colon(self) -> None:
        with pytest.raises(UsageError, match="USERNAME holds a colon"):
            read("opensearch", {"OPENSEARCH_USERNAME": "me:too", "OPENSEARCH_PASSWORD": SECRET})

    def test_no_secret_in_the_repr(self) -> None:
        ours = read(
            "elasticsearch",
            {
                "ELASTICSEARCH_API_KEY": SECRET,
                "ELASTICSEARCH_USERNAME": "me",
                "ELASTICSEARCH_PASSWORD": SECRET,
                "ELASTICSEARCH_FINGERPRINT": "AB:" * 31 + "AB",
            },
        )
        assert SECRET not in repr(ours)
        assert (ours.api_key, ours.fingerprint) == (SECRET, "ab" * 32)
