"""What a query is in tantivy."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import tantivy
from numpy.typing import NDArray

from leitong.indexer.engines.embedded.schema import KEYS, LETTERS, METADATA, block_field
from leitong.indexer.fingerprint.blocks import BlockKeys
from leitong.indexer.query import FieldIs, Query, Words

_TITLE_BOOST: Final = 2.0
_INSIDE: Final = 0.1
"""Score of a word that stands only inside longer ones: less than that of any word that stands by itself."""


def full_text(schema: tantivy.Schema, query: Query, filters: Sequence[FieldIs], *, format: int) -> tantivy.Query:
    """A person's query, filters included, for an index of this format."""
    words = _Words(schema, query.parts, format)
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
    """Every document that has one of the values in one of the blocks."""
    return _either([_block(schema, block, values) for block, values in enumerate(keys.values)])


def pairs(schema: tantivy.Schema, keys: BlockKeys) -> tantivy.Query:
    """The same by pairs of blocks, both of which must fit: more terms, and far fewer documents where a block is hot.

    The other blocks are not asked: in a folder their terms take longer than the documents that they save.
    """
    return _either(
        [
            tantivy.Query.boolean_query(
                [(tantivy.Occur.Must, _block(schema, pair.block + side, values)) for side, values in enumerate(way)]
            )
            for pair in keys.pairs()
            for way in pair.ways
        ]
    )


def _block(schema: tantivy.Schema, block: int, values: NDArray[np.uint16]) -> tantivy.Query:
    field = block_field(block)
    return _either(
        [
            tantivy.Query.const_score_query(tantivy.Query.term_query(schema, field, value), 1.0)
            for value in values.tolist()
        ]
    )


def _either(queries: Sequence[tantivy.Query]) -> tantivy.Query:
    return tantivy.Query.boolean_query([(tantivy.Occur.Should, one) for one in queries])


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


@dataclass(frozen=True)
class _Words:
    """Words of one question. Those among `parts` count inside longer words as well."""

    schema: tantivy.Schema
    parts: frozenset[str]
    format: int

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
        if self.format >= 2:
            inside = tantivy.Query.term_query(self.schema, LETTERS[field], word)
        else:
            inside = tantivy.Query.regex_query(self.schema, field, f".*{word}.*")
        return tantivy.Query.disjunction_max_query([term, tantivy.Query.const_score_query(inside, _INSIDE)])


def _field(schema: tantivy.Schema, part: FieldIs) -> tantivy.Query:
    if part.field == "id":
        return tantivy.Query.term_query(schema, "id", part.value)
    return tantivy.Query.term_query(schema, f"{METADATA}.{part.field}", part.value)
