"""Fields of an older version are brought up to date, and nothing that is written meanwhile is lost."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from typing import Any

import pytest

from leitong.indexer import Document, mapping, open_index
from leitong.indexer.duplicates.commonness import learn
from leitong.indexer.duplicates.commonness.boilerplate import Boilerplate
from leitong.indexer.engines.base import Deletion, Snapshot
from leitong.indexer.engines.lost import LostStateError
from leitong.indexer.engines.server import gone, upgrade
from leitong.indexer.engines.server.connect import connect
from leitong.indexer.engines.server.living import Reader
from leitong.indexer.engines.server.locator import parse
from leitong.indexer.engines.server.sending import Sender
from leitong.indexer.errors import EngineError, UsageError
from leitong.mappings import VERSION, documents
from tests.cli.running import here
from tests.engines.attach.conftest import BRIDGE, LIBRARY, Theirs

TWO_SHARDS = {"number_of_shards": 2}


def older(theirs: Theirs, *, without: str = "", otherwise: str = "", refreshed: str = "1s") -> None:
    """An index of ours as an older Leitong would have made it."""
    maker = f"{theirs.locator}-maker"
    with open_index(maker, create=True) as index:
        meta = {**index._engine._header.meta(), "mapping_version": 0, "companion": f"{theirs.name}-leitong"}  # type: ignore[attr-defined]
    theirs._made.append(f"{theirs.name}-maker")
    product = "elasticsearch" if theirs.is_elasticsearch else "opensearch"
    template = json.loads(json.dumps(documents(product, blocks=4).mappings))  # type: ignore[arg-type]
    fields = template["properties"]["leitong"]["properties"]
    fields.pop(without, None)
    if otherwise:
        fields[otherwise] = {"type": "keyword", "doc_values": True}
    theirs.make(
        template["properties"],
        dynamic=False,
        _meta={"leitong": meta},
        settings={"number_of_shards": 2, "refresh_interval": refreshed},
    )
    theirs._made += [f"{theirs.name}-2", f"{theirs.name}-3"]


def test_a_new_index_has_no_difference(theirs: Theirs) -> None:
    theirs._made.append(theirs.name)
    with open_index(theirs.locator, create=True):
        pass
    assert mapping.difference(theirs.locator).is_none
    assert "leitong" in mapping.show(theirs.locator)


def test_a_missing_field_is_added_where_the_index_is(theirs: Theirs) -> None:
    older(theirs, without="sketch")
    found = mapping.difference(theirs.locator)
    assert (found.added, found.changed, found.version) == (("leitong.sketch",), (), 0)
    assert mapping.apply(theirs.locator) is None
    assert mapping.difference(theirs.locator).is_none


def test_what_would_find_less_is_told(theirs: Theirs) -> None:
    older(theirs, without="sketch")
    told = r"fields of version 0, by which not all .* without --resume"
    with open_index(theirs.locator) as index, pytest.raises(EngineError, match=told):
        index.similar_to(LIBRARY)


def test_the_command_says_that_an_added_field_is_empty(theirs: Theirs, tmp_path: Any) -> None:
    older(theirs, without="sketch")
    told = here("mapping", "apply", "--index", theirs.locator, "--yes", cwd=tmp_path).err
    assert "index them again, without --resume" in told


def attached_by_version_1(theirs: Theirs) -> None:
    """An attached index as it was when `leitong.sketch` was not there, but `leitong.keys`."""
    theirs.make({"body": {"type": "text"}})
    theirs.put_all({"1": {"body": BRIDGE.format("")}, "2": {"body": f"{BRIDGE.format('')[16:]}{LIBRARY}"}})
    theirs.refresh()
    theirs.attach("body")
    sources = {doc_id: hit["_source"] for doc_id, hit in theirs.hits().items()}
    made = theirs.mapping()
    theirs.ask("DELETE", f"/{theirs.name}")
    fields = made["properties"]["leitong"]["properties"]
    fields["keys"] = fields.pop("sketch")
    made["_meta"]["leitong"]["mapping_version"] = 1
    theirs.make(made["properties"], _meta=made["_meta"])
    for source in sources.values():
        source["leitong"]["keys"] = source["leitong"].pop("sketch")
    theirs.put_all(sources)
    theirs.refresh()


def assert_all_is_found(theirs: Theirs) -> None:
    assert all("sketch" in hit["_source"]["leitong"] for hit in theirs.hits().values())
    with open_index(theirs.locator) as index:
        assert [match.id for match in index.similar("2", radius=0).matches] == ["1"]


def test_an_attached_index_is_brought_up_to_date_by_attaching_it_again(theirs: Theirs) -> None:
    attached_by_version_1(theirs)
    with open_index(theirs.locator) as index, pytest.raises(EngineError, match=f"Run leitong attach {theirs.locator} "):
        index.similar("1")
    assert theirs.attach().written == 2
    assert_all_is_found(theirs)
    assert theirs.attach().written == 0


def test_and_also_after_its_mapping_was(theirs: Theirs) -> None:
    attached_by_version_1(theirs)
    assert mapping.apply(theirs.locator) is None
    assert theirs.attach().written == 2
    assert_all_is_found(theirs)


def test_what_an_older_version_left_in_a_mapping_is_known_as_ours(theirs: Theirs) -> None:
    attached_by_version_1(theirs)
    assert theirs.detach().written == 2
    assert theirs.attach("body").written == 2
    assert_all_is_found(theirs)


def test_a_changed_field_takes_a_new_index_and_loses_no_write(theirs: Theirs) -> None:
    older(theirs, otherwise="b0")
    with open_index(theirs.locator) as index:
        index.add([Document(f"{number}", f"第{number}篇文章。{LIBRARY}") for number in range(400)])
    stop = threading.Event()
    last: dict[str, str | None] = {}
    failed: list[BaseException] = []

    def write() -> None:
        turn = 0
        try:
            with open_index(theirs.locator) as index:
                while not stop.is_set():
                    turn += 1
                    texts = {f"{number}": f"第{number}篇，第{turn}次。" for number in range(turn % 9, 400, 9)}
                    index.add([Document(doc_id, text) for doc_id, text in texts.items()])
                    last.update(texts)
                    gone = f"{turn % 400}"
                    index.delete([gone])
                    last[gone] = None
        except BaseException as error:
            failed.append(error)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        new = mapping.apply(theirs.locator)
        written = len(last)
    finally:
        stop.set()
        writer.join()
    assert failed == []
    assert new == f"{theirs.name}-2"
    assert written
    assert set(theirs.ask("GET", f"/{theirs.name}/_alias")) == {new}
    assert mapping.difference(theirs.locator).is_none
    with open_index(theirs.locator) as index:
        assert index.info().format == VERSION
        stored = index.documents(list(last))
        assert {doc_id: stored[doc_id].document.text if doc_id in stored else None for doc_id in last} == last
        assert index.info().documents == 400 - sum(text is None for text in last.values())


def test_what_is_learned_while_another_index_takes_over_the_name_is_learned_of_that_one(
    theirs: Theirs, monkeypatch: pytest.MonkeyPatch
) -> None:
    older(theirs, otherwise="b0")
    really = learn.learn

    def meanwhile(snapshot: Snapshot, *, script: str, learning: learn.Learning | None) -> Boilerplate:
        monkeypatch.setattr(learn, "learn", really)
        assert mapping.apply(theirs.locator) == f"{theirs.name}-2"
        with pytest.raises(LostStateError, match=rf"of {theirs.locator} is gone: .* took over its name\. Run again\."):
            list(snapshot.rows())
        return really(snapshot, script=script, learning=learning)

    monkeypatch.setattr(learn, "learn", meanwhile)
    with open_index(theirs.locator) as index:
        assert index.add([Document(f"{number}", f"第{number}篇文章。{LIBRARY}") for number in range(40)]) == 40
        assert learn.load(index._engine).documents == 40


def test_what_no_search_can_see_yet_goes_to_the_new_index(theirs: Theirs) -> None:
    older(theirs, otherwise="b0", refreshed="-1")
    with open_index(theirs.locator) as index:
        index.add([Document(f"{number}", f"第{number}篇文章。{LIBRARY}") for number in range(8)])
    for number in range(4, 12):
        theirs.put(f"{number}", {"text": f"第{number}篇，写于搬家之前。"})
    mapping.apply(theirs.locator)
    theirs.refresh()
    kept = {doc_id: source["text"] for doc_id, source in theirs.sources().items()}
    assert kept == {f"{number}": f"第{number}篇文章。{LIBRARY}" for number in range(4)} | {
        f"{number}": f"第{number}篇，写于搬家之前。" for number in range(4, 12)
    }


@pytest.mark.parametrize("few", [1, 2_000])
def test_what_is_gone_is_found_by_counting_parts(theirs: Theirs, monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    """Fingerprints that begin alike, documents without one, and such with a routing."""
    monkeypatch.setattr(gone, "_FEW", few)
    names = [(f"{number}", f"{number % 3}" if number % 5 else None) for number in range(200)]
    lost = set(names[7::31])
    for name, there in ((f"{theirs.name}-copy", names), (theirs.name, [one for one in names if one not in lost])):
        theirs.make({"leitong": {"properties": {"fp": {"type": "keyword"}}}}, name=name, settings=TWO_SHARDS)
        lines: list[Any] = []
        for doc_id, routing in there:
            print_ = f"{int(doc_id) // 8:016x}" if int(doc_id) % 8 else f"{int(doc_id) * 2_654_435_761 % 2**64:016x}"
            lines += [{"index": {"_id": doc_id, **({"routing": routing} if routing else {})}}]
            lines += [{"leitong": {"fp": print_}} if int(doc_id) % 11 else {"n": 1}]
        body = "".join(json.dumps(line) + "\n" for line in lines)
        assert not theirs.ask("POST", f"/{name}/_bulk?refresh=true", body.encode())["errors"]
    with contextlib.closing(connect(parse(theirs.locator))) as server:
        copy, original = Reader(server, f"{theirs.name}-copy"), Reader(server, theirs.name)
        found = [(hit["_id"], hit.get("_routing")) for hits in gone.gone(copy=copy, original=original) for hit in hits]
    assert len(found) == len(lost)
    assert set(found) == lost


def test_many_deletions_are_found_in_parts_and_nearly_all_before_writes_stop(
    theirs: Theirs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gone, "_FEW", 10)
    monkeypatch.setattr(upgrade, "_FEW", 5)
    older(theirs, otherwise="b0")
    names = [f"{number}" for number in range(120)]
    with open_index(theirs.locator) as index:
        index.add([Document(name, f"{name * 40}篇文章。{LIBRARY[: int(name) % 30]}") for name in names])
    lost = [names[:60], names[60:68], names[68:71], names[71:73]]
    left = set(names[73:])

    def delete() -> None:
        lines = "".join(json.dumps({"delete": {"_id": name}}) + "\n" for name in lost.pop(0))
        assert not theirs.ask("POST", f"/{theirs.name}/_bulk", lines.encode())["errors"]

    copy, block, remove, find = upgrade._Move._copy, upgrade._Move._block, upgrade._Move._remove_what_is_gone, gone.gone
    removed: list[int] = []
    parts: list[int] = []

    def copied(self: Any, pages: Any) -> int:
        count = copy(self, pages)
        if len(lost) > 1:
            delete()
        return count

    def blocked(self: Any) -> None:
        delete()
        block(self)

    def counted(self: Any) -> int:
        removed.append(remove(self))
        return removed[-1]

    def found(**asked: Any) -> Any:
        pages = list(find(**asked))
        parts.append(len(pages))
        return pages

    monkeypatch.setattr(upgrade._Move, "_copy", copied)
    monkeypatch.setattr(upgrade._Move, "_block", blocked)
    monkeypatch.setattr(upgrade._Move, "_remove_what_is_gone", counted)
    monkeypatch.setattr(upgrade, "gone", found)
    assert mapping.apply(theirs.locator) == f"{theirs.name}-2"
    assert removed == [68, 3, 2]
    assert parts[0] > 3
    assert theirs.hits().keys() == left


def test_a_number_that_a_document_has_again_after_the_move_is_another_one(theirs: Theirs) -> None:
    """What was decided of a text that was read before is not done to the one that came meanwhile."""
    older(theirs, otherwise="b0")
    with open_index(theirs.locator) as index:
        index.add([Document("1", "先前的正文。")])
        before = theirs.ask("GET", f"/{theirs.name}/_doc/1")

        def moved(_: object) -> Deletion:
            index.add([Document("1", LIBRARY)])
            assert mapping.apply(theirs.locator) == f"{theirs.name}-2"
            return Deletion()

        with contextlib.closing(index._engine.writer()) as writer:
            assert writer.change(["1"], moved) == {"1": False}
        after = theirs.ask("GET", f"/{theirs.name}/_doc/1")
        assert (after["_seq_no"], after["_primary_term"]) == (before["_seq_no"], before["_primary_term"])
        assert after["_source"]["text"] == LIBRARY


def test_an_upgrade_that_fails_changes_nothing(theirs: Theirs, monkeypatch: pytest.MonkeyPatch) -> None:
    older(theirs, otherwise="b0")
    with open_index(theirs.locator) as index:
        index.add([Document("1", LIBRARY)])

    def fail(self: Any) -> None:
        raise EngineError("in the middle")

    monkeypatch.setattr("leitong.indexer.engines.server.upgrade._Move._switch", fail)
    with pytest.raises(EngineError, match="in the middle"):
        mapping.apply(theirs.locator)
    assert theirs.place.request("GET", f"/{theirs.name}-2") == 404
    with open_index(theirs.locator) as index:
        assert index.add([Document("2", LIBRARY)]) == 1
        assert index.info().documents == 2


def test_an_interrupted_upgrade_leaves_no_index(theirs: Theirs, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is on its way to the new index then would make it once more, by itself."""
    older(theirs, otherwise="b0")
    with open_index(theirs.locator) as index:
        index.add([Document("1", LIBRARY)])
    bulk = Sender._bulk

    def slow(self: Any, actions: Any) -> Any:
        time.sleep(2)
        return bulk(self, actions)

    def interrupted(self: Any) -> None:
        self._send()
        raise KeyboardInterrupt

    monkeypatch.setattr(Sender, "_bulk", slow)
    monkeypatch.setattr(Sender, "finish", interrupted)
    with pytest.raises(KeyboardInterrupt):
        mapping.apply(theirs.locator)
    assert theirs.place.request("GET", f"/{theirs.name}-2") == 404


def test_an_upgrade_whose_last_answer_is_lost_was_done(theirs: Theirs, monkeypatch: pytest.MonkeyPatch) -> None:
    older(theirs, otherwise="b0")
    with open_index(theirs.locator) as index:
        index.add([Document("1", LIBRARY)])
    switch = upgrade._Move._switch

    def switch_unheard(self: Any) -> None:
        switch(self)
        raise EngineError("no answer")

    monkeypatch.setattr(upgrade._Move, "_switch", switch_unheard)
    assert mapping.apply(theirs.locator) == f"{theirs.name}-2"
    with open_index(theirs.locator) as index:
        assert index.get("1").document.text == LIBRARY


def test_a_killed_upgrade_can_be_begun_again(theirs: Theirs, monkeypatch: pytest.MonkeyPatch) -> None:
    older(theirs, otherwise="b0")
    with open_index(theirs.locator) as index:
        index.add([Document("1", LIBRARY)])
    with monkeypatch.context() as killed:
        killed.setattr(upgrade._Move, "_switch", lambda self: None)
        mapping.apply(theirs.locator)
    with pytest.raises(EngineError, match=f"delete {theirs.name}-2 and run again"):
        mapping.apply(theirs.locator)
    theirs.ask("DELETE", f"/{theirs.name}-2")
    assert mapping.apply(theirs.locator) == f"{theirs.name}-2"
    with open_index(theirs.locator) as index:
        assert index.add([Document("2", LIBRARY)]) == 1
        assert index.info().documents == 2


def test_pipelines_see_no_copy_and_deletions_take_the_right_document(
    theirs: Theirs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two documents have one id and lie in two shards; one of them is deleted when both were copied."""
    older(theirs, otherwise="b0")
    theirs.put("1", {"text": LIBRARY})
    for routing in "abcdefgh":
        theirs.ask("PUT", f"/{theirs.name}/_doc/1?routing={routing}", {"text": routing})
    theirs.refresh()
    found = theirs.ask("POST", f"/{theirs.name}/_search", {})["hits"]["hits"]
    assert len(found) == 2
    gone, kept = found
    theirs.ask("PUT", f"/{theirs.name}/_settings", {"index.default_pipeline": "none-such"})
    block = upgrade._Move._block

    def delete_and_block(self: Any) -> None:
        theirs.ask("DELETE", f"/{theirs.name}/_doc/1?routing={gone.get('_routing', '1')}")
        block(self)

    monkeypatch.setattr(upgrade._Move, "_block", delete_and_block)
    mapping.apply(theirs.locator)
    ((doc_id, hit),) = theirs.hits().items()
    assert (doc_id, hit.get("_routing"), hit["_source"]) == ("1", kept.get("_routing"), kept["_source"])
    (settings,) = theirs.ask("GET", f"/{theirs.name}/_settings").values()
    assert settings["settings"]["index"]["default_pipeline"] == "none-such"


def test_a_guarded_change_does_not_wait_for_the_new_index(theirs: Theirs) -> None:
    """It has numbers of its own, which may be those of another state."""
    theirs._made.append(theirs.name)
    with open_index(theirs.locator, create=True) as index:
        index.add([Document("1", LIBRARY)])
        meta = theirs.ask("GET", f"/{theirs.name}/_mapping")[theirs.name]["mappings"]["_meta"]
        meta["leitong"]["moving_to"] = f"{theirs.name}-2"
        theirs.ask("PUT", f"/{theirs.name}/_mapping", {"_meta": meta})
        theirs.ask("PUT", f"/{theirs.name}/_block/write")
        with contextlib.closing(index._engine.writer()) as writer:
            assert writer.change(["1"], lambda stored: Deletion()) == {"1": False}
        theirs.ask("PUT", f"/{theirs.name}/_settings", {"index.blocks.write": None})
        assert index.get("1").document.text == LIBRARY


def test_the_command_shows_first_and_does_with_yes(theirs: Theirs, tmp_path: Any) -> None:
    older(theirs, otherwise="b0")
    answer = here("mapping", "apply", "--index", f"{theirs.locator}/", "--json", cwd=tmp_path).json
    assert answer["index"] == theirs.locator
    assert (answer["changed"], answer["applied"], answer["new_index"]) == (["leitong.b0"], False, None)
    assert "~ leitong.b0" in here("mapping", "apply", "--index", theirs.locator, cwd=tmp_path).out
    assert here("mapping", "apply", "--index", theirs.locator, "--yes", "--json", cwd=tmp_path).json["new_index"]
    assert "nothing to do" in here("mapping", "apply", "--index", theirs.locator, cwd=tmp_path).err
    shown = here("mapping", "show", "--index", theirs.locator, "--json", cwd=tmp_path).json
    assert "fp" in shown["leitong"]["properties"]
    lines = here("mapping", "show", "--index", theirs.locator, cwd=tmp_path).out
    assert json.loads(lines) == shown and len(lines.splitlines()) > len(shown["leitong"]["properties"])


def test_an_attached_index_is_not_copied(news: Theirs) -> None:
    news.attach("body")
    assert mapping.difference(news.locator).is_none
    with pytest.raises(UsageError, match="folder"):
        mapping.difference("./folder")
