"""What has a person decided about duplicates, and which clusters are there after that?

A decision names documents, never a cluster: clusters come and go with every report. `keep` is a document to keep of its
cluster; `apart` are two documents that are no duplicates of each other, whatever their similarity.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import orjson

from leitong.indexer.duplicates.clusters import connected
from leitong.indexer.duplicates.found import Pair
from leitong.indexer.errors import EngineError

Decision = Literal["keep", "apart", "forget"]
DECISIONS: Final[tuple[Decision, ...]] = ("keep", "apart", "forget")
NOTE: Final = "decisions.json"
_FORMAT: Final = 1


@dataclass(frozen=True)
class Decisions:
    """Documents to keep, and pairs that are no duplicates, the smaller id first."""

    keep: frozenset[str] = frozenset()
    apart: frozenset[tuple[str, str]] = frozenset()

    def keeping(self, doc_id: str, *, of: Iterable[str]) -> "Decisions":
        """Keep this one of a cluster, and no other of it."""
        return Decisions(self.keep - set(of) | {doc_id}, self.apart)

    def parting(self, doc_id: str, others: Iterable[str]) -> "Decisions":
        """This one is no duplicate of the others. Who was chosen stays chosen: it may be kept of a third one."""
        parted = {pair(doc_id, other) for other in others if other != doc_id}
        return Decisions(self.keep, self.apart | parted)

    def forgetting(self, doc_id: str, others: Iterable[str] = ()) -> "Decisions":
        """Nothing is decided about this one; with others, it is parted from these no longer, and all else stays."""
        if pairs := {pair(doc_id, other) for other in others}:
            return Decisions(self.keep, self.apart - pairs)
        return Decisions(self.keep - {doc_id}, frozenset(one for one in self.apart if doc_id not in one))

    def to_bytes(self) -> bytes:
        """For `Engine.write_note`."""
        return orjson.dumps({"format": _FORMAT, "keep": sorted(self.keep), "apart": sorted(self.apart)})

    @classmethod
    def from_bytes(cls, content: bytes | None) -> "Decisions":
        """What `to_bytes` wrote; none for None. Raises EngineError: decisions are not to be lost in silence."""
        if content is None:
            return cls()
        try:
            values = orjson.loads(content)
            if values["format"] != _FORMAT:
                raise ValueError(f"format {values['format']}")
            return cls(frozenset(values["keep"]), frozenset((one, other) for one, other in values["apart"]))
        except (ValueError, KeyError, TypeError) as error:
            raise EngineError(
                f"The decisions beside the index ({NOTE}) cannot be read ({error}). Restore them from a backup, or "
                "remove them to begin anew."
            ) from error


@dataclass(frozen=True)
class DecidedCluster:
    """A cluster after all decisions. `kept` are the documents somebody chose to keep: one, or more where clusters that
    were decided on have become one.

    `similarity` is the mean of its pairs, `kinds` how many pairs there are of each.
    """

    members: tuple[str, ...]
    kept: tuple[str, ...]
    similarity: float
    kinds: Mapping[str, int]

    @property
    def representative(self) -> str:
        """The document to keep: the first that was chosen, else the first."""
        return (self.kept or self.members)[0]


def pair(one: str, other: str) -> tuple[str, str]:
    """A pair, the smaller id first."""
    return (one, other) if one < other else (other, one)


def decided_clusters(pairs: Sequence[Pair], decisions: Decisions) -> list[DecidedCluster]:
    """Clusters of a report's pairs without those that are no duplicates, the largest first.

    In a report the first of some equal texts stands for all of them. Where it is parted from others, another of the
    equal texts takes its place.
    """
    equal: dict[str, list[str]] = {}
    for one in pairs:
        if one.kind == "exact":
            equal.setdefault(one.a, [one.a]).append(one.b)
    kept_pairs = [
        (found, one) for one in pairs if (found := _standing(one, equal, decisions.apart)) and one.kind != "exact"
    ]
    same = [link for group in equal.values() for link in _links(group, decisions.apart)]
    sums: dict[int, float] = {}
    kinds: dict[int, dict[str, int]] = {}
    clusters = connected([*(found for found, _ in kept_pairs), *same])
    where = {member: cluster.number for cluster in clusters for member in cluster.members}
    weighed = [(found[0], one.similarity, one.kind or "below") for found, one in kept_pairs]
    for member, similarity, kind in [*weighed, *((a, 1.0, "exact") for a, _ in same)]:
        number = where[member]
        sums[number] = sums.get(number, 0.0) + similarity
        counts = kinds.setdefault(number, {})
        counts[kind] = counts.get(kind, 0) + 1
    return [
        DecidedCluster(
            members=cluster.members,
            kept=tuple(member for member in cluster.members if member in decisions.keep),
            similarity=sums[cluster.number] / sum(kinds[cluster.number].values()),
            kinds=kinds[cluster.number],
        )
        for cluster in clusters
    ]


def _standing(
    one: Pair, equal: Mapping[str, Sequence[str]], apart: frozenset[tuple[str, str]]
) -> tuple[str, str] | None:
    """The first two documents that have these two texts and are not parted."""
    for a in equal.get(one.a, (one.a,)):
        for b in equal.get(one.b, (one.b,)):
            if pair(a, b) not in apart:
                return pair(a, b)
    return None


def _links(group: Sequence[str], apart: frozenset[tuple[str, str]]) -> list[tuple[str, str]]:
    """Each of some equal texts with the first before it that it is not parted from."""
    links: list[tuple[str, str]] = []
    for place, member in enumerate(group):
        earlier = next((one for one in group[:place] if pair(one, member) not in apart), None)
        if earlier is not None:
            links.append(pair(earlier, member))
    return links
