"""Writing to a server's index, in bulk: documents are sent while the next ones are prepared.

One thread sends, so what is written to one id arrives in the order it was put. A server shows documents a moment after
they arrive, before the commit as well, and what has arrived cannot be taken back.
"""

from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from leitong.indexer.documents import Entry, StoredDocument
from leitong.indexer.engines.base import Refused, Writer
from leitong.indexer.engines.server import header, limits, stored
from leitong.indexer.engines.server.failures import BusyError, TooMuchError
from leitong.indexer.engines.server.header import Header
from leitong.indexer.engines.server.product import Action, Outcome, Server
from leitong.indexer.errors import EngineError

_CHUNK_BYTES: Final = 8_000_000
_CHUNK_ACTIONS: Final = 1_000
_CHUNKS_AHEAD: Final = 2
_LARGE_BYTES: Final = 4_000_000
"""A document of this size that a server stays too busy for is too large for its memory."""
_ROOM: Final = 2_000
"""Bytes of a request beside the document's JSON."""


@dataclass(frozen=True, slots=True)
class _Sent:
    """What became of a chunk."""

    refused: tuple[tuple[str, str], ...]
    deleted: int


class ServerWriter(Writer):
    """Sends what it is given. On a server any number of writers may write at once."""

    def __init__(self, server: Server, head: Header) -> None:
        self._server = server
        self._header = head
        self._index = server.locator.index
        self._limit: int | None = None
        self._chunk: dict[str, Action] = {}
        self._chunk_bytes = 0
        self._documents: dict[str, StoredDocument] = {}
        self._refused: list[Refused] = []
        self._deleted = 0
        self._sending: deque[tuple[Future[_Sent], dict[str, StoredDocument]]] = deque()
        self._thread: ThreadPoolExecutor | None = ThreadPoolExecutor(1, thread_name_prefix="leitong-bulk")

    def put(self, entries: Sequence[Entry]) -> None:
        self._open()
        for entry in entries:
            document = entry.stored.document
            try:
                source = stored.encode(entry, bits=self._header.recipe.bits, recipe_id=self._header.recipe_id)
            except TypeError as error:
                self._refuse(entry.stored, f"the metadata cannot be written as JSON: {error}")
                continue
            size = len(source.encode()) + _ROOM
            if size > self._most_bytes():
                reason = f"the document makes a request of {size:,} bytes, and the server takes {self._most_bytes():,}"
                self._refuse(entry.stored, f"{reason}; raise http.max_content_length there, or split the document")
                continue
            self._queue(Action(document.id, source), size)
            self._documents[document.id] = entry.stored

    def delete(self, ids: Sequence[str]) -> int:
        self._open()
        self._finish()
        self._deleted = 0
        for doc_id in ids:
            if doc_id:
                self._queue(Action(doc_id, None), len(doc_id.encode()) + _ROOM)
        self._finish()
        return self._deleted

    def commit(self) -> None:
        self._open()
        self._finish()
        header.check(self._server, self._header)  # a deleted index comes back by itself, without our fields
        self._server.request("POST", f"/{self._index}/_refresh")

    def refused(self) -> list[Refused]:
        told, self._refused = self._refused, []
        return told

    def close(self) -> None:
        """What was sent before stays: a server cannot take it back."""
        if self._thread is not None:
            self._thread.shutdown(wait=True, cancel_futures=True)
            self._thread = None
        self._chunk, self._documents = {}, {}
        self._sending.clear()

    def _open(self) -> ThreadPoolExecutor:
        if self._thread is None:
            raise EngineError(f"The writer of {self._server.locator} is closed. Open a new one.")
        return self._thread

    def _queue(self, action: Action, size: int) -> None:
        full = len(self._chunk) >= _CHUNK_ACTIONS or self._chunk_bytes + size > min(_CHUNK_BYTES, self._most_bytes())
        if self._chunk and (full or action.id in self._chunk):
            self._send()
        self._chunk[action.id] = action
        self._chunk_bytes += size

    def _send(self) -> None:
        """Hand the chunk to the thread; waits while it is too far behind."""
        if self._chunk:
            while len(self._sending) >= _CHUNKS_AHEAD:
                self._take()
            future = self._open().submit(self._sent, list(self._chunk.values()))
            self._sending.append((future, self._documents))
        self._chunk, self._documents, self._chunk_bytes = {}, {}, 0

    def _finish(self) -> None:
        """Everything that was queued has arrived."""
        self._send()
        while self._sending:
            self._take()

    def _take(self) -> None:
        future, documents = self._sending.popleft()
        sent = future.result()
        self._deleted += sent.deleted
        for doc_id, reason in sent.refused:
            if doc_id in documents:  # else it was to be deleted, and no document can have such an id
                self._refuse(documents[doc_id], reason)

    def _refuse(self, document: StoredDocument, reason: str) -> None:
        self._refused.append(Refused(document, reason))

    def _sent(self, actions: Sequence[Action]) -> _Sent:
        """Runs in the thread."""
        try:
            return self._bulk(actions)
        except TooMuchError as error:
            if len(actions) == 1:
                return _Sent(((actions[0].id, str(error)),), 0)
        except BusyError as error:
            if len(actions) > 1 or not _large(actions[0]):
                raise
            return _Sent(((actions[0].id, f"too large for the memory of the server: {error}"),), 0)
        parts = [self._sent(actions[: len(actions) // 2]), self._sent(actions[len(actions) // 2 :])]
        return _Sent(parts[0].refused + parts[1].refused, parts[0].deleted + parts[1].deleted)

    def _bulk(self, actions: Sequence[Action]) -> _Sent:
        refused: list[tuple[str, str]] = []
        deleted = 0
        for result in self._server.bulk(actions, index=self._index, most_bytes=self._most_bytes()):
            if result.kind:
                refused.append((result.id, self._reason(result)))
            deleted += result.result == "deleted"
        return _Sent(tuple(refused), deleted)

    def _reason(self, result: Outcome) -> str:
        """Why the server will not have a document. Raises what is wrong with the server and not with the document."""
        if result.status in (400, 413):
            return f"the server refuses it ({result.kind}: {result.reason})"
        raise self._server.refusal(result.status, {"error": {"type": result.kind, "reason": result.reason}})

    def _most_bytes(self) -> int:
        """What the server takes in one request."""
        if self._limit is None:
            self._limit = limits.request_bytes(self._server)
        return self._limit


def _large(action: Action) -> bool:
    return action.source is not None and len(action.source.encode()) > _LARGE_BYTES
