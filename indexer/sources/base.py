"""What is a source of documents, and which fields of a record make the document?

A source gives each record of one place (a file, a folder, stdin; later a table or another index) exactly once: as a
`Document`, or as a `Reject` that says what is wrong with it. It raises nothing once it is open: what happens on the way
(a damaged file, one that vanished) is a `Reject` too, so that everything else is still indexed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from leitong.indexer.documents import Document, Reject

MAX_RECORD_BYTES: Final = 64_000_000
"""A longer line, row or file is rejected unread: JSON may need six bytes for one of the 10,000,000 of a text."""

_LISTED: Final = 12
"""Names in a message."""

Record = Document | Reject
"""What becomes of a record."""


@dataclass(frozen=True, kw_only=True)
class FieldNames:
    """Which fields of a record are what; None means the usual names.

    A name with dots (`source.title`) reaches into objects where no field has that literal name.

    Args:
        id: usually `id`, else `_id`. Without it, or where it is null, the id is made from the content.
        title: usually `title`.
        text: usually `text`, else `content`, else `body`: what most exports call it. The first that is not null.
        metadata: usually every field that is not id, title or text. A field named `metadata` that holds an object is
            spread: its fields become metadata themselves, where the record has no field of that name.
    """

    id: str | None = None
    title: str | None = None
    text: str | None = None
    metadata: tuple[str, ...] | None = None

    @property
    def id_names(self) -> tuple[str, ...]:
        """Where to look for the id, in this order."""
        return ("id", "_id") if self.id is None else (self.id,)

    @property
    def title_names(self) -> tuple[str, ...]:
        """Where to look for the title, in this order."""
        return ("title",) if self.title is None else (self.title,)

    @property
    def text_names(self) -> tuple[str, ...]:
        """Where to look for the text, in this order."""
        return ("text", "content", "body") if self.text is None else (self.text,)


USUAL_FIELDS: Final = FieldNames()


class Source(Protocol):
    """A place that gives documents. It is read once, from its beginning to its end.

    Nothing here assumes files: a source that cannot tell its size has None, one without lines gives rejects line 0.
    """

    @property
    def name(self) -> str:
        """What people know it by; printable."""
        ...

    @property
    def size(self) -> int | None:
        """Bytes in all (as they are stored: compressed), None when nobody knows."""
        ...

    @property
    def position(self) -> int:
        """Bytes of what was given so far, in the measure of `size`; bytes read ahead are not among them."""
        ...

    @property
    def line(self) -> int:
        """Where the record given last began, lines (or rows) counted from 1; 0 where there are none."""
        ...

    @property
    def remarks(self) -> Sequence[str]:
        """Sentences for people about what was left out; complete when the source has been read to its end."""
        ...

    def __iter__(self) -> Iterator[Record]:
        """Each record once."""
        ...


def printable(name: str) -> str:
    r"""A file name that may hold bytes that are no UTF-8, which become `\xff`."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def explain(error: OSError) -> str:
    """The system's words for an error, without the path."""
    return error.strerror or str(error) or type(error).__name__


def listing(names: Sequence[str]) -> str:
    """Some names for a message: quoted, each cut at 60 characters, with a note of how many more there are."""
    if not names:
        return "none"
    shown = ", ".join(repr(name if len(name) <= 60 else f"{name[:59]}…") for name in names[:_LISTED])
    return f"{shown} and {len(names) - _LISTED} more" if len(names) > _LISTED else shown
