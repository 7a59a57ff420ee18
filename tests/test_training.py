"""A recipe is made of a corpus: words that stand in many of its texts count less."""

from dataclasses import replace
from pathlib import Path

import pytest

from leitong.indexer.errors import RecipeError, StorageError, UsageError
from leitong.indexer.fingerprint.idf import IdfTable
from leitong.indexer.fingerprint.recipe import Recipe, load
from leitong.indexer.training import train_recipe
from tests.full_disk import files_up_to

BASE = Recipe(name="base", segmenter="words")


def test_training_writes_a_recipe_that_loads(tmp_path: Path) -> None:
    corpus = ["自由 权利 free", "自由 equal", '自由 equal "quoted"', "仅此一次"]
    output = tmp_path / "trained.toml"
    table = train_recipe(corpus, base=replace(BASE, more_stop_words=('quo"te', "反\\斜", "\x7f\t")), output=output)
    assert table.documents == 4 and table.frequencies["自"] == 3 and "equal" in table.frequencies
    recipe = load(str(output))
    assert recipe.idf == table and recipe.name == "trained" and recipe.weights == ("tf", "idf")
    assert recipe.more_stop_words == ('quo"te', "反\\斜", "\x7f\t")


@pytest.mark.parametrize("room", [20, 200], ids=["for nothing", "for the table"])
def test_training_on_a_full_disk_leaves_the_recipe_that_was_there(tmp_path: Path, room: int) -> None:
    output = tmp_path / "trained.toml"
    train_recipe(["自由", "自由"], base=BASE, output=output)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with files_up_to(room), pytest.raises(StorageError, match="Cannot write"):
        train_recipe(["自由", "自由 平等", "平等"], base=BASE, output=output)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_training_again_replaces_what_training_wrote_and_nothing_else(tmp_path: Path) -> None:
    output = tmp_path / "trained.toml"
    for corpus in (["自由", "自由"], ["平等", "平等"]):
        train_recipe(corpus, base=BASE, output=output)
    assert load(str(output)).idf == IdfTable(2, {"平": 2, "等": 2})
    output.write_text('# mine\nsegmenter = "words"\n')
    with pytest.raises(UsageError, match="is no trained recipe"):
        train_recipe(["自由", "自由"], base=BASE, output=output)
    assert output.read_text().startswith("# mine")


def test_training_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="needs more documents"):
        train_recipe(["自由"], base=BASE, output=tmp_path / "x.toml")
    with pytest.raises(StorageError, match=r"Make the folder .*absent first"):
        train_recipe(["自由", "自由"], base=BASE, output=tmp_path / "absent" / "x.toml")
