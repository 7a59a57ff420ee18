"""Thousands of near-copies make as many pairs as there are copies, and nothing that they match is lost."""

from collections import Counter
from pathlib import Path
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from leitong.indexer.documents import Document
from leitong.indexer.duplicates.comparing.check import Likeness
from leitong.indexer.duplicates.pairing import LARGE
from leitong.indexer.duplicates.texts import Texts
from leitong.indexer.library import Index
from tests.duplicates.collection import NEWS, STORY, WORDS, make
from tests.fingerprint.texts import TEXTS

COPIES = 3 * LARGE
LONG = STORY + " " + TEXTS["en"] + " " + TEXTS["ru"]


def copies(count: int) -> list[Document]:
    """The same text with another last sentence each time."""
    return [
        Document(f"c{number:04}", f"{LONG} Reader {number} was here on day {number * 7}.") for number in range(count)
    ]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    half = Document("half", LONG[: len(LONG) // 2])
    other = Document("other", NEWS)
    return Index(make(tmp_path_factory.mktemp("large") / "index", [*copies(COPIES), half, other], recipe=WORDS))


def test_near_copies_are_paired_with_the_first_of_them(index: Index) -> None:
    report = index.report()
    pairs = {(pair.a, pair.b) for pair in report.pairs}
    assert {("c0000", f"c{number:04}") for number in range(1, COPIES)} <= pairs
    assert len(pairs) < 2 * COPIES
    assert report.copies == COPIES - 1


def test_what_copies_match_is_in_their_cluster(index: Index) -> None:
    (cluster,) = index.report().clusters
    assert set(cluster.members) == {f"c{number:04}" for number in range(COPIES)} | {"half"}
    assert cluster.representative == "c0000"
    assert cluster.direct == len(cluster.members) - 1


def test_every_copy_is_compared_with_the_one_that_stands_for_them(index: Index) -> None:
    """Where that was not the first of them, its copies had no similarity to it, though they were counted as direct."""
    report = index.report(keep="longest")
    (cluster,) = report.clusters
    assert cluster.representative not in ("c0000", "half")
    told = {member.id: member for member in report.members(cluster)}
    copied = [member for name, member in told.items() if name not in (cluster.representative, "half")]
    known = {match.id: match for match in index.similar(cluster.representative, limit=None).matches}
    assert len(copied) == cluster.direct - 1 == COPIES - 1
    assert [(one.similarity, one.distance, one.kind) for one in copied] == [
        (known[one.id].similarity, known[one.id].distance, known[one.id].kind) for one in copied
    ]


def test_a_star_holds_the_copies_of_its_centre(index: Index) -> None:
    (cluster,) = index.report(shape="star").clusters
    assert len(cluster.members) == COPIES + 1


def test_in_a_small_group_every_pair_is_told(tmp_path: Path) -> None:
    count = LARGE // 4
    with Index(make(tmp_path / "index", copies(count), recipe=WORDS)) as index:
        report = index.report()
        assert len(report.pairs) == count * (count - 1) // 2
        assert report.copies == 0


def test_tables_of_one_form_are_compared_once_for_all_the_passages_that_they_share(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are a group for each of these, and nobody copies anybody; a report of 240 such pages did not end."""
    asked: Counter[tuple[int, int]] = Counter()
    compare = Texts.compare

    def counted(self: Texts, left: NDArray[np.int64], right: NDArray[np.int64], *, least: float = 0.0) -> Likeness:
        asked.update(zip(left.tolist(), right.tolist(), strict=True))
        return compare(self, left, right, least=least)

    random = Random(7)
    passages = [" ".join(random.choices(LONG.split(), k=80)) for _ in range(25)]
    pages = [
        Document(f"p{number:03}", " ".join(f"{passage} {random.randrange(10_000)}" for passage in passages))
        for number in range(LARGE + 20)
    ]
    with Index(make(tmp_path / "index", pages, recipe=WORDS)) as index:
        monkeypatch.setattr(Texts, "compare", counted)
        assert index.report().copies == 0
    assert len(asked) > LARGE
    assert max(asked.values()) <= 2, "once as a copy, once as a candidate"
