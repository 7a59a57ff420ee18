"""What a query is on a server."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from leitong.indexer.engines.server.stored import key_text
from leitong.indexer.fingerprint.blocks import BlockKeys
from leitong.indexer.query import FieldIs, Query, Words

OURS: Final[dict[str, Any]] = {"exists": {"field": "leitong.fp"}}
"""Every document with a fingerprint."""

_TITLE_BOOST: Final = 2.0
_MOST_BOOSTED: Final = 256
"""Words beyond this many rank by the passage alone: servers allow 1,024 terms, and the passage holds the title."""


def full_text(query: Query, filters: Sequence[FieldIs]) -> dict[str, Any]:
    """A person's query, filters included."""
    must: list[dict[str, Any]] = []
    if query.loose:
        should = [_word(word, boosted=place < _MOST_BOOSTED) for place, word in enumerate(query.loose)]
        must.append({"bool": {"should": should, "minimum_should_match": query.needed}})
    must += [_part(part) for part in query.required]
    return {
        "bool": {
            "must": must or [{"match_all": {}}],
            "filter": [OURS, *map(_field, filters)],
            "must_not": [_part(part) for part in query.excluded],
        }
    }


def blocks(keys: Sequence[BlockKeys]) -> dict[str, Any]:
    """Every document that has one of the values of any of the key sets in its block: one list of terms a block."""
    should: list[dict[str, Any]] = []
    for block in range(len(keys[0].values)):
        values = np.unique(np.concatenate([one.values[block] for one in keys])).tolist()
        if values:
            should.append({"terms": {f"leitong.b{block}": [f"{value:04x}" for value in values]}})
    return {"bool": {"filter": [{"bool": {"should": should, "minimum_should_match": 1}}]}}


def sharing(sketches: Sequence[Sequence[int]]) -> dict[str, Any]:
    """Every document with a key of one of the sketches; a hit's matched queries are the sketches' numbers."""
    should = [
        {"terms": {"leitong.keys": [key_text(key) for key in sketch], "_name": str(number)}}
        for number, sketch in enumerate(sketches)
        if sketch
    ]
    return {"bool": {"should": should, "minimum_should_match": 1}}


def any_id(ids: Sequence[str]) -> dict[str, Any]:
    """Every document of ours with one of the ids."""
    return {"bool": {"filter": [{"terms": {"_id": list(ids)}}, OURS]}}


def _word(word: str, *, boosted: bool) -> dict[str, Any]:
    anywhere = _term("leitong.tokens", word)
    if not boosted:
        return anywhere
    title = {"term": {"leitong.title_tokens": {"value": word, "boost": _TITLE_BOOST}}}
    return {"dis_max": {"queries": [anywhere, title]}}


def _part(part: Words | FieldIs) -> dict[str, Any]:
    if isinstance(part, FieldIs):
        return {"constant_score": {"filter": _field(part)}}
    field = "leitong.title_tokens" if part.title else "leitong.tokens"
    if len(part.words) == 1:
        return _term(field, part.words[0])
    if part.phrase:
        return {"match_phrase": {field: " ".join(part.words)}}
    return {"bool": {"must": [_term(field, word) for word in part.words]}}


def _field(part: FieldIs) -> dict[str, Any]:
    if part.field == "id":
        return {"terms": {"_id": [part.value]}}
    return _term(f"metadata.{part.field}", part.value)


def _term(field: str, value: str) -> dict[str, Any]:
    return {"term": {field: {"value": value}}}
