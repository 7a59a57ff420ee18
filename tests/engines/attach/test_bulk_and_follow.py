"""Documents that are written while we look, by their owner's bulk code or behind our back."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import re
import threading
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from leitong.indexer import fingerprinted, fingerprinted_async, open_index
from leitong.indexer.attaching import attach
from leitong.indexer.attachruns import AttachOptions, AttachProgress, Watch, ignored
from leitong.indexer.errors import EngineError, UsageError
from tests.engines.attach.conftest import BRIDGE, LIBRARY, Theirs
from tests.servers.relay import Relay

FIELDS: dict[str, Any] = {"text_fields": ["body"], "title_field": "headline"}
README = Path(__file__).parents[3] / "README.md"


@pytest.fixture
def empty(theirs: Theirs) -> Theirs:
    theirs.make({"headline": {"type": "text"}, "body": {"type": "text"}, "n": {"type": "integer"}})
    theirs.attach("body", title="headline")
    return theirs


def actions(index: str) -> Iterator[Any]:
    yield {"_index": index, "_id": "1", "headline": "通车", "body": BRIDGE.format("")}
    yield {
        "_op_type": "create",
        "_index": index,
        "_id": "2",
        "_source": {"headline": "通车", "body": BRIDGE.format("目前")},
    }
    yield {"_index": index, "_id": "3", "_routing": "r", "n": 3}
    yield {"_index": index, "body": LIBRARY}
    yield json.dumps({"headline": "字符串", "body": LIBRARY}, ensure_ascii=False)
    yield {"_op_type": "update", "_index": index, "_id": "5", "doc": {"n": 5}, "upsert": {"body": LIBRARY}}
    yield {"_op_type": "index", "_index": index, "_id": "6", "_source": {"body": "会被删除。"}}
    yield {"_op_type": "delete", "_index": index, "_id": "6"}
    yield {"_index": index, "_id": "7", "body": "先前的正文。"}
    yield {"_op_type": "update", "_index": index, "_id": "7", "doc": {"headline": "新", "body": LIBRARY}}
    yield {"_index": index, "_id": "8", "body": "先前的正文。", "headline": "旧"}
    yield {"_op_type": "update", "_index": index, "_id": "8", "doc": {"headline": "只改了标题"}}
    yield {"_index": index, "_id": "9", "body": "先前的正文。"}
    yield {"_op_type": "update", "_index": index, "_id": "9", "doc": {"n": 9}}


def client(theirs: Theirs, *, asynchronous: bool = False) -> tuple[Any, Any]:
    """The product's own client, and its helpers."""
    package = importlib.import_module("elasticsearch" if theirs.is_elasticsearch else "opensearchpy")
    name = ("Async" if asynchronous else "") + ("Elasticsearch" if theirs.is_elasticsearch else "OpenSearch")
    return getattr(package, name)([theirs.place.root]), importlib.import_module(f"{package.__name__}.helpers")


def check(theirs: Theirs) -> None:
    """Everything is there, with fingerprints as `attach` would have made them; only 8 waits for it."""
    found = theirs.fingerprints()
    assert len(found) == 9
    assert {doc_id for doc_id, fingerprint in found.items() if fingerprint is None} == {"3", "8"}
    again = theirs.attach()
    assert (again.written, again.unchanged, again.without_text) == (1, 7, 1)
    with open_index(theirs.locator) as index:
        assert [match.id for match in index.similar("1").matches] == ["2"]
        assert {match.id for match in index.similar("7").matches} >= {"5"}
    theirs.detach()
    assert all("leitong" not in hit["_source"] for hit in theirs.hits().values())


class TestBulk:
    @pytest.mark.parametrize("helper", ["bulk", "streaming_bulk", "parallel_bulk"])
    def test_helpers_take_what_we_yield(self, empty: Theirs, helper: str) -> None:
        session, helpers = client(empty)
        options = {"thread_count": 1} if helper == "parallel_bulk" else {}
        with session:
            done = getattr(helpers, helper)(
                session, fingerprinted(actions(empty.name), **FIELDS), index=empty.name, **options
            )
            list(done) if helper != "bulk" else done
        check(empty)

    def test_the_asynchronous_helper(self, empty: Theirs) -> None:
        pytest.importorskip("aiohttp")

        async def slowly() -> AsyncIterator[Any]:
            for action in actions(empty.name):
                await asyncio.sleep(0)
                yield action

        async def run() -> None:
            session, helpers = client(empty, asynchronous=True)
            try:
                await helpers.async_bulk(session, fingerprinted_async(slowly(), **FIELDS), index=empty.name)
            finally:
                await session.close()

        asyncio.run(run())
        check(empty)

    def test_an_index_that_was_filled_before_it_was_attached(self, theirs: Theirs) -> None:
        theirs.make({"body": {"type": "text"}})
        session, helpers = client(theirs)
        with session:
            helpers.bulk(session, fingerprinted(actions(theirs.name), **FIELDS), index=theirs.name)
        with pytest.raises(EngineError, match="filled with fingerprints before it was attached"):
            theirs.attach("body")
        with pytest.raises(EngineError, match="or it was filled before it was attached"):
            open_index(theirs.locator)

    def test_the_example_of_the_readme(self, theirs: Theirs, capsys: pytest.CaptureFixture[str]) -> None:
        if not theirs.is_elasticsearch:
            pytest.skip("the example is Elasticsearch's")
        theirs.make({"headline": {"type": "text"}, "body": {"type": "text"}})
        theirs.attach("body", title="headline")
        (program,) = re.findall(r"^```py\n(.*?)^```$", README.read_text("utf-8"), re.MULTILINE | re.DOTALL)
        exec(program.replace("http://127.0.0.1:9200", theirs.place.root).replace('"news"', f'"{theirs.name}"'), {})
        assert capsys.readouterr().out == "(2, [])\n"
        assert None not in theirs.fingerprints().values()


def test_actions_without_a_server() -> None:
    """Order, the caller's own objects and JSON text stay as they are."""
    mine = {"_id": "1", "body": LIBRARY, "n": 1.10}
    text = ' {"body": "正文", "n": 0.12345678901234567890} \n'
    got = list(fingerprinted([mine, text, text.encode(), {"_id": "x", "n": 1}, "no json", b"{}"], text_fields=["body"]))
    assert mine == {"_id": "1", "body": LIBRARY, "n": 1.10}
    assert got[0]["leitong"]["cluster"] == "1"
    assert {key: value for key, value in got[0].items() if key != "leitong"} == mine
    assert got[1].startswith(text.rstrip()[:-1])
    assert json.loads(got[1])["leitong"]["fp"] == json.loads(got[2])["leitong"]["fp"]
    assert isinstance(got[2], bytes)
    assert got[3:] == [{"_id": "x", "n": 1}, "no json", b"{}"]
    many = [{"_id": str(number), "body": f"第{number}篇"} for number in range(1_000)]
    assert [one["_id"] for one in fingerprinted(many, text_fields=["body"])] == [one["_id"] for one in many]
    with pytest.raises(UsageError, match="list of names"):
        next(fingerprinted(many, text_fields="body"))


@contextlib.contextmanager
def following(theirs: Theirs, *, root: str = "", watch: Watch = ignored) -> Iterator[None]:
    """`attach --follow` beside what is done, by another way to the server where one is given."""
    locator = f"{root}/{theirs.name}" if root else theirs.locator
    stop = threading.Event()
    failed: list[BaseException] = []

    def follow() -> None:
        try:
            options = AttachOptions(rejects=theirs.rejects)
            attach(locator, text_fields=["body"], options=options, watch=watch, follow=True, stopped=stop.is_set)
        except BaseException as error:
            failed.append(error)

    follower = threading.Thread(target=follow)
    follower.start()
    try:
        yield
    finally:
        stop.set()
        follower.join()
        assert failed == []  # the reason, where something was waited for in vain


def test_follow_keeps_up(news: Theirs) -> None:
    with following(news):
        until(lambda: news.fingerprints()["1"] is not None)
        before = news.fingerprints()
        news.put("1", {"headline": "改", "body": LIBRARY})
        news.change("2", {"body": LIBRARY})
        news.delete("3")
        news.put_all({f"new-{number}": {"body": f"第{number}篇新文章"} for number in range(300)})

        def has_all() -> bool:
            now = news.fingerprints()
            new = [now[f"new-{number}"] for number in range(300)]
            return None not in new and now["1"] == now["2"] == before["3"]

        until(has_all)
    assert news.attach().written == 0


def test_follow_waits_for_a_server_that_is_away(news: Theirs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leitong.indexer.engines.server.product.WAITS", ())
    relay = Relay(news.place.root)
    told: list[str] = []

    def watch(now: AttachProgress) -> None:
        if now.waiting != (told[-1] if told else ""):
            told.append(now.waiting)

    with following(news, root=f"http://127.0.0.1:{relay.port}", watch=watch):
        until(lambda: news.fingerprints()["1"] is not None)
        news.put("later", {"body": LIBRARY})
        until(lambda: news.fingerprints()["later"] is not None)  # now it follows
        for text in (LIBRARY, "又一次改过的正文。"):
            before, said = news.fingerprints()["1"], len(told)
            relay.stop()
            news.change("1", {"body": text})
            until(lambda said=said: len(told) > said)
            assert news.fingerprints()["1"] == before
            relay.start()
            until(lambda before=before: news.fingerprints()["1"] != before)
        until(lambda: len(told) == 4)
    relay.stop()
    assert [bool(one) for one in told] == [True, False] * 2
    assert all("Cannot reach" in one for one in told[::2])


def test_what_no_search_can_see_yet_is_attached_and_detached(theirs: Theirs) -> None:
    theirs.make({"body": {"type": "text"}}, settings={"refresh_interval": "-1"})
    theirs.put("1", {"body": LIBRARY})
    assert theirs.attach("body").written == 1
    theirs.put("2", {"body": LIBRARY})
    with following(theirs):
        # not by a search of ours, which would refresh
        until(lambda: "leitong" in theirs.ask("GET", f"/{theirs.name}/_doc/2")["_source"])
    theirs.put("3", {"body": LIBRARY, "leitong": theirs.ask("GET", f"/{theirs.name}/_doc/1")["_source"]["leitong"]})
    assert theirs.detach().written == 3
    assert theirs.sources() == {doc_id: {"body": LIBRARY} for doc_id in "123"}
    assert theirs.fingerprints() == dict.fromkeys("123", None)


def test_an_index_that_is_made_anew_is_attached_anew(theirs: Theirs) -> None:
    """Its shards count from the beginning: what has a low number now was never seen."""
    base, mapping = theirs.name, {"body": {"type": "text"}}
    for part in "ab":
        theirs.make(mapping, name=f"{base}-{part}")
        for number in range(20):
            theirs.put(f"{number}", {"body": BRIDGE.format(number)}, name=f"{base}-{part}")
    theirs.name = f"{base}-*"
    last = f"{base}-b"

    def has_all() -> bool:
        return all("leitong" in hit["_source"] for hit in theirs.hits(last).values())

    with following(theirs):
        until(has_all)
        theirs.ask("DELETE", f"/{last}")
        theirs.make(mapping, name=last)
        theirs.put("1", {"body": LIBRARY}, name=last)
        until(has_all)
    assert theirs.attach().written == 0


def until(true: Any) -> None:
    """Wait for it, as long as a busy machine may take."""
    deadline = time.monotonic() + 120
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.3)
