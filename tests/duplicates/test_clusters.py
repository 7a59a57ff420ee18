"""Documents joined by a chain of matches belong together."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from leitong.indexer.duplicates.clusters import Cluster, connected

ids = st.text(alphabet="abcdefgh", min_size=1, max_size=2)


def test_chains_join_and_the_first_id_stands_for_all() -> None:
    assert connected([("b", "c"), ("x", "y"), ("a", "c"), ("d", "c")]) == [
        Cluster(1, "a", ("a", "b", "c", "d")),
        Cluster(2, "x", ("x", "y")),
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
