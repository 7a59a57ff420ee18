"""Reading one state of an index to its end: a point in time, page by page, with no window that cuts an answer off.

A slice of as many as there are shards is one shard, and within a shard the order of documents is fixed while the point
is open. So every page begins after the last document of the one before it, on both products and in every version.
"""

import contextlib
import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from leitong.indexer.engines.lost import LostStateError
from leitong.indexer.engines.portion import Portion
from leitong.indexer.engines.server.failures import AwayError, TooMuchError
from leitong.indexer.engines.server.product import KEEP, Server
from leitong.indexer.engines.server.queries import FINGERPRINTED
from leitong.indexer.errors import EngineError, MissingIndexError
from leitong.indexer.threads import threaded

Hits = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Found:
    """Some hits and how many there are in all."""

    total: int
    hits: Hits


_SHARDS_AT_ONCE: Final = 4


class Point:
    """One state of an index, kept by the server until it is closed or left alone for half an hour."""

    def __init__(self, server: Server, *, page: int, index: str | None = None, shard: int | None = None) -> None:
        """`page` is the most hits of one request. A `shard` narrows it to that one."""
        self._server = server
        self._page = page
        try:
            self._name = server.open_point(index or server.locator.index, shard=shard)
        except AwayError as error:
            raise LostStateError(str(error)) from None
        self._shape: tuple[int, int] | None = None

    @property
    def count(self) -> int:
        """Documents with a fingerprint."""
        return self._counted()[0]

    def search(self, body: Mapping[str, Any], *, counted: bool = False) -> Found:
        """The answer to one request."""
        answer = self._ask({**body, "track_total_hits": counted})
        return Found(answer["hits"]["total"]["value"] if counted else 0, answer["hits"]["hits"])

    def aggregate(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """The aggregations of one request, by name."""
        answer = self._ask({**body, "size": 0, "track_total_hits": False})
        found: Mapping[str, Any] = answer["aggregations"]
        return found

    def all(self, query: Mapping[str, Any], parts: Mapping[str, Any]) -> Hits:
        """Every hit; in one request where that is enough."""
        body = {"query": query, "sort": ["_doc"], **parts}
        found = self.search({**body, "size": self._page}, counted=True)
        if len(found.hits) == found.total:
            return found.hits
        hits = [hit for page in self.pages(query, parts) for hit in page]
        if len(hits) != found.total:
            raise EngineError(f"{self._server.locator} gave {len(hits)} of {found.total} documents. Run again.")
        return hits

    def pages(
        self, query: Mapping[str, Any], parts: Mapping[str, Any], portion: Portion | None = None
    ) -> Iterator[Hits]:
        """Every hit, in pages, each document once."""
        for number in range(self._counted()[1]):
            yield from self._slice({"query": query, "sort": ["_doc"], **parts}, number, portion)

    def pages_of_shards(self, query: Mapping[str, Any], parts: Mapping[str, Any]) -> Iterator[Hits]:
        """Every hit, in pages in no particular order: several shards are read at once."""
        body = {"query": query, "sort": ["_doc"], **parts}
        tasks = [partial(self._slice, body, number) for number in range(self._counted()[1])]
        yield from threaded(tasks, threads=min(_SHARDS_AT_ONCE, len(tasks)))

    def ranked(self, query: Mapping[str, Any], parts: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """Every hit, the best first, however many there are; equal ones in the order of a plain search."""

        def best(number: int) -> Iterator[tuple[float, int, int, Mapping[str, Any]]]:
            place = 0
            for page in self._slice({"query": query, "sort": ["_score", "_doc"], **parts}, number):
                for hit in page:
                    yield -float(hit["sort"][0]), number, place, hit
                    place += 1

        streams = [best(number) for number in range(self._counted()[1])]
        for _, _, _, hit in heapq.merge(*streams, key=lambda one: one[:3]):
            yield hit

    def close(self) -> None:
        """Give it back. A server that does not answer forgets it by itself."""
        with contextlib.suppress(EngineError):
            self._server.close_point(self._name)

    def _slice(self, body: Mapping[str, Any], number: int, portion: Portion | None = None) -> Iterator[Hits]:
        shards = self._counted()[1]
        part = {"slice": {"id": number, "max": shards}} if shards > 1 else {}
        after: dict[str, Any] = {}
        portion = portion or Portion(self._page)
        while True:
            size = portion.size
            try:
                hits = self.search({**body, **part, **after, "size": size}).hits
            except TooMuchError:
                if not portion.less():
                    raise
                continue
            portion.seen(hits)
            if hits:
                yield hits
            if len(hits) < size:
                return
            after = {"search_after": hits[-1]["sort"]}

    def _counted(self) -> tuple[int, int]:
        """Documents and shards."""
        if self._shape is None:
            answer = self._ask({"query": FINGERPRINTED, "size": 0, "track_total_hits": True})
            self._shape = (int(answer["hits"]["total"]["value"]), int(answer["_shards"]["total"]))
        return self._shape

    def _ask(self, body: Mapping[str, Any]) -> Any:
        try:
            answer = self._server.request(
                "POST",
                "/_search",
                body={**body, "pit": {"id": self._name, "keep_alive": KEEP}},
                params={"allow_partial_search_results": "false"},
            )
        except AwayError as error:
            raise LostStateError(str(error)) from None
        except MissingIndexError:
            raise LostStateError(
                f"What was read of {self._server.locator} is gone: an index was deleted, or another took over its "
                "name. Run again."
            ) from None
        if answer.get("timed_out") or answer["_shards"].get("failed"):
            raise LostStateError(f"{self._server.locator} gave a part of the answer only. Run again.")
        self._name = answer.get("pit_id", self._name)
        return answer
