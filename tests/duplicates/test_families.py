"""Where a sample was learned from, pages of a small family are told from copies by what their candidates share."""

from functools import partial
from pathlib import Path
from random import Random

import numpy as np
import pytest

from leitong.indexer.documents import Document, LabelledPair
from leitong.indexer.duplicates.commonness import learn as module
from leitong.indexer.duplicates.commonness.boilerplate import FREE, MOST_SCALE, WEIGHTS, Boilerplate
from leitong.indexer.duplicates.commonness.learn import learn
from leitong.indexer.duplicates.comparing.check import MIN_SIMILARITY, TextCheck
from leitong.indexer.duplicates.comparing.compare import Comparison, Matrix
from leitong.indexer.duplicates.comparing.families import Families
from leitong.indexer.duplicates.comparing.profile import Profile
from leitong.indexer.duplicates.found import revision
from leitong.indexer.duplicates.policy.dedupe import Policy, Reported, ReportedCluster
from leitong.indexer.duplicates.settings import Step
from leitong.indexer.library import Index
from leitong.indexer.passages import read
from tests.duplicates.collection import NEWS, WORDS, make
from tests.duplicates.drawn import FOOTER, article

SAMPLE = 60
PAGES = 14
CHECK = TextCheck(Boilerplate.empty())


def page(family: int, number: int) -> str:
    """A page of a family: the form of all its pages, and a text of its own."""
    return article(1000 + family, 150) + article(10_000 + 100 * family + number, 90) + FOOTER


def edited(text: str) -> str:
    return text[:20] + "改" + text[21:]


DOCUMENTS = [
    *(Document(f"article-{number:03}", article(number)) for number in range(200)),
    *(Document(f"page-{family}-{number}", page(family, number)) for family in range(10) for number in range(PAGES)),
    Document("article-007-copy", edited(article(7))),
    Document("page-3-5-copy", edited(page(3, 5))),
]
COPIES = [("article-007", "article-007-copy"), ("page-3-5", "page-3-5-copy")]


def profile(text: str) -> Profile:
    return CHECK.profile(read(text))


@pytest.fixture
def sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sixth of the texts are read to learn."""
    monkeypatch.setattr(module, "learn", partial(learn, sample=SAMPLE))


def index(path: Path) -> Index:
    return Index(make(path, DOCUMENTS, recipe=WORDS, parts=3))


@pytest.mark.usefixtures("sampled")
def test_the_table_of_a_sample_takes_pages_for_copies(tmp_path: Path) -> None:
    """Else nothing below is tested."""
    with make(tmp_path / "index", DOCUMENTS, recipe=WORDS).snapshot() as snapshot:
        table = learn(snapshot, sample=SAMPLE)
    assert table.of_sample and table.sampled == SAMPLE
    check = TextCheck(table)
    one, other = (check.profile(read(page(2, number))) for number in (1, 4))
    assert check.compare([one], [other]).similarity[0] > MIN_SIMILARITY


@pytest.mark.usefixtures("sampled")
def test_a_report_finds_copies_and_no_sister_pages(tmp_path: Path) -> None:
    with index(tmp_path / "index") as opened:
        steps: list[str] = []
        found = opened.report(watch=lambda step: steps.append(step.name))
    assert [(pair.a, pair.b) for pair in found.pairs] == COPIES
    assert "recheck" in steps


def test_it_finds_the_same_where_everything_was_read(tmp_path: Path) -> None:
    with index(tmp_path / "index") as opened:
        steps: list[str] = []
        found = opened.report(watch=lambda step: steps.append(step.name))
    assert [(pair.a, pair.b) for pair in found.pairs] == COPIES
    assert "recheck" not in steps


@pytest.mark.usefixtures("sampled")
@pytest.mark.parametrize(
    ("asked", "expected"), [("page-3-5", ["page-3-5-copy"]), ("page-2-1", []), ("article-009", [])]
)
def test_similar_agrees(tmp_path: Path, asked: str, expected: list[str]) -> None:
    with index(tmp_path / "index") as opened:
        assert [match.id for match in opened.similar(asked).matches] == expected


@pytest.mark.usefixtures("sampled")
def test_so_do_compare_and_evaluate(tmp_path: Path) -> None:
    pairs = [LabelledPair("page-2-1", "page-2-4", False), LabelledPair("page-3-5", "page-3-5-copy", True)]
    with index(tmp_path / "index") as opened:
        opened.report()  # which learns
        for pair in pairs:
            found = opened.compare([pair.a, pair.b])
            assert isinstance(found, Comparison) and (found.similarity >= MIN_SIMILARITY) == pair.duplicate
            matrix = opened.compare([pair.a, pair.b], matrix=True)
            assert isinstance(matrix, Matrix) and matrix.values["similarity"][0][1] == found.similarity
        measured = opened.evaluate(pairs)
    assert [judged.similarity >= MIN_SIMILARITY for judged in measured.judged] == [False, True]


@pytest.mark.usefixtures("sampled")
def test_dedupe_leaves_sister_pages_alone_that_a_chain_joins(tmp_path: Path) -> None:
    with index(tmp_path / "index") as opened:
        opened.report()  # which learns
        first, sister, copy = (
            Reported(doc_id, revision(opened.get(doc_id)), 0, 0, 0.0, None)
            for doc_id in ("page-3-5", "page-3-7", "page-3-5-copy")
        )
        cluster = ReportedCluster(1, first.id, (first, sister, copy))
        steps = opened.dedupe([cluster], policy=Policy("delete"), act=False)
        fates = {step.id: step.fate for step in steps}
    assert fates == {sister.id: "chain", copy.id: "due"}


@pytest.mark.usefixtures("sampled")
def test_a_killed_report_goes_on(tmp_path: Path) -> None:
    def kill(step: Step) -> None:
        if step.name == "recheck":
            raise KeyboardInterrupt

    with index(tmp_path / "index") as opened:
        with pytest.raises(KeyboardInterrupt):
            opened.report(work=tmp_path / "work", watch=kill)
        found = opened.report(work=tmp_path / "work", resume=True)
    assert [(pair.a, pair.b) for pair in found.pairs] == COPIES


@pytest.mark.usefixtures("sampled")
def test_parts_together_are_the_whole(tmp_path: Path) -> None:
    with index(tmp_path / "index") as opened:
        parts = [opened.report(part=part, parts=3) for part in range(3)]
    assert sorted((pair.a, pair.b) for part in parts for pair in part.pairs) == COPIES


def test_forty_copies_are_no_family() -> None:
    copies = [profile(f"{NEWS}责任编辑{article(number, 3)}") for number in range(40)]
    assert len(Families.of(copies[0], copies[1:])) == 0


@pytest.mark.parametrize("pages", [1, FREE, FREE + 1, 3 * FREE])
def test_what_more_groups_share_weighs_as_in_the_table(pages: int) -> None:
    one, *others = (profile(page(1, number)) for number in range(pages))
    families = Families.of(one, others)
    assert (len(families) > 0) == (pages > FREE)
    form = profile(article(1001, 150))
    weighed = families.weigh(form)
    lightest = WEIGHTS[round(4 * np.log2(max(pages, FREE) / FREE))]
    assert weighed.weight == pytest.approx(lightest * len(form.packed))
    assert np.array_equal(weighed.packed >> np.uint64(6), form.packed >> np.uint64(6))
    own = profile(article(5))
    assert families.weigh(own).weight == own.weight


def test_of_several_the_lightest_weight_counts() -> None:
    def of(pages: int) -> Families:
        one, *others = (profile(page(1, number)) for number in range(pages))
        return Families.of(one, others)

    few, many, other = of(6), of(24), Families.of(profile(page(2, 0)), [profile(page(2, n)) for n in range(1, 9)])
    joined = Families.join([few, other, many, few])
    form, strange = profile(article(1001, 150)), profile(article(1002, 150))
    assert joined.weigh(form).weight == many.weigh(form).weight < few.weigh(form).weight
    assert joined.weigh(strange).weight == other.weigh(strange).weight < strange.weight
    assert len(Families.join([])) == 0


def test_the_number_of_texts_is_estimated_from_the_sample(tmp_path: Path) -> None:
    again = [Document(f"{document.id}-again", document.text, document.title) for document in DOCUMENTS[:100]]
    with make(tmp_path / "index", [*DOCUMENTS, *again], recipe=WORDS, parts=2).snapshot() as snapshot:
        whole = learn(snapshot)
        table = learn(snapshot, sample=SAMPLE)
    assert (whole.texts, whole.sampled, whole.scale, whole.of_sample) == (len(DOCUMENTS), len(DOCUMENTS), 1.0, False)
    assert table.texts == pytest.approx(len(DOCUMENTS), rel=0.4) and table.documents == len(DOCUMENTS) + 100


def test_groups_of_a_sample_stand_for_more() -> None:
    shingles = np.sort(np.array([Random(0).getrandbits(64) for _ in range(50)], dtype=np.uint64))

    def weight(texts: int) -> float:
        table = Boilerplate(texts, texts, 1_000, shingles, np.full(50, 8, dtype=np.int64), shingles[:0])
        return float(WEIGHTS[table.look_up(shingles)[0]][0])

    assert weight(1_000) == pytest.approx(FREE / 8)
    assert weight(4_000) == pytest.approx(FREE / 32)
    assert weight(10**9) == pytest.approx(FREE / 8 / MOST_SCALE)
