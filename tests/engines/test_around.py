"""What a search offers beside its hits: metadata to narrow it down, related documents, numbers of duplicates."""

from collections.abc import Iterator

import pytest

from leitong.indexer import Document, open_index
from leitong.indexer.facets import facets
from leitong.indexer.library import Index
from tests.cli.corpus import ARTICLES, WIRE


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
        yield opened


def test_fields_that_divide_the_hits_are_facets_most_frequent_values_first() -> None:
    found = facets(documents(source=["日报", "晚报", "日报", "日报"], language=["zh"] * 4))
    assert [(facet.field, facet.values) for facet in found] == [("source", ("日报", "晚报"))]


@pytest.mark.parametrize(
    "values",
    [
        ["a", "b", "c", "d"],
        ["same"] * 4,
        ["长" * 41, "长" * 41, "短" * 41, "短" * 41],
        [1, 1, 2, 2],
        [None, {}, [], ""],
    ],
)
def test_fields_that_do_not_divide_are_none(values: list[object]) -> None:
    assert facets(documents(field=values)) == ()


def test_values_of_lists_count_one_by_one_and_each_once() -> None:
    (facet,) = facets(documents(tags=[["a", "b"], ["a", "a"], ["b"], ["a"]]))
    assert facet.values == ("a", "b")


def test_names_that_no_filter_could_ask_for_are_left_out() -> None:
    assert facets(documents(**{"a=b": ["x", "y", "x", "y"], "a:b": ["x", "y", "x", "y"]})) == ()


def test_facets_come_from_the_best_hits_whatever_page_is_asked_for(index: Index) -> None:
    first, second = (index.search("", size=3, start=start, sample=50) for start in (0, 3))
    assert first.facets == second.facets
    assert {hit.id for hit in first.hits}.isdisjoint(hit.id for hit in second.hits)


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


def test_surroundings_are_what_similar_finds(index: Index) -> None:
    around = index.surroundings("news/1", radius=7, limit=1)
    assert around.similar == index.similar("news/1", radius=7, limit=1)
    assert around.stored.document.text == WIRE
    assert not {"news/2", "news/3"} & {hit.stored.document.id for hit in around.related}
