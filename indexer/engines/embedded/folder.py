"""What is in the folder of an embedded index, and is it ours?

leitong.json      format, recipe, when made: written once, before anything else
recipe.idf.gz     the recipe's idf table, where it has one
tantivy/          the search library's files
notes/            what was learned from the documents
rejects.jsonl     records of the last run that were not indexed
"""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from leitong.indexer.engines.embedded import schema
from leitong.indexer.errors import (
    EngineError,
    ForeignIndexError,
    MissingIndexError,
    NewerIndexError,
    RecipeError,
)
from leitong.indexer.files import DRAFT, held, replace_file, storage_error
from leitong.indexer.fingerprint.idf import IdfTable
from leitong.indexer.fingerprint.recipe import Recipe, from_settings

FORMAT: Final = schema.FORMAT
_HEADER: Final = "leitong.json"
_IDF: Final = "recipe.idf.gz"
TANTIVY: Final = "tantivy"
NOTES: Final = "notes"
REJECTS: Final = "rejects.jsonl"


@dataclass(frozen=True)
class Header:
    """What the folder says of itself."""

    format: int
    recipe: Recipe
    recipe_id: str
    created: datetime


def exists(path: Path) -> bool:
    """Whether the folder holds an index of ours, of any version. Raises StorageError where that cannot be seen."""
    with _seen(path):
        return (path / _HEADER).is_file()


def create(path: Path, recipe: Recipe, recipe_id: str, *, fill: Callable[[], object]) -> Header:
    """Make the folder, have it filled, and write its header last, so that a folder with a header is complete.

    Of several who do so at once the first one makes it, and all get its header. Raises ForeignIndexError for a folder
    with other files in it.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (NotADirectoryError, FileExistsError) as error:
        raise ForeignIndexError(f"{path} is a file, not a folder. Choose another place with --index.") from error
    except OSError as error:
        raise storage_error(error, path, "create an index in") from error
    with held(path):
        return read(path) if exists(path) else _make(path, recipe, recipe_id, fill)


def _make(path: Path, recipe: Recipe, recipe_id: str, fill: Callable[[], object]) -> Header:
    header = Header(FORMAT, recipe, recipe_id, datetime.now(UTC).replace(microsecond=0))
    try:
        others = sorted(
            entry.name
            for entry in path.iterdir()
            if entry.name not in (_IDF, TANTIVY, REJECTS)
            and not (entry.name.startswith(_HEADER) and entry.name.endswith(DRAFT))
        )
        if others:
            raise ForeignIndexError(
                f"The folder {path} holds other files ({others[0]!r}) and is no Leitong index. "
                "Choose an empty or a new folder with --index."
            )
        (path / TANTIVY).mkdir(exist_ok=True)
        if recipe.idf:
            recipe.idf.save(path / _IDF)
        text = json.dumps(
            {
                "format": FORMAT,
                "recipe": recipe.settings(),
                "recipe_id": recipe_id,
                "created": header.created.isoformat(),
            },
            ensure_ascii=False,
            indent=1,
        )
    except OSError as error:
        raise storage_error(error, path, "create an index in") from error
    fill()
    replace_file(path / _HEADER, f"{text}\n".encode())
    return header


def read(path: Path) -> Header:
    """The folder's header. Raises MissingIndexError, ForeignIndexError, NewerIndexError or EngineError."""
    with _seen(path):
        there, is_folder = path.exists(), path.is_dir()
    if not there:
        raise MissingIndexError(f"There is no index at {path}. Make one with: leitong index SOURCE --index {path}")
    if not is_folder:
        raise ForeignIndexError(f"{path} is a file, not the folder of an index. Name the folder with --index.")
    try:
        raw = (path / _HEADER).read_bytes()
    except FileNotFoundError:
        if not any(path.iterdir()):
            raise MissingIndexError(
                f"The folder {path} is empty. Fill it with: leitong index SOURCE --index {path}"
            ) from None
        raise ForeignIndexError(
            f"The folder {path} is no Leitong index: it has no {_HEADER}. Name the right folder with --index."
        ) from None
    except OSError as error:
        raise EngineError(f"Cannot read {path / _HEADER}: {error.strerror}. Check the folder's permissions.") from error
    try:
        values = json.loads(raw)
        version = int(values["format"])
        if version > FORMAT:
            raise NewerIndexError(
                f"The index {path} has format {version}; this Leitong reads formats up to {FORMAT}. "
                "Upgrade with: pip install -U leitong"
            )
        if version < FORMAT:
            raise EngineError(
                f"The index {path} has format {version}, of a Leitong before 0.1.0, which finds less than this one "
                "asks for. Index the documents into another folder, and delete this one."
            )
        table = IdfTable.load(path / _IDF) if values["recipe"]["idf"] else None
        created = datetime.fromisoformat(values["created"])
        return Header(version, from_settings(values["recipe"], table=table), str(values["recipe_id"]), created)
    except (ValueError, KeyError, TypeError, RecipeError) as error:
        raise EngineError(
            f"The index {path} is damaged: {_HEADER} cannot be read ({error}). Restore it from a backup, or index anew."
        ) from error


def require_data(path: Path) -> None:
    """Raise EngineError where the header stands and the documents are gone."""
    if not (path / TANTIVY / "meta.json").is_file():
        raise EngineError(
            f"The index {path} is damaged: its documents are gone ({path / TANTIVY} has no meta.json). "
            "Restore it from a backup, or delete the folder and index anew."
        )


def share(path: Path) -> None:
    """Let everybody read tantivy's lists of files who may read the header: it makes them for their owner alone."""
    mode = (path / _HEADER).stat().st_mode & 0o777
    for name in ("meta.json", ".managed.json"):
        (path / TANTIVY / name).chmod(mode)


def size_of(path: Path) -> int:
    """Bytes of the index: what else lies in the folder (rejects, a report) is not counted, nor a file that vanishes."""
    files = [path / _HEADER, path / _IDF]
    for part in (TANTIVY, NOTES):
        files += (Path(folder) / name for folder, _, names in os.walk(path / part) for name in names)
    return sum(map(_size, files))


@contextmanager
def _seen(path: Path) -> Iterator[None]:
    """What keeps us from looking at a path as a sentence."""
    try:
        yield
    except OSError as error:
        raise storage_error(error, path, "look for an index at") from error


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
