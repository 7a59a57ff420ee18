"""Reading whole documents of an index that others write to, all of them or what was written since.

Every shard numbers what is written to it. Up to the global checkpoint everything is on all its copies, so what has a
number between two checkpoints is all of what was written between them.
"""

from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any, Final

from leitong.indexer import exactjson
from leitong.indexer.engines.server import limits
from leitong.indexer.engines.server.product import Server
from leitong.indexer.engines.server.reading import Hits, Point, Portion

EVERYTHING: Final[dict[str, Any]] = {"match_all": {}}
_LARGE: Final = 100_000

Checkpoints = Mapping[tuple[str, int], int]
"""A sequence number for each shard of each index."""


class Reader:
    """Reads the documents behind a name."""

    def __init__(self, server: Server, name: str, *, vectors: bool = False) -> None:
        """`vectors`: an answer leaves them out unless they are asked for."""
        self._server = server
        self._name = name
        self._limits = limits.read(server)
        self._parts = {"_source": {"exclude_vectors": False} if vectors else True, "seq_no_primary_term": True}

    @property
    def ids_at_once(self) -> int:
        """Ids that one query may have."""
        return min(500, self._limits.terms, self._limits.hits)

    def count(self) -> int:
        """Documents."""
        with closing(self._point()) as point:
            return point.search({"query": EVERYTHING, "size": 0}, counted=True).total

    def pages(
        self,
        query: Mapping[str, Any] = EVERYTHING,
        *,
        index: str | None = None,
        shard: int | None = None,
        most: int | None = None,
        bare: bool = False,
    ) -> Iterator[Hits]:
        """Documents of a query as they are now, a page at a time; `bare` ones without their source."""
        at_once = min(most or self._limits.hits, self._limits.hits)
        portion = Portion(at_once) if bare else Portion(at_once, _weight)
        with closing(self._point(index, shard)) as point:
            yield from point.pages(query, {"_source": False} if bare else self._parts, portion)

    def checkpoints(self) -> Checkpoints:
        """Up to which number each shard has everything."""
        answer: Any = self._server.request(
            "GET",
            f"/{self._name}/_stats/docs",
            params={"level": "shards", "filter_path": "indices.*.shards.*.seq_no,indices.*.shards.*.routing.primary"},
        )
        return {
            (index, int(number)): int(copy["seq_no"]["global_checkpoint"])
            for index, shards in answer.get("indices", {}).items()
            for number, copies in shards["shards"].items()
            for copy in copies
            if copy["routing"]["primary"]
        }

    def changed(self, since: Checkpoints, until: Checkpoints) -> Iterator[Hits]:
        """Every document that was written between two checkpoints, as it is now."""
        if any(last > since.get(shard, -1) for shard, last in until.items()):
            self.refresh()
        for (index, number), last in until.items():
            first = since.get((index, number), -1)
            if last > first:
                written = {"range": {"_seq_no": {"gt": first, "lte": last}}}
                yield from self.pages(written, index=index, shard=number)

    def refresh(self) -> None:
        """Let readers see what was written."""
        self._server.request("POST", f"/{self._name}/_refresh")

    def _point(self, index: str | None = None, shard: int | None = None) -> Point:
        return Point(self._server, page=self._limits.hits, index=index or self._name, shard=shard)


def _weight(hit: Mapping[str, Any]) -> int:
    try:
        return len(exactjson.dumps_as_written(hit.get("_source")))
    except TypeError:
        return _LARGE
