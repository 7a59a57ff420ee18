"""One text in more versions than a rare key may have: every two of them are found, by a report as by a question."""

from collections.abc import Iterator
from itertools import combinations, islice
from pathlib import Path
from random import Random

import numpy as np
import pytest

from leitong.indexer.documents import Document
from leitong.indexer.duplicates.commonness.boilerplate import FREE, Boilerplate
from leitong.indexer.duplicates.find import RARE, rare_keys
from leitong.indexer.library import Index
from tests.duplicates.collection import WORDS, make
from tests.duplicates.test_boilerplate import article

VERSIONS = 3 * RARE
SENTENCES = 20
STORY = [article(number, 50) for number in range(SENTENCES)]
OTHER_LETTERS = sorted(set(map(chr, range(0x4E00, 0x9FA5))).difference(*STORY))


def version(number: int) -> Document:
    """The story with three sentences of its own, which name nothing twice, under a title of its own."""
    random = Random(number)
    own = random.sample(range(SENTENCES), 3)
    letters = iter(random.sample(OTHER_LETTERS, 150))
    told = ("".join(islice(letters, 50)) if place in own else sentence for place, sentence in enumerate(STORY))
    return Document(f"v{number:02}", "".join(told), article(90_000 + number, 8))


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    others = [Document(f"o{number:03}", article(50_000 + number, 400)) for number in range(200)]
    folder: Path = tmp_path_factory.mktemp("versions")
    with Index(make(folder / "index", [*map(version, range(VERSIONS)), *others], recipe=WORDS)) as index:
        yield index


def test_a_report_has_nearly_all_pairs_and_no_others(index: Index) -> None:
    names = [version(number).id for number in range(VERSIONS)]
    report = index.report()
    found = {(pair.a, pair.b) for pair in report.pairs}
    assert found <= set(combinations(names, 2))
    assert len(found) > 0.95 * VERSIONS * (VERSIONS - 1) / 2
    (cluster,) = report.clusters
    assert len(list(report.members(cluster))) == VERSIONS


def test_a_question_finds_what_the_report_has(index: Index) -> None:
    pairs = [(pair.a, pair.b) for pair in index.report().pairs]
    for name in ("v00", f"v{VERSIONS // 2}"):
        partners = {a if b == name else b for a, b in pairs if name in (a, b)}
        assert {match.id for match in index.similar(name, limit=None).matches} == partners


def table(groups: int, *, sampled: int) -> Boilerplate:
    """Four keys, of each of the lowest bits, that so many groups hold."""
    keys = np.arange(4, dtype=np.uint64) + np.uint64(4_000)
    none = np.empty(0, dtype=np.uint64)
    return Boilerplate(1_000, 1_000, sampled, keys, np.full(4, groups, dtype=np.int64), none)


@pytest.mark.parametrize(
    ("groups", "sampled", "rare"),
    [
        (RARE, 1_000, {0, 1, 2, 3}),
        (RARE + 1, 1_000, {0, 2}),
        (2 * RARE, 1_000, {0, 2}),
        (2 * RARE + 1, 1_000, {0}),
        (4 * RARE, 1_000, {0}),
        (4 * RARE + 1, 1_000, set()),
        (RARE, 500, {0, 2}),
        (FREE, 1, {0, 1, 2, 3}),
        (FREE + 1, 1, set()),
    ],
)
def test_the_more_groups_hold_a_key_the_fewer_of_its_kind_are_asked(groups: int, sampled: int, rare: set[int]) -> None:
    """In a sample a group stands for several."""
    known = table(groups, sampled=sampled)
    assert set((known.shingles[rare_keys(known.shingles, known, 1_000)] % 4).tolist()) == rare
