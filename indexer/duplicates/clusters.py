"""Which documents belong together? Those joined by a chain of matches."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Cluster:
    """Documents joined by matches. `representative` is the one to keep and the first of the members."""

    number: int
    representative: str
    members: tuple[str, ...]


def connected(pairs: Iterable[tuple[str, str]]) -> list[Cluster]:
    """Clusters of the documents in the pairs, the largest first, then by the representative's id.

    The representative is the member whose id comes first.
    """
    from scipy.sparse import coo_array  # loading these takes longer than most commands
    from scipy.sparse.csgraph import connected_components

    places: dict[str, int] = {}
    left: list[int] = []
    right: list[int] = []
    for one, other in pairs:
        left.append(places.setdefault(one, len(places)))
        right.append(places.setdefault(other, len(places)))
    if not places:
        return []
    size = len(places)
    graph = coo_array((np.ones(len(left), dtype=np.int8), (left, right)), shape=(size, size))
    _, labels = connected_components(graph, directed=False)
    groups: dict[int, list[str]] = {}
    for doc_id, label in zip(places, labels.tolist(), strict=True):
        groups.setdefault(label, []).append(doc_id)
    return _numbered([sorted(group) for group in groups.values()])


def _numbered(groups: Sequence[list[str]]) -> list[Cluster]:
    ordered = sorted(groups, key=lambda group: (-len(group), group[0]))
    return [Cluster(number, group[0], tuple(group)) for number, group in enumerate(ordered, start=1)]
