"""Matches of documents through an index: the same whatever is in memory at once."""

from dataclasses import replace
from pathlib import Path

import pytest

from leitong.indexer.duplicates import find
from leitong.indexer.duplicates.combined import Combined
from leitong.indexer.duplicates.commonness.boilerplate import Boilerplate
from leitong.indexer.duplicates.comparing.check import MIN_SIMILARITY
from leitong.indexer.duplicates.find import Finder, Found
from leitong.indexer.prepare import Preparer
from tests.duplicates.collection import DOCUMENTS, WORDS, make

ROUNDS = 4


@pytest.mark.parametrize("fields", [None, ("nowhere",)])
def test_few_candidates_at_a_time_give_what_all_at_once_give(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fields: tuple[str, ...] | None
) -> None:
    documents = [replace(one, id=f"{one.id}-{number}") for one in DOCUMENTS for number in range(ROUNDS)]
    engine = make(tmp_path / "index", documents, recipe=WORDS)
    combined = None if fields is None else Combined(fields=fields, least=0.1)
    asked = Preparer(WORDS).entries(documents)

    def found() -> list[Found]:
        with engine.snapshot() as snapshot:
            finder = Finder(
                snapshot,
                Boilerplate.empty(),
                recipe=WORDS,
                radius=3,
                min_similarity=MIN_SIMILARITY,
                combined=combined,
            )
            for entry, there in zip(asked, finder.candidates(asked), strict=True):
                assert entry.stored.document.id not in {one.document.id for one in there}
            return finder.find(asked)

    at_once = found()
    assert all(len(one.matches) >= ROUNDS - 1 for one in at_once), "its copies at least"
    assert {one.absent for one in at_once} == {fields or ()}
    monkeypatch.setattr(find, "_FEATURES_AT_ONCE", 1)
    assert found() == at_once


def test_nothing_is_found_where_nothing_is(tmp_path: Path) -> None:
    engine = make(tmp_path / "index", [], recipe=WORDS)
    asked = Preparer(WORDS).entries(DOCUMENTS[:3])
    with engine.snapshot() as snapshot:
        finder = Finder(snapshot, Boilerplate.empty(), recipe=WORDS, radius=3, min_similarity=MIN_SIMILARITY)
        assert finder.find(asked) == [Found(0, ())] * len(asked)
        assert finder.candidates(asked) == [[]] * len(asked)
