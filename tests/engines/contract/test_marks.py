"""Reports and what is done with them: marks, deletions, folding; the same on every engine."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from leitong.indexer.documents import Document
from leitong.indexer.duplicates.dates import Dates
from leitong.indexer.duplicates.found import Pair, revision
from leitong.indexer.duplicates.policy.decisions import Decisions
from leitong.indexer.duplicates.policy.dedupe import Policy, Reported, ReportedCluster
from leitong.indexer.errors import UsageError
from leitong.indexer.library import Index, open_index
from leitong.indexer.pipeline import IndexOptions
from leitong.indexer.sources.open import open_sources
from leitong.reports.read import read_clusters, read_pairs
from leitong.reports.write import write_report
from tests.duplicates.collection import NEWS, STORY, WORDS
from tests.engines.places import Place

DOCUMENTS = (
    Document("a", STORY, "Story", {"date": "2020-05-01", "n": 1_588_291_200}),
    Document("b", STORY.replace("forty", "thirty"), "Story", {"date": "2018-01-31"}),
    Document("c", STORY + " And so it went on, year after year.", "Story", {"date": "2024"}),
    Document("x", NEWS, "", {"date": "2021-01-01"}),
    Document("y", NEWS, "", {"date": "2019-01-01"}),
    Document("z", "something else entirely, that nobody has said before in this place", ""),
)


@pytest.fixture
def index(place: Place) -> Iterator[Index]:
    with open_index(place.locator(), create=True, recipe=WORDS) as opened:
        opened.add(DOCUMENTS)
        yield opened


@pytest.fixture
def clusters(index: Index, tmp_path: Path) -> list[ReportedCluster]:
    write_report(tmp_path, index.report(date_field="date"), info=index.info(), formats=("jsonl",))
    return list(read_clusters(tmp_path))


def fates(index: Index, clusters: Sequence[ReportedCluster], policy: Policy, *, act: bool = True) -> dict[str, str]:
    return {step.id: step.fate for step in index.dedupe(clusters, policy=policy, act=act)}


def marks(index: Index) -> dict[str, str | None]:
    return {one.id: index.get(one.id).duplicate_of for one in DOCUMENTS}


def folded(index: Index, words: str) -> tuple[int, set[str]]:
    found = index.search(words, fold=True, size=50)
    return found.total, {hit.id for hit in found.hits}


class TestDedupe:
    def test_a_dry_run_changes_nothing(self, index: Index, clusters: list[ReportedCluster]) -> None:
        for action in ("mark", "delete"):
            assert fates(index, clusters, Policy(action), act=False) == {"b": "due", "c": "due", "y": "due"}
        assert set(marks(index).values()) == {None}
        assert index.info().documents == len(DOCUMENTS)

    def test_mark_fold_and_undo(self, index: Index, clusters: list[ReportedCluster]) -> None:
        assert folded(index, "lighthouse") == (3, {"a", "b", "c"})
        assert fates(index, clusters, Policy("mark")) == {"b": "due", "c": "due", "y": "due"}
        assert marks(index) == {"a": None, "b": "a", "c": "a", "x": None, "y": "x", "z": None}
        assert index.get("b").cluster == "a"
        total, hits = folded(index, "lighthouse")
        assert total == 1 and len(hits) == 1
        assert index.search("lighthouse").total == 3
        assert index.get("a").document == DOCUMENTS[0]
        assert fates(index, clusters, Policy("mark")) == {"b": "marked", "c": "marked", "y": "marked"}
        assert fates(index, clusters, Policy("mark", undo=True)) == {"b": "due", "c": "due", "y": "due"}
        assert set(marks(index).values()) == {None}
        assert folded(index, "lighthouse") == (3, {"a", "b", "c"})
        assert fates(index, clusters, Policy("mark", undo=True)) == dict.fromkeys("bcy", "unmarked")
        assert index.get("b").document == DOCUMENTS[1]

    def test_the_document_that_stays_loses_a_mark_of_its_own(
        self, index: Index, clusters: list[ReportedCluster]
    ) -> None:
        fates(index, clusters, Policy("mark", keep="oldest"))
        assert marks(index)["a"] == "b"
        assert fates(index, clusters, Policy("mark"))["b"] == "due"
        assert marks(index) == {"a": None, "b": "a", "c": "a", "x": None, "y": "x", "z": None}
        assert {index.get(doc_id).cluster for doc_id in "abc"} == {"a"}
        assert folded(index, "lighthouse")[0] == 1
        assert set(fates(index, clusters, Policy("mark")).values()) == {"marked"}

    def test_what_is_like_the_document_that_stays_only_through_others_is_left_alone(self, index: Index) -> None:
        other = " ".join(f"{number} boats came home before the storm number {number}" for number in range(40))
        between = Document("m", f"{STORY} {other}")
        index.add([between, Document("n", other)])
        members = tuple(
            Reported(one.id, revision(index.get(one.id)), 0, 0, 0.0, None) for one in (DOCUMENTS[0], between)
        )
        chained = Reported("n", revision(index.get("n")), 0, 0, 0.0, None)
        clusters = [ReportedCluster(1, "a", (*members, chained))]
        for action in ("mark", "delete"):
            assert fates(index, clusters, Policy(action), act=False) == {"m": "due", "n": "chain"}
        assert fates(index, clusters, Policy("mark")) == {"m": "due", "n": "chain"}
        assert index.get("n").duplicate_of is None

    def test_what_was_deleted_is_gone_the_next_time(self, index: Index, clusters: list[ReportedCluster]) -> None:
        fates(index, clusters, Policy("delete"))
        assert set(index.documents([one.id for one in DOCUMENTS])) == {"a", "x", "z"}
        assert len(index.report().pairs) == 0
        assert fates(index, clusters, Policy("delete")) == {"b": "gone", "c": "gone", "y": "gone"}

    @pytest.mark.parametrize(
        ("keep", "kept"), [("first", "ax"), ("oldest", "by"), ("longest", "cx"), ("central", "ax")]
    )
    def test_who_stays(self, index: Index, clusters: list[ReportedCluster], keep: str, kept: str) -> None:
        policy = Policy("mark", keep=keep)  # type: ignore[arg-type]
        assert set(fates(index, clusters, policy, act=False)) == set("abcxy") - set(kept)

    def test_a_date_of_another_field(self, index: Index, clusters: list[ReportedCluster]) -> None:
        """Where no document of a cluster has it, nothing says which is the oldest."""
        kept = Policy("mark", keep="oldest", date_field="n")
        told: list[Dates] = []
        steps = index.dedupe(clusters, policy=kept, act=True, dated=told.append)
        assert {step.id: step.fate for step in steps} == {"b": "due", "c": "due", "y": "undated"}
        assert told == [Dates(documents=5, unread=4)]
        assert marks(index) == {"a": None, "b": "a", "c": "a", "x": None, "y": None, "z": None}

    @pytest.mark.parametrize("field", ["nosuch", "v"])
    def test_without_any_date_nothing_is_done(self, index: Index, clusters: list[ReportedCluster], field: str) -> None:
        index.add([replace(one, metadata={"v": "24.10.2017"}) for one in DOCUMENTS])
        for act in (False, True):
            with pytest.raises(UsageError, match=f"The oldest cannot be told.*{field}"):
                fates(index, clusters, Policy("delete", keep="oldest", date_field=field), act=act)
        with pytest.raises(UsageError, match=f"The oldest cannot be told.*{field}"):
            index.report(keep="oldest", date_field=field)
        assert index.info().documents == len(DOCUMENTS)

    def test_what_changed_since_the_report_is_left_alone(self, index: Index, clusters: list[ReportedCluster]) -> None:
        """Title, text or metadata; a change of punctuation too, though the digest stays."""
        changed = Document("b", DOCUMENTS[1].text.replace(".", "!"), "Story", DOCUMENTS[1].metadata)
        index.add([changed, Document("y", NEWS, "", {"date": "2019-01-01", "checked": True})])
        assert fates(index, clusters, Policy("delete")) == {"b": "changed", "c": "due", "y": "changed"}
        assert set(index.documents(["b", "c", "y"])) == {"b", "y"}

    def test_without_its_representative_a_cluster_is_left_alone(
        self, index: Index, clusters: list[ReportedCluster]
    ) -> None:
        index.delete(["a"])
        index.add([Document("x", "new words")])
        assert fates(index, clusters, Policy("delete")) == dict.fromkeys("bcy", "representative")
        assert set(index.documents(["b", "c", "y"])) == {"b", "c", "y"}

    def test_what_is_written_while_it_is_looked_at_is_left_alone(
        self, index: Index, clusters: list[ReportedCluster], place: Place
    ) -> None:
        if not place.is_server:
            pytest.skip("a folder has one writer at a time")
        engine = index._engine
        with engine.writer() as writer:

            def decide(stored: object) -> object:
                from leitong.indexer.engines.base import Deletion

                index.add([Document("b", "written meanwhile")])
                return Deletion()

            assert writer.change(["b"], decide) == {"b": False}  # type: ignore[arg-type]
        assert index.get("b").document.text == "written meanwhile"


class TestDecisions:
    """What a person decided on the page of duplicates comes before the policy."""

    @pytest.mark.parametrize("keep", [None, "longest"])
    def test_who_is_to_be_kept_stays(self, index: Index, clusters: list[ReportedCluster], keep: str | None) -> None:
        index.decide(lambda decisions: decisions.keeping("b", of="abc"))
        policy = Policy("mark", keep=keep)  # type: ignore[arg-type]
        assert fates(index, clusters, policy) == {"a": "due", "c": "due", "y": "due"}
        assert marks(index) == {"a": "b", "b": None, "c": "b", "x": None, "y": "x", "z": None}
        index.decide(lambda decisions: decisions.forgetting("b"))
        undone = list(index.dedupe(clusters, policy=Policy("mark", undo=True), act=True))
        assert {step.id: step.fate for step in undone} == {"a": "due", "b": "unmarked", "c": "due", "y": "due"}
        assert {step.id: step.representative for step in undone if step.fate == "due"} == {"a": "b", "c": "b", "y": "x"}
        assert set(marks(index).values()) == {None}

    def test_two_that_are_to_be_kept_both_stay(self, index: Index, clusters: list[ReportedCluster]) -> None:
        index.decide(lambda decisions: Decisions(decisions.keep | {"b", "c"}))
        assert fates(index, clusters, Policy("delete")) == {"a": "due", "c": "decided", "y": "due"}
        assert set(index.documents([one.id for one in DOCUMENTS])) == {"b", "c", "x", "z"}

    def test_what_is_no_duplicate_is_left_alone(
        self, index: Index, clusters: list[ReportedCluster], tmp_path: Path
    ) -> None:
        """With the report's pairs the rest of its cluster is acted on; without them all of it is left alone."""
        index.decide(lambda decisions: decisions.parting("a", "bc").parting("x", "y"))
        expected = dict.fromkeys("abcxy", "decided")
        assert fates(index, clusters, Policy("delete"), act=False) == expected
        steps = index.dedupe(clusters, policy=Policy("mark"), act=True, pairs=lambda: read_pairs(tmp_path))
        assert {step.id: step.fate for step in steps} == {"a": "decided", "c": "due", "x": "decided", "y": "decided"}
        assert marks(index) == {"a": None, "b": None, "c": "b", "x": None, "y": None, "z": None}
        fates(index, clusters, Policy("mark", undo=True))
        assert set(marks(index).values()) == {None}

    def test_a_mark_that_says_otherwise_goes(
        self, index: Index, clusters: list[ReportedCluster], tmp_path: Path
    ) -> None:
        """Else a search with fold would hide what somebody said is no duplicate, or is to be kept."""
        fates(index, clusters, Policy("mark"))
        index.decide(lambda decisions: decisions.parting("b", "ac").keeping("y", of="xy"))
        list(index.dedupe(clusters, policy=Policy("mark"), act=False, pairs=lambda: read_pairs(tmp_path)))
        assert marks(index)["b"] == "a"
        steps = index.dedupe(clusters, policy=Policy("mark"), act=True, pairs=lambda: read_pairs(tmp_path))
        assert {step.id: step.fate for step in steps} == {"b": "decided", "c": "marked", "x": "due"}
        assert marks(index) == {"a": None, "b": None, "c": "a", "x": "y", "y": None, "z": None}
        assert folded(index, "lighthouse")[0] == 2
        index.decide(lambda decisions: Decisions(frozenset("ac"), decisions.apart))
        fates(index, clusters, Policy("mark"))
        assert marks(index)["c"] == "a"  # without the report's pairs a cluster in which somebody decided is left alone
        list(index.dedupe(clusters, policy=Policy("mark"), act=True, pairs=lambda: read_pairs(tmp_path)))
        assert marks(index)["c"] is None

    def test_who_is_no_duplicate_of_the_one_that_stays_is_none_of_it_by_way_of_others(
        self, index: Index, clusters: list[ReportedCluster], tmp_path: Path
    ) -> None:
        index.decide(lambda decisions: decisions.parting("b", "a"))
        steps = index.dedupe(clusters, policy=Policy("delete"), act=True, pairs=lambda: read_pairs(tmp_path))
        assert {step.id: step.fate for step in steps} == {"b": "decided", "c": "due", "y": "due"}
        assert set(index.documents([one.id for one in DOCUMENTS])) == {"a", "b", "x", "z"}

    def test_what_only_its_representative_matched_is_left_alone_without_it(
        self, index: Index, clusters: list[ReportedCluster]
    ) -> None:
        (cluster,) = (one for one in clusters if one.representative == "a")
        other = replace(cluster.members[2], id="z", revision=revision(index.get("z")), matched=True)
        cluster = replace(cluster, members=(*cluster.members, other))
        index.decide(lambda decisions: decisions.parting("a", "bcz"))
        pairs = [Pair("b", "c", 3, 0.8, "near"), Pair("c", "z", 3, 0.8, "near")]
        steps = index.dedupe([cluster], policy=Policy("delete"), act=True, pairs=lambda: pairs)
        assert {step.id: step.fate for step in steps} == {"a": "decided", "c": "due", "z": "chain"}


class TestSimilar:
    def test_shows_marks_and_folds_them(self, index: Index, clusters: list[ReportedCluster]) -> None:
        """As `search --fold`: one of each cluster; those of its own cluster stand behind the document asked for."""
        plain = index.similar("b")
        assert {match.id: match.duplicate_of for match in plain.matches} == {"a": None, "c": None}
        assert plain.folded is None
        assert index.similar("b", fold=True).matches == plain.matches
        fates(index, clusters, Policy("mark"))
        marked = index.similar("b")
        assert {match.id: match.duplicate_of for match in marked.matches} == {"a": None, "c": "a"}
        own = index.similar("b", fold=True)
        assert (own.matches, own.total, own.folded, own.candidates) == ((), 0, 2, plain.candidates)
        pasted = index.similar_to(STORY, fold=True)
        assert [match.id for match in pasted.matches] == [index.similar_to(STORY).matches[0].id]
        assert (pasted.total, pasted.folded) == (1, 2)
        around = index.surroundings("a", fold=True)
        assert (around.similar.total, around.similar.folded) == (0, 2)
        fates(index, clusters, Policy("mark", undo=True))
        assert index.similar("b", fold=True).matches == plain.matches


class TestMarksThatLoseTheirMeaning:
    def test_the_original_goes(self, index: Index, clusters: list[ReportedCluster]) -> None:
        fates(index, clusters, Policy("mark"))
        index.delete(["a"])
        assert index.get("b").duplicate_of is index.get("c").duplicate_of is None
        assert folded(index, "lighthouse") == (2, {"b", "c"})

    def test_the_original_went_in_a_run_that_was_killed(
        self, index: Index, clusters: list[ReportedCluster], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (cluster,) = (one for one in clusters if one.representative == "a")
        a, b, c = cluster.members
        list(index.dedupe([ReportedCluster(1, "b", (b, c))], policy=Policy("mark"), act=True))

        def killed(*args: object, **kwargs: object) -> None:
            raise KeyboardInterrupt

        again = [ReportedCluster(1, "a", (a, b))]
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr("leitong.indexer.collection.release", killed)
            list(index.dedupe(again, policy=Policy("delete"), act=True))
        assert index.get("c").duplicate_of == "b"
        assert [step.fate for step in index.dedupe(again, policy=Policy("delete"), act=True)] == ["gone"]
        assert index.get("c").duplicate_of is None

    def test_the_original_says_something_else(self, index: Index, clusters: list[ReportedCluster]) -> None:
        fates(index, clusters, Policy("mark"))
        index.add([Document("a", "The lighthouse is closed on Mondays.")])
        assert folded(index, "lighthouse") == (3, {"a", "b", "c"})

    def test_the_original_says_something_else_since_a_run_that_was_killed(
        self, index: Index, clusters: list[ReportedCluster], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fates(index, clusters, Policy("mark"))
        (tmp_path / "new.jsonl").write_text('{"id":"a","text":"The lighthouse is closed on Mondays."}')
        options = IndexOptions(rejects=tmp_path / "rejects.jsonl", resume=True)

        def killed(*args: object, **kwargs: object) -> None:
            raise SystemExit

        with monkeypatch.context() as patch, pytest.raises(SystemExit):
            patch.setattr("leitong.indexer.pipeline.release", killed)
            index.index(open_sources([str(tmp_path / "new.jsonl")]), options=options)
        assert index.get("b").duplicate_of == "a"
        assert index.index(open_sources([str(tmp_path / "new.jsonl")]), options=options).unchanged == 1
        assert index.get("b").duplicate_of is index.get("c").duplicate_of is None
        assert marks(index)["x"] == "y" or marks(index)["y"] == "x"

    def test_the_original_is_written_again_as_it_was(self, index: Index, clusters: list[ReportedCluster]) -> None:
        fates(index, clusters, Policy("mark"))
        index.add([DOCUMENTS[0]])
        assert index.get("b").duplicate_of == "a"

    def test_a_duplicate_of_a_duplicate_follows_it(self, index: Index, tmp_path: Path) -> None:
        def marked(keep: str, other: str) -> None:
            report = index.report(date_field="date")
            write_report(tmp_path, report, info=index.info(), formats=("jsonl",))
            for one in read_clusters(tmp_path):
                members = tuple(member for member in one.members if member.id in (keep, other))
                if len(members) == 2:
                    list(index.dedupe([ReportedCluster(1, keep, members)], policy=Policy("mark"), act=True))

        marked("a", "b")
        marked("b", "c")
        assert (index.get("c").duplicate_of, index.get("c").cluster) == ("b", "a")
        index.delete(["a"])
        assert (index.get("b").duplicate_of, index.get("b").cluster) == (None, "b")
        assert (index.get("c").duplicate_of, index.get("c").cluster) == ("b", "b")
        assert folded(index, "lighthouse")[0] == 1

    def test_nor_is_it_left_behind_when_its_original_becomes_a_duplicate_or_none(
        self, index: Index, clusters: list[ReportedCluster], tmp_path: Path
    ) -> None:
        fates(index, clusters, Policy("mark", keep="oldest"))
        copies = [{"id": "d", "text": DOCUMENTS[0].text}, {"id": "e", "text": DOCUMENTS[1].text, "title": "Story"}]
        (tmp_path / "more.jsonl").write_text("".join(json.dumps(one) + "\n" for one in copies))
        options = IndexOptions(rejects=tmp_path / "rejects.jsonl", on_duplicate="mark")
        index.index(open_sources([str(tmp_path / "more.jsonl")]), options=options)
        assert {index.get(doc_id).cluster for doc_id in "abcde"} == {"b"}
        for keep, kept in (("first", "a"), ("oldest", "b")):
            fates(index, clusters, Policy("mark", keep=keep))
            assert {index.get(doc_id).cluster for doc_id in "abcde"} == {kept}, keep
            assert folded(index, "lighthouse")[0] == 1
        fates(index, clusters, Policy("mark", undo=True))
        assert folded(index, "lighthouse")[0] == 3


def test_reports_tell_the_same(index: Index, tmp_path: Path) -> None:
    with open_index(tmp_path / "index", create=True, recipe=WORDS) as other:
        other.add(DOCUMENTS)
        for shape in ("connected", "star"):
            for keep in ("first", "oldest", "longest", "central"):
                one = index.report(shape=shape, keep=keep, date_field="date")  # type: ignore[arg-type]
                two = other.report(shape=shape, keep=keep, date_field="date")  # type: ignore[arg-type]
                assert list(one.pairs) == list(two.pairs)
                assert one.clusters == two.clusters
                assert [one.members(c) for c in one.clusters] == [two.members(c) for c in two.clusters]
    assert Counter(len(cluster.members) for cluster in index.report().clusters) == {3: 1, 2: 1}
