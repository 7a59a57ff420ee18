"""What does `--json` answer, and the page's JSON with it? One shape for each call, as plain JSON values."""

from typing import Any

from leitong.indexer.documents import Match, StoredDocument
from leitong.indexer.duplicates.comparing.compare import Bit, Comparison, Feature, Matrix
from leitong.indexer.duplicates.comparing.diff import Change
from leitong.indexer.duplicates.policy.decisions import Decisions
from leitong.indexer.engines.base import FieldValues
from leitong.indexer.fingerprint.hamming import to_hex
from leitong.indexer.search import SearchResult
from leitong.indexer.similar import SimilarResult


def searched(found: SearchResult) -> dict[str, Any]:
    """Hits of a query."""
    hits = [
        {
            "id": hit.id,
            "score": round(hit.score, 4),
            "title": hit.title,
            "snippet": hit.snippet.marked(),
            "duplicates": hit.duplicates,
        }
        for hit in found.hits
    ]
    facets = {} if found.facets is None else {"facets": list(map(_facet, found.facets))}
    return {"total": found.total, "took_ms": found.took_ms, "hits": hits, **facets}


def similar(found: SimilarResult) -> dict[str, Any]:
    """Documents that match one; `id` is null for a text that is not in the index."""
    folded = {} if found.folded is None else {"folded": found.folded}
    return {
        "id": found.id,
        "radius": found.radius,
        "candidates": found.candidates,
        "total": found.total,
        **folded,
        "matches": list(map(_match, found.matches)),
    }


def compared(found: Comparison | Matrix, *, each_bit: bool = False) -> dict[str, Any]:
    """Two texts in detail, bit by bit where asked, or several by every measure."""
    if isinstance(found, Matrix):
        return _matrix(found)
    return _two(found) | ({"each_bit": list(map(_bit, found.each_bit))} if each_bit else {})


def decided(decisions: Decisions) -> dict[str, Any]:
    """What was decided about duplicates."""
    return {"keep": sorted(decisions.keep), "apart": [list(pair) for pair in sorted(decisions.apart)]}


def document(stored: StoredDocument, *, bits: int) -> dict[str, Any]:
    """One document and what is stored of it."""
    return {
        "id": stored.document.id,
        "title": stored.document.title,
        "text": stored.document.text,
        "metadata": dict(stored.document.metadata),
        "fingerprint": to_hex(stored.fingerprint, bits),
        "digest": stored.digest,
        "cluster": stored.cluster,
        "duplicate_of": stored.duplicate_of,
    }


def _facet(found: FieldValues) -> dict[str, Any]:
    values = [{"value": value, "count": count} for value, count in found.values]
    return {"field": found.field, "values": values, "others": found.others, "exact": found.exact}


def _match(match: Match) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": match.id,
        "title": match.title,
        "distance": match.distance,
        "similarity": round(match.similarity, 4),
        "kind": match.kind,
    }
    if match.duplicate_of is not None:
        shown["duplicate_of"] = match.duplicate_of
    if match.score is not None:
        shown["score"] = round(match.score, 4)
    return shown


def _two(found: Comparison) -> dict[str, Any]:
    return {
        "a": found.a,
        "b": found.b,
        "distance": found.distance,
        "bits": found.bits,
        "similarity": round(found.similarity, 4),
        "share_a": round(found.share_a, 4),
        "share_b": round(found.share_b, 4),
        "kind": found.kind,
        "series": found.series,
        "heaviest_a": _features(found.heaviest_a),
        "heaviest_b": _features(found.heaviest_b),
        "shared": _features(found.shared),
        "only_a": _features(found.only_a),
        "only_b": _features(found.only_b),
        "diff": list(map(_change, found.diff)),
    }


def _features(features: tuple[Feature, ...]) -> list[dict[str, Any]]:
    return [{"word": one.word, "weight": round(one.weight, 4)} for one in features]


def _change(change: Change) -> dict[str, Any]:
    shown: dict[str, Any] = {"where": change.where, "text": change.text}
    if change.text_b is not None:
        shown["text_b"] = change.text_b
    if change.moved is not None:
        shown["moved"] = change.moved
    return shown


def _bit(bit: Bit) -> dict[str, Any]:
    return {"a": int(bit.a), "b": int(bit.b), "votes_a": round(bit.votes_a, 4), "votes_b": round(bit.votes_b, 4)}


def _matrix(found: Matrix) -> dict[str, Any]:
    measures = {name: [[round(value, 4) for value in row] for row in rows] for name, rows in found.values.items()}
    return {"ids": list(found.ids), "measures": measures}
