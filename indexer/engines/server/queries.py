"""What a query is on a server."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

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


def blocks(keys: Sequence[BlockKeys], *, most: int) -> dict[str, Any]:
    """Every document that has one of the values of any of the key sets in its block; `most` terms a list."""
    every = range(len(keys[0].values))
    return _either([_block(number, [one.values[number] for one in keys], most) for number in every])


def pairs(keys: Sequence[BlockKeys], *, most: int) -> dict[str, Any]:
    """The same by pairs of blocks, both of which must fit: more terms, and far fewer documents where a block is hot."""
    return _either(
        [
            {
                "bool": {
                    "filter": [
                        _block(same[0].block + side, [one.values[side] for one in same], most) for side in (0, 1)
                    ]
                }
            }
            for same in zip(*(one.pairs() for one in keys), strict=True)
        ]
    )


def sharing(sketches: Sequence[Sequence[int]], *, most: int) -> dict[str, Any]:
    """Every document with a key of one of the sketches; a hit's matched queries are the sketches' numbers."""
    should = [
        {"bool": {"filter": [_any("leitong.keys", [key_text(key) for key in sketch], most)], "_name": str(number)}}
        for number, sketch in enumerate(sketches)
        if sketch
    ]
    return {"bool": {"should": should, "minimum_should_match": 1}}


def any_id(ids: Sequence[str]) -> dict[str, Any]:
    """Every document of ours with one of the ids."""
    return {"bool": {"filter": [{"terms": {"_id": list(ids)}}, OURS]}}


def _block(number: int, values: Sequence[NDArray[np.uint16]], most: int) -> dict[str, Any]:
    distinct = np.unique(np.concatenate(values)).tolist()
    return _any(f"leitong.b{number}", [f"{value:04x}" for value in distinct], most)


def _any(field: str, values: Sequence[str], most: int) -> dict[str, Any]:
    """One of the values, in as few lists as the server's limit allows."""
    lists = [{"terms": {field: values[start : start + most]}} for start in range(0, max(1, len(values)), most)]
    return lists[0] if len(lists) == 1 else {"bool": {"should": lists}}


def _either(clauses: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {"bool": {"filter": [{"bool": {"should": clauses, "minimum_should_match": 1}}]}}


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
