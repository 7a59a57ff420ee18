"""One text in more versions than a rare key may have: every two of them are found, by a report as by a question."""

from collections.abc import Iterator
from itertools import combinations, islice
from pathlib import Path
from random import Random

import numpy as np
import pytest

from leitong.indexer.documents import Document
from leitong.indexer.duplicates.asking import OFTEN, RARE, Asking
from leitong.indexer.duplicates.commonness.boilerplate import FREE, Boilerplate
from leitong.indexer.library import Index
from tests.duplicates.collection import WORDS, make
from tests.duplicates.drawn import article

VERSIONS = 3 * RARE
SENTENCES = 20
STORY = [article(number, 50) for number in range(SENTENCES)]
KEYS = np.arange(4_000, 4_100, dtype=np.uint64)
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
    quoting = [Document(f"q{number}", f"{article(70_000 + number, 600)}{STORY[number]}") for number in range(5)]
    documents = [*map(version, range(VERSIONS)), *others, *quoting]
    with Index(make(folder / "index", documents, recipe=WORDS)) as index:
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


def test_who_asks_is_asked_by_the_others(index: Index) -> None:
    """Pages that quote a sentence of the story are asked by none of its versions, which they do not ask."""
    with index._engine.snapshot() as snapshot:  # what a question compares is not told by any command
        finder = index._finder(snapshot, radius=None, min_similarity=0)
        stored = [one for rows in snapshot.rows() for one in snapshot.documents(rows.refs)]
        entries = index._preparer.entries([one.document for one in stored])
        asked = {
            entry.stored.document.id: {other.document.id for other in others}
            for entry, others in zip(entries, finder.candidates(entries), strict=True)
        }
    names = {version(number).id for number in range(VERSIONS)}
    assert all(names - {name} <= asked[name] for name in names)
    assert not any(name.startswith("q") for of_one in asked.values() for name in of_one)
    assert all(one in asked[other] for one, others in asked.items() for other in others)
    assert index.report(min_similarity=0).compared == sum(map(len, asked.values())) / 2


def table(groups: int, *, sampled: int) -> Boilerplate:
    """Four keys that so many groups hold."""
    none = np.empty(0, dtype=np.uint64)
    return Boilerplate(1_000, 1_000, sampled, KEYS[:4], np.full(4, groups, dtype=np.int64), none)


@pytest.mark.parametrize(
    ("groups", "sampled", "keys", "asked"),
    [
        (RARE, 1_000, 100, 100),
        (RARE + 1, 1_000, 4, 4),
        (RARE + 1, 1_000, 16, 16),
        (RARE + 1, 1_000, 17, 13),
        (OFTEN, 1_000, 16, 16),
        (OFTEN + 1, 1_000, 16, 12),
        (OFTEN + 1, 1_000, 4, 0),
        (RARE, 500, 100, 96),
        (RARE, 500, 16, 16),
        (OFTEN, 500, 16, 12),
        (FREE, 1, 100, 100),
        (FREE + 1, 1, 16, 12),
    ],
)
def test_what_more_groups_hold_is_asked_with_where_it_is_a_part_of_the_keys(
    groups: int, sampled: int, keys: int, asked: int
) -> None:
    """In a sample a group stands for several."""
    assert len(Asking.among(table(groups, sampled=sampled), 1_000).keys(KEYS[:keys])) == asked


def test_whoever_asks_with_nothing_but_what_is_no_boilerplate_is_in_no_versions() -> None:
    asking = Asking(table(FREE + 1, sampled=1_000))
    assert len(asking.keys(KEYS[:4])) == 0
    assert not asking.is_in_versions(KEYS[:4])
    assert not asking.is_in_versions(KEYS[:0])
