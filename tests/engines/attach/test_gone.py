"""Indexes that go while we write: none comes back by us, and one that was made anew is not taken for the old one."""

from __future__ import annotations

import contextlib
import json
from contextlib import closing
from typing import Any

import pytest

from leitong.indexer import Document, open_index
from leitong.indexer.attachruns import AttachProgress
from leitong.indexer.duplicates.commonness.learn import learn, load
from leitong.indexer.engines.base import Deletion
from leitong.indexer.engines.open import open_engine
from leitong.indexer.engines.server import sending
from leitong.indexer.engines.server.attachment import Attachment
from leitong.indexer.errors import EngineError
from tests.engines.attach.conftest import BRIDGE, LIBRARY, Theirs

MAPPING: dict[str, Any] = {"body": {"type": "text"}}


def attached(theirs: Theirs) -> Attachment:
    theirs.attach("body")
    attachment = theirs.opened()
    attachment.begin()
    return attachment


def test_an_index_that_is_deleted_while_its_documents_are_written_stays_deleted(theirs: Theirs) -> None:
    """A server makes an index for a partial update that comes too late, guarded or not."""
    base = theirs.name
    for part in "ab":
        theirs.make(MAPPING, name=f"{base}-{part}")
        theirs.put_all({f"{number}": {"body": BRIDGE.format(number)} for number in range(30)}, name=f"{base}-{part}")
    theirs.name = f"{base}-*"
    theirs.refresh()

    def delete(progress: AttachProgress) -> None:
        with contextlib.suppress(AssertionError):  # it is gone already
            theirs.ask("DELETE", f"/{base}-b")

    theirs.attach("body", watch=delete, pace=20)
    assert theirs.place.request("HEAD", f"/{base}-b") == 404
    assert None not in theirs.fingerprints().values()


def test_the_same_number_in_an_index_that_was_made_anew_is_another_document(theirs: Theirs) -> None:
    theirs.make(MAPPING)
    theirs.put("1", {"body": LIBRARY})
    theirs.refresh()
    with closing(attached(theirs)) as attachment:
        ((read,),) = attachment.pages()
        theirs.ask("DELETE", f"/{theirs.name}")
        theirs.make(MAPPING)
        for text in ("先前的正文。", BRIDGE):
            theirs.put("1", {"body": text})
        now = theirs.ask("GET", f"/{theirs.name}/_doc/1")
        assert read.guard == {"if_seq_no": now["_seq_no"], "if_primary_term": now["_primary_term"]}
        theirs.refresh()
        attachment.strip(read)
        (undone,) = attachment.finish()
        assert undone.changed
        assert theirs.sources() == {"1": {"body": BRIDGE}}
        ((again,),) = attachment.again([undone.living])
        assert again.source == {"body": BRIDGE}
    assert "leitong" in theirs.mapping()["_meta"]


def test_a_change_of_ours_is_not_made_to_another_index(theirs: Theirs) -> None:
    theirs._made.append(theirs.name)
    with open_index(theirs.locator, create=True) as index:
        index.add([Document("1", LIBRARY)])

        def made_anew(_: object) -> Deletion:
            theirs.ask("DELETE", f"/{theirs.name}")
            with open_index(theirs.locator, create=True) as other:
                other.add([Document("1", BRIDGE)])
            return Deletion()

        with closing(index._engine.writer()) as writer:
            assert writer.change(["1"], made_anew) == {"1": False}
        assert index.get("1").document.text == BRIDGE


def test_an_index_that_a_server_has_made_for_us_is_told(theirs: Theirs, monkeypatch: pytest.MonkeyPatch) -> None:
    """It can only be told where it goes after it was asked for and before the request arrives."""
    theirs.make(MAPPING)
    theirs.put("1", {"body": LIBRARY})
    theirs.refresh()
    with closing(attached(theirs)) as attachment:
        ((read,),) = attachment.pages()
        there = sending.uuid_of(attachment._server, theirs.name)
        monkeypatch.setattr(sending, "uuid_of", lambda server, index: there)
        theirs.ask("DELETE", f"/{theirs.name}")
        attachment.clear(read)
        with pytest.raises(EngineError, match=f"DELETE /{theirs.name}"):
            attachment.finish()


def test_a_copy_of_an_attached_index_is_attached_as_a_whole(theirs: Theirs) -> None:
    """Its documents have our fields, and its mapping has not, so no search finds them by those."""
    theirs.make(MAPPING)
    theirs.put_all({f"{number}": {"body": BRIDGE.format(number)} for number in range(3)})
    theirs.refresh()
    theirs.attach("body")
    copied = theirs.hits()
    theirs.name += "-copy"
    theirs.make(MAPPING, dynamic=False)
    for doc_id, hit in copied.items():
        theirs.put(doc_id, json.loads(json.dumps(hit["_source"], default=float)))
    theirs.refresh()
    assert theirs.attach("body").written == 3
    with open_index(theirs.locator) as index:
        assert {match.id for match in index.similar("0").matches} == {"1", "2"}
    assert theirs.attach().unchanged == 3


def test_what_is_learned_on_the_way_is_what_the_documents_say(theirs: Theirs) -> None:
    theirs.make(MAPPING)
    theirs.put_all({f"{number}": {"body": BRIDGE.format(number)} for number in range(40)})
    theirs.refresh()
    theirs.attach("body")
    with closing(open_engine(theirs.locator)) as engine, engine.snapshot() as snapshot:
        assert load(engine).to_bytes() == learn(snapshot).to_bytes()
