"""Documents from JSON lines: one JSON object on each line; plain, gzip, or from stdin."""

import io
import re
from collections.abc import Iterator
from typing import Final

import orjson

from leitong.indexer import exactjson
from leitong.indexer.sources.base import Record
from leitong.indexer.sources.encoding import display, marked, unmarked
from leitong.indexer.sources.recordsource import ByteSource
from leitong.indexer.sources.streams import Line, read_lines

_BOM: Final = b"\xef\xbb\xbf"
_SURROGATE: Final = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")  # one half of a pair, written as if it were a character
_APART: Final = "put each object on one line: jq -c '.[]'"
"""What helps a list of objects."""
_NUMBER: Final = re.compile(rb"[:,\[]\s*-?(NaN|Infinity)\b")


class JsonLines(ByteSource):
    """JSON lines in UTF-8, as the format demands. `line` of a reject is the line of the file."""

    def _read(self, reader: io.BufferedReader) -> Iterator[Record]:
        found = 0
        for line in read_lines(reader):
            self._lines = line.number
            if line.number == 1 and (origin := _wide(line.data)) is not None:
                yield self._reject(
                    f"it is UTF-16 or UTF-32, and JSON lines are UTF-8; convert it with iconv {origin}-t UTF-8"
                )
                return
            data = line.data.rstrip(b"\r\n")
            data = data.removeprefix(_BOM) if line.number == 1 else data
            if data and not data.isspace():
                found += 1
                yield self._record(line, data)
        if self._damage is None and not found:
            yield self._reject("it holds nothing but blank lines" if self._lines else "it is empty")

    def _record(self, line: Line, data: bytes) -> Record:
        def raw() -> str:
            return data.decode("utf-8", "backslashreplace")

        if line.too_long is not None:
            return self._reject(line.too_long, line=line.number, raw=raw())
        try:
            value = exactjson.loads(data)
        except orjson.JSONDecodeError as error:
            return self._reject(_complaint(data, error), line=line.number, raw=raw())
        if not isinstance(value, dict):
            advice = _APART if isinstance(value, list) else 'write {"text": …}'
            return self._reject(f"the line is {_kind(value)}, not a JSON object; {advice}", line=line.number, raw=raw())
        return self._records.read(value, line=line.number, raw=raw)


def _wide(data: bytes) -> str | None:
    """For a file that begins as UTF-16 or UTF-32 does, what `iconv` has to be told of it; None for another."""
    if marked(data) in ("utf-16", "utf-32"):
        return ""
    return f"-f {display(found)} " if b"\0" in data and (found := unmarked(data)) is not None else None


def _complaint(data: bytes, error: orjson.JSONDecodeError) -> str:
    """Why a line is no JSON, and what to do."""
    try:
        data.decode()
    except UnicodeDecodeError as fault:
        if _SURROGATE.match(data, fault.start):
            return f"the line holds a lone surrogate (byte {fault.start + 1:,}), half a character; write the file anew"
        return (
            f"the line is not valid UTF-8: byte {fault.start + 1:,} is 0x{data[fault.start]:02x}; "
            "convert the file, from GB18030 with: iconv -f GB18030 -t UTF-8"
        )
    if "surrogate" in error.msg:
        return f"the line holds a lone surrogate (column {error.colno:,}), half a character; write the file anew"
    if (number := _NUMBER.search(data)) is not None:
        return f"the line is not JSON: it holds {number[1].decode()}, which JSON does not know; write null"
    if (opened := data.strip()) in (b"[", b"{"):
        advice = _APART if opened == b"[" else "put each object on one line: jq -c '.'"
        return f"the line is not JSON: what it opens ends on another one; {advice}"
    if "infinity" in error.msg:
        return f"the line holds a number beyond 1e308 (column {error.colno:,}); write it as a text"
    return f"the line is not JSON: {error.msg}, column {error.colno:,}; write one JSON object on each line"


def _kind(value: object) -> str:
    if value is None:
        return "null"
    return "a list" if isinstance(value, list) else "a text" if isinstance(value, str) else "a single value"
