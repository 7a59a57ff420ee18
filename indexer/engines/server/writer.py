"""Writing to a server's index. A server shows documents a moment after they arrive, before the commit as well."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from leitong.indexer.documents import Entry, StoredDocument
from leitong.indexer.engines.base import Change, Deletion, Refused, Writer
from leitong.indexer.engines.server import header, stored
from leitong.indexer.engines.server.header import Header
from leitong.indexer.engines.server.product import Action, Server
from leitong.indexer.engines.server.sending import Sender, uuid_of
from leitong.indexer.engines.server.snapshot import ServerSnapshot
from leitong.indexer.errors import ForeignIndexError


class ServerWriter(Writer):
    """Sends what it is given. On a server any number of writers may write at once."""

    def __init__(self, server: Server, head: Header, snapshot: Callable[[], ServerSnapshot]) -> None:
        self._server = server
        self._header = head
        self._snapshot = snapshot
        self._index = server.locator.index
        self._sender = Sender(server, self._index)
        self._refused: list[Refused] = []

    def put(self, entries: Sequence[Entry]) -> None:
        self._refuse_if_attached("indexed into")
        for entry in entries:
            document = entry.stored.document
            try:
                source = stored.encode(entry, bits=self._header.recipe.bits, recipe_id=self._header.recipe_id)
            except TypeError as error:
                reason = f"the metadata cannot be written as JSON: {error}"
                self._refused.append(Refused(entry.stored, reason))
                continue
            self._sender.put(Action(document.id, "index", source, about=entry.stored))

    def delete(self, ids: Sequence[str]) -> int:
        self._refuse_if_attached("deleted from")
        self._sender.finish()
        before = self._sender.deleted
        for doc_id in ids:
            if doc_id:
                self._sender.put(Action(doc_id, "delete"))
        self._sender.finish()
        return self._sender.deleted - before

    def change(self, ids: Sequence[str], decide: Callable[[StoredDocument], Change | None]) -> dict[str, bool]:
        self._refuse_if_attached("changed in")
        done: dict[str, bool] = {}
        sender = Sender(self._server, self._index, uuid=uuid_of(self._server, self._index))
        try:
            with self._snapshot() as snapshot:
                for document, guard in snapshot.guarded(ids):
                    change = decide(document)
                    if change is not None:
                        done[document.document.id] = True
                        sender.put(self._action(document.document.id, change, guard))
            sender.finish()
            for refusal in sender.refused():
                done[refusal.action.id] = False
        finally:
            sender.close()
        return done

    def _action(self, doc_id: str, change: Change, guard: Mapping[str, Any]) -> Action:
        if isinstance(change, Deletion):
            return Action(doc_id, "delete", guard=guard)
        source = stored.encode(change, bits=self._header.recipe.bits, recipe_id=self._header.recipe_id)
        return Action(doc_id, "index", source, guard=guard)

    def commit(self) -> None:
        self._sender.finish()
        header.check(self._server, self._header)  # a deleted index comes back by itself, without our fields
        self._server.request("POST", f"/{self._index}/_refresh")

    def refused(self) -> list[Refused]:
        told, self._refused = self._refused, []
        for refusal in self._sender.refused():
            about = refusal.action.about
            if isinstance(about, StoredDocument):  # else it was to be deleted, and no document can have such an id
                told.append(Refused(about, refusal.reason))
        return told

    def close(self) -> None:
        """What was sent before stays: a server cannot take it back."""
        self._sender.close()

    def _refuse_if_attached(self, doing: str) -> None:
        if self._header.layout.attached:
            raise ForeignIndexError(
                f"{self._server.locator} is attached: its documents belong to another program, and nothing is {doing} "
                f"it here. Change them there; `leitong attach {self._server.locator}` gives them new fingerprints."
            )
