"""What everybody has is learned from the collection; what is copied often is not the same as what everybody has."""

from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leitong.indexer.documents import Document
from leitong.indexer.duplicates.commonness.boilerplate import CODES, FREE, NOTE, WEIGHTS, Boilerplate
from leitong.indexer.duplicates.commonness.learn import ASKED, EXACT, WRITTEN, Memory, current, learn, load
from leitong.indexer.engines.embedded import EmbeddedEngine
from leitong.indexer.errors import EngineError
from leitong.indexer.passages import read
from tests.duplicates.collection import DOCUMENTS, NEWS, WORDS, make, put
from tests.duplicates.drawn import FOOTER, article, learned
from tests.examples import examples


def test_forty_copies_of_an_article_are_no_boilerplate() -> None:
    table = learned([NEWS] * 40 + [f"{NEWS}责任编辑{article(n, 3)}" for n in range(40)] + [article(1), article(2)])
    assert len(table.shingles) == 0
    assert table.documents == table.sampled == 82


def test_a_footer_under_forty_articles_is() -> None:
    articles = [article(number) for number in range(40)]
    table = learned([text + FOOTER for text in articles])
    footer = read(FOOTER).shingles
    codes, groups = table.look_up(footer)
    assert (groups == 40).all()
    assert WEIGHTS[codes] == pytest.approx(WEIGHTS[codes[0]]) and WEIGHTS[codes[0]] < 0.5
    own, held = table.look_up(read(articles[0]).shingles)
    assert not own.any() and not held.any()


@pytest.mark.parametrize("groups", [1, FREE, FREE + 1, 4 * FREE, 32 * FREE])
def test_the_more_groups_the_less_weight(groups: int) -> None:
    table = learned([article(number) + FOOTER for number in range(groups)])
    codes, held = table.look_up(read(FOOTER).shingles)
    if groups <= FREE:
        assert not codes.any() and len(table.shingles) == 0
    else:
        assert (held == groups).all()
        assert codes.tolist() == [round(4 * np.log2(groups / FREE))] * len(codes)


def test_weights_fall() -> None:
    assert WEIGHTS[0] == 1.0 and len(WEIGHTS) == CODES
    assert (np.diff(WEIGHTS) < 0).all() and (WEIGHTS > 0).all()


def test_texts_without_letters_teach_nothing() -> None:
    assert learned(["。"] * 50 + [""] * 50).shingles.tolist() == []


def test_bytes_and_back() -> None:
    for table in (Boilerplate.empty(), learned([article(number) + FOOTER for number in range(20)])):
        again = Boilerplate.from_bytes(table.to_bytes())
        assert (again.documents, again.sampled) == (table.documents, table.sampled)
        assert np.array_equal(again.shingles, table.shingles) and np.array_equal(again.groups, table.groups)
    assert Boilerplate.from_bytes(None).documents == 0


hashes = st.lists(st.integers(0, 2**64 - 1) | st.integers(2**63, 2**63 + 300), unique=True, max_size=400)


@given(held=hashes, asked=hashes, chance=st.randoms(use_true_random=False))
@examples(100)
def test_each_shingle_is_found_with_its_groups_and_no_other_one_is(
    held: list[int], asked: list[int], chance: Random
) -> None:
    """Evenly spread or not, however many."""
    table = {value: chance.randint(FREE + 1, 10**6) for value in sorted(held)}
    shingles, groups = np.array(list(table), dtype=np.uint64), np.array(list(table.values()), dtype=np.int64)
    boilerplate = Boilerplate(1_000, 1_000, 1_000, shingles, groups, shingles[:0])
    questions = [*asked, *chance.sample(held, len(held) // 2), 0, 2**64 - 1]
    codes, found = boilerplate.look_up(np.array(questions, dtype=np.uint64))
    assert found.tolist() == [table.get(value, 0) for value in questions]
    expected = [min(CODES - 1, round(4 * np.log2(max(table.get(value, 0), FREE) / FREE))) for value in questions]
    assert codes.tolist() == expected


def test_a_table_whose_parts_do_not_fit_is_an_error_of_ours() -> None:
    whole = np.arange(9, dtype=np.uint64)
    groups = np.full(9, 10, dtype=np.int64)
    for shingles, held in ((whole, groups[:5]), (whole.astype(np.float64), groups), (whole.reshape(3, 3), groups)):
        with pytest.raises(EngineError, match=r"is damaged .* it will be learned anew"):
            Boilerplate.from_bytes(Boilerplate(9, 9, 9, shingles, held, whole[:0]).to_bytes())  # type: ignore[arg-type]


def test_damaged_bytes_are_an_error_of_ours() -> None:
    whole = learned([article(number, 20) + FOOTER for number in range(9)]).to_bytes()
    for content in (b"", b"no zip", whole[:30], whole[: len(whole) // 2], whole[:-5]):
        with pytest.raises(EngineError, match="common passages beside the index is damaged"):
            Boilerplate.from_bytes(content)
    for place in range(0, len(whole), 5):
        try:
            Boilerplate.from_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        except EngineError:
            continue


@pytest.fixture
def documents() -> list[Document]:
    return [Document(f"{number:02}", article(number) + FOOTER) for number in range(30)]


def test_learning_does_not_depend_on_the_order_of_indexing(tmp_path: Path, documents: list[Document]) -> None:
    tables = []
    for seed in range(3):
        Random(seed).shuffle(documents)
        renamed = [replace(document, id=f"{seed}-{document.id}") for document in documents]
        engine = make(tmp_path / f"{seed}", [*renamed, *DOCUMENTS], recipe=WORDS, parts=seed + 1)
        for sample in (10, 1000):
            with engine.snapshot() as snapshot:
                table = learn(snapshot, sample=sample)
                assert table.sampled <= sample and table.documents == snapshot.count
                tables.append((sample, table.shingles.tolist(), table.groups.tolist()))
    assert len({repr(table) for table in tables}) == 2, "one for each size of sample"
    assert tables[1][1], "there is boilerplate to learn"


def _documents(engine: EmbeddedEngine, *, within: float = ASKED) -> int:
    with engine.snapshot() as snapshot:
        return current(engine, snapshot, within=within).documents


def test_learned_again_when_the_collection_has_doubled_or_halved(tmp_path: Path, documents: list[Document]) -> None:
    engine = make(tmp_path / "index", documents[:10], recipe=WORDS)
    assert load(engine).documents == 0
    assert _documents(engine) == 10
    put(engine, documents[10:19])
    assert _documents(engine) == 10, "nearly twice as many: the table stands"
    put(engine, documents[19:20])
    assert _documents(engine) == 20
    with engine.writer() as writer:
        writer.delete([document.id for document in documents[:9]])
    assert _documents(engine) == 20
    with engine.writer() as writer:
        writer.delete([document.id for document in documents[9:11]])
    assert _documents(engine) == 9
    assert load(engine).documents == 9, "and kept beside the index"


def test_runs_that_write_learn_earlier_and_reports_always(tmp_path: Path, documents: list[Document]) -> None:
    engine = make(tmp_path / "index", documents[:20], recipe=WORDS)
    assert _documents(engine) == 20
    put(engine, documents[20:21])
    assert _documents(engine, within=WRITTEN) == 20
    assert _documents(engine, within=EXACT) == 21
    put(engine, documents[21:24])
    assert _documents(engine) == 21
    assert _documents(engine, within=WRITTEN) == 24


@given(st.lists(st.dictionaries(st.integers(0, 9), st.integers(FREE + 1, 99)), min_size=2, max_size=2))
def test_two_tables_joined_have_what_either_has(held: list[dict[int, int]]) -> None:
    one, other = (
        Boilerplate(
            number,
            number,
            number,
            np.array(sorted(some), dtype=np.uint64),
            np.array([some[key] for key in sorted(some)], dtype=np.int64),
            np.array(sorted(some)[:2], dtype=np.uint64),
        )
        for number, some in enumerate(held)
    )
    joined = one.joined(other)
    expected = {key: max(held[0].get(key, 0), held[1].get(key, 0)) for key in sorted(held[0].keys() | held[1].keys())}
    assert dict(zip(joined.shingles.tolist(), joined.groups.tolist(), strict=True)) == expected
    assert joined.shingles.tolist() == list(expected)
    assert set(joined.common.tolist()) == {*one.common.tolist(), *other.common.tolist()}
    assert Boilerplate.from_bytes(joined.to_bytes()).groups.tolist() == joined.groups.tolist()


def test_joined_with_a_sample_each_group_stands_for_as_many() -> None:
    """Groups of a sample are few beside those of the collection that it tells of, and of all texts of a run."""

    def table(texts: int, sampled: int, groups: dict[int, int]) -> Boilerplate:
        shingles, numbers = np.array(list(groups), dtype=np.uint64), np.array(list(groups.values()), dtype=np.int64)
        return Boilerplate(texts, texts, sampled, shingles, numbers, np.empty(0, dtype=np.uint64))

    sample, run = table(800, 100, {1: 10, 2: 10}), table(200, 200, {2: 40, 3: 160})
    for joined in (sample.joined(run), run.joined(sample)):
        assert joined.documents == 800
        assert dict(zip(joined.shingles.tolist(), (joined.groups * joined.scale).tolist(), strict=True)) == {
            1: 80,
            2: 80,
            3: 160,
        }


def test_a_damaged_table_is_learned_anew(tmp_path: Path, documents: list[Document]) -> None:
    engine = make(tmp_path / "index", documents, recipe=WORDS)
    engine.write_note(NOTE, b"damaged")
    assert load(engine).documents == 0
    assert _documents(engine) == 30 == load(engine).documents


def test_what_has_not_changed_is_not_read_again(tmp_path: Path, documents: list[Document]) -> None:
    engine, memory = make(tmp_path / "index", documents, recipe=WORDS), Memory()
    assert load(engine, memory).documents == 0
    _documents(engine)
    first = load(engine, memory)
    assert first.documents == 30 and load(engine, memory) is first
    engine.write_note(NOTE, b"damaged")
    assert load(engine, memory).documents == 0
    _documents(engine)
    assert load(engine, memory).documents == 30


def test_a_word_that_many_titles_have_says_little() -> None:
    titles = [f"{article(number, 4)} 资源类型" for number in range(40)]
    table = learned([article(number) for number in range(40)], titles=titles)
    common = read("", title="资源类型").title
    codes, groups = table.look_up(common)
    assert (groups == 40).all() and (WEIGHTS[codes] < 0.2).all()
    assert not table.look_up(read("", title=article(3, 4)).title)[0].any()
