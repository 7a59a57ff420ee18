"""Two documents in detail, several by every measure."""

import math

import pytest

from leitong.indexer.documents import Document
from leitong.indexer.duplicates.comparing.compare import Comparison, Matrix
from leitong.indexer.errors import UsageError
from leitong.indexer.library import compare_documents
from leitong.indexer.prepare import Preparer
from tests.duplicates.collection import DOCUMENTS, STANDARD, WORDS
from tests.fingerprint.texts import TEXTS

PREPARER = Preparer(STANDARD)
BY_ID = {document.id: document for document in DOCUMENTS}


def two(a: Document, b: Document) -> Comparison:
    found = compare_documents([a, b], preparer=PREPARER)
    assert isinstance(found, Comparison)
    return found


def test_an_edited_text() -> None:
    found = two(Document("a", "自由是权利。平等也是权利。"), Document("b", "自由是权利。尊严也是权利。"))
    assert (found.a, found.b, found.bits) == ("a", "b", 64)
    assert {feature.word: feature.weight for feature in found.shared} == {"权利": 2.0, "自由": 1.0}
    assert [feature.word for feature in found.only_a] == ["平等"]
    assert [feature.word for feature in found.only_b] == ["尊严"]
    assert [(change.where, change.text) for change in found.diff] == [
        ("both", "自由是权利。"),
        ("a", "平等"),
        ("b", "尊严"),
        ("both", "也是权利。"),
    ]


@pytest.mark.parametrize(
    ("a", "b", "series"),
    [
        ("如何在这里创建新的数据库备份 12", "如何在这里创建新的数据库备份 13", True),
        ("如何在这里创建新的数据库备份 12", "如何在这里创建新的数据库备份 12", False),
        ("如何在这里创建新的数据库备份", "如梦初醒的人们走上了空荡荡街道", False),
    ],
)
def test_two_of_a_series_are_short_and_similar(a: str, b: str, series: bool) -> None:
    assert two(Document("a", a), Document("b", b)).series is series


def test_from_the_other_side() -> None:
    one, other = two(BY_ID["news"], BY_ID["news-long"]), two(BY_ID["news-long"], BY_ID["news"])
    assert (one.distance, one.similarity, one.kind) == (other.distance, other.similarity, other.kind)
    assert (one.share_a, one.share_b) == (other.share_b, other.share_a)
    assert (one.shared, one.only_a, one.only_b) == (other.shared, other.only_b, other.only_a)
    assert one.kind == "partial" and one.share_a > one.share_b


def test_equal_texts() -> None:
    found = two(BY_ID["poem"], Document("other", BY_ID["poem"].text))
    assert (found.distance, found.similarity, found.kind) == (0, 1.0, "exact")
    assert not found.only_a and not found.only_b and found.shared
    assert [change.where for change in found.diff] == ["both"]


def test_texts_of_nothing() -> None:
    found = two(Document("a", "。"), Document("b", "！"))
    assert found.kind is None and found.similarity == 0 and not found.shared
    assert found.distance == 0, "two fingerprints that mean nothing"


def test_the_heaviest_words_of_each() -> None:
    found = two(Document("a", "自由，自由，自由是权利。"), Document("b", "尊严，尊严是权利。"))
    assert [(one.word, one.weight) for one in found.heaviest_a] == [("自由", 3.0), ("权利", 1.0)]
    assert [(one.word, one.weight) for one in found.heaviest_b] == [("尊严", 2.0), ("权利", 1.0)]


def test_bits_and_the_votes_that_decided_them() -> None:
    found = two(BY_ID["news"], BY_ID["news-edited"])
    assert len(found.each_bit) == found.bits
    assert sum(bit.a != bit.b for bit in found.each_bit) == found.distance > 0
    for bit in found.each_bit:
        assert bit.a == (bit.votes_a > 0) and bit.b == (bit.votes_b > 0)
    first = found.each_bit[0]
    assert first.a == bool(PREPARER.fingerprinter.one(BY_ID["news"].passage) >> 63)


def test_a_matrix_of_all_measures() -> None:
    documents = [*DOCUMENTS, Document("again", BY_ID["story"].text)]
    found = compare_documents(documents, preparer=PREPARER)
    assert isinstance(found, Matrix)
    assert found.ids == tuple(document.id for document in documents)
    assert set(found.values) == {"distance", "similarity", "simhash", "simhash_votes", "cosine", "jaccard"}
    size = range(len(documents))
    for measure, rows in found.values.items():
        assert len(rows) == len(documents) and all(len(row) == len(documents) for row in rows)
        for i in size:
            assert rows[i][i] == pytest.approx(0.0 if measure == "distance" else 1.0), measure
            for j in size:
                assert rows[i][j] == pytest.approx(rows[j][i])
                low, high = {"distance": (0, 64), "simhash": (-1, 1), "simhash_votes": (-1, 1)}.get(measure, (0, 1))
                assert low - 1e-9 <= rows[i][j] <= high + 1e-9
    for i in size:
        for j in size:
            angle = math.pi * found.values["distance"][i][j] / 64
            assert found.values["simhash"][i][j] == pytest.approx(math.cos(angle)), "P1: cos(pi d / f)"


def test_a_matrix_says_what_two_say() -> None:
    documents = [BY_ID["news"], BY_ID["news-edited"], BY_ID["story"]]
    matrix = compare_documents(documents, preparer=PREPARER)
    assert isinstance(matrix, Matrix)
    for i, a in enumerate(documents):
        for j, b in enumerate(documents):
            pair = two(a, b)
            assert matrix.values["distance"][i][j] == pair.distance
            assert matrix.values["similarity"][i][j] == pytest.approx(pair.similarity)


def test_the_cosine_of_paper_1() -> None:
    """D(30,20,20,10,0) and C(40,0,30,20,10): dot product 2000, cosine 0.86."""
    names = ["alpha", "beta", "gamma", "delta", "epsilon"]
    texts = [
        " ".join(name for name, times in zip(names, counts, strict=True) for _ in range(times))
        for counts in ((30, 20, 20, 10, 0), (40, 0, 30, 20, 10))
    ]
    found = compare_documents(
        [Document("D", texts[0]), Document("C", texts[1]), Document("x", TEXTS["zh"])], preparer=Preparer(WORDS)
    )
    assert isinstance(found, Matrix)
    assert found.values["cosine"][0][1] == pytest.approx(2000 / math.sqrt(1800 * 3000), abs=1e-6)
    assert round(found.values["cosine"][0][1], 2) == 0.86
    assert found.values["cosine"][0][2] == 0


@pytest.mark.parametrize("count", [0, 1])
def test_fewer_than_two_are_refused(count: int) -> None:
    with pytest.raises(UsageError, match="two or more"):
        compare_documents(DOCUMENTS[:count], preparer=PREPARER)
