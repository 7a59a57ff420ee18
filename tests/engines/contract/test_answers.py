"""The calls behind every command give what they give on the embedded engine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leitong.indexer import Document, open_index
from tests.engines.places import Place


@pytest.fixture(scope="module")
def sample(data: Path) -> list[Document]:
    lines = (data / "demo-sample" / "docs.jsonl").read_text(encoding="utf-8").splitlines()[:300]
    records = map(json.loads, lines)
    return [Document(str(one["id"]), one["text"], one.get("title", "")) for one in records]


class TestLibrary:
    """The calls behind every command give what they give on the embedded engine."""

    @pytest.mark.servers
    def test_same_answers(self, place: Place, sample: list[Document], tmp_path: Path) -> None:
        with (
            open_index(tmp_path / "embedded", create=True) as here,
            open_index(place.locator(), create=True) as there,
        ):
            for index in (here, there):
                assert index.add(sample) == len(sample)
            for radius, min_similarity in ((None, None), (7, 0.0)):
                one = here.report(radius=radius, min_similarity=min_similarity)
                other = there.report(radius=radius, min_similarity=min_similarity)
                assert list(one.pairs) == list(other.pairs)
                assert one.clusters == other.clusters
                assert one.compared == other.compared
                assert len(one.pairs) > 100
            for document in sample[::15]:
                assert here.similar(document.id, radius=7) == there.similar(document.id, radius=7)
            assert here.similar_to(sample[0].text[:200]) == there.similar_to(sample[0].text[:200])
            for words in ("API", "属性", '"权限"', "request -属性"):
                one_page, other_page = here.search(words, size=300), there.search(words, size=300)
                assert one_page.total == other_page.total
                assert {hit.id: (hit.snippet, hit.duplicates) for hit in one_page.hits} == {
                    hit.id: (hit.snippet, hit.duplicates) for hit in other_page.hits
                }
            assert here.delete([sample[0].id, "absent"]) == there.delete([sample[0].id, "absent"]) == 1
            assert there.info().documents == here.info().documents == len(sample) - 1
