"""What does an index say of itself, and is it ours? Its mapping's `_meta.leitong` tells."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from leitong.indexer.engines.server import failures
from leitong.indexer.engines.server.notes import Notes
from leitong.indexer.engines.server.product import Server
from leitong.indexer.errors import EngineError, ForeignIndexError, NewerIndexError, RecipeError
from leitong.indexer.fingerprint.blocks import block_count
from leitong.indexer.fingerprint.idf import IdfTable
from leitong.indexer.fingerprint.recipe import Recipe, from_settings
from leitong.mappings import VERSION, documents

_IDF: Final = "recipe.idf.gz"


@dataclass(frozen=True)
class Header:
    """What the mapping says."""

    mapping_version: int
    recipe: Recipe
    recipe_id: str
    created: datetime


def exists(server: Server) -> bool:
    """Whether there is an index of this name, ours or not."""
    return _mapping(server) is not None


def create(server: Server, recipe: Recipe, recipe_id: str) -> Header:
    """Make the index, its companion first. Another process that makes it at the same time may win: then read it."""
    notes = Notes(server)
    notes.create()
    if recipe.idf:
        notes.write(_IDF, _packed(recipe.idf))
    created = datetime.now(UTC).replace(microsecond=0)
    template = documents(server.product, blocks=block_count(recipe.bits))
    meta = {"recipe_id": recipe_id, "recipe": recipe.settings(), "created": created.isoformat()}
    answer = server.request("PUT", f"/{server.locator.index}", body=template.body(meta), allow=(400,))
    if "error" in answer:
        if "already_exists" not in str(answer["error"]):
            raise server.refusal(400, answer)
        return read(server)
    return Header(template.version, recipe, recipe_id, created)


def read(server: Server) -> Header:
    """The header. Raises MissingIndexError, ForeignIndexError, NewerIndexError or EngineError."""
    where = server.locator
    mapping = _mapping(server)
    if mapping is None:
        raise failures.missing(str(where))
    meta = mapping.get("_meta", {}).get("leitong")
    if not isinstance(meta, Mapping) or "recipe" not in meta:
        raise ForeignIndexError(
            f"The index {where} is no Leitong index: its mapping has no _meta.leitong with a recipe. Name another one "
            "with --index; a name that is not taken is made a new index."
        )
    try:
        version = int(meta["mapping_version"])
        if version > VERSION:
            raise NewerIndexError(
                f"The index {where} has fields of version {version}; this Leitong knows versions up to {VERSION}. "
                "Upgrade with: pip install -U leitong"
            )
        table = _unpacked(Notes(server).read(_IDF)) if meta["recipe"]["idf"] else None
        recipe = from_settings(meta["recipe"], table=table)
        return Header(version, recipe, str(meta["recipe_id"]), datetime.fromisoformat(meta["created"]))
    except (ValueError, KeyError, TypeError, RecipeError) as error:
        raise EngineError(
            f"The index {where} is damaged: its mapping's _meta.leitong cannot be read ({error}). Restore it from a "
            "snapshot, or index anew."
        ) from error


def check(server: Server, header: Header) -> None:
    """Raise an EngineError unless the index is still the one that was opened; somebody may have deleted it."""
    now = read(server)
    if (now.recipe_id, now.created) != (header.recipe_id, header.created):
        raise EngineError(f"The index {server.locator} was made anew while it was in use. Run again.")


def _mapping(server: Server) -> Mapping[str, Any] | None:
    answer = server.request("GET", f"/{server.locator.index}/_mapping", allow=(404,))
    if "error" in answer:
        return None
    if len(answer) != 1:
        names = ", ".join(sorted(answer)[:5])
        raise EngineError(f"{server.locator} names several indexes ({names}). Name one of them.")
    mapping: Mapping[str, Any] = next(iter(answer.values())).get("mappings", {})
    return mapping


def _packed(table: IdfTable) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / _IDF
        table.save(path)
        return path.read_bytes()


def _unpacked(content: bytes | None) -> IdfTable:
    if content is None:
        raise RecipeError("the idf table is not in the companion index")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / _IDF
        path.write_bytes(content)
        return IdfTable.load(path)
