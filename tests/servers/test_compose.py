"""Proves docker/compose.yaml: both servers and the page beside them. `docker/ci-testcontainers.sh` asks for it."""

from __future__ import annotations

import os
import socket
import subprocess
import urllib.parse
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from leitong.indexer import Document, open_index
from tests.servers.probe import Door, identify, start_timeout, wait_until

pytestmark = pytest.mark.servers

_FILE = Path(__file__).resolve().parents[2] / "docker" / "compose.yaml"
_TEXT = "港珠澳大桥今天正式通车运营，连接香港、珠海和澳门，是世界上最长的跨海大桥。"
_DAYS = {"1": "今天", "2": "昨天"}


@dataclass(frozen=True)
class Project:
    """What the file starts, under a name and on ports of its own."""

    name: str
    command: tuple[str, ...]
    ports: dict[str, int]

    def __call__(self, *arguments: str) -> str:
        ports = {f"LEITONG_{service.upper()}_PORT": str(port) for service, port in self.ports.items()}
        profiles = [part for service in self.ports for part in ("--profile", service)]
        done = subprocess.run(
            [*self.command, "-p", self.name, "-f", str(_FILE), *profiles, *arguments],
            env={**os.environ, "LEITONG_HEAP": "512m", "LEITONG_WEB_IMAGE": "leitong/web:test", **ports},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return done.stdout

    def url(self, service: str) -> str:
        return f"http://127.0.0.1:{self.ports[service]}"

    def wait_for(self, service: str) -> None:
        """Until it is healthy, as its own healthcheck has it."""
        asked = ["docker", "inspect", "--format", "{{.State.Health.Status}}", self("ps", "-q", service).strip()]

        def is_healthy() -> bool:
            return subprocess.run(asked, stdout=subprocess.PIPE, text=True).stdout.strip() == "healthy"

        if not wait_until(is_healthy, seconds=start_timeout()):
            pytest.fail(f"{service} does not get healthy:\n{self('logs', service)[-4000:]}", pytrace=False)


def _compose() -> tuple[str, ...] | None:
    """The command: the plugin, or the older program of its own."""
    for command in (("docker", "compose"), ("docker-compose",)):
        try:
            if subprocess.run([*command, "version"], capture_output=True).returncode == 0:
                return command
        except FileNotFoundError:
            continue
    return None


def _free_ports(count: int) -> list[int]:
    with ExitStack() as held:
        doors = [held.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [int(door.getsockname()[1]) for door in doors]


@pytest.fixture
def project() -> Iterator[Project]:
    if not os.environ.get("LEITONG_TEST_COMPOSE"):
        pytest.skip("LEITONG_TEST_COMPOSE is not set; docker/ci-testcontainers.sh sets it")
    command = _compose()
    if command is None:
        pytest.fail("neither `docker compose` nor docker-compose runs here", pytrace=False)
    services = ("elasticsearch", "opensearch", "web")
    ports = dict(zip(services, _free_ports(len(services)), strict=True))
    one = Project(f"leitongtest{uuid.uuid4().hex[:8]}", command, ports)
    try:
        yield one
    finally:
        one("down", "--volumes", "--timeout", "1")


def _page(url: str) -> str:
    with urllib.request.urlopen(url, timeout=30) as reply:
        return str(reply.read().decode())


def test_servers_side_by_side_and_the_page(project: Project) -> None:
    project("up", "-d", "elasticsearch", "opensearch")
    project("build", "web")
    for product in ("elasticsearch", "opensearch"):
        project.wait_for(product)
        assert identify(Door(project.url(product))).product == product
        with open_index(f"{project.url(product)}/docs", create=True) as index:
            index.add(Document(doc_id, _TEXT.replace("今天", day), "大桥通车") for doc_id, day in _DAYS.items())
            assert [match.id for match in index.similar("1").matches] == ["2"]
    project("up", "-d", "web")
    project.wait_for("web")
    assert '"documents":2' in _page(f"{project.url('web')}/healthz")
    found = _page(f"{project.url('web')}/search?q={urllib.parse.quote('大桥通车')}&lang=zh")
    assert "找到 2 篇文档" in found
