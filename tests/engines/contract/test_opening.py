"""Which index is opened, what it says of itself, what is kept beside it, and what is wrong with it."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from leitong.indexer import Document
from leitong.indexer.engines.base import Deletion, Engine
from leitong.indexer.engines.embedded.folder import FORMAT
from leitong.indexer.engines.open import open_engine, open_or_create
from leitong.indexer.engines.server import sending
from leitong.indexer.errors import (
    EngineError,
    ForeignIndexError,
    MissingIndexError,
    NewerIndexError,
    RecipeError,
    StorageError,
)
from leitong.indexer.fingerprint.recipe import Recipe, load
from tests.engines.contract.entries import RECIPE, bare, few_retries, fill, found
from tests.engines.places import Place


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

    def test_of_several_who_change_a_note_at_once_nobody_loses_anything(self, engine: Engine) -> None:
        def write(letter: str) -> None:
            own = open_engine(engine.locator)
            for number in range(10):
                added = f"{letter}{number} ".encode()
                own.change_note("decided", lambda before, added=added: (before or b"") + added)  # type: ignore[misc]
                own.write_note("learned", letter.encode() * 1000)
            own.close()

        with ThreadPoolExecutor() as pool:
            list(pool.map(write, "abc"))
        decided = (engine.read_note("decided") or b"").decode().split()
        assert sorted(decided) == sorted(f"{letter}{number}" for letter in "abc" for number in range(10))
        assert engine.read_note("learned") in (b"a" * 1000, b"b" * 1000, b"c" * 1000)

    def test_a_change_that_fails_leaves_the_note_as_it_was(self, engine: Engine) -> None:
        def refuse(before: bytes | None) -> bytes:
            raise ValueError(before)

        engine.write_note("decided", b"kept")
        with pytest.raises(ValueError, match="kept"):
            engine.change_note("decided", refuse)
        assert engine.read_note("decided") == b"kept"


class TestOpening:
    def test_the_state_is_the_same_after_opening_again(self, engine: Engine) -> None:
        fill(engine, [Document("1", "雷同")])
        info = engine.info()
        assert (info.documents, info.recipe, info.locator) == (1, RECIPE, engine.locator)
        assert info.size_bytes > 0
        again = open_engine(engine.locator).info()
        assert replace(again, size_bytes=0) == replace(info, size_bytes=0)

    def test_an_index_that_is_not_there_is_named(self, place: Place) -> None:
        locator = place.locator()
        with pytest.raises(MissingIndexError) as caught:
            open_engine(locator)
        assert locator in str(caught.value)

    def test_of_several_who_make_an_index_at_once_the_first_makes_it(self, place: Place) -> None:
        locator = place.locator()
        started = Barrier(4)

        def make(recipe: Recipe) -> str:
            started.wait()
            with closing(open_or_create(locator, recipe=recipe)) as made:
                return made.recipe_id

        with ThreadPoolExecutor() as pool:
            ids = list(pool.map(make, [RECIPE] * 4))
        with closing(open_engine(locator)) as engine:
            assert ids == [engine.recipe_id] * 4

    def test_what_is_no_index_of_ours_is_refused(self, place: Place) -> None:
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

    def test_an_index_of_a_newer_version_is_refused(self, place: Place) -> None:
        engine = place.make(RECIPE)
        if place.is_server:
            name = engine.locator.rpartition("/")[2]
            meta = b'{"_meta": {"leitong": {"mapping_version": 99, "recipe": {"idf": null}}}}'
            assert place.request("PUT", f"/{name}/_mapping", meta) == 200
        else:
            path = Path(engine.locator) / "leitong.json"
            path.write_text(path.read_text().replace(f'"format": {FORMAT}', '"format": 99'))
        with pytest.raises(NewerIndexError):
            open_engine(engine.locator)

    def test_a_folder_of_an_older_format_is_told(self, tmp_path: Path) -> None:
        with closing(open_or_create(str(tmp_path / "index"), recipe=RECIPE)):
            pass
        path = tmp_path / "index" / "leitong.json"
        path.write_text(path.read_text().replace(f'"format": {FORMAT}', '"format": 2'))
        with pytest.raises(EngineError, match="format 2, of a Leitong before"):
            open_engine(str(tmp_path / "index"))

    def test_recipe_of_another_index(self, place: Place, engine: Engine) -> None:
        with pytest.raises(RecipeError) as caught:
            open_or_create(engine.locator, recipe=load("standard-128"))
        assert "standard" in str(caught.value)
        assert "standard-128" in str(caught.value)

    @pytest.mark.slow
    def test_a_recipe_with_a_table(self, place: Place) -> None:
        recipe = load("tfidf")
        engine = place.make(recipe)
        again = open_engine(engine.locator)
        assert again.recipe == recipe
        assert again.recipe_id == engine.recipe_id
        again.close()

    @pytest.mark.parametrize(
        ("source", "said"), [({"enabled": False}, "_source is off"), ({"excludes": ["text"]}, "leaves fields out")]
    )
    def test_somebody_elses_template_that_would_lose_documents(
        self, place: Place, source: dict[str, Any], said: str
    ) -> None:
        if not place.is_server:
            pytest.skip("about servers")
        locator = place.locator()
        name = locator.rpartition("/")[2]
        template = {"index_patterns": [f"{name}*"], "priority": 700, "template": {"mappings": {"_source": source}}}
        assert place.request("PUT", f"/_index_template/{name}", json.dumps(template).encode()) == 200
        try:
            with pytest.raises(EngineError, match=f"An index named {name}-leitong .*{said}"):
                open_or_create(locator)
            with pytest.raises(MissingIndexError):
                open_engine(locator)
            assert place.request("GET", f"/{name}-leitong/_mapping") == 404
        finally:
            place.request("DELETE", f"/_index_template/{name}")

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

    def test_an_index_that_takes_no_writes(self, place: Place, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
        """Only one that is being moved is waited for."""
        if not place.is_server:
            pytest.skip("about servers")
        pauses: list[float] = []
        monkeypatch.setattr(sending, "_PAUSE", 0.01)
        monkeypatch.setattr("leitong.indexer.engines.server.sending.time.sleep", pauses.append)
        fill(engine, [Document("1", "雷同")])
        name = engine.locator.rpartition("/")[2]
        block = b'{"index.blocks.write": %s}'
        assert place.request("PUT", f"/{name}/_settings", block % b"true") == 200
        with pytest.raises(StorageError, match=r'with {"index.blocks.write": null} to its _settings'):
            fill(engine, [Document("2", "雷同")])
        with closing(engine.writer()) as writer, pytest.raises(StorageError, match=r"index\.blocks\.write"):
            writer.change(["1"], lambda _: Deletion())
        assert pauses == [0.01, 0.01]
        assert place.request("PUT", f"/{name}/_settings", block % b"null") == 200
        fill(engine, [Document("2", "雷同")])

    @pytest.mark.parametrize("beside", ["", "-leitong"])
    def test_a_closed_index(self, place: Place, engine: Engine, beside: str) -> None:
        """No document is refused for it: all of them are indexed once it is open."""
        if not place.is_server:
            pytest.skip("about servers")
        name = engine.locator.rpartition("/")[2]
        fill(engine, [Document("1", "雷同")])
        engine.write_note("learned", b"{}")
        said = f"while the index {name}{beside} is closed. Open it with POST /{name}{beside}/_open"
        assert place.request("POST", f"/{name}{beside}/_close") == 200
        with pytest.raises(EngineError, match=said):
            engine.read_note("learned") if beside else engine.snapshot()
        if not beside:
            with closing(engine.writer()) as writer:
                with pytest.raises(EngineError, match=said):
                    writer.put([bare("2", 2)])
                    writer.commit()
                assert writer.refused() == []
        assert place.request("POST", f"/{name}{beside}/_open") == 200
        fill(engine, [Document("3", "雷同")])
        assert engine.read_note("learned") == b"{}"

    def test_an_index_deleted_meanwhile(self, place: Place, engine: Engine) -> None:
        if not place.is_server:
            pytest.skip("about servers")
        assert place.request("DELETE", "/" + engine.locator.rpartition("/")[2]) == 200
        with pytest.raises(MissingIndexError):
            engine.snapshot()
        writer = engine.writer()
        writer.put([bare("1", 1)])
        with pytest.raises(ForeignIndexError, match="deleted while documents were on their way"):
            writer.commit()
        writer.close()
        with pytest.raises(ForeignIndexError, match="delete it; then index again"):
            open_or_create(engine.locator)
