"""Which source does a name on the command line mean?"""

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from leitong.indexer.errors import SourceError
from leitong.indexer.plain import shell_word
from leitong.indexer.sources.base import USUAL_FIELDS, FieldNames, Source, explain, printable
from leitong.indexer.sources.csv import Table
from leitong.indexer.sources.files import TextFile
from leitong.indexer.sources.folder import Folder
from leitong.indexer.sources.ids import ContentIds
from leitong.indexer.sources.jsonl import JsonLines
from leitong.indexer.sources.parquet import ParquetFile
from leitong.indexer.sources.streams import ByteInput
from leitong.indexer.sources.weighted import WeightedLines

STDIN: Final = "-"

_URL: Final = re.compile(r"([a-z][a-z0-9+.]*)://", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Opening:
    """All that a source may need to be opened."""

    path: Path
    fields: FieldNames
    ids: ContentIds

    @property
    def bytes(self) -> ByteInput:
        return ByteInput(printable(str(self.path)), self.path, packed=self.path.suffix.lower() == ".gz")


@dataclass(frozen=True, slots=True)
class _Format:
    """A kind of file, known by its ending. A new kind is one entry of `_FORMATS`."""

    endings: tuple[str, ...]
    open: Callable[[_Opening], Source]


def _jsonl(opening: _Opening) -> Source:
    return JsonLines(opening.bytes, fields=opening.fields, ids=opening.ids)


def _csv(opening: _Opening) -> Source:
    return Table(opening.bytes, delimiter=",", fields=opening.fields, ids=opening.ids)


def _tsv(opening: _Opening) -> Source:
    return Table(opening.bytes, delimiter="\t", fields=opening.fields, ids=opening.ids)


def _parquet(opening: _Opening) -> Source:
    return ParquetFile(opening.path, fields=opening.fields, ids=opening.ids)


def _text(opening: _Opening) -> Source:
    return TextFile(opening.path)


_FORMATS: Final = (
    _Format((".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz"), _jsonl),
    _Format((".csv", ".csv.gz"), _csv),
    _Format((".tsv", ".tsv.gz"), _tsv),
    _Format((".parquet",), _parquet),
    _Format((".txt",), _text),
    _Format((".md", ".markdown"), _text),
    _Format((".html", ".htm"), _text),
)
ENDINGS: Final = tuple(ending for kind in _FORMATS for ending in kind.endings)
"""Every ending that a file may have."""


def open_sources(
    names: Sequence[str], fields: FieldNames = USUAL_FIELDS, *, stdin: BinaryIO | None = None
) -> tuple[Source, ...]:
    """The sources that these names mean, in their order; all of them are looked at before the first is read.

    Each source is read once: to read again, open again. Together they are one run, in which records without an id and
    with the same content are numbered.

    Args:
        names: files, folders, and `-` for JSON lines on stdin.
        fields: which fields of a record are what.
        stdin: where `-` is read from, in bytes; it is not closed.

    Raises:
        SourceError: a name means nothing that can be read; the message says which and what to do.
        MissingExtraError: an optional package is needed for one of them.
    """
    if not names:
        raise SourceError(f"There is nothing to read. Name files ({_known()}), folders, or - for JSON lines on stdin.")
    if names.count(STDIN) > 1:
        raise SourceError("Stdin (-) is named twice, and it can be read only once. Name it once.")
    ids = ContentIds()
    return tuple(_open(name, fields, ids, stdin) for name in names)


def open_weighted(name: str, *, stdin: BinaryIO | None = None) -> Source:
    """Lines of words with weights, from a file of any name or from `-`. Raises SourceError."""
    if name == STDIN and stdin is not None:
        return WeightedLines(ByteInput("stdin", stdin), fields=USUAL_FIELDS, ids=ContentIds())
    path = Path(name)
    if not (path.is_file() or path.is_fifo()):
        if path.exists():
            raise SourceError(f"{printable(name)!r} is a folder or a device, no file. Name a file, or - for stdin.")
        raise SourceError(f"There is no file {printable(name)!r}. Check the path{_link(path)}.")
    return WeightedLines(_Opening(path, USUAL_FIELDS, ContentIds()).bytes, fields=USUAL_FIELDS, ids=ContentIds())


def _open(name: str, fields: FieldNames, ids: ContentIds, stdin: BinaryIO | None) -> Source:
    if name == STDIN:
        if stdin is None:
            raise SourceError("There is no stdin to read (-). Name a file instead.")
        return JsonLines(ByteInput("stdin", stdin), fields=fields, ids=ids)
    shown = printable(name)
    if (url := _URL.match(name)) is not None:
        raise SourceError(
            f"{shown}: documents cannot be read from {url[1]}:// yet. Export them as JSON lines, one object a line."
        )
    path = Path(name)
    try:
        if not name or not path.exists():
            raise SourceError(f"There is no file or folder {shown!r}. Check the path{_link(path)}.")
        if path.is_dir():
            return Folder(path)
        kind = next((kind for kind in _FORMATS if path.name.lower().endswith(kind.endings)), None)
        if kind is None:
            raise SourceError(
                f"{shown} has no ending that tells what it is. Known: {_known()}. "
                f"Whatever its name, a file of JSON lines can be read as stdin: name - and add < {shown}{_array(path)}"
            )
        if not os.access(path, os.R_OK):
            raise SourceError(f"{shown} may not be read by you. Change its permissions, or run as its owner.")
        return kind.open(_Opening(path, fields, ids))
    except (OSError, ValueError) as error:  # a ValueError is a NUL inside the path
        reason = explain(error) if isinstance(error, OSError) else str(error)
        raise SourceError(f"{shown!r} cannot be read: {reason}. Check the path.") from None


def _known() -> str:
    return ", ".join(ENDINGS)


def _array(path: Path) -> str:
    listed = path.suffix.lower() == ".json"
    return (
        f"; a list of objects becomes such lines with jq -c '.[]' {shell_word(printable(str(path)))}" if listed else ""
    )


def _link(path: Path) -> str:
    return ", it is a link to nothing" if str(path) and path.is_symlink() else ""
