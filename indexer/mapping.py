"""The fields we add to an index on a server: what they are, what would change, and bringing them up to date."""

from collections.abc import Mapping
from contextlib import closing
from typing import Any

from leitong.indexer.engines.server import header, upgrade
from leitong.indexer.engines.server.connect import connect
from leitong.indexer.engines.server.locator import is_server, parse
from leitong.indexer.engines.server.upgrade import Difference
from leitong.indexer.errors import UsageError


def show(locator: str) -> Mapping[str, Any]:
    """Our fields in an index, as its mapping should have them. Raises EngineError or UsageError."""
    with closing(connect(parse(_checked(locator)))) as server:
        return upgrade.fields(server, header.read(server))


def difference(locator: str) -> Difference:
    """How the index differs from that. Raises EngineError or UsageError."""
    with closing(connect(parse(_checked(locator)))) as server:
        return upgrade.difference(server, header.read(server))


def apply(locator: str) -> str | None:
    """Bring the fields up to date; returns the name of the new index that the name leads to, where there had to be one.

    Raises EngineError or UsageError; the index is as it was then.
    """
    with closing(connect(parse(_checked(locator)), as_written=True)) as server:
        return upgrade.apply(server, header.read(server))


def _checked(locator: str) -> str:
    if not is_server(locator):
        raise UsageError(f"{locator} is no index on a server. A folder has no mapping; `leitong info` has its format.")
    return locator
