"""On three nodes every command prints what it prints on a folder, be the index ours or another program's."""

from __future__ import annotations

import gzip
import json
import urllib.request
from itertools import islice
from pathlib import Path

import pytest

from tests.cli.running import here, write_jsonl
from tests.cli.sides import Both, Side, plain
from tests.engines.places import NEWS, needs_client
from tests.servers import RunningCluster

pytestmark = [pytest.mark.servers, pytest.mark.slow]


@pytest.fixture(params=["elasticsearch_cluster", "opensearch_cluster"])
def cluster(request: pytest.FixtureRequest) -> RunningCluster:
    if request.param == "elasticsearch_cluster":
        needs_client(9)
    running: RunningCluster = request.getfixturevalue(request.param)
    return running


def send(cluster: RunningCluster, method: str, path: str, body: str = "") -> None:
    request = urllib.request.Request(
        cluster.url + path, data=body.encode() or None, method=method, headers={"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as reply:
        assert not json.loads(reply.read()).get("errors")


def reported(both: Both) -> None:
    """Answer, files and summary of a report."""
    both.json("report", "-o", "out", "--radius", "7", "--format", "jsonl,csv")
    folders = [side.cwd / "out" for side in (both.folder, both.server)]
    for name in ("pairs.jsonl", "clusters.jsonl", "pairs.csv", "clusters.csv"):
        one, other = ((folder / name).read_bytes() for folder in folders)
        assert one == other
        assert len(one) > 100
    one_summary, other_summary = (plain(json.loads((folder / "summary.json").read_text())) for folder in folders)
    assert one_summary == other_summary


def test_index_search_similar_report_and_attach(cluster: RunningCluster, data: Path, tmp_path: Path) -> None:
    with gzip.open(data / "zh-webnews-2018" / "docs.jsonl.gz") as file:
        news = [json.loads(line) for line in islice(file, NEWS)]
    hosts = f"http://{','.join(url.removeprefix('http://') for url in cluster.urls)}"
    folder, ours = Side(tmp_path / "folder", "ix"), Side(tmp_path / "server", f"{hosts}/cli-news")
    for side in (folder, ours):
        side.cwd.mkdir()
        write_jsonl(side.cwd / "news.jsonl", news)
    settings = json.dumps({"settings": {"number_of_shards": 3, "number_of_replicas": 1}})
    send(cluster, "PUT", "/cli-papers", settings)
    try:
        both = Both(folder, ours)
        assert both.json("index", "news.jsonl")["indexed"] == NEWS
        assert both.json("info")["documents"] == NEWS
        for words in ("图书馆", "北京 天气", '"人工智能"', "美食 -美国", "title:高考"):
            both.json("search", words, "--size", "2000")
        asked = [one["id"] for one in news[:: NEWS // 12]]
        for doc_id in asked:
            both.json("similar", doc_id, "--radius", "7")
        reported(both)

        for start in range(0, NEWS, 1_000):
            lines = (
                line
                for one in news[start : start + 1_000]
                for line in ({"index": {"_id": one["id"]}}, {"headline": one["title"], "body": one["text"]})
            )
            body = "".join(json.dumps(line) + "\n" for line in lines)
            send(cluster, "POST", "/cli-papers/_bulk", body)
        theirs = Side(ours.cwd, f"{hosts}/cli-papers")
        fields = ("--text-field", "body", "--title-field", "headline")
        assert here("attach", theirs.locator, *fields, "--json", cwd=theirs.cwd).json["attached"] == NEWS
        both = Both(folder, theirs)
        for doc_id in asked:
            both.json("similar", doc_id, "--radius", "7")
        reported(both)
        assert here("detach", theirs.locator, "--json", cwd=theirs.cwd).json["detached"] == NEWS
    finally:
        for name in ("cli-papers", "cli-papers-leitong", "cli-news", "cli-news-leitong"):
            send(cluster, "DELETE", f"/{name}?ignore_unavailable=true")
