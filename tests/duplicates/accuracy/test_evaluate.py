"""Labelled pairs against an index: what `report` would find, and where it is wrong."""

import pytest

from leitong.indexer.documents import LabelledPair
from leitong.indexer.duplicates.comparing.check import MIN_SIMILARITY
from leitong.indexer.errors import UnknownDocumentError, UsageError
from leitong.indexer.library import Index
from tests.duplicates.collection import DOCUMENTS, make

PAIRS = [
    LabelledPair("news", "news-copy", True, "copy"),
    LabelledPair("news", "news-short", True, "derived"),
    LabelledPair("news", "news-long", True, "derived"),
    LabelledPair("story", "story-edited", True, "copy"),
    LabelledPair("news", "poem", False, "different"),
    LabelledPair("rights", "story", False, "different"),
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return Index(make(tmp_path_factory.mktemp("evaluate") / "index", DOCUMENTS))


def test_what_report_finds_is_what_counts(index: Index) -> None:
    for radius in (0, 3, 15):
        for min_similarity in (0.0, MIN_SIMILARITY, 0.9):
            found = index.evaluate(PAIRS, radius=radius, min_similarity=min_similarity)
            report = index.report(radius=radius, min_similarity=min_similarity)
            expected = {(pair.a, pair.b) for pair in report.pairs}
            assert found.settled.right == sum((pair.a, pair.b) in expected for pair in PAIRS if pair.duplicate)
            assert found.settled.false == sum((pair.a, pair.b) in expected for pair in PAIRS if not pair.duplicate)


def test_distances_and_similarities_are_those_of_compare(index: Index) -> None:
    found = index.evaluate(PAIRS)
    assert len(found.judged) == len(PAIRS)
    for one in found.judged:
        match = {match.id: match for match in index.similar(one.pair.a, min_similarity=0, limit=None).matches}
        if one.pair.b in match:
            assert one.distance == match[one.pair.b].distance
            assert one.similarity == match[one.pair.b].similarity
            assert one.by_passage or (one.distance or 0) <= 3


def test_a_lower_bar_never_finds_less(index: Index) -> None:
    found = index.evaluate(PAIRS)
    assert [score.at for score in found.by_radius] == list(range(16))
    assert [score.at for score in found.by_similarity][::50] == [0.0, 0.5, 1.0]
    for scores, rising in ((found.by_radius, 1), (found.by_distance, 1), (found.by_similarity, -1)):
        counts = [score.right + score.false for score in scores]
        assert counts == sorted(counts, reverse=rising < 0)
    assert found.by_radius[3] == found.settled or found.by_radius[3].right == found.settled.right
    assert found.best is not None and found.best.f1 is not None and found.best.f1.value == 1.0


def test_the_worst_mistakes_come_with_their_texts(index: Index) -> None:
    wrong = [LabelledPair(pair.a, pair.b, not pair.duplicate, "wrong") for pair in PAIRS]
    found = index.evaluate(wrong, mistakes=2)
    assert found.false_alarms[0].judged.pair.b == "news-copy", "the most similar one first"
    assert len(found.false_alarms) == 2 and len(found.missed) == 2
    similarities = [mistake.judged.similarity for mistake in found.missed]
    assert similarities == sorted(similarities)
    assert found.false_alarms[0].a.text.startswith(DOCUMENTS[0].text[:20])
    assert not any(mistake.candidate for mistake in found.missed)


def test_unknown_ids_are_left_out_and_told(index: Index) -> None:
    found = index.evaluate([*PAIRS, LabelledPair("news", "gone", True), LabelledPair("gone", "lost", False)])
    assert found.unknown == ("gone", "lost")
    assert found.pairs_left_out == 2
    assert len(found.judged) == len(PAIRS)
    with pytest.raises(UnknownDocumentError, match="no pair of the file"):
        index.evaluate([LabelledPair("gone", "lost", True)])


def test_only_duplicates(index: Index) -> None:
    found = index.evaluate([pair for pair in PAIRS if pair.duplicate])
    assert found.best is None and found.cross_fit is None
    assert found.settled.precision is None and found.settled.recall is not None


def test_texts_without_a_fingerprint(index: Index) -> None:
    found = index.evaluate([LabelledPair("dots-1", "dots-2", True), LabelledPair("dots-1", "dots-3", False)])
    assert [one.distance for one in found.judged] == [None, None]
    assert found.by_distance[15].right == 0, "two fingerprints that mean nothing are not near each other"


def test_settings_are_checked(index: Index) -> None:
    with pytest.raises(UsageError, match="radius"):
        index.evaluate(PAIRS, radius=16)
