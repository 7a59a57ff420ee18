"""Is a document that is being indexed a duplicate of one that is there, or came earlier in the same run?

An engine shows documents only after a commit, so those on their way are kept here until then.
"""

from collections.abc import Sequence
from dataclasses import replace
from types import TracebackType
from typing import Final, Self

import numpy as np

from leitong.indexer.documents import Entry, StoredDocument
from leitong.indexer.duplicates.boilerplate import FREE, NOTE, Learner
from leitong.indexer.duplicates.candidates import TRUSTED
from leitong.indexer.duplicates.check import MIN_SIMILARITY
from leitong.indexer.duplicates.find import Finder
from leitong.indexer.duplicates.learn import load
from leitong.indexer.engines.base import Engine, Snapshot
from leitong.indexer.errors import EngineError
from leitong.indexer.fingerprint.hamming import distances, pack, words_of
from leitong.indexer.prepare import Passage, outlines

_GROWTH: Final = 256


def marked(entry: Entry, original: StoredDocument) -> Entry:
    """The entry as a duplicate of the document."""
    stored = replace(
        entry.stored, cluster=original.cluster, duplicate_of=original.document.id, original=original.digest
    )
    return replace(entry, stored=stored)


class Gate:
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
        self._waiting: list[Entry] = []
        self._waiting_ids: set[str] = set()
        self._fingerprints = np.empty((0, words_of(self._bits)), dtype=np.uint64)
        self._by_key: dict[int, list[int]] = {}

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

        Entries that will be stored are remembered as on their way, so those after them are compared with them. A
        document that was marked as a duplicate of an entry is no original of it when the entry comes again.
        """
        there = self._there(entries)
        finder = self._finder()
        answers: list[StoredDocument | None] = []
        for entry, stored in zip(entries, there, strict=True):
            candidates = [one for one in stored if one.document.id not in self._waiting_ids]
            candidates += self._on_their_way(entry, finder)
            candidates = [one for one in candidates if one.cluster != entry.stored.document.id]
            found = finder.compare(entry, candidates)
            by_id = {one.document.id: one for one in candidates}
            original = by_id[found.matches[0].id] if found.matches else None
            answers.append(original)
            if original is None:
                self._remember(entry)
            elif self._mark:
                self._remember(marked(entry, original))
        return answers

    def committed(self) -> None:
        """The engine shows everything that was put into it: forget what was on its way."""
        self._waiting = []
        self._waiting_ids = set()
        self._fingerprints = self._fingerprints[:0]
        self._by_key = {}
        self.close()

    def close(self) -> None:
        """Give back the snapshot."""
        if self._snapshot is not None:
            self._snapshot.close()
            self._snapshot = None
            self._open_finder = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

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

    def _on_their_way(self, entry: Entry, finder: Finder) -> list[StoredDocument]:
        places = {place for key in finder.rare(entry.keys) for place in self._by_key.get(key, ())}
        if entry.stored.features >= TRUSTED and self._waiting:
            away = distances(self._fingerprints[: len(self._waiting)], pack([entry.stored.fingerprint], self._bits))
            places.update(
                place
                for place in np.flatnonzero(away <= self._radius).tolist()
                if self._waiting[place].stored.features >= TRUSTED
            )
        return [self._waiting[place].stored for place in sorted(places)]

    def _remember(self, entry: Entry) -> None:
        place = len(self._waiting)
        self._waiting.append(entry)
        self._waiting_ids.add(entry.stored.document.id)
        if place >= len(self._fingerprints):
            room = np.zeros((max(_GROWTH, place), self._fingerprints.shape[1]), dtype=np.uint64)
            self._fingerprints = np.concatenate([self._fingerprints, room])
        self._fingerprints[place] = pack([entry.stored.fingerprint], self._bits)[0]
        for key in entry.keys:
            self._by_key.setdefault(key, []).append(place)
