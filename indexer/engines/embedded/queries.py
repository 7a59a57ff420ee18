"""What a query is in tantivy."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import tantivy
from numpy.typing import NDArray

from leitong.indexer.engines.embedded.schema import KEYS, LETTERS, MARKED, METADATA, block_field
from leitong.indexer.fingerprint.blocks import BlockKeys, HotKeys, PairKeys
from leitong.indexer.query import FieldIs, Query, Words

_TITLE_BOOST: Final = 2.0
_INSIDE: Final = 0.1
"""Score of a word that stands only inside longer ones: less than that of any word that stands by itself."""


def full_text(schema: tantivy.Schema, query: Query, filters: Sequence[FieldIs]) -> tantivy.Query:
    """A person's query, filters included."""
    words = _Words(schema, query.parts)
    must = tantivy.Occur.Must
    parts: list[tuple[tantivy.Occur, tantivy.Query]] = []
    if query.loose:
        should = [(tantivy.Occur.Should, words.anywhere(word)) for word in query.loose]
        parts.append((must, tantivy.Query.boolean_query(should, minimum_number_should_match=query.needed)))
    parts += [(must, words.part(part)) for part in query.required]
    parts += [(must, tantivy.Query.const_score_query(_field(schema, part), 0.0)) for part in filters]
    if not parts:
        parts.append((must, tantivy.Query.all_query()))
    parts += [(tantivy.Occur.MustNot, words.part(part)) for part in query.excluded]
    return tantivy.Query.boolean_query(parts)


def blocks(schema: tantivy.Schema, keys: BlockKeys) -> tantivy.Query:
    """Every document that has one of the values in one of the blocks. Like those below, for order by a field only."""
    return _either([term for block, values in enumerate(keys.values) for term in _terms(schema, block, values)])


def beside(schema: tantivy.Schema, keys: HotKeys) -> tantivy.Query:
    """The same where one block is hot: the other blocks, or that one and all that must fit beside it."""
    cold = [values if block != keys.block else values[:0] for block, values in enumerate(keys.values)]
    terms = [term for block, values in enumerate(cold) for term in _terms(schema, block, values)]
    near = [_either(_terms(schema, block, values)) for block, values in keys.others]
    return _either([*terms, _both([_either(_terms(schema, keys.block, keys.values[keys.block])), *near])])


def pairs(schema: tantivy.Schema, keys: Sequence[PairKeys]) -> tantivy.Query:
    """The same where several are: pairs of blocks both of which fit, and another block nearly."""
    return _either([_pair(schema, pair) for pair in keys])


def _pair(schema: tantivy.Schema, pair: PairKeys) -> tantivy.Query:
    ways = _either(
        [
            _both([_either(_terms(schema, pair.block + side, values)) for side, values in enumerate(way)])
            for way in pair.ways
        ]
    )
    others = [term for block, values in pair.others for term in _terms(schema, block, values)]
    return _both([ways, _either(others)]) if others else ways


def _terms(schema: tantivy.Schema, block: int, values: NDArray[np.uint16]) -> list[tantivy.Query]:
    field = block_field(block)
    return [tantivy.Query.term_query(schema, field, value) for value in values.tolist()]


def _either(queries: Sequence[tantivy.Query]) -> tantivy.Query:
    return tantivy.Query.boolean_query([(tantivy.Occur.Should, one) for one in queries])


def _both(queries: Sequence[tantivy.Query]) -> tantivy.Query:
    return tantivy.Query.boolean_query([(tantivy.Occur.Must, one) for one in queries])


def with_mark(schema: tantivy.Schema) -> tantivy.Query:
    """Every document that is marked as a duplicate."""
    return keys(schema, [MARKED])


def only(schema: tantivy.Schema, query: tantivy.Query, *, marked: bool | None) -> tantivy.Query:
    """Those of a query that are marked, or those that are not; with None all of them."""
    if marked is None:
        return query
    return tantivy.Query.boolean_query(
        [(tantivy.Occur.Must, query), (tantivy.Occur.Must if marked else tantivy.Occur.MustNot, with_mark(schema))]
    )


def keys(schema: tantivy.Schema, stored: Sequence[int]) -> tantivy.Query:
    """Every document with one of the keys, as they are stored."""
    return tantivy.Query.boolean_query(
        [
            (
                tantivy.Occur.Should,
                tantivy.Query.const_score_query(tantivy.Query.term_query(schema, KEYS, key), 1.0),
            )
            for key in stored
        ]
    )


def any_id(schema: tantivy.Schema, ids: Sequence[str]) -> tantivy.Query:
    """Every document with one of the ids; none has an id that is no text (a lone surrogate)."""
    texts = [doc_id for doc_id in ids if doc_id.encode("utf-8", "ignore").decode() == doc_id]
    return tantivy.Query.term_set_query(schema, "id", texts)


@dataclass(frozen=True)
class _Words:
    """Words of one question. Those among `parts` count inside longer words as well."""

    schema: tantivy.Schema
    parts: frozenset[str]

    def anywhere(self, word: str) -> tantivy.Query:
        title = tantivy.Query.boost_query(self._holds("title_tokens", word), _TITLE_BOOST)
        return tantivy.Query.disjunction_max_query([self._holds("tokens", word), title])

    def part(self, part: Words | FieldIs) -> tantivy.Query:
        if isinstance(part, FieldIs):
            return _field(self.schema, part)
        field = "title_tokens" if part.title else "tokens"
        if part.phrase and len(part.words) > 1:
            return tantivy.Query.phrase_query(self.schema, field, list(part.words))
        return tantivy.Query.boolean_query([(tantivy.Occur.Must, self._holds(field, word)) for word in part.words])

    def _holds(self, field: str, word: str) -> tantivy.Query:
        term = tantivy.Query.term_query(self.schema, field, word)
        if word not in self.parts:
            return term
        if len(word) == 1:
            inside = tantivy.Query.term_query(self.schema, LETTERS[field], word)
        else:
            inside = tantivy.Query.regex_query(self.schema, field, f".*{word}.*")
        return tantivy.Query.disjunction_max_query([term, tantivy.Query.const_score_query(inside, _INSIDE)])


def _field(schema: tantivy.Schema, part: FieldIs) -> tantivy.Query:
    if part.field == "id":
        return tantivy.Query.term_query(schema, "id", part.value)
    return tantivy.Query.term_query(schema, f"{METADATA}.{part.field}", part.value)
