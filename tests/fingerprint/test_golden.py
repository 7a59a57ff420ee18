"""Fingerprints, digests and sketches are stored in people's indexes: they never change.

When one of these fails, the change that made it fail is a NEW RECIPE: leave the old one as it is and give the new one
a name of its own. Never write golden.json anew; see golden.py.
A failing id with unchanged fingerprints means that a segmenter cuts the fixed passage in another way: then a package
has changed, and every index would be refused.
"""

import json

import pytest

from leitong.indexer.fingerprint.recipe import named
from tests.fingerprint import golden
from tests.fingerprint.texts import TEXTS

GOLDEN = json.loads(golden.FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", list(GOLDEN["recipes"]))
def test_recipes_give_what_they_always_gave(name: str) -> None:
    assert golden.recipe(name) == GOLDEN["recipes"][name]


def test_every_named_recipe_and_every_text_is_guarded() -> None:
    assert set(named()) == set(GOLDEN["recipes"])
    assert all(set(recipe["fingerprints"]) == set(TEXTS) for recipe in GOLDEN["recipes"].values())
    assert set(GOLDEN["stored"]) == set(TEXTS)


def test_digests_and_sketches_are_what_they_always_were() -> None:
    assert golden.stored() == GOLDEN["stored"]


def test_ids_are_distinct() -> None:
    assert len({recipe["id"] for recipe in GOLDEN["recipes"].values()}) == len(GOLDEN["recipes"])
