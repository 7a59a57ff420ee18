"""What goes wrong while a server is written to or read: it goes on where it can, else one sentence says what to do."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from leitong.indexer import open_index
from leitong.indexer.documents import StoredDocument
from leitong.indexer.engines.open import open_engine
from leitong.indexer.engines.server import notes as notes_module
from leitong.indexer.engines.server.connect import connect
from leitong.indexer.engines.server.locator import parse
from leitong.indexer.engines.server.notes import Notes
from leitong.indexer.engines.server.product import Action, Server
from leitong.indexer.errors import EngineError, PassingError
from leitong.indexer.fingerprint.simhash import Fingerprinter
from leitong.indexer.pipeline import IndexOptions, Progress
from leitong.indexer.sources.open import open_sources
from leitong.mappings import documents
from tests.cli.running import SCRIPT, environment, write_jsonl
from tests.engines.contract.entries import RECIPE, bare, few_retries, put
from tests.engines.places import Place, cleaned, had, needs_client
from tests.fingerprint.texts import TEXTS
from tests.servers import ELASTICSEARCH, OPENSEARCH, RunningServer
from tests.servers.fixtures import had_or_skipped
from tests.servers.process import start_process
from tests.servers.relay import Relay

pytestmark = [pytest.mark.servers, pytest.mark.slow]

COUNT = 2_800
"""A new index waits for 2,000 documents before it looks for duplicates."""
POOL = [text for text in TEXTS.values() if len(text) > 30]


@pytest.fixture(scope="module", params=["elasticsearch", "opensearch"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    yield from cleaned(had(request, request.param, tmp_path_factory.mktemp("unused")))


@pytest.fixture(scope="module", params=[ELASTICSEARCH, OPENSEARCH], ids=lambda spec: spec.product)
def small(request: pytest.FixtureRequest) -> Iterator[RunningServer]:
    """A server of our own that takes requests of one megabyte."""
    if request.param is ELASTICSEARCH:
        needs_client(9)
    settings = {"http.max_content_length": "1mb"}
    with had_or_skipped(lambda: start_process(request.param, settings=settings, quick=True)) as server:
        yield server


def records(count: int) -> list[dict[str, Any]]:
    return [{"id": f"{number}", "text": f"{POOL[number % len(POOL)]} 第{number}号"} for number in range(count)]


def everything(locator: str) -> dict[str, StoredDocument]:
    engine = open_engine(locator)
    with engine.snapshot() as snapshot:
        found = [stored for rows in snapshot.rows() for stored in snapshot.documents(rows.refs)]
        assert len(found) == snapshot.count
    engine.close()
    by_id = {stored.document.id: stored for stored in found}
    assert len(by_id) == len(found)
    return by_id


def index(
    locator: str, source: Path, watch: Callable[[Progress], None] = lambda progress: None, **settings: Any
) -> Progress:
    options = IndexOptions(rejects=source.with_suffix(".rejects"), **settings)
    with open_index(locator, create=True) as opened:
        return opened.index(open_sources([str(source)]), options=options, watch=watch)


@pytest.mark.parametrize("policy", ["index", "skip"])
def test_the_client_is_killed(place: Place, tmp_path: Path, policy: str) -> None:
    """`kill -9` in the middle, then `--resume`: the index of an undisturbed run."""
    content = [json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records(COUNT)]
    (tmp_path / "all.jsonl").write_bytes(b"".join(content))
    whole, broken = place.locator(), place.locator()
    options = ("--on-duplicate", policy, "--workers", "1")
    process = subprocess.Popen(
        [SCRIPT, "index", "-", "-i", broken, *options],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
    )
    assert process.stdin is not None
    process.stdin.write(b"".join(content[: COUNT * 3 // 4]))
    process.stdin.flush()
    deadline = time.monotonic() + 120
    while not _count(broken):
        assert time.monotonic() < deadline
        time.sleep(0.3)
    process.send_signal(signal.SIGKILL)
    process.stdin.close()
    assert process.wait() == -signal.SIGKILL
    there = len(everything(broken))
    assert 0 < there < COUNT
    index(whole, tmp_path / "all.jsonl", on_duplicate=policy)
    again = index(broken, tmp_path / "all.jsonl", on_duplicate=policy, resume=True)
    assert again.unchanged >= there
    assert everything(broken) == everything(whole)


def _count(locator: str) -> int:
    try:
        with open_index(locator) as opened:
            return opened.info().documents
    except EngineError:
        return 0


def test_a_refusal_that_passes_is_no_failure(place: Place) -> None:
    """The server answers 429 as long as a block of a full disk is on; the client sends again until it is off."""
    engine = place.make(RECIPE)
    name = engine.locator.rpartition("/")[2]
    block = b'{"index.blocks.read_only_allow_delete": %s}'
    assert place.request("PUT", f"/{name}/_settings", block % b"true") == 200
    lifted = threading.Timer(4, lambda: place.request("PUT", f"/{name}/_settings", block % b"null"))
    lifted.start()
    put(engine, [bare(f"{number}", number) for number in range(100)])
    lifted.join()
    assert len(everything(engine.locator)) == 100


def test_each_action_has_an_outcome_where_a_server_stays_busy(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    few_retries(monkeypatch)
    monkeypatch.setattr("leitong.indexer.engines.server.product.time.sleep", lambda _: None)
    name = place.make(RECIPE).locator.rpartition("/")[2]
    assert place.request("PUT", f"/{name}/_settings", b'{"index.blocks.read_only_allow_delete": true}') == 200
    server = connect(parse(place.locator()))
    outcomes = list(server.bulk([Action("1", "index", b"{}"), Action("2", "index", b"{}")], index=name))
    server.close()
    assert {outcome.id for outcome in outcomes} == {"1", "2"}


@pytest.fixture
def relay(place: Place) -> Iterator[Relay]:
    """Stands before the server, at first open."""
    between = Relay(place.root)
    yield between
    between.stop()


def test_a_server_that_is_away_for_a_while_is_waited_for(place: Place, relay: Relay) -> None:
    """As a cluster that lost a node: for some seconds nobody answers, or nobody may decide."""
    name = place.make(RECIPE).locator.rpartition("/")[2]
    server = connect(parse(f"http://127.0.0.1:{relay.port}/{name}"))
    relay.stop()
    back = threading.Timer(2, relay.start)
    back.start()
    (outcome,) = server.bulk([Action("1", "index", b"{}")], index=name)
    back.join()
    server.close()
    assert outcome.result == "created"


def test_a_server_that_stays_away_is_waited_for_once(
    place: Place, relay: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is to be put in order after a failure does not wait again, each for itself."""
    waited: list[float] = []
    server = connect(parse(f"http://127.0.0.1:{relay.port}/docs"))
    monkeypatch.setattr("leitong.indexer.engines.server.product.time.sleep", waited.append)
    for _ in range(3):
        relay.stop()
        for _ in range(2):
            with pytest.raises(PassingError, match="Cannot reach"):
                server.request("GET", "/_nodes")
        relay.start()
        server.request("GET", "/_nodes")
    server.close()
    assert waited == [1, 2, 4, 8] * 3


@pytest.mark.parametrize("status", [429, 503])
def test_who_is_turned_away_for_a_while_comes_again(place: Place, relay: Relay, status: int) -> None:
    """As by a gateway that protects its server: whole requests are refused, the first of a connection as well."""
    name = place.make(RECIPE).locator.rpartition("/")[2]
    for number in range(2):
        relay.turn_away(status)
        back = threading.Timer(2, relay.turn_away, (0,))
        back.start()
        if not number:
            server = connect(parse(f"http://127.0.0.1:{relay.port}/{name}"))
        (outcome,) = server.bulk([Action("1", "index", b"{}")], index=name)
        back.join()
        assert outcome.result == ("updated" if number else "created")
    server.close()


def test_who_is_turned_away_all_the_time_is_told_so(
    place: Place, relay: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    monkeypatch.setattr("leitong.indexer.engines.server.connect.time.sleep", waited.append)
    for status, said in ((429, "stayed too busy"), (503, "is not available now")):
        relay.turn_away(status)
        with pytest.raises(PassingError, match=said):
            connect(parse(f"http://127.0.0.1:{relay.port}/docs"))
    assert waited == [1, 2, 4, 8] * 2


def connect_in_a_hurry(relay: Relay, monkeypatch: pytest.MonkeyPatch, *, seconds: float) -> Server:
    """A connection on which a request may take so long."""
    for product in ("elasticsearch", "opensearch"):
        monkeypatch.setattr(f"leitong.indexer.engines.server.{product}.TIMEOUT", seconds)
    return connect(parse(f"http://127.0.0.1:{relay.port}/docs"))


def test_what_is_asked_of_a_closed_connection_does_not_wait(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when a state is given back that Ctrl-C left."""
    waited: list[float] = []
    monkeypatch.setattr("leitong.indexer.engines.server.product.time.sleep", waited.append)
    server = connect(parse(f"{place.root}/closed"))
    server.request("GET", "/_mapping")
    server.close()
    with contextlib.suppress(EngineError):
        server.request("GET", "/_mapping")
    assert waited == []


def test_a_server_that_swallows_what_is_sent_is_told_after_it_was_asked_once_more(
    place: Place, relay: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    server = connect_in_a_hurry(relay, monkeypatch, seconds=0.5)
    perform = type(server)._perform

    def recorded(self: Server, method: str, path: str, *arguments: Any, **settings: Any) -> Any:
        asked.append(path)
        return perform(self, method, path, *arguments, **settings)

    monkeypatch.setattr(type(server), "_perform", recorded)
    monkeypatch.setattr("leitong.indexer.engines.server.product._ALIVE", 0.5)
    relay.pause()
    for _ in range(2):
        with pytest.raises(PassingError, match="did not answer in time"):
            server.request("GET", "/_nodes")
    assert asked == ["/_nodes", "/", "/_nodes"]
    relay.resume()
    monkeypatch.setattr("leitong.indexer.engines.server.product._ALIVE", 20.0)
    assert server.request("GET", "/_nodes")["nodes"]
    server.close()


def test_a_request_that_took_too_long_is_made_again_while_others_are_answered(
    place: Place, relay: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = connect_in_a_hurry(relay, monkeypatch, seconds=2.0)
    perform = type(server)._perform

    def busy(self: Server, method: str, path: str, *arguments: Any, **settings: Any) -> Any:
        if path == "/":
            relay.resume()
        return perform(self, method, path, *arguments, **settings)

    monkeypatch.setattr(type(server), "_perform", busy)
    relay.pause()
    assert server.request("GET", "/_nodes")["nodes"]
    server.close()


@pytest.mark.parametrize("policy", ["index", "mark"])
def test_the_state_that_is_read_is_lost(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, policy: str
) -> None:
    """As when the node that keeps it dies: the server forgets every state in the middle of a run."""
    locator = place.locator()
    index(locator, write_jsonl(tmp_path / "some.jsonl", records(300)), on_duplicate=policy)
    server = connect(parse(locator))
    opened: list[str] = []
    open_point = type(server).open_point

    def recorded(self: Server, *arguments: Any, **settings: Any) -> str:
        opened.append(open_point(self, *arguments, **settings))
        return opened[-1]

    monkeypatch.setattr(type(server), "open_point", recorded)
    forgotten: list[str] = []

    def watch(progress: Progress) -> None:
        if progress.documents > 500 and not forgotten:
            forgotten.extend(opened)
            for name in forgotten:
                server.close_point(name)

    outcome = index(
        locator, write_jsonl(tmp_path / "many.jsonl", records(1_500)), watch, on_duplicate=policy, resume=True
    )
    server.close()
    assert forgotten
    assert outcome.unchanged == 300
    assert set(everything(locator)) == {f"{number}" for number in range(1_500)}


def test_a_note_that_lost_a_part_is_given_up_as_the_error_says(place: Place) -> None:
    name = place.make(RECIPE).locator.rpartition("/")[2]
    server = connect(parse(f"{place.root}/{name}"))
    beside = f"{name}-leitong"
    notes = Notes(server, beside)
    notes.write("kept", b"decisions")
    notes.write("lost", b"table")
    edition = server.request("GET", f"/{beside}/_doc/lost")["_source"]["content"]["edition"]
    server.request("DELETE", f"/{beside}/_doc/lost.{edition}.0")
    with pytest.raises(EngineError, match="is damaged") as told:
        notes.read("lost")
    found = re.search(r"DELETE (\S+);", str(told.value))
    assert found is not None
    server.request("DELETE", found[1])
    assert (notes.read("lost"), notes.read("kept")) == (None, b"decisions")
    server.close()


def test_notes_are_waited_for_until_a_node_has_them(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """As after the companion was made on a server that is slow, or while a node starts."""
    few_retries(monkeypatch)
    name = place.locator().rpartition("/")[2]
    settings = "index.routing.allocation.require._name"
    nowhere = json.dumps({"settings": {settings: "nowhere", "index.number_of_replicas": 0}}).encode()
    assert place.request("PUT", f"/{name}-leitong?wait_for_active_shards=0", nowhere) == 200
    server = connect(parse(f"{place.root}/{name}"))
    waited: list[float] = []

    def freed(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 2:
            assert place.request("PUT", f"/{name}-leitong/_settings", json.dumps({settings: None}).encode()) == 200
            server.request("GET", f"/_cluster/health/{name}-leitong", params={"wait_for_status": "green"})

    monkeypatch.setattr(notes_module.time, "sleep", freed)
    assert Notes(server, f"{name}-leitong").read("table") is None
    assert waited == [1.0, 2.0]
    server.close()


def test_a_red_index(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An index of ours whose shards no node may have."""
    few_retries(monkeypatch)
    template = documents("elasticsearch" if "elastic" in place.name else "opensearch", blocks=4)
    meta = {"recipe_id": Fingerprinter(RECIPE).id, "recipe": RECIPE.settings(), "created": "2026-11-21T00:00:00+00:00"}
    body = template.body(meta)
    body["settings"] = {"index.routing.allocation.require._name": "nowhere"}
    locator = place.locator()
    path = f"/{locator.rpartition('/')[2]}?wait_for_active_shards=0"
    assert place.request("PUT", path, json.dumps(body).encode()) == 200
    source = write_jsonl(tmp_path / "one.jsonl", records(1))
    for attempt in (lambda: open_index(locator).search("雷同"), lambda: index(locator, source)):
        with pytest.raises(EngineError) as caught:
            attempt()
        assert "not available" in str(caught.value)
        assert "_cluster/health" in str(caught.value)
        assert "\n" not in str(caught.value)


class TestSmall:
    def test_requests_stay_below_the_limit(self, small: RunningServer, tmp_path: Path) -> None:
        """Five megabytes of documents arrive in requests of less than one; a document of one is refused by itself."""
        text = "".join(POOL)
        long = (text * (1 + 90_000 // len(text.encode()))).encode()[:90_000].decode("utf-8", "ignore")
        lines = [{"id": f"{number}", "text": f"{number} {long}"} for number in range(20)]
        lines.insert(7, {"id": "huge", "text": long * 8})
        source = write_jsonl(tmp_path / "large.jsonl", lines)
        outcome = index(f"{small.url}/large", source)
        assert (outcome.indexed, outcome.rejected) == (20, 1)
        assert set(everything(f"{small.url}/large")) == {f"{number}" for number in range(20)}
        (reject,) = map(json.loads, source.with_suffix(".rejects").read_text(encoding="utf-8").splitlines())
        assert reject["id"] == "huge"
        assert "http.max_content_length" in reject["reason"]

    def test_the_server_goes_away(self, small: RunningServer, tmp_path: Path) -> None:
        """In the middle of a run; the last test of this server, which does not come back."""
        source = write_jsonl(tmp_path / "many.jsonl", records(COUNT))
        gone: list[int] = []

        def watch(progress: Progress) -> None:
            if progress.indexed > 500 and not gone:
                small.stop()
                gone.append(progress.indexed)

        with pytest.raises(PassingError) as caught:  # so the command says that --resume goes on
            index(f"{small.url}/many", source, watch)
        assert gone
        assert f"Cannot reach {small.url}/many" in str(caught.value)
        assert "\n" not in str(caught.value)
