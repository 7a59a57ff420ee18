"""Scores of a server's more_like_this: the whole collection is indexed, and each pair asked both ways.

The score of b for a, as a share of a's own score for itself, the higher or the lower of both ways. Only the pair is
scored, so no limit on hits loses anything; words and their rarity come from the whole collection.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final

import numpy as np
from tests.servers import SPECS, start

from benchmarks.features import words
from benchmarks.peers import Pairs, Tried

_INDEX: Final = "bench-more-like-this"
_AT_ONCE: Final = 500
_FIELDS: Final = {"words": "words of a Chinese segmenter", "text": "the standard analyzer"}


def more_like_this(product_name: str, texts: Mapping[str, str], pairs: Pairs) -> Iterator[Tried]:
    """Every setting on a server of this product, which is started for it."""
    with start(SPECS[product_name]) as server:
        client = _client(server.product, server.url)
        _fill(client, texts)
        title = {"elasticsearch": "Elasticsearch", "opensearch": "OpenSearch"}[server.product]
        for field, terms, match in product(_FIELDS, (25, 100), ("0%", "30%")):
            asked = {
                doc_id: _scores(client, doc_id, others, field=field, terms=terms, match=match)
                for doc_id, others in _partners(pairs).items()
            }
            for which, of_both in {"higher": max, "lower": min}.items():
                scores = np.array([of_both(asked[a].get(b, 0.0), asked[b].get(a, 0.0)) for a, b in pairs])
                way = f"{_FIELDS[field]}, {terms} terms, minimum_should_match {match}, the {which} of both ways"
                yield Tried(f"{title} more_like_this", server.version, way, scores)
        client.indices.delete(index=_INDEX)


def _client(product_name: str, url: str) -> Any:
    if product_name == "elasticsearch":
        from elasticsearch import Elasticsearch

        return Elasticsearch(url, request_timeout=120)
    from opensearchpy import OpenSearch

    return OpenSearch(url, timeout=120)


def _fill(client: Any, texts: Mapping[str, str]) -> None:
    mappings = {"properties": {"words": {"type": "text", "analyzer": "whitespace"}, "text": {"type": "text"}}}
    settings = {"number_of_shards": 1, "number_of_replicas": 0}
    client.indices.create(index=_INDEX, body={"mappings": mappings, "settings": settings})
    numbers = list(texts)
    for begin in range(0, len(numbers), _AT_ONCE):
        lines: list[Any] = []
        for doc_id in numbers[begin : begin + _AT_ONCE]:
            lines += [
                {"index": {"_id": doc_id}},
                {"words": " ".join(words(texts[doc_id])), "text": texts[doc_id]},
            ]
        answer = client.bulk(index=_INDEX, body=lines)
        if answer["errors"]:
            raise SystemExit(f"the server refused documents: {answer['items'][0]}")
    client.indices.refresh(index=_INDEX)


def _partners(pairs: Pairs) -> dict[str, list[str]]:
    partners: dict[str, list[str]] = {}
    for a, b in pairs:
        partners.setdefault(a, []).append(b)
        partners.setdefault(b, []).append(a)
    return partners


def _scores(client: Any, doc_id: str, others: Sequence[str], *, field: str, terms: int, match: str) -> dict[str, float]:
    """Score of each other document as a share of the document's own."""
    like = {
        "fields": [field],
        "like": [{"_index": _INDEX, "_id": doc_id}],
        "min_term_freq": 1,
        "min_doc_freq": 2,
        "max_query_terms": terms,
        "minimum_should_match": match,
        "include": True,
    }
    query = {"bool": {"must": {"more_like_this": like}, "filter": {"ids": {"values": [doc_id, *others]}}}}
    answer = client.search(index=_INDEX, body={"query": query, "size": len(others) + 1, "_source": False})
    hits = {hit["_id"]: float(hit["_score"]) for hit in answer["hits"]["hits"]}
    own = hits.pop(doc_id, 0.0)
    return {other: score / own for other, score in hits.items()} if own else {}
