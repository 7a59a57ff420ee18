"""An index in a folder: one writer, any number of readers in any number of processes."""

import errno
import importlib.metadata
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import tantivy
from numpy.typing import NDArray

from leitong.indexer.documents import Entry, StoredDocument
from leitong.indexer.engines.base import (
    Change,
    Deletion,
    Engine,
    FieldValues,
    Hit,
    IndexInfo,
    Page,
    Refused,
    Rows,
    Snapshot,
    Writer,
)
from leitong.indexer.engines.embedded import folder, lookup, queries, schema
from leitong.indexer.engines.embedded.links import Links
from leitong.indexer.errors import EngineError, LockedIndexError, MissingIndexError, StorageError
from leitong.indexer.files import replace_file, storage_error
from leitong.indexer.fingerprint.blocks import BlockKeys
from leitong.indexer.fingerprint.hamming import words_of
from leitong.indexer.fingerprint.recipe import Recipe
from leitong.indexer.query import FieldIs, Query

_WRITER_BYTES: Final = 150_000_000
_ROWS_AT_ONCE: Final = 250_000
_IDS_AT_ONCE: Final = 500
_VALUES_OF_SEGMENT: Final = 50_000
"""Values of a field that each segment may give: below what tantivy allows in one answer."""
_IDS_KNOWN: Final = 1_000_000
"""Ids a writer remembers, so that memory stays small."""


class EmbeddedEngine(Engine):
    """An index in a folder on disk."""

    def __init__(self, path: Path, header: folder.Header) -> None:
        self._path = path
        self._header = header
        self._schema = schema.build(header.recipe.bits, format=header.format)
        self._links: Links | None = None
        with _translated(path):
            try:
                self._index = self._tantivy(path / folder.TANTIVY)
            except ValueError as error:
                if not isinstance(_meaning(str(error), path), StorageError):
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

        built = schema.build(recipe.bits, format=schema.FORMAT)  # refuses a recipe before there is a folder

        def fill() -> None:
            with _translated(path):
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

    def close(self) -> None:
        if self._links is not None:
            self._links.close()

    def snapshot(self) -> "EmbeddedSnapshot":
        with _translated(self._path):
            if self._links is None:
                self._index.reload()
            else:
                self._links.follow(self._index.reload)
            return EmbeddedSnapshot(
                self._path, self._schema, self._index.searcher(), self.recipe.bits, format=self._header.format
            )

    def writer(self) -> "EmbeddedWriter":
        with _translated(self._path):
            index = self._index if self._links is None else self._tantivy(self._path / folder.TANTIVY)
        return EmbeddedWriter(self, self._path, index, self.recipe.bits, format=self._header.format)

    def _tantivy(self, place: Path) -> tantivy.Index:
        index = tantivy.Index(self._schema, path=str(place), reuse=True)
        index.config_reader(reload_policy="manual")
        return index


class EmbeddedSnapshot(Snapshot):
    """One committed state of the folder. Handles are (segment << 32 | document) numbers."""

    def __init__(
        self, path: Path, schema_: tantivy.Schema, searcher: tantivy.Searcher, bits: int, *, format: int
    ) -> None:
        self._path = path
        self._schema = schema_
        self._searcher = searcher
        self._bits = bits
        self._format = format

    @property
    def count(self) -> int:
        return self._searcher.num_docs

    def get(self, ids: Sequence[str]) -> list[StoredDocument | None]:
        found: dict[str, StoredDocument] = {}
        for start in range(0, len(ids), _IDS_AT_ONCE):
            with _translated(self._path):
                for address in self._all(queries.any_id(self._schema, ids[start : start + _IDS_AT_ONCE])):
                    stored = schema.decode(self._searcher.doc(address))
                    found[stored.document.id] = stored
        return [found.get(doc_id) for doc_id in ids]

    def digests(self, ids: Sequence[str]) -> dict[str, str]:
        return {stored.document.id: stored.digest for stored in self.get(ids) if stored}

    def search(
        self, query: Query, *, size: int, start: int = 0, filters: Sequence[FieldIs] = (), fold: bool = False
    ) -> Page:
        with _translated(self._path):
            question = queries.full_text(self._schema, query, filters, format=self._format)
            if not fold:
                found = self._searcher.search(question, limit=max(size, 1), offset=start)
                hits = found.hits[:size]
                total = _total(found)
            else:
                hits, total = self._folded(question, start + size)
                hits = hits[start:]
            return Page(total, tuple(Hit(score, schema.decode(self._searcher.doc(at))) for score, at in hits))

    def values(
        self, query: Query, fields: Sequence[str], *, most: int, filters: Sequence[FieldIs] = ()
    ) -> list[FieldValues]:
        """Nothing can be counted in a folder of the first format."""
        if self._format < 2 or not fields:
            return []
        asked = {
            str(place): {
                "terms": {"field": f"{schema.METADATA}.{field}", "size": most, "segment_size": _VALUES_OF_SEGMENT}
            }
            for place, field in enumerate(fields)
        }
        with _translated(self._path):
            found = self._searcher.aggregate(
                queries.full_text(self._schema, query, filters, format=self._format), asked
            )
        return [
            FieldValues(
                field,
                tuple((str(bucket["key"]), bucket["doc_count"]) for bucket in found[str(place)]["buckets"]),
                others=found[str(place)]["sum_other_doc_count"],
                exact=found[str(place)]["doc_count_error_upper_bound"] == 0,
            )
            for place, field in enumerate(fields)
        ]

    def candidates(self, keys: Sequence[BlockKeys]) -> list[Rows]:
        with _translated(self._path):
            return [self._rows(lookup.near(self._searcher, self._schema, one)) for one in keys]

    def sharing(self, keys: Sequence[Sequence[int]]) -> list[Rows]:
        with _translated(self._path):
            return [self._rows(self._all(queries.keys(self._schema, sketch))) for sketch in keys]

    def duplicates_of(self, ids: Sequence[str]) -> list[StoredDocument]:
        wanted = set(ids)
        found: list[StoredDocument] = []
        with _translated(self._path):
            for start in range(0, len(ids), _IDS_AT_ONCE):
                keys = [schema.duplicate_key(doc_id) << 1 for doc_id in ids[start : start + _IDS_AT_ONCE]]
                some = map(self._searcher.doc, self._all(queries.keys(self._schema, keys)))
                found += [one for one in map(schema.decode, some) if one.duplicate_of in wanted]
        return found

    @property
    def has_marks(self) -> bool:
        with _translated(self._path):
            return self._count(queries.keys(self._schema, [schema.MARKED << 1])) > 0

    def rows(self) -> Iterator[Rows]:
        """In windows of the leading fingerprint word, so that memory does not grow with the index."""
        field = schema.FINGERPRINT[0] if self._bits == 128 else schema.FINGERPRINT[1]
        windows = -(-self.count // _ROWS_AT_ONCE)
        low, high = (0, (1 << 32) - 1) if self._bits == 32 else (-(1 << 63), (1 << 63) - 1)
        edges = [low + (high - low + 1) * part // max(windows, 1) for part in range(windows)] + [high + 1]
        for first, after in pairwise(edges):
            with _translated(self._path):
                within = tantivy.Query.range_query(
                    self._schema, field, tantivy.FieldType.Integer, lower_bound=first, upper_bound=after - 1
                )
                addresses = self._all(within)
            for start in range(0, len(addresses), _ROWS_AT_ONCE):
                yield self._rows(addresses[start : start + _ROWS_AT_ONCE])

    def documents(self, refs: NDArray[Any]) -> list[StoredDocument]:
        with _translated(self._path):
            return [
                schema.decode(self._searcher.doc(tantivy.DocAddress(ref >> 32, ref & 0xFFFF_FFFF)))
                for ref in refs.tolist()
            ]

    def ids(self, refs: NDArray[Any]) -> list[str]:
        with _translated(self._path):
            return [
                self._searcher.doc(tantivy.DocAddress(ref >> 32, ref & 0xFFFF_FFFF))["id"][0] for ref in refs.tolist()
            ]

    def close(self) -> None:
        """Nothing is held that the garbage collector does not give back."""

    def _count(self, query: tantivy.Query) -> int:
        return _total(self._searcher.search(query, limit=1))

    def _all(self, query: tantivy.Query) -> list[tantivy.DocAddress]:
        """Every match: asked for as many as there are, so no limit can cut one off."""
        count = self._count(query)
        if count == 0:
            return []
        return [address for _, address in self._searcher.search(query, limit=count, count=False).hits]

    def _rows(self, addresses: list[tantivy.DocAddress]) -> Rows:
        def column(field: str) -> NDArray[np.int64]:
            return np.array(self._searcher.fast_field_values(field, addresses), dtype=np.int64)

        refs = np.array([at.segment_ord << 32 | at.doc for at in addresses], dtype=np.int64)
        fields = schema.FINGERPRINT[-words_of(self._bits) :]
        fingerprints = np.stack([column(field) for field in fields], axis=1).view(np.uint64)
        digests = np.stack([column(field) for field in schema.DIGEST], axis=1).view(np.uint64)
        return Rows(refs, fingerprints, column(schema.FEATURES), digests)

    def _folded(self, query: tantivy.Query, wanted: int) -> tuple[list[tuple[float, tantivy.DocAddress]], int]:
        """The best hits of so many clusters, and how many clusters there are in all."""
        hits = self._searcher.search(query, limit=max(self._count(query), 1), count=False).hits
        clusters = self._searcher.fast_field_values(schema.CLUSTER, [address for _, address in hits])
        best: dict[Any, tuple[float, tantivy.DocAddress]] = {}
        for cluster, hit in zip(clusters, hits, strict=True):
            best.setdefault(cluster, hit)
        return list(best.values())[:wanted], len(best)


class EmbeddedWriter(Writer):
    """The folder's writer. Only one process can have it; the lock goes with the process."""

    def __init__(self, engine: EmbeddedEngine, path: Path, index: tantivy.Index, bits: int, *, format: int) -> None:
        self._engine = engine
        self._path = path
        self._bits = bits
        self._format = format
        self._refused: list[Refused] = []
        with _translated(path):
            self._writer: tantivy.IndexWriter | None = index.writer(_WRITER_BYTES, 1)
        with engine.snapshot() as snapshot:
            self._written: set[int] | None = set() if snapshot.count == 0 else None

    def put(self, entries: Sequence[Entry]) -> None:
        writer = self._open()
        with _translated(self._path):
            for entry, letters in zip(entries, schema.letters_of(entries, format=self._format), strict=True):
                try:
                    document = schema.encode(entry, self._bits, letters)
                except TypeError as error:
                    self._refused.append(Refused(entry.stored, f"the metadata cannot be written as JSON: {error}"))
                    continue
                if self._may_be_there(entry.stored.document.id):
                    writer.delete_documents_by_term("id", entry.stored.document.id)
                writer.add_document(document)

    def refused(self) -> list[Refused]:
        told, self._refused = self._refused, []
        return told

    def delete(self, ids: Sequence[str]) -> int:
        """Counts what the last commit holds."""
        writer = self._open()
        with self._engine.snapshot() as snapshot:
            there = snapshot.digests(ids)
        with _translated(self._path):
            for doc_id in ids:
                writer.delete_documents_by_term("id", doc_id)
        return len(there)

    def change(self, ids: Sequence[str], decide: Callable[[StoredDocument], Change | None]) -> dict[str, bool]:
        writer = self._open()
        done: dict[str, bool] = {}
        with self._engine.snapshot() as snapshot:
            for stored in snapshot.get(ids):
                change = decide(stored) if stored else None
                if stored is None or change is None:
                    continue
                done[stored.document.id] = True
                if isinstance(change, Deletion):
                    with _translated(self._path):
                        writer.delete_documents_by_term("id", stored.document.id)
                else:
                    self.put([change])
        return done

    def commit(self) -> None:
        with _translated(self._path):
            self._open().commit()
            folder.share(self._path)

    def close(self) -> None:
        """Also waits for merges that are under way."""
        if self._writer is not None:
            writer, self._writer = self._writer, None
            with _translated(self._path):
                writer.wait_merging_threads()
                folder.share(self._path)

    def _may_be_there(self, doc_id: str) -> bool:
        """Whether something has to be deleted before this is added: nothing in an index that was empty and got others.

        Ids are known by their hashes, so one that was not written may pass for one that was, never the reverse.
        """
        if self._written is None:
            return True
        number = hash(doc_id)
        if number in self._written:
            return True
        self._written.add(number)
        if len(self._written) > _IDS_KNOWN:
            self._written = None
        return False

    def _open(self) -> tantivy.IndexWriter:
        if self._writer is None:
            raise EngineError(f"The writer of {self._path} is closed. Open a new one.")
        return self._writer


def _total(found: tantivy.SearchResult) -> int:
    """Documents a query matches; the binding has it and its type stubs do not."""
    return int(found.count)  # type: ignore[attr-defined]


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    """Turn the search library's errors into ours; it raises ValueError for everything, a full disk too."""
    try:
        yield
    except OSError as error:
        raise storage_error(error, path, "use the index") from error
    except ValueError as error:
        raise _meaning(str(error), path) from error


def _meaning(text: str, path: Path) -> EngineError:
    for code in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM):
        if f"os error {code})" in text or f"Os {{ code: {code}," in text:
            return storage_error(OSError(code, os.strerror(code)), path, "write to")
    if not (path / folder.TANTIVY).is_dir():  # what it complains of then is its own lock file
        return MissingIndexError(f"The index {path} is not there any more. Put the folder back, or name another one.")
    if "LockBusy" in text or "Lockfile" in text or ("lock" in text.lower() and "acquire" in text.lower()):
        return LockedIndexError(
            f"Another process is writing to {path}. Run again when it has finished; reading works meanwhile."
        )
    if "killed" in text or "panicked" in text:
        if shutil.disk_usage(path).free < _WRITER_BYTES:  # its thread died and kept the reason to itself
            return storage_error(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), path, "write to")
        return storage_error(OSError(errno.EIO, f"the writer stopped ({text})"), path, "write to")
    return EngineError(
        f"The index {path} does not answer: {text}. If it is damaged, restore it from a backup or index anew."
    )
