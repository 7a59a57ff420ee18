"""How many of the documents a query matches have which value in a field of their metadata?

Elasticsearch counts inside free-form metadata. OpenSearch cannot: there each value that the best hits have is counted
by a query for it, and a document with the field and none of those values counts as another.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from leitong.indexer.documents import Document
from leitong.indexer.engines.base import FieldValues
from leitong.indexer.engines.server.layout import Layout
from leitong.indexer.engines.server.reading import Point
from leitong.indexer.query import FieldIs

_VALUES_OF_SHARD: Final = 5_000
_BEST: Final = 200
"""Hits whose values are counted where a product cannot count all values."""
_VALUE_CHARACTERS: Final = 200


def by_field(
    point: Point, question: Mapping[str, Any], fields: Mapping[str, str], *, most: int
) -> Iterator[FieldValues]:
    """Values of fields that are aggregated under these names."""
    if not fields:
        return
    asked = {
        str(place): {"terms": {"field": name, "size": most, "shard_size": _VALUES_OF_SHARD}}
        for place, name in enumerate(fields.values())
    }
    found = point.aggregate({"query": question, "aggs": asked})
    for place, field in enumerate(fields):
        one = found[str(place)]
        yield FieldValues(
            field,
            tuple((str(bucket.get("key_as_string", bucket["key"])), bucket["doc_count"]) for bucket in one["buckets"]),
            others=one["sum_other_doc_count"],
            exact=one["doc_count_error_upper_bound"] == 0,
        )


def by_value(
    point: Point, question: Mapping[str, Any], fields: Sequence[str], layout: Layout, *, most: int
) -> Iterator[FieldValues]:
    """The values that the best hits have, each counted by its query."""
    if not fields:
        return
    parts = {"_source": ["metadata", "leitong.metadata", "leitong.fp"]}
    hits = point.search({"query": question, "size": _BEST, **parts}).hits
    documents = [layout.document(hit) for hit in hits]
    values = {field: _most_frequent(documents, field, most) for field in fields}
    asked: dict[str, Any] = {}
    for place, (field, some) in enumerate(values.items()):
        each = [layout.field(FieldIs(field, value)) for value in some]
        asked |= {f"{place} {number}": query for number, query in enumerate(each)}
        there = {"exists": {"field": f"metadata.{field}"}}
        asked[f"{place} others"] = {"bool": {"filter": [there], "must_not": each}}
    found = point.aggregate({"query": question, "aggs": {"counts": {"filters": {"filters": asked}}}})
    counts = {name: int(bucket["doc_count"]) for name, bucket in found["counts"]["buckets"].items()}
    for place, (field, some) in enumerate(values.items()):
        pairs = ((value, counts[f"{place} {number}"]) for number, value in enumerate(some))
        ordered = tuple(sorted(pairs, key=lambda pair: (-pair[1], pair[0])))
        yield FieldValues(field, ordered, others=counts[f"{place} others"], exact=len(hits) < _BEST)


def _most_frequent(documents: Sequence[Document], field: str, most: int) -> list[str]:
    counts = Counter(value for document in documents for value in set(_texts(document.metadata.get(field))))
    return [value for value, _ in counts.most_common(most)]


def _texts(value: Any) -> Iterator[str]:
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, bool):
            yield "true" if one else "false"
        elif isinstance(one, str | int) and 0 < len(str(one)) <= _VALUE_CHARACTERS:
            yield str(one)
