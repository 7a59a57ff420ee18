"""Fingerprints of 50 bits exist for `fingerprint` and `compare` only: their bits do not fill blocks."""

from pathlib import Path

import pytest
from hypothesis import given

from leitong.indexer.documents import Document
from leitong.indexer.duplicates.comparing.compare import Comparison
from leitong.indexer.errors import RecipeError
from leitong.indexer.fingerprint.hamming import to_hex
from leitong.indexer.fingerprint.recipe import load
from leitong.indexer.library import compare_documents, open_index
from leitong.indexer.prepare import Preparer
from tests.fingerprint.texts import TEXTS, anything, fingerprinter


@given(text=anything)
def test_they_are_the_lower_bits_of_64(text: str) -> None:
    """Bits of a hash vote by themselves, so with the same words the lower fifty decide as they do in 64."""
    narrow = fingerprinter("wang2016-50").one(text)
    wide = fingerprinter("wang2016-128").one(text)
    assert narrow < 2**50
    assert narrow == (wide >> 64) % 2**50, "the upper half of 128 bits are the hash of 64"


def test_they_print_as_thirteen_digits() -> None:
    assert to_hex(1, 50) == "0000000000001" and to_hex(2**50 - 1, 50) == "3ffffffffffff"


def test_no_index_holds_them(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match=r"An index cannot hold fingerprints of 50 bits.*index with 32, 64 or 128"):
        open_index(tmp_path / "index", create=True, recipe=load("wang2016-50"))
    assert not (tmp_path / "index").exists()
    with open_index(tmp_path / "index", create=True) as index:
        assert index.info().recipe.bits == 64, "what was refused is not in the way"


def test_they_are_compared() -> None:
    texts = [Document(id=name, text=TEXTS[name]) for name in ("news", "news-edited")]
    found = compare_documents(texts, preparer=Preparer(load("wang2016-50")))
    assert isinstance(found, Comparison)
    assert found.bits == 50 == len(found.each_bit)
    assert found.distance == sum(bit.a != bit.b for bit in found.each_bit) < 25
