"""Looking up on a server: few requests, fingerprints only, and no limit of the server cuts an answer off."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from leitong.indexer import Document
from leitong.indexer.duplicates.candidates import within
from leitong.indexer.duplicates.commonness.boilerplate import Boilerplate
from leitong.indexer.duplicates.find import Finder
from leitong.indexer.engines.base import Engine, Rows, Snapshot
from leitong.indexer.engines.open import open_engine
from leitong.indexer.fingerprint.hamming import unpack
from leitong.indexer.query import parse
from tests.engines.contract.entries import PREPARER, RECIPE, bare, fill, found, ids, put
from tests.engines.places import Place

SIZE = 330
HOT = 0xABCD << 48


@pytest.fixture(scope="module")
def place_on_a_server(place: Place) -> Place:
    if not place.is_server:
        pytest.skip("about servers")
    return place


@pytest.fixture(scope="module")
def limited(place_on_a_server: Place) -> Iterator[Snapshot]:
    """An index that gives 40 hits of one request and takes 25 terms of one list."""
    place = place_on_a_server
    engine = place.make(RECIPE)
    put(engine, [bare(f"{number}", HOT + number, keys=[*range(60), 1_000 + number]) for number in range(SIZE)])
    _limit(place, engine, b'{"index": {"max_result_window": 40, "max_terms_count": 25}}')
    with open_engine(engine.locator).snapshot() as snapshot:
        yield snapshot


def _limit(place: Place, engine: Engine, settings: bytes) -> None:
    """For whoever opens the index from now on."""
    name = engine.locator.rpartition("/")[2]
    assert place.request("PUT", f"/{name}/_settings", settings) == 200


class TestLoweredLimits:
    """Each of these answers is larger than the server gives at once."""

    def test_rows_and_documents(self, limited: Snapshot) -> None:
        assert limited.count == SIZE
        rows = Rows.join(list(limited.rows()), bits=64)
        assert sorted(unpack(rows.fingerprints)) == [HOT + number for number in range(SIZE)]
        assert ids(limited.documents(rows.refs)) == {f"{number}" for number in range(SIZE)}

    def test_all_are_read_by_id(self, limited: Snapshot) -> None:
        names = [f"{number}" for number in range(SIZE)]
        assert ids([one for one in limited.get([*names, "absent"]) if one]) == set(names)
        assert set(limited.digests([*names, "absent"])) == set(names)

    @pytest.mark.parametrize("radius", [0, 3, 4, 7, 11, 15])
    def test_all_within_a_radius_are_found(self, limited: Snapshot, radius: int) -> None:
        asked = [HOT, HOT + 255, HOT + (1 << 20)]
        for one, near in zip(asked, within(limited, asked, bits=64, radius=radius), strict=True):
            expected = [HOT + number for number in range(SIZE) if (HOT + number ^ one).bit_count() <= radius]
            assert sorted(unpack(near.rows.fingerprints)) == expected

    def test_all_that_share_a_key_are_found(self, limited: Snapshot) -> None:
        everybody, one, none = limited.sharing([list(range(40)), [1_007], [9]])
        assert (len(everybody), len(one), len(none)) == (SIZE, 1, SIZE)

    @pytest.mark.parametrize("fold", [False, True], ids=["flat", "folded"])
    def test_all_hits_come(self, limited: Snapshot, fold: bool) -> None:
        page = limited.search(parse("雷同", cutter=PREPARER), size=SIZE, fold=fold)
        assert page.total == SIZE
        assert len({hit.stored.document.id for hit in page.hits}) == SIZE


def watched(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The bodies of what is sent to the server from now on."""
    server = engine._server  # type: ignore[attr-defined]
    sent: list[Any] = []
    request = server.request

    def recorded(method: str, path: str, **rest: Any) -> Any:
        sent.append(rest.get("body"))
        return request(method, path, **rest)

    monkeypatch.setattr(server, "request", recorded)
    return sent


@pytest.mark.usefixtures("place_on_a_server")
class TestRequests:
    def test_a_batch_costs_a_few(self, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
        chance = random.Random(5)
        texts = ["".join(chance.choices("全文检索近似重复文档指纹相同内容", k=80)) for _ in range(100)]
        documents = [Document(f"{number}-{copy}", texts[number]) for number in range(100) for copy in (1, 2)]
        fill(engine, documents)
        entries = PREPARER.entries(documents[::2])
        with engine.snapshot() as snapshot:
            finder = Finder(snapshot, Boilerplate.empty(), recipe=engine.recipe, radius=3, min_similarity=0.5)
            sent = watched(engine, monkeypatch)
            answers = finder.find(entries)
        assert [[match.id for match in one.matches] for one in answers] == [[f"{number}-2"] for number in range(100)]
        searches = [body for body in sent if body and "query" in body]
        assert len(searches) <= 5  # fingerprints by blocks, rows of those near, keys, texts in one or two
        assert sum(body.get("_source", False) is not False for body in searches) <= 2  # the texts to be checked
        assert all("_source" in body or body["stored_fields"] == "_none_" for body in searches)

    def test_a_hot_block_is_not_read(self, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
        """No more of it than a page."""
        engine = place.make(RECIPE)
        chance = random.Random(6)
        put(engine, [bare(f"{number}", HOT + chance.getrandbits(48)) for number in range(3_000)])
        put(engine, [bare("asked", HOT), bare("near", HOT + 0b111)])
        _limit(place, engine, b'{"index": {"max_result_window": 1000}}')
        with open_engine(engine.locator).snapshot() as snapshot:
            point = snapshot._point  # type: ignore[attr-defined]
            read: list[int] = []
            search = point.search

            def counted(body: Any, **options: Any) -> Any:
                answer = search(body, **options)
                read.append(len(answer.hits))
                return answer

            monkeypatch.setattr(point, "search", counted)
            (near,) = within(snapshot, [HOT], bits=64, radius=3)
            assert ids(snapshot.documents(near.rows.refs)) == {"asked", "near"}
            assert sum(read) < 1_200


def test_a_search_counts_beyond_ten_thousand(place_on_a_server: Place) -> None:
    """Servers stop counting there unless they are told not to."""
    engine = place_on_a_server.make(RECIPE)
    put(engine, [bare(f"{number}", number) for number in range(10_001)])
    with engine.snapshot() as snapshot:
        assert snapshot.count == 10_001
        assert snapshot.search(parse("雷同", cutter=PREPARER), size=1).total == 10_001
        assert len(found(snapshot, "雷同", filters=["id=7"])) == 1
