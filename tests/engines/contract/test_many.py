"""More documents than a server gives in one page: rows, hot blocks and keys, pages however far behind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from leitong.indexer.duplicates.candidates import within
from leitong.indexer.engines.base import Rows, Snapshot
from leitong.indexer.fingerprint.hamming import unpack
from leitong.indexer.query import parse
from tests.engines.contract.entries import PREPARER, RECIPE, bare, put
from tests.engines.places import Place

MANY = 10_500


@pytest.fixture(scope="module")
def many(place: Place) -> Iterator[Snapshot]:
    engine = place.make(RECIPE)
    entries = []
    for number in range(MANY):
        tokens = "雷同 " * (1 + number % 7) + "文章 " * (number % 11)
        entry = bare(f"d{number:05}", (0xABCD << 48) + number, keys=[1, number * 2 + 4], tokens=tokens)
        head = f"d{number // 2 * 2:05}"
        marked = replace(entry.stored, cluster=head, duplicate_of=head if number % 2 else None)
        entries.append(replace(entry, stored=marked))
    put(engine, entries)
    with engine.snapshot() as snapshot:
        yield snapshot


class TestMany:
    def test_every_row_comes_once(self, many: Snapshot) -> None:
        rows = Rows.join(list(many.rows()), bits=64)
        assert sorted(unpack(rows.fingerprints)) == [(0xABCD << 48) + number for number in range(MANY)]
        assert set(rows.features.tolist()) == {9}
        some = rows.take(np.arange(0, MANY, 997))
        for stored, fingerprint in zip(many.documents(some.refs), unpack(some.fingerprints), strict=True):
            assert stored.fingerprint == fingerprint

    @pytest.mark.parametrize("radius", [0, 3, 7])
    def test_hot_block(self, many: Snapshot, radius: int) -> None:
        """Ten thousand documents share a block: those within the radius are found, alone and in a batch."""
        values = [(0xABCD << 48) + number for number in range(MANY)]
        asked = [0xABCD << 48, (0xABCD << 48) + 5_000, (0xABCD << 48) + (1 << 40)]
        expected = [sorted(value for value in values if (value ^ one).bit_count() <= radius) for one in asked]
        together = within(many, asked, bits=64, radius=radius)
        assert [sorted(unpack(near.rows.fingerprints)) for near in together] == expected
        alone = within(many, asked[:1], bits=64, radius=radius)
        assert sorted(unpack(alone[0].rows.fingerprints)) == expected[0]

    def test_a_key_that_all_have_finds_all(self, many: Snapshot) -> None:
        all_of_them, one, none = many.sharing([[1], [14], []])
        assert (len(all_of_them), len(one), len(none)) == (MANY, 1, 0)

    @pytest.mark.parametrize("fold", [False, True], ids=["flat", "folded"])
    def test_pages_far_behind(self, many: Snapshot, fold: bool) -> None:
        query = parse("雷同", cutter=PREPARER)
        hits = MANY // 2 if fold else MANY
        seen: list[str] = []
        scores: list[float] = []
        for start in range(0, MANY, 1_500):
            page = many.search(query, size=1_500, start=start, fold=fold)
            assert page.total == (MANY // 2 if fold else MANY)
            seen += [hit.stored.document.id for hit in page.hits]
            scores += [hit.score for hit in page.hits]
        assert len(seen) == len(set(seen)) == hits
        assert scores == sorted(scores, reverse=True)
        if fold:
            assert len({int(doc_id[1:]) // 2 for doc_id in seen}) == hits
