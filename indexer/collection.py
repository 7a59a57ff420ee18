"""The calls about a whole index: what are its duplicates, is that right, and what is decided and done about them?"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from leitong.indexer.asked import (
    check_keep,
    check_kind,
    check_policy,
    check_settings,
    check_whole,
    checked_ids,
    each,
    listed,
    one_of,
)
from leitong.indexer.documents import LabelledPair
from leitong.indexer.duplicates import merge as merging
from leitong.indexer.duplicates import report as reporting
from leitong.indexer.duplicates.accuracy import calibrate as calibrating
from leitong.indexer.duplicates.accuracy import evaluate as evaluating
from leitong.indexer.duplicates.clusters import SHAPES, Keep, Shape
from leitong.indexer.duplicates.combined import Combined
from leitong.indexer.duplicates.commonness.learn import EXACT
from leitong.indexer.duplicates.dates import Dates
from leitong.indexer.duplicates.found import Pair, Report
from leitong.indexer.duplicates.policy.decisions import DECISIONS, Decision, Decisions
from leitong.indexer.duplicates.policy.decisions import NOTE as DECISIONS_NOTE
from leitong.indexer.duplicates.policy.dedupe import Outcome, Policy, ReportedCluster
from leitong.indexer.duplicates.policy.dedupe import dedupe as acting
from leitong.indexer.duplicates.policy.kept import MAX_PAIRS, KeptReport, Known
from leitong.indexer.duplicates.policy.kept import NOTE as REPORT_NOTE
from leitong.indexer.duplicates.policy.marks import release
from leitong.indexer.duplicates.policy.settled import settled
from leitong.indexer.duplicates.settings import Settings, Step
from leitong.indexer.errors import ArgumentError, StorageError, UsageError
from leitong.indexer.opened import Opened

_DOCUMENTS_AT_ONCE: Final = 500


class Collection(Opened):
    """An opened index as a collection to be judged."""

    def report(
        self,
        *,
        radius: int | None = None,
        min_similarity: float | None = None,
        shape: Shape = "connected",
        keep: Keep = "first",
        date_field: str | None = None,
        source_field: str = "source",
        combined: Combined | None = None,
        part: int = 0,
        parts: int = 1,
        work: Path | None = None,
        resume: bool = False,
        watch: Callable[[Step], None] = lambda step: None,
    ) -> Report:
        """All pairs and clusters of the index; see `Settings`. Raises UsageError."""
        check_settings(radius=radius, min_similarity=min_similarity)
        check_keep(keep, date_field)
        one_of("shape", shape, SHAPES)
        if combined is not None and not isinstance(combined, Combined):
            raise UsageError(f"{combined!r:.60} is no score: make one with Combined(fields=(…,)).")
        check_whole(part=part, parts=parts)
        if parts < 1:
            raise ArgumentError("parts", f"must be 1 or more, not {parts}.")
        if not 0 <= part < parts:
            raise ArgumentError("part", f"must be 0 to {parts - 1}, as there are {parts} parts, and not {part}.")
        decided, least = self._decided(radius, min_similarity)
        settings = Settings(
            radius=decided,
            min_similarity=least,
            shape=shape,
            keep=keep,
            date_field=date_field,
            source_field=source_field,
            combined=combined,
            part=part,
            parts=parts,
        )
        with self._engine.snapshot() as snapshot:
            return reporting.report(
                self._engine, snapshot, settings=settings, work=Path(work) if work else None, resume=resume, watch=watch
            )

    def evaluate(
        self,
        pairs: Sequence[LabelledPair],
        *,
        radius: int | None = None,
        min_similarity: float | None = None,
        mistakes: int = 10,
        watch: Callable[[Step], None] = lambda step: None,
    ) -> evaluating.Evaluation:
        """Precision, recall and F1 against labelled pairs. Raises UnknownDocumentError or UsageError."""
        check_settings(radius=radius, min_similarity=min_similarity)
        check_whole(mistakes=mistakes)
        labelled = listed(pairs, LabelledPair, "a LabelledPair")
        if not labelled:
            raise UsageError("There are no labelled pairs: evaluating takes one at least.")
        decided, least = self._decided(radius, min_similarity)
        with self._engine.snapshot() as snapshot:
            return evaluating.evaluate(
                snapshot,
                self._finder(snapshot, radius=0, min_similarity=0.0, within=EXACT),
                self._preparer,
                labelled,
                radius=decided,
                min_similarity=least,
                mistakes=mistakes,
                watch=watch,
            )

    def calibrate(
        self,
        *,
        radius: int | None = None,
        min_similarity: float | None = None,
        sample: int = calibrating.SAMPLE,
        seed: int = 1,
        watch: Callable[[Step], None] = lambda step: None,
    ) -> calibrating.Calibration:
        """Edit a sample of the documents and compare: what distance and similarity mean here. Raises UsageError."""
        check_settings(radius=radius, min_similarity=min_similarity)
        check_whole(sample=sample, seed=seed)
        decided, least = self._decided(radius, min_similarity)
        with self._engine.snapshot() as snapshot:
            return calibrating.calibrate(
                snapshot,
                self._finder(snapshot, radius=0, min_similarity=0.0, within=EXACT),
                self._preparer,
                radius=decided,
                min_similarity=least,
                sample=sample,
                seed=seed,
                watch=watch,
            )

    def keep_report(self, found: Report) -> bool:
        """Keep a report beside the index, for `known_duplicates`; False where it is too large or may not be written.

        Raises UsageError.
        """
        check_kind(found, Report, "a Report: make one with report()")
        if len(found.pairs) > MAX_PAIRS:
            return False
        members = list(dict.fromkeys(doc_id for pair in found.pairs for doc_id in (pair.a, pair.b)))
        stored = (
            one
            for start in range(0, len(members), _DOCUMENTS_AT_ONCE)
            for one in self.documents(members[start : start + _DOCUMENTS_AT_ONCE]).values()
        )
        try:
            self._engine.write_note(REPORT_NOTE, KeptReport.of(found, stored).to_bytes())
        except StorageError:
            return False
        return True

    def known_duplicates(self, before: Known | None = None) -> Known | None:
        """The report kept beside the index with all decisions; `before` is given back where nothing has changed."""
        notes = self._engine.read_note(REPORT_NOTE), self._engine.read_note(DECISIONS_NOTE)
        return Known.of(notes, before)

    def changed_since(self, known: Known, ids: Sequence[str]) -> frozenset[str]:
        """Those of the documents that are gone or say something else since the report was made. Raises UsageError."""
        wanted = checked_ids(ids)
        with self._engine.snapshot() as snapshot:
            return known.changed(snapshot.digests(wanted), wanted)

    def decide(self, change: Callable[[Decisions], Decisions]) -> Decisions:
        """Change what was decided about duplicates; of several who do so at once nobody loses anything.

        `change` gets the decisions so far and gives the new ones: `lambda all: all.keeping("1", of=["1", "2"])`.
        Raises UsageError.
        """
        if not callable(change):
            raise UsageError(f"{change!r:.60} is no function: give one that gets the decisions and gives new ones.")
        decisions = Decisions()

        def changed(before: bytes | None) -> bytes:
            nonlocal decisions
            decisions = change(Decisions.from_bytes(before))
            check_kind(decisions, Decisions, "Decisions, which the function has to give")
            return decisions.to_bytes()

        self._engine.change_note(DECISIONS_NOTE, changed)
        return decisions

    def decide_on(
        self, decision: Decision, doc_id: str, *, others: Sequence[str] = (), known: Known | None = None
    ) -> Decisions:
        """Decide as a person does: `keep` this document and none of the others; it is `apart` from them; or `forget`.

        Without others they are all of its cluster in the report that is kept; forgetting takes back all that was
        decided about the document, or with others that it is apart from these. `known` is what `known_duplicates`
        gave, where it is at hand. Raises UsageError, or UnknownDocumentError where others are named and one of all is
        not in the index.
        """
        one_of("decision", decision, DECISIONS)
        named = checked_ids([doc_id, *checked_ids(others)])
        if not doc_id or (others and set(named) == {doc_id}):
            raise UsageError("A decision names a document, and others than it: give their ids.")
        if decision == "forget":
            return self.decide(lambda decisions: decisions.forgetting(doc_id, others))
        if others:
            with self._engine.snapshot() as snapshot:
                self._get(snapshot, named)
        else:
            known = self.known_duplicates(known)
            others = known.cluster_of(doc_id) if known else ()
            if not others:
                with self._engine.snapshot() as snapshot:
                    self._get(snapshot, [doc_id])
                parted = known and any(doc_id in pair for pair in known.decisions.apart)
                raise UsageError(
                    f"{doc_id!r:.60} is in no cluster of the last report{' after what was decided' if parted else ''}. "
                    "Name the other documents as well, or make a report first."
                )
        if decision == "keep":
            return self.decide(lambda decisions: decisions.keeping(doc_id, of=others))
        return self.decide(lambda decisions: decisions.parting(doc_id, others))

    def decisions(self) -> Decisions:
        """What was decided about duplicates."""
        return Decisions.from_bytes(self._engine.read_note(DECISIONS_NOTE))

    def merge(
        self,
        parts: merging.Parts,
        *,
        shape: Shape = "connected",
        keep: Keep = "first",
        date_field: str | None = None,
        source_field: str = "source",
        watch: Callable[[Step], None] = lambda step: None,
    ) -> Report:
        """The report whose parts several machines made. Raises UsageError."""
        begun = time.monotonic()
        check_kind(parts, merging.Parts, "the Parts of a report: leitong.reports.parts reads them")
        check_keep(keep, date_field)
        one_of("shape", shape, SHAPES)
        settings = Settings(
            radius=parts.radius,
            min_similarity=parts.min_similarity,
            shape=shape,
            keep=keep,
            date_field=date_field,
            source_field=source_field,
            combined=parts.combined,
        )
        with self._engine.snapshot() as snapshot:
            return merging.merge(
                self._engine,
                snapshot,
                parts,
                settings=settings,
                watch=lambda done, total: watch(Step("describe", done, total)),
                begun=begun,
            )

    def dedupe(
        self,
        clusters: Iterable[ReportedCluster],
        *,
        policy: Policy,
        act: bool,
        pairs: Callable[[], Iterable[Pair]] | None = None,
        dated: Callable[[Dates], None] = lambda dates: None,
    ) -> Iterator[Outcome]:
        """What becomes of the documents of a report's clusters that are not kept; without `act` what would become.

        Decisions beside the index come before the policy; `pairs` reads the report's, see `settled`. `dated` is
        told by which dates the oldest were chosen. Read it to its end: that is when it is committed. Raises UsageError.
        """
        check_policy(policy)
        told = each(clusters, ReportedCluster, "a ReportedCluster: leitong.reports.read reads them")
        return self._dedupe(told, policy=policy, act=act, pairs=pairs, dated=dated)

    def _dedupe(
        self,
        clusters: Iterable[ReportedCluster],
        *,
        policy: Policy,
        act: bool,
        pairs: Callable[[], Iterable[Pair]] | None,
        dated: Callable[[Dates], None],
    ) -> Iterator[Outcome]:
        if not policy.undo:
            clusters = settled(clusters, self.decisions(), pairs=pairs)
        with ExitStack() as stack:
            writer = stack.enter_context(self._engine.writer()) if act else None
            done: list[str] = []
            with self._engine.snapshot() as snapshot:
                comparer = self._comparers(snapshot)
                for step in acting(
                    snapshot,
                    clusters,
                    policy=policy,
                    preparer=self._preparer,
                    alike=lambda one, other: comparer((one, other)).alike(one, other),
                    writer=writer,
                    dated=dated,
                    freed=done.append,
                ):
                    if step.fate in ("due", "gone"):  # gone: by a run that was killed before it looked after marks
                        done.append(step.id)
                    yield step
            if writer is not None:
                writer.commit()
                release(self._engine, writer, done, preparer=lambda: self._preparer)
