"""When is boilerplate learned, and from which documents?

From those whose digests come first: a random sample that is the same on every engine and in every order of indexing.
Learned when there is nothing yet, and again when the collection has changed: how much it may depends on who asks.
"""

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.closing import Closing
from leitong.indexer.duplicates.commonness.boilerplate import NOTE, Boilerplate, Learner
from leitong.indexer.duplicates.commonness.collected import Collected
from leitong.indexer.engines.base import Engine, Rows, Snapshot
from leitong.indexer.engines.lost import anew
from leitong.indexer.engines.portion import Portion
from leitong.indexer.errors import EngineError, StorageError
from leitong.indexer.passages import Outlines, Passage, outlines
from leitong.indexer.processes import as_given, mapped
from leitong.indexer.workers import cores

SAMPLE: Final = 100_000
"""Documents that are read to learn. A family of n pages is learned where more than FREE of them are among those: the
smaller the sample beside the collection, the larger the families that go on looking like copies."""
ASKED: Final = 2.0
"""A question about a document does not wait for what is learned anew, unless the collection has doubled or halved."""
WRITTEN: Final = 1.1
"""A run that writes learns anew where a tenth has come or gone: a site of pages with one footer may be among that."""
EXACT: Final = 1.0
"""A report is made of what the very same number of documents share: somebody deletes by it."""
_AT_ONCE: Final = 250
_VALUES_AT_ONCE: Final = 4_000_000
"""Hashes of outlines, of which a text has about one for each character."""
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


class Learning(Closing):
    """What a run that writes to an index does for what will be learned at its end. Use it in a `with` statement.

    Where nothing was learned before, the documents of the run are taken to be all there will be, and learned from while
    the last of them are committed. Whether that was right shows afterwards.
    """

    def __init__(self, engine: Engine) -> None:
        known = load(engine).documents
        self.collected = Collected(wanted=known < _FEW)
        self._alone = known == 0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="leitong-learn")
        self._stopped = threading.Event()
        self._digests = self.collected.digests(0)
        self._ahead: Future[Learner | None] | None = None

    def begin(self) -> None:
        """Every document has been collected."""
        if self._alone and self.collected.wanted:
            self._digests = self.collected.digests(SAMPLE)
            self._ahead = self._thread.submit(self._learn)

    def learner(self, rows: Rows) -> Learner | None:
        """The one that has learned from the documents of these rows, and from no others; None where there is none.

        It is given once: whoever asks for it closes it.
        """
        fits = self._ahead is not None and np.array_equal(rows.digests, self._digests)
        if not fits:
            self._give_up()
            return None
        learner, self._ahead = self._result(), None
        return learner

    def _result(self) -> Learner | None:
        return self._ahead.result() if self._ahead else None

    def _give_up(self) -> None:
        self._stopped.set()
        if learner := self._result():
            learner.close()

    def _learn(self) -> Learner | None:
        """Runs in the thread."""
        learner = Learner()
        portion = _portion()
        start = 0
        while start < len(self._digests):
            collected, kept = self.collected.take(self._digests[start : start + portion.size])
            if self._stopped.is_set() or not kept.all():
                learner.close()
                return None
            learner.add(collected)
            start += len(collected)
            portion.seen(collected.lengths)
        return learner

    def close(self) -> None:
        """Give back what is held."""
        self._give_up()
        self._thread.shutdown()
        self.collected.close()


def current(
    engine: Engine,
    snapshot: Snapshot,
    memory: Memory | None = None,
    *,
    within: float = ASKED,
    written: int = 0,
    learning: Learning | None = None,
) -> Boilerplate:
    """The table for a snapshot: the one kept beside the index if it still fits, else learned now and kept.

    It fits where the collection has neither grown nor shrunk `within` times since, and where less than a tenth of its
    documents has been `written` just now, be it in place of others.
    """
    table = load(engine, memory)
    count = snapshot.count
    fits = table.documents == count or table.documents / within < count < table.documents * within
    if fits and written * 10 < max(1, count):
        return table
    table = learn(snapshot, script=engine.recipe.script, learning=learning)
    try:
        engine.write_note(NOTE, table.to_bytes())
    except StorageError:
        return table  # reading works where nothing may be written; it is learned again next time
    return table


def learn_written(engine: Engine, learning: Learning, *, written: int) -> None:
    """At the end of a run that wrote so many documents: learn what they have in common with all others.

    Those of the run that was `learning` are not read again.
    """

    def learn_now() -> None:
        with engine.snapshot() as snapshot:
            current(engine, snapshot, within=WRITTEN, written=written, learning=learning)

    anew(learn_now)


def learn(
    snapshot: Snapshot, *, sample: int = SAMPLE, script: str = "", learning: Learning | None = None
) -> Boilerplate:
    """Learn from the documents of a snapshot; those of the run that was `learning` are not read again.

    `script` is the recipe's.
    """
    rows, texts = _sample(snapshot, sample)
    with (learning and learning.learner(rows)) or Learner() as learner:
        if not learner.sampled:
            _read_all(snapshot, rows, learner, learning.collected if learning else None, script=script)
        return learner.finish(documents=snapshot.count, texts=texts)


def _read_all(snapshot: Snapshot, rows: Rows, learner: Learner, collected: Collected | None, *, script: str) -> None:
    unread = len(rows) - (collected.count(rows.digests) if collected else 0)
    workers = cores() if unread > _FEW else 1
    jobs = _jobs(snapshot, rows, collected)
    for (known, kept), read in mapped(jobs, _read, make=as_given, given=script, workers=workers):
        learner.add(known if kept.all() else _mixed(known, read, kept))


def _mixed(known: Outlines, read: Outlines, kept: NDArray[np.bool_]) -> Outlines:
    """The known ones at the places of those that were kept, those that were read at the others."""
    order = np.empty(len(kept), dtype=np.int64)
    order[kept], order[~kept] = np.arange(len(known)), np.arange(len(known), len(kept))
    return Outlines.join([known, read]).take(order)


def _jobs(
    snapshot: Snapshot, rows: Rows, collected: Collected | None
) -> Iterator[tuple[tuple[Outlines, NDArray[np.bool_]], list[Passage]]]:
    """Some rows at a time: the outlines that were collected, of which rows they are, and the passages of the others."""
    portion = _portion()
    start = 0
    while start < len(rows):
        some = rows.take(np.arange(start, min(start + portion.size, len(rows))))
        known, kept = collected.take(some.digests) if collected else (Outlines.of([]), np.zeros(len(some), np.bool_))
        unread = some.refs[~kept]
        passages = [Passage.of(stored.document) for stored in snapshot.documents(unread)] if len(unread) else []
        yield (known, kept), passages
        start += len(some)
        portion.seen([*known.lengths, *(len(passage.whole) for passage in passages)])


def _portion() -> Portion:
    return Portion(_AT_ONCE, amount=_VALUES_AT_ONCE)


def _read(script: str, passages: list[Passage]) -> Outlines:
    return outlines(passages, script=script)


def _sample(snapshot: Snapshot, size: int) -> tuple[Rows, int]:
    """The rows whose digests come first, in their order; one of those with equal digests. And how many digests there
    are: digests are spread evenly, so the place of the last one tells how many lie behind it."""
    chosen = Rows.join([], bits=64)
    cut = False
    for rows in snapshot.rows():
        chosen = Rows.join([chosen, rows], bits=64) if len(chosen) else rows
        order = np.lexsort((chosen.digests[:, 1], chosen.digests[:, 0]))
        digests = chosen.digests[order]
        fresh = np.ones(len(order), dtype=np.bool_)
        fresh[1:] = (digests[1:] != digests[:-1]).any(axis=1)
        cut = cut or int(fresh.sum()) > size
        chosen = chosen.take(order[fresh][:size])
    return chosen, max(size + 1, round((size << 64) / max(1, int(chosen.digests[-1, 0])))) if cut else len(chosen)
