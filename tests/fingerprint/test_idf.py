"""A frozen table of document frequencies: learned, kept in a file, and never trusted when the file is damaged."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leitong.indexer.errors import RecipeError
from leitong.indexer.fingerprint.idf import IdfTable
from tests.examples import examples
from tests.fingerprint.texts import fingerprinter

table_words = st.text(st.characters(exclude_characters="\t\n", exclude_categories=("Cs",)), min_size=1, max_size=8)
tables = st.builds(IdfTable, st.integers(0, 10**9), st.dictionaries(table_words, st.integers(1, 10**9), max_size=8))


@given(table=tables)
@examples(50)
def test_round_trip(table: IdfTable, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "table.gz"
    table.save(path)
    again = IdfTable.load(path)
    assert again == table and again.id == table.id
    content = path.read_bytes()
    again.save(path)
    assert path.read_bytes() == content, "the same table is the same file"


def test_the_id_follows_the_content() -> None:
    table = IdfTable(9, {"a": 2, "b": 3})
    assert table.id == IdfTable(9, {"b": 3, "a": 2}).id
    others = [IdfTable(8, {"a": 2, "b": 3}), IdfTable(9, {"a": 2, "b": 4}), IdfTable(9, {"a": 2}), IdfTable(9, {})]
    assert len({table.id, *(other.id for other in others)}) == 5


@given(table=tables, word=table_words)
def test_idf_falls_as_frequency_grows_and_loses_no_word(table: IdfTable, word: str) -> None:
    rarer = IdfTable(100, {"rare": 2, "common": 90, "everywhere": 100})
    assert rarer.idf("unknown") > rarer.idf("rare") > rarer.idf("common") > rarer.idf("everywhere") == 1.0


def test_learning_counts_documents_not_words() -> None:
    table = IdfTable.learn([["a", "a", "。"], ["a", "b", "。"], ["b", "c", "。"]])
    assert table == IdfTable(3, {"a": 2, "b": 2}), "neither what stands in one document nor punctuation"
    assert IdfTable.learn([]) == IdfTable(0, {})
    assert IdfTable.learn([]).idf("x") > 0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "leitong-idf 2\t5\n",
        "leitong-idf 1\n",
        "leitong-idf 1\tmany\n",
        "leitong-idf 1\t5\nword without count\n",
        "leitong-idf 1\t5\na\tb\tc\n",
        "leitong-idf 1\t5\na\tfew\n",
        "leitong-idf 1\t5\n\udcff\t5\n",
    ],
)
def test_what_is_no_table(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.gz"
    for content in (gzip.compress(text.encode("utf-8", "surrogateescape"), mtime=0), text.encode("utf-8", "replace")):
        path.write_bytes(content)
        with pytest.raises(RecipeError, match=r"t\.gz is not an idf table .*`leitong recipe train"):
            IdfTable.load(path)


def test_damage_at_any_byte_is_noticed_or_harmless(tmp_path: Path) -> None:
    table = IdfTable(1000, {f"词{n}": n + 2 for n in range(40)})
    path = tmp_path / "t.gz"
    table.save(path)
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        try:
            assert IdfTable.load(path) == table  # a byte of gzip's own header
        except RecipeError:
            continue
    for size in range(0, len(whole), 7):
        path.write_bytes(whole[:size])
        with pytest.raises(RecipeError):
            IdfTable.load(path)
    with pytest.raises(RecipeError, match="There is no idf table"):
        IdfTable.load(tmp_path / "absent.gz")


def test_the_table_of_jieba() -> None:
    table = fingerprinter("tfidf").recipe.idf
    assert table is not None
    assert len(table.frequencies) > 200_000
    assert table.idf("自由") < table.idf("归心似箭")
    assert all(1 <= count <= table.documents for count in table.frequencies.values())
