"""Documents from files that are one document each: plain text, Markdown, HTML; and from a pipe, which is plain text."""

import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath
from typing import BinaryIO, Final

from leitong.indexer.documents import Document, Reject, check_limits
from leitong.indexer.errors import DocumentError
from leitong.indexer.sources.base import MAX_RECORD_BYTES, Record, explain, printable
from leitong.indexer.sources.encoding import decode
from leitong.indexer.sources.html import read_page
from leitong.indexer.sources.markdown import markdown_title
from leitong.indexer.sources.streams import read_at_most

_MARKDOWN: Final = (".md", ".markdown")
TEXT_ENDINGS: Final = (".txt", *_MARKDOWN, ".html", ".htm")

_CHARSET: Final = re.compile(rb"<meta\s[^>]*?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_META_BYTES: Final = 4096


class TextFile:
    """One file, one document. The id is the file's name; `line` of a reject is 0."""

    def __init__(self, path: Path) -> None:
        self.name = printable(str(path))
        self.size: int | None = path.stat().st_size
        self.position = 0
        self.line = 0
        self.remarks: Sequence[str] = ()
        self._path = path

    def __iter__(self) -> Iterator[Record]:
        """The document, or why there is none."""
        yield read_file(self._path, id=self._path.name, source=self.name)
        self.position = self.size or 0


def is_text_file(path: PurePath) -> bool:
    """Whether the ending is one of a file that is one document."""
    return path.suffix.lower() in TEXT_ENDINGS


def read_file(path: Path, *, id: str, source: str) -> Record:
    """The document in a file, or why there is none. The title is the page's or the first heading, or of front matter.

    A file without any has no title: its name is its id, and no part of what it says.
    """
    try:
        id.encode()
        title, text = _read(path)
        if not text.strip():
            raise DocumentError("there is no text in the file; leave it out")
        document = Document(id, text, title)
        check_limits(document)
    except UnicodeEncodeError:
        reason = "the file's name is not valid UTF-8, so it cannot be an id; rename it"
        return Reject(source, 0, reason, printable(str(path)), printable(id))
    except DocumentError as error:
        return Reject(source, 0, str(error), printable(str(path)), printable(id))
    except OSError as error:
        return Reject(source, 0, f"the file cannot be read ({explain(error)})", printable(str(path)), printable(id))
    return document


def read_piped(stream: BinaryIO, *, id: str) -> Record:
    """The plain text that a pipe brings, or why it is no document. No more is read than a document may have."""
    try:
        data = read_at_most(stream, MAX_RECORD_BYTES + 1)
        if len(data) > MAX_RECORD_BYTES:
            raise DocumentError(f"it has more than {MAX_RECORD_BYTES:,} bytes")
        text = decode(data)
        if not text.strip():
            raise DocumentError("there is no text in it")
        document = Document(id, text)
        check_limits(document)
    except DocumentError as error:
        return Reject(id, 0, str(error), id)
    except OSError as error:
        return Reject(id, 0, f"it cannot be read ({explain(error)})", id)
    return document


def _read(path: Path) -> tuple[str, str]:
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise DocumentError("this is no regular file (a device, a pipe or a folder); leave it out")
    if status.st_size == 0:
        raise DocumentError("it is empty")
    if status.st_size > MAX_RECORD_BYTES:
        raise DocumentError(f"the file has {status.st_size:,} bytes, more than {MAX_RECORD_BYTES:,}; split it")
    data = path.read_bytes()
    suffix = path.suffix.lower()
    if suffix in (".html", ".htm"):
        label = _CHARSET.search(data[:_META_BYTES])
        page = read_page(decode(data, label=label[1].decode() if label else None))
        return page.title, page.text
    text = decode(data)
    return markdown_title(text) if suffix in _MARKDOWN else "", text
