"""What docs/servers.md says is enough for a command is enough, and the next command needs more."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from leitong.indexer.duplicates.policy.decisions import Decisions
from leitong.indexer.engines.server.connect import connect
from leitong.indexer.engines.server.locator import parse
from leitong.indexer.library import Index, open_index
from leitong.mappings import VERSION, documents
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
MAP = {"elasticsearch": ["indices:admin/mapping/put"], "opensearch": ["indices:admin/mapping/put"]}
MOVE = {
    "elasticsearch": ["manage"],
    "opensearch": [
        "indices:admin/block/add*",
        "indices:admin/settings/update",
        "indices:admin/aliases",
        "indices:admin/aliases/get",
    ],
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


def role(product: str, name: str, index: Needed, companion: Needed, *, moves: bool) -> dict[str, Any]:
    """A role with these privileges on an index, on the one beside it, and on the one it `moves` to."""

    def listed(parts: Needed) -> list[str]:
        return [privilege for part in parts for privilege in part[product]]

    named = [(name, listed(index)), (f"{name}-leitong", listed(companion))]
    if moves:
        named.append((f"{name}-2", listed(index)))
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

    @property
    def locator(self) -> str:
        return f"{self.server.url}/{self.index}"

    @property
    def environment(self) -> dict[str, str]:
        stem = self.server.product.upper()
        return {
            f"{stem}_USERNAME": self.name,
            f"{stem}_PASSWORD": self.password,
            f"{stem}_CA_FILE": str(self.server.ca_file),
        }

    def __call__(self, *args: str) -> Ran:
        """The command on the index, which `attach` and `detach` take as an argument."""
        name = (self.locator,) if args[0] in ("attach", "detach") else ("--index", self.locator)
        return here(*args, *name, cwd=self.cwd, env=self.environment)


@dataclass(frozen=True)
class House:
    server: SecuredServer
    cwd: Path

    @property
    def admin(self) -> Person:
        return Person(self.server, self.server.username, self.server.password, self.cwd)

    def person(
        self, name: str, needed: Needed, companion: Needed, *, index: str = "docs", moves: bool = False
    ) -> Person:
        password = secrets.token_urlsafe(18)
        self.server.grant(name, password, role(self.server.product, index, needed, companion, moves=moves))
        return Person(self.server, name, password, self.cwd, index)

    def put(self, path: str, body: Mapping[str, Any]) -> None:
        """Something an owner does with a program of his own."""
        with pytest.MonkeyPatch.context() as environment:
            for name, value in self.admin.environment.items():
                environment.setenv(name, value)
            with closing(connect(parse(self.admin.locator))) as server:
                server.request("PUT", path, body=body)


@contextmanager
def opened(person: Person) -> Iterator[Index]:
    """The index in a program of that person's."""
    with pytest.MonkeyPatch.context() as environment:
        for name, value in person.environment.items():
            environment.setenv(name, value)
        with open_index(person.locator) as index:
            yield index


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


def test_who_may_read_can_search_compare_and_report_but_not_write(house: House) -> None:
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


def test_who_may_write_the_companion_keeps_reports_and_decisions(house: House) -> None:
    assert house.admin("index", "more.jsonl").code == 0
    keeper = house.person("keeper", [READ], [READ, LEARN])
    with opened(house.admin) as index:
        assert index.known_duplicates() is None
    assert keeper("report", "--json").json["pairs"] >= 3
    with opened(keeper) as index:
        assert index.known_duplicates() is not None
        index.decide(lambda decisions: decisions.parting("news/1", ["news/2"]))
        assert index.decide(lambda decisions: decisions.forgetting("news/1")) == Decisions()


def test_who_may_monitor_is_told_the_size(house: House) -> None:
    watcher = house.person("watcher", [READ, SIZE], [READ, SIZE])
    assert watcher("info", "--json").json["size_bytes"] > 0


def test_who_may_write_can_index_mark_and_delete(house: House) -> None:
    writer = house.person("writer", [READ, WRITE], [READ, LEARN])
    assert writer("index", "articles.jsonl", "--on-duplicate", "mark", "--json").json["indexed"] == 12
    assert writer("index", "articles.jsonl", "--resume", "--json").json["unchanged"] == 12
    assert writer("delete", "weather", "--json").json["deleted"] == 1


def test_who_may_create_indexes_can_index_into_a_new_one(house: House) -> None:
    maker = house.person("maker", [READ, WRITE, MAKE], [READ, LEARN, MAKE], index="made")
    assert maker("index", "articles.jsonl", "--json").json["indexed"] == 12


def test_who_may_write_can_dedupe_and_who_reads_can_look(house: House) -> None:
    assert house.admin("index", "articles.jsonl", "--json").json["indexed"] == 12
    worker = house.person("worker", [READ, WRITE], [READ, LEARN])
    assert worker("report", "-o", "found", "--json").json["pairs"] >= 3
    for options in (("--action", "mark"), ("--undo",), ("--action", "delete")):
        assert worker("dedupe", "found", *options, "--yes", "--json").json["documents"] >= 2
    reader = house.person("looker", [READ], [READ])
    assert reader("dedupe", "found", "--json").code == 0
    assert reader("report", "-o", "found", "--json").code == 0


def test_attaching_needs_the_mapping_and_the_right_to_write(house: House) -> None:
    for one in ARTICLES[:4]:
        house.put(f"/theirs/_doc/{one['id'].replace('/', '-')}", {"body": one["text"]})
    reader = house.person("their-reader", [READ], [READ], index="theirs")
    assert "may not" in reader("attach", "--text-field", "body").sentence
    needed = [READ, WRITE, SIZE, MAP]
    attacher = house.person("attacher", needed, [READ, LEARN, MAKE], index="theirs")
    assert attacher("attach", "--text-field", "body", "--json").json["attached"] == 4
    assert attacher("attach", "--json").json["unchanged"] == 4
    assert reader("report", "-o", "theirs", "--json").json["documents"] == 4
    assert attacher("detach", "--json").json["detached"] == 4


def test_an_upgrade_needs_the_right_to_make_an_index(house: House) -> None:
    """An index whose field b0 has another type, as from another version."""
    maker = house.person("old-maker", [READ, WRITE, MAKE], [READ, LEARN, MAKE], index="old")
    assert maker("index", "more.jsonl").code == 0
    product = house.server.product
    fields = json.loads(json.dumps(documents(product, blocks=4).mappings))
    with pytest.MonkeyPatch.context() as environment:
        for name, value in house.admin.environment.items():
            environment.setenv(name, value)
        with closing(connect(parse(f"{house.server.url}/old"))) as server:
            meta = server.request("GET", "/old/_mapping")["old"]["mappings"]["_meta"]
            server.request("DELETE", "/old")
    fields["properties"]["leitong"]["properties"]["b0"] = {"type": "keyword"}
    house.put("/old", {"mappings": {**fields, "_meta": meta}})
    reader = house.person("old-reader", [READ], [READ], index="old")
    assert "b0" in reader("mapping", "show", "--json").json["leitong"]["properties"]
    assert reader("mapping", "apply", "--json").json["changed"] == ["leitong.b0"]
    assert "may not" in reader("mapping", "apply", "--yes").sentence
    mover = house.person("mover", [READ, WRITE, SIZE, MAKE, MOVE], [READ], index="old", moves=True)
    assert mover("mapping", "apply", "--yes", "--json").json["new_index"] == "old-2"
    assert (
        house.person("moved-reader", [READ], [READ], index="old", moves=True)("info", "--json").json["format"]
        == VERSION
    )


def test_the_page_names_them() -> None:
    page = DOCS.read_text(encoding="utf-8")
    for privileges in (READ, LEARN, WRITE, MAKE, MAP, MOVE, SIZE, CLUSTER):
        for product in ("elasticsearch", "opensearch"):
            for privilege in privileges[product]:
                assert f"`{privilege}`" in page
