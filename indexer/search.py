"""Full text: what a person typed becomes a query, hits become snippets of the original text."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from leitong.indexer.duplicates.find import Finder
from leitong.indexer.engines.base import Hit, Snapshot
from leitong.indexer.errors import UsageError
from leitong.indexer.highlight import Snippet, snippet
from leitong.indexer.prepare import Preparer
from leitong.indexer.query import FieldIs, Query, parse

MAX_SIZE: Final = 10_000
"""Hits of one page at most."""


@dataclass(frozen=True)
class SearchHit:
    """A document that was found. `duplicates` counts the other documents that match it."""

    id: str
    score: float
    title: str
    snippet: Snippet
    duplicates: int


@dataclass(frozen=True)
class SearchResult:
    """Hits of a query, best first, out of `total` matching documents."""

    total: int
    took_ms: int
    hits: tuple[SearchHit, ...]


def search(
    snapshot: Snapshot,
    text: str,
    *,
    preparer: Preparer,
    finder: Finder,
    size: int,
    start: int,
    filters: Sequence[FieldIs],
    fold: bool,
) -> SearchResult:
    """Find documents. Raises UsageError for a negative size or start."""
    if size < 0 or start < 0:
        raise UsageError(f"--size {size} and --from {start} must not be negative.")
    if size > MAX_SIZE:
        raise UsageError(f"--size {size} is more than {MAX_SIZE:,} hits at once; turn pages with --from.")
    begun = time.monotonic()
    query = parse(text, cutter=preparer)
    if text.strip() and query == Query():  # something was asked for, and there is no word in it
        return SearchResult(0, 0, ())
    start = min(start, snapshot.count)
    page = snapshot.search(query, size=size, start=start, filters=filters, fold=fold)
    entries = preparer.entries([hit.stored.document for hit in page.hits])
    found = finder.find(entries)
    hits = tuple(
        SearchHit(
            id=hit.stored.document.id,
            score=hit.score,
            title=hit.stored.document.title,
            snippet=_snippet(hit, query, preparer),
            duplicates=len(similar.matches),
        )
        for hit, similar in zip(page.hits, found, strict=True)
    )
    return SearchResult(page.total, round((time.monotonic() - begun) * 1000), hits)


def _snippet(hit: Hit, query: Query, preparer: Preparer) -> Snippet:
    cut = preparer.fingerprinter.segmenter.cut
    return snippet(hit.stored.document.text, query.words, cut=cut, parts=query.parts & query.words)
