"""docs/papers.md P3: distance and metadata in one score."""

from typing import Any

import pytest

from leitong.indexer.documents import Document
from leitong.indexer.duplicates.combined import Combined, items
from leitong.indexer.errors import UsageError


def document(**metadata: Any) -> Document:
    return Document("d", "雷同", metadata=metadata)


@pytest.mark.parametrize("family", ["mixed", "shifts"])
def test_the_score_by_its_formula(family: str) -> None:
    """S = μ / (d + 1) + (1 - μ)·jaccard; 0.9 and 0.1."""
    rule = Combined(fields=("keywords",), family=family)
    one, other = (rule.signature(document(keywords=some)) for some in (["检索", "去重"], ["去重", "检索"]))
    stranger = rule.signature(document(keywords=["足球"]))
    assert rule.score(0, one, other) == pytest.approx(1.0)
    assert rule.score(3, one, other) == pytest.approx(0.9 / 4 + 0.1)
    assert rule.score(3, one, other) >= 0.25 > rule.score(3, one, rule.signature(document()))
    assert rule.score(5, one, other) == pytest.approx(0.25), "nothing farther than 5 bits reaches 0.25"
    assert rule.score(2, one, stranger) < rule.score(2, one, other)


def test_items_of_several_fields_are_one_set() -> None:
    some = document(keywords=["检索", " 去重 ", None, ""], tags="新闻", year=2019, missing=None)
    assert items(some, ["keywords", "tags", "year", "missing", "absent"]) == ["检索", "去重", "新闻", "2019"]


@pytest.mark.parametrize(
    ("value", "what"),
    [({"a": 1}, "an object"), ([["a"]], "lists inside a list"), (True, "true or false"), ([{"a": 1}], "an object")],
)
def test_metadata_that_is_no_set(value: Any, what: str) -> None:
    with pytest.raises(
        UsageError, match=f"The metadata field 'keywords' of document 'd' holds {what}, which is no set"
    ):
        Combined(fields=("keywords",)).signature(document(keywords=value))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"fields": ()}, "fields must name a metadata field"),
        ({"family": "md5"}, "family must be one of mixed, shifts, not 'md5'"),
        ({"content": 1.5}, "content must be 0 to 1, not 1.5"),
        ({"content": float("nan")}, "content must be 0 to 1, not nan"),
        ({"least": -0.1}, "least must be 0 to 1, not -0.1"),
    ],
)
def test_settings_that_cannot_be(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Combined(**{"fields": ("keywords",), **wrong})
