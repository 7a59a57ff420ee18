"""Acting on a report: which document of a cluster stays, what becomes of the others, and what must be left alone.

Nothing is done to a representative, nor in a cluster whose representative is gone or has changed, nor to a document
that is gone or has changed since the report, nor against what a person decided. A document that is like the
representative only through others, by a chain of matches, is left alone too: nobody would find what it says there. What
is done to a document is done to the very state that was looked at.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from leitong.indexer.documents import Document, Entry, StoredDocument
from leitong.indexer.duplicates.check import MIN_SIMILARITY
from leitong.indexer.duplicates.clusters import Keep
from leitong.indexer.duplicates.found import metadata_value, moment, revision
from leitong.indexer.duplicates.gate import marked
from leitong.indexer.engines.base import Change, Deletion, Snapshot, Writer
from leitong.indexer.prepare import Preparer

Action = Literal["mark", "delete"]
ACTIONS: Final[tuple[Action, ...]] = ("mark", "delete")
Fate = Literal["due", "gone", "changed", "representative", "chain", "marked", "unmarked", "decided"]
"""What becomes of a document: it is acted on, unless only looking; it is gone; it has changed since the report; its
representative is gone or has changed; it is like its representative only through others; it was marked so already; it
bears no mark of this report that could be undone; a person decided that it is kept, or no duplicate."""
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

    `kept` are those of them that a person keeps, `parted` further ones that a person said are no duplicates.
    """

    number: int
    representative: str
    members: tuple[Reported, ...]
    kept: frozenset[str] = frozenset()
    parted: tuple[Reported, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """What becomes, or would become, of one document; `bytes` are saved where it is deleted."""

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
) -> Iterator[Step]:
    """Every document that is not a representative, and what became of it; without a writer what would become of it.

    The caller commits.
    """
    batch: list[ReportedCluster] = []
    for cluster in clusters:
        batch.append(cluster)
        if len(batch) >= _CLUSTERS_AT_ONCE:
            yield from _batch(snapshot, batch, policy, preparer, alike, writer)
            batch = []
    yield from _batch(snapshot, batch, policy, preparer, alike, writer)


def _batch(
    snapshot: Snapshot,
    clusters: Sequence[ReportedCluster],
    policy: Policy,
    preparer: Preparer,
    alike: Alike,
    writer: Writer | None,
) -> Iterator[Step]:
    for cluster in clusters:
        yield from (Step(one.id, cluster.representative, one.bytes, "decided") for one in cluster.parted)
    clusters = [cluster for cluster in clusters if cluster.members]
    keeps = [representative(snapshot, cluster, policy) for cluster in clusters]
    judges: dict[str, _Judge] = {}
    freed: set[str] = set()
    steps: list[tuple[Reported, str, _Judge | None]] = []
    for cluster, keep, now in zip(clusters, keeps, snapshot.get([keep.id for keep in keeps]), strict=True):
        sound = policy.undo or (now is not None and revision(now) == keep.revision)
        if policy.action == "mark" and now is not None and now.duplicate_of in {one.id for one in cluster.members}:
            freed.add(keep.id)
        judge = _Judge(cluster, keep.id, now, policy, preparer, alike) if sound else None
        for member in cluster.members:
            if member.id != keep.id or policy.undo:
                steps.append((member, keep.id, judge))
                if judge is not None and member.id not in cluster.kept:
                    judges[member.id] = judge

    def decide(stored: StoredDocument) -> Change | None:
        if stored.document.id in judges:
            return judges[stored.document.id].decide(stored)
        return with_mark(preparer, stored, None)  # it would be folded away behind those that name it

    done: dict[str, bool] = {}
    if writer is not None:
        done = writer.change([*judges, *freed.difference(judges)], decide)
    else:
        for stored in filter(None, snapshot.get(list(judges))):
            decide(stored)
    for member, kept, judge in steps:
        fate: Fate = "representative" if judge is None else judge.fate(member.id)
        if fate == "unmarked" and member.id == kept:
            continue
        if fate == "due" and not done.get(member.id, writer is None):
            fate = "changed"
        yield Step(member.id, kept, member.bytes, fate)


def representative(snapshot: Snapshot, cluster: ReportedCluster, policy: Policy) -> Reported:
    """The document of a cluster that stays: a person's choice, else the policy's; of equals the first id."""
    if cluster.kept:
        return min((member for member in cluster.members if member.id in cluster.kept), key=lambda member: member.id)
    if policy.keep is None:
        return next(member for member in cluster.members if member.id == cluster.representative)
    if policy.keep == "first":
        return min(cluster.members, key=lambda member: member.id)
    if policy.keep == "oldest" and policy.date_field is not None:
        stored = snapshot.get([member.id for member in cluster.members])
        dates = {one.document.id: metadata_value(one.document.metadata, policy.date_field) for one in stored if one}
        return min(cluster.members, key=lambda member: (_age(dates.get(member.id)), member.id))
    worth: Callable[[Reported], float] = {
        "oldest": lambda member: _age(member.date),
        "longest": lambda member: float(-member.characters),
        "central": lambda member: -member.central,
    }[policy.keep]
    return min(cluster.members, key=lambda member: (worth(member), member.id))


def _age(date: str | None) -> float:
    """The older, the less; what has no date is younger than all."""
    value = moment(date)
    return float("inf") if value is None else value


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
        self._keep = keep
        self._kept = kept
        self._policy = policy
        self._preparer = preparer
        self.fates: dict[str, Fate] = {}

    def fate(self, doc_id: str) -> Fate:
        """What became of a document after all were decided on."""
        return "decided" if doc_id in self._decided else self.fates.get(doc_id, "gone")

    def decide(self, stored: StoredDocument) -> Change | None:
        """What becomes of a document as it is now; None to leave it alone."""
        doc_id = stored.document.id
        if self._policy.undo:
            mine = stored.duplicate_of in self._members
            self.fates[doc_id] = "due" if mine else "unmarked"
            return with_mark(self._preparer, stored, None) if mine else None
        if revision(stored) != self._members[doc_id].revision:
            self.fates[doc_id] = "changed"
            return None
        assert self._kept is not None
        if not self._matches(stored, self._kept):
            self.fates[doc_id] = "chain"
            return None
        if self._policy.action == "delete":
            self.fates[doc_id] = "due"
            return Deletion()
        if stored.duplicate_of == self._keep and stored.original == self._kept.digest:
            self.fates[doc_id] = "marked"
            return None
        self.fates[doc_id] = "due"
        return with_mark(self._preparer, stored, self._kept)

    def _matches(self, stored: StoredDocument, kept: StoredDocument) -> bool:
        """Whether a document matches the one that stays: the report says so, or the texts do."""
        if (self._known and self._members[stored.document.id].matched) or stored.digest == kept.digest:
            return True
        return self._alike(stored.document, kept.document) >= self._policy.min_similarity


def with_mark(preparer: Preparer, stored: StoredDocument, original: StoredDocument | None) -> Entry:
    """The document as a duplicate of another one; as an original of its own with None."""
    entry = preparer.entries([stored.document])[0]
    return entry if original is None else marked(entry, original)
