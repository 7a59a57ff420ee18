"""What do a person's decisions make of a report's clusters, before a policy acts on them?

Who is to be kept stays, whatever the policy says. A cluster with documents that are no duplicates of each other falls
into what the report's other pairs still hold together; what nothing holds is left alone.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from leitong.indexer.duplicates.found import Pair
from leitong.indexer.duplicates.policy.decisions import Decisions, decided_clusters
from leitong.indexer.duplicates.policy.dedupe import ReportedCluster


def settled(
    clusters: Iterable[ReportedCluster], decisions: Decisions, *, pairs: Callable[[], Iterable[Pair]] | None
) -> Iterator[ReportedCluster]:
    """The clusters after all decisions. `pairs` reads the report's pairs; without it torn clusters are left alone."""
    parted = {doc_id for pair in decisions.apart for doc_id in pair}
    torn: list[ReportedCluster] = []
    for cluster in clusters:
        names = frozenset(member.id for member in cluster.members)
        apart = frozenset() if names.isdisjoint(parted) else _inside(decisions.apart, names)
        if not apart:
            yield replace(cluster, kept=names & decisions.keep)
        elif pairs is None:
            yield replace(cluster, members=(), parted=cluster.members, apart=apart)
        else:
            torn.append(replace(cluster, apart=apart))
    if torn and pairs is not None:
        place = {member.id: number for number, cluster in enumerate(torn) for member in cluster.members}
        inside: list[list[Pair]] = [[] for _ in torn]
        for pair in pairs():
            if (number := place.get(pair.a)) is not None and place.get(pair.b) == number:
                inside[number].append(pair)
        for cluster, some in zip(torn, inside, strict=True):
            yield from _pieces(cluster, some, decisions)


def _inside(apart: Iterable[tuple[str, str]], names: frozenset[str]) -> frozenset[tuple[str, str]]:
    return frozenset((a, b) for a, b in apart if a in names and b in names)


def _pieces(cluster: ReportedCluster, pairs: Sequence[Pair], decisions: Decisions) -> Iterator[ReportedCluster]:
    members = {member.id: member for member in cluster.members}
    for piece in decided_clusters(pairs, decisions):
        own = tuple(members.pop(doc_id) for doc_id in piece.members)
        names = frozenset(piece.members)
        first = cluster.representative
        if first not in names:  # whom the report's representative matches need not match another one
            first, own = piece.members[0], tuple(replace(member, matched=False) for member in own)
        yield replace(cluster, representative=first, members=own, kept=names & decisions.keep)
    yield replace(cluster, members=(), parted=tuple(members.values()))
