"""Reading whole documents of an index that others write to, all of them or what was written since.

Every shard numbers what is written to it. Up to the global checkpoint everything is on all its copies, whichever of
them becomes the primary, so what has a number between two checkpoints is all of what was written between them. A search
sees of that what was refreshed.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from leitong.indexer import exactjson
from leitong.indexer.engines.portion import Portion
from leitong.indexer.engines.server import limits
from leitong.indexer.engines.server.failures import AwayError
from leitong.indexer.engines.server.product import Server
from leitong.indexer.engines.server.reading import Hits, Point

T = TypeVar("T")

EVERYTHING: Final[dict[str, Any]] = {"match_all": {}}
_BYTES_AT_ONCE: Final = 6_000_000
_LARGE: Final = 100_000
_PATIENCE: Final = 60.0
"""Seconds in which another copy takes the place of one that is gone."""
_PAUSE: Final = 0.5


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of an index. An index that was made anew has another `uuid`, and begins to count anew."""

    index: str
    uuid: str
    number: int


Checkpoints = Mapping[Shard, int]
"""A sequence number for each shard of each index."""


class Reader:
    """Reads the documents behind a name."""

    def __init__(self, server: Server, name: str, *, vectors: bool = False, columns: Sequence[str] = ()) -> None:
        """`vectors`: an answer leaves them out unless they are asked for. `columns` are fields whose indexed values
        come with each document."""
        self._server = server
        self._name = name
        self._limits = limits.read(server)
        self._parts = {
            "_source": {"exclude_vectors": False} if vectors else True,
            "seq_no_primary_term": True,
            "docvalue_fields": list(columns),
        }

    @property
    def ids_at_once(self) -> int:
        """Ids that one query may have."""
        return min(500, self._limits.terms, self._limits.hits)

    def count(self) -> int:
        """Documents."""
        with closing(self._point()) as point:
            return point.search({"query": EVERYTHING, "size": 0}, counted=True).total

    def counts(self, query: Mapping[str, Any], parts: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
        """Documents of a query that are of each part as well, by the parts' names."""
        with closing(self._point()) as point:
            found = point.aggregate({"query": query, "aggs": {"parts": {"filters": {"filters": parts}}}})
        return {name: int(bucket["doc_count"]) for name, bucket in found["parts"]["buckets"].items()}

    def pages(
        self,
        query: Mapping[str, Any] = EVERYTHING,
        *,
        index: str | None = None,
        shard: int | None = None,
        most: int | None = None,
        bare: bool = False,
    ) -> Iterator[Hits]:
        """Documents of a query as they were at the last refresh, a page at a time; `bare` ones without their source."""
        at_once = min(most or self._limits.hits, self._limits.hits)
        portion = Portion(at_once, amount=None if bare else _BYTES_AT_ONCE, weigh=_weight)
        with closing(self._point(index, shard)) as point:
            yield from point.pages(query, {"_source": False} if bare else self._parts, portion)

    def checkpoints(self) -> Checkpoints:
        """Up to which number each shard has everything; a shard without a primary is left out."""
        return {shard: int(copy["seq_no"]["global_checkpoint"]) for shard, copy in self._primaries()}

    def settled(self) -> Checkpoints:
        """The same where nobody writes any more: all shards, each with all that was ever written to it."""
        wanted = self._shards()

        def ask() -> Checkpoints | None:
            numbers = {shard: copy["seq_no"] for shard, copy in self._primaries()}
            open_ = [one for one in numbers.values() if one["global_checkpoint"] != one["max_seq_no"]]
            if len(numbers) < wanted or open_:
                return None
            return {shard: int(one["max_seq_no"]) for shard, one in numbers.items()}

        return self._patiently(ask)

    def changed(self, since: Checkpoints, until: Checkpoints) -> Iterator[Hits]:
        """Every document that was written between two checkpoints, as it is now."""
        if any(last > since.get(shard, -1) for shard, last in until.items()):
            self.refresh()
        for shard, last in until.items():
            first = since.get(shard, -1)
            if last > first:
                written = {"range": {"_seq_no": {"gt": first, "lte": last}}}
                yield from self.pages(written, index=shard.index, shard=shard.number)

    def refresh(self) -> None:
        """Let readers see what was written, on every copy of every shard.

        A shard whose primary is away for long is left out of a refresh, which only the count in the answer tells.
        """

        def ask() -> bool | None:
            done = self._server.request("POST", f"/{self._name}/_refresh")["_shards"]
            return True if not done.get("failed") and done["successful"] >= len(list(self._copies())) else None

        self._patiently(ask)

    def _patiently(self, ask: Callable[[], T | None]) -> T:
        until = time.monotonic() + _PATIENCE
        while (answer := ask()) is None:
            if time.monotonic() > until:
                raise AwayError(
                    f"Parts of the index {self._name} are not there, or their copies do not catch up. Look at "
                    "GET /_cluster/health, and run again when it is yellow or green."
                )
            time.sleep(_PAUSE)
        return answer

    def _primaries(self) -> Iterator[tuple[Shard, Mapping[str, Any]]]:
        return ((shard, copy) for shard, copy in self._copies() if copy["routing"]["primary"])

    def _copies(self) -> Iterator[tuple[Shard, Mapping[str, Any]]]:
        """Every copy of every shard that is at work, with its state."""
        answer: Any = self._server.request(
            "GET",
            f"/{self._name}/_stats/docs",
            params={
                "level": "shards",
                "filter_path": "indices.*.uuid,indices.*.shards.*.seq_no,indices.*.shards.*.routing.primary",
            },
        )
        for index, one in answer.get("indices", {}).items():
            for number, copies in one.get("shards", {}).items():
                for copy in copies:
                    if "seq_no" in copy:
                        yield Shard(index, one["uuid"], int(number)), copy

    def _shards(self) -> int:
        """Shards of all the indexes, whether they are there or not."""
        answer: Any = self._server.request(
            "GET", f"/{self._name}/_settings/index.number_of_shards", params={"flat_settings": "true"}
        )
        return sum(int(one["settings"]["index.number_of_shards"]) for one in answer.values())

    def _point(self, index: str | None = None, shard: int | None = None) -> Point:
        return Point(self._server, page=self._limits.hits, index=index or self._name, shard=shard)


def _weight(hit: Mapping[str, Any]) -> int:
    try:
        return len(exactjson.dumps_as_written(hit.get("_source")))
    except TypeError:
        return _LARGE
