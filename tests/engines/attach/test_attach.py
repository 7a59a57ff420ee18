"""Fingerprints go into somebody else's documents and out again, and nothing else of them changes."""

from __future__ import annotations

import threading
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from leitong.indexer import Document, open_index
from leitong.indexer.attaching import attach, detach
from leitong.indexer.attachruns import AttachOptions, AttachProgress
from leitong.indexer.documents import StoredDocument
from leitong.indexer.duplicates.comparing.compare import Comparison
from leitong.indexer.errors import ForeignIndexError, RecipeError, UsageError
from leitong.indexer.fingerprint.recipe import load
from leitong.indexer.prepare import Preparer
from tests.cli.running import here, read_jsonl
from tests.engines.attach.conftest import BRIDGE, LIBRARY, Theirs

NUMBERS = (
    b'{"body":"numbers","v":{"a":1.0,"b":1.10,"c":1e5,"d":123456789012345678901234567890,"f":9223372036854775808,'
    b'"g":-0.0,"h":1e-7,"j":5e-324,"k":1.7976931348623157e308,"m":-0,"p":0.002,"r":1e16,"t":true,"n":null,'
    b'"u":"\\u0000 \\ud83d\\ude00 \\/ \\ud83d half","e":{},"l":[],"x.y":[[1],[2.50]]}}'
)


def as_json(value: Any) -> Any:
    """A value as a program reads it: numbers with a fraction in 64 bits, of one kind with whole ones."""
    if isinstance(value, dict):
        return {key: as_json(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [as_json(inner) for inner in value]
    if isinstance(value, Decimal):
        return ("number", float(value))
    return ("number", value) if isinstance(value, int) and not isinstance(value, bool) else value


PREPARER = Preparer(load("standard"))


def prepared(title: str, text: str) -> StoredDocument:
    """What is computed of a text."""
    return PREPARER.entries([Document("", text, title)])[0].stored


class TestThereAndBack:
    def test_values_routing_and_meta_stay(self, news: Theirs) -> None:
        news.ask("PUT", f"/{news.name}/_mapping", {"properties": {"v": {"type": "object", "enabled": False}}})
        news.put("numbers", NUMBERS.replace(b" \\ud83d half", b""))
        before, mapping = news.hits(), news.mapping()
        assert news.attach("body", title="headline").written == 4
        after = news.hits()
        assert {doc_id: hit.get("_routing") for doc_id, hit in after.items()} == {
            doc_id: hit.get("_routing") for doc_id, hit in before.items()
        }
        assert as_json(news.sources()) == as_json({doc_id: hit["_source"] for doc_id, hit in before.items()})
        meta = news.mapping()["_meta"]
        assert {key: value for key, value in meta.items() if key != "leitong"} == mapping["_meta"]
        assert meta["leitong"]["attached"] == {"text": ["body"], "title": "headline"}
        assert news.detach().written == 4
        assert as_json({doc_id: hit["_source"] for doc_id, hit in news.hits().items()}) == as_json(
            {doc_id: hit["_source"] for doc_id, hit in before.items()}
        )
        assert {doc_id: hit.get("_routing") for doc_id, hit in news.hits().items()} == {
            doc_id: hit.get("_routing") for doc_id, hit in before.items()
        }
        assert news.mapping()["_meta"] == mapping["_meta"]
        assert news.place.request("GET", f"/{news.name}-leitong") == 404

    def test_what_is_written(self, news: Theirs) -> None:
        news.attach("body", title="headline")
        expected = prepared("港珠澳大桥通车", BRIDGE.format(""))
        ours = news.hits()["1"]["_source"]["leitong"]
        assert ours["fp"] == f"{expected.fingerprint:016x}"
        assert ours["digest"] == expected.digest
        assert ours["cluster"] == "1"
        assert [ours[f"b{block}"] for block in range(4)] == [ours["fp"][at : at + 4] for at in (0, 4, 8, 12)]
        assert "tokens" not in ours
        assert "leitong" not in news.hits()["4"]["_source"]

    def test_detached_and_attached_with_another_recipe(self, news: Theirs) -> None:
        news.attach("body")
        with pytest.raises(UsageError, match="text body, not text headline"):
            news.attach("headline")
        recipe = load("standard-128")
        with pytest.raises(RecipeError, match="standard-128"):
            attach(news.locator, recipe=recipe, options=AttachOptions(rejects=news.rejects))
        news.detach()
        attach(news.locator, text_fields=["headline"], recipe=recipe, options=AttachOptions(rejects=news.rejects))
        with open_index(news.locator) as index:
            assert index.info().recipe.bits == 128
            assert index.info().documents == 4


class TestAgain:
    def test_only_what_is_new_or_changed_is_written(self, news: Theirs) -> None:
        first = news.attach("body", title="headline")
        assert (first.written, first.without_text) == (3, 1)
        before = news.fingerprints()
        again = news.attach()
        assert (again.written, again.unchanged, again.without_text) == (0, 3, 1)
        news.put("1", {"headline": "港珠澳大桥通车", "body": LIBRARY})  # the whole document anew
        news.change("2", {"body": LIBRARY})  # a part of it: our fields stay, and are of another text
        news.change("3", {"paper": "日报"})  # no text of ours
        news.change("4", {"body": "现在有了正文。"})
        news.put("5", {"headline": "新闻", "body": "刚刚写好的新闻。"})
        news.refresh()
        assert news.attach().written == 4
        after = news.fingerprints()
        assert {doc_id for doc_id in after if after[doc_id] != before.get(doc_id)} == {"1", "2", "4", "5"}
        assert news.attach().written == 0

    def test_a_text_that_is_taken_away(self, news: Theirs) -> None:
        news.attach("body")
        news.change("1", {"body": None})
        news.refresh()
        assert news.attach().written == 1
        assert news.fingerprints()["1"] is None
        assert news.attach().written == 0
        news.detach()
        assert all("leitong" not in hit["_source"] for hit in news.hits().values())

    def test_an_interrupted_run_goes_on(self, theirs: Theirs) -> None:
        theirs.make({"body": {"type": "text"}})
        lines = "".join(f'{{"index":{{"_id":"{n}"}}}}\n{{"body":"第{n}篇文章"}}\n' for n in range(900))
        theirs.ask("POST", f"/{theirs.name}/_bulk?refresh=true", lines.encode())

        def stop(progress: AttachProgress) -> None:
            if progress.written >= 300:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            theirs.attach("body", watch=stop)
        done = sum(fingerprint is not None for fingerprint in theirs.fingerprints().values())
        assert 0 < done < 900
        rest = theirs.attach()
        assert (rest.unchanged, rest.written) == (done, 900 - done)

    def test_what_changes_between_reading_and_writing_is_left_to_its_owner(self, news: Theirs) -> None:
        news.attach("body")
        attachment = news.opened()
        try:
            page = [living for some in attachment.pages() for living in some]
            news.change("1", {"body": "主人在这个时候改了文章。"})
            news.delete("3")
            entries = Preparer(attachment.recipe).entries([living.document for living in page])
            for living, entry in zip(page, entries, strict=True):
                attachment.write(living, entry)
            assert {(undone.living.id, undone.changed) for undone in attachment.finish()} == {("1", True), ("3", True)}
        finally:
            attachment.close()
        assert news.sources()["1"]["body"] == "主人在这个时候改了文章。"
        assert set(news.sources()) == {"1", "2", "4"}

    def test_a_writer_that_goes_on_loses_nothing(self, theirs: Theirs) -> None:
        theirs.make({"body": {"type": "text"}, "n": {"type": "integer"}}, settings={"number_of_shards": 2})
        theirs.put_all({f"{number}": {"body": f"第{number}篇文章", "n": 0} for number in range(200)})
        theirs.refresh()
        last: dict[str, int] = {}
        stop = threading.Event()

        def write() -> None:
            turn = 0
            while not stop.is_set():
                turn += 1
                for number in range(0, 200, 7):
                    theirs.change(f"{number}", {"n": turn, "body": f"第{number}篇文章，第{turn}次修改"})
                    last[f"{number}"] = turn

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for _ in range(3):
                theirs.attach("body")
        finally:
            stop.set()
            writer.join()
        assert {doc_id: theirs.sources()[doc_id]["n"] for doc_id in last} == last
        theirs.attach()
        assert theirs.fingerprints() == {
            doc_id: f"{prepared('', source['body']).fingerprint:016x}" for doc_id, source in theirs.sources().items()
        }
        assert theirs.attach().written == 0


class TestAnswers:
    def test_every_question_is_answered(self, news: Theirs) -> None:
        news.attach("body", title="headline")
        with open_index(news.locator) as index:
            assert index.info().documents == 3
            stored = index.get("1")
            assert stored.document.title == "港珠澳大桥通车"
            assert stored.document.text == BRIDGE.format("")
            assert dict(stored.document.metadata) == {"paper": "日报"}
            assert [match.id for match in index.similar("1").matches] == ["2"]
            assert [match.id for match in index.similar_to(BRIDGE.format("")).matches] == ["1", "2"]
            assert isinstance(index.compare(["1", "2"]), Comparison)
            report = index.report()
            assert [(pair.a, pair.b) for pair in report.pairs] == [("1", "2")]
            assert report.documents == 3

    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ("大桥", {"1", "2"}),
            ("大桥 -目前", {"1"}),
            ("title:图书馆", {"3"}),
            ('"跨海大桥"', {"1", "2"}),
            ("大桥 paper:晚报", {"2"}),
            ("-大桥", {"3"}),
            ("", {"1", "2", "3"}),
            ("id:3", {"3"}),
            ("没有正文", set()),
        ],
    )
    def test_words_are_searched_by_the_owners_analyzer(
        self, attached_news: Theirs, query: str, expected: set[str]
    ) -> None:
        with open_index(attached_news.locator) as index:
            assert {hit.id for hit in index.search(query).hits} == expected

    def test_documents_are_written_by_their_owner_only(self, news: Theirs, tmp_path: Path) -> None:
        news.attach("body", title="headline")
        before = news.hits()
        assert here("report", "-o", "found", "--index", news.locator, "--json", cwd=tmp_path).json["clusters"] == 1
        for action in ("mark", "delete"):
            command = ("dedupe", "found", "--index", news.locator, "--action", action)
            assert here(*command, "--json", cwd=tmp_path).json["documents"] == 1
            assert "is attached" in here(*command, "--yes", cwd=tmp_path).sentence
        assert news.hits() == before
        with open_index(news.locator) as index:
            assert str(index.info().attached) == "text body and title headline"
            with pytest.raises(ForeignIndexError, match="attached"):
                index.add([Document("9", "新文章")])
            with pytest.raises(ForeignIndexError, match="attached"):
                index.delete(["1"])
        assert set(news.sources()) == {"1", "2", "3", "4"}


@pytest.fixture
def attached_news(news: Theirs) -> Theirs:
    news.attach("body", title="headline")
    return news


class TestRejects:
    def test_what_cannot_be_kept_is_left_alone_and_told(self, theirs: Theirs) -> None:
        theirs.make({"body": {"type": "text", "index": False}, "v": {"type": "object", "enabled": False}})
        theirs.put("good", {"body": LIBRARY})
        theirs.put("digits", b'{"body":"x","v":{"list":[1,{"e":0.1234567890123456789}]}}')
        theirs.put("huge", b'{"body":"x","v":1E400}')
        theirs.put("half", b'{"body":"half \\ud83d"}')
        theirs.put("elsewhere", b'{"body":"x","v":{"s":"\\ud83d"}}')
        theirs.put("number", {"body": 42})
        theirs.put("object", {"body": "x", "v": {"body": 1}})
        theirs.refresh()
        before = theirs.hits()
        for _ in range(2):
            outcome = theirs.attach("body")
            reasons = theirs.rejected()
            assert set(reasons) == {"digits", "huge", "half", "elsewhere", "number"}
            assert "0.1234567890123456789 in 'v.list.e'" in reasons["digits"]
            assert "1E400" in reasons["huge"]
            assert "surrogate" in reasons["half"]
            assert "a number, not a text" in reasons["number"]
            assert outcome.rejected == 5
        after = theirs.hits()
        assert all(after[doc_id] == before[doc_id] for doc_id in reasons)
        assert {doc_id for doc_id, fingerprint in theirs.fingerprints().items() if fingerprint} == {"good", "object"}
        theirs.detach()
        assert theirs.sources() == {doc_id: hit["_source"] for doc_id, hit in before.items()}


class TestCommands:
    def test_attach_and_detach(self, news: Theirs, tmp_path: Path) -> None:
        news.put("digits", b'{"body":"x","paper":0.1234567890123456789}')
        news.refresh()
        sentence = here("attach", news.locator, cwd=tmp_path).sentence
        assert "--text-field" in sentence
        assert "body, headline" in sentence
        fields = ("--text-field", "body", "--title-field", "headline")
        answer = here("attach", f"{news.locator}/", *fields, "--json", cwd=tmp_path).json
        assert answer.pop("seconds") > 0
        assert answer == {
            "index": news.locator,
            "attached": 3,
            "unchanged": 0,
            "without_text": 1,
            "rejected": 1,
            "rejects": f"{news.name}-rejects.jsonl",
            "changing": 0,
        }
        (line,) = read_jsonl(tmp_path / answer["rejects"])
        assert (line["source"], line["id"]) == (news.name, "digits")
        assert "left alone" in here("attach", news.locator, "--pace", "1000", "--workers", "1", cwd=tmp_path).err
        found = here("similar", "1", "--index", news.locator, "--json", cwd=tmp_path).json
        assert [match["id"] for match in found["matches"]] == ["2"]
        assert here("detach", news.locator, "--json", cwd=tmp_path).json["detached"] == 3
        assert "not attached" in here("detach", news.locator, cwd=tmp_path).sentence
        assert "leitong attach" in here("info", "--index", news.locator, cwd=tmp_path).sentence

    def test_the_seconds_hold_what_is_done_after_the_last_document(self, news: Theirs, tmp_path: Path) -> None:
        told: list[AttachProgress] = []
        options = AttachOptions(rejects=tmp_path / "rejects.jsonl")
        for run in (partial(attach, text_fields=["body"]), detach):
            run(news.locator, options=options, watch=told.append)
            last, before = told[-1], told[-2]
            assert last.seconds > before.seconds and last.documents == before.documents > 0

    def test_fields_that_no_document_has_are_no_success(self, news: Theirs, tmp_path: Path) -> None:
        told = here("attach", news.locator, "--text-field", "bodey", cwd=tmp_path).err
        assert "without a text in these fields" in told
        assert f"leitong detach {news.locator}" in told
        assert "leitong report" not in told


def test_a_folder_cannot_be_attached(tmp_path: Path) -> None:
    for command in ("attach", "detach"):
        assert "server" in here(command, "./leitong-index", cwd=tmp_path).sentence
