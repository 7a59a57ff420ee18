"""How are bytes read from a file or stdin, packed or not, so that damage loses nothing that stands before it?"""

import io
import os
import stat
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, cast

from leitong.indexer.sources.base import MAX_RECORD_BYTES, explain

_GZIP_MAGIC: Final = b"\x1f\x8b"
_READ: Final = 1 << 18
_BUFFER: Final = 1 << 20
_KEPT: Final = 1_000_000


class ByteStream(io.RawIOBase):
    """Bytes of a file, unpacked when they are gzip. Damage ends the stream early and is told in `damage`;
    it is `doubtful` where bytes that were given may be wrong too: a checksum is seen after what it vouches for.

    Args:
        raw: what to read from.
        packed: the name promises gzip. Without the promise gzip is known by its first two bytes, which begin no text.
        borrowed: `raw` belongs to someone else and stays open.
    """

    def __init__(self, raw: BinaryIO, *, packed: bool, borrowed: bool) -> None:
        super().__init__()
        self.position = 0
        self.damage: str | None = None
        self.doubtful = False
        self._read_some = getattr(raw, "read1", raw.read)  # read1 does not wait until a pipe has filled the buffer
        self._raw = raw
        self._packed = packed
        self._borrowed = borrowed
        self._begun = False
        self._given = 0
        self._waiting = b""
        self._unpacker: zlib._Decompress | None = None
        self._unvouched = 0

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        """Bytes handed on, unpacked."""
        return self._given

    def readinto(self, buffer: "memoryview | bytearray", /) -> int:  # type: ignore[override]
        if self.damage is not None:
            return 0
        try:
            data = self._next(len(buffer))
        except OSError as error:
            self.damage = f"it cannot be read any further ({explain(error)}); what stood before this was read"
            return 0
        buffer[: len(data)] = data
        self._given += len(data)
        return len(data)

    def _fetch(self) -> bytes:
        data: bytes = self._read_some(_READ)
        self.position += len(data)
        return data

    def _next(self, size: int) -> bytes:
        if not self._begun:
            self._begun = True
            while len(self._waiting) < 2 and (data := self._fetch()):
                self._waiting += data
            found = self._waiting.startswith(_GZIP_MAGIC)
            if self._packed and self._waiting and not found:
                self.damage = "it is not gzip, though its name says so; name it by what it is, or pack it anew"
                return b""
            self._packed = found
        if self._packed:
            return self._unpack(size)
        if not self._waiting:
            self._waiting = self._fetch()
        data, self._waiting = self._waiting[:size], self._waiting[size:]
        return data

    def _unpack(self, size: int) -> bytes:
        while True:
            if not self._waiting:
                self._waiting = self._fetch()
                if not self._waiting:
                    if self._unpacker is not None:
                        self.damage = "the gzip data end too early, as after a broken download; get the file anew"
                    return b""
            if self._unpacker is None:
                self._waiting = self._waiting.lstrip(b"\0")  # padding between and after members is allowed
                if not self._waiting:
                    continue
                self._unpacker = zlib.decompressobj(wbits=31)
                self._unvouched = 0
            before = self._unpacker.copy()
            try:
                data = self._unpacker.decompress(self._waiting, size)
            except zlib.error as error:
                problem = str(error).partition(": ")[2] or str(error)
                data = _salvage(before, self._waiting)[:size]
                self.doubtful = self._unvouched + len(data) > 0
                rest = (
                    "records before it in this file may be wrong; get the file anew"
                    if self.doubtful
                    else "what stood before this was read"
                )
                self.damage = f"the gzip data are damaged ({problem}); {rest}"
                return data
            self._unvouched += len(data)
            if self._unpacker.eof:
                self._waiting, self._unpacker = self._unpacker.unused_data, None
            else:
                self._waiting = self._unpacker.unconsumed_tail
            if data:
                return data

    def close(self) -> None:
        if not self.closed and not self._borrowed:
            self._raw.close()
        super().close()


def _salvage(unpacker: "zlib._Decompress", data: bytes) -> bytes:
    """What can be unpacked up to the damage; zlib gives nothing of a call that fails."""
    parts: list[bytes] = []
    try:
        for place in range(len(data)):
            parts.append(unpacker.decompress(data[place : place + 1]))
    except zlib.error:
        pass
    return b"".join(parts)


class Line(NamedTuple):
    """One line as it stands in the file, its end included. Of a line that is too long only the beginning is kept."""

    number: int
    data: bytes
    size: int

    @property
    def too_long(self) -> str | None:
        """Why the line is not taken; None when it is."""
        if self.size <= MAX_RECORD_BYTES:
            return None
        return (
            f"the line has {self.size:,} bytes, more than {MAX_RECORD_BYTES:,}; put one record on each line "
            f"(only its first {_KEPT:,} bytes are kept here)"
        )


def read_lines(reader: io.BufferedReader) -> Iterator[Line]:
    """Lines of a stream, in memory only one at a time and none beyond MAX_RECORD_BYTES."""
    number = 0
    while data := reader.readline(MAX_RECORD_BYTES):
        number += 1
        size = len(data)
        if size == MAX_RECORD_BYTES:
            last = data
            while not last.endswith(b"\n") and (last := reader.readline(_BUFFER)):
                size += len(last)
            if size > MAX_RECORD_BYTES:
                data = data[:_KEPT]
        yield Line(number, data, size)


@dataclass(frozen=True)
class ByteInput:
    """A file by its path, or a stream that is open already.

    Args:
        name: what people know it by.
        place: path, or stream.
        packed: the name promises gzip.
    """

    name: str
    place: Path | BinaryIO
    packed: bool = False

    def open(self) -> ByteStream:
        """Open for reading. Raises OSError."""
        if isinstance(self.place, Path):
            return ByteStream(cast(BinaryIO, self.place.open("rb", buffering=0)), packed=self.packed, borrowed=False)
        return ByteStream(self.place, packed=self.packed, borrowed=True)

    def size(self) -> int | None:
        """Bytes in all; None for a pipe and for what is not there."""
        try:
            status = self.place.stat() if isinstance(self.place, Path) else os.fstat(self.place.fileno())
        except (OSError, ValueError):
            return None
        return status.st_size if stat.S_ISREG(status.st_mode) else None


def read_at_most(stream: BinaryIO, most: int) -> bytes:
    """All bytes of a stream, or the first so many: one read of a pipe gives fewer than it was asked for."""
    parts: list[bytes] = []
    while most > 0 and (data := stream.read(min(most, _READ))):
        parts.append(data)
        most -= len(data)
    return b"".join(parts)


def buffered(stream: ByteStream) -> io.BufferedReader:
    """The stream with a buffer that suits both short and long lines."""
    return io.BufferedReader(stream, _BUFFER)
