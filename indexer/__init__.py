"""Similar documents and duplicate reports, as a library. Begin with `open_index`; docs/python.md shows the rest."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from leitong.indexer.attaching import attach, detach
    from leitong.indexer.attachruns import AttachOptions
    from leitong.indexer.bulk import fingerprinted, fingerprinted_async
    from leitong.indexer.documents import Document, LabelledPair, Match, StoredDocument
    from leitong.indexer.duplicates.combined import Combined
    from leitong.indexer.duplicates.policy.dedupe import Policy
    from leitong.indexer.errors import LeitongError
    from leitong.indexer.library import Index, open_index
    from leitong.indexer.pipeline import IndexOptions
    from leitong.indexer.query import FieldIs
    from leitong.indexer.sources.base import FieldNames
    from leitong.indexer.sources.open import open_sources

__all__ = [
    "AttachOptions",
    "Combined",
    "Document",
    "FieldIs",
    "FieldNames",
    "Index",
    "IndexOptions",
    "LabelledPair",
    "LeitongError",
    "Match",
    "Policy",
    "StoredDocument",
    "attach",
    "detach",
    "fingerprinted",
    "fingerprinted_async",
    "open_index",
    "open_sources",
]

_HOMES = {
    "attach": "attaching",
    "detach": "attaching",
    "AttachOptions": "attachruns",
    "fingerprinted": "bulk",
    "fingerprinted_async": "bulk",
    "Document": "documents",
    "LabelledPair": "documents",
    "Match": "documents",
    "StoredDocument": "documents",
    "Combined": "duplicates.combined",
    "Policy": "duplicates.policy.dedupe",
    "LeitongError": "errors",
    "Index": "library",
    "open_index": "library",
    "IndexOptions": "pipeline",
    "FieldIs": "query",
    "FieldNames": "sources.base",
    "open_sources": "sources.open",
}


def __getattr__(name: str) -> Any:
    """Load what is asked for: the whole library takes half a second, and most commands need little of it."""
    import importlib

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
