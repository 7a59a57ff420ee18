"""Ways to near documents on a server, side by side: what each finds of what brute force finds, how fast, how large."""

import sys
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.servers import RunningServer

from leitong.indexer.duplicates.candidates import within
from leitong.indexer.engines.base import Rows, Snapshot
from leitong.indexer.engines.open import open_engine
from leitong.indexer.fingerprint.hamming import distances, to_hex, unpack

QUESTIONS = 200
_RADII = (3, 7, 11)
_NEAREST = 100
_CANDIDATES = 1_000
_VECTORS = "bench-vectors"

Finds = Callable[[str, int], set[str]]


def recall(plain: Any, server: RunningServer, ours: str, theirs: str) -> list[dict[str, Any]]:
    """A row for each method: recall at each radius, latency, bytes of the index it needs.

    `ours` has our fields, `theirs` the same documents without them, analysed as the server does by itself. Of the
    answers of the other methods the first 100 count. Recall is a mean over the questions that have an answer.
    """
    size = {index: _bytes(plain, index) for index in (ours, theirs)}  # a snapshot would keep what is merged
    engine = open_engine(f"{server.url}/{ours}")
    with engine.snapshot() as snapshot:
        rows = Rows.join(list(snapshot.rows()), bits=64)
        questions = np.random.default_rng(7).permutation(np.flatnonzero(rows.features > 0))[:QUESTIONS]
        truth = {radius: [_near(rows, place, radius) for place in questions] for radius in _RADII}
        methods: dict[str, tuple[Finds, str]] = {
            f"blocks, radius {radius}": (_blocks(snapshot, radius), ours) for radius in _RADII
        }
        methods["more_like_this"] = (_more_like_this(plain, theirs), theirs)
        if server.product == "elasticsearch":  # the build of OpenSearch on Maven has no vectors
            _fill(plain, server, rows)
            size[_VECTORS] = _bytes(plain, _VECTORS)
            methods["bit vectors, HNSW"] = (_vectors(plain), _VECTORS)
        table = []
        for name, (find, index) in methods.items():
            found: list[set[str]] = []
            taken: list[float] = []
            for place, value in zip(questions, unpack(rows.fingerprints[questions]), strict=True):
                begun = time.perf_counter()
                found.append(find(rows.refs[place], value))
                taken.append(1000 * (time.perf_counter() - begun))
            table.append(
                {
                    "method": name,
                    "recall": {radius: _recall(truth[radius], found) for radius in _RADII},
                    "milliseconds_p50": round(median(taken), 2),
                    "milliseconds_p99": round(float(np.quantile(taken, 0.99)), 2),
                    "index_bytes": size[index],
                }
            )
            print(f"  {server.product}: {table[-1]}", file=sys.stderr, flush=True)
    engine.close()
    return table


def _near(rows: Rows, place: int, radius: int) -> set[str]:
    """The others within the radius, by comparing with every fingerprint."""
    away = distances(rows.fingerprints, rows.fingerprints[place : place + 1])
    near: NDArray[np.int64] = np.flatnonzero((away <= radius) & (rows.features > 0))
    return set(rows.refs[near].tolist()) - {rows.refs[place]}


def _recall(truth: list[set[str]], found: list[set[str]]) -> float | None:
    parts = [len(wanted & got) / len(wanted) for wanted, got in zip(truth, found, strict=True) if wanted]
    return round(sum(parts) / len(parts), 4) if parts else None


def _blocks(snapshot: Snapshot, radius: int) -> Finds:
    return lambda name, value: set(within(snapshot, [value], bits=64, radius=radius)[0].rows.refs.tolist())


def _more_like_this(plain: Any, index: str) -> Finds:
    def find(name: str, value: int) -> set[str]:
        like = {"fields": ["title", "text"], "like": [{"_index": index, "_id": name}]}
        body = {"query": {"more_like_this": like}, "size": _NEAREST, "_source": False}
        return {hit["_id"] for hit in plain.search(index=index, body=body)["hits"]["hits"]}

    return find


def _vectors(plain: Any) -> Finds:
    def find(name: str, value: int) -> set[str]:
        knn = {"field": "fp", "query_vector": to_hex(value, 64), "k": _NEAREST, "num_candidates": _CANDIDATES}
        body = {"knn": knn, "size": _NEAREST, "_source": False}
        return {hit["_id"] for hit in plain.search(index=_VECTORS, body=body)["hits"]["hits"]}

    return find


def _fill(plain: Any, server: RunningServer, rows: Rows) -> None:
    """An index of the fingerprints as bit vectors."""
    from elasticsearch.helpers import streaming_bulk

    plain.indices.delete(index=_VECTORS, ignore_unavailable=True)
    vector = {"type": "dense_vector", "element_type": "bit", "dims": 64, "index": True, "similarity": "l2_norm"}
    plain.indices.create(index=_VECTORS, body={"mappings": {"properties": {"fp": vector}}})

    def actions() -> Iterator[dict[str, Any]]:
        for name, value in zip(rows.refs.tolist(), unpack(rows.fingerprints), strict=True):
            yield {"_index": _VECTORS, "_id": name, "fp": to_hex(value, 64)}

    for _ in streaming_bulk(plain, actions()):
        pass


def _bytes(plain: Any, index: str) -> int:
    """Bytes of an index in one segment."""
    plain.indices.forcemerge(index=index, max_num_segments=1)
    plain.indices.refresh(index=index)  # until then the old segments are read, and kept
    plain.indices.flush(index=index, force=True)
    return int(plain.indices.stats(index=index, metric="store")["_all"]["primaries"]["store"]["size_in_bytes"])
