"""Documents and indexes of every shape: they work, or one sentence says why not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from leitong.indexer import open_index
from leitong.indexer.errors import EngineError, LeitongError, MissingIndexError, UsageError
from tests.engines.attach.conftest import BRIDGE, LIBRARY, Theirs

TEXT = {"type": "text"}


class TestTexts:
    def test_several_fields_lists_objects_and_nested_ones(self, theirs: Theirs) -> None:
        theirs.make(
            {
                "lead": TEXT,
                "body": TEXT,
                "parts": {"type": "nested", "properties": {"text": TEXT, "page": {"type": "integer"}}},
                "more": {"properties": {"names": TEXT}},
            }
        )
        theirs.put(
            "1",
            {
                "lead": "导语在前。",
                "body": ["第一段。", None, ["第二段。"]],
                "parts": [{"text": "嵌套的段落。", "page": 1}, {"page": 2}, {"text": ["又一段。"]}],
                "more": {"names": ["标题一", "标题二"], "kept": 1},
            },
        )
        theirs.put("2", {"lead": "只有导语。", "more.names": "点号写在名字里"})
        theirs.refresh()
        assert theirs.attach("lead", "body", "parts.text", title="more.names").written == 2
        with open_index(theirs.locator) as index:
            first, second = index.get("1").document, index.get("2").document
            assert first.title == "标题一 标题二"
            assert first.text == "导语在前。\n第一段。\n第二段。\n嵌套的段落。\n又一段。"
            assert first.metadata == {"parts": [{"page": 1}, {"page": 2}], "more": {"kept": 1}}
            assert (second.title, second.text) == ("点号写在名字里", "只有导语。")
            assert {hit.id for hit in index.search("嵌套").hits} == {"1"}
            assert {hit.id for hit in index.search("parts.page:2").hits} == {"1"}
            assert {hit.id for hit in index.search("title:标题").hits} == {"1"}
            assert {hit.id for hit in index.search("导语 -嵌套").hits} == {"2"}

    def test_a_mapping_that_takes_no_other_fields(self, theirs: Theirs) -> None:
        theirs.make({"body": TEXT}, dynamic="strict")
        theirs.put("1", {"body": LIBRARY})
        theirs.refresh()
        assert theirs.attach("body").written == 1

    def test_a_field_that_is_not_searched(self, theirs: Theirs) -> None:
        theirs.make({"body": {"type": "text", "index": False}})
        theirs.put("1", {"body": BRIDGE.format("")})
        theirs.put("2", {"body": BRIDGE.format("目前")})
        theirs.refresh()
        theirs.attach("body")
        with open_index(theirs.locator) as index:
            assert [match.id for match in index.similar("1").matches] == ["2"]
            with pytest.raises(UsageError, match="does not search the field body"):
                index.search("大桥")

    def test_a_field_without_the_places_of_its_words(self, theirs: Theirs) -> None:
        theirs.make({"body": {"type": "text", "index_options": "docs"}})
        theirs.put("1", {"body": BRIDGE.format("")})
        theirs.put("2", {"body": LIBRARY})
        theirs.refresh()
        theirs.attach("body")
        with open_index(theirs.locator) as index:
            for question in ("大桥", '"大桥全长"', "body:大桥"):
                assert {hit.id for hit in index.search(question).hits} == {"1"}

    def test_title_and_text_are_asked_for_by_their_own_names_too(self, theirs: Theirs) -> None:
        """With a keyword beside it, as servers map texts by themselves, a field is asked for as a whole value."""
        both = {"type": "text", "fields": {"keyword": {"type": "keyword"}}}
        theirs.make({"headline": both, "body": both, "paper": both, "day": {"type": "date"}})
        theirs.put("1", {"headline": "大桥通车", "body": BRIDGE, "paper": "晚报 周末", "day": "2019-01-02T10:00:00Z"})
        theirs.put("2", {"headline": "图书馆", "body": LIBRARY, "paper": "晚报", "day": "2019-01-03"})
        theirs.refresh()
        theirs.attach("body", title="headline")
        expected = {"headline:通车": {"1"}, "body:闭馆": {"2"}, "paper:晚报": {"2"}, "day:2019-01-02": {"1"}}
        with open_index(theirs.locator) as index:
            assert {asked: {hit.id for hit in index.search(asked).hits} for asked in expected} == expected

    def test_a_text_without_its_whole_value_is_asked_for_as_a_phrase(self, theirs: Theirs) -> None:
        theirs.make({"body": TEXT, "place": TEXT})
        theirs.put("1", {"body": BRIDGE.format(""), "place": "上海 浦东"})
        theirs.put("2", {"body": LIBRARY, "place": "海上"})
        theirs.refresh()
        theirs.attach("body")
        with open_index(theirs.locator) as index:
            assert {hit.id for hit in index.search("place:上海").hits} == {"1"}
            assert {hit.id for hit in index.search("place:海").hits} == {"1", "2"}

    def test_vectors_stay(self, theirs: Theirs) -> None:
        if not theirs.is_elasticsearch:
            pytest.skip("the field type is Elasticsearch's")
        theirs.make({"body": TEXT, "v": {"type": "dense_vector", "dims": 3}})
        theirs.put("1", {"body": LIBRARY, "v": [0.5, 0.25, 1.0]})
        before = theirs.hits()["1"]["_source"]
        assert "v" in before
        theirs.attach("body")
        assert theirs.sources()["1"] == before
        theirs.detach()
        assert theirs.hits()["1"]["_source"] == before


class TestNames:
    def test_an_alias_means_the_index_behind_it(self, news: Theirs) -> None:
        alias = f"{news.name}-alias"
        news.ask("POST", "/_aliases", {"actions": [{"add": {"index": news.name, "alias": alias}}]})
        index_name, news.name = news.name, alias
        assert news.attach("body", title="headline").written == 3
        with open_index(news.locator) as index:
            assert [match.id for match in index.similar("1").matches] == ["2"]
        news.name = index_name
        assert news.attach().unchanged == 3
        news.detach()
        assert news.place.request("GET", f"/{alias}-leitong") == 404

    def test_a_pattern(self, theirs: Theirs) -> None:
        base = theirs.name
        for year, extra, rest in (("2017", "", LIBRARY), ("2018", "目前", "气象台预计明天夜里有小到中雨。")):
            theirs.make({"body": TEXT, "paper": {"type": "keyword"}}, name=f"{base}-{year}")
            theirs.put("1", {"body": BRIDGE.format(extra), "paper": year}, name=f"{base}-{year}")
            theirs.put("2", {"body": rest}, name=f"{base}-{year}")
        theirs.name = f"{base}-*"
        theirs.refresh()
        assert theirs.attach("body").written == 4
        one, other = f"{base}-2017/1", f"{base}-2018/1"
        with open_index(theirs.locator) as index:
            assert [(pair.a, pair.b) for pair in index.report().pairs] == [(one, other)]
            assert [match.id for match in index.similar(one).matches] == [other]
            assert index.get(other).document.text == BRIDGE.format("目前")
            assert {hit.id for hit in index.search("大桥", fold=True).hits} == {one, other}
            assert {hit.id for hit in index.search("大桥 paper:2018").hits} == {other}
            assert index.info().documents == 4
        theirs.make({"body": TEXT}, name=f"{base}-2019")
        theirs.put("3", {"body": LIBRARY}, name=f"{base}-2019")
        theirs.refresh()
        again = theirs.attach()
        assert (again.written, again.unchanged) == (1, 4)
        assert theirs.detach().written == 5
        assert theirs.place.request("GET", f"/{base}-_-leitong") == 404

    def test_the_first_index_of_a_pattern_has_the_ids_that_it_keeps(self, theirs: Theirs) -> None:
        base = theirs.name
        theirs.make({"body": TEXT}, name=f"{base}-2017")
        theirs.put("1", {"body": LIBRARY}, name=f"{base}-2017")
        theirs.name = f"{base}-*"
        theirs.refresh()
        theirs.attach("body")
        with open_index(theirs.locator) as index:
            assert [hit.id for hit in index.search("图书馆").hits] == [f"{base}-2017/1"]
            assert index.get(f"{base}-2017/1").document.text == LIBRARY
        theirs.make({"body": TEXT}, name=f"{base}-2018")
        theirs.put("1", {"body": BRIDGE.format("")}, name=f"{base}-2018")
        theirs.refresh()
        theirs.attach()
        theirs.ask("POST", f"/{base}-2018/_close")
        with open_index(theirs.locator) as index:
            assert index.get(f"{base}-2017/1").document.text == LIBRARY

    def test_a_data_stream(self, theirs: Theirs) -> None:
        theirs.ask(
            "PUT",
            f"/_index_template/{theirs.name}",
            {
                "index_patterns": [f"{theirs.name}*"],
                "priority": 500,
                "data_stream": {},
                "template": {"settings": {"number_of_replicas": 0}, "mappings": {"properties": {"body": TEXT}}},
            },
        )
        try:
            for extra in ("", "目前"):
                source = {"@timestamp": "2026-01-01T00:00:00Z", "body": BRIDGE.format(extra)}
                theirs.ask("POST", f"/{theirs.name}/_doc?refresh=true", source)
                assert theirs.attach("body").written == 1
                with open_index(theirs.locator) as index:
                    assert all("/" in hit.id for hit in index.search("大桥").hits)
                theirs.ask("POST", f"/{theirs.name}/_rollover")
            with open_index(theirs.locator) as index:
                assert len(index.report().pairs) == 1
                assert index.info().documents == 2
            assert theirs.detach().written == 2
            assert all("leitong" not in hit["_source"] for hit in theirs.hits().values())
        finally:
            for kind in ("_data_stream", "_index_template"):  # the smallest build of Elasticsearch deletes no stream
                theirs.place.request("DELETE", f"/{kind}/{theirs.name}")


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "synthetic": ({"settings": {"index.mapping.source.mode": "synthetic"}}, "synthetic"),
    "derived": ({"settings": {"index.derived_source.enabled": True}}, "synthetic"),
    "off": ({"_source": {"enabled": False}}, "does not keep its documents"),
    "excluded": ({"_source": {"excludes": ["secret"]}}, "leaves fields out"),
    "their own field": ({"properties": {"body": TEXT, "leitong": {"type": "keyword"}}}, "a field 'leitong' of its own"),
    "too many fields": ({"settings": {"index.mapping.total_fields.limit": 3}}, "does not take our fields"),
}


class TestRefused:
    @pytest.mark.parametrize("case", REFUSED)
    def test_an_index_that_cannot_be_attached_stays_as_it_is(self, theirs: Theirs, case: str) -> None:
        how, said = REFUSED[case]
        if (case == "derived") == theirs.is_elasticsearch and case in ("derived", "synthetic"):
            pytest.skip("a setting of the other product")
        if theirs.place.name == "opensearch2" and case == "derived":
            pytest.skip("a setting of OpenSearch 3")
        theirs.make(**{"properties": {"body": TEXT}, **how})
        before = theirs.mapping()
        with pytest.raises(EngineError, match=said):
            theirs.attach("body")
        assert theirs.mapping() == before

    @pytest.mark.parametrize(
        ("field", "said"),
        [
            ("day", "of type date"),
            ("title.raw", "name 'title'"),
            ("everything", "made by the server"),
            ("author", "name a field inside it, such as 'author.name'"),
            ("other_name", "an alias of the field 'title'"),
        ],
    )
    def test_a_field_that_is_no_text(self, theirs: Theirs, field: str, said: str) -> None:
        theirs.make(
            {
                "day": {"type": "date"},
                "title": {"type": "text", "fields": {"raw": {"type": "keyword"}}, "copy_to": "everything"},
                "everything": TEXT,
                "author": {"properties": {"name": TEXT}},
                "other_name": {"type": "alias", "path": "title"},
            }
        )
        with pytest.raises(UsageError, match=said):
            theirs.attach(field)

    def test_what_is_not_there_or_is_ours(self, theirs: Theirs) -> None:
        with pytest.raises(MissingIndexError, match="leitong index"):
            theirs.attach("body")
        theirs._made.append(theirs.name)
        with open_index(theirs.locator, create=True):
            pass
        with pytest.raises(LeitongError, match="made by `leitong index`"):
            theirs.attach("body")

    def test_a_final_pipeline_would_see_what_detach_writes(self, news: Theirs) -> None:
        news.attach("body")
        setting = {"index.final_pipeline": "theirs"}
        news.ask("PUT", f"/{news.name}/_settings", setting)
        with pytest.raises(EngineError, match="pipeline 'theirs'"):
            news.detach()
        news.ask("PUT", f"/{news.name}/_settings", {"index.final_pipeline": "_none"})
        news.detach()

    def test_members_attached_in_two_ways_do_not_fit(self, theirs: Theirs) -> None:
        base = theirs.name
        for part, field in (("a", "body"), ("b", "lead")):
            theirs.name = f"{base}-{part}"
            theirs.make({"body": TEXT, "lead": TEXT})
            theirs.attach(field)
        theirs.name = f"{base}-*"
        with pytest.raises(EngineError, match="other recipes or fields"):
            open_index(theirs.locator)
        for part in "ab":
            theirs.place.request("DELETE", f"/{base}-{part}-leitong")


def test_the_pace_is_kept(news: Theirs, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr("leitong.indexer.attachruns.time.sleep", slept.append)
    assert news.attach("body", pace=0.5).written == 3
    assert len(slept) == 3  # one after each document, for what is left of its two seconds
    assert 3 < max(slept) <= 6
    assert json.dumps(news.rejected()) == "{}"
