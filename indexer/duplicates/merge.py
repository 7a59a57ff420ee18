"""One report of the parts that several machines made of it."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from leitong.indexer.duplicates.combined import Combined
from leitong.indexer.duplicates.finish import finish
from leitong.indexer.duplicates.found import KINDS, MATCH, Matches, Pair, Report
from leitong.indexer.duplicates.learn import current
from leitong.indexer.duplicates.settings import Settings
from leitong.indexer.duplicates.texts import Documents
from leitong.indexer.duplicates.work import Work
from leitong.indexer.engines.base import Engine, Snapshot
from leitong.indexer.errors import UsageError

_AT_ONCE = 50_000


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
    documents = Documents(snapshot, current(engine, snapshot), recipe=engine.recipe)
    if documents.state != parts.state:
        raise UsageError(
            f"The parts tell of {parts.documents:,} documents of {parts.index}, and {engine.locator} with its "
            f"{len(documents):,} is another index, or has changed since. Name theirs with --index, or make them again."
        )
    ids: list[str] = []
    place: dict[str, int] = {}

    def number(doc_id: str) -> int:
        known = place.setdefault(doc_id, len(ids))
        if known == len(ids):
            ids.append(doc_id)
        return known

    first: dict[int, int] = {}
    equals: list[tuple[int, int, int, float, int, float]] = []
    with Work(None) as work:
        batch: list[tuple[int, int, int, float, int, float]] = []
        for pair in parts.pairs:
            score = math.nan if pair.score is None else pair.score
            row = (number(pair.a), number(pair.b), pair.distance, pair.similarity, KINDS.index(pair.kind), score)
            if pair.kind == "exact":
                first[row[1]] = row[0]
                equals.append(row)
                continue
            batch.append(row)
            if len(batch) >= _AT_ONCE:
                work.append("matches.bin", np.array(batch, dtype=MATCH).tobytes())
                batch = []
        work.append("matches.bin", np.array(batch, dtype=MATCH).tobytes())
        for one, copy in parts.copies:
            first[number(copy)] = number(one)
        origin = np.full(len(ids), -1, dtype=np.int64)
        for copy_number, one_number in first.items():
            origin[copy_number] = one_number
        matches = Matches(ids, work.array("matches.bin", MATCH), np.array(equals, dtype=MATCH), origin)
        return finish(
            snapshot,
            matches,
            documents=documents,
            radius=parts.radius,
            min_similarity=parts.min_similarity,
            compared=parts.compared,
            settings=replace(settings, combined=parts.combined),
            work=work,
            watch=watch,
            begun=begun,
        )
