"""When is boilerplate learned, and from which documents?

From those whose digests come first: a random sample that is the same on every engine and in every order of indexing.
Learned when there is nothing yet, and again when the collection has doubled or halved.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np

from leitong.indexer.duplicates.boilerplate import NOTE, Boilerplate, Learner
from leitong.indexer.duplicates.collected import Collected
from leitong.indexer.engines.base import Engine, Rows, Snapshot
from leitong.indexer.errors import EngineError, StorageError
from leitong.indexer.prepare import Outline, Outlines, Passage, outlines
from leitong.indexer.workers import cores, mapped

SAMPLE: Final = 100_000
"""Documents that are read to learn. A family of n pages is learned where more than FREE of them are among those: the
smaller the sample beside the collection, the larger the families that go on looking like copies."""
_AT_ONCE: Final = 250
_FEW: Final = 20_000
"""So many texts are read in this process: others take longer to start."""


class Memory:
    """The table that was read last, so that it is taken apart again only where it has changed."""

    def __init__(self) -> None:
        self._note: bytes | None = None
        self._table = Boilerplate.empty()

    def read(self, note: bytes | None) -> Boilerplate:
        """The table of a note. Raises EngineError for a damaged one."""
        if note != self._note:
            self._table = Boilerplate.from_bytes(note)
            self._note = note
        return self._table


def load(engine: Engine, memory: Memory | None = None) -> Boilerplate:
    """The table kept beside the index; the empty one where nothing was learned, or where it is damaged.

    It comes from the documents and `current` learns it again, so damage to it is no reason to refuse the index.
    """
    note = engine.read_note(NOTE)
    try:
        return (memory or Memory()).read(note)
    except EngineError:
        return Boilerplate.empty()


def collecting(engine: Engine) -> Collected:
    """For a run that writes to an index: collects what will be learned from, where that is likely to be at its end."""
    return Collected(wanted=load(engine).documents < _FEW)


def current(
    engine: Engine, snapshot: Snapshot, memory: Memory | None = None, *, collected: Collected | None = None
) -> Boilerplate:
    """The table for a snapshot: the one kept beside the index if it still fits, else learned now and kept."""
    table = load(engine, memory)
    if table.documents // 2 < snapshot.count < table.documents * 2 or snapshot.count == table.documents:
        return table
    table = learn(snapshot, collected=collected)
    try:
        engine.write_note(NOTE, table.to_bytes())
    except StorageError:
        return table  # reading works where nothing may be written; it is learned again next time
    return table


def learn(snapshot: Snapshot, *, sample: int = SAMPLE, collected: Collected | None = None) -> Boilerplate:
    """Learn from the documents of a snapshot; those that were collected are not read again."""
    rows = _sample(snapshot, sample)
    unread = len(rows) - (collected.count(rows) if collected else 0)
    workers = cores() if unread > _FEW else 1
    with Learner() as learner:
        jobs = _jobs(snapshot, rows, collected)
        for known, read in mapped(jobs, _read, make=_nothing, given=None, workers=workers):
            others = read.of_each()
            for outline in known:
                learner.add(next(others) if outline is None else outline)
        return learner.finish(documents=snapshot.count)


def _jobs(
    snapshot: Snapshot, rows: Rows, collected: Collected | None
) -> Iterator[tuple[list[Outline | None], list[Passage]]]:
    """Some rows at a time: the outlines that were collected, and the passages of those without one."""
    for start in range(0, len(rows), _AT_ONCE):
        some = rows.take(np.arange(start, min(start + _AT_ONCE, len(rows))))
        known: list[Outline | None] = collected.take(some) if collected else [None] * len(some)
        unread = some.refs[[outline is None for outline in known]]
        documents = snapshot.documents(unread) if len(unread) else []
        yield known, [Passage.of(stored.document) for stored in documents]


def _nothing(given: None) -> None:
    return given


def _read(tool: None, passages: list[Passage]) -> Outlines:
    return Outlines.of(outlines(passages))


def _sample(snapshot: Snapshot, size: int) -> Rows:
    """The rows whose digests come first, in their order; one of those with equal digests."""
    chosen = Rows.join([], bits=64)
    for rows in snapshot.rows():
        chosen = Rows.join([chosen, rows], bits=64) if len(chosen) else rows
        order = np.lexsort((chosen.digests[:, 1], chosen.digests[:, 0]))
        digests = chosen.digests[order]
        fresh = np.ones(len(order), dtype=np.bool_)
        fresh[1:] = (digests[1:] != digests[:-1]).any(axis=1)
        chosen = chosen.take(order[fresh][:size])
    return chosen
