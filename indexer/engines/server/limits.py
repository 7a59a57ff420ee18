"""How much does a server take at once? Its settings say; whoever may not read them gets the servers' defaults."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from leitong.indexer.engines.server.product import Server

_FORBIDDEN: Final = (401, 403, 404, 405)
_REQUEST_BYTES: Final = 100 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Hits of one answer, and values of one list of terms."""

    hits: int = 10_000
    terms: int = 65_536


def read(server: Server) -> Limits:
    """The limits of the index."""
    usual = Limits()
    answer = server.request(
        "GET",
        f"/{server.locator.index}/_settings/index.max_result_window,index.max_terms_count",
        params={"flat_settings": "true"},
        allow=_FORBIDDEN,
    )
    indexes = [one["settings"] for one in answer.values() if isinstance(one, Mapping) and "settings" in one]
    return Limits(
        hits=min((int(one.get("index.max_result_window", usual.hits)) for one in indexes), default=usual.hits),
        terms=min((int(one.get("index.max_terms_count", usual.terms)) for one in indexes), default=usual.terms),
    )


def request_bytes(server: Server) -> int:
    """Bytes of one request, the least of all nodes."""
    answer: Any = server.request(
        "GET",
        "/_nodes/http",
        params={"filter_path": "nodes.*.http.max_content_length_in_bytes"},
        allow=_FORBIDDEN,
    )
    nodes = answer.get("nodes", {}) if isinstance(answer, Mapping) else {}
    return min(
        (int(node["http"]["max_content_length_in_bytes"]) for node in nodes.values() if "http" in node),
        default=_REQUEST_BYTES,
    )
