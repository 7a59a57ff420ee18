"""Writing to a folder: one process at a time, and nothing is there for others before the commit."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import tantivy

from leitong.indexer.documents import Entry, StoredDocument
from leitong.indexer.engines.base import Change, Deletion, Refused, Writer
from leitong.indexer.engines.embedded import folder, schema
from leitong.indexer.engines.embedded.failures import WRITER_BYTES, translated
from leitong.indexer.engines.embedded.snapshot import EmbeddedSnapshot
from leitong.indexer.errors import EngineError

_IDS_KNOWN: Final = 1_000_000
"""Ids a writer remembers, so that memory stays small."""


class EmbeddedWriter(Writer):
    """The folder's writer. Only one process can have it; the lock goes with the process."""

    def __init__(self, index: tantivy.Index, snapshot: Callable[[], EmbeddedSnapshot], path: Path, bits: int) -> None:
        self._snapshot = snapshot
        self._path = path
        self._bits = bits
        self._refused: list[Refused] = []
        with translated(path):
            self._writer: tantivy.IndexWriter | None = index.writer(WRITER_BYTES, 1)
        with snapshot() as there:
            self._written: set[int] | None = set() if there.count == 0 else None

    def put(self, entries: Sequence[Entry]) -> None:
        writer = self._open()
        with translated(self._path):
            for entry, letters in zip(entries, schema.letters_of(entries), strict=True):
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
        with self._snapshot() as snapshot:
            there = snapshot.digests(ids)
        with translated(self._path):
            for doc_id in ids:
                writer.delete_documents_by_term("id", doc_id)
        return len(there)

    def change(self, ids: Sequence[str], decide: Callable[[StoredDocument], Change | None]) -> dict[str, bool]:
        writer = self._open()
        done: dict[str, bool] = {}
        with self._snapshot() as snapshot:
            for stored in snapshot.get(ids):
                change = decide(stored) if stored else None
                if stored is None or change is None:
                    continue
                done[stored.document.id] = True
                if isinstance(change, Deletion):
                    with translated(self._path):
                        writer.delete_documents_by_term("id", stored.document.id)
                else:
                    self.put([change])
        return done

    def commit(self) -> None:
        with translated(self._path):
            self._open().commit()
            folder.share(self._path)

    def close(self) -> None:
        """Also waits for merges that are under way."""
        if self._writer is not None:
            writer, self._writer = self._writer, None
            with translated(self._path):
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
