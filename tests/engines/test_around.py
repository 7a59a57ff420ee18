"""What a search offers beside its hits: metadata to narrow it down, related documents, numbers of duplicates."""

from collections.abc import Iterator

import pytest

from leitong.indexer import Document, open_index
from leitong.indexer.engines.base import FieldValues
from leitong.indexer.facets import facets, fields_of
from leitong.indexer.library import Index
from tests.cli.corpus import ARTICLES, WIRE

HINDI = (
    "पुस्तकालय में पाठक पुस्तकें खोजते हैं और सूची देखते हैं।",
    "नगर के पुस्तकालय की सूची में पुस्तकें और पत्रिकाएँ हैं; पाठक उन्हें घर ले जाते हैं।",
    "नदी के किनारे एक गाँव है, जहाँ किसान खेती करते हैं।",
)


def documents(**fields: list[object]) -> list[Document]:
    count = len(next(iter(fields.values())))
    return [Document(str(n), "x", "", {name: values[n] for name, values in fields.items()}) for n in range(count)]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    topics = [
        Document(f"library {n}", text, "图书馆的全文检索")
        for n, text in enumerate(
            (
                "图书馆用全文检索系统查找书架，读者在家里也能检索馆藏目录和借书记录。",
                "读者走进阅览室，用检索系统查馆藏；图书馆员介绍全文检索怎样排序，书架怎样编号。",
            )
        )
    ]
    with open_index(tmp_path_factory.mktemp("around") / "index", create=True) as opened:
        opened.add(Document(one["id"], one["text"], one.get("title", "")) for one in ARTICLES)
        opened.add(topics)
        opened.add(Document(f"hindi {n}", text) for n, text in enumerate(HINDI))
        yield opened


def values(counts: dict[str, int], *, others: int = 0, field: str = "f") -> FieldValues:
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return FieldValues(field, tuple(ordered), others, exact=True)


def test_fields_that_divide_the_hits_are_facets() -> None:
    tags, source = values({"a": 3, "b": 2}, field="tags"), values({"日报": 30, "晚报": 10}, field="source")
    assert facets([tags, values({"zh": 40}, field="language"), source]) == (source, tags)


@pytest.mark.parametrize(
    "found",
    [
        values({"a": 1, "b": 1, "c": 1, "d": 1}),
        values({"same": 4}),
        values({"长" * 41: 2, "短" * 41: 2}),
        values({}),
        values({"a": 3, " blanks ": 3}),
        values({f"2024-05-{day}": 9 for day in range(10, 26)}, others=5_000),
    ],
)
def test_fields_that_do_not_divide_are_none(found: FieldValues) -> None:
    assert facets([found]) == ()


def test_what_is_not_shown_is_counted_among_the_others() -> None:
    (facet,) = facets([values({"x" * 41: 50, **{f"{number:02}": 30 - number for number in range(12)}}, others=7)])
    assert [value for value, _ in facet.values] == [f"{number:02}" for number in range(8)]
    assert facet.others == 50 + 22 + 21 + 20 + 19 + 7


def test_fields_are_those_that_the_hits_have_and_a_filter_can_ask_for() -> None:
    found = documents(
        **{"a=b": ["x"] * 3, "a:b": ["x"] * 3, "": ["x"] * 3, "deep": [{}] * 3, "none": [None, "", []]},
        tags=[["a"], ["b"], []],
        year=[2018, 2019, True],
        long=["长" * 41] * 3,
    )
    assert fields_of(found) == ("year", "tags")


def test_facets_count_all_hits_whatever_page_is_asked_for(index: Index) -> None:
    first, second = (index.search("", size=3, start=start, facets=True) for start in (0, 3))
    assert {hit.id for hit in first.hits}.isdisjoint(hit.id for hit in second.hits)
    assert index.search("", size=3).facets is None
    assert index.search("，", facets=True).facets == ()


def test_counting_later_gives_the_same_numbers(index: Index) -> None:
    counted, uncounted = (index.search("新馆", count=count) for count in (True, False))
    assert [hit.id for hit in counted.hits] == [hit.id for hit in uncounted.hits]
    assert {hit.duplicates for hit in uncounted.hits} == {None}
    later = index.duplicate_counts([hit.id for hit in counted.hits] + ["nobody"])
    assert later == {hit.id: hit.duplicates for hit in counted.hits}
    assert later["news/1"] == 2


def test_related_documents_share_the_topic_and_are_no_matches(index: Index) -> None:
    around = index.surroundings("library 0", related=3)
    related = [hit.stored.document.id for hit in around.related]
    assert related[:1] == ["library 1"]
    assert "library 0" not in related
    assert not set(related) & {match.id for match in around.similar.matches}


def test_related_documents_share_words_with_signs(index: Index) -> None:
    around = index.surroundings("hindi 0", related=3)
    assert [hit.stored.document.id for hit in around.related] == ["hindi 1"]


def test_surroundings_are_what_similar_finds(index: Index) -> None:
    around = index.surroundings("news/1", radius=7, limit=1)
    assert around.similar == index.similar("news/1", radius=7, limit=1)
    assert around.stored.document.text == WIRE
    assert not {"news/2", "news/3"} & {hit.stored.document.id for hit in around.related}
