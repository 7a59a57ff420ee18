"""Documents joined by a chain of matches belong together."""

from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from leitong.indexer.duplicates.clusters import Cluster, Graph, centrality, clusters, connected

ids = st.text(alphabet="abcdefgh", min_size=1, max_size=2)


def test_chains_join_and_the_first_id_stands_for_all() -> None:
    assert connected([("b", "c"), ("x", "y"), ("a", "c"), ("d", "c")]) == [
        Cluster(1, "a", ("a", "b", "c", "d"), 1.0, 1),
        Cluster(2, "x", ("x", "y"), 1.0, 1),
    ]


def test_no_pairs_no_clusters() -> None:
    assert connected([]) == []


def test_clusters_of_one_size_are_ordered_by_their_representative() -> None:
    assert [cluster.representative for cluster in connected([("p", "q"), ("c", "z"), ("m", "n")])] == ["c", "m", "p"]


@given(pairs=st.lists(st.tuples(ids, ids), max_size=30), random=st.randoms(use_true_random=False))
def test_as_by_joining_sets(pairs: list[tuple[str, str]], random: Random) -> None:
    groups: list[set[str]] = []
    for pair in pairs:
        joined = set(pair).union(*(group for group in groups if group & set(pair)))
        groups = [group for group in groups if not group & joined] + [joined]
    found = connected(pairs)
    assert sorted(sorted(cluster.members) for cluster in found) == sorted(map(sorted, groups))
    assert [cluster.number for cluster in found] == list(range(1, len(found) + 1))
    assert all(cluster.members == tuple(sorted(cluster.members)) for cluster in found)
    assert all(cluster.representative == cluster.members[0] for cluster in found)
    shuffled = [random.choice([(a, b), (b, a)]) for a, b in pairs]
    random.shuffle(shuffled)
    assert connected(shuffled) == found, "whatever the order and the direction"


def graph(pairs: dict[tuple[str, str], float], first: dict[str, str] | None = None) -> Graph:
    names = sorted({name for pair in pairs for name in pair})
    place = {name: number for number, name in enumerate(names)}
    return Graph(
        names,
        np.array([place[one] for one, _ in pairs], dtype=np.int64),
        np.array([place[other] for _, other in pairs], dtype=np.int64),
        np.array(list(pairs.values()), dtype=np.float32),
        np.array([place[first[name]] if first and name in first else -1 for name in names], dtype=np.int64),
    )


CHAIN = {("a", "b"): 0.9, ("b", "c"): 0.5, ("c", "d"): 0.7}


def test_a_chain_is_no_star() -> None:
    assert [(one.representative, one.members) for one in clusters(graph(CHAIN))] == [("a", ("a", "b", "c", "d"))]
    stars = clusters(graph(CHAIN), shape="star")
    assert [(one.representative, one.members) for one in stars] == [("a", ("a", "b")), ("c", ("c", "d"))]


def test_in_a_star_everyone_matches_the_representative() -> None:
    found = graph({**CHAIN, ("b", "d"): 0.4, ("x", "y"): 0.6})
    for one in clusters(found, shape="star", worth=centrality(found)):
        assert one.direct == len(one.members) - 1


def test_the_representative_is_the_worthiest_and_of_equals_the_first() -> None:
    worth = np.array([1.0, 3.0, 3.0, -np.inf])
    assert clusters(graph(CHAIN), worth=worth)[0].representative == "b"
    assert clusters(graph(CHAIN), worth=np.zeros(4))[0].representative == "a"
    assert clusters(graph(CHAIN), worth=centrality(graph(CHAIN)))[0].representative == "b"


def test_how_tight_a_cluster_is() -> None:
    (one,) = clusters(graph(CHAIN))
    assert (round(one.weakest, 4), one.direct) == (0.5, 1)
    (one,) = clusters(graph({("a", "b"): 0.9, ("a", "c"): 0.8}))
    assert (round(one.weakest, 4), one.direct) == (0.8, 2)


def test_equal_texts_go_where_their_first_goes() -> None:
    """e equals b; b matches a: so does e, though its pair with b is the only one listed."""
    pairs = {("a", "b"): 0.9, ("b", "e"): 1.0, ("c", "d"): 0.7}
    (one, _) = clusters(graph(pairs, {"e": "b"}), shape="star")
    assert (one.representative, one.members, one.direct) == ("a", ("a", "b", "e"), 2)
