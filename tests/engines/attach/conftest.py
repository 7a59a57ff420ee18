"""An index of somebody else's, written and read over plain HTTP, so that nothing of ours stands between."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from leitong.indexer.attaching import attach, detach
from leitong.indexer.attachruns import AttachOptions, AttachProgress
from leitong.indexer.engines.server.attachment import Attachment
from tests.engines.places import SERVERS, Place, cleaned, had

BRIDGE = (
    "港珠澳大桥今天正式通车运营。大桥全长55公里，连接香港、珠海和澳门，是{}世界上最长的跨海大桥。"
    "从香港到珠海的车程由三个多小时缩短到四十五分钟。"
)
LIBRARY = "市图书馆从下月起延长开放时间，早上八点半开门，晚上九点半闭馆，周末不休息。"


@dataclass
class Theirs:
    """Somebody else's index on a server."""

    place: Place
    name: str
    rejects: Path
    _made: list[str] = field(default_factory=list)
    _routing: dict[str, str] = field(default_factory=dict)

    @property
    def locator(self) -> str:
        return f"{self.place.root}/{self.name}"

    @property
    def is_elasticsearch(self) -> bool:
        return self.place.name.startswith("elasticsearch")

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """The answer, with numbers as they stand in it."""
        content = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.place.root + path, data=content, method=method, headers={"Content-Type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request) as reply:
                return json.loads(reply.read() or b"null", parse_float=Decimal)
        except urllib.error.HTTPError as error:
            with error:
                raise AssertionError(error.read().decode()) from None

    def make(self, properties: Mapping[str, Any], *, name: str | None = None, **more: Any) -> None:
        """Make the index; `more` are parts of the mapping, and its settings."""
        settings = {"number_of_replicas": 0, **more.pop("settings", {})}
        self._made.append(name or self.name)
        mappings = {"properties": properties, **more}
        self.ask("PUT", f"/{name or self.name}", {"settings": settings, "mappings": mappings})

    def put(self, doc_id: str, source: object, *, routing: str = "", name: str | None = None) -> None:
        """Write one document; with the routing it has."""
        if routing:
            self._routing[doc_id] = f"?routing={routing}"
        self.ask("PUT", f"/{name or self.name}/_doc/{doc_id}{self._routing.get(doc_id, '')}", source)

    def put_all(self, sources: Mapping[str, object], *, name: str | None = None) -> None:
        """Write documents in one request."""
        lines = (line for doc_id, source in sources.items() for line in ({"index": {"_id": doc_id}}, source))
        body = "".join(json.dumps(line) + "\n" for line in lines)
        assert not self.ask("POST", f"/{name or self.name}/_bulk", body.encode())["errors"]

    def change(self, doc_id: str, part: object) -> None:
        """Change a part of one document, as often as it takes."""
        routing = self._routing.get(doc_id, "").replace("?", "&")
        self.ask("POST", f"/{self.name}/_update/{doc_id}?retry_on_conflict=20{routing}", {"doc": part})

    def delete(self, doc_id: str) -> None:
        self.ask("DELETE", f"/{self.name}/_doc/{doc_id}{self._routing.get(doc_id, '')}")

    def refresh(self) -> None:
        self.ask("POST", f"/{self.name}/_refresh")

    def hits(self, name: str | None = None) -> dict[str, dict[str, Any]]:
        """Every document by its id, as the server has it."""
        self.ask("POST", f"/{name or self.name}/_refresh")
        whole: dict[str, Any] = {"size": 10_000, "query": {"match_all": {}}}
        if self.is_elasticsearch:
            whole["_source"] = {"exclude_vectors": False}
        hits = self.ask("POST", f"/{name or self.name}/_search", whole)["hits"]["hits"]
        return {hit["_id"]: hit for hit in hits}

    def sources(self) -> dict[str, Any]:
        """What the owner put into each document."""
        return {
            doc_id: {key: value for key, value in hit["_source"].items() if key != "leitong"}
            for doc_id, hit in self.hits().items()
        }

    def fingerprints(self) -> dict[str, str | None]:
        """The fingerprint of each document."""
        return {doc_id: hit["_source"].get("leitong", {}).get("fp") for doc_id, hit in self.hits().items()}

    def mapping(self) -> Any:
        (mapping,) = self.ask("GET", f"/{self.name}/_mapping").values()
        return mapping["mappings"]

    def attach(
        self,
        *text: str,
        title: str | None = None,
        watch: Callable[[AttachProgress], None] = lambda progress: None,
        pace: float | None = None,
    ) -> AttachProgress:
        options = AttachOptions(rejects=self.rejects, pace=pace)
        return attach(self.locator, text_fields=text, title_field=title, options=options, watch=watch)

    def detach(self) -> AttachProgress:
        return detach(self.locator, options=AttachOptions(rejects=self.rejects))

    def rejected(self) -> dict[str, str]:
        """Reasons by id."""
        lines = self.rejects.read_text("utf-8").splitlines() if self.rejects.exists() else []
        return {line["id"]: line["reason"] for line in map(json.loads, lines)}

    def opened(self) -> Attachment:
        return Attachment.open_attached(self.locator)

    def clean(self) -> None:
        self.place.delete([*self._made, *(f"{name}-leitong" for name in (*self._made, self.name.replace("*", "_")))])


@pytest.fixture(params=[pytest.param(name, marks=pytest.mark.servers) for name in SERVERS], scope="module")
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    yield from cleaned(had(request, request.param, tmp_path_factory.mktemp("attach")))


@pytest.fixture
def theirs(server: Place, tmp_path: Path) -> Iterator[Theirs]:
    """A name that no index has."""
    one = Theirs(server, f"their-{uuid.uuid4().hex[:10]}", tmp_path / "rejects.jsonl")
    yield one
    one.clean()


@pytest.fixture
def news(theirs: Theirs) -> Theirs:
    """Two articles that say the same, one that does not, one without a text."""
    theirs.make(
        {"headline": {"type": "text"}, "body": {"type": "text"}, "paper": {"type": "keyword"}},
        _meta={"app": "paper", "owner": {"team": 7}},
        settings={"number_of_shards": 2},
    )
    theirs.put("1", {"headline": "港珠澳大桥通车", "body": BRIDGE.format(""), "paper": "日报"}, routing="a")
    theirs.put("2", {"headline": "大桥正式通车", "body": BRIDGE.format("目前"), "paper": "晚报"}, routing="b")
    theirs.put("3", {"headline": "图书馆", "body": LIBRARY, "paper": "晚报"})
    theirs.put("4", {"headline": "没有正文", "paper": "周刊"})
    theirs.refresh()
    return theirs
