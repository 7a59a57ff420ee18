"""Bringing the fields of an index to the version of this Leitong.

Fields that are missing are added where the index is. A field that is there cannot be changed: then the documents go to
a new index, which takes over the name as an alias. Writing goes on meanwhile. What is written is copied in rounds, by
sequence number; for the last round the old index takes no writes, for as long as that lasts: they are refused, never
lost, and Leitong's own writer waits. The old index goes in the same step in which the name gets to lead to the new one.
"""

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from leitong.indexer import exactjson
from leitong.indexer.engines.server import header
from leitong.indexer.engines.server.gone import gone
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
"""Documents that the last round may have to copy or delete while nobody writes."""
_NOT_COPIED: Final = ("index.uuid", "index.creation_date", "index.provided_name", "index.version.", "index.blocks.")
_LAST: Final = ("index.default_pipeline", "index.final_pipeline")
"""Settings that the new index gets when the documents are there: a copy is not sent through a pipeline again."""


@dataclass(frozen=True)
class Difference:
    """What an index lacks of our fields, and which of them it has otherwise; the version it has and the one to have."""

    index: str
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
    return Difference(str(server.locator), tuple(sorted(added)), tuple(sorted(changed)), head.mapping_version, VERSION)


def apply(server: Server, head: Header) -> str | None:
    """Bring the fields up to date; returns the name of the new index where there had to be one."""
    todo = difference(server, head)
    if todo.is_none:
        return None
    if not todo.changed:
        for name, mapping in header.mappings(server).items():
            if header.meta_of(mapping) is None:  # new behind the name; `attach` will see to it
                continue
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
        ((self._old, self._mapping),) = header.mappings(server).items()
        if self._check_alone():
            self._server.request("PUT", f"/{self._old}/_settings", body={"index.blocks.write": None})
        self._new = self._free_name()
        self._settings = self._read_settings()
        self._blocked = self._settings.get("index.blocks.write")
        self._from = Reader(server, self._old)
        self._to = Reader(server, self._new)
        self._sender = Sender(server, self._new)

    def go(self) -> str:
        switching = False
        try:
            self._make()
            since = self._from.checkpoints()
            self._from.refresh()  # pages show what was written up to the last refresh
            self._copy(self._from.pages())
            for _ in range(_ROUNDS):
                until = self._from.checkpoints()
                done = self._copy(self._from.changed(since, until)) + self._remove_what_is_gone()
                since = until
                if done <= _FEW:
                    break
            self._block()
            self._copy(self._from.changed(since, self._from.settled()))
            self._remove_what_is_gone()
            self._check_counts()
            switching = True
            self._switch()
        except BaseException as error:
            if not switching or not self._has_switched(error):
                self._sender.close()  # what is on its way would make the new index once more, without our fields
                self._undo()
                raise
            if not isinstance(error, EngineError):
                raise
        finally:
            self._sender.close()
        return self._new

    def _check_alone(self) -> bool:
        """Whether an earlier upgrade was killed. Raises an EngineError where one may be under way."""
        begun = header.moving_to(self._mapping)
        if begun and self._exists(begun):
            raise EngineError(
                f"An upgrade of {self._alias} to the index {begun} has begun and not ended. If none is running any "
                f"more, delete {begun} and run again; {self._alias} has all documents."
            )
        return begun is not None

    def _make(self) -> None:
        template = documents(self._server.product, blocks=block_count(self._head.recipe.bits))
        settings = {
            name: value
            for name, value in self._settings.items()
            if not name.startswith((*_NOT_COPIED, *_LAST)) and "resize" not in name
        }
        self._say({**(header.meta_of(self._mapping) or {}), header.MOVING_TO: self._new})
        body = template.body(self._head.meta())
        self._server.request("PUT", f"/{self._new}", body={**body, "settings": {**body["settings"], **settings}})

    def _say(self, ours: Mapping[str, Any]) -> None:
        """Let the old index say this of itself."""
        body = {"_meta": {**self._mapping.get("_meta", {}), "leitong": ours}}
        self._server.request("PUT", f"/{self._old}/_mapping", body=body)

    def _read_settings(self) -> Mapping[str, Any]:
        answer = self._server.request("GET", f"/{self._old}/_settings", params={"flat_settings": "true"})
        settings: Mapping[str, Any] = answer[self._old]["settings"]
        return settings

    def _block(self) -> None:
        """Let the old index take no writes; returns when none is under way any more."""
        if self._blocked:
            return
        answer = self._server.request("PUT", f"/{self._old}/_block/write")
        if not answer.get("shards_acknowledged") or not all(one.get("blocked") for one in answer.get("indices", [])):
            raise EngineError(f"The index {self._old} does not stop taking writes. Nothing changed: run again.")

    def _copy(self, pages: Iterable[Hits]) -> int:
        count = 0
        for hits in pages:
            for hit in hits:
                source = exactjson.dumps_as_written(hit["_source"])
                self._sender.put(Action(hit["_id"], "index", source, _routing(hit)))
            count += len(hits)
        self._sender.finish()
        for refusal in self._sender.refused():
            raise EngineError(
                f"The document {refusal.action.id!r} cannot be copied: {refusal.reason}. Nothing changed."
            )
        return count

    def _remove_what_is_gone(self) -> int:
        """Done once before the last round as well: nobody writes while that lasts, so little should be left for it."""
        self._from.refresh()
        self._to.refresh()
        count = 0
        for hits in gone(copy=self._to, original=self._from):
            for hit in hits:
                self._sender.put(Action(hit["_id"], "delete", None, _routing(hit)))
            count += len(hits)
        self._sender.finish()
        return count

    def _check_counts(self) -> None:
        self._to.refresh()
        if (copied := self._to.count()) != (count := self._from.count()):
            raise EngineError(
                f"{copied:,} of {count:,} documents of {self._old} were copied. Nothing changed: run again."
            )

    def _switch(self) -> None:
        """In one step: the old index goes, and its names lead to the new one."""
        last = {name: value for name, value in self._settings.items() if name in _LAST}
        if last:
            self._server.request("PUT", f"/{self._new}/_settings", body=last)
        answer = self._server.request("GET", f"/{self._old}/_alias")
        aliases = (
            {self._alias: {}, **answer[self._old]["aliases"]}
            if self._old == self._alias
            else answer[self._old]["aliases"]
        )
        actions: list[dict[str, Any]] = [{"remove_index": {"index": self._old}}]
        actions += [{"add": {"index": self._new, "alias": name, **how}} for name, how in aliases.items()]
        self._server.request("POST", "/_aliases", body={"actions": actions})

    def _has_switched(self, error: BaseException) -> bool:
        """Whether the last step was done though it failed for us: its answer may be lost, or it may still wait.

        Raises an EngineError where that cannot be known: then nothing more may be done.
        """
        params = {"wait_for_events": "languid"}  # after everything the cluster was told before
        try:
            health = self._server.request("GET", "/_cluster/health", params=params, allow=(408,))
            if not health.get("timed_out"):
                return self._old not in header.mappings(self._server)
        except EngineError:
            pass
        raise EngineError(
            f"It is not known whether {self._alias} leads to {self._new} now ({error}). When the server answers again, "
            f"look at GET /{self._alias}/_alias: if {self._new} is not named there, delete it and run again."
        ) from None

    def _undo(self) -> None:
        with contextlib.suppress(EngineError):
            if self._old not in header.mappings(self._server):
                return
            self._server.request("PUT", f"/{self._old}/_settings", body={"index.blocks.write": self._blocked})
            self._server.request("DELETE", f"/{self._new}", allow=(404,))
            self._say(
                {key: value for key, value in (header.meta_of(self._mapping) or {}).items() if key != header.MOVING_TO}
            )

    def _free_name(self) -> str:
        number = 2
        while self._exists(f"{self._alias}-{number}"):
            number += 1
        return f"{self._alias}-{number}"

    def _exists(self, name: str) -> bool:
        return "error" not in self._server.request("GET", f"/{name}/_mapping", allow=(404,))


def _routing(hit: Mapping[str, Any]) -> dict[str, Any]:
    return {"routing": hit["_routing"]} if "_routing" in hit else {}


def _leaves(properties: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every field that is no object of others, and its definition."""
    for name, definition in properties.items():
        if "properties" in definition:
            yield from _leaves(definition["properties"], f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", definition
