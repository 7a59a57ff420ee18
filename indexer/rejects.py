"""Where do records go that cannot be indexed?"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import orjson

from leitong.indexer import exactjson
from leitong.indexer.documents import Document, Reject
from leitong.indexer.errors import UsageError
from leitong.indexer.files import begins_with, check_output, storage_error
from leitong.indexer.sources.base import Source

_BEGINNING: Final = b'{"source":'
_REJECTING: Final = "write rejected records (--rejects) to"


class RejectsFile:
    """Records that were not indexed, one JSON object a line. The file is begun anew by the first reject of a run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.count = 0

    def add(self, reject: Reject) -> None:
        """Append a record. Raises StorageError."""
        line = {
            "source": reject.source,
            "line": reject.line,
            "id": reject.id,
            "reason": reject.reason,
            "record": reject.record,
        }
        try:
            content = orjson.dumps(line)
        except TypeError:  # lone surrogates
            printable = {key: _printable(value) for key, value in line.items()}
            content = orjson.dumps(printable)
        try:
            with self.path.open("wb" if self.count == 0 else "ab") as file:
                file.write(content + b"\n")
        except OSError as error:
            raise storage_error(error, self.path, _REJECTING) from error
        self.count += 1

    def finish(self) -> None:
        """Remove the file of an earlier run where this one had nothing to reject."""
        if self.count == 0 and self.path.is_file() and begins_with(self.path, _BEGINNING):
            self.path.unlink()


def check_rejects(path: Path, sources: Iterable[Source] = ()) -> None:
    """Raise StorageError where no file of rejects can be written, UsageError where it would replace a source or any
    other file than the rejects of an earlier run."""
    for source in sources:
        if path.is_file() and Path(source.name).is_file() and path.samefile(source.name):
            raise UsageError(f"{path} is a source, and rejects would replace it. Name another file with --rejects.")
    check_output(path, _REJECTING, kind="file of rejects", beginning=_BEGINNING)


def _printable(value: object) -> object:
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


def as_record(document: Document) -> str:
    """A document that was read, as the JSON of a record."""
    values = {"id": document.id, "title": document.title, "text": document.text, **document.metadata}
    return exactjson.dumps(values, default=str).decode()
