"""What a query is in tantivy."""

from collections.abc import Sequence
from typing import Final

import tantivy

from leitong.indexer.engines.embedded.schema import KEYS, block_field
from leitong.indexer.fingerprint.blocks import BlockKeys
from leitong.indexer.query import FieldIs, Query, Words

_TITLE_BOOST: Final = 2.0
_INSIDE: Final = 0.1
"""Score of a word that stands only inside longer ones: less than that of any word that stands by itself."""


def full_text(schema: tantivy.Schema, query: Query, filters: Sequence[FieldIs]) -> tantivy.Query:
    """A person's query, filters included."""
    must = tantivy.Occur.Must
    parts: list[tuple[tantivy.Occur, tantivy.Query]] = []
    if query.loose:
        should = [(tantivy.Occur.Should, _word(schema, word, query.parts)) for word in query.loose]
        parts.append((must, tantivy.Query.boolean_query(should, minimum_number_should_match=query.needed)))
    parts += [(must, _part(schema, part, query.parts)) for part in query.required]
    parts += [(must, tantivy.Query.const_score_query(_field(schema, part), 0.0)) for part in filters]
    if not parts:
        parts.append((must, tantivy.Query.all_query()))
    parts += [(tantivy.Occur.MustNot, _part(schema, part, query.parts)) for part in query.excluded]
    return tantivy.Query.boolean_query(parts)


def blocks(schema: tantivy.Schema, keys: BlockKeys) -> tantivy.Query:
    """Every document that has one of the values in one of the blocks."""
    return tantivy.Query.boolean_query(
        [
            (
                tantivy.Occur.Should,
                tantivy.Query.const_score_query(tantivy.Query.term_query(schema, block_field(block), value), 1.0),
            )
            for block, values in enumerate(keys.values)
            for value in values.tolist()
        ]
    )


def keys(schema: tantivy.Schema, sketch: Sequence[int]) -> tantivy.Query:
    """Every document with one of the keys."""
    return tantivy.Query.boolean_query(
        [
            (
                tantivy.Occur.Should,
                tantivy.Query.const_score_query(tantivy.Query.term_query(schema, KEYS, key >> 1), 1.0),
            )
            for key in sketch
        ]
    )


def any_id(schema: tantivy.Schema, ids: Sequence[str]) -> tantivy.Query:
    """Every document with one of the ids; none has an id that is no text (a lone surrogate)."""
    texts = [doc_id for doc_id in ids if doc_id.encode("utf-8", "ignore").decode() == doc_id]
    return tantivy.Query.term_set_query(schema, "id", texts)


def _word(schema: tantivy.Schema, word: str, parts: frozenset[str]) -> tantivy.Query:
    title = tantivy.Query.boost_query(_holds(schema, "title_tokens", word, parts), _TITLE_BOOST)
    return tantivy.Query.disjunction_max_query([_holds(schema, "tokens", word, parts), title])


def _part(schema: tantivy.Schema, part: Words | FieldIs, parts: frozenset[str]) -> tantivy.Query:
    if isinstance(part, FieldIs):
        return _field(schema, part)
    field = "title_tokens" if part.title else "tokens"
    if part.phrase and len(part.words) > 1:
        return tantivy.Query.phrase_query(schema, field, list(part.words))
    return tantivy.Query.boolean_query(
        [(tantivy.Occur.Must, _holds(schema, field, word, parts)) for word in part.words]
    )


def _holds(schema: tantivy.Schema, field: str, word: str, parts: frozenset[str]) -> tantivy.Query:
    term = tantivy.Query.term_query(schema, field, word)
    if word not in parts:
        return term
    inside = tantivy.Query.const_score_query(tantivy.Query.regex_query(schema, field, f".*{word}.*"), _INSIDE)
    return tantivy.Query.disjunction_max_query([term, inside])


def _field(schema: tantivy.Schema, part: FieldIs) -> tantivy.Query:
    if part.field == "id":
        return tantivy.Query.term_query(schema, "id", part.value)
    return tantivy.Query.term_query(schema, f"metadata.{part.field}", part.value)
