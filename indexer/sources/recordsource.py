"""What do all sources of records share? Their names, and how a file of them is opened and ends."""

import io
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from leitong.indexer.documents import Reject
from leitong.indexer.sources.base import FieldNames, Record, explain
from leitong.indexer.sources.ids import ContentIds
from leitong.indexer.sources.records import RecordReader
from leitong.indexer.sources.streams import ByteInput, ByteStream, buffered

UNNAMED: Final = "column "
"""What the made-up names of columns without one begin with."""


def column_names(given: Sequence[str]) -> list[str]:
    """Column names without blanks around them; made up for unnamed ones, told apart where one stands twice."""
    names: list[str] = []
    for number, cell in enumerate(given, 1):
        name = cell.strip() or f"{UNNAMED}{number}"
        names.append(f"{name} ({UNNAMED}{number})" if name in names else name)
    return names


class RecordSource:
    """A source whose records have fields."""

    def __init__(self, name: str, *, fields: FieldNames, ids: ContentIds) -> None:
        self.name = name
        self._records = RecordReader(source=name, fields=fields, ids=ids)

    @property
    def line(self) -> int:
        """Where the record given last began."""
        return self._records.line

    @property
    def remarks(self) -> Sequence[str]:
        """Named fields that no record had."""
        return self._records.remarks

    def _reject(self, reason: str, *, line: int = 0, raw: str = "") -> Reject:
        """Without `raw` it is the whole source that is rejected."""
        return self._records.reject(reason, line=line, raw=raw or self.name)


class ByteSource(RecordSource, ABC):
    """Records in the lines of a file, or of stdin; plain or gzip. It is read once."""

    def __init__(self, place: ByteInput, *, fields: FieldNames, ids: ContentIds) -> None:
        super().__init__(place.name, fields=fields, ids=ids)
        self.size = place.size()
        self._place = place
        self._stream: ByteStream | None = None
        self._reader: io.BufferedReader | None = None
        self._lines = 0

    @property
    def position(self) -> int:
        """Bytes of the records given so far, compressed ones for gzip; those of all at the end."""
        if self._stream is None or self._reader is None:
            return 0
        if self._reader.closed:
            return self._stream.position
        return self._stream.position * self._reader.tell() // max(1, self._stream.tell())

    def __iter__(self) -> Iterator[Record]:
        """Each record, and at the end what is wrong with the file."""
        try:
            self._stream = self._place.open()
        except OSError as error:
            yield self._reject(f"it cannot be opened ({explain(error)})")
            return
        self._reader = buffered(self._stream)
        with self._reader as reader:
            yield from self._read(reader)
            if self._damage is not None:
                reject = self._reject(self._damage, line=self._lines + 1 if self._lines else 0)
                yield replace(reject, doubtful=self._stream.doubtful)

    @property
    def _damage(self) -> str | None:
        """Why the bytes ended early; None when they did not, or not yet."""
        return self._stream.damage if self._stream is not None else None

    @abstractmethod
    def _read(self, reader: io.BufferedReader) -> Iterator[Record]:
        """Each record; keeps `_lines` at the number of lines read."""
