"""Is a document that is being indexed a duplicate of one that is there, or came earlier in the same run?

An engine shows documents only after a commit, so those on their way are kept here until then.
"""

from collections.abc import Sequence
from dataclasses import replace

from leitong.indexer.closing import Closing
from leitong.indexer.documents import Entry, StoredDocument
from leitong.indexer.duplicates.boilerplate import FREE, NOTE, Learner
from leitong.indexer.duplicates.check import MIN_SIMILARITY
from leitong.indexer.duplicates.find import Finder
from leitong.indexer.duplicates.learn import load
from leitong.indexer.duplicates.waiting import Waiting
from leitong.indexer.engines.base import Engine, Snapshot
from leitong.indexer.errors import EngineError
from leitong.indexer.passages import Passage, outlines


def marked(entry: Entry, original: StoredDocument) -> Entry:
    """The entry as a duplicate of the document."""
    stored = replace(
        entry.stored, cluster=original.cluster, duplicate_of=original.document.id, original=original.digest
    )
    return replace(entry, stored=stored)


class Gate(Closing):
    """Tells originals from duplicates while documents pass."""

    def __init__(self, engine: Engine, *, mark: bool, radius: int | None, min_similarity: float | None) -> None:
        """With `mark` duplicates are stored as well, and what comes after them may repeat them."""
        self._engine = engine
        self._mark = mark
        self._bits = engine.recipe.bits
        self._radius = engine.recipe.radius if radius is None else radius
        self._min_similarity = MIN_SIMILARITY if min_similarity is None else min_similarity
        self._boilerplate = load(engine)
        self._snapshot: Snapshot | None = None
        self._open_finder: Finder | None = None
        self._forget()

    @property
    def knows_nothing(self) -> bool:
        """Whether nothing has been learned yet of what many documents share."""
        return self._boilerplate.documents == 0

    def learn(self, entries: Sequence[Entry]) -> None:
        """Learn what many documents share from the first of a new index, and keep it beside the index."""
        documents = {entry.stored.digest: entry.stored.document for entry in entries}
        passages = [Passage.of(document) for _, document in sorted(documents.items())]
        with Learner() as learner:
            learner.add(outlines(passages, script=self._engine.recipe.script))
            self._boilerplate = learner.finish(documents=len(entries))
        self._engine.write_note(NOTE, self._boilerplate.to_bytes())

    def originals(self, entries: Sequence[Entry]) -> list[StoredDocument | None]:
        """For each entry the document it repeats, the most similar one; None for an original.

        A marked document is what it repeats where no original is: so copies are not all compared with each other.
        Entries that will be stored are remembered as on their way, so those after them are compared with them. A
        document that was marked as a duplicate of an entry is no original of it when the entry comes again.
        """
        there = self._there(entries)
        answers: list[StoredDocument | None] = []
        for entry, stored in zip(entries, there, strict=True):
            original = self._original(entry, [one for one in stored if one.document.id not in self._waiting_ids])
            answers.append(original)
            if original is None:
                self._remember(entry)
            elif self._mark:
                self._remember(marked(entry, original))
        return answers

    def _original(self, entry: Entry, there: Sequence[StoredDocument]) -> StoredDocument | None:
        """What an entry repeats, among what is stored and what is on its way."""
        finder = self._finder()
        keys = finder.rare(entry.keys)
        originals = [one for one in there if one.duplicate_of is None]
        copies = [one for one in there if one.duplicate_of is not None]
        for stored, waiting in ((originals, self._originals), (copies, self._copies)):
            candidates = [*stored, *waiting.near(entry, keys, radius=self._radius)]
            others = {one.document.id: one for one in candidates if one.cluster != entry.stored.document.id}
            if matches := finder.compare(entry, list(others.values())).matches:
                return others[matches[0].id]
        return None

    def committed(self) -> None:
        """The engine shows everything that was put into it: forget what was on its way."""
        self._forget()
        self.close()

    def _forget(self) -> None:
        self._waiting_ids: set[str] = set()
        self._originals, self._copies = Waiting(self._bits), Waiting(self._bits)

    def close(self) -> None:
        """Give back the snapshot."""
        if self._snapshot is not None:
            self._snapshot.close()
            self._snapshot = None
            self._open_finder = None

    def _there(self, entries: Sequence[Entry]) -> list[list[StoredDocument]]:
        """Candidates among what is stored.

        A server's node that goes away takes with it the state that is read. A later state serves as well: what came
        into it meanwhile is on its way here, and known by its id.
        """
        try:
            return self._finder().candidates(entries)
        except EngineError:
            self.close()
            return self._finder().candidates(entries)

    def _finder(self) -> Finder:
        if self._snapshot is None or self._open_finder is None:
            self._snapshot = self._engine.snapshot()
            self._open_finder = Finder(
                self._snapshot,
                self._boilerplate,
                recipe=self._engine.recipe,
                radius=self._radius,
                min_similarity=self._min_similarity,
                rare=FREE,  # not by the size of what is committed: a run that was interrupted finds the same
            )
        return self._open_finder

    def _remember(self, entry: Entry) -> None:
        self._waiting_ids.add(entry.stored.document.id)
        (self._originals if entry.stored.duplicate_of is None else self._copies).add(entry)
