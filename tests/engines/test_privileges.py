"""What docs/servers.md says is enough for a command is enough, and the next command needs more."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.cli.corpus import ARTICLES
from tests.cli.running import Ran, here, write_jsonl
from tests.engines.places import needs_client
from tests.servers import SecuredServer

pytestmark = pytest.mark.servers

Needed = list[dict[str, list[str]]]
DOCS = Path(__file__).parents[2] / "docs" / "servers.md"
READ = {
    "elasticsearch": ["read", "view_index_metadata"],
    "opensearch": ["read", "indices:admin/mappings/get", "indices:monitor/settings/get"],
}
LEARN = {"elasticsearch": ["read", "write"], "opensearch": ["read", "write"]}
WRITE = {
    "elasticsearch": ["write", "maintenance"],
    "opensearch": ["write", "indices:admin/refresh*"],
}
MAKE = {
    "elasticsearch": ["create_index", "delete_index"],
    "opensearch": ["create_index", "indices:admin/delete"],
}
SIZE = {"elasticsearch": ["monitor"], "opensearch": ["indices:monitor/stats"]}
CLUSTER = {
    "elasticsearch": ["monitor"],
    "opensearch": [
        "cluster:monitor/main",
        "cluster:monitor/nodes/info",
        "cluster_composite_ops",
        "indices:data/read/point_in_time/*",
    ],
}


def role(product: str, name: str, index: Needed, companion: Needed) -> dict[str, Any]:
    """A role with these privileges on an index and on the one beside it."""

    def listed(parts: Needed) -> list[str]:
        return [privilege for part in parts for privilege in part[product]]

    named = [(name, listed(index)), (f"{name}-leitong", listed(companion))]
    if product == "elasticsearch":
        return {"cluster": CLUSTER[product], "indices": [{"names": [name], "privileges": some} for name, some in named]}
    return {
        "cluster_permissions": CLUSTER[product],
        "index_permissions": [{"index_patterns": [name], "allowed_actions": some} for name, some in named],
    }


@dataclass(frozen=True)
class Person:
    """Somebody at a command line, with a name and a password."""

    server: SecuredServer
    name: str
    password: str
    cwd: Path
    index: str = "docs"

    def __call__(self, *args: str) -> Ran:
        stem = self.server.product.upper()
        environment = {
            f"{stem}_USERNAME": self.name,
            f"{stem}_PASSWORD": self.password,
            f"{stem}_CA_FILE": str(self.server.ca_file),
        }
        return here(*args, "--index", f"{self.server.url}/{self.index}", cwd=self.cwd, env=environment)


@dataclass(frozen=True)
class House:
    server: SecuredServer
    cwd: Path

    @property
    def admin(self) -> Person:
        return Person(self.server, self.server.username, self.server.password, self.cwd)

    def person(self, name: str, needed: Needed, companion: Needed, *, index: str = "docs") -> Person:
        password = secrets.token_urlsafe(18)
        self.server.grant(name, password, role(self.server.product, index, needed, companion))
        return Person(self.server, name, password, self.cwd, index)


@pytest.fixture(scope="module", params=["secured_elasticsearch", "secured_opensearch"])
def house(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> House:
    if request.param == "secured_elasticsearch":
        needs_client(9)
    cwd = tmp_path_factory.mktemp("privileges")
    write_jsonl(cwd / "articles.jsonl", ARTICLES)
    write_jsonl(cwd / "more.jsonl", [{"id": f"more {number}", "text": f"第{number}篇"} for number in range(40)])
    made = House(request.getfixturevalue(request.param), cwd)
    assert made.admin("index", "articles.jsonl").code == 0
    return made


def test_reading(house: House) -> None:
    reader = house.person("reader", [READ], [READ])
    assert reader("search", "图书馆", "--json").json["total"] == 3
    assert reader("similar", "news/1", "--json").json["total"] == 2
    assert reader("compare", "news/1", "news/3", "--json").json["kind"] == "near"
    assert reader("report", "--json").json["pairs"] >= 3
    assert reader("get", "weather", "--json").json["id"] == "weather"
    assert reader("info", "--json").json["size_bytes"] is None
    for command in (("index", "articles.jsonl"), ("delete", "weather")):
        said = reader(*command).sentence
        assert "may not" in said
        assert "docs/servers.md" in said
        assert reader.password not in said


def test_keeping_what_was_learned(house: House) -> None:
    assert house.admin("index", "more.jsonl").code == 0
    reader = house.person("keeper", [READ], [READ, LEARN])
    assert reader("report", "--json").json["pairs"] >= 3


def test_size(house: House) -> None:
    watcher = house.person("watcher", [READ, SIZE], [READ, SIZE])
    assert watcher("info", "--json").json["size_bytes"] > 0


def test_writing(house: House) -> None:
    writer = house.person("writer", [READ, WRITE], [READ, LEARN])
    assert writer("index", "articles.jsonl", "--on-duplicate", "mark", "--json").json["indexed"] == 12
    assert writer("index", "articles.jsonl", "--resume", "--json").json["unchanged"] == 12
    assert writer("delete", "weather", "--json").json["deleted"] == 1


def test_making(house: House) -> None:
    maker = house.person("maker", [READ, WRITE, MAKE], [READ, LEARN, MAKE], index="made")
    assert maker("index", "articles.jsonl", "--json").json["indexed"] == 12


def test_the_page_names_them() -> None:
    page = DOCS.read_text(encoding="utf-8")
    for privileges in (READ, LEARN, WRITE, MAKE, SIZE, CLUSTER):
        for product in ("elasticsearch", "opensearch"):
            for privilege in privileges[product]:
                assert f"`{privilege}`" in page
