"""An index in a folder: one writer, any number of readers in any number of processes."""

import importlib.metadata
from collections.abc import Callable
from pathlib import Path

import tantivy

from leitong.indexer.engines.base import Engine, IndexInfo
from leitong.indexer.engines.embedded import folder, schema
from leitong.indexer.engines.embedded.failures import meaning, translated
from leitong.indexer.engines.embedded.links import Links
from leitong.indexer.engines.embedded.snapshot import EmbeddedSnapshot
from leitong.indexer.engines.embedded.writer import EmbeddedWriter
from leitong.indexer.errors import StorageError
from leitong.indexer.files import held, replace_file, storage_error
from leitong.indexer.fingerprint.recipe import Recipe


class EmbeddedEngine(Engine):
    """An index in a folder on disk."""

    def __init__(self, path: Path, header: folder.Header) -> None:
        self._path = path
        self._header = header
        self._schema = schema.build(header.recipe.bits)
        self._links: Links | None = None
        with translated(path):
            try:
                self._index = self._tantivy(path / folder.TANTIVY)
            except ValueError as error:
                if not isinstance(meaning(str(error), path), StorageError):
                    raise
                self._links = Links(path / folder.TANTIVY)
                self._index = self._tantivy(self._links.path)

    @classmethod
    def open(cls, path: Path) -> "EmbeddedEngine":
        """Open an index that is there. Raises an EngineError that says why it cannot be opened."""
        header = folder.read(path)
        folder.require_data(path)
        return cls(path, header)

    @classmethod
    def create(cls, path: Path, *, recipe: Recipe, recipe_id: str) -> "EmbeddedEngine":
        """Make an empty index. Raises ForeignIndexError, StorageError or RecipeError."""

        built = schema.build(recipe.bits)  # refuses a recipe before there is a folder

        def fill() -> None:
            with translated(path):
                tantivy.Index(built, path=str(path / folder.TANTIVY), reuse=True)

        return cls(path, folder.create(path, recipe, recipe_id, fill=fill))

    @property
    def locator(self) -> str:
        return str(self._path)

    @property
    def recipe(self) -> Recipe:
        return self._header.recipe

    @property
    def recipe_id(self) -> str:
        return self._header.recipe_id

    def info(self) -> IndexInfo:
        with self.snapshot() as snapshot:
            count = snapshot.count
        return IndexInfo(
            locator=self.locator,
            engine="embedded",
            engine_version=f"tantivy {importlib.metadata.version('tantivy')}",
            documents=count,
            size_bytes=folder.size_of(self._path),
            format=self._header.format,
            recipe=self.recipe,
            recipe_id=self.recipe_id,
            created=self._header.created,
        )

    def read_note(self, name: str) -> bytes | None:
        path = self._path / folder.NOTES / name
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise storage_error(error, path, "read") from error

    def write_note(self, name: str, content: bytes) -> None:
        replace_file(self._path / folder.NOTES / name, content)

    def change_note(self, name: str, change: Callable[[bytes | None], bytes]) -> None:
        with held(self._path / folder.NOTES):
            self.write_note(name, change(self.read_note(name)))

    def close(self) -> None:
        if self._links is not None:
            self._links.close()

    def snapshot(self) -> EmbeddedSnapshot:
        with translated(self._path):
            if self._links is None:
                self._index.reload()
            else:
                self._links.follow(self._index.reload)
            return EmbeddedSnapshot(self._path, self._schema, self._index.searcher(), self.recipe.bits)

    def writer(self) -> EmbeddedWriter:
        with translated(self._path):
            index = self._index if self._links is None else self._tantivy(self._path / folder.TANTIVY)
        return EmbeddedWriter(index, self.snapshot, self._path, self.recipe.bits)

    def _tantivy(self, place: Path) -> tantivy.Index:
        index = tantivy.Index(self._schema, path=str(place), reuse=True)
        index.config_reader(reload_policy="manual")
        return index
