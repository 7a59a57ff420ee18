"""When is boilerplate learned, and from which documents?

From those whose digests come first: a random sample that is the same on every engine and in every order of indexing.
Learned when there is nothing yet, and again when the collection has doubled or halved.
"""

from typing import Final

import numpy as np

from leitong.indexer.duplicates.boilerplate import NOTE, Boilerplate, Learner
from leitong.indexer.engines.base import Engine, Rows, Snapshot
from leitong.indexer.errors import EngineError, StorageError
from leitong.indexer.prepare import Passage, outlines

SAMPLE: Final = 20_000
"""Documents that are read to learn."""
_AT_ONCE: Final = 500


def load(engine: Engine) -> Boilerplate:
    """The table kept beside the index; the empty one where nothing was learned, or where it is damaged.

    It comes from the documents and `current` learns it again, so damage to it is no reason to refuse the index.
    """
    note = engine.read_note(NOTE)
    try:
        return Boilerplate.from_bytes(note)
    except EngineError:
        return Boilerplate.empty()


def current(engine: Engine, snapshot: Snapshot) -> Boilerplate:
    """The table for a snapshot: the one kept beside the index if it still fits, else learned now and kept."""
    table = load(engine)
    if table.documents // 2 < snapshot.count < table.documents * 2 or snapshot.count == table.documents:
        return table
    table = learn(snapshot)
    try:
        engine.write_note(NOTE, table.to_bytes())
    except StorageError:
        return table  # reading works where nothing may be written; it is learned again next time
    return table


def learn(snapshot: Snapshot, *, sample: int = SAMPLE) -> Boilerplate:
    """Learn from the documents of a snapshot."""
    rows = _sample(snapshot, sample)
    learner = Learner()
    for start in range(0, len(rows), _AT_ONCE):
        documents = snapshot.documents(rows.refs[start : start + _AT_ONCE])
        for text in outlines([Passage.of(stored.document) for stored in documents]):
            learner.add(text)
    return learner.finish(documents=snapshot.count)


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
