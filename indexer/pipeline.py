"""Source to fingerprint to engine, in bulk: what happens to every record, and what is told of it.

The index itself is the checkpoint: `resume` skips documents that are there with the same text, so an interrupted run
that is started again ends with the same index as an undisturbed one, on every engine.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Final, Literal

from leitong.indexer.documents import Document, Entry, Reject
from leitong.indexer.duplicates.commonness.learn import Learning
from leitong.indexer.duplicates.policy.gate import Gate
from leitong.indexer.duplicates.policy.marks import marked, release
from leitong.indexer.engines.base import Engine, Writer
from leitong.indexer.errors import EngineError, is_interruption
from leitong.indexer.passages import read
from leitong.indexer.prepare import Preparer
from leitong.indexer.rejects import RejectsFile, as_record, check_rejects
from leitong.indexer.sources.base import Record, Source
from leitong.indexer.sources.ids import SeenIds
from leitong.indexer.threads import Held, with_pauses
from leitong.indexer.workers import in_batches, prepare_all

OnDuplicate = Literal["index", "mark", "skip"]

_LEARNED_FROM: Final = 2_000
_COMMIT_DOCUMENTS: Final = 20_000
_COMMIT_CHARACTERS: Final = 60_000_000
_PAUSE_SECONDS: Final = 1.0
"""When nothing has come for so long, what has come is dealt with."""
_REJECTED_TOLD: Final = 256
"""After so many rejects it is told how far the source is."""
_HELD: Final = 40
"""Batches that are prepared while an engine commits."""


@dataclass(frozen=True, kw_only=True)
class IndexOptions:
    """How to index.

    Args:
        on_duplicate: `index` duplicates like everything, `mark` them with the document they repeat, or `skip` them.
        resume: leave documents alone that are there with the same text.
        rejects: file for records that cannot be indexed; written only when there are some.
        workers: processes that prepare documents; 1 works in this process.
        radius: for `mark` and `skip`; None is the recipe's.
        min_similarity: for `mark` and `skip`; None is the default.
        commit_seconds: after so long what was written is committed: the most that a killed run has to do again. A
            source that pauses is not waited for.
    """

    on_duplicate: OnDuplicate = "index"
    resume: bool = False
    rejects: Path
    workers: int = 1
    radius: int | None = None
    min_similarity: float | None = None
    commit_seconds: float = 30.0


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a run is. `position` of `size` bytes have been dealt with; size is None where a source cannot tell.

    `duplicates` were skipped; `marked` were indexed, marked as duplicates, and are among the `indexed`. `reason` says
    which was the first of the `rejected`, and why; `doubtful` which source turned out not to be as it was written, too
    late for what was read of it.
    """

    position: int = 0
    size: int | None = None
    indexed: int = 0
    unchanged: int = 0
    duplicates: int = 0
    marked: int = 0
    rejected: int = 0
    reason: str | None = None
    doubtful: str | None = None
    seconds: float = 0.0

    @property
    def documents(self) -> int:
        """Records that have been dealt with."""
        return self.indexed + self.unchanged + self.duplicates + self.rejected

    @property
    def in_vain(self) -> bool:
        """Whether every record was rejected."""
        return 0 < self.rejected == self.documents


def _records(source: Source) -> Iterator[tuple[Record, int, int] | None]:
    """Each record with its position and line; None where a source of unknown size, such as stdin, pauses."""
    found = ((record, source.position, source.line) for record in source)
    return found if source.size is not None else with_pauses(lambda: found, seconds=_PAUSE_SECONDS)


class _Before:
    """The digests of what was there before the run.

    A server's node that goes away takes with it the state that is read. A later state serves as well: no document that
    this run has written is asked for again.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._snapshot = engine.snapshot()
        self.has_marks = self._snapshot.has_marks

    def digests(self, ids: Sequence[str]) -> dict[str, str]:
        try:
            return self._snapshot.digests(ids)
        except EngineError:
            self.close()
            self._snapshot = self._engine.snapshot()
            return self._snapshot.digests(ids)

    def close(self) -> None:
        self._snapshot.close()


class _Run:
    """One run: its counters and the records on their way."""

    def __init__(
        self,
        engine: Engine,
        sources: Sequence[Source],
        options: IndexOptions,
        watch: Callable[[Progress], None],
        learning: Learning | None,
    ) -> None:
        self._engine = engine
        self._sources = sources
        self._options = options
        self._learning = learning
        self._watch = watch
        self._rejects = RejectsFile(options.rejects)
        self._seen = SeenIds()
        self._unlooked: list[str] = []  # documents that marks may name and that say something else, or are gone
        self._read = 0
        self._ends: deque[int] = deque()
        self._begun = time.monotonic()
        sizes = [source.size for source in sources]
        self.progress = Progress(size=None if None in sizes else sum(size or 0 for size in sizes))

    def go(self) -> Progress:
        with (
            closing(_Before(self._engine)) as before,
            self._engine.writer() as writer,
            Gate(
                self._engine,
                mark=self._options.on_duplicate == "mark",
                radius=self._options.radius,
                min_similarity=self._options.min_similarity,
            ) as gate,
        ):
            check_rejects(self._options.rejects, self._sources)  # after the writer: it tells of the whole index
            try:
                self._write(writer, gate, before)
            except BaseException as error:
                if is_interruption(error):
                    self._commit(writer)
                raise
            self._count(position=self._read)
            if self._learning and self._options.on_duplicate != "skip":
                self._learning.begin()
            self._commit(writer)
        self._rejects.finish()
        return self.progress

    def _write(self, writer: Writer, gate: Gate, before: "_Before") -> None:
        """Put what the sources give; commit it now and then, but not the last of it."""
        prepared = prepare_all(
            self._batches(before),
            recipe=self._engine.recipe,
            workers=self._options.workers,
            collected=self._learning.collected if self._learning else None,
        )
        held = Held(prepared, most=_HELD)
        uncommitted = characters = 0
        committed = self._begun
        for entries in self._learned(held, gate):
            kept = self._without_duplicates(entries, gate, writer)
            writer.put(kept)
            self._unlooked += [entry.stored.document.id for entry in kept]
            self._count(indexed=len(kept), position=self._ends.popleft())
            self._reject_refused(writer)
            uncommitted += len(kept)
            characters += sum(len(entry.stored.document.text) for entry in kept)
            enough = len(self._unlooked) >= _COMMIT_DOCUMENTS or characters >= _COMMIT_CHARACTERS
            if enough or (uncommitted and time.monotonic() - committed >= self._options.commit_seconds):
                self._commit(writer, during=held.during)
                gate.committed()
                uncommitted = characters = 0
                committed = time.monotonic()

    def _commit(
        self, writer: Writer, *, during: Callable[[Callable[[], None]], None] = lambda commit: commit()
    ) -> None:
        """What was written is there from now on; marks that name a document which says something else now go.

        `during` calls the commit and may do something else meanwhile.
        """
        during(writer.commit)
        self._reject_refused(writer)
        unlooked, self._unlooked = self._unlooked, []
        release(self._engine, writer, unlooked, preparer=lambda: self._preparer)

    @cached_property
    def _preparer(self) -> Preparer:
        return Preparer(self._engine.recipe)

    def _batches(self, before: "_Before") -> Iterator[list[Document]]:
        for batch in in_batches(self._documents()):
            self._ends.append(self._read)
            yield self._changed(batch, before)

    def _documents(self) -> Iterator[Document | None]:
        """Each document; None where a source pauses, or has given nothing but rejects for a while."""
        done = rejected = 0
        for source in self._sources:
            for found in _records(source):
                if found is None:
                    yield None
                    continue
                record, position, line = found
                self._read = done + position
                if isinstance(record, Document) and not self._seen.add(record.id):
                    record = Reject(
                        source.name,
                        line,
                        f"the id {record.id!r} stands in an earlier record of this run; give every record its own id",
                        record=as_record(record),
                        id=record.id,
                    )
                if isinstance(record, Reject):
                    self._reject(record)
                    rejected += 1
                    if rejected % _REJECTED_TOLD == 0:
                        yield None
                else:
                    yield record
            done += source.position
            self._read = done

    def _changed(self, batch: list[Document], before: "_Before") -> list[Document]:
        if not self._options.resume:
            return batch
        script = self._engine.recipe.script
        there = before.digests([document.id for document in batch])
        fresh = [
            document for document in batch if there.get(document.id) != read(document.passage, script=script).digest
        ]
        self._count(unchanged=len(batch) - len(fresh))
        if before.has_marks and len(fresh) < len(batch):  # a run that was killed may have written it, and not looked
            changed = {document.id for document in fresh}
            self._unlooked += [document.id for document in batch if document.id not in changed]
        return fresh

    def _learned(self, prepared: Iterator[list[Entry]], gate: Gate) -> Iterator[list[Entry]]:
        """The same batches, some of them kept back until it is known what many of their documents share.

        Where something is known already, whatever has come passes when the source pauses.
        """
        if self._options.on_duplicate == "index":
            yield from prepared
            return
        some: list[list[Entry]] = []
        begun = time.monotonic()
        for entries in prepared:
            some.append(entries)
            pauses = not entries or time.monotonic() - begun >= self._options.commit_seconds
            if sum(map(len, some)) >= _LEARNED_FROM or (pauses and not gate.knows_nothing):
                gate.learn([entry for one in some for entry in one])
                yield from some
                some = []
                begun = time.monotonic()
        gate.learn([entry for one in some for entry in one])
        yield from some

    def _without_duplicates(self, entries: list[Entry], gate: Gate, writer: Writer) -> list[Entry]:
        if self._options.on_duplicate == "index":
            return entries
        kept: list[Entry] = []
        skipped: list[str] = []
        for entry, original in zip(entries, gate.originals(entries), strict=True):
            if original is None:
                kept.append(entry)
            elif self._options.on_duplicate == "mark":
                kept.append(marked(entry, original))
                self._count(marked=1)
            else:
                skipped.append(entry.stored.document.id)
        if skipped:  # what stood under the id says what the source says no longer
            writer.delete(skipped)
            self._unlooked += skipped
            self._count(duplicates=len(skipped))
        return kept

    def _reject_refused(self, writer: Writer) -> None:
        """What the engine would not have goes to the rejects file."""
        for refused in writer.refused():
            document = refused.stored.document
            self._count(indexed=-1)
            self._reject(Reject("documents", 0, refused.reason, record=as_record(document), id=document.id))

    def _reject(self, reject: Reject) -> None:
        self._rejects.add(reject)
        self.progress = replace(
            self.progress,
            reason=self.progress.reason or reject.told,
            doubtful=self.progress.doubtful or (reject.told if reject.doubtful else None),
        )
        self._count(rejected=1)

    def _count(
        self,
        *,
        indexed: int = 0,
        unchanged: int = 0,
        duplicates: int = 0,
        marked: int = 0,
        rejected: int = 0,
        position: int | None = None,
    ) -> None:
        now = self.progress
        self.progress = replace(
            now,
            position=now.position if position is None else position,
            indexed=now.indexed + indexed,
            unchanged=now.unchanged + unchanged,
            duplicates=now.duplicates + duplicates,
            marked=now.marked + marked,
            rejected=now.rejected + rejected,
            seconds=time.monotonic() - self._begun,
        )
        self._watch(self.progress)


def index(
    engine: Engine,
    sources: Iterable[Source],
    *,
    options: IndexOptions,
    watch: Callable[[Progress], None] = lambda progress: None,
    learning: Learning | None = None,
) -> Progress:
    """Index every record of the sources; returns what became of them.

    `watch` is told after each batch; `learning` is told what it learns from. Raises EngineError when the
    engine fails and SourceError when a source does; what was committed by then stays, and the same call with `resume`
    finishes the work. For `options.rejects` see `check_rejects`.
    """
    return _Run(engine, list(sources), options, watch, learning).go()
