"""What does an index say of itself, and is it ours? Its mapping's `_meta.leitong` tells.

An index that Leitong made, or one that was attached; of the attached ones several may be behind one name (an alias, a
pattern, a data stream), and each says the same.
"""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from leitong.indexer.engines.server import failures
from leitong.indexer.engines.server.layout import Layout, OwnLayout
from leitong.indexer.engines.server.notes import Notes
from leitong.indexer.engines.server.product import Server
from leitong.indexer.engines.server.theirs import OURS, TextFields, TheirLayout
from leitong.indexer.engines.server.whole import check_made
from leitong.indexer.errors import EngineError, ForeignIndexError, NewerIndexError, RecipeError, UsageError
from leitong.indexer.fingerprint.blocks import block_count
from leitong.indexer.fingerprint.idf import IdfTable
from leitong.indexer.fingerprint.recipe import Recipe, from_settings
from leitong.mappings import VERSION, documents

MOVING_TO: Final = "moving_to"
"""Where an index says which index its documents are on their way to, under `_meta.leitong`: its writers wait, and
whoever finds it later knows what a killed run has left."""
_IDF: Final = "recipe.idf.gz"


@dataclass(frozen=True)
class Header:
    """What the mappings say. `companion` is the name of the index beside it, `layout` where the texts are."""

    mapping_version: int
    recipe: Recipe
    recipe_id: str
    created: datetime
    companion: str
    layout: Layout

    def meta(self) -> dict[str, Any]:
        """What stands under `_meta.leitong` of the index, beside the version of the fields."""
        meta: dict[str, Any] = {
            "recipe_id": self.recipe_id,
            "recipe": self.recipe.settings(),
            "created": self.created.isoformat(),
            "companion": self.companion,
        }
        if isinstance(self.layout, TheirLayout):
            meta["attached"] = {"text": list(self.layout.fields.text), "title": self.layout.fields.title}
        return meta


def exists(server: Server) -> bool:
    """Whether there is an index of this name, ours or not."""
    return bool(mappings(server))


def create(server: Server, recipe: Recipe, recipe_id: str) -> Header:
    """Make the index, its companion first. Another process that makes it at the same time may win: then read it."""
    index = server.locator.index
    if server.locator.is_pattern:
        raise UsageError(f"{index} names no index that is there, and a name with * cannot be given to a new one.")
    created = datetime.now(UTC).replace(microsecond=0)
    header = Header(VERSION, recipe, recipe_id, created, f"{index}-leitong", OwnLayout())
    make_companion(server, header)
    template = documents(server.product, blocks=block_count(recipe.bits))
    answer = server.request("PUT", f"/{index}", body=template.body(header.meta()), allow=(400,))
    if "error" in answer:
        if "already_exists" not in str(answer["error"]):
            raise server.refusal(400, answer)
        return read(server)
    check_made(server, index, header.companion)
    return header


def make_companion(server: Server, header: Header) -> None:
    """Make the companion of an index anew, with the recipe's table in it."""
    notes = Notes(server, header.companion)
    notes.create()
    check_made(server, header.companion)
    if header.recipe.idf:
        notes.write(_IDF, header.recipe.idf.packed())


def read(server: Server) -> Header:
    """The header. Raises MissingIndexError, ForeignIndexError, NewerIndexError or EngineError."""
    where = server.locator
    found = mappings(server)
    if not found:
        raise failures.missing(str(where))
    ours = {name: meta for name, mapping in found.items() if (meta := meta_of(mapping)) is not None}
    if not ours and any(made_by_server(mapping) for mapping in found.values()):
        raise ForeignIndexError(
            f"The index {where} has fingerprints in it and not our mapping: it was deleted while documents were on "
            "their way, and the server made it anew by itself, or it was filled before it was attached. If nobody else "
            "fills it, delete it; then index again, or attach it while it is empty and fill it."
        )
    if not ours:
        raise ForeignIndexError(
            f"The index {where} is no Leitong index: its mapping has no _meta.leitong with a recipe. Name another one "
            "with --index (a name that is not taken is made a new index), or add fingerprints to this one with: "
            f"leitong attach {where} --text-field FIELD"
        )
    (first, meta), *others = ours.items()
    for name, other in others:
        if "attached" not in meta or "attached" not in other:
            raise EngineError(f"{where} names several indexes ({', '.join(sorted(ours)[:5])}). Name one of them.")
        if any(meta.get(key) != other.get(key) for key in ("recipe_id", "attached")):
            raise EngineError(
                f"{where} names indexes that do not fit together: {first} and {name} were attached with other recipes "
                "or fields. Name one of them, or detach one and attach it again."
            )
    properties: dict[str, Any] = {}
    for mapping in found.values():
        properties = {**mapping.get("properties", {}), **properties}
    return _parsed(server, first, meta, properties, several=server.locator.stands_for_several(found))


def made_by_server(mapping: Mapping[str, Any]) -> bool:
    """Whether a server guessed the kinds of our fields."""
    ours = mapping.get("properties", {}).get(OURS, {}).get("properties", {})
    return bool(ours.get("fp", {}).get("type") == "text")


def check(server: Server, header: Header) -> None:
    """Raise an EngineError unless the index is still the one that was opened; somebody may have deleted it."""
    now = read(server)
    if (now.recipe_id, now.created) != (header.recipe_id, header.created):
        raise EngineError(
            f"The index {server.locator} is another one than when this began: it was made anew, or its alias was "
            "switched, and what was sent since then went there. Run again."
        )


def mappings(server: Server) -> dict[str, Mapping[str, Any]]:
    """The mapping of each index behind the name, by the index's own name; none where there is no such index."""
    answer = server.request("GET", f"/{server.locator.index}/_mapping", allow=(404,))
    return {} if "error" in answer else {name: one.get("mappings", {}) for name, one in sorted(answer.items())}


def meta_of(mapping: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What a mapping says of us; None where it says nothing."""
    meta = mapping.get("_meta", {}).get("leitong")
    return meta if isinstance(meta, Mapping) and "recipe" in meta else None


def moving_to(mapping: Mapping[str, Any]) -> str | None:
    """The index that the documents of this one are on their way to, see `upgrade`."""
    name = (meta_of(mapping) or {}).get(MOVING_TO)
    return None if name is None else str(name)


def _parsed(
    server: Server, index: str, meta: Mapping[str, Any], properties: Mapping[str, Any], *, several: bool
) -> Header:
    where = server.locator
    try:
        version = int(meta["mapping_version"])
        if version > VERSION:
            raise NewerIndexError(
                f"The index {where} has fields of version {version}; this Leitong knows versions up to {VERSION}. "
                "Upgrade with: pip install -U leitong"
            )
        companion = str(meta.get("companion", f"{index}-leitong"))
        table = _unpacked(Notes(server, companion).read(_IDF)) if meta["recipe"]["idf"] else None
        layout: Layout = OwnLayout()
        if attached := meta.get("attached"):
            fields = TextFields(tuple(attached["text"]), attached["title"])
            layout = TheirLayout(fields, properties, several=several)
        recipe = from_settings(meta["recipe"], table=table)
        created = datetime.fromisoformat(meta["created"])
        return Header(version, recipe, str(meta["recipe_id"]), created, companion, layout)
    except (ValueError, KeyError, TypeError, RecipeError) as error:
        raise EngineError(
            f"The index {where} is damaged: its mapping's _meta.leitong cannot be read ({error}). Restore it from a "
            "snapshot, or index anew."
        ) from error


def _unpacked(content: bytes | None) -> IdfTable:
    if content is None:
        raise RecipeError("the idf table is not in the companion index")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / _IDF
        path.write_bytes(content)
        return IdfTable.load(path)
