"""A recipe is every choice that decides a fingerprint; its id changes with each of them and with nothing else."""

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from leitong.indexer.errors import RecipeError
from leitong.indexer.fingerprint.idf import IdfTable
from leitong.indexer.fingerprint.recipe import DEFAULT, Recipe, from_settings, load, named
from leitong.indexer.fingerprint.simhash import Fingerprinter
from leitong.indexer.fingerprint.weights import Constants
from tests.fingerprint.texts import fingerprinter

BASE = Recipe(name="base", segmenter="words")
TABLE = IdfTable(9, {"自由": 3})
WEIGHED = Recipe(name="weighed", segmenter="words", weights=("tf", "idf"), idf=TABLE)
CHANGES: dict[str, tuple[Recipe, dict[str, Any]]] = {
    "segmenter": (BASE, {"segmenter": "chars"}),
    "ngram": (Recipe(name="chars", segmenter="chars"), {"ngram": 4}),
    "user_words": (Recipe(name="base"), {"user_words": ("雷同检测器",)}),
    "stop_words": (BASE, {"stop_words": ("zh",)}),
    "more_stop_words": (BASE, {"more_stop_words": ("雷同",)}),
    "weights": (BASE, {"weights": ("tf", "length")}),
    "idf": (WEIGHED, {"idf": IdfTable(9, {"自由": 4})}),
    "hash": (BASE, {"hash": "blake2b"}),
    "seed": (BASE, {"seed": 1}),
    "bits": (BASE, {"bits": 128}),
    "tie": (BASE, {"tie": "one"}),
    "constants": (BASE, {"constants": Constants(title=3)}),
    "more_signposts": (replace(BASE, weights=("tf", "signpost")), {"more_signposts": ("据悉",)}),
    "script": (BASE, {"script": "simplified"}),
    "value_fields": (replace(BASE, weights=("tf", "field"), value_fields=("*",)), {"value_fields": ("name",)}),
}


def id_of(recipe: Recipe) -> str:
    return Fingerprinter(recipe).id


@pytest.mark.parametrize("setting", list(CHANGES))
def test_the_id_changes_with_every_setting(setting: str) -> None:
    recipe, change = CHANGES[setting]
    assert id_of(replace(recipe, **change)) != id_of(recipe)


def test_the_id_changes_with_nothing_else() -> None:
    assert set(CHANGES) | {"name", "radius"} == {field.name for field in fields(Recipe)}, "a new setting needs a test"
    assert id_of(replace(BASE, name="another", radius=7)) == id_of(BASE)
    assert id_of(replace(WEIGHED, idf=IdfTable(9, {"自由": 3}))) == id_of(WEIGHED)
    assert len(id_of(BASE)) == 16 and int(id_of(BASE), 16)


@pytest.mark.parametrize("name", list(named()))
def test_named_recipes_load_and_survive_their_settings(name: str) -> None:
    recipe = fingerprinter(name).recipe
    assert recipe.name == name and named()[name]
    settings = json.loads(json.dumps(recipe.settings()))
    again = from_settings(settings, table=recipe.idf)
    assert again == recipe
    assert DEFAULT in named()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"segmenter": "mecab"}, 'segmenter must be one of rjieba, jieba, words, chars, not "mecab"'),
        ({"ngram": 0}, "ngram must be 1 to 20"),
        ({"ngram": 21}, "ngram must be 1 to 20"),
        ({"stop_words": ("fr",)}, "stop_words must be a list of zh, en"),
        ({"weights": ()}, "weights must be a list of tf, idf, length"),
        ({"weights": ("bm25",)}, 'signpost, title, field, not ["bm25"].'),
        ({"weights": ("tf", "tf")}, "weights must be a list that names nothing twice"),
        ({"weights": ("tf", "field")}, 'value_fields must be named when "field" is among the weights'),
        ({"value_fields": ("*",)}, 'value_fields must be left out when "field" is not among the weights'),
        ({"more_signposts": ("据悉",)}, 'more_signposts must be left out when "signpost" is not'),
        ({"weights": ("part_of_speech",), "segmenter": "chars"}, "segmenter must be one that cuts words when"),
        ({"weights": ("tf", "idf")}, 'idf must be named when "idf" is among the weights: idf = "jieba"'),
        ({"idf": TABLE}, 'idf must be left out when "idf" is not among the weights.'),
        ({"hash": "md5"}, 'hash must be one of bkdr64, blake2b, cityhash64, mmh3, murmur2, xxh3, not "md5"'),
        ({"hash": "cityhash64", "bits": 32}, "bits must be one of 50, 64 with the hash cityhash64, not 32"),
        ({"hash": "murmur2", "bits": 128}, "bits must be one of 32, 50, 64 with the hash murmur2"),
        ({"seed": -1}, "seed must be 0 to"),
        ({"seed": 2**32}, "seed must be 0 to"),
        ({"bits": 48}, "bits must be one of 32, 50, 64, 128"),
        ({"tie": "two"}, "tie must be one of zero, one"),
        ({"radius": 16}, "radius must be 0 to 15"),
        ({"radius": -1}, "radius must be 0 to 15"),
    ],
)
def test_values_that_cannot_be(change: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=r"Recipe 'base': ") as error:
        replace(BASE, **change)
    assert message in str(error.value)


@pytest.mark.parametrize("change", [{"seed": 2**32 - 1}, {"radius": 15}, {"ngram": 20}, {"radius": 0}])
def test_values_at_the_edge(change: dict[str, Any]) -> None:
    assert Fingerprinter(replace(BASE, **change)).one("雷同 fingerprint") > 0


GOOD = """
format = 1
segmenter = "words"
stop_words = ["en"]
more_stop_words = ["雷同"]
weights = ["tf", "length"]
hash = "blake2b"
seed = 5
bits = 128
tie = "one"
radius = 7
"""


def test_a_recipe_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(GOOD, encoding="utf-8")
    recipe = load(str(path))
    assert recipe == Recipe(
        name="mine",
        segmenter="words",
        stop_words=("en",),
        more_stop_words=("雷同",),
        weights=("tf", "length"),
        hash="blake2b",
        seed=5,
        bits=128,
        tie="one",
        radius=7,
    )
    path.write_text('name = "其他"\n', encoding="utf-8")
    assert load(str(path)) == Recipe(name="其他"), "the rest is as in the standard recipe"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("segmentr = 'words'", "Unknown recipe setting 'segmentr'. Known: bits, constants, hash"),
        ("bits = '64'", "bits must be a whole number, not '64'"),
        ("bits = true", "bits must be a whole number, not True"),
        ("bits = 64.0", "bits must be a whole number, not 64.0"),
        ("bits = 48", "bits must be one of 32, 50, 64, 128"),
        ("stop_words = 'zh'", "stop_words must be"),
        ("user_words = ['a', 1]", "user_words must be a list of texts"),
        ("weights = ['tf', ['idf']]", "weights must be a list of texts"),
        ("constants = 5", "constants must be a table of numbers, not 5"),
        ("[constants]\ntitel = 5", "Unknown recipe constant 'titel'. Known: length_mean"),
        ("[constants]\ntitle = -5", "Recipe constant title must be 0 to"),
        ("[constants]\ntitle = nan", "Recipe constant title must be 0 to"),
        ("[constants]\ntitle = ''", "Recipe constant title must be a number"),
        ("format = 2", "format 2; this version of Leitong reads format 1. Upgrade Leitong"),
        ("format = 'new'", "format 'new'; this version of Leitong reads format 1"),
        ("idf = 5", 'idf must be "jieba" or the name of a table file, not 5'),
        ("idf = 'none.gz'\nweights = ['tf', 'idf']", "There is no idf table"),
        ("weights = ['tf', 'idf']", 'idf must be named when "idf" is among the weights'),
        ("bits = ", "Cannot read the recipe file"),
        ("[bits]\nvalue = 64", "bits must be a whole number"),
        (b"name = '\xff'", "Cannot read the recipe file"),
    ],
)
def test_bad_recipe_files_are_told_in_a_sentence(tmp_path: Path, content: str | bytes, message: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(RecipeError) as error:
        load(str(path))
    assert message in str(error.value)


def test_names_that_mean_nothing(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match=r"Unknown recipe 'standrad'\. Known: standard, .*\.toml"):
        load("standrad")
    with pytest.raises(RecipeError, match=r"Cannot read the recipe file .*No such file"):
        load(str(tmp_path / "absent.toml"))
    with pytest.raises(RecipeError, match="needs a name"):
        from_settings({"bits": 64})


def test_every_piece_in_a_recipe_file(tmp_path: Path) -> None:
    path = tmp_path / "pieces.toml"
    path.write_text(
        'weights = ["tf", "length", "relative_length", "part_of_speech", "signpost", "title", "field"]\n'
        'more_signposts = ["据悉"]\nvalue_fields = ["name"]\nhash = "xxh3"\nbits = 128\n'
        "[constants]\ntitle = 3\nparticle = 0.5\n",
        encoding="utf-8",
    )
    recipe = load(str(path))
    assert recipe.constants == Constants(title=3, particle=0.5)
    assert recipe.settings()["constants"] == {"title": 3.0, "particle": 0.5}
    assert from_settings(json.loads(json.dumps(recipe.settings()))) == recipe
    rarer = replace(recipe, weights=(*recipe.weights, "idf"), idf=TABLE)
    TABLE.save(tmp_path / "table.gz")
    path.write_text(rarer.toml(table="table.gz"), encoding="utf-8")
    assert load(str(path)) == rarer


def test_tables_beside_a_recipe_file(tmp_path: Path) -> None:
    TABLE.save(tmp_path / "own.gz")
    path = tmp_path / "own.toml"
    path.write_text('segmenter = "words"\nidf = "own.gz"\nweights = ["tf", "idf"]\n', encoding="utf-8")
    assert load(str(path)).idf == TABLE
    path.write_text('segmenter = "words"\nidf = "jieba"\nweights = ["tf", "idf"]\n', encoding="utf-8")
    table = load(str(path)).idf
    assert table == fingerprinter("tfidf").recipe.idf
