"""What passes between rooms: documents, what is stored of them, and what is found."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from leitong.indexer import exactjson
from leitong.indexer.errors import DocumentError

MAX_TEXT_BYTES: Final = 10_000_000
"""A longer text (UTF-8) is rejected, on every engine alike."""
MAX_ID_BYTES: Final = 512
"""A longer id (UTF-8) is rejected: a server would reject the whole bulk with it."""

Kind = Literal["exact", "near", "partial"]


@dataclass(frozen=True, slots=True)
class Document:
    """A text with a name. Title may be empty; metadata is any JSON object."""

    id: str
    text: str
    title: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def passage(self) -> str:
        """What is fingerprinted and compared: title, newline, text."""
        return f"{self.title}\n{self.text}" if self.title else self.text


def check_limits(document: Document) -> None:
    """Raise DocumentError for a document that no engine may store; the message says why and what to do."""
    size = _check_text("id", document.id)
    if size > MAX_ID_BYTES:
        raise DocumentError(f"the id has {size:,} bytes, more than {MAX_ID_BYTES}; use a shorter id")
    check_contents(document)
    if not document.id:
        raise DocumentError("the id is empty; give the document one")
    if not document.text.strip():
        raise DocumentError("there is no text in it")


def check_contents(document: Document) -> None:
    """Raise DocumentError where a title, a text or metadata cannot even be looked at, whatever the id."""
    for name, value in (("title", document.title), ("text", document.text)):
        size = _check_text(name, value)
        if size > MAX_TEXT_BYTES:
            raise DocumentError(f"the {name} has {size:,} bytes, more than {MAX_TEXT_BYTES:,}; split the document")
    if not isinstance(document.metadata, Mapping):
        raise DocumentError(f"the metadata are {document.metadata!r:.60}, not a dict; give each field a name")
    if document.metadata:
        try:
            written = exactjson.dumps({"metadata": document.metadata})
        except TypeError as error:
            raise DocumentError(f"the metadata cannot be written as JSON ({error}); leave the field out") from None
        number = exactjson.not_finite(document.metadata) if b"null" in written else None
        if number is not None:
            raise DocumentError(f"the metadata hold {number}, which JSON cannot say; write None, or another number")


def _check_text(name: str, value: str) -> int:
    """Bytes of a text in UTF-8. Raises DocumentError for what is none."""
    if not isinstance(value, str):
        raise DocumentError(f"the {name} is {value!r:.60}, not a text; give it as a str")
    try:
        size = len(value.encode())
    except UnicodeEncodeError as error:
        raise DocumentError(
            f"the {name} holds a lone surrogate (character {error.start}), which is half a character; "
            "write the file anew as UTF-8"
        ) from None
    if "\0" in value:
        raise DocumentError(f"the {name} holds a NUL character, so it is probably binary data; remove it")
    return size


@dataclass(frozen=True, slots=True)
class Reject:
    """A record that was not indexed. `line` counts from 1; 0 where a source has no lines.

    `doubtful`: records that the source gave before may not be what was written there.
    """

    source: str
    line: int
    reason: str
    record: str
    id: str | None = None
    doubtful: bool = False

    @property
    def told(self) -> str:
        """Where it stands, as near as is known, and the reason."""
        place = self.source
        if self.line:
            place += f", line {self.line:,}"
        elif self.id is not None and not self.source.endswith(self.id):
            place += f", {self.id}"
        return f"{place}: {self.reason}"


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document and what an engine tells of it.

    Args:
        document: as the user gave it.
        fingerprint: as an integer of the recipe's bits.
        features: distinct words the fingerprint was made from; with 0 the fingerprint means nothing.
        digest: 32 hexadecimal digits; equal digests are the same text but for punctuation, width, case and blanks.
        cluster: id of the document that stands for this one and its duplicates; at first its own.
        duplicate_of: id of the document this one was marked as a duplicate of, else None.
        original: the digest that document had then: with another one the mark has lost its meaning.
    """

    document: Document
    fingerprint: int
    features: int
    digest: str
    cluster: str
    duplicate_of: str | None = None
    original: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A document on its way into an engine.

    Args:
        stored: what the engine gives back.
        title_tokens: words of the title, separated by blanks, in UTF-8.
        tokens: words of the passage, the same way.
        keys: what abridged, extended and merged versions are found by: the text's sketch and its title.
    """

    stored: StoredDocument
    title_tokens: bytes
    tokens: bytes
    keys: NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Match:
    """A document found to be similar to another one.

    `distance` in bits; `similarity`, `share` and `share_other` within 0…1: how much the texts share, how much of the
    asking text stands in this one, and the other way round. `kind` is None below the near threshold.
    `score` is the combined score of distance and metadata, None where it was not asked for.
    """

    id: str
    title: str
    distance: int
    similarity: float
    kind: Kind | None
    share: float
    share_other: float
    cluster: str
    duplicate_of: str | None
    score: float | None = None


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """Two documents and what a person said of them; `label` is their word for it, "" where lines have none."""

    a: str
    b: str
    duplicate: bool
    label: str = ""
