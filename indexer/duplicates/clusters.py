"""Which documents belong together, which of them stands for the others, and how close are they to it?

connected   joined by a chain of matches
star        everyone matches the representative: no chains. The best document by the policy takes all that match it and
            are still free, then the next one

The representative is the member whose id comes first, the oldest, the longest, or the central one: the one whose
similarities to the others have the largest sum. Where members are equal by a policy, the first id stands for them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

Shape = Literal["connected", "star"]
Keep = Literal["first", "oldest", "longest", "central"]
SHAPES: Final[tuple[Shape, ...]] = ("connected", "star")
KEEPS: Final[tuple[Keep, ...]] = ("first", "oldest", "longest", "central")


@dataclass(frozen=True, slots=True)
class Cluster:
    """Documents joined by matches.

    `representative` is the one to keep; `members`, it among them, are in the order of their ids. `weakest` is the least
    similarity of a pair inside; `direct` counts the members that match the representative themselves.
    """

    number: int
    representative: str
    members: tuple[str, ...]
    weakest: float
    direct: int


@dataclass(frozen=True)
class Graph:
    """Documents and their matches: documents by number in the order of their ids, an edge for each pair.

    With `first` a document says the same as that one in all its matches, which are not listed (an equal text, a
    near-copy); -1 for others.
    """

    ids: Sequence[str]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    similarity: NDArray[np.float32]
    first: NDArray[np.int64]


def clusters(graph: Graph, *, shape: Shape = "connected", worth: NDArray[np.float64] | None = None) -> list[Cluster]:
    """Clusters, the largest first, then by the representative's id.

    `worth` of each document: the greatest is the representative, and the first id of those. None takes the first id.
    """
    order = np.arange(len(graph.ids)) if worth is None else np.lexsort((np.arange(len(graph.ids)), -worth))
    labels = _connected(graph) if shape == "connected" else _stars(graph, order)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    inside = labels[graph.left] == labels[graph.right]
    weakest = np.ones(int(labels.max(initial=-1)) + 1, dtype=np.float32)
    np.minimum.at(weakest, labels[graph.left[inside]], graph.similarity[inside])
    best = _best(labels, rank, len(weakest))
    near = standing_with(graph, best[labels] if len(labels) else labels)
    near[best[best >= 0]] = False
    direct = np.bincount(labels[near], minlength=len(best))
    members: dict[int, list[int]] = {}
    for number, label in enumerate(labels.tolist()):
        members.setdefault(label, []).append(number)
    found = [(label, some) for label, some in members.items() if len(some) > 1 or shape == "connected"]
    found.sort(key=lambda one: (-len(one[1]), int(best[one[0]])))
    return [
        Cluster(
            number,
            graph.ids[int(best[label])],
            tuple(graph.ids[member] for member in some),
            float(weakest[label]),
            int(direct[label]),
        )
        for number, (label, some) in enumerate(found, start=1)
    ]


def connected(pairs: Iterable[tuple[str, str]]) -> list[Cluster]:
    """Clusters of the documents in some pairs, joined by chains."""
    known = list(pairs)
    ids = sorted({doc_id for pair in known for doc_id in pair})
    place = {doc_id: number for number, doc_id in enumerate(ids)}
    left = np.array([place[one] for one, _ in known], dtype=np.int64)
    right = np.array([place[other] for _, other in known], dtype=np.int64)
    alike = np.ones(len(known), dtype=np.float32)
    return clusters(Graph(ids, left, right, alike, np.full(len(ids), -1, dtype=np.int64)))


def centrality(graph: Graph) -> NDArray[np.float64]:
    """Sum of each document's similarities to others, as the worth of the central policy."""
    total = np.zeros(len(graph.ids))
    np.add.at(total, graph.left, graph.similarity)
    np.add.at(total, graph.right, graph.similarity)
    return total


def standing_with(graph: Graph, other: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which documents i match other[i]: by a pair, by a pair of the first of either, or having the same first."""
    origin = np.where(graph.first >= 0, graph.first, np.arange(len(graph.ids)))
    near: NDArray[np.bool_] = origin == origin[other]
    for left, right in ((graph.left, graph.right), (graph.right, graph.left)):
        hit = other[left] == right
        near[left[hit]] = True
        hit = origin[other[left]] == right
        near[left[hit]] = True
    near |= near[origin]
    return near


def _connected(graph: Graph) -> NDArray[np.int64]:
    from scipy.sparse import coo_array  # loading these takes longer than most commands
    from scipy.sparse.csgraph import connected_components

    size = len(graph.ids)
    if not size:
        return np.empty(0, dtype=np.int64)
    edges = coo_array((np.ones(len(graph.left), dtype=np.int8), (graph.left, graph.right)), shape=(size, size))
    _, labels = connected_components(edges, directed=False)
    found: NDArray[np.int64] = labels.astype(np.int64)
    return found


def _stars(graph: Graph, order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Each document's star, by the number of its centre; documents with a first go where that goes."""
    plain = graph.first < 0
    both = plain[graph.left] & plain[graph.right]
    left, right = graph.left[both], graph.right[both]
    ends = np.concatenate([left, right])
    others = np.concatenate([right, left])[np.argsort(ends, kind="stable")]
    starts = np.searchsorted(np.sort(ends), np.arange(len(graph.ids) + 1))
    star = np.full(len(graph.ids), -1, dtype=np.int64)
    for centre in order.tolist():
        if star[centre] < 0 and plain[centre]:
            star[centre] = centre
            near = others[starts[centre] : starts[centre + 1]]
            star[near[star[near] < 0]] = centre
    follows = np.flatnonzero(~plain)
    origin = graph.first[follows]
    while (chained := graph.first[origin] >= 0).any():  # equal to a near-copy of another
        origin[chained] = graph.first[origin[chained]]
    star[follows] = star[origin]
    return star


def _best(labels: NDArray[np.int64], rank: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    best = np.full(size, -1, dtype=np.int64)
    for number in np.argsort(-rank, kind="stable").tolist():
        best[labels[number]] = number
    return best
