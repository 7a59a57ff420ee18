"""Which documents have a block near one of a fingerprint's? Hot blocks are hashed again, by what is stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import tantivy
from numpy.typing import NDArray

from leitong.indexer.engines.embedded import queries, schema
from leitong.indexer.fingerprint.blocks import BLOCK_BITS, BlockKeys, HotKeys, PairKeys

_LAST_BITS: Final = (1 << 64) - 1
_HOT: Final = 192
_HOT_TIMES: Final = 3.0
"""A block that more documents share than this, and more than so many times the average, is hot (docs/papers.md, P3)."""
_MANY: Final = 500
"""So many documents are read in any case."""
_FEW: Final = 32
"""Reading so many rows takes no longer than finding out which of them need not be read."""
_PAYS: Final = 4
"""More keys are asked where there are so many times as many documents to read.

A key takes as long as eight documents. Twice as many keys as pay by time alone are asked, so that few are compared.
"""


@dataclass(frozen=True)
class Candidates:
    """Documents with one of the keys, and the last 64 bits of their fingerprints."""

    addresses: list[tantivy.DocAddress]
    bits: NDArray[np.uint64]


def near(
    searcher: tantivy.Searcher, schema_: tantivy.Schema, keys: BlockKeys, *, marked: bool | None = None
) -> list[tantivy.DocAddress]:
    """The candidates; of many only those whose last 64 bits do not lie beyond the radius."""
    found = candidates(searcher, schema_, keys, marked=marked)
    if len(found.addresses) <= _FEW:
        return found.addresses
    away = np.bitwise_count(found.bits ^ np.uint64(keys.fingerprint & _LAST_BITS))
    return [found.addresses[place] for place in np.flatnonzero(away <= keys.radius).tolist()]


def candidates(
    searcher: tantivy.Searcher, schema_: tantivy.Schema, keys: BlockKeys, *, marked: bool | None = None
) -> Candidates:
    """Every document within the radius, and others; with `marked` those only that are marked, or are not."""
    found = sizes(searcher, keys)
    match hashed_again(keys, found, documents=searcher.num_docs):
        case HotKeys() as hot:
            query = queries.beside(schema_, hot)
        case list() as pairs:
            query = queries.pairs(schema_, pairs)
        case None:
            query = queries.blocks(schema_, keys)
    return read(searcher, queries.only(schema_, query, marked=marked), sum(found))


def sizes(searcher: tantivy.Searcher, keys: BlockKeys) -> list[int]:
    """How many documents have one of the values, for each block; those deleted lately may be among them."""
    return [
        sum(searcher.doc_freq(schema.block_field(block), value) for value in values.tolist())
        for block, values in enumerate(keys.values)
    ]


def read(searcher: tantivy.Searcher, query: tantivy.Query, most: int) -> Candidates:
    """All documents of a query, of which there are at most so many.

    The order by the bits brings them along, which is faster than reading them, and nothing is scored.
    """
    if not most:
        return Candidates([], np.empty(0, dtype=np.uint64))
    hits = searcher.search(query, limit=most, count=False, order_by_field=schema.FINGERPRINT[1]).hits
    bits = np.array([low for low, _ in hits], dtype=np.int64).view(np.uint64)
    return Candidates([address for _, address in hits], bits)


def hashed_again(keys: BlockKeys, found: Sequence[int], *, documents: int) -> HotKeys | list[PairKeys] | None:
    """What to ask where so many documents have a hot block that more keys pay; None where they do not.

    `found` are the documents of each block, of so many `documents` in all.
    """
    many = sum(found)
    if many <= _MANY:
        return None
    average = documents / (1 << BLOCK_BITS)
    hot = [
        block
        for block, (size, values) in enumerate(zip(found, keys.values, strict=True))
        if size > max(_HOT, _HOT_TIMES * average * len(values))
    ]
    if len(hot) == 1:
        beside = keys.beside(hot[0])
        return beside if len(beside) * _PAYS < many else None
    pairs = keys.pairs() if hot else []
    return pairs if pairs and sum(map(len, pairs)) * _PAYS < many else None
