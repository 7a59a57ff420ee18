"""What is behind the name of somebody else's index, and can it be given fingerprints without harm?

An alias, a pattern or a data stream may stand for several indexes. Each must keep the documents as they were sent: a
partial update makes the document anew from what is kept.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from leitong.indexer.engines.server import header
from leitong.indexer.engines.server.product import Server
from leitong.indexer.engines.server.theirs import OURS, MappedField, TextFields, mapped
from leitong.indexer.engines.server.whole import loss, settings_of
from leitong.indexer.errors import EngineError, MissingIndexError, UsageError
from leitong.mappings import attached

_TEXTS: Final = ("text", "keyword", "match_only_text", "wildcard", "constant_keyword", "search_as_you_type")
_MOST_BLOCKS: Final = 8
_OF_EVERY_VERSION: Final = frozenset({"recipe", "fp", "features", "digest"})
_SHOWN: Final = 12


@dataclass(frozen=True)
class Member:
    """One index behind the name: its mapping, and its settings with the defaults."""

    name: str
    mapping: Mapping[str, Any]
    settings: Mapping[str, str]

    @property
    def meta(self) -> Mapping[str, Any] | None:
        """What the mapping says of us."""
        return header.meta_of(self.mapping)

    @property
    def all_meta(self) -> Mapping[str, Any]:
        """The owner's `_meta`, and ours in it."""
        meta: Mapping[str, Any] = self.mapping.get("_meta", {})
        return meta

    @property
    def properties(self) -> Mapping[str, Any]:
        """The fields."""
        properties: Mapping[str, Any] = self.mapping.get("properties", {})
        return properties

    @property
    def uuid(self) -> str:
        """What tells it from another one of its name."""
        return self.settings.get("index.uuid", "")

    @property
    def hides_vectors(self) -> bool:
        """Whether an answer lacks vectors unless they are asked for."""
        return self.settings.get("index.mapping.exclude_source_vectors", "false").lower() == "true"

    @property
    def final_pipeline(self) -> str | None:
        """The pipeline that every whole document is sent through, whatever a request says."""
        name = self.settings.get("index.final_pipeline", "_none")
        return None if name == "_none" else name


def members(server: Server) -> list[Member]:
    """The indexes behind the name. Raises MissingIndexError."""
    found = header.mappings(server)
    if not found:
        raise MissingIndexError(
            f"There is no index {server.locator}. `leitong attach` adds fingerprints to an index that is there; "
            "`leitong index` makes a new one."
        )
    settings = settings_of(server, server.locator.index)
    return [Member(name, mapping, settings.get(name, {})) for name, mapping in found.items()]


def check(member: Member, fields: TextFields, *, where: str) -> None:
    """Raise EngineError or UsageError where the index cannot be attached."""
    index = f"The index {member.name}"
    lost = loss(member.mapping, member.settings)
    if lost == "off":
        raise EngineError(f"{index} does not keep its documents (_source is off), so nothing can be added to them.")
    if lost == "synthetic":
        raise EngineError(
            f"{index} keeps no documents as they were sent (its _source is synthetic), and a partial update would "
            "change the owner's values. Index its documents into an index with a stored _source and attach that."
        )
    if lost == "partly":
        raise EngineError(
            f"{index} leaves fields out of its _source, and a partial update would drop them from the index. Index its "
            "documents into an index with the whole _source and attach that."
        )
    if member.meta is None and header.made_by_server(member.mapping):
        raise EngineError(
            f"{index} was filled with fingerprints before it was attached, and the server guessed what our fields are. "
            "Make it anew, attach it while it is empty, and fill it then."
        )
    if (theirs := member.properties.get(OURS)) is not None and member.meta is None and not _left_by_us(theirs):
        raise EngineError(
            f"{index} has a field {OURS!r} of its own, and that is the name of ours. It cannot be attached."
        )
    named = {field.name: field for field in mapped(member.properties)}
    for name in fields.names:
        _check_field(name, named, where)


def text_fields(some: Sequence[Member]) -> list[str]:
    """Names of fields that hold texts, for advice."""
    names = {field.name for one in some for field in mapped(one.properties) if field.kind in _TEXTS}
    return sorted(name for name in names if not name.startswith(f"{OURS}."))[:_SHOWN]


def _check_field(name: str, named: Mapping[str, MappedField], where: str) -> None:
    for other in named.values():
        if any(name == f"{other.name}.{inner}" for inner in other.definition.get("fields", {})):
            raise UsageError(f"{name!r} is the field {other.name!r} indexed in another way: name {other.name!r}.")
        if name in _listed(other.definition.get("copy_to", [])):
            raise UsageError(
                f"{name!r} is made by the server from other fields and stands in no document: name those, such as "
                f"{other.name!r}."
            )
    field = named.get(name)
    if field is None:  # not every field that stands in documents is mapped
        return
    if field.kind == "alias":
        raise UsageError(f"{name!r} is an alias of the field {field.definition.get('path')!r}: name that one.")
    if field.kind in ("object", "nested"):
        inner = [other for other in named if other.startswith(f"{name}.")]
        raise UsageError(
            f"{name!r} is an object in {where}: name a field inside it, such as {inner[0] if inner else name + '.…'!r}."
        )
    if field.kind not in _TEXTS:
        raise UsageError(f"{name!r} is a field of type {field.kind} in {where}, not a text: name another one.")


def _listed(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def _left_by_us(theirs: Mapping[str, Any]) -> bool:
    """Whether a field of our name is what is left of an earlier attaching: fields stay in a mapping for ever.

    An older version had fields that this one has not.
    """
    ours = attached(blocks=_MOST_BLOCKS)[OURS]["properties"]
    left = theirs.get("properties", {})
    return left.keys() >= _OF_EVERY_VERSION and all(left[name] == ours[name] for name in left.keys() & ours.keys())
