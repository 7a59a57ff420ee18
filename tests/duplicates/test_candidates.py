"""Documents within a radius, through an index: the same as comparing with every fingerprint there is."""

from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

from leitong.indexer.documents import Document, Entry, StoredDocument
from leitong.indexer.duplicates.candidates import TRUSTED, within
from leitong.indexer.engines.embedded import EmbeddedEngine
from leitong.indexer.fingerprint.hamming import distance
from tests.duplicates.collection import WORDS
from tests.duplicates.drawn import family

SIZE = 600


def entry(number: int, fingerprint: int) -> Entry:
    """A document with a fingerprint of our choice; every ninth has too few features to be believed."""
    features = number % TRUSTED if number % 9 == 0 else TRUSTED
    stored = StoredDocument(Document(f"{number}", "text"), fingerprint, features, f"{number:032x}", cluster=f"{number}")
    return Entry(stored, title_tokens=b"", tokens=b"text", keys=np.empty(0, dtype=np.uint64))


@pytest.fixture(scope="module", params=[32, 64, 128])
def filled(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[EmbeddedEngine, list[int]]:
    bits: int = request.param
    values = family(bits, SIZE, Random(bits))
    path: Path = tmp_path_factory.mktemp("candidates") / "index"
    engine = EmbeddedEngine.create(path, recipe=replace(WORDS, bits=bits), recipe_id="test")
    for part in range(3):  # several segments
        with engine.writer() as writer:
            writer.put([entry(number, values[number]) for number in range(part, SIZE, 3)])
    with engine.writer() as writer:  # and documents that are there no more
        writer.put([entry(SIZE + 1, values[1])])
    with engine.writer() as writer:
        assert writer.delete([f"{SIZE + 1}"]) == 1
    return engine, values


@pytest.mark.parametrize("radius", range(16))
def test_within_is_what_comparing_with_all_gives(filled: tuple[EmbeddedEngine, list[int]], radius: int) -> None:
    """At 32 bits a wide radius has more keys than asking is worth: all fingerprints are read instead."""
    engine, values = filled
    bits = engine.recipe.bits
    asked = [*values[::40], 0, 2**bits - 1]
    with engine.snapshot() as snapshot:
        answers = within(snapshot, asked, bits=bits, radius=radius)
        assert len(answers) == len(asked)
        for fingerprint, found in zip(asked, answers, strict=True):
            ids = [int(stored.document.id) for stored in snapshot.documents(found.rows.refs)]
            wanted = {
                number: distance(value, fingerprint)
                for number, value in enumerate(values)
                if number % 9 and distance(value, fingerprint) <= radius
            }
            assert dict(zip(ids, found.distances.tolist(), strict=True)) == wanted
            assert len(found) == len(ids) == len(set(ids))
            assert (found.rows.features >= TRUSTED).all()


def test_rows_are_every_document_once(filled: tuple[EmbeddedEngine, list[int]]) -> None:
    engine, values = filled
    with engine.snapshot() as snapshot:
        parts = list(snapshot.rows())
        assert sum(map(len, parts)) == snapshot.count == SIZE
        for rows in parts:
            for stored, words, digest in zip(
                snapshot.documents(rows.refs), rows.fingerprints, rows.digests, strict=True
            ):
                assert stored.fingerprint == values[int(stored.document.id)]
                assert words.tolist() == [stored.fingerprint >> 64, stored.fingerprint % 2**64][-len(words) :]
                assert digest.tolist() == [0, int(stored.document.id)]


def test_nobody_asks(filled: tuple[EmbeddedEngine, list[int]]) -> None:
    engine, _ = filled
    with engine.snapshot() as snapshot:
        assert within(snapshot, [], bits=engine.recipe.bits, radius=3) == []


@pytest.mark.parametrize("radius", [0, 3, 12])
def test_an_empty_index(tmp_path: Path, radius: int) -> None:
    engine = EmbeddedEngine.create(tmp_path / "index", recipe=replace(WORDS, bits=32), recipe_id="test")
    with engine.snapshot() as snapshot:
        (found,) = within(snapshot, [5], bits=32, radius=radius)
        assert len(found) == 0 and found.distances.dtype == np.uint8
        assert list(snapshot.rows()) == []
