"""Acting on a report: which document of a cluster stays, what becomes of the others, and what must be left alone.

Nothing is done to a representative, nor in a cluster whose representative is gone or has changed, nor to a document
that is gone or has changed since the report, nor against what a person decided. A document that is like the
representative only through others, by a chain of matches, is left alone too: nobody would find what it says there. What
is done to a document is done to the very state that was looked at. Where the oldest is to stay, a cluster without one
date that can be read is left alone.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final, Literal

from leitong.indexer.documents import Document, StoredDocument
from leitong.indexer.duplicates.clusters import Keep
from leitong.indexer.duplicates.comparing.check import MIN_SIMILARITY
from leitong.indexer.duplicates.dates import Dates, oldest
from leitong.indexer.duplicates.found import metadata_value, revision
from leitong.indexer.duplicates.policy.decisions import pair
from leitong.indexer.duplicates.policy.marks import with_mark
from leitong.indexer.engines.base import Change, Deletion, Snapshot, Writer
from leitong.indexer.prepare import Preparer

Action = Literal["mark", "delete"]
ACTIONS: Final[tuple[Action, ...]] = ("mark", "delete")
Fate = Literal["due", "gone", "changed", "representative", "chain", "marked", "unmarked", "decided", "undated"]
"""What becomes of a document: it is acted on, unless only looking; it is gone; it has changed since the report; its
representative is gone or has changed; it is like its representative only through others; it was marked so already; it
bears no mark of this report that could be undone; a person decided that it is kept, or no duplicate; no document of its
cluster has a date that can be read, and the oldest is to stay."""
_CLUSTERS_AT_ONCE: Final = 200


@dataclass(frozen=True, slots=True)
class Reported:
    """A document of a cluster as a report tells of it; `matched` where it matches the report's representative."""

    id: str
    revision: str
    characters: int
    bytes: int
    central: float
    date: str | None
    matched: bool = False


@dataclass(frozen=True)
class ReportedCluster:
    """A cluster of a report: its documents, and the one that stands for them there.

    `kept` are those of them that a person keeps, `parted` further ones that a person said are no duplicates; `apart`
    are the pairs of which that was said, the smaller id first.
    """

    number: int
    representative: str
    members: tuple[Reported, ...]
    kept: frozenset[str] = frozenset()
    parted: tuple[Reported, ...] = ()
    apart: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What becomes, or would become, of one document; `bytes` are saved where it is deleted.

    `representative` is the document that stays; of a mark that is taken off, the one that was named by it.
    """

    id: str
    representative: str
    bytes: int
    fate: Fate


@dataclass(frozen=True)
class Policy:
    """What to do with the documents that are not kept. `keep` None keeps the report's representatives; a document
    matches from `min_similarity` on."""

    action: Action
    keep: Keep | None = None
    date_field: str | None = None
    undo: bool = False
    min_similarity: float = MIN_SIMILARITY


Alike = Callable[[Document, Document], float]
"""The similarity of two documents."""


def dedupe(
    snapshot: Snapshot,
    clusters: Iterable[ReportedCluster],
    *,
    policy: Policy,
    preparer: Preparer,
    alike: Alike,
    writer: Writer | None,
    dated: Callable[[Dates], None] = lambda dates: None,
    freed: Callable[[str], None] = lambda doc_id: None,
) -> Iterator[Outcome]:
    """Every document that is not a representative, and what became of it; without a writer what would become of it.

    `freed` is told of documents that stay and so lose a mark of their own; `dated` at the end by what the oldest were
    told, where the policy asks for them. The caller commits. Raises UsageError where the oldest could not be told
    anywhere and so nothing was done.
    """
    run = _Run(snapshot, policy=policy, preparer=preparer, alike=alike, writer=writer, freed=freed)
    counted = Dates()
    idle = True
    waiting = iter(clusters)
    while batch := list(islice(waiting, _CLUSTERS_AT_ONCE)):
        steps, dates = run.over(batch)
        counted += dates
        idle = idle and all(step.fate != "due" for step in steps)
        yield from steps
    if idle:
        counted.check(policy.date_field)
    if counted.documents:
        dated(counted)


@dataclass(frozen=True, slots=True)
class _Case:
    """A document to decide on, the one that stays in its place, and who judges: nobody where that one is gone or has
    changed."""

    member: Reported
    kept: str
    judge: "_Judge | None"


class _Run:
    """Goes over clusters, some at a time."""

    def __init__(
        self,
        snapshot: Snapshot,
        *,
        policy: Policy,
        preparer: Preparer,
        alike: Alike,
        writer: Writer | None,
        freed: Callable[[str], None],
    ) -> None:
        """See `dedupe`."""
        self._snapshot = snapshot
        self._policy = policy
        self._preparer = preparer
        self._alike = alike
        self._writer = writer
        self._tell_freed = freed

    def over(self, clusters: Sequence[ReportedCluster]) -> tuple[list[Outcome], Dates]:
        """What became of the documents of some clusters, and the dates that were asked for."""
        outcomes = [
            Outcome(one.id, cluster.representative, one.bytes, "decided")
            for cluster in clusters
            for one in cluster.parted
        ]
        counted = Dates()
        chosen: list[tuple[ReportedCluster, Reported]] = []
        for cluster in (cluster for cluster in clusters if cluster.members):
            keep, dates = representative(self._snapshot, cluster, self._policy)
            counted += dates
            if keep is not None:
                chosen.append((cluster, keep))
            else:
                others = (member for member in cluster.members if member.id != cluster.representative)
                outcomes += [Outcome(one.id, cluster.representative, one.bytes, "undated") for one in others]
        freed = set() if self._policy.undo else _contradicted(self._snapshot, clusters)
        cases = self._cases(chosen, freed)
        changed = self._change(cases, freed)
        outcomes += filter(None, (_outcome(case, changed) for case in cases))
        return outcomes, counted

    def _cases(self, chosen: Sequence[tuple[ReportedCluster, Reported]], freed: set[str]) -> list[_Case]:
        """Every document that does not stay; of those that stay, `freed` then holds those that lose their mark."""
        cases: list[_Case] = []
        now_there = self._snapshot.get([keep.id for _, keep in chosen])
        for (cluster, keep), now in zip(chosen, now_there, strict=True):
            sound = self._policy.undo or (now is not None and revision(now) == keep.revision)
            marks = {one.id for one in cluster.members} if self._policy.action == "mark" else set()
            if now is not None and now.duplicate_of in marks:
                freed.add(keep.id)
            if now is not None and keep.id in freed:
                now = replace(now, cluster=keep.id, duplicate_of=None, original=None)
            judge = _Judge(cluster, keep.id, now, self._policy, self._preparer, self._alike) if sound else None
            members = (one for one in cluster.members if one.id != keep.id or self._policy.undo)
            cases += [_Case(member, keep.id, judge) for member in members]
        return cases

    def _change(self, cases: Sequence[_Case], freed: set[str]) -> dict[str, bool]:
        """Do with each document what its judge says: whether each was changed, without a writer whether it may be."""
        judges = {case.member.id: case.judge for case in cases if case.judge and case.judge.is_free(case.member.id)}

        def decide(stored: StoredDocument) -> Change | None:
            judge = judges.get(stored.document.id)
            change = judge.decide(stored) if judge else None
            if change is None and stored.document.id in freed:
                # it would be folded away, behind those that name it or nobody
                return with_mark(self._preparer, stored, None)
            return change

        if self._writer is None:
            for stored in filter(None, self._snapshot.get(list(judges))):
                decide(stored)
            return dict.fromkeys(judges, True)
        changed = self._writer.change([*judges, *freed.difference(judges)], decide)
        for doc_id in freed:
            self._tell_freed(doc_id)
        return changed


def _outcome(case: _Case, changed: Mapping[str, bool]) -> Outcome | None:
    """What became of a document; None for one that stays, where marks are taken off, and had none."""
    member, judge = case.member, case.judge
    fate: Fate = "representative" if judge is None else judge.fate(member.id)
    if fate == "unmarked" and member.id == case.kept:
        return None
    if fate == "due" and not changed.get(member.id, False):
        fate = "changed"
    original = case.kept if judge is None else judge.unmarked_from.get(member.id, case.kept)
    return Outcome(member.id, original, member.bytes, fate)


def _contradicted(snapshot: Snapshot, clusters: Sequence[ReportedCluster]) -> set[str]:
    """Documents with a mark against which a person decided: they are kept, or no duplicate of the one it names."""
    asked: dict[str, ReportedCluster] = {}
    for cluster in clusters:
        divided = {doc_id for one in cluster.apart for doc_id in one}
        names = (one.id for one in (*cluster.members, *cluster.parted))
        asked |= {doc_id: cluster for doc_id in names if doc_id in cluster.kept or doc_id in divided}
    found: set[str] = set()
    for stored in filter(None, snapshot.get(list(asked))):
        doc_id, named = stored.document.id, stored.duplicate_of
        cluster = asked[doc_id]
        kept = doc_id in cluster.kept and any(one.id == named for one in cluster.members)
        if named is not None and (kept or pair(doc_id, named) in cluster.apart):
            found.add(doc_id)
    return found


def representative(snapshot: Snapshot, cluster: ReportedCluster, policy: Policy) -> tuple[Reported | None, Dates]:
    """The document of a cluster that stays: a person's choice, else the policy's; of equals the first id.

    None where the oldest is to stay and no date can be read; and the dates that were asked for.
    """
    known = {member.id: member for member in cluster.members}
    if cluster.kept:
        return known[min(cluster.kept & known.keys())], Dates()
    if policy.keep is None or policy.undo:
        return known[cluster.representative], Dates()
    if policy.keep == "oldest":
        dates = _dates(snapshot, cluster, policy)
        first = oldest(dates)
        return None if first is None else known[first], Dates.of(dates.values())
    worth: Callable[[Reported], float] = {
        "first": lambda member: 0.0,
        "longest": lambda member: float(-member.characters),
        "central": lambda member: -member.central,
    }[policy.keep]
    return min(cluster.members, key=lambda member: (worth(member), member.id)), Dates()


def _dates(snapshot: Snapshot, cluster: ReportedCluster, policy: Policy) -> dict[str, str | None]:
    """The dates of a cluster's documents: as they are now where the policy names a field, else those of the report."""
    if policy.date_field is None:
        return {member.id: member.date for member in cluster.members}
    found = snapshot.get([member.id for member in cluster.members])
    return {
        member.id: metadata_value(stored.document.metadata, policy.date_field) if stored else None
        for member, stored in zip(cluster.members, found, strict=True)
    }


class _Judge:
    """Decides for one document after the other, and remembers what it said."""

    def __init__(
        self,
        cluster: ReportedCluster,
        keep: str,
        kept: StoredDocument | None,
        policy: Policy,
        preparer: Preparer,
        alike: Alike,
    ) -> None:
        self._known = keep == cluster.representative
        self._alike = alike
        self._members = {member.id: member for member in cluster.members}
        self._decided = cluster.kept
        self._apart = cluster.apart
        self._keep = keep
        self._kept = kept
        self._policy = policy
        self._preparer = preparer
        self.fates: dict[str, Fate] = {}
        self.unmarked_from: dict[str, str] = {}

    def is_free(self, doc_id: str) -> bool:
        """Whether no person has decided that it stays."""
        return doc_id not in self._decided

    def fate(self, doc_id: str) -> Fate:
        """What became of a document after all were decided on."""
        return self.fates.get(doc_id, "gone") if self.is_free(doc_id) else "decided"

    def decide(self, stored: StoredDocument) -> Change | None:
        """What becomes of a document as it is now; None to leave it alone."""
        doc_id = stored.document.id
        if self._policy.undo:
            if stored.duplicate_of not in self._members:
                self.fates[doc_id] = "unmarked"
                return None
            self.fates[doc_id] = "due"
            self.unmarked_from[doc_id] = stored.duplicate_of
            return with_mark(self._preparer, stored, None)
        if revision(stored) != self._members[doc_id].revision:
            self.fates[doc_id] = "changed"
            return None
        if pair(doc_id, self._keep) in self._apart:
            self.fates[doc_id] = "decided"
            return None
        assert self._kept is not None
        if not self._matches(stored, self._kept):
            self.fates[doc_id] = "chain"
            return None
        if self._policy.action == "delete":
            self.fates[doc_id] = "due"
            return Deletion()
        as_marked = (self._keep, self._kept.digest, self._kept.cluster)
        if (stored.duplicate_of, stored.original, stored.cluster) == as_marked:
            self.fates[doc_id] = "marked"
            return None
        self.fates[doc_id] = "due"
        return with_mark(self._preparer, stored, self._kept)

    def _matches(self, stored: StoredDocument, kept: StoredDocument) -> bool:
        """Whether a document matches the one that stays: the report says so, or the texts do."""
        if (self._known and self._members[stored.document.id].matched) or stored.digest == kept.digest:
            return True
        return self._alike(stored.document, kept.document) >= self._policy.min_similarity
