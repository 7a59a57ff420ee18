"""Documents from CSV and TSV: a header, then a document on each row; quoted fields may hold newlines.

A header delimited by semicolons, tabs or bars is known by the columns it then names, whatever the file's ending.
"""

import csv
import io
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from leitong.indexer.plain import counted
from leitong.indexer.sources.base import MAX_RECORD_BYTES, FieldNames, Record
from leitong.indexer.sources.ids import ContentIds
from leitong.indexer.sources.recordsource import UNNAMED, ByteSource, column_names
from leitong.indexer.sources.streams import ByteInput
from leitong.indexer.sources.textlines import TextLine, TextLines

_BINARY: Final = "it holds NUL characters, so it is binary data, or UTF-16 without a mark; save the file as UTF-8"
_RETURNS: Final = "its lines end in carriage returns alone, as on old Macs; save it as CSV in UTF-8"
_DELIMITERS: Final = (",", ";", "\t", "|")
_TOLD: Final = re.compile(r'"?sep=([,;\t|])"?\s*')


class Table(ByteSource):
    """CSV or TSV, in whatever encoding. `line` of a reject is the first line of its row.

    Quotes must add up: a row where they do not is rejected by its first line alone, and reading goes on at the next
    line, so a quote that is never closed does not swallow the rest. Where tabs delimit, such a line is taken as it
    stands when it has as many columns as the header, since many programs write TSV without quoting.
    """

    def __init__(self, place: ByteInput, *, delimiter: str, fields: FieldNames, ids: ContentIds) -> None:
        """`delimiter` is the usual one of such files; the header may show that it is another one."""
        super().__init__(place, fields=fields, ids=ids)
        self._delimiter = delimiter

    def _read(self, reader: io.BufferedReader) -> Iterator[Record]:
        csv.field_size_limit(max(csv.field_size_limit(), MAX_RECORD_BYTES))
        text = TextLines(reader)
        header: list[str] = []
        found = False
        lines = self._from_header(text)
        for row in _Rows(lines, self._delimiter):
            self._lines = text.number
            if row.problem is None and not any(map(str.strip, row.cells)):
                continue
            if not header:
                problem = _BINARY if "\0" in row.raw else row.problem or text.damage(row.raw)
                problem = _RETURNS if row.problem and _ends_in_returns(row.raw) else problem
                header = [] if problem else column_names(row.cells)
                problem = problem or self._records.lacking(header)
                if problem is not None:
                    problem = f"the first line must name the columns: {problem}"
                    yield self._reject(problem, line=row.line, raw=text.bytes_shown(row.raw).rstrip("\r\n"))
                    return
                continue
            found = True
            yield self._record(row, header, text)
        self._lines = text.number
        if self._damage is None and not found:
            reason = "there is a header and no row below it" if header else "it is empty"
            yield self._reject(reason, line=1 if header else 0)

    def _from_header(self, text: TextLines) -> Iterator[TextLine]:
        """The lines from the header on, which tells the delimiter; so does the line `sep=;` that Excel writes."""
        lines = iter(text)
        first = next((line for line in lines if line.text.strip()), None)
        if first is not None and (told := _TOLD.fullmatch(first.text)) is not None:
            self._delimiter = told[1]
        elif first is not None:
            self._delimiter = self._found_in(first.text)
            lines = chain([first], lines)
        return lines

    def _found_in(self, header: str) -> str:
        """The delimiter with which the header names the columns that are needed; else the one with most columns."""
        best, most = self._delimiter, 1
        for delimiter in dict.fromkeys((self._delimiter, *_DELIMITERS)):
            try:
                names = column_names(next(csv.reader([header], delimiter=delimiter, strict=True)))
            except csv.Error:
                continue
            if self._records.lacking(names) is None:
                return delimiter
            if len(names) > most:
                best, most = delimiter, len(names)
        return best

    def _record(self, row: "_Row", header: list[str], text: TextLines) -> Record:
        def raw() -> str:
            return text.bytes_shown(row.raw).rstrip("\r\n")

        problem = row.problem or text.damage(row.raw)
        cells = row.cells
        if row.quotes and self._delimiter == "\t" and len(literal := _literal(row.raw)) == len(header):
            problem, cells = text.damage(row.raw), literal
        if problem is None and len(cells) != len(header):
            problem = (
                f"the row has {counted(len(cells), 'column')}, the header has {len(header)}; "
                "quote fields that hold the delimiter, a quote or a newline"
            )
        if problem is None and self._damage and not row.raw.endswith("\n"):
            problem = "the row is cut off where the file is damaged"
        if problem is not None:
            return self._reject(problem, line=row.line, raw=raw())
        record = {name: cell for name, cell in zip(header, cells, strict=True) if cell or not name.startswith(UNNAMED)}
        return self._records.read(record, line=row.line, raw=raw)


@dataclass(frozen=True, slots=True)
class _Row:
    """Cells of a row, and the text it was read from; `quotes`: it could not be cut because its quotes are wrong."""

    line: int
    raw: str
    cells: Sequence[str]
    problem: str | None = None
    quotes: bool = False


class _TooLongError(Exception):
    """A row, or a line, is beyond what is kept in memory."""


class _Rows:
    """Cuts lines into rows, and finds its feet again after a row that cannot be cut."""

    def __init__(self, lines: Iterable[TextLine], delimiter: str) -> None:
        self._lines = iter(lines)
        self._delimiter = delimiter
        self._again: deque[TextLine] = deque()
        self._taken: list[TextLine] = []
        self._length = 0

    def __iter__(self) -> Iterator[_Row]:
        reader = csv.reader(self._feed(), delimiter=self._delimiter, strict=True)
        while True:
            self._taken, self._length = [], 0
            try:
                cells = next(reader)
            except StopIteration:
                return
            except (csv.Error, _TooLongError) as error:
                first, *rest = self._taken
                self._again.extendleft(reversed(rest))
                reader = csv.reader(self._feed(), delimiter=self._delimiter, strict=True)
                quotes = first.problem is None
                yield _Row(first.number, first.text, (), problem=first.problem or _quoting(error), quotes=quotes)
                continue
            yield _Row(self._taken[0].number, "".join(line.text for line in self._taken), cells)

    def _feed(self) -> Iterator[str]:
        while True:
            line = self._again.popleft() if self._again else next(self._lines, None)
            if line is None:
                return
            self._taken.append(line)
            self._length += len(line.text)
            if line.problem is not None or self._length > MAX_RECORD_BYTES:
                raise _TooLongError
            yield line.text


def _ends_in_returns(raw: str) -> bool:
    """Whether what was taken for a line holds several that end in carriage returns."""
    return raw.rstrip("\r\n").count("\r") > raw.count("\n")


def _literal(raw: str) -> list[str]:
    """The cells of one TSV line whose quotes mean nothing."""
    return raw.rstrip("\r\n").split("\t")


def _quoting(error: Exception) -> str:
    """What the csv module means, in words."""
    message = str(error)
    if "expected after" in message:
        return 'the quotes do not add up; write a quote inside a quoted field twice ("")'
    if "new-line character" in message:
        return "a carriage return stands in the middle of the row; quote the field that holds it"
    return "a quote is opened here and not closed; close it, or write a quote inside a quoted field twice"
