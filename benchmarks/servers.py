"""Real servers: indexing against the client's own bulk helper, lookups against a bare terms request."""

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from tests.servers import ELASTICSEARCH, OPENSEARCH, RunningServer, ServerUnavailableError, start

from benchmarks.index import part_of
from benchmarks.measure import SKIPPED, Figure, Options, finish, options, pinned, ratio, scale_file
from benchmarks.recall import recall
from leitong.indexer.documents import Document
from leitong.indexer.duplicates.candidates import within
from leitong.indexer.duplicates.commonness.learn import current
from leitong.indexer.engines.base import Rows
from leitong.indexer.engines.open import open_engine, open_or_create
from leitong.indexer.fingerprint.blocks import block_keys
from leitong.indexer.fingerprint.hamming import unpack
from leitong.indexer.fingerprint.recipe import load
from leitong.indexer.pipeline import IndexOptions, index
from leitong.indexer.sources.open import open_sources
from leitong.indexer.workers import fingerprint_all

_ONE_SIDE = "--one-side"
_WORKERS = 2
_REPETITIONS = 3
_WARMING = 0.05
"""So much of the collection is indexed before anything is timed: a new version compiles its loops in its first run, and
a server its own in its first minute."""
_QUESTIONS = 200
_BATCH = 100


def client(product: str, url: str) -> tuple[Any, Any]:
    """The product's own client, as its documentation makes it, and its helpers."""
    if product == "elasticsearch":
        import elasticsearch
        import elasticsearch.helpers

        return elasticsearch.Elasticsearch(url, request_timeout=300), elasticsearch.helpers
    import opensearchpy
    import opensearchpy.helpers

    return opensearchpy.OpenSearch(url, timeout=300), opensearchpy.helpers


def documents(source: str) -> Iterator[Document]:
    """The documents of the collection, read as `leitong index` reads them."""
    return (one for opened in open_sources([source]) for one in opened if isinstance(one, Document))


def bare(product: str, url: str, name: str, source: str) -> None:
    """The same documents without our fields, by the client's bulk helper."""
    ours, helpers = client(product, url)
    actions = (
        {"_index": name, "_id": one.id, "title": one.title, "text": one.text, "metadata": dict(one.metadata)}
        for one in documents(source)
    )
    for _ in helpers.streaming_bulk(ours, actions):
        pass
    ours.indices.refresh(index=name)


def with_fields(product: str, url: str, name: str, source: str) -> None:
    """What `leitong index` does."""
    engine = open_or_create(f"{url}/{name}")
    with tempfile.TemporaryDirectory() as folder:
        settings = IndexOptions(rejects=Path(folder) / "rejects.jsonl", workers=_WORKERS)
        index(engine, open_sources([source]), options=settings)
    engine.close()


def fingerprints(product: str, url: str, name: str, source: str) -> None:
    """Only the fingerprints."""
    for _ in fingerprint_all(documents(source), recipe=load("standard"), workers=_WORKERS):
        pass


SIDES: dict[str, Callable[[str, str, str, str], None]] = {
    "fingerprints": fingerprints,
    "bare": bare,
    "leitong": with_fields,
}


def one_side(name: str, *arguments: str) -> None:
    """Run one side in this process and print its seconds, and those of its computing time, children included."""
    begun = time.perf_counter()
    SIDES[name](*arguments)
    taken = time.perf_counter() - begun
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(json.dumps({"wall": taken, "cpu": sum(one.ru_utime + one.ru_stime for one in used)}))


def timed(name: str, *arguments: str) -> dict[str, float]:
    """One side in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.servers", _ONE_SIDE, name, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    values: dict[str, float] = json.loads(done.stdout)
    print(f"  {name}: {values['wall']:.1f} s, {values['cpu']:.1f} s computed", file=sys.stderr, flush=True)
    return values


def indexing(server: RunningServer, source: str, *, repetitions: int) -> dict[str, dict[str, list[float]]]:
    """Seconds of each side: by the clock, computed by it, and meanwhile by the server. The last indexes stay."""
    taken: dict[str, dict[str, list[float]]] = {name: {"wall": [], "cpu": [], "server": []} for name in SIDES}
    plain, _ = client(server.product, server.url)
    for _ in range(repetitions):
        for name in SIDES:
            plain.indices.delete(index=f"bench-{name},bench-{name}-leitong", ignore_unavailable=True)
            before = computed(plain)
            for kind, value in timed(name, server.product, server.url, f"bench-{name}", source).items():
                taken[name][kind].append(value)
            taken[name]["server"].append(computed(plain) - before)
    return taken


def computed(plain: Any) -> float:
    """Seconds the server has computed since it began."""
    nodes = plain.nodes.stats(metric="process")["nodes"].values()
    return float(sum(node["process"]["cpu"]["total_in_millis"] for node in nodes) / 1000)


def lookups(server: RunningServer) -> dict[str, list[float]]:
    """Milliseconds of a bare terms request, of a radius-3 lookup, and of one of a hundred in a batch."""
    plain, _ = client(server.product, server.url)
    engine = open_engine(f"{server.url}/bench-leitong")
    taken: dict[str, list[float]] = {"bare": [], "leitong": [], "batch": []}

    def clocked(name: str, call: Callable[[], object], parts: int = 1) -> None:
        begun = time.perf_counter()
        call()
        taken[name].append(1000 * (time.perf_counter() - begun) / parts)

    with engine.snapshot() as snapshot:
        values = np.unique(Rows.join(list(snapshot.rows()), bits=64).fingerprints, axis=0)
        asked = unpack(np.random.default_rng(20_261_121).permutation(values)[: 2 * _QUESTIONS])
        for warm in (True, False):
            if not warm:
                taken = {name: [] for name in taken}
            for value in asked[:20] if warm else asked[_QUESTIONS:]:
                clocked("bare", lambda value=value: plain.search(index="bench-leitong", body=terms(value)))  # type: ignore[misc]
                clocked("leitong", lambda value=value: within(snapshot, [value], bits=64, radius=3))  # type: ignore[misc]
        for first in range(0, len(asked) - _BATCH + 1, _BATCH):
            some = asked[first : first + _BATCH]
            clocked("batch", lambda some=some: within(snapshot, some, bits=64, radius=3), _BATCH)  # type: ignore[misc]
    engine.close()
    return taken


def terms(fingerprint: int) -> dict[str, Any]:
    """The request that somebody writes who knows the fields: a block is equal, and the fingerprint comes back."""
    blocks = block_keys(fingerprint, bits=64, radius=3).blocks
    should = [{"terms": {f"leitong.b{number}": [f"{block:04x}"]}} for number, block in enumerate(blocks)]
    query = {"bool": {"filter": [{"bool": {"should": should, "minimum_should_match": 1}}]}}
    return {"query": query, "size": 10_000, "_source": False, "docvalue_fields": ["leitong.fp"]}


def measure(chosen: Options) -> None:
    """Measure on each server that can be had, and write the result."""
    figures: list[Figure] = []
    details: dict[str, Any] = {"workers": _WORKERS, "repetitions": _REPETITIONS, "servers": {}}
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory() as beside, pinned(2):
        source = str(part_of(scale_file(), Path(name), chosen.scale))
        few = str(part_of(scale_file(), Path(beside), _WARMING * chosen.scale))
        for spec in (ELASTICSEARCH, OPENSEARCH):
            try:
                server = start(spec, heap="1g")
            except ServerUnavailableError as error:
                print(f"  without {spec.title}: {error}", file=sys.stderr)
                continue
            with server:
                indexing(server, few, repetitions=1)
                taken = indexing(server, source, repetitions=_REPETITIONS)
                asked = lookups(server)
                engine = open_engine(f"{server.url}/bench-leitong")
                with engine.snapshot() as snapshot:
                    begun = time.perf_counter()
                    current(engine, snapshot)
                    learned = time.perf_counter() - begun
                    count = snapshot.count
                engine.close()
                table = recall(client(server.product, server.url)[0], server, "bench-leitong", "bench-bare")
            expected = [sum(pair) for pair in zip(taken["fingerprints"]["cpu"], taken["bare"]["cpu"], strict=True)]
            for what, measured, target in (
                ("indexing, time against the bulk helper", ratio(taken["leitong"]["wall"], taken["bare"]["wall"]), 2.0),
                ("indexing, computing against fingerprints and helper", ratio(taken["leitong"]["cpu"], expected), 1.3),
                ("lookup within 3, against a terms request", ratio(asked["leitong"], asked["bare"]), 1.5),
                ("each of 100 lookups, the same", median(asked["batch"]) / median(asked["bare"]), 1 / 3),
            ):
                figures.append(Figure(f"{server.product}, {what}", measured, target, False, "x"))
            details["servers"][server.product] = {
                "version": server.version,
                "documents": count,
                "indexing_seconds": taken,
                "learning_seconds": learned,
                "lookup_milliseconds": {kind: round(median(times), 2) for kind, times in asked.items()},
                "methods": table,
            }
    if not details["servers"]:
        raise SystemExit(SKIPPED)
    finish("servers", figures, details, chosen)


if __name__ == "__main__":
    if sys.argv[1:2] == [_ONE_SIDE]:
        one_side(*sys.argv[2:])
    else:
        measure(options(__doc__))
