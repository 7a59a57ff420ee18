"""An index on a server: what `base` asks for, the same on both products."""

from collections.abc import Callable
from contextlib import closing
from functools import cached_property
from typing import Any

from leitong.indexer.closing import closed_on_error
from leitong.indexer.engines.base import Engine, IndexInfo
from leitong.indexer.engines.server import header, limits
from leitong.indexer.engines.server.connect import connect
from leitong.indexer.engines.server.credentials import Signer
from leitong.indexer.engines.server.header import Header
from leitong.indexer.engines.server.limits import Limits
from leitong.indexer.engines.server.locator import parse
from leitong.indexer.engines.server.notes import Notes
from leitong.indexer.engines.server.product import Server
from leitong.indexer.engines.server.snapshot import ServerSnapshot
from leitong.indexer.engines.server.writer import ServerWriter
from leitong.indexer.fingerprint.recipe import Recipe


class ServerEngine(Engine):
    """An index on Elasticsearch or OpenSearch."""

    def __init__(self, server: Server, head: Header) -> None:
        self._server = server
        self._header = head
        self._notes = Notes(server, head.companion)

    @classmethod
    def open(cls, locator: str, *, signer: Signer | None = None) -> "ServerEngine":
        """Open an index that is there. Raises an EngineError that says why it cannot be opened."""
        with closed_on_error(connect(parse(locator), signer=signer)) as server:
            return cls(server, header.read(server))

    @classmethod
    def create(cls, locator: str, *, recipe: Recipe, recipe_id: str, signer: Signer | None = None) -> "ServerEngine":
        """Make an empty index. Raises an EngineError where that cannot be."""
        with closed_on_error(connect(parse(locator), signer=signer)) as server:
            return cls(server, header.create(server, recipe, recipe_id))

    @staticmethod
    def exists(locator: str, *, signer: Signer | None = None) -> bool:
        """Whether there is an index of this name, ours or not."""
        with closing(connect(parse(locator), signer=signer)) as server:
            return header.exists(server)

    @property
    def locator(self) -> str:
        return str(self._server.locator)

    @property
    def recipe(self) -> Recipe:
        return self._header.recipe

    @property
    def recipe_id(self) -> str:
        return self._header.recipe_id

    def info(self) -> IndexInfo:
        with self.snapshot() as snapshot:
            count = snapshot.count
        return IndexInfo(
            locator=self.locator,
            engine=self._server.product,
            engine_version=f"{self._server.title} {self._server.version}",
            documents=count,
            size_bytes=self._size(),
            format=self._header.mapping_version,
            recipe=self.recipe,
            recipe_id=self.recipe_id,
            created=self._header.created,
            attached=self._header.layout.attached,
        )

    def snapshot(self) -> ServerSnapshot:
        return ServerSnapshot(self._server, self._header, self._limits)

    def writer(self) -> ServerWriter:
        return ServerWriter(self._server, self._header, self.snapshot)

    def read_note(self, name: str) -> bytes | None:
        return self._notes.read(name)

    def write_note(self, name: str, content: bytes) -> None:
        self._notes.write(name, content)

    def change_note(self, name: str, change: Callable[[bytes | None], bytes]) -> None:
        self._notes.change(name, change)

    def close(self) -> None:
        self._server.close()

    @cached_property
    def _limits(self) -> Limits:
        return limits.read(self._server)

    def _size(self) -> int | None:
        """Bytes of the index and its companion, with all their copies; None where we may not know."""
        names = f"{self._server.locator.index},{self._header.companion}"
        answer: Any = self._server.request(
            "GET",
            f"/{names}/_stats/store",
            params={"ignore_unavailable": "true", "expand_wildcards": "all"},
            allow=(403,),
        )
        if "error" in answer:
            return None
        return int(answer["_all"]["total"]["store"]["size_in_bytes"])
