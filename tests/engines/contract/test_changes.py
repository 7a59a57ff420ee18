"""Ids without documents, marks and who bears them, and changing documents as they are looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from leitong.indexer import Document
from leitong.indexer.documents import Entry, StoredDocument
from leitong.indexer.engines.base import Change, Deletion, Engine, Rows
from tests.engines.contract.entries import PREPARER, bare, fill, found, ids, put

ODD = ["a/b c", "文", "a", "A", "%", '"']


def marked(entry: Entry, original: str | None) -> Entry:
    stored = entry.stored
    cluster = original or stored.document.id
    return replace(entry, stored=replace(stored, cluster=cluster, duplicate_of=original, original=original and "0"))


class TestIds:
    def test_in_the_order_asked_for(self, engine: Engine) -> None:
        put(engine, [bare(name, number) for number, name in enumerate(ODD)])
        with engine.snapshot() as snapshot:
            refs = Rows.join(list(snapshot.rows()), bits=64).refs
            names = [one.document.id for one in snapshot.documents(refs)]
            assert sorted(names) == sorted(ODD)
            assert snapshot.ids(refs) == names
            assert snapshot.ids(refs[::-1]) == names[::-1]
            assert snapshot.ids(refs[[2, 2]]) == [names[2]] * 2
            assert snapshot.ids(np.empty(0, dtype=refs.dtype)) == []


class TestMarks:
    def test_who_is_marked(self, engine: Engine) -> None:
        with engine.snapshot() as snapshot:
            assert not snapshot.has_marks
            assert snapshot.duplicates_of(["a"]) == []
        put(engine, [bare(name, number) for number, name in enumerate(ODD)])
        with engine.snapshot() as before:
            put(engine, [marked(bare("m1", 7), "a"), marked(bare("m2", 8), "a/b c"), marked(bare("m3", 9), "gone")])
            assert not before.has_marks
            assert before.duplicates_of(["a", "a/b c"]) == []
        with engine.snapshot() as snapshot:
            assert snapshot.has_marks
            assert ids(snapshot.duplicates_of(["a"])) == {"m1"}
            assert ids(snapshot.duplicates_of([*ODD, "gone", "absent"])) == {"m1", "m2", "m3"}
            assert snapshot.duplicates_of(["A", "m1", "absent"]) == []
            assert snapshot.duplicates_of([]) == []
            (one,) = snapshot.duplicates_of(["gone"])
            assert (one.cluster, one.duplicate_of, one.original) == ("gone", "gone", "0")

    def test_a_mark_goes_with_its_document(self, engine: Engine) -> None:
        put(engine, [marked(bare("m1", 7), "a"), marked(bare("m2", 8), "a")])
        put(engine, [bare("m1", 7)])
        with engine.snapshot() as snapshot:
            assert ids(snapshot.duplicates_of(["a"])) == {"m2"}
        with engine.writer() as writer:
            writer.delete(["m2"])
        with engine.snapshot() as snapshot:
            assert not snapshot.has_marks

    def test_more_than_one_request_holds(self, engine: Engine) -> None:
        put(engine, [marked(bare(f"d{number}", number), f"o{number % 700}") for number in range(1_400)])
        with engine.snapshot() as snapshot:
            found = snapshot.duplicates_of([f"o{number}" for number in range(700)])
            assert sorted(ids(found)) == sorted(f"d{number}" for number in range(1_400))
            assert len(found) == 1_400


def deciding(**fates: Change | None) -> tuple[list[StoredDocument], Callable[[StoredDocument], Change | None]]:
    seen: list[StoredDocument] = []

    def decide(stored: StoredDocument) -> Change | None:
        seen.append(stored)
        return fates[stored.document.id]

    return seen, decide


class TestChange:
    def test_marks_deletes_and_leaves_alone(self, engine: Engine) -> None:
        texts = {"a": "雷同的文章一", "b": "雷同的文章二", "c": "雷同的文章三", "d": "雷同的文章四"}
        entries = dict(zip(texts, PREPARER.entries([Document(*one) for one in texts.items()]), strict=True))
        put(engine, list(entries.values()))
        seen, decide = deciding(a=None, b=marked(entries["b"], "a"), c=Deletion())
        with engine.writer() as writer:
            assert writer.change(["c", "a", "absent", "b"], decide) == {"b": True, "c": True}
            assert writer.change([], decide) == {}
        assert sorted(one.document.id for one in seen) == ["a", "b", "c"]
        assert {one.document.id: one for one in seen} == {name: entries[name].stored for name in "abc"}
        with engine.snapshot() as snapshot:
            a, b, c, d = snapshot.get(["a", "b", "c", "d"])
            assert (a, c, d) == (entries["a"].stored, None, entries["d"].stored)
            assert b == marked(entries["b"], "a").stored
            assert set(found(snapshot, "雷同")) == {"a", "b", "d"}
            assert {one.document.id for one in snapshot.duplicates_of(["a"])} == {"b"}

    def test_sees_what_was_committed_last(self, engine: Engine) -> None:
        fill(engine, [Document("a", "第一版的文章")])
        fill(engine, [Document("a", "第二版的文章")])
        seen, decide = deciding(a=None)
        with engine.writer() as writer:
            assert writer.change(["a"], decide) == {}
        assert [one.document.text for one in seen] == ["第二版的文章"]

    def test_nothing_stays_of_an_error(self, engine: Engine) -> None:
        fill(engine, [Document("a", "雷同的文章")])

        def fails(stored: StoredDocument) -> Change | None:
            raise RuntimeError(stored.document.id)

        try:
            with engine.writer() as writer:
                writer.change(["a"], fails)
        except RuntimeError as error:
            assert str(error) == "a"
        else:
            raise AssertionError
        with engine.snapshot() as snapshot:
            assert snapshot.count == 1
