"""A report and questions about single documents find the same."""

import pytest

from leitong.indexer.duplicates.found import Report
from leitong.indexer.library import Index


def assert_agree(index: Index, *, radius: int | None = None, min_similarity: float | None = None) -> Report:
    """Each pair of a report is in `similar` of both its documents, and nothing else is."""
    report = index.report(radius=radius, min_similarity=min_similarity)
    first_of = {pair.b: pair.a for pair in report.pairs if pair.kind == "exact"}
    found = {(pair.a, pair.b): pair for pair in report.pairs}
    for one in {doc_id for pair in report.pairs for doc_id in (pair.a, pair.b)}:
        similar = index.similar(one, radius=radius, min_similarity=min_similarity, limit=None)
        assert similar.candidates >= similar.total == len(similar.matches)
        matches = {match.id: match for match in similar.matches}
        for a, b in found:
            assert one not in (a, b) or ({a, b} - {one}) <= set(matches)
        for match in matches.values():
            if one in first_of or match.id in first_of:
                continue  # the report names the first id of the group only
            pair = found[min(one, match.id), max(one, match.id)]
            assert (pair.distance, pair.kind) == (match.distance, match.kind)
            assert pair.similarity == pytest.approx(match.similarity)
    return report
