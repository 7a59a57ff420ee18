"""Ids made from content, and the memory of ids that were seen."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leitong.indexer.sources import ids
from leitong.indexer.sources.ids import ContentIds, SeenIds
from tests.sources.reading import read


def lines(*records: dict[str, object]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def test_a_content_id_is_the_same_in_every_run_and_in_any_order_of_fields() -> None:
    one = read("-", stdin=lines({"title": "央行", "text": "降准"})).only
    other = read("-", stdin=lines({"more": 1, "text": "降准", "title": "央行", "id": None})).only
    assert one.id == other.id == "content-7924cb06ed359db62f1467f8d0935e0f"


def test_a_content_id_knows_where_the_title_ends() -> None:
    assert len(set(read("-", stdin=lines({"title": "a", "text": "b c"}, {"title": "a b", "text": "c"})).ids)) == 2


def test_the_same_content_is_numbered_through_the_whole_run(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(lines({"text": "x"}, {"text": "y"}, {"text": "x"}))
    (tmp_path / "b.csv").write_text("text\nx\ny\nz\n")
    first, *rest = read(tmp_path / "a.jsonl", tmp_path / "b.csv").ids
    y, x2, x3, y2, z = rest
    assert (x2, x3, y2) == (f"{first}-2", f"{first}-3", f"{y}-2")
    assert len({first, y, z}) == 3


def test_given_ids_and_rejects_take_no_number() -> None:
    outcome = read("-", stdin=lines({"text": "x", "id": "1"}, {"text": "x", "title": True}, {"text": "x"}))
    assert outcome.ids[1].count("-") == 1


@given(st.lists(st.tuples(st.text(max_size=3), st.text(max_size=3))))
def test_content_ids_never_repeat(contents: list[tuple[str, str]]) -> None:
    made = ContentIds()
    found = [made.next_id(title=title, text=text) for title, text in contents]
    assert len(set(found)) == len(found)


@given(st.lists(st.text(max_size=4)))
def test_seen_ids_is_a_set(names: list[str]) -> None:
    seen, known = SeenIds(), set[str]()
    for name in names:
        assert seen.add(name) is (name not in known)
        known.add(name)
    assert len(seen) == len(known)


def test_seen_ids_stays_a_set_through_all_its_merges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ids, "_NEWEST", 64)
    seen = SeenIds()
    assert all(seen.add(str(number)) for number in range(20_000))
    assert not any(seen.add(str(number)) for number in range(20_000))
    assert seen.add("20000")
    assert len(seen) == 20_001


@pytest.mark.parametrize("digest", [bytes(16), b"\xff" * 16, b"\xff" * 8 + bytes(8), bytes(15) + b"\1"])
def test_extreme_digests(digest: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ids, "_NEWEST", 4)
    seen = SeenIds()
    near = [digest[:15] + bytes([number]) for number in range(1, 255)]
    assert all(seen.add_digest(each) for each in near if each != digest)
    assert seen.add_digest(digest)
    assert not any(seen.add_digest(each) for each in [digest, *near])


def test_seen_ids_takes_lone_surrogates() -> None:
    seen = SeenIds()
    assert seen.add("\ud800")
    assert not seen.add("\ud800")


def test_seen_ids_is_fast_enough_for_millions() -> None:
    seen = SeenIds()
    start = time.process_time()
    for number in range(150_000):
        seen.add(f"news/{number}")
    assert time.process_time() - start < 1.5, "at least 100,000 a second even on a slow, busy machine"
