"""All pairs of an index, and `similar` saying the same."""

from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from leitong.indexer.documents import Document
from leitong.indexer.duplicates.clusters import Keep
from leitong.indexer.duplicates.comparing.check import MIN_SIMILARITY
from leitong.indexer.duplicates.found import Report
from leitong.indexer.errors import UnknownDocumentError, UsageError
from leitong.indexer.library import Index
from tests.duplicates.agreement import assert_agree
from tests.duplicates.collection import DOCUMENTS, NEWS, STANDARD, STORY, WORDS, make
from tests.fingerprint.texts import TEXTS


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return Index(make(tmp_path_factory.mktemp("report") / "index", DOCUMENTS, parts=3))


def pairs(report: Report) -> set[tuple[str, str]]:
    return {(pair.a, pair.b) for pair in report.pairs}


def test_what_is_found_in_the_collection(index: Index) -> None:
    report = index.report()
    kinds = {(pair.a, pair.b): pair.kind for pair in report.pairs}
    assert kinds["news", "news-copy"] == "exact"
    assert kinds["news", "news-edited"] == "near"
    assert kinds["news", "news-short"] == "partial"
    assert kinds["news", "news-long"] == "partial"
    assert kinds["story", "story-edited"] == "near"
    assert kinds["stop-1", "stop-2"] == "exact", "stop words are no features, but they are text"
    assert kinds["dots-1", "dots-2"] == "exact"
    clusters = {cluster.representative: set(cluster.members) for cluster in report.clusters}
    assert clusters == {
        "dots-1": {"dots-1", "dots-2"},
        "news": {"news", "news-copy", "news-short", "news-long", "news-edited"},
        "stop-1": {"stop-1", "stop-2"},
        "story": {"story", "story-edited"},
    }
    assert report.documents == len(DOCUMENTS)
    assert report.settings.radius == STANDARD.radius and report.settings.min_similarity == MIN_SIMILARITY


def test_pairs_stand_in_order(index: Index) -> None:
    found = [(pair.a, pair.b) for pair in index.report().pairs]
    assert found == sorted(set(found))
    assert all(a < b for a, b in found)


def test_equal_texts_are_named_by_their_first_id_only(index: Index) -> None:
    for a, b in pairs(index.report()):
        assert "news-copy" not in (a, b) or (a, b) == ("news", "news-copy")


@pytest.mark.parametrize("radius", [None, 0, 7, 15])
@pytest.mark.parametrize("min_similarity", [None, 0.0, 0.9, 1.0])
def test_similar_says_the_same(index: Index, radius: int | None, min_similarity: float | None) -> None:
    report = assert_agree(index, radius=radius, min_similarity=min_similarity)
    assert all(pair.similarity >= report.settings.min_similarity for pair in report.pairs)


def test_more_radius_never_finds_less(index: Index) -> None:
    found = [pairs(index.report(radius=radius, min_similarity=0.0)) for radius in (0, 3, 7, 11, 15)]
    assert all(narrow <= wide for narrow, wide in pairwise(found))


def test_a_text_without_features_pairs_with_its_equal_only(index: Index) -> None:
    """Fingerprint 0 means nothing: not even at similarity 0 does it make a match."""
    for a, b in pairs(index.report(radius=15, min_similarity=0.0)):
        assert not {"dots-1", "dots-2", "dots-3"} & {a, b} or (a, b) == ("dots-1", "dots-2")
    assert [match.id for match in index.similar("dots-1", radius=15, min_similarity=0.0).matches] == ["dots-2"]
    assert index.similar("dots-3", radius=15, min_similarity=0.0).matches == ()


def test_distances_are_those_of_the_documents_named(tmp_path: Path) -> None:
    """Equal texts may have different fingerprints: a comma can change how words are cut."""
    texts = ["中国人民银行宣布上调存款准备金率", "中国，人民，银行，宣布，上调，存款，准备金率"]
    with Index(make(tmp_path / "index", [Document("b", texts[0]), Document("a", texts[1])])) as index:
        (pair,) = index.report().pairs
        (match,) = index.similar("a").matches
        assert pair.kind == match.kind == "exact"
        assert pair.distance == match.distance > 0


@pytest.mark.parametrize("count", [0, 1])
def test_nothing_to_compare(tmp_path: Path, count: int) -> None:
    with Index(make(tmp_path / "index", DOCUMENTS[:count])) as index:
        report = index.report()
        assert (report.documents, list(report.pairs), report.clusters, report.compared) == (count, [], (), 0)


def test_all_equal(tmp_path: Path) -> None:
    documents = [Document(f"{number:03}", NEWS) for number in range(120)]
    with Index(make(tmp_path / "index", documents, recipe=WORDS, parts=2)) as index:
        report = index.report()
        assert pairs(report) == {("000", f"{number:03}") for number in range(1, 120)}
        assert all((pair.distance, pair.similarity, pair.kind) == (0, 1.0, "exact") for pair in report.pairs)
        (cluster,) = report.clusters
        assert len(cluster.members) == 120 and cluster.representative == "000"
        assert report.compared == len(report.pairs)
        assert index.similar("050", limit=None).total == 119
        assert len(index.similar("050", limit=7).matches) == 7


@pytest.mark.parametrize("keep", ["first", "oldest"])
def test_equal_texts_match_the_representative_as_their_text_does(tmp_path: Path, keep: Keep) -> None:
    """The pairs name the first id of equal texts only; a cluster tells of each of its documents, whoever is kept."""
    comma, plain = "中国，人民，银行，宣布，上调，存款，准备金率", "中国人民银行宣布上调存款准备金率"
    near = STORY.replace("forty", "thirty").replace("great lamp", "lamp")
    years = {"a": 2003, "b": 2002, "d": 2001, "e": 2004, "f": 2005, "g": 2009, "h": 2008}
    texts = {"a": STORY, "b": STORY, "d": STORY, "e": near, "f": near, "g": plain, "h": comma}
    documents = [Document(one, text, metadata={"date": str(years[one])}) for one, text in texts.items()]
    with Index(make(tmp_path / "index", documents)) as index:
        report = index.report(keep=keep, date_field="date")
        story, bank = report.clusters
        assert (story.representative, bank.representative) == (("a", "g") if keep == "first" else ("d", "h"))
        for cluster in report.clusters:
            matches = {match.id: match for match in index.similar(cluster.representative).matches}
            for member in report.members(cluster):
                told = (member.similarity, member.distance, member.kind)
                if member.id == cluster.representative:
                    assert told == (None, None, None)
                    continue
                match = matches[member.id]
                assert told == (pytest.approx(match.similarity), match.distance, match.kind)
        kinds = {member.id: member.kind for member in report.members(story) if member.id != story.representative}
        assert kinds == {one: "near" if one in "ef" else "exact" for one in "abdef" if one != story.representative}
        assert story.direct == 4


def test_ids_of_any_kind(tmp_path: Path) -> None:
    ids = ["a\nb", "a/b/../c", "😀", "'; DROP TABLE", "长" * 170, '"', " ", "\\", "x" * 512]
    with Index(make(tmp_path / "index", [Document(one, STORY) for one in ids], recipe=WORDS)) as index:
        assert pairs(index.report()) == {(min(ids), other) for other in ids if other != min(ids)}
        for one in ids:
            assert {match.id for match in index.similar(one).matches} == set(ids) - {one}


def test_steps_are_told(index: Index) -> None:
    steps: list[str] = []
    index.report(watch=lambda step: steps.append(step.name))
    assert list(dict.fromkeys(steps)) == ["learn", "read", "join", "check", "describe"]


def test_pasted_text_finds_what_the_document_finds(index: Index) -> None:
    pasted = index.similar_to(STORY)
    assert pasted.id is None
    assert [(match.id, match.kind) for match in pasted.matches] == [("story", "exact"), ("story-edited", "near")]
    assert index.similar_to("。").matches == index.similar_to("").matches == ()


def test_bad_settings(index: Index) -> None:
    for radius in (-1, 16):
        with pytest.raises(UsageError, match="radius must be 0 to 15"):
            index.report(radius=radius)
    for similarity in (-0.1, 1.1):
        with pytest.raises(UsageError, match="min_similarity must be 0 to 1"):
            index.similar("news", min_similarity=similarity)
    with pytest.raises(UsageError, match="limit must be 1 or more"):
        index.similar("news", limit=0)
    with pytest.raises(UnknownDocumentError, match="No document with the id 'absent'"):
        index.similar("absent")


def test_one_text_is_no_list_of_ids(tmp_path: Path) -> None:
    """`delete("ab")` deleted the documents a and b."""
    with Index(make(tmp_path / "index", [Document(name, STORY) for name in ("a", "b", "ab")])) as index:
        for call in (index.delete, index.compare, index.duplicate_counts):
            with pytest.raises(UsageError, match="'ab' is one text and no list of ids"):
                call("ab")
        assert index.info().documents == 3
        assert index.delete(["ab"]) == 1


def test_the_order_of_indexing_changes_nothing(tmp_path: Path, index: Index) -> None:
    shuffled = list(DOCUMENTS)
    Random(5).shuffle(shuffled)
    with Index(make(tmp_path / "index", shuffled, parts=2)) as other:
        assert list(other.report().pairs) == list(index.report().pairs)


def synthetic(count: int, random: Random) -> list[Document]:
    """Documents of real sentences, some edited, some cut, some merged, under one footer."""
    sentences = [part + "。" for text in TEXTS.values() for part in text.replace("。", "\n").splitlines() if part]
    sentences += [
        f"第{number}条规定了{word}的范围和责任。" for number in range(60) for word in ("权利", "合同", "教育")
    ]
    documents: list[Document] = []
    for number in range(count):
        if documents and random.random() < 0.5:
            body = random.choice(documents).text.split("。")
            body = [part for part in body if random.random() > 0.15] + random.sample(sentences, 1)
            text = "。".join(body)
        else:
            text = "".join(random.sample(sentences, 8))
        documents.append(Document(f"d{number:03}", text + "版权所有，未经许可不得转载，违者必究。"))
    return documents


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_similar_says_the_same_of_many(tmp_path: Path, seed: int) -> None:
    with Index(make(tmp_path / "index", synthetic(90, Random(seed)), recipe=WORDS, parts=2)) as index:
        report = assert_agree(index)
        assert len(report.pairs) > 20
