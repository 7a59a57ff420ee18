"""What a query is on a server."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.engines.server.layout import Layout
from leitong.indexer.engines.server.stored import FINGERPRINT, key_texts
from leitong.indexer.fingerprint.blocks import BlockKeys, PairKeys
from leitong.indexer.query import FieldIs, Query, Words

FINGERPRINTED: Final[dict[str, Any]] = {"exists": {"field": "leitong.fp"}}
"""Every document with a fingerprint."""
MARKED: Final[dict[str, Any]] = {"exists": {"field": "leitong.duplicate_of"}}
"""Every document that is marked as a duplicate."""

_MOST_BOOSTED: Final = 256
"""Words beyond this many rank by the passage alone: servers allow 1,024 terms, and the passage holds the title."""


def full_text(query: Query, filters: Sequence[FieldIs], layout: Layout) -> dict[str, Any]:
    """A person's query, filters included."""
    must: list[dict[str, Any]] = []
    if query.loose:
        should = [
            layout.word(word, parts=query.parts, boosted=place < _MOST_BOOSTED)
            for place, word in enumerate(query.loose)
        ]
        must.append({"bool": {"should": should, "minimum_should_match": query.needed}})
    must += [_part(part, query.parts, layout) for part in query.required]
    return {
        "bool": {
            "must": must or [{"match_all": {}}],
            "filter": [FINGERPRINTED, *(_field(part, layout) for part in filters)],
            "must_not": [_part(part, query.parts, layout, excluded=True) for part in query.excluded],
        }
    }


def only(query: dict[str, Any], *, marked: bool | None) -> dict[str, Any]:
    """Those of a query that are marked, or those that are not; with None all of them."""
    if marked is None:
        return query
    return {"bool": {"filter": [query, MARKED]} if marked else {"filter": [query], "must_not": [MARKED]}}


def blocks(keys: Sequence[BlockKeys], *, most: int) -> dict[str, Any]:
    """Every document that has one of the values of any of the key sets in its block; `most` terms a list."""
    every = range(len(keys[0].values))
    return _either([_block(number, [one.values[number] for one in keys], most) for number in every])


def pairs(keys: Sequence[BlockKeys], *, most: int) -> dict[str, Any]:
    """The same by pairs of blocks, both of which must fit, and another block nearly: more terms, and far fewer hits."""
    return _either([_pair(same, most) for same in zip(*(one.pairs() for one in keys), strict=True)])


def _pair(same: Sequence[PairKeys], most: int) -> dict[str, Any]:
    """One pair of blocks of all the key sets."""
    first = same[0]
    ways = [
        {"bool": {"filter": [_block(first.block + side, [one[side] for one in way], most) for side in (0, 1)]}}
        for way in zip(*(one.ways for one in same), strict=True)
    ]
    others = [
        _block(other[0][0], [values for _, values in other], most)
        for other in zip(*(one.others for one in same), strict=True)
    ]
    return {"bool": {"filter": [_either(ways), _either(others)]}} if others else _either(ways)


def sharing(sketches: Sequence[Sequence[int]], *, most: int) -> dict[str, Any]:
    """Every document with a key of one of the sketches; a hit's matched queries are the sketches' numbers."""
    should = [
        {"bool": {"filter": [_any("leitong.sketch", key_texts(sketch), most)], "_name": str(number)}}
        for number, sketch in enumerate(sketches)
        if sketch
    ]
    return {"bool": {"should": should, "minimum_should_match": 1}}


def any_fingerprint(texts: Sequence[str], *, most: int) -> dict[str, Any]:
    """Every document with one of the fingerprints, as they are stored."""
    return {"bool": {"filter": [_any(FINGERPRINT, texts, most)]}}


def any_id(ids: Sequence[str], layout: Layout) -> dict[str, Any]:
    """Every document of ours with one of the ids."""
    return {"bool": {"filter": [layout.named(ids), FINGERPRINTED]}}


def _block(number: int, values: Sequence[NDArray[np.uint16]], most: int) -> dict[str, Any]:
    distinct = np.unique(np.concatenate(values)).tolist()
    return _any(f"leitong.b{number}", [f"{value:04x}" for value in distinct], most)


def _any(field: str, values: Sequence[str], most: int) -> dict[str, Any]:
    """One of the values, in as few lists as the server's limit allows."""
    lists = [{"terms": {field: values[start : start + most]}} for start in range(0, max(1, len(values)), most)]
    return lists[0] if len(lists) == 1 else {"bool": {"should": lists}}


def _either(clauses: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {"bool": {"filter": [{"bool": {"should": clauses, "minimum_should_match": 1}}]}}


def _part(part: Words | FieldIs, parts: frozenset[str], layout: Layout, *, excluded: bool = False) -> dict[str, Any]:
    if isinstance(part, FieldIs):
        return {"constant_score": {"filter": _field(part, layout)}}
    return layout.words(part, parts=parts, excluded=excluded)


def _field(part: FieldIs, layout: Layout) -> dict[str, Any]:
    return layout.named([part.value]) if part.field == "id" else layout.field(part)
