"""One report of the parts that several machines made of it."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np

from leitong.indexer.duplicates.combined import Combined
from leitong.indexer.duplicates.commonness.learn import EXACT, current
from leitong.indexer.duplicates.finish import finish
from leitong.indexer.duplicates.found import KINDS, MATCH, Matches, Pair, Report
from leitong.indexer.duplicates.settings import Settings
from leitong.indexer.duplicates.texts import Documents
from leitong.indexer.duplicates.work import Work
from leitong.indexer.engines.base import Engine, Snapshot
from leitong.indexer.errors import UsageError

_AT_ONCE: Final = 50_000
_FILE: Final = "matches.bin"
_Row = tuple[int, int, int, float, int, float]
"""A match as `MATCH` has it."""


@dataclass(frozen=True)
class Parts:
    """What the parts found: pairs in the order of their ids, and near-copies with the first of their group.

    `index` and `state` say of which documents.
    """

    pairs: Iterable[Pair]
    copies: tuple[tuple[str, str], ...]
    documents: int
    radius: int
    min_similarity: float
    compared: int
    index: str
    state: list[int | str]
    seconds: float
    combined: Combined | None = None


def merge(
    engine: Engine,
    snapshot: Snapshot,
    parts: Parts,
    *,
    settings: Settings,
    watch: Callable[[int, int], None],
    begun: float,
) -> Report:
    """The report of all parts together. Raises UsageError where the snapshot's documents are not those of the parts."""
    documents = Documents(snapshot, current(engine, snapshot, within=EXACT), recipe=engine.recipe)
    if documents.state != parts.state:
        raise UsageError(
            f"The parts tell of {parts.documents:,} documents of {parts.index}, and {engine.locator} with its "
            f"{len(documents):,} is another index, or has changed since. Name theirs with --index, or make them again."
        )
    with Work(None) as work:
        return finish(
            snapshot,
            _matches(parts, work),
            documents=documents,
            compared=parts.compared,
            settings=settings,
            work=work,
            watch=watch,
            begun=begun,
        )


def _matches(parts: Parts, work: Work) -> Matches:
    """What the parts found, with numbers for ids; those of different texts lie in a file."""
    numbers: dict[str, int] = {}

    def number(doc_id: str) -> int:
        return numbers.setdefault(doc_id, len(numbers))

    def row(pair: Pair) -> _Row:
        score = math.nan if pair.score is None else pair.score
        return number(pair.a), number(pair.b), pair.distance, pair.similarity, KINDS.index(pair.kind), score

    equals: list[_Row] = []

    def different() -> Iterator[_Row]:
        for pair in parts.pairs:
            if pair.kind == "exact":
                equals.append(row(pair))
            else:
                yield row(pair)

    rows = different()
    while batch := list(islice(rows, _AT_ONCE)):
        work.append(_FILE, np.array(batch, dtype=MATCH).tobytes())
    stands_for = [(first, copy) for first, copy, *_ in equals]
    stands_for += [(number(first), number(copy)) for first, copy in parts.copies]
    origin = np.full(len(numbers), -1, dtype=np.int64)
    for first, copy in stands_for:
        origin[copy] = first
    return Matches(list(numbers), work.array(_FILE, MATCH), np.array(equals, dtype=MATCH), origin)
