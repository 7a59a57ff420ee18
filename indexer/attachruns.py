"""Each document of somebody else's index dealt with: counted, at a pace, again where it changed meanwhile.

The documents are the checkpoint: what has the fingerprint of its present text is left alone. So a run that was
interrupted, or documents that came or changed since, are dealt with by running again.
"""

import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from leitong.indexer.documents import Document, Reject, check_limits
from leitong.indexer.duplicates.commonness.collected import Collected
from leitong.indexer.engines.lost import anew
from leitong.indexer.engines.server.attachment import Attachment, Living
from leitong.indexer.errors import DocumentError
from leitong.indexer.passages import read
from leitong.indexer.rejects import RejectsFile
from leitong.indexer.workers import in_batches, prepare_all

_ATTEMPTS: Final = 8
"""Times a document is read again that was changed by its owner between reading and writing."""
"""Times the documents are read from the start because the state that was read is lost."""
_UNHURRIED: Final = 60
"""Seconds that a page of documents should last at a pace: a server forgets what is left alone for long."""


@dataclass(frozen=True, kw_only=True)
class AttachOptions:
    """How to attach.

    Args:
        rejects: file for documents that are left alone; written only when there are some.
        workers: processes that compute fingerprints; 1 works in this process.
        pace: most documents written in a second; None writes as fast as the server takes them.
    """

    rejects: Path
    workers: int = 1
    pace: float | None = None


@dataclass(frozen=True, kw_only=True)
class AttachProgress:
    """How far a run is.

    `index` is named as by an engine. `written` got our fields or lost them, `unchanged` were as they should be,
    `without_text` have nothing to compare, `rejected` were left alone for a reason, `changing` were changed by their
    owner each time they were to be written. `waiting` says why nothing goes on for now; it is empty while something
    does.
    """

    index: str
    total: int = 0
    written: int = 0
    unchanged: int = 0
    without_text: int = 0
    rejected: int = 0
    changing: int = 0
    waiting: str = ""
    seconds: float = 0.0

    @property
    def documents(self) -> int:
        """Documents that have been dealt with."""
        return self.written + self.unchanged + self.without_text + self.rejected + self.changing

    @property
    def position(self) -> int:
        """The same, in the measure of `size`."""
        return self.documents

    @property
    def size(self) -> int:
        """Documents in all."""
        return self.total


Watch = Callable[[AttachProgress], None]


def ignored(progress: AttachProgress) -> None:
    """Nobody watches."""


class Run(ABC):
    """What attaching and detaching have in common: counting, pace, rejects, documents that change meanwhile."""

    def __init__(self, attachment: Attachment, options: AttachOptions, watch: Watch, total: int) -> None:
        self.attachment = attachment
        self._options = options
        self._watch = watch
        self._rejects = RejectsFile(options.rejects)
        self._begun = time.monotonic()
        self._sent = 0
        self._known = 0
        self.progress = AttachProgress(index=attachment.locator, total=total)

    def go(self, pages: Callable[[], Iterable[list[Living]]]) -> None:
        """Deal with every document of the pages, and again with those that changed meanwhile.

        A node that goes away takes the state with it that is read. Then all is read anew: what was done is found so.
        """
        before = self.progress
        anew(lambda: self._go(pages()), lost=lambda: self._begin_anew(before))

    def finish(self) -> None:
        """All of it was dealt with."""
        self._rejects.finish()

    def wait(self, reason: str, before: AttachProgress) -> None:
        """Nothing goes on for now: count as before, for all since then comes by again."""
        if not before.rejected:
            self._rejects = RejectsFile(self._options.rejects)
        self.progress = replace(before, waiting=reason)
        self._watch(self.progress)

    def goes_on(self) -> None:
        """Something goes on again, where it did not."""
        if self.progress.waiting:
            self.count()

    def most(self) -> int | None:
        """Documents of a page."""
        pace = self._options.pace
        return None if pace is None else max(1, int(pace * _UNHURRIED))

    @abstractmethod
    def deal(self, pages: Iterable[list[Living]]) -> None:
        """Send what is to be sent; call `sent` after each batch."""

    def sent(self, number: int) -> None:
        """So many were handed over: keep to the pace."""
        self._sent += number
        self.count(written=number)
        pace = self._options.pace
        if pace is not None and number:
            self._settle()
            time.sleep(max(0.0, self._sent / pace - (time.monotonic() - self._begun)))

    def batch(self) -> int:
        """Documents handed over together."""
        pace = self._options.pace
        return 256 if pace is None else max(1, min(256, int(pace)))

    def reject(self, living: Living, reason: str) -> None:
        """Leave a document alone."""
        self._rejects.add(Reject(living.index, 0, reason, str(living), living.id))
        self.count(rejected=1)

    def count(
        self, *, written: int = 0, unchanged: int = 0, without_text: int = 0, rejected: int = 0, changing: int = 0
    ) -> None:
        """Count and tell."""
        if unchanged and self._known:
            self._known -= 1
            unchanged = 0
        now = self.progress
        self.progress = replace(
            now,
            written=now.written + written,
            unchanged=now.unchanged + unchanged,
            without_text=now.without_text + without_text,
            rejected=now.rejected + rejected,
            changing=now.changing + changing,
            waiting="",
            seconds=time.monotonic() - self._begun,
        )
        self._watch(self.progress)

    def _go(self, pages: Iterable[list[Living]]) -> None:
        changed = self._round(pages)
        for _ in range(_ATTEMPTS):
            if not changed:
                return
            changed = self._round(self.attachment.again(changed))
        self.count(changing=len(changed))

    def _begin_anew(self, before: AttachProgress) -> None:
        """Count as before. What was written since comes by again, and counts as that."""
        if not before.rejected:
            self._rejects = RejectsFile(self._options.rejects)
        self._known = self.progress.written - before.written
        self.progress = replace(before, written=self.progress.written)

    def _round(self, pages: Iterable[list[Living]]) -> list[Living]:
        self._changed: list[Living] = []
        try:
            self.deal(pages)
        finally:
            self._settle()
        return self._changed

    def _settle(self) -> None:
        """What was handed over has arrived, or is told why not."""
        for undone in self.attachment.finish():
            self.count(written=-1)
            if undone.changed:
                self._changed.append(undone.living)
            else:
                self.reject(undone.living, undone.reason)


class Attaching(Run):
    """Each document that lacks the fingerprint of its present text gets it."""

    def __init__(
        self, attachment: Attachment, options: AttachOptions, watch: Watch, total: int, collected: Collected
    ) -> None:
        super().__init__(attachment, options, watch, total)
        self._collected = collected

    def deal(self, pages: Iterable[list[Living]]) -> None:
        waiting: deque[Living] = deque()

        def documents() -> Iterator[Document]:
            for page in pages:
                for living in page:
                    if self._wanted(living):
                        waiting.append(living)
                        yield living.document

        batches = in_batches(documents(), most=self.batch())
        prepared = prepare_all(
            batches, recipe=self.attachment.recipe, workers=self._options.workers, collected=self._collected
        )
        for entries in prepared:
            for entry in entries:
                self.attachment.write(waiting.popleft(), entry)
            self.sent(len(entries))

    def _wanted(self, living: Living) -> bool:
        """Whether the document needs a fingerprint; what else there is to do with it is done."""
        reason = living.cannot_be_kept
        if reason is not None:
            self.reject(living, reason)
            return False
        try:
            self.attachment.fields.check(living.source)
            if not living.document.text.strip():
                self.count(without_text=1)
                self._clear(living)
                return False
            check_limits(replace(living.document, metadata={}))
        except DocumentError as error:
            self.reject(living, str(error))
            self._clear(living)
            return False
        if self._is_done(living):
            self.count(unchanged=1)
            return False
        return True

    def _is_done(self, living: Living) -> bool:
        """Whether it has the fingerprint of its present text, and is found by all that belongs to it."""
        ours = living.ours
        if ours.get("recipe") != self.attachment.recipe_id or ours.get("digest") != living.found_by:
            return False
        if not living.is_whole:
            return False
        return ours.get("digest") == read(living.document.passage, script=self.attachment.recipe.script).digest

    def _clear(self, living: Living) -> None:
        """The fingerprint of a text that is not there any more goes."""
        if living.ours:
            self.attachment.clear(living)
            self.count(written=1)


class Detaching(Run):
    """Each document loses our fields."""

    def deal(self, pages: Iterable[list[Living]]) -> None:
        for page in pages:
            for start in range(0, len(page), self.batch()):
                self.sent(sum(map(self._strip, page[start : start + self.batch()])))

    def _strip(self, living: Living) -> bool:
        if "leitong" not in living.source:
            self.count(unchanged=1)
            return False
        self.attachment.strip(living)
        return True
