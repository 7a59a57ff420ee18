"""Full text: what a person typed becomes a query, hits become snippets of the original text."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from leitong.indexer.duplicates.find import Finder
from leitong.indexer.engines.base import FieldValues, Hit, Snapshot
from leitong.indexer.errors import ArgumentError
from leitong.indexer.facets import VALUES, facets, fields_of
from leitong.indexer.highlight import Snippet, snippet
from leitong.indexer.prepare import Preparer
from leitong.indexer.query import FieldIs, Query, parse

MAX_SIZE: Final = 10_000
"""Hits of one page at most."""


@dataclass(frozen=True)
class SearchHit:
    """A document that was found. `duplicates` counts the other documents that match it; None where nobody counted."""

    id: str
    score: float
    title: str
    snippet: Snippet
    duplicates: int | None
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class SearchResult:
    """Hits of a query, best first, out of `total` matching documents.

    `facets` count values of the metadata among all of them, folded ones included; None where nobody asked.
    """

    total: int
    took_ms: int
    hits: tuple[SearchHit, ...]
    facets: tuple[FieldValues, ...] | None = None


def search(
    snapshot: Snapshot,
    text: str,
    *,
    preparer: Preparer,
    finder: Finder | None,
    size: int,
    start: int,
    filters: Sequence[FieldIs],
    fold: bool,
    count_values: bool,
) -> SearchResult:
    """Find documents. Without a finder nobody counts duplicates.

    `count_values` counts values of the metadata fields that the hits of this page have.
    Raises ArgumentError for a size or start that cannot be.
    """
    if not 0 <= size <= MAX_SIZE:
        raise ArgumentError("size", f"must be 0 to {MAX_SIZE:,} hits at once, not {size:,}; further pages have more.")
    if start < 0:
        raise ArgumentError("start", f"must not be negative, as {start:,} is.")
    begun = time.monotonic()
    query = parse(text, cutter=preparer)
    if text.strip() and not query:  # something was asked for, and there is no word in it
        return SearchResult(0, 0, (), () if count_values else None)
    start = min(start, snapshot.count)
    page = snapshot.search(query, size=size, start=start, filters=filters, fold=fold)
    if not page.total and (unknown := _unknown(snapshot, query)):
        query = parse(text, cutter=preparer, unknown=unknown) or query
        page = snapshot.search(query, size=size, start=start, filters=filters, fold=fold)
    documents = [hit.stored.document for hit in page.hits]
    counts = [len(found.matches) for found in finder.find(preparer.entries(documents))] if finder else None
    hits = tuple(
        SearchHit(
            id=hit.stored.document.id,
            score=hit.score,
            title=hit.stored.document.title,
            snippet=_snippet(hit, query, preparer),
            duplicates=counts[place] if counts else None,
            metadata=hit.stored.document.metadata,
        )
        for place, hit in enumerate(page.hits)
    )
    found = facets(snapshot.values(query, fields_of(documents), most=VALUES, filters=filters)) if count_values else None
    took = round((time.monotonic() - begun) * 1000)
    return SearchResult(page.total, took, hits, found)


def _unknown(snapshot: Snapshot, query: Query) -> list[FieldIs]:
    """Values of fields that were asked for and that no document has."""
    fields = [part for part in query.required if isinstance(part, FieldIs) and part.field != "id"]
    return [one for one in fields if not snapshot.search(Query(required=(one,)), size=0).total]


def _snippet(hit: Hit, query: Query, preparer: Preparer) -> Snippet:
    return snippet(
        hit.stored.document.text,
        query.words,
        cut=preparer.search_words,
        fold=preparer.fingerprinter.recipe.normalise,
        parts=query.parts & query.words,
    )
