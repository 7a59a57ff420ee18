"""What do decisions make of a report's clusters?"""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leitong.indexer.documents import Kind
from leitong.indexer.duplicates.clusters import connected
from leitong.indexer.duplicates.found import Pair
from leitong.indexer.duplicates.policy.decisions import DecidedCluster, Decisions, decided_clusters
from leitong.indexer.duplicates.policy.kept import KeptReport, Known, Remembered
from leitong.indexer.errors import EngineError


def near(a: str, b: str, similarity: float = 0.8, kind: Kind | None = "near") -> Pair:
    return Pair(*sorted((a, b)), 3, similarity, kind)  # type: ignore[arg-type,misc]


def same(a: str, b: str) -> Pair:
    return Pair(a, b, 0, 1.0, "exact")


def groups(clusters: list[DecidedCluster]) -> list[set[str]]:
    return [set(cluster.members) for cluster in clusters]


PAIRS = [near("a", "b"), near("b", "c", 0.5, "partial"), near("x", "y", 0.9)]


def test_without_decisions_clusters_are_those_of_the_report() -> None:
    clusters = decided_clusters(PAIRS, Decisions())
    assert groups(clusters) == [{"a", "b", "c"}, {"x", "y"}]
    assert clusters[0].kinds == {"near": 1, "partial": 1}
    assert clusters[0].similarity == pytest.approx(0.65)
    assert (clusters[0].kept, clusters[0].representative) == ((), "a")


def test_the_document_to_keep_represents_its_cluster_and_is_the_only_one() -> None:
    decisions = Decisions().keeping("c", of=("a", "b", "c")).keeping("b", of=("a", "b", "c"))
    assert decided_clusters(PAIRS, decisions)[0].representative == "b"
    assert decisions.keep == {"b"}


def test_clusters_that_become_one_keep_all_that_were_chosen() -> None:
    decisions = Decisions().keeping("b", of=("a", "b", "c")).keeping("y", of=("x", "y"))
    (clusters,) = decided_clusters([*PAIRS, near("c", "x")], decisions)
    assert (clusters.kept, clusters.representative) == (("b", "y"), "b")


def test_a_document_that_is_no_duplicate_leaves_its_cluster_and_breaks_the_chain() -> None:
    assert groups(decided_clusters(PAIRS, Decisions().parting("c", ("a", "b", "c")))) == [{"a", "b"}, {"x", "y"}]
    assert groups(decided_clusters(PAIRS, Decisions().parting("b", ("a", "b", "c")))) == [{"x", "y"}]


def test_only_what_was_parted_is_parted() -> None:
    decisions = Decisions().parting("b", ("c",))
    assert groups(decided_clusters([*PAIRS, near("c", "new")], decisions)) == [{"a", "b"}, {"c", "new"}, {"x", "y"}]


def test_who_is_to_be_kept_of_one_stays_so_when_it_is_parted_from_another() -> None:
    decisions = Decisions().keeping("b", of=("a", "b")).parting("b", ["c"])
    assert decided_clusters(PAIRS, decisions)[0].kept == ("b",)
    assert decisions == Decisions().parting("b", ["c"]).keeping("b", of=("a", "b"))


def test_what_is_forgotten_is_as_before() -> None:
    decisions = Decisions().keeping("a", of=("a", "b")).parting("b", ("c",))
    assert decisions.forgetting("a").forgetting("b") == Decisions()


def test_one_pair_is_forgotten_and_the_rest_stays() -> None:
    decisions = Decisions().parting("b", "ac").keeping("b", of="b")
    assert decisions.forgetting("c", "b") == Decisions(frozenset("b"), frozenset([("a", "b")]))
    assert decisions.forgetting("a", "c") == decisions


def test_the_first_of_equal_texts_leaves_and_the_others_stay_together() -> None:
    pairs = [same("e1", "e2"), same("e1", "e3"), near("e1", "n")]
    clusters = decided_clusters(pairs, Decisions().parting("e1", ("e2", "e3", "n")))
    assert groups(clusters) == [{"e2", "e3", "n"}]
    assert clusters[0].kinds == {"exact": 1, "near": 1}


IDS = st.sampled_from("abcdefgh")


@given(st.sets(st.tuples(IDS, IDS).filter(lambda pair: pair[0] < pair[1])), st.sets(IDS), st.sets(st.tuples(IDS, IDS)))
def test_decisions_only_ever_divide(links: set[tuple[str, str]], keep: set[str], apart: set[tuple[str, str]]) -> None:
    decisions = Decisions()
    for one in keep:
        decisions = decisions.keeping(one, of=())
    for one, other in apart:
        decisions = decisions.parting(one, [other])
    clusters = groups(decided_clusters([near(a, b) for a, b in sorted(links)], decisions))
    before = [set(cluster.members) for cluster in connected(sorted(links))]
    assert all(any(cluster <= whole for whole in before) for cluster in clusters)
    left = {frozenset(pair) for pair in links} - {frozenset(pair) for pair in decisions.apart}
    assert all(any(pair <= cluster for cluster in clusters) for pair in left)
    assert Decisions.from_bytes(decisions.to_bytes()) == decisions


@pytest.mark.parametrize("content", [b"", b"x", b"[]", b'{"format":2}', b'{"format":1,"keep":[],"apart":[["a"]]}'])
def test_damaged_decisions_are_said(content: bytes) -> None:
    with pytest.raises(EngineError, match="Restore them"):
        Decisions.from_bytes(content)


def test_a_report_is_kept_as_it_was_and_read_again_only_when_it_changed() -> None:
    members = {name: Remembered(f"标题 {name}", "日报", 12, name * 32) for name in "abcxy"}
    report = KeptReport(datetime.now(UTC), 9, 3, 0.39, tuple(PAIRS), members)
    content = report.to_bytes()
    assert KeptReport.from_bytes(content) == report
    known = Known.of((content, None))
    assert known is not None
    assert known.sources() == {"日报": 5}
    assert Known.of((content, None), known) is known
    assert Known.of((content, Decisions().keeping("b", of=()).to_bytes()), known) is not known


def test_a_document_has_changed_where_its_digest_is_another_or_none() -> None:
    members = {
        "a": Remembered("", "", 1, "1"),
        "b": Remembered("", "", 1, "2"),
        "c": Remembered("", "", 1, "3"),
        "old": Remembered("", "", 1),
    }
    known = Known.of((KeptReport(datetime.now(UTC), 9, 3, 0.39, tuple(PAIRS), members).to_bytes(), None))
    assert known is not None
    assert known.changed({"a": "1", "b": "other"}, [*members, "unknown"]) == {"b", "c"}


@pytest.mark.parametrize("content", [None, b"", b"x", b"\x1f\x8b\x08", b"\x1f\x8b" + b"\x00" * 30])
def test_a_damaged_report_is_none(content: bytes | None) -> None:
    assert Known.of((content, None)) is None
