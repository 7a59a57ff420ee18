"""The lines of a text file whose encoding has to be found out while it is read."""

import io
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from leitong.indexer.sources.base import MAX_RECORD_BYTES
from leitong.indexer.sources.encoding import SAMPLE_BYTES, display, guess, marked, unmarked
from leitong.indexer.sources.streams import Line, read_lines


@dataclass(frozen=True, slots=True)
class TextLine:
    """A decoded line, its end included; `problem` says why it cannot be used."""

    number: int
    text: str
    problem: str | None


class TextLines:
    """Decodes lines. The encoding is settled by what stands from the first byte beyond ASCII on."""

    def __init__(self, reader: io.BufferedReader) -> None:
        self._reader = reader
        self._encoding: str | None = None
        self._damaged = False
        self.number = 0

    def __iter__(self) -> Iterator[TextLine]:
        """Each line; bytes that do not fit the encoding stand in it as lone surrogates."""
        first = self._reader.peek(4)
        mark = marked(first) or (unmarked(first) if b"\0" in first else None)
        if mark is not None and mark != "utf-8-sig":
            self._encoding = mark
            yield from self._wide(mark)
            return
        lines = read_lines(self._reader)
        ahead: deque[Line] = deque()
        while True:
            line = ahead.popleft() if ahead else next(lines, None)
            if line is None:
                return
            self.number = line.number
            data = line.data.removeprefix(b"\xef\xbb\xbf") if line.number == 1 else line.data
            if self._encoding is None and not data.isascii():
                have = len(data)
                while have < SAMPLE_BYTES and (more := next(lines, None)) is not None:
                    ahead.append(more)
                    have += more.size
                sample = b"".join((data, *(more.data for more in ahead)))
                self._encoding = "utf-8" if mark else guess(sample[: 2 * SAMPLE_BYTES]) or "utf-8"
            yield TextLine(line.number, self._decode(data), line.too_long)

    def _decode(self, data: bytes) -> str:
        encoding = self._encoding or "ascii"
        try:
            return data.decode(encoding)
        except UnicodeError:
            self._damaged = True
            return data.decode(encoding, "surrogateescape")

    def _wide(self, encoding: str) -> Iterator[TextLine]:
        """UTF-16 and UTF-32 cannot be cut at newline bytes; what is no character becomes U+FFFD, and is noticed."""
        wide = io.TextIOWrapper(self._reader, encoding=encoding, errors="replace", newline="\n")
        while text := wide.readline(MAX_RECORD_BYTES // 4):
            self.number += 1
            problem = None
            if len(text) == MAX_RECORD_BYTES // 4 and not text.endswith("\n"):
                while (more := wide.readline(1 << 16)) and not more.endswith("\n"):
                    pass
                problem = "the line is too long; put one record on each line"
            self._damaged = self._damaged or "\ufffd" in text
            yield TextLine(self.number, text, problem)

    def damage(self, raw: str) -> str | None:
        """Why the text of a row is not as it was written; None when it is."""
        if self._damaged and any("\udc80" <= letter <= "\udcff" or letter == "\ufffd" for letter in raw):
            encoding = display(self._encoding or "utf-8")
            return f"the row is not valid {encoding}, which the file was taken for; save the file as UTF-8"
        return None

    @staticmethod
    def bytes_shown(raw: str) -> str:
        r"""The row with undecoded bytes as `\xff`."""
        return raw.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
