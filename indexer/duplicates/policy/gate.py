"""Is a document that is being indexed a duplicate of one that is there, or came earlier in the same run?

An engine shows documents only after a commit, so those on their way are kept here until then.
"""

from collections.abc import Sequence
from typing import Final

from leitong.indexer.closing import Closing
from leitong.indexer.documents import Entry, Match, StoredDocument
from leitong.indexer.duplicates.asking import Asking
from leitong.indexer.duplicates.commonness.boilerplate import NOTE, Learner
from leitong.indexer.duplicates.commonness.learn import load
from leitong.indexer.duplicates.comparing.check import MIN_SIMILARITY
from leitong.indexer.duplicates.find import Finder, best_first
from leitong.indexer.duplicates.policy.decisions import NOTE as DECISIONS
from leitong.indexer.duplicates.policy.decisions import Decisions, pair
from leitong.indexer.duplicates.policy.marks import marked
from leitong.indexer.duplicates.policy.waiting import Waiting
from leitong.indexer.engines.base import Engine, Snapshot
from leitong.indexer.errors import EngineError
from leitong.indexer.passages import Passage, outlines

_Repeated = tuple[Match, StoredDocument]

_FOR_NOW: Final = 1
"""A table of so many documents fits no larger collection, so it is learned anew."""


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
        self._decisions = Decisions.from_bytes(engine.read_note(DECISIONS))
        self._snapshot: Snapshot | None = None
        self._open_finder: Finder | None = None
        self._has_marks = False
        self._forget()

    @property
    def knows_nothing(self) -> bool:
        """Whether nothing has been learned yet of what many documents share."""
        return self._boilerplate.documents == 0

    def learn(self, entries: Sequence[Entry]) -> None:
        """Learn what many of these documents share, before they pass: they may be of a source that is new here.

        What the first of a new index share is kept beside it until all is learned anew at the end of the run.
        """
        if not entries:
            return
        documents = {entry.stored.digest: entry.stored.document for entry in entries}
        passages = [Passage.of(document) for _, document in sorted(documents.items())]
        with Learner() as learner:
            learner.add(outlines(passages, script=self._engine.recipe.script))
            learned = learner.finish(documents=_FOR_NOW)
        if self.knows_nothing:
            self._engine.write_note(NOTE, learned.to_bytes())
        self._boilerplate = self._boilerplate.joined(learned)
        self.close()  # what compares has the table of before

    def originals(self, entries: Sequence[Entry]) -> list[StoredDocument | None]:
        """For each entry the document it repeats, the most similar one; None for an original.

        A marked document is what it repeats where no original is: so copies are not all compared with each other.
        Entries that will be stored are remembered as on their way, so those after them are compared with them. A
        document that was marked as a duplicate of an entry is no original of it when the entry comes again. What a
        person decided comes first: who is to be kept repeats nothing, and nobody repeats what he is apart from.
        """
        originals = self._repeated(entries, marked=False)
        left = [place for place, found in enumerate(originals) if not found]
        copies = dict(zip(left, self._repeated([entries[place] for place in left], marked=True), strict=True))
        answers: list[StoredDocument | None] = []
        for place, entry in enumerate(entries):
            keys = self._finder().rare(entry.keys)
            original = self._first(entry, originals[place], self._originals, keys)
            if entry.stored.document.id in self._decisions.keep:
                original = None
            elif original is None:
                if place not in copies:  # what it repeats came again in this very batch, with another text
                    copies[place] = self._repeated([entry], marked=True)[0]
                original = self._first(entry, copies[place], self._copies, keys)
            answers.append(original)
            if original is None:
                self._remember(entry)
            elif self._mark:
                self._remember(marked(entry, original))
        return answers

    def _repeated(self, entries: Sequence[Entry], *, marked: bool) -> list[list[_Repeated]]:
        """What each entry repeats among what is stored: of the documents that are marked, or of the others."""
        there = self._there(entries, marked=marked)
        asked = (
            [one for one in some if (one.duplicate_of is not None) == marked and self._is_still(one)] for some in there
        )
        return [self._compared(entry, candidates) for entry, candidates in zip(entries, asked, strict=True)]

    def _is_still(self, stored: StoredDocument) -> bool:
        """Whether nothing has come in this run that replaces the document."""
        return stored.document.id not in self._waiting_ids

    def _compared(self, entry: Entry, candidates: Sequence[StoredDocument]) -> list[_Repeated]:
        """Those of the candidates that an entry repeats, the most similar first."""
        own = entry.stored.document.id
        others = {one.document.id: one for one in candidates if one.cluster != own and not self._are_apart(own, one)}
        return [(match, others[match.id]) for match in self._finder().compare(entry, list(others.values())).matches]

    def _are_apart(self, doc_id: str, other: StoredDocument) -> bool:
        """Whether a document is none that repeats the other one, or whom that one stands behind."""
        return not self._decisions.apart.isdisjoint((pair(doc_id, other.document.id), pair(doc_id, other.cluster)))

    def _first(
        self, entry: Entry, stored: Sequence[_Repeated], waiting: Waiting, keys: Sequence[int]
    ) -> StoredDocument | None:
        """The most similar one, among what is stored and what is on its way."""
        near = waiting.near(entry, keys, radius=self._radius)
        found = [one for one in stored if self._is_still(one[1])] + self._compared(entry, near)
        return min(found, key=lambda one: best_first(one[0]))[1] if found else None

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

    def _there(self, entries: Sequence[Entry], *, marked: bool) -> list[list[StoredDocument]]:
        """Candidates among what is stored; the many copies of a text are not read for those that repeat its original.

        A server's node that goes away takes with it the state that is read. A later state serves as well: what came
        into it meanwhile is on its way here, and known by its id.
        """
        try:
            return self._asked(entries, marked=marked)
        except EngineError:
            self.close()
            return self._asked(entries, marked=marked)

    def _asked(self, entries: Sequence[Entry], *, marked: bool) -> list[list[StoredDocument]]:
        finder = self._finder()
        return finder.candidates(entries, marked=marked) if self._has_marks or not marked else [[] for _ in entries]

    def _finder(self) -> Finder:
        if self._snapshot is None or self._open_finder is None:
            self._snapshot = self._engine.snapshot()
            self._has_marks = self._snapshot.has_marks
            self._open_finder = Finder(
                self._snapshot,
                self._boilerplate,
                recipe=self._engine.recipe,
                radius=self._radius,
                min_similarity=self._min_similarity,
                asking=Asking(self._boilerplate),  # whatever is committed: an interrupted run finds the same
            )
        return self._open_finder

    def _remember(self, entry: Entry) -> None:
        self._waiting_ids.add(entry.stored.document.id)
        (self._originals if entry.stored.duplicate_of is None else self._copies).add(entry)
