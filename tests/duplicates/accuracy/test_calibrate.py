"""Edited copies against unrelated pairs: bounded, repeatable, and true to what the index would say."""

import gzip
from itertools import islice
from pathlib import Path

import orjson
import pytest

from leitong.indexer.documents import Document
from leitong.indexer.duplicates.accuracy import calibrate as module
from leitong.indexer.duplicates.accuracy.calibrate import (
    ENOUGH,
    RATES,
    AtRadius,
    AtSimilarity,
    Calibration,
    Compared,
    advise,
)
from leitong.indexer.duplicates.accuracy.edits import EDITS
from leitong.indexer.duplicates.comparing.check import MIN_SIMILARITY
from leitong.indexer.errors import UsageError
from leitong.indexer.library import Index
from leitong.reports.calibration import advice, page, values
from tests.duplicates.collection import DOCUMENTS, make


@pytest.fixture(scope="module")
def news(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Index:
    """The beginnings of a hundred web pages, each commit its own part of the index."""
    with gzip.open(data / "zh-webnews-2018" / "docs.jsonl.gz") as lines:
        records = [orjson.loads(line) for line in islice(lines, 100)]
    documents = [Document(record["id"], record["text"][:1_500], record.get("title") or "") for record in records]
    return Index(make(tmp_path_factory.mktemp("calibrate") / "index", documents, parts=2))


@pytest.fixture(scope="module")
def found(news: Index) -> Calibration:
    return news.calibrate(sample=50)


def test_every_edit_at_every_rate(found: Calibration) -> None:
    assert (found.documents, found.sampled, found.bits) == (100, 50, 64)
    for kind in EDITS:
        for rate in RATES:
            assert 40 <= len(found.some(kind=kind, rate=rate)) <= 50, (kind, rate)


def test_more_edits_more_distance(found: Calibration) -> None:
    for kind in ("words replaced", "paragraphs cut", "header added"):
        means = [sum(one.distance for one in found.some(kind=kind, rate=rate)) for rate in RATES]
        assert means == sorted(means), kind
    assert sum(one.distance for one in found.some(kind="sentences moved")) < 40, "order makes no difference to words"
    little, much = (
        sum(one.similarity for one in found.some(kind="words replaced", rate=rate)) for rate in (RATES[0], RATES[-1])
    )
    assert little > 1.5 * much


def test_unrelated_pairs_are_far_apart(found: Calibration) -> None:
    assert len({(one.a, one.b) for one in found.strangers}) == len(found.strangers) > 200
    assert all(one.a != one.b for one in found.strangers)
    distances = [one.compared.distance for one in found.strangers]
    assert 15 < sum(distances) / len(distances) < 35
    assert found.by_similarity[-1].missed > 0.5 and found.by_similarity[0].false_alarms == 1.0


@pytest.mark.slow
def test_the_same_seed_the_same_result_in_any_order(news: Index, found: Calibration, tmp_path: Path) -> None:
    documents = [stored.document for stored in news.documents([one.a for one in found.strangers]).values()]
    assert news.calibrate(sample=50) == found
    assert news.calibrate(sample=50, seed=2).strangers != found.strangers
    with (
        Index(make(tmp_path / "one", documents)) as one,
        Index(make(tmp_path / "two", documents[::-1], parts=3)) as two,
    ):
        assert one.calibrate(sample=20) == two.calibrate(sample=20)


def test_numbers_agree_with_the_pairs(found: Calibration) -> None:
    counted = [copy.compared for copy in found.copies if copy.rate <= module.COUNTED]
    at = found.by_radius[found.radius]
    assert at.copies_within == pytest.approx(sum(one.distance <= found.radius for one in counted) / len(counted))
    assert at.copies_within <= at.copies_candidates
    assert [one.copies_within for one in found.by_radius] == sorted(one.copies_within for one in found.by_radius)
    assert [one.missed for one in found.by_similarity] == sorted(one.missed for one in found.by_similarity)
    assert found.advice and found.advice.false_alarms <= found.advice.false_alarms_at_most


def test_advice_for_newcomers(news: Index, found: Calibration, monkeypatch: pytest.MonkeyPatch) -> None:
    assert found.short < 25
    words = "\n".join(advice(found))
    assert "have at most 64 letters" not in words
    assert f"Radius: keep {found.radius}" in words
    assert f"Similarity: keep {found.min_similarity:g}" in words
    assert "of 1,000 copies" in words and "leitong evaluate" in words
    monkeypatch.setattr(module, "ENOUGH", 15)
    strict = news.calibrate(sample=15, min_similarity=0.99)
    assert strict.advice and strict.advice.low < strict.advice.min_similarity < 0.99
    assert f"--min-similarity {strict.advice.min_similarity:g}" in "\n".join(advice(strict))


def test_where_nothing_separates_no_tiny_threshold_is_advised() -> None:
    """Short texts with a moved sentence have nothing in common with their originals, as strangers have."""
    copies = [Compared(2, similarity, by_passage=True) for similarity in [0.0] * 5 + [0.05] * 20 + [0.6] * 75]
    strangers = [Compared(32, similarity, by_passage=False) for similarity in [0.0] * 990 + [0.04] * 10]
    thresholds = [AtSimilarity(step / 100, step / 1_000, 0.0) for step in range(101)]
    found = advise([AtRadius(3, 1.0, 1.0, 0.0)], thresholds, copies, strangers, radius=3, min_similarity=MIN_SIMILARITY)
    assert found.high < found.low
    assert found.min_similarity == MIN_SIMILARITY


def test_too_few_documents(tmp_path: Path) -> None:
    with Index(make(tmp_path / "index", DOCUMENTS[:6])) as index, pytest.raises(UsageError, match="10 different"):
        index.calibrate()


@pytest.mark.parametrize("count", [10, *(pytest.param(count, marks=pytest.mark.slow) for count in (49, 50))])
def test_few_documents_are_measured_and_carry_no_advice(tmp_path: Path, count: int) -> None:
    documents = [Document(str(n), f"第{n}篇说的是{n * n}号事。" * (n % 5 + 1)) for n in range(count)]
    with Index(make(tmp_path / "index", documents)) as index:
        found = index.calibrate()
    words = "\n".join(advice(found))
    told = values(found, index="index")
    assert len(told["edits"]) > 0 and len(told["by_radius"]) == 16
    few = count < ENOUGH
    assert (found.advice is None, told["advice"]["missed"] is None) == (few, few)
    assert (f"{count} different documents are too few for advice" in words) == few
    for said in ("of 1,000 copies", "99 in 100", "--min-similarity"):
        assert not (few and said in words)
    assert "NaN" not in page(found, index="index").html()


def test_a_collection_of_short_texts(tmp_path: Path) -> None:
    """Nothing separates, or it does: no division by zero, and words either way."""
    documents = [Document(str(number), f"雷同{number}") for number in range(60)]
    with Index(make(tmp_path / "index", documents)) as index:
        found = index.calibrate()
    assert found.short == found.sampled == 60 and len(advice(found)) >= 5
    assert "60 of the 60 documents have at most 64 letters" in "\n".join(advice(found))


def test_long_texts_are_left_out_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST", 150)
    with Index(
        make(tmp_path / "index", [Document(str(n), f"第{n}篇说的是{n * n}号事。" * (n + 1)) for n in range(30)])
    ) as index:
        found = index.calibrate()
    assert found.too_long > 0 and found.sampled + found.too_long == 30
