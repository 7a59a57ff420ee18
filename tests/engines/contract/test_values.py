"""Values of metadata counted over all documents that a question matches, not over the hits of a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from leitong.indexer import Document
from leitong.indexer.engines.base import FieldValues, Snapshot
from leitong.indexer.library import open_index
from leitong.indexer.query import parse, parse_filter
from tests.engines.contract.entries import PREPARER, RECIPE, bare, fill, put
from tests.engines.places import Place

SHELVES = 60


@pytest.fixture(scope="module")
def shelves(place: Place) -> Iterator[Snapshot]:
    engine = place.make(RECIPE)
    documents = [
        Document(
            f"d{number}",
            f"雷同的文章 {'甲' if number % 2 else '乙'}",
            "",
            {
                "source": ("日报", "晚报", "A/b c")[number % 3],
                "tags": ["每篇", "每篇", f"t{number % 4}"],
                "year": 2000 + number % 2,
                "ok": number % 5 == 0,
                "some": "x" if number < 7 else None,
                "unique": f"u{number}",
                "中文 名": {"里面": "v"},
            },
        )
        for number in range(SHELVES)
    ]
    fill(engine, [*documents, Document("bare", "雷同的文章，没有元数据")])
    with engine.snapshot() as snapshot:
        yield snapshot


def counted(snapshot: Snapshot, text: str, *fields: str, filters: Sequence[str] = ()) -> dict[str, dict[str, int]]:
    query, chosen = parse(text, cutter=PREPARER), [parse_filter(one) for one in filters]
    found = snapshot.values(query, fields, most=16, filters=chosen)
    assert all(one.exact for one in found)
    return {one.field: dict(one.values) for one in found}


class TestValues:
    def test_all_documents_are_counted(self, shelves: Snapshot) -> None:
        assert counted(shelves, "", "source", "tags", "year", "ok", "some") == {
            "source": {"日报": 20, "晚报": 20, "A/b c": 20},
            "tags": {"每篇": 60, "t0": 15, "t1": 15, "t2": 15, "t3": 15},
            "year": {"2000": 30, "2001": 30},
            "ok": {"true": 12, "false": 48},
            "some": {"x": 7},
        }

    def test_those_that_match_are_counted(self, shelves: Snapshot) -> None:
        assert counted(shelves, "甲", "year") == {"year": {"2001": 30}}
        assert counted(shelves, "雷同 -甲", "tags") == {"tags": {"每篇": 30, "t0": 15, "t2": 15}}
        assert counted(shelves, "", "tags", filters=["source=日报", "year=2000"]) == {
            "tags": {"每篇": 10, "t0": 5, "t2": 5}
        }
        assert counted(shelves, "source:晚报", "source") == {"source": {"晚报": 20}}
        assert counted(shelves, "nowhere", "source") == {"source": {}}

    def test_each_value_leads_to_so_many_hits(self, shelves: Snapshot) -> None:
        for field in ("source", "tags", "year", "ok"):
            for value, count in counted(shelves, "雷同", field)[field].items():
                query, filters = parse("雷同", cutter=PREPARER), [parse_filter(f"{field}={value}")]
                assert shelves.search(query, size=1, filters=filters).total == count

    def test_the_most_frequent_first_and_the_others_together(self, shelves: Snapshot) -> None:
        (tags, unique) = shelves.values(parse("", cutter=PREPARER), ["tags", "unique"], most=2)
        assert tags.values[0] == ("每篇", SHELVES)
        assert [count for _, count in unique.values] == [1, 1]
        assert unique.others == SHELVES - 2

    def test_fields_that_nobody_has(self, shelves: Snapshot) -> None:
        query = parse("", cutter=PREPARER)
        assert shelves.values(query, [], most=8) == []
        assert shelves.values(query, ["absent"], most=8) in ([], [FieldValues("absent", (), 0, exact=True)])


def test_more_documents_than_a_server_looks_at(place: Place) -> None:
    """Exact, or at least so many and told so."""
    engine = place.make(RECIPE)
    entries = []
    for number in range(1_200):
        entry = bare(f"d{number:04}", number)
        document = replace(entry.stored.document, metadata={"group": f"g{number // 400}"})
        entries.append(replace(entry, stored=replace(entry.stored, document=document)))
    put(engine, entries)
    with engine.snapshot() as snapshot:
        (found,) = snapshot.values(parse("", cutter=PREPARER), ["group"], most=8)
    whole = {"g0": 400, "g1": 400, "g2": 400}
    assert dict(found.values) == whole or not found.exact
    assert dict(found.values).items() <= whole.items()
    assert sum(count for _, count in found.values) + found.others == 1_200


def test_a_search_tells_facets(place: Place) -> None:
    with open_index(place.locator(), create=True, recipe=RECIPE) as index:
        index.add(
            Document(str(n), f"雷同的文章第{n}篇", "", {"source": "日报" if n % 3 else "晚报", "date": f"2024-05-{n}"})
            for n in range(1, 10)
        )
        found = index.search("雷同", size=2, facets=True)
        assert found.facets == (FieldValues("source", (("日报", 6), ("晚报", 3)), 0, exact=True),)
        (narrowed,) = [index.search("雷同", filters=[parse_filter("source=晚报")], facets=True)]
        assert (narrowed.total, narrowed.facets) == (3, ())
