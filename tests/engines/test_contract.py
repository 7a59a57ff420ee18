"""What every engine must do, on every engine: the embedded one, and real servers."""

from __future__ import annotations

import hashlib
import json
import os
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from leitong.indexer import Document, open_index
from leitong.indexer.documents import Entry, StoredDocument
from leitong.indexer.duplicates.candidates import within
from leitong.indexer.engines.base import Engine, Rows, Snapshot
from leitong.indexer.engines.open import open_engine, open_or_create
from leitong.indexer.errors import ForeignIndexError, MissingIndexError, NewerIndexError, RecipeError, StorageError
from leitong.indexer.fingerprint.blocks import block_keys
from leitong.indexer.fingerprint.hamming import unpack
from leitong.indexer.fingerprint.recipe import load
from leitong.indexer.prepare import Preparer
from leitong.indexer.query import FieldIs, parse, parse_filter
from tests.engines.places import DISCARDS, ENGINES, UNCOMMITTED_IS_HIDDEN, Place, cleaned, had

RECIPE = load("standard")
PREPARER = Preparer(RECIPE)
MANY = 10_500


@pytest.fixture(params=ENGINES, scope="module")
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    yield from cleaned(had(request, request.param, tmp_path_factory.mktemp("engines")))


@pytest.fixture
def engine(place: Place) -> Engine:
    """An empty index."""
    return place.make(RECIPE)


def fill(engine: Engine, documents: Sequence[Document]) -> None:
    put(engine, Preparer(engine.recipe).entries(documents))


def put(engine: Engine, entries: Sequence[Entry]) -> None:
    with engine.writer() as writer:
        for start in range(0, len(entries), 256):
            writer.put(entries[start : start + 256])


def bare(doc_id: str, fingerprint: int, *, keys: Sequence[int] = (), features: int = 9, tokens: str = "雷同 ") -> Entry:
    """An entry with a fingerprint of our choice."""
    digest = hashlib.blake2b(doc_id.encode(), digest_size=16).hexdigest()
    stored = StoredDocument(Document(doc_id, tokens), fingerprint, features, digest, cluster=doc_id)
    return Entry(stored, title_tokens="", tokens=tokens, keys=tuple(keys))


def few_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that refuses for good is asked for seconds, not minutes."""
    for product in ("elasticsearch", "opensearch"):
        monkeypatch.setattr(f"leitong.indexer.engines.server.{product}.BULK_RETRIES", 2)


def ids(stored: Sequence[StoredDocument]) -> set[str]:
    return {one.document.id for one in stored}


def found(snapshot: Snapshot, text: str, **options: object) -> list[str]:
    filters = tuple(parse_filter(one) for one in options.pop("filters", ()))  # type: ignore[attr-defined]
    page = snapshot.search(parse(text, cutter=PREPARER), size=100, filters=filters, **options)  # type: ignore[arg-type]
    if not options:
        assert page.total == len(page.hits)
    return [hit.stored.document.id for hit in page.hits]


class TestDocuments:
    def test_add_replace_delete(self, engine: Engine) -> None:
        first = Document("1", "雷同的意思是一样。", "标题", {"n": 1})
        fill(engine, [first, Document("2", "另一篇文章")])
        with engine.snapshot() as snapshot:
            assert snapshot.count == 2
            one, nothing, two = snapshot.get(["1", "absent", "2"])
            assert nothing is None
            assert one is not None
            assert two is not None
            assert one.document == first
            assert one == PREPARER.entries([first])[0].stored
            assert snapshot.digests(["2", "absent"]) == {"2": two.digest}
            assert snapshot.get([]) == []
        fill(engine, [Document("1", "完全不同的内容")])
        with engine.snapshot() as snapshot:
            assert snapshot.count == 2
            (again,) = snapshot.get(["1"])
            assert again is not None
            assert again.document == Document("1", "完全不同的内容")
        with engine.writer() as writer:
            assert writer.delete(["1", "absent"]) == 1
        with engine.snapshot() as snapshot:
            assert snapshot.count == 1
            assert snapshot.get(["1"]) == [None]

    def test_the_last_of_one_id_in_a_run_stays(self, engine: Engine) -> None:
        with engine.writer() as writer:
            for number in range(5):
                writer.put(PREPARER.entries([Document("same", f"第{number}版的文章"), Document(f"{number}", "别的")]))
        with engine.snapshot() as snapshot:
            (stored,) = snapshot.get(["same"])
            assert snapshot.count == 6
            assert stored is not None
            assert stored.document.text == "第4版的文章"

    @pytest.mark.parametrize(
        "doc_id",
        ["a\nb", "a/b?c#d%20", "👍🏽", "_under", " blank ", '"quoted"\\', "..", "x" * 512, "文" * 170, "a,b*", "-"],
        ids=lambda doc_id: ascii(doc_id)[:12],
    )
    def test_any_id(self, engine: Engine, doc_id: str) -> None:
        fill(engine, [Document(doc_id, "雷同的文章"), Document("other", "雷同的文章")])
        with engine.snapshot() as snapshot:
            assert ids([one for one in snapshot.get([doc_id]) if one]) == {doc_id}
            rows = Rows.join(list(snapshot.rows()), bits=64)
            assert ids(snapshot.documents(rows.refs)) == {doc_id, "other"}
            assert found(snapshot, "", filters=[f"id={doc_id}"]) == ([doc_id] if doc_id == doc_id.strip() else [])
        with engine.writer() as writer:
            assert writer.delete([doc_id]) == 1

    @pytest.mark.parametrize(
        "metadata",
        [
            {"a": None, "b": [], "c": {}, "d": ""},
            {"": 1, ".": 2, "a..b": 3, "a.b": {"c": 4}, "leitong": "mine"},
            {"long": "长" * 40_000, "short": "x"},
            {"nul\0key": "nul\0value", "short": "x"},
            {"big": 2**63, "small": -(2**63), "real": 1.10, "huge": 1e300, "tiny": 5e-324},
            json.loads('{"deep":' * 60 + "1" + "}" * 60),
            {"mixed": [1, "x", None, {"y": [True, {"z": 1.5}]}, [2, [3]]]},
            {str(number): {"value": [number] * 3} for number in range(1_500)},
        ],
        ids=["empty", "dots", "long", "nul", "numbers", "deep", "mixed", "wide"],
    )
    def test_any_metadata(self, engine: Engine, metadata: dict[str, object]) -> None:
        document = Document("1", "雷同的文章", "标题", metadata)
        fill(engine, [document])
        with engine.snapshot() as snapshot:
            (stored,) = snapshot.get(["1"])
            assert stored is not None
            assert stored.document == document
            assert json.dumps(stored.document.metadata) == json.dumps(metadata)
            if "short" in metadata:
                assert found(snapshot, "", filters=["short=x"]) == ["1"]

    def test_what_cannot_be_stored_is_told(self, engine: Engine) -> None:
        good, bad = PREPARER.entries([Document("good", "雷同"), Document("bad", "雷同", "", {"n": 2**70})])
        with engine.writer() as writer:
            writer.put([bad, good])
            writer.commit()
            (refused,) = writer.refused()
            assert refused.stored.document.id == "bad"
            assert "metadata" in refused.reason
            assert writer.refused() == []
        with engine.snapshot() as snapshot:
            assert snapshot.count == 1

    def test_what_the_server_refuses_is_told(self, place: Place, engine: Engine) -> None:
        if not place.is_server:
            pytest.skip("about servers")
        good, bad = bare("good", 1), bare("bad", 2, features=2**40)
        with engine.writer() as writer:
            writer.put([bad, good])
            writer.commit()
            (refused,) = writer.refused()
            assert refused.stored.document.id == "bad"
            assert "features" in refused.reason
        with engine.snapshot() as snapshot:
            assert snapshot.count == 1

    def test_a_text_of_almost_ten_megabytes(
        self, place: Place, engine: Engine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        few_retries(monkeypatch)
        text = "全文检索系统中的近似重复文档检测。" * 190_000
        assert 9_000_000 < len(text.encode()) < 10_000_000
        with engine.writer() as writer:
            writer.put(PREPARER.entries([Document("long", text), Document("short", "全文检索系统")]))
            writer.commit()
            refused = writer.refused()
        with engine.snapshot() as snapshot:
            (stored,) = snapshot.get(["long"])
            if refused:  # a server whose heap is small, as that of a test server, says so, and the rest goes on
                assert place.is_server
                assert set(found(snapshot, "全文检索")) == {"short"}
                pytest.xfail(refused[0].reason)
            assert stored is not None
            assert stored.document.text == text
            assert set(found(snapshot, "全文检索")) == {"long", "short"}

    def test_an_empty_index(self, engine: Engine) -> None:
        with engine.snapshot() as snapshot:
            assert snapshot.count == 0
            assert found(snapshot, "雷同") == []
            assert sum(map(len, snapshot.rows())) == 0
            assert [len(rows) for rows in snapshot.candidates([block_keys(0, bits=64, radius=3)])] == [0]
            assert [len(rows) for rows in snapshot.sharing([[1], []])] == [0, 0]
            assert snapshot.documents(np.empty(0, dtype=object)) == []


class TestCommits:
    def test_a_snapshot_stays_as_it_is(self, engine: Engine) -> None:
        fill(engine, [Document("1", "雷同的文章一"), Document("2", "雷同的文章二")])
        with engine.snapshot() as before:
            with engine.writer() as writer:
                writer.delete(["1"])
                writer.put(PREPARER.entries([Document("2", "改过的内容"), Document("3", "雷同的文章三")]))
            assert before.count == 2
            assert set(found(before, "雷同")) == {"1", "2"}
            assert [one.document.text for one in before.get(["1", "2"]) if one] == ["雷同的文章一", "雷同的文章二"]
            rows = Rows.join(list(before.rows()), bits=64)
            assert ids(before.documents(rows.refs)) == {"1", "2"}
        with engine.snapshot() as after:
            assert found(after, "雷同") == ["3"]

    def test_uncommitted_is_hidden(self, request: pytest.FixtureRequest, place: Place, engine: Engine) -> None:
        if UNCOMMITTED_IS_HIDDEN in place.cannot:
            request.applymarker(pytest.mark.xfail(raises=AssertionError, reason=UNCOMMITTED_IS_HIDDEN, strict=True))
        with engine.writer() as writer:
            writer.put([bare(str(number), number) for number in range(3_500)])
            deadline = time.monotonic() + (0 if not place.cannot else 20)
            while True:
                with engine.snapshot() as snapshot:
                    count = snapshot.count
                if count or time.monotonic() >= deadline:
                    break
                time.sleep(0.5)
            assert count == 0

    def test_closing_discards(self, request: pytest.FixtureRequest, place: Place, engine: Engine) -> None:
        if DISCARDS in place.cannot:
            request.applymarker(pytest.mark.xfail(raises=AssertionError, reason=DISCARDS, strict=True))
        writer = engine.writer()
        writer.put([bare(str(number), number) for number in range(3_500)])
        writer.close()
        with engine.writer():
            pass
        with engine.snapshot() as snapshot:
            assert snapshot.count == 0


@pytest.fixture(scope="module")
def few(place: Place) -> Iterator[Snapshot]:
    engine = place.make(RECIPE)
    fill(
        engine,
        [
            Document("zh", "全文检索系统能找到近似重复的文档。", "检索", {"lang": "zh", "year": 2018, "ok": True}),
            Document("en", "Near-duplicate detection finds copies.", "Copies", {"lang": "en", "tags": ["a", "b"]}),
            Document("mix", "重复的文档 and near-duplicate copies", "Both", {"lang": ["zh", "en"]}),
            Document("deep", "检索", "", {"site": {"name": "x.com", "area": [{"code": 7}, {"code": 8}]}}),
        ],
    )
    with engine.snapshot() as snapshot:
        yield snapshot


class TestSearch:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("重复", {"zh", "mix"}),
            ("文档 重复", {"zh", "mix"}),
            ("重复 copies", {"mix"}),
            ("copies", {"en", "mix"}),
            ("COPIES", {"en", "mix"}),
            ('"finds copies"', {"en"}),
            ('"copies finds"', set()),
            ('-"finds copies"', {"zh", "mix", "deep"}),
            ('"重复的文档"', {"zh", "mix"}),
            ("copies -重复", {"en"}),
            ("-copies", {"zh", "deep"}),
            ("title:copies", {"en"}),
            ("title:检索", {"zh"}),
            ("检索", {"zh", "deep"}),
            ("lang:zh", {"zh", "mix"}),
            ("lang:zh 检索", {"zh"}),
            ("-lang:zh", {"en", "deep"}),
            ("year:2018", {"zh"}),
            ("ok:true", {"zh"}),
            ("tags:b", {"en"}),
            ("tags:c", set()),
            ("", {"zh", "en", "mix", "deep"}),
            ("，。！", {"zh", "en", "mix", "deep"}),
            ("nowhere", set()),
        ],
    )
    def test_finds(self, few: Snapshot, text: str, expected: set[str]) -> None:
        assert set(found(few, text)) == expected

    @pytest.mark.parametrize(
        ("filters", "expected"),
        [
            (["lang=en"], {"en", "mix"}),
            (["lang=en", "lang=zh"], {"mix"}),
            (["site.name=x.com"], {"deep"}),
            (["site.area.code=8"], {"deep"}),
            (["site=x.com"], set()),
            (["id=mix"], {"mix"}),
            (["absent=1"], set()),
        ],
    )
    def test_filters(self, few: Snapshot, filters: list[str], expected: set[str]) -> None:
        assert set(found(few, "", filters=filters)) == expected

    def test_a_page_pasted_into_the_box(self, few: Snapshot) -> None:
        words = " ".join(f"w{number}" for number in range(2_000))
        assert found(few, words) == []
        assert found(few, f'{words} "finds copies" lang:zh title:both') == []

    def test_size_and_start(self, few: Snapshot) -> None:
        query = parse("", cutter=PREPARER)
        everything = [hit.stored.document.id for hit in few.search(query, size=9).hits]
        assert [hit.stored.document.id for hit in few.search(query, size=2, start=1).hits] == everything[1:3]
        nothing = few.search(query, size=0)
        assert (nothing.total, nothing.hits) == (4, ())
        assert few.search(query, size=5, start=50).hits == ()


@pytest.fixture(scope="module")
def many(place: Place) -> Iterator[Snapshot]:
    engine = place.make(RECIPE)
    entries = []
    for number in range(MANY):
        tokens = "雷同 " * (1 + number % 7) + "文章 " * (number % 11)
        entry = bare(f"d{number:05}", (0xABCD << 48) + number, keys=[1, number * 2 + 4], tokens=tokens)
        entries.append(replace(entry, stored=replace(entry.stored, cluster=f"d{number // 2 * 2:05}")))
    put(engine, entries)
    with engine.snapshot() as snapshot:
        yield snapshot


class TestMany:
    """More documents than a server gives in one page."""

    def test_rows(self, many: Snapshot) -> None:
        rows = Rows.join(list(many.rows()), bits=64)
        assert sorted(unpack(rows.fingerprints)) == [(0xABCD << 48) + number for number in range(MANY)]
        assert set(rows.features.tolist()) == {9}
        some = rows.take(np.arange(0, MANY, 997))
        for stored, fingerprint in zip(many.documents(some.refs), unpack(some.fingerprints), strict=True):
            assert stored.fingerprint == fingerprint

    def test_hot_block(self, many: Snapshot) -> None:
        (rows,) = many.candidates([block_keys(0xABCD << 48, bits=64, radius=3)])
        assert len(rows) == MANY

    def test_hot_key(self, many: Snapshot) -> None:
        all_of_them, one, none = many.sharing([[1], [14], []])
        assert (len(all_of_them), len(one), len(none)) == (MANY, 1, 0)

    @pytest.mark.parametrize("fold", [False, True], ids=["flat", "folded"])
    def test_pages_far_behind(self, many: Snapshot, fold: bool) -> None:
        query = parse("雷同", cutter=PREPARER)
        hits = MANY // 2 if fold else MANY
        seen: list[str] = []
        scores: list[float] = []
        for start in range(0, MANY, 1_500):
            page = many.search(query, size=1_500, start=start, fold=fold)
            assert page.total == MANY
            seen += [hit.stored.document.id for hit in page.hits]
            scores += [hit.score for hit in page.hits]
        assert len(seen) == len(set(seen)) == hits
        assert scores == sorted(scores, reverse=True)
        if fold:
            assert len({int(doc_id[1:]) // 2 for doc_id in seen}) == hits


class TestCandidates:
    @pytest.mark.parametrize("bits", [32, 64, 128])
    def test_complete_for_every_radius(self, place: Place, bits: int) -> None:
        engine = place.make(load("standard" if bits == 64 else f"standard-{bits}"))
        chance = random.Random(bits)
        centres = [chance.getrandbits(bits) for _ in range(130)]
        values = [chance.getrandbits(bits) for _ in range(800)]
        for centre in centres:
            for away in range(17):
                value = centre
                for place_ in chance.sample(range(bits), away):
                    value ^= 1 << place_
                values.append(value)
        put(engine, [bare(f"{number}", value) for number, value in enumerate(values)])
        put(engine, [bare("featureless", centres[0], features=0)])
        with engine.snapshot() as snapshot:
            assert snapshot.count == len(values) + 1
            for radius in range(16):
                asked = centres if radius in (0, 3, 7) else centres[:12]
                answers = within(snapshot, asked, bits=bits, radius=radius)
                for centre, near in zip(asked, answers, strict=True):
                    expected = sorted(value for value in values if (value ^ centre).bit_count() <= radius)
                    assert sorted(unpack(near.rows.fingerprints)) == expected
            (near,) = within(snapshot, centres[:1], bits=bits, radius=1)
            stored = snapshot.documents(near.rows.refs)
            assert [one.fingerprint for one in stored] == unpack(near.rows.fingerprints)
            assert "featureless" not in ids(stored)
            rows = Rows.join(list(snapshot.rows()), bits=bits)
            assert sorted(unpack(rows.fingerprints)) == sorted([*values, centres[0]])
            assert sorted(rows.features.tolist())[:2] == [0, 9]

    def test_sharing(self, engine: Engine) -> None:
        chance = random.Random(1)
        sketches = [[chance.getrandbits(64) for _ in range(60)] for _ in range(250)]
        for number in range(1, 250):
            sketches[number][:10] = sketches[number - 1][50:]
        put(engine, [bare(f"{number}", number, keys=sketch) for number, sketch in enumerate(sketches)])
        with engine.snapshot() as snapshot:
            answers = snapshot.sharing([*sketches, [], [12345678]])
            for number, rows in enumerate(answers[:250]):
                near = {str(other) for other in (number - 1, number, number + 1) if 0 <= other < 250}
                assert ids(snapshot.documents(rows.refs)) == near
            assert [len(rows) for rows in answers[250:]] == [0, 0]


class TestNotes:
    def test_read_and_write(self, engine: Engine) -> None:
        assert engine.read_note("table.npz") is None
        for content in (b"small", os.urandom(7_000_000), b"", os.urandom(100)):
            engine.write_note("table.npz", content)
            assert engine.read_note("table.npz") == content
        engine.write_note("other", b"x")
        again = open_engine(engine.locator)
        assert again.read_note("other") == b"x"
        assert again.read_note("table.npz") == content
        again.close()


class TestOpening:
    def test_info(self, engine: Engine) -> None:
        fill(engine, [Document("1", "雷同")])
        info = engine.info()
        assert (info.documents, info.recipe, info.locator) == (1, RECIPE, engine.locator)
        assert info.size_bytes > 0
        again = open_engine(engine.locator).info()
        assert replace(again, size_bytes=0) == replace(info, size_bytes=0)

    def test_missing(self, place: Place) -> None:
        locator = place.locator()
        with pytest.raises(MissingIndexError) as caught:
            open_engine(locator)
        assert locator in str(caught.value)

    def test_foreign(self, place: Place) -> None:
        locator = place.locator()
        name = locator.rpartition("/")[2]
        if place.is_server:
            assert place.request("PUT", f"/{name}", b'{"mappings": {"_meta": {"app": 1}}}') == 200
        else:
            Path(locator).mkdir()
            (Path(locator) / "mine.txt").write_text("mine")
        with pytest.raises(ForeignIndexError):
            open_engine(locator)
        with pytest.raises(ForeignIndexError):
            open_or_create(locator)

    def test_newer(self, place: Place) -> None:
        engine = place.make(RECIPE)
        if place.is_server:
            name = engine.locator.rpartition("/")[2]
            meta = b'{"_meta": {"leitong": {"mapping_version": 99, "recipe": {"idf": null}}}}'
            assert place.request("PUT", f"/{name}/_mapping", meta) == 200
        else:
            path = Path(engine.locator) / "leitong.json"
            path.write_text(path.read_text().replace('"format": 1', '"format": 99'))
        with pytest.raises(NewerIndexError):
            open_engine(engine.locator)

    def test_recipe_of_another_index(self, place: Place, engine: Engine) -> None:
        with pytest.raises(RecipeError) as caught:
            open_or_create(engine.locator, recipe=load("standard-128"))
        assert "standard" in str(caught.value)
        assert "standard-128" in str(caught.value)

    def test_a_recipe_with_a_table(self, place: Place) -> None:
        recipe = load("tfidf")
        engine = place.make(recipe)
        again = open_engine(engine.locator)
        assert again.recipe == recipe
        assert again.recipe_id == engine.recipe_id
        again.close()

    def test_a_read_only_index(self, place: Place, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
        """As an administrator makes it; the block of a nearly full disk the server may lift by itself at any moment."""
        if not place.is_server:
            pytest.skip("about servers")
        few_retries(monkeypatch)
        fill(engine, [Document("1", "雷同")])
        name = engine.locator.rpartition("/")[2]
        block = b'{"index.blocks.read_only": %s}'
        assert place.request("PUT", f"/{name}/_settings", block % b"true") == 200
        with pytest.raises(StorageError, match="read-only"):
            fill(engine, [Document("2", "雷同")])
        with engine.snapshot() as snapshot:
            assert found(snapshot, "雷同") == ["1"]
        assert place.request("PUT", f"/{name}/_settings", block % b"null") == 200
        fill(engine, [Document("2", "雷同")])

    def test_an_index_deleted_meanwhile(self, place: Place, engine: Engine) -> None:
        if not place.is_server:
            pytest.skip("about servers")
        assert place.request("DELETE", "/" + engine.locator.rpartition("/")[2]) == 200
        with pytest.raises(MissingIndexError):
            engine.snapshot()
        writer = engine.writer()
        writer.put([bare("1", 1)])
        with pytest.raises(ForeignIndexError):
            writer.commit()
        writer.close()


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
                assert one.pairs == other.pairs
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


def test_a_filter_is_read() -> None:
    assert parse_filter("a.b=c") == FieldIs("a.b", "c")
