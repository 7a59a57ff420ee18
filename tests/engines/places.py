"""Where the contract suite keeps its indexes: one place for each engine, a few lines each."""

from __future__ import annotations

import contextlib
import os
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from leitong.indexer.engines.base import Engine
from leitong.indexer.engines.open import open_or_create
from leitong.indexer.fingerprint.recipe import Recipe

NEWS = int(os.environ.get("LEITONG_TEST_NEWS", "1200"))
"""Articles of zh-webnews-2018, which has 11,743, that go through what takes long on a cluster."""

_NAMES_AT_ONCE = 60
"""A URL may have 4,096 bytes."""

UNCOMMITTED_IS_HIDDEN = "what is not committed is not seen"
DISCARDS = "what is not committed is discarded"


@dataclass
class Place:
    """Makes indexes of one engine and removes them at the end. `cannot` names what the engine is known not to do."""

    name: str
    root: str
    cannot: frozenset[str] = frozenset()
    _open: list[Engine] = field(default_factory=list)
    _indexes: list[str] = field(default_factory=list)

    @property
    def is_server(self) -> bool:
        return self.root.startswith("http")

    def locator(self) -> str:
        """A name that no index has."""
        name = f"contract-{uuid.uuid4().hex[:12]}"
        self._indexes.append(name)
        return f"{self.root}/{name}"

    def make(self, recipe: Recipe | None = None, *, locator: str | None = None) -> Engine:
        engine = open_or_create(locator or self.locator(), recipe=recipe)
        self._open.append(engine)
        return engine

    def request(self, method: str, path: str, body: bytes | None = None) -> int:
        """Something done to a server behind our back."""
        request = urllib.request.Request(
            self.root + path, data=body, method=method, headers={"Content-Type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request) as reply:
                return int(reply.status)
        except urllib.error.HTTPError as error:
            with error:
                return error.code

    def clean(self) -> None:
        for engine in self._open:
            with contextlib.suppress(Exception):
                engine.close()
        if self.is_server:
            self.delete([name for one in self._indexes for name in (one, f"{one}-leitong")])

    def delete(self, names: Sequence[str]) -> None:
        """Delete indexes, those that are there; many in a request, since each takes a server long."""
        for start in range(0, len(names), _NAMES_AT_ONCE):
            some = ",".join(names[start : start + _NAMES_AT_ONCE])
            assert self.request("DELETE", f"/{some}?ignore_unavailable=true") == 200


SERVERS = {
    "elasticsearch": "elasticsearch_url",
    "elasticsearch8": "elasticsearch8_url",
    "opensearch": "opensearch_url",
    "opensearch2": "opensearch2_url",
}
ENGINES = ["embedded", *(pytest.param(name, marks=pytest.mark.servers) for name in SERVERS)]


def had(request: pytest.FixtureRequest, name: str, folder: Path) -> Place:
    """The place of an engine by its name; a server that cannot be had skips the test or fails it."""
    if name == "embedded":
        return Place(name, str(folder))
    if name == "elasticsearch8":
        needs_client(8)
    if name == "elasticsearch":
        needs_client(9)
    url = str(request.getfixturevalue(SERVERS[name]))
    return Place(name, url, frozenset({UNCOMMITTED_IS_HIDDEN, DISCARDS}))


def needs_client(server: int) -> None:
    """A client that is newer than the server is refused, and two of them cannot be installed side by side."""
    package: Any = pytest.importorskip("elasticsearch")
    if package.__version__[0] > server:
        pytest.skip(f"Elasticsearch {server} needs a Python client of its version: pip install 'elasticsearch<9'")


def cleaned(place: Place) -> Iterator[Place]:
    try:
        yield place
    finally:
        place.clean()
