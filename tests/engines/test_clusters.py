"""Three nodes, one replica: real news give what they give on a folder, though a node dies meanwhile."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from leitong.indexer import Index, open_index
from leitong.indexer.documents import StoredDocument
from leitong.indexer.pipeline import IndexOptions, Progress
from leitong.indexer.sources.open import open_sources
from tests.engines.places import needs_client
from tests.servers import RunningCluster

pytestmark = [pytest.mark.servers, pytest.mark.slow]

NAME = "news"
KILLED_AT = 4_000


def ask(cluster: RunningCluster, method: str, path: str, body: Any = None) -> Any:
    request = urllib.request.Request(
        cluster.url + path,
        data=None if body is None else json.dumps(body).encode(),
        method=method,
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as reply:
        return json.loads(reply.read())


def index_news(index: Index, data: Path, folder: Path, watch: Any = lambda progress: None) -> Progress:
    source = data / "zh-webnews-2018" / "docs.jsonl.gz"
    if not source.is_file():
        pytest.skip("zh-webnews-2018 is absent")
    options = IndexOptions(rejects=folder / "rejects.jsonl", workers=1)
    return index.index(open_sources([str(source)]), options=options, watch=watch)


def everything(index: Index) -> dict[str, StoredDocument]:
    """All documents by id, each found once by reading every row."""
    with index._engine.snapshot() as snapshot:
        found = [stored for rows in snapshot.rows() for stored in snapshot.documents(rows.refs)]
        assert len(found) == snapshot.count
    by_id = {stored.document.id: stored for stored in found}
    assert len(by_id) == len(found), "a document is there twice"
    return by_id


@pytest.fixture(scope="module")
def folder(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """The news in a folder."""
    path = tmp_path_factory.mktemp("news")
    with open_index(path / "index", create=True) as index:
        index_news(index, data, path)
        yield index


@dataclass
class Killed:
    """Kills the node that holds a primary shard, once, when enough documents are on their way."""

    cluster: RunningCluster
    node: int | None = None
    at: int = 0

    def watch(self, progress: Progress) -> None:
        if self.node is None and progress.indexed >= KILLED_AT:
            shards = ask(self.cluster, "GET", f"/_cat/shards/{NAME}?format=json")
            named = next(shard["node"] for shard in shards if shard["prirep"] == "p")
            self.node = next(number for number in self.cluster.alive if self.cluster.node_name(number) == named)
            self.at = progress.indexed
            self.cluster.kill(self.node)


@dataclass(frozen=True)
class Survivor:
    """The news on a cluster that lost a node meanwhile and has it back, and what the run said."""

    index: Index
    progress: Progress
    killed: Killed


@pytest.fixture(scope="module", params=["elasticsearch_cluster", "opensearch_cluster"])
def survivor(
    request: pytest.FixtureRequest, data: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Survivor]:
    if request.param == "elasticsearch_cluster":
        needs_client(9)
    cluster: RunningCluster = request.getfixturevalue(request.param)
    settings = {"number_of_shards": 3, "number_of_replicas": 1}
    ask(cluster, "PUT", "/_index_template/news", {"index_patterns": [NAME], "template": {"settings": settings}})
    hosts = ",".join(url.removeprefix("http://") for url in cluster.urls)
    with open_index(f"http://{hosts}/{NAME}", create=True) as index:
        assert cluster.wait_for(status="green")
        killed = Killed(cluster)
        progress = index_news(index, data, tmp_path_factory.mktemp("rejects"), killed.watch)
        assert killed.node is not None
        assert len(cluster.alive) == 2
        cluster.restart(killed.node)
        assert cluster.wait_for(status="green")
        yield Survivor(index, progress, killed)
    for name in (NAME, f"{NAME}-leitong", "_index_template/news"):
        ask(cluster, "DELETE", f"/{name}")


def test_every_document_is_there_once(survivor: Survivor, folder: Index) -> None:
    assert survivor.killed.at < survivor.progress.indexed
    assert survivor.progress.rejected == 0
    there = everything(survivor.index)
    assert len(there) == survivor.progress.indexed == survivor.index.info().documents
    assert there == everything(folder)


@pytest.mark.parametrize("words", ["图书馆", "天气 北京", '"人工智能技术"', "美食 -美国", "title:高考"])
def test_search(survivor: Survivor, folder: Index, words: str) -> None:
    one, other = (index.search(words, size=2_000) for index in (folder, survivor.index))
    assert 0 < one.total == other.total < 2_000
    assert {hit.id: (hit.snippet, hit.duplicates) for hit in one.hits} == {
        hit.id: (hit.snippet, hit.duplicates) for hit in other.hits
    }


@pytest.mark.parametrize("radius", [None, 7, 11])
def test_similar(survivor: Survivor, folder: Index, radius: int | None) -> None:
    ids = sorted(everything(folder))[::300]
    assert len(ids) > 30
    for doc_id in ids:
        assert folder.similar(doc_id, radius=radius) == survivor.index.similar(doc_id, radius=radius)


def test_report(survivor: Survivor, folder: Index) -> None:
    one, other = (index.report(radius=7) for index in (folder, survivor.index))
    assert len(one.pairs) > 1_000
    assert list(one.pairs) == list(other.pairs)
    assert one.clusters == other.clusters
    assert one.compared == other.compared
