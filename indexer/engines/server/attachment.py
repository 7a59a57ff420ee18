"""Somebody else's index while it is given fingerprints, or loses them.

Documents are read from a point in time, slice by slice. What is written is guarded by the sequence number the document
had when it was read: one that has changed meanwhile is left alone and read again. A partial update adds our fields; the
owner's values stay in the document as they are, and its routing.
"""

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import orjson

from leitong.indexer import exactjson
from leitong.indexer.closing import closed_on_error
from leitong.indexer.documents import Document, Entry
from leitong.indexer.engines.server import header, owners, stored
from leitong.indexer.engines.server.connect import connect
from leitong.indexer.engines.server.credentials import Signer
from leitong.indexer.engines.server.header import Header
from leitong.indexer.engines.server.living import Checkpoints, Reader
from leitong.indexer.engines.server.locator import is_data_stream, parse
from leitong.indexer.engines.server.notes import Notes
from leitong.indexer.engines.server.owners import Member
from leitong.indexer.engines.server.product import Action, Server
from leitong.indexer.engines.server.reading import Hits
from leitong.indexer.engines.server.sending import CONFLICT, MISSING, Sender
from leitong.indexer.engines.server.theirs import OURS, TextFields, TheirLayout
from leitong.indexer.errors import EngineError, MissingIndexError, UsageError
from leitong.indexer.fingerprint.blocks import block_count
from leitong.indexer.fingerprint.recipe import Recipe
from leitong.mappings import VERSION, attached

_DIGEST: Final = f"{OURS}.digest"


@dataclass(frozen=True)
class Living:
    """A document of somebody else's as it was read: `document` as we see it, `ours` what we gave it before.

    `found_by` is the digest that a search finds it by: none where our fields came into the document before they came
    into the mapping, as with a copy of an attached index.
    """

    index: str
    id: str
    source: Mapping[str, Any]
    guard: Mapping[str, Any]
    document: Document
    found_by: str | None

    @property
    def ours(self) -> Mapping[str, Any]:
        """Our fields, those that are there; a field that was taken back is null."""
        ours = self.source.get(OURS)
        return {key: value for key, value in ours.items() if value is not None} if isinstance(ours, Mapping) else {}

    @property
    def is_whole(self) -> bool:
        """Whether it has all of our fields: an older version of them had others."""
        return self.ours.keys() >= stored.ALWAYS

    @property
    def cannot_be_kept(self) -> str | None:
        """Why a server would not keep the owner's values as they are when it makes the document anew."""
        if (found := exactjson.inexact(self.source)) is not None:
            name, number = found
            return f"the number {number[:40]} in {name!r} would lose digits: servers hold such numbers in 64 bits"
        try:
            exactjson.dumps_as_written(self.source)
        except TypeError as error:
            return f"the document cannot be written anew as it is: {error}"
        return None

    def __str__(self) -> str:
        name = {"_index": self.index, "_id": self.id}
        routing = self.guard.get("routing")
        return orjson.dumps(name if routing is None else {**name, "_routing": routing}).decode()


@dataclass(frozen=True)
class Undone:
    """A document that was not written; `changed` when it has changed since it was read, or is gone."""

    living: Living
    changed: bool
    reason: str


class Attachment:
    """A connection to the index, which `begin` attaches."""

    def __init__(self, server: Server, some: Sequence[Member], head: Header) -> None:
        self._server = server
        self._members = {member.name: member for member in some}
        self._header = head
        vectors = any(member.hides_vectors for member in some)
        self._reader = Reader(server, server.locator.index, vectors=vectors, columns=[_DIGEST])
        self._senders: dict[str, Sender] = {}
        self._attaching = False

    @classmethod
    def open(
        cls,
        locator: str,
        *,
        fields: TextFields | None,
        recipe: Recipe,
        recipe_id: str,
        signer: Signer | None = None,
    ) -> "Attachment":
        """See whether the index can be attached; changes nothing. Raises EngineError or UsageError.

        Fields and recipe are for an index that is not attached yet; one that is keeps its own.
        """
        with closed_on_error(connect(parse(locator), signer=signer, as_written=True)) as server:
            some = owners.members(server)
            head = _attached_header(server, some)
            if head is None:
                if fields is None:
                    have = ", ".join(owners.text_fields(some)) or "none"
                    raise UsageError(
                        f"Name the fields with the text: --text-field NAME. Texts in {server.locator}: {have}."
                    )
                head = _new_header(server, some, fields, recipe, recipe_id)
            elif fields is not None and fields != _fields(head):
                raise UsageError(
                    f"{server.locator} is attached with {_fields(head)}, not {fields}. Leave the options "
                    "out, or `leitong detach` it first."
                )
            for member in some:
                owners.check(member, _fields(head), where=str(server.locator))
            return cls(server, some, head)

    @classmethod
    def open_attached(cls, locator: str, *, signer: Signer | None = None) -> "Attachment":
        """One that is attached, for `detach`. Raises UsageError where it is not."""
        with closed_on_error(connect(parse(locator), signer=signer, as_written=True)) as server:
            some = owners.members(server)
            head = _attached_header(server, some)
            if head is None:
                raise UsageError(f"{server.locator} is not attached, so there is nothing to detach.")
            for member in some:
                if member.final_pipeline:
                    raise EngineError(
                        f"The index {member.name} sends every document through the pipeline {member.final_pipeline!r}, "
                        "which could change the owner's values. Set index.final_pipeline to _none, detach, set it back."
                    )
            return cls(server, some, head)

    @property
    def locator(self) -> str:
        """The name by which it was opened."""
        return str(self._server.locator)

    @property
    def recipe(self) -> Recipe:
        """How its fingerprints are made."""
        return self._header.recipe

    @property
    def recipe_id(self) -> str:
        """Id of the recipe at the time the index was attached."""
        return self._header.recipe_id

    @property
    def fields(self) -> TextFields:
        """What is fingerprinted."""
        return _fields(self._header)

    def begin(self) -> None:
        """Add our fields to the mappings, and what we know under `_meta.leitong`; the owner's `_meta` stays."""
        if all(member.meta is None for member in self._members.values()):
            header.make_companion(self._server, self._header)
        for member in self._members.values():
            self._map(member)
        self._attaching = True

    def count(self) -> int:
        """Documents of all the indexes, with fingerprints or without."""
        return self._reader.count()

    def pages(self, *, most: int | None = None) -> Iterator[list[Living]]:
        """Every document, as it was at the last refresh. Raises LostStateError when a node took its state with it."""
        return self._livings(self._reader.pages(most=most))

    def again(self, some: Iterable[Living]) -> Iterator[list[Living]]:
        """Documents as they are now; those that are gone are left out, an index that was made anew is attached."""
        wanted: dict[str, set[str]] = {}
        for living in some:
            wanted.setdefault(living.index, set()).add(living.id)
        self._join()
        self.refresh()
        at_once = self._reader.ids_at_once
        for index in sorted(wanted.keys() & self._members.keys()):
            ordered = sorted(wanted[index])
            for start in range(0, len(ordered), at_once):
                query = {"terms": {"_id": ordered[start : start + at_once]}}
                with contextlib.suppress(MissingIndexError):  # it went meanwhile
                    yield from self._livings(self._reader.pages(query, index=index))

    def checkpoints(self) -> Checkpoints:
        """Up to which sequence number each shard has everything, on all its copies; shards that are there."""
        return self._reader.checkpoints()

    def changed(self, since: Checkpoints, until: Checkpoints) -> Iterator[list[Living]]:
        """Every document that was written after one checkpoint and up to another, as it is now.

        An index that is new behind the name, or was made anew, is attached first.
        """
        if not {shard.uuid for shard in until} <= {shard.uuid for shard in since}:
            self._join()
        return self._livings(self._reader.changed(since, until))

    def write(self, living: Living, entry: Entry) -> None:
        """Give a document its fingerprint."""
        ours = stored.fields(entry, bits=self.recipe.bits, recipe_id=self.recipe_id)
        self._update(living, {**dict.fromkeys(living.ours.keys() - ours.keys()), **ours})

    def clear(self, living: Living) -> None:
        """Take a fingerprint back: the text it was made from is gone."""
        self._update(living, dict.fromkeys(living.ours))

    def strip(self, living: Living) -> None:
        """Take all our fields out of a document."""
        rest = {key: value for key, value in living.source.items() if key != OURS}
        guard = {**living.guard, "pipeline": "_none"}
        self._put(living, Action(living.id, "index", exactjson.dumps_as_written(rest), guard, living))

    def finish(self) -> list[Undone]:
        """Everything that was written has arrived; returns what was not, each once."""
        undone: list[Undone] = []
        for sender in self._senders.values():
            sender.finish()
            for refusal in sender.refused():
                living = refusal.action.about
                assert isinstance(living, Living)
                undone.append(Undone(living, refusal.status in (CONFLICT, MISSING), refusal.reason))
        return undone

    def refresh(self) -> None:
        """Let readers see what was written."""
        self._reader.refresh()

    def end(self) -> None:
        """Forget the index: `_meta` without ours, no companion. Fields stay in the mapping: a mapping only grows."""
        for member in self._members.values():
            rest = {key: value for key, value in member.all_meta.items() if key != OURS}
            self._server.request("PUT", f"/{member.name}/_mapping", body={"_meta": rest})
        Notes(self._server, self._header.companion).delete()

    def close(self) -> None:
        """Give back the connection."""
        for sender in self._senders.values():
            sender.close()
        self._server.close()

    def _join(self) -> None:
        """Forget indexes that are gone; attach those that have come behind the name, unless it is being detached."""
        there = {member.name: member for member in owners.members(self._server)}
        if self._attaching:
            for member in there.values():
                owners.check(member, self.fields, where=self.locator)
                self._map(member)
            self._members = there
        else:
            known = {member.uuid for member in self._members.values()}
            self._members = {name: member for name, member in there.items() if member.uuid in known}
        for name, sender in list(self._senders.items()):
            if name not in self._members or self._members[name].uuid != sender.uuid:
                sender.close()
                del self._senders[name]

    def _map(self, member: Member) -> None:
        fields = attached(blocks=block_count(self.recipe.bits))
        meta = {"mapping_version": VERSION, **self._header.meta()}
        if member.meta == meta and OURS in member.properties:
            return
        body = {"_meta": {**member.all_meta, OURS: meta}, "properties": fields}
        answer = self._server.request("PUT", f"/{member.name}/_mapping", body=body, allow=(400,))
        if "error" in answer:
            reason = self._server.refusal(400, answer)
            raise EngineError(f"The index {member.name} does not take our fields into its mapping: {reason}")

    def _update(self, living: Living, ours: Mapping[str, Any]) -> None:
        source = orjson.dumps({"doc": {OURS: ours}, "detect_noop": False})  # what is not indexed yet may stand there
        self._put(living, Action(living.id, "update", source, living.guard, living))

    def _put(self, living: Living, action: Action) -> None:
        sender = self._senders.get(living.index)
        if sender is None:
            member = self._members.get(living.index)
            uuid = member.uuid if member is not None else ""  # it has come since, and has to be attached first
            sender = self._senders[living.index] = Sender(self._server, living.index, uuid=uuid)
        sender.put(action)

    def _livings(self, pages: Iterable[Hits]) -> Iterator[list[Living]]:
        for hits in pages:
            yield [self._living(hit) for hit in hits]

    def _living(self, hit: Mapping[str, Any]) -> Living:
        guard = {"if_seq_no": hit["_seq_no"], "if_primary_term": hit["_primary_term"]}
        if "_routing" in hit:
            guard["routing"] = hit["_routing"]
        source = hit.get("_source", {})
        document = self.fields.document(hit["_id"], source)
        found_by = hit.get("fields", {}).get(_DIGEST, [None])[0]
        return Living(hit["_index"], hit["_id"], source, guard, document, found_by)


def _attached_header(server: Server, some: Sequence[Member]) -> Header | None:
    """The header where one of them is attached; None where none is."""
    metas = [member.meta for member in some if member.meta is not None]
    if not metas:
        return None
    if any("attached" not in meta for meta in metas):
        raise UsageError(f"{server.locator} was made by `leitong index`: its documents have their fingerprints.")
    return header.read(server)


def _new_header(server: Server, some: Sequence[Member], fields: TextFields, recipe: Recipe, recipe_id: str) -> Header:
    created = datetime.now(UTC).replace(microsecond=0)
    name = re.sub(r"\*+", "_", server.locator.index)
    found = [member.name for member in some]
    companion = f"leitong-{name}" if is_data_stream(found) else f"{name}-leitong"
    layout = TheirLayout(fields, {}, several=server.locator.stands_for_several(found))
    return Header(VERSION, recipe, recipe_id, created, companion, layout)


def _fields(head: Header) -> TextFields:
    assert isinstance(head.layout, TheirLayout)
    return head.layout.fields
