"""Similar documents and duplicate reports, as a library. `open_index` is where to begin."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from leitong.indexer.bulk import fingerprinted, fingerprinted_async
    from leitong.indexer.documents import Document, Match, StoredDocument
    from leitong.indexer.errors import LeitongError
    from leitong.indexer.library import Index, open_index

__all__ = [
    "Document",
    "Index",
    "LeitongError",
    "Match",
    "StoredDocument",
    "fingerprinted",
    "fingerprinted_async",
    "open_index",
]

_HOMES = {
    "fingerprinted": "bulk",
    "fingerprinted_async": "bulk",
    "Document": "documents",
    "Match": "documents",
    "StoredDocument": "documents",
    "LeitongError": "errors",
    "Index": "library",
    "open_index": "library",
}


def __getattr__(name: str) -> Any:
    """Load what is asked for: the whole library takes half a second, and most commands need little of it."""
    import importlib

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
