"""Three nodes, one replica: real news give what they give on a folder, though a node dies meanwhile.

`index`, `attach` and `detach` each lose a node that holds a primary shard, by `kill -9`.
"""

from __future__ import annotations

import gzip
import json
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, TypeVar

import pytest

from leitong.indexer import Index, open_index
from leitong.indexer.attaching import attach, detach
from leitong.indexer.attachruns import AttachOptions
from leitong.indexer.documents import Document, StoredDocument
from leitong.indexer.duplicates.found import Report
from leitong.indexer.pipeline import IndexOptions, Progress
from leitong.indexer.search import SearchResult
from leitong.indexer.similar import SimilarResult
from leitong.indexer.sources.open import open_sources
from tests.cli.running import Made
from tests.engines.places import NEWS, needs_client
from tests.servers import RunningCluster

pytestmark = [pytest.mark.servers, pytest.mark.slow]

T = TypeVar("T")

NAME = "news"
THEIRS = "papers"
KILLED_AT = 4_000
SETTINGS = {"number_of_shards": 3, "number_of_replicas": 1}


def ask(cluster: RunningCluster, method: str, path: str, body: Any = None) -> Any:
    content = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        cluster.url + path,
        data=content,
        method=method,
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as reply:
        return json.loads(reply.read())


def news(data: Path) -> Path:
    source = data / "zh-webnews-2018" / "docs.jsonl.gz"
    if not source.is_file():
        pytest.skip("zh-webnews-2018 is absent")
    return source


def index_news(index: Index, data: Path, folder: Path, watch: Any = lambda progress: None) -> Progress:
    options = IndexOptions(rejects=folder / "rejects.jsonl", workers=1)
    return index.index(open_sources([str(news(data))]), options=options, watch=watch)


def everything(index: Index) -> dict[str, StoredDocument]:
    """All documents by id, each found once by reading every row."""
    with index._engine.snapshot() as snapshot:
        found = [stored for rows in snapshot.rows() for stored in snapshot.documents(rows.refs)]
        assert len(found) == snapshot.count
    by_id = {stored.document.id: stored for stored in found}
    assert len(by_id) == len(found), "a document is there twice"
    return by_id


@dataclass(frozen=True)
class Folder:
    """The news in a folder. What it answers once it is not asked again for the next cluster."""

    index: Index
    _answers: dict[Any, Any] = field(default_factory=dict)

    def once(self, ask: Callable[[Index], T], *of: object) -> T:
        """What `ask` gets of the index; `of` tells this question from others."""
        if of not in self._answers:
            self._answers[of] = ask(self.index)
        answer: T = self._answers[of]
        return answer


@pytest.fixture(scope="module")
def folder(indexed_news: Made) -> Iterator[Folder]:
    with open_index(indexed_news.cwd / indexed_news.index) as index:
        yield Folder(index)


@pytest.fixture(scope="module")
def stored(folder: Folder) -> dict[str, StoredDocument]:
    """Every document of it."""
    return everything(folder.index)


class Watched(Protocol):
    """How far a run is."""

    @property
    def documents(self) -> int: ...


@dataclass
class Killed:
    """Kills the node that holds a primary shard of an index, once, when enough documents were dealt with."""

    cluster: RunningCluster
    index: str = NAME
    after: int = KILLED_AT
    node: int | None = None
    at: int = 0

    def watch(self, progress: Watched) -> None:
        if self.node is None and progress.documents >= self.after:
            shards = ask(self.cluster, "GET", f"/_cat/shards/{self.index}?format=json")
            named = next(shard["node"] for shard in shards if shard["prirep"] == "p")
            self.node = next(number for number in self.cluster.alive if self.cluster.node_name(number) == named)
            self.at = progress.documents
            self.cluster.kill(self.node)

    def restart(self) -> None:
        """Let the node come back."""
        assert self.node is not None
        assert len(self.cluster.alive) == 2
        self.cluster.restart(self.node)
        assert self.cluster.wait_for(status="green")


@pytest.fixture(scope="module", params=["elasticsearch_cluster", "opensearch_cluster"])
def cluster(request: pytest.FixtureRequest) -> RunningCluster:
    if request.param == "elasticsearch_cluster":
        needs_client(9)
    running: RunningCluster = request.getfixturevalue(request.param)
    return running


def locator(cluster: RunningCluster, name: str) -> str:
    """An index by all hosts of the cluster."""
    return f"http://{','.join(url.removeprefix('http://') for url in cluster.urls)}/{name}"


@dataclass(frozen=True)
class Survivor:
    """The news on a cluster that lost a node meanwhile and has it back, and what the run said."""

    index: Index
    progress: Progress
    killed: Killed


@pytest.fixture(scope="module")
def survivor(cluster: RunningCluster, data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Survivor]:
    ask(cluster, "PUT", "/_index_template/news", {"index_patterns": [NAME], "template": {"settings": SETTINGS}})
    with open_index(locator(cluster, NAME), create=True) as index:
        assert cluster.wait_for(status="green")
        killed = Killed(cluster)
        progress = index_news(index, data, tmp_path_factory.mktemp("rejects"), killed.watch)
        killed.restart()
        yield Survivor(index, progress, killed)
    for name in (NAME, f"{NAME}-leitong", "_index_template/news"):
        ask(cluster, "DELETE", f"/{name}")


def test_every_document_is_there_once(survivor: Survivor, stored: dict[str, StoredDocument]) -> None:
    assert survivor.killed.at < survivor.progress.indexed
    assert survivor.progress.rejected == 0
    there = everything(survivor.index)
    assert len(there) == survivor.progress.indexed == survivor.index.info().documents
    assert there == stored


@pytest.mark.parametrize("words", ["图书馆", "天气 北京", '"人工智能技术"', "美食 -美国", "title:高考"])
def test_searches_answer_as_on_a_folder(survivor: Survivor, folder: Folder, words: str) -> None:
    def ask(index: Index) -> SearchResult:
        return index.search(words, size=2_000)

    one, other = folder.once(ask, "search", words), ask(survivor.index)
    assert 0 < one.total == other.total < 2_000
    assert {hit.id: (hit.snippet, hit.duplicates) for hit in one.hits} == {
        hit.id: (hit.snippet, hit.duplicates) for hit in other.hits
    }


@pytest.mark.parametrize("radius", [None, 7, 11])
def test_similar_documents_are_those_of_a_folder(
    survivor: Survivor, folder: Folder, stored: dict[str, StoredDocument], radius: int | None
) -> None:
    ids = sorted(stored)[::300]
    assert len(ids) > 30

    def ask(index: Index) -> list[SimilarResult]:
        return [index.similar(doc_id, radius=radius) for doc_id in ids]

    assert folder.once(ask, "similar", radius) == ask(survivor.index)


def test_the_report_is_that_of_a_folder(survivor: Survivor, folder: Folder) -> None:
    def ask(index: Index) -> Report:
        return index.report(radius=7)

    one, other = folder.once(ask, "report"), ask(survivor.index)
    assert len(one.pairs) > 1_000
    assert list(one.pairs) == list(other.pairs)
    assert one.clusters == other.clusters
    assert one.compared == other.compared


def sources(cluster: RunningCluster, ids: Sequence[str]) -> dict[str, Any]:
    """Documents of the owner's index as the server has them, whatever a search can see."""
    found: dict[str, Any] = {}
    for start in range(0, len(ids), 1_000):
        answer = ask(cluster, "POST", f"/{THEIRS}/_mget", {"ids": ids[start : start + 1_000]})
        found |= {one["_id"]: one["_source"] for one in answer["docs"] if one["found"]}
    return found


def test_attach_and_detach(cluster: RunningCluster, data: Path, tmp_path: Path) -> None:
    """The owner writes with the server's own bulk requests, and no search has seen any of it yet."""
    with gzip.open(news(data)) as file:
        theirs = {
            one["id"]: {"headline": one["title"], "body": one["text"]} for one in map(json.loads, islice(file, NEWS))
        }
    ask(cluster, "PUT", f"/{THEIRS}", {"settings": {**SETTINGS, "refresh_interval": "-1"}})
    try:
        ids = list(theirs)
        for start in range(0, len(ids), 1_000):
            some = ids[start : start + 1_000]
            body = "".join(json.dumps(line) + "\n" for one in some for line in ({"index": {"_id": one}}, theirs[one]))
            assert not ask(cluster, "POST", f"/{THEIRS}/_bulk", body.encode())["errors"]
        assert cluster.wait_for(status="green")
        options = AttachOptions(rejects=tmp_path / "rejects.jsonl")

        killed = Killed(cluster, THEIRS, NEWS // 3)
        where = locator(cluster, THEIRS)
        done = attach(where, text_fields=["body"], title_field="headline", options=options, watch=killed.watch)
        assert killed.after <= killed.at < done.documents
        assert (done.written + done.unchanged, done.documents) == (len(theirs), len(theirs))
        killed.restart()
        with open_index(tmp_path / "folder", create=True) as folder, open_index(where) as index:
            folder.add([Document(doc_id, one["body"], one["headline"]) for doc_id, one in theirs.items()])
            one, other = (opened.report(radius=7) for opened in (folder, index))
            assert list(one.pairs) == list(other.pairs)
            assert one.clusters == other.clusters
            for doc_id in sorted(theirs)[::100]:
                assert folder.similar(doc_id) == index.similar(doc_id)

        killed = Killed(cluster, THEIRS, NEWS // 3)
        done = detach(where, options=options, watch=killed.watch)
        assert killed.after <= killed.at < done.documents
        assert done.documents == len(theirs)
        killed.restart()
        assert sources(cluster, ids) == theirs
        assert not (tmp_path / "rejects.jsonl").exists()
    finally:
        for name in (THEIRS, f"{THEIRS}-leitong"):
            ask(cluster, "DELETE", f"/{name}?ignore_unavailable=true")
