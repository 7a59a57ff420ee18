"""Proves every way to a server that this machine has, on real servers."""

from __future__ import annotations

import hashlib
import os
import signal
import ssl
import subprocess
import sys
import time
import urllib.error
from pathlib import Path

import pytest

from tests.servers import (
    ELASTICSEARCH,
    ELASTICSEARCH8,
    OPENSEARCH,
    OPENSEARCH2,
    RunningCluster,
    RunningServer,
    SecuredServer,
    ServerSpec,
    ServerUnavailableError,
    WrongServerError,
    start,
)
from tests.servers.fixtures import had_or_skipped
from tests.servers.model import allowed_ways, in_ci
from tests.servers.probe import Door, identify, wait_until

pytestmark = pytest.mark.servers

#: The top of the checkout, from which this package is importable as tests.servers.
_TOP = Path(__file__).resolve().parents[2]


def _index_and_find(door: Door, index: str, *, settings: dict[str, int] | None = None) -> None:
    """Write one document and find it again through its words."""
    body: dict[str, object] = {"mappings": {"properties": {"tokens": {"type": "text"}}}}
    if settings:
        body["settings"] = settings
    assert door.request("PUT", f"/{index}", body=body).status == 200
    written = door.request("PUT", f"/{index}/_doc/1?refresh=true", body={"tokens": "雷同 duplicate detection"})
    assert written.status == 201, written.body
    query = {"query": {"match": {"tokens": "duplicate"}}}
    found = door.request("POST", f"/{index}/_search", body=query).json()
    hits = found["hits"]
    assert isinstance(hits, dict)
    assert [hit["_id"] for hit in hits["hits"]] == ["1"]
    assert door.request("DELETE", f"/{index}").status == 200


@pytest.mark.parametrize(
    ("fixture", "spec"),
    [
        ("elasticsearch_server", ELASTICSEARCH),
        ("elasticsearch8_server", ELASTICSEARCH8),
        ("opensearch_server", OPENSEARCH),
        ("opensearch2_server", OPENSEARCH2),
    ],
    ids=lambda value: value.title if isinstance(value, ServerSpec) else "",
)
def test_server_is_what_was_asked_for(request: pytest.FixtureRequest, fixture: str, spec: ServerSpec) -> None:
    server: RunningServer = request.getfixturevalue(fixture)
    assert request.getfixturevalue(fixture.replace("_server", "_url")) == server.url
    found = identify(Door(server.url))
    assert (found.product, found.version) == (spec.product, server.version)
    assert int(found.version.split(".")[0]) == spec.major
    _index_and_find(Door(server.url), "proof")


def test_environment_names_a_server(elasticsearch_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LEITONG_TEST_SERVERS", raising=False)
    monkeypatch.setenv("LEITONG_TEST_ELASTICSEARCH_URL", elasticsearch_url + "/")
    server = start(ELASTICSEARCH)
    assert (server.url, server.how) == (elasticsearch_url, "environment")
    server.stop()
    assert identify(Door(elasticsearch_url)).product == "elasticsearch"


def test_environment_that_names_another_server_is_an_error(
    elasticsearch_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LEITONG_TEST_SERVERS", raising=False)
    monkeypatch.setenv("LEITONG_TEST_OPENSEARCH2_URL", elasticsearch_url)
    with pytest.raises(WrongServerError, match=r"should name OpenSearch 2\.19\.3, but .* elasticsearch"):
        start(OPENSEARCH2)
    monkeypatch.setenv("LEITONG_TEST_OPENSEARCH2_URL", "http://127.0.0.1:9")
    with pytest.raises(WrongServerError, match="does not answer"):
        start(OPENSEARCH2)


def test_a_server_that_cannot_be_had_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LEITONG_TEST_OPENSEARCH_URL", raising=False)
    unknown = ServerSpec("opensearch", "3.99.0")
    with pytest.raises(ServerUnavailableError) as caught:
        start(unknown, ways=("environment", "process"))
    assert "LEITONG_TEST_OPENSEARCH_URL is not set" in str(caught.value)
    assert "no build of OpenSearch 3.99.0" in str(caught.value)

    def get() -> RunningServer:
        return start(unknown, ways=("environment", "process"))

    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match=r"OpenSearch 3\.99\.0 cannot be had"):
        had_or_skipped(get)
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception, match=r"OpenSearch 3\.99\.0 cannot be had"):
        had_or_skipped(get)


@pytest.mark.parametrize("spec", [ELASTICSEARCH, OPENSEARCH], ids=lambda spec: spec.product)
def test_container(spec: ServerSpec) -> None:
    """The testcontainers way; asked for by ``LEITONG_TEST_CONTAINERS``, docker/ci-testcontainers.sh."""
    wanted = os.environ.get("LEITONG_TEST_CONTAINERS", "").replace(",", " ").split()
    if in_ci() and spec.product not in wanted:
        pytest.skip(f"LEITONG_TEST_CONTAINERS does not name {spec.product}")
    try:
        server = start(spec, ways=("container",))
    except ServerUnavailableError as error:
        if spec.product in wanted:
            pytest.fail(str(error), pytrace=False)
        pytest.skip(str(error))
    with server:
        assert server.how == "container"
        found = identify(Door(server.url))
        assert (found.product, found.version) == (spec.product, spec.version)
        _index_and_find(Door(server.url), "proof")
    with pytest.raises(urllib.error.URLError):
        identify(Door(server.url))


@pytest.mark.parametrize("fixture", ["elasticsearch_cluster", "opensearch_cluster"])
def test_cluster_survives_a_killed_node(request: pytest.FixtureRequest, fixture: str) -> None:
    nodes: RunningCluster = request.getfixturevalue(fixture)
    door = Door(nodes.url)
    assert list(nodes.alive) == [0, 1, 2]
    body = {"settings": {"number_of_shards": 3, "number_of_replicas": 1}}
    assert door.request("PUT", "/survivor", body=body).status == 200
    assert nodes.wait_for(status="green")
    for number in range(20):
        written = door.request("PUT", f"/survivor/_doc/{number}", body={"n": number})
        assert written.status == 201
    nodes.kill(0)
    assert list(nodes.alive) == [1, 2]
    assert nodes.url == nodes.urls[1]
    assert nodes.wait_for(status="yellow", nodes=2)
    left = Door(nodes.url)
    assert left.request("POST", "/survivor/_refresh").status == 200
    assert left.request("GET", "/survivor/_count").json()["count"] == 20
    nodes.restart(0)
    assert nodes.wait_for(status="green", nodes=3)
    assert door.request("GET", "/survivor/_count").json()["count"] == 20
    door.request("DELETE", "/survivor")


@pytest.mark.parametrize("fixture", ["secured_elasticsearch", "secured_opensearch"])
def test_secured_server_lets_in_who_may(request: pytest.FixtureRequest, fixture: str) -> None:
    server: SecuredServer = request.getfixturevalue(fixture)
    door = Door(server.url, server.ca_file, server.username, server.password)
    assert identify(door).product == server.product
    _index_and_find(door, "proof")
    port = int(server.url.rsplit(":", 1)[1])
    shown = ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate(("127.0.0.1", port)))
    assert server.fingerprint == hashlib.sha256(shown).hexdigest()
    assert len(server.ca_fingerprint) == len(server.fingerprint)
    assert server.ca_fingerprint != server.fingerprint
    assert server.password not in repr(server)


@pytest.mark.parametrize("fixture", ["secured_elasticsearch", "secured_opensearch"])
def test_secured_server_refuses_who_may_not(request: pytest.FixtureRequest, fixture: str) -> None:
    server: SecuredServer = request.getfixturevalue(fixture)
    wrong = Door(server.url, server.ca_file, server.username, "wrong")
    assert wrong.request("GET", "/_cluster/health").status == 401
    nobody = Door(server.url, server.ca_file)
    assert nobody.request("GET", "/_cluster/health").status == 401
    with pytest.raises(urllib.error.URLError, match="CERTIFICATE_VERIFY_FAILED"):
        Door(server.url, None, server.username, server.password).request("GET", "/")


def test_servers_end_with_a_killed_test_process() -> None:
    """``kill -9`` of the process that asked for a server leaves neither server nor folder."""
    command = [sys.executable, "-m", "tests.servers", "start", "opensearch"]
    environment = {**os.environ, "LEITONG_TEST_SERVERS": "process"}
    owner = subprocess.Popen(
        command,
        cwd=_TOP,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert owner.stdout is not None
    assert owner.stderr is not None
    with owner.stdout, owner.stderr:
        url = owner.stdout.readline().strip()
        if not url:
            reason = owner.stderr.read()
            assert owner.wait() == 2, reason
            had_or_skipped(lambda: _unavailable(reason))
        door = Door(url)
        nodes = door.request("GET", "/_nodes/_local/settings,process").json()["nodes"]
        assert isinstance(nodes, dict)
        (node,) = nodes.values()
        folder = Path(node["settings"]["path"]["logs"]).parent
        server = int(node["process"]["id"])
        assert folder.is_dir()
        owner.send_signal(signal.SIGKILL)
        owner.wait()
    assert wait_until(lambda: not folder.exists(), seconds=20)
    assert wait_until(lambda: not _running(server), seconds=5)


def _unavailable(reason: str) -> RunningServer:
    raise ServerUnavailableError(reason)


def _running(process: int) -> bool:
    """Whether a process of this number exists and is no zombie."""
    try:
        state = Path(f"/proc/{process}/stat").read_text("ascii").rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_ways_can_be_narrowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEITONG_TEST_SERVERS", "process, environment")
    assert allowed_ways() == ("environment", "process")
    monkeypatch.setenv("LEITONG_TEST_SERVERS", "cloud")
    with pytest.raises(ServerUnavailableError, match="not cloud"):
        allowed_ways()
    started = time.monotonic()
    with pytest.raises(ServerUnavailableError):
        start(ELASTICSEARCH)
    assert time.monotonic() - started < 5
