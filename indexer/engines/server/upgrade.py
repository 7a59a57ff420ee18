"""Bringing the fields of an index to the version of this Leitong.

Fields that are missing are added where the index is. A field that is there cannot be changed: then the documents go to
a new index, which takes over the name as an alias. Writing goes on meanwhile. What is written is copied in rounds, by
sequence number; for the last round the old index takes no writes, for as long as that lasts: they are refused, never
lost, and Leitong's own writer waits.
"""

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from leitong.indexer import exactjson
from leitong.indexer.engines.server import header
from leitong.indexer.engines.server.header import Header
from leitong.indexer.engines.server.living import Reader
from leitong.indexer.engines.server.product import Action, Server
from leitong.indexer.engines.server.reading import Hits
from leitong.indexer.engines.server.sending import Sender
from leitong.indexer.errors import EngineError
from leitong.indexer.fingerprint.blocks import block_count
from leitong.mappings import VERSION, attached, documents

_ROUNDS: Final = 10
_FEW: Final = 2_000
"""Documents that the last round may have to copy while nobody writes."""
_NOT_COPIED: Final = ("index.uuid", "index.creation_date", "index.provided_name", "index.version.", "index.blocks.")


@dataclass(frozen=True)
class Difference:
    """What an index lacks of our fields, and which of them it has otherwise; the version it has and the one to have."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    version: int
    wanted: int

    @property
    def is_none(self) -> bool:
        """Whether the index is as it should be."""
        return not self.added and not self.changed and self.version == self.wanted


def fields(server: Server, head: Header) -> Mapping[str, Any]:
    """The fields that are ours in an index, as a mapping has them."""
    blocks = block_count(head.recipe.bits)
    if head.layout.attached:
        return attached(blocks=blocks)
    properties: Mapping[str, Any] = documents(server.product, blocks=blocks).mappings["properties"]
    return properties


def difference(server: Server, head: Header) -> Difference:
    """What there is to do."""
    ours = dict(_leaves(fields(server, head)))
    added: set[str] = set()
    changed: set[str] = set()
    for mapping in header.mappings(server).values():
        if header.meta_of(mapping) is None:
            continue
        theirs = dict(_leaves(mapping.get("properties", {})))
        added |= ours.keys() - theirs.keys()
        changed |= {name for name in ours.keys() & theirs.keys() if ours[name] != theirs[name]}
    return Difference(tuple(sorted(added)), tuple(sorted(changed)), head.mapping_version, VERSION)


def apply(server: Server, head: Header) -> str | None:
    """Make the difference go; returns the name of the new index where there had to be one."""
    todo = difference(server, head)
    if todo.is_none:
        return None
    if not todo.changed:
        for name, mapping in header.mappings(server).items():
            meta = {**mapping.get("_meta", {}), "leitong": {"mapping_version": VERSION, **head.meta()}}
            body = {"_meta": meta, "properties": fields(server, head)}
            server.request("PUT", f"/{name}/_mapping", body=body)
        return None
    if head.layout.attached:
        raise EngineError(
            f"The fields {', '.join(todo.changed)} of {server.locator} have another type, and that cannot be "
            "changed. Its owner has to copy the documents into a new index; then attach that one."
        )
    return _Move(server, head).go()


class _Move:
    """The documents of one index of ours on their way to a new one."""

    def __init__(self, server: Server, head: Header) -> None:
        self._server = server
        self._head = head
        self._alias = server.locator.index
        (self._old,) = header.mappings(server)
        self._new = self._free_name()
        self._from = Reader(server, self._old)
        self._to = Reader(server, self._new)
        self._sender = Sender(server, self._new)

    def go(self) -> str:
        self._make()
        try:
            since = self._from.checkpoints()
            self._from.refresh()  # pages show what was written up to the last refresh
            self._copy(self._from.pages())
            for _ in range(_ROUNDS):
                until = self._from.checkpoints()
                copied = self._copy(self._from.changed(since, until))
                since = until
                if copied <= _FEW:
                    break
            self._server.request("PUT", f"/{self._old}/_block/write")  # answers when no write is under way
            self._from.refresh()
            self._copy(self._from.changed(since, self._from.checkpoints()))
            self._remove_what_is_gone()
            self._switch()
        except BaseException:
            self._undo()
            raise
        finally:
            self._sender.close()
        return self._new

    def _make(self) -> None:
        template = documents(self._server.product, blocks=block_count(self._head.recipe.bits))
        answer = self._server.request("GET", f"/{self._old}/_settings", params={"flat_settings": "true"})
        settings = {
            name: value
            for name, value in answer[self._old]["settings"].items()
            if not name.startswith(_NOT_COPIED) and "resize" not in name
        }
        body = template.body(self._head.meta())
        self._server.request("PUT", f"/{self._new}", body={**body, "settings": {**body["settings"], **settings}})

    def _copy(self, pages: Iterable[Hits]) -> int:
        count = 0
        for hits in pages:
            for hit in hits:
                guard = {"routing": hit["_routing"]} if "_routing" in hit else {}
                source = exactjson.dumps_as_written(hit["_source"]).decode()
                self._sender.put(Action(hit["_id"], "index", source, guard))
            count += len(hits)
        self._sender.finish()
        for refusal in self._sender.refused():
            raise EngineError(
                f"The document {refusal.action.id!r} cannot be copied: {refusal.reason}. Nothing changed."
            )
        return count

    def _remove_what_is_gone(self) -> None:
        self._to.refresh()
        if self._to.count() != self._from.count():
            for hits in self._to.pages(bare=True, most=self._from.ids_at_once):
                ids = [hit["_id"] for hit in hits]
                query = {"terms": {"_id": ids}}
                there = {hit["_id"] for page in self._from.pages(query, bare=True) for hit in page}
                for hit in hits:
                    if hit["_id"] not in there:
                        guard = {"routing": hit["_routing"]} if "_routing" in hit else {}
                        self._sender.put(Action(hit["_id"], "delete", None, guard))
            self._sender.finish()
            self._to.refresh()
        if (copied := self._to.count()) != (count := self._from.count()):
            raise EngineError(
                f"{copied:,} of {count:,} documents of {self._old} were copied. Nothing changed: run again."
            )

    def _switch(self) -> None:
        """In one step: the old index goes, and its names lead to the new one."""
        answer = self._server.request("GET", f"/{self._old}/_alias")
        aliases = (
            {self._alias: {}, **answer[self._old]["aliases"]}
            if self._old == self._alias
            else answer[self._old]["aliases"]
        )
        actions: list[dict[str, Any]] = [{"remove_index": {"index": self._old}}]
        actions += [{"add": {"index": self._new, "alias": name, **how}} for name, how in aliases.items()]
        self._server.request("POST", "/_aliases", body={"actions": actions})

    def _undo(self) -> None:
        with contextlib.suppress(EngineError):
            self._server.request("PUT", f"/{self._old}/_settings", body={"index.blocks.write": None}, allow=(404,))
        with contextlib.suppress(EngineError):
            if self._old in header.mappings(self._server):
                self._server.request("DELETE", f"/{self._new}", allow=(404,))

    def _free_name(self) -> str:
        number = 2
        while "error" not in self._server.request("GET", f"/{self._alias}-{number}/_mapping", allow=(404,)):
            number += 1
        return f"{self._alias}-{number}"


def _leaves(properties: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every field that is no object of others, and its definition."""
    for name, definition in properties.items():
        if "properties" in definition:
            yield from _leaves(definition["properties"], f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", definition
