"""What every engine can do.

An engine is an opened index. Reading goes through a snapshot: one state of the index, however much is written
meanwhile. Writing goes through the one writer; nothing is there for others before it commits.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.closing import Closing
from leitong.indexer.documents import Entry, StoredDocument
from leitong.indexer.engines.portion import Portion
from leitong.indexer.fingerprint.blocks import BlockKeys
from leitong.indexer.fingerprint.hamming import Fingerprints, words_of
from leitong.indexer.fingerprint.recipe import Recipe
from leitong.indexer.query import FieldIs, Query

KEY_BITS: Final = 42
"""Bits of a key that an index holds: of a billion documents' thirty billion keys one in 150 is also another's by
chance, and whoever is found by it is compared as others are."""
_DOCUMENTS_AT_ONCE: Final = 250
_CHARACTERS_AT_ONCE: Final = 4_000_000


def stored_keys(keys: Sequence[int] | NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Keys of a text as an index holds them, and as it is asked for them: their last KEY_BITS bits."""
    return np.asarray(keys, dtype=np.uint64) & np.uint64((1 << KEY_BITS) - 1)


@dataclass(frozen=True)
class Rows:
    """Fingerprints of some documents and where to find them, as arrays of one length.

    `refs` are handles that only the snapshot they came from understands. `fingerprints` has shape (n, words of 64
    bits), `features` the number of distinct words (0: the fingerprint means nothing), `digests` shape (n, 2): equal
    rows are equal texts.
    """

    refs: NDArray[Any]
    fingerprints: Fingerprints
    features: NDArray[np.int64]
    digests: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.refs)

    def take(self, which: NDArray[Any]) -> "Rows":
        """The rows chosen by an index array or a mask."""
        return Rows(self.refs[which], self.fingerprints[which], self.features[which], self.digests[which])

    @classmethod
    def join(cls, parts: Sequence["Rows"], *, bits: int) -> "Rows":
        """The rows of all parts, in order."""
        if not parts:
            nothing = np.empty(0, dtype=np.int64)
            empty = np.empty((0, words_of(bits)), dtype=np.uint64)
            return cls(nothing, empty, nothing, np.empty((0, 2), dtype=np.uint64))
        return cls(
            np.concatenate([part.refs for part in parts]),
            np.concatenate([part.fingerprints for part in parts]),
            np.concatenate([part.features for part in parts]),
            np.concatenate([part.digests for part in parts]),
        )


@dataclass(frozen=True, slots=True)
class Hit:
    """A document found by a full-text query; `score` is the engine's own."""

    score: float
    stored: StoredDocument


@dataclass(frozen=True, slots=True)
class Page:
    """Some hits of a query and how many documents it matches in all."""

    total: int
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class FieldValues:
    """Values of a metadata field among the documents that a query matches.

    `values` pairs a value, as text, with the number of those documents, the most frequent first. `others` counts
    documents with further values; one with several of them may count for each. Where `exact` is False there are at
    least so many documents, and another value may have more.
    """

    field: str
    values: tuple[tuple[str, int], ...]
    others: int
    exact: bool


@dataclass(frozen=True, slots=True)
class AttachedFields:
    """Which fields of another program's documents are the text, in this order, and which is the title."""

    text: tuple[str, ...]
    title: str | None = None

    def __str__(self) -> str:
        text = f"text {', '.join(self.text)}"
        return text if self.title is None else f"{text} and title {self.title}"


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """The state of an index.

    `size_bytes` is None where a server does not let us know. `attached` says which fields of an index that another
    program fills are fingerprinted; None for an index of our own.
    """

    locator: str
    engine: str
    engine_version: str
    documents: int
    size_bytes: int | None
    format: int
    recipe: Recipe
    recipe_id: str
    created: datetime
    attached: AttachedFields | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """A document that an engine will not have, and why."""

    stored: StoredDocument
    reason: str


@dataclass(frozen=True, slots=True)
class Deletion:
    """The document goes."""


Change = Entry | Deletion
"""What becomes of a document: the same with other marks, or nothing."""


class Snapshot(Closing):
    """One state of an index, for reading. Close it, or use it in a `with` statement."""

    @property
    @abstractmethod
    def count(self) -> int:
        """Documents in the index."""

    @abstractmethod
    def get(self, ids: Sequence[str]) -> list[StoredDocument | None]:
        """Documents by id, in the order asked for; None where there is none."""

    @abstractmethod
    def digests(self, ids: Sequence[str]) -> dict[str, str]:
        """Digests of those of the documents that are there."""

    @abstractmethod
    def search(
        self, query: Query, *, size: int, start: int = 0, filters: Sequence[FieldIs] = (), fold: bool = False
    ) -> Page:
        """The best hits of a query; with `fold` only the best of each cluster."""

    @abstractmethod
    def values(
        self, query: Query, fields: Sequence[str], *, most: int, filters: Sequence[FieldIs] = ()
    ) -> list[FieldValues]:
        """The `most` most frequent values of each field among all documents the query matches, marked ones included.

        A field that cannot be counted is left out.
        """

    @abstractmethod
    def candidates(self, keys: Sequence[BlockKeys], *, marked: bool | None = None) -> list[Rows]:
        """For each key set every document within its radius, and some that are not.

        Those are enough that have a block among its values; documents without features are none of them. `marked` asks
        for those that are marked as duplicates only, or for the others only.
        """

    @abstractmethod
    def sharing(self, keys: Sequence[Sequence[int]], *, marked: bool | None = None) -> list[Rows]:
        """For each sketch every document that has one of its keys; `marked` as for `candidates`."""

    @abstractmethod
    def duplicates_of(self, ids: Sequence[str]) -> list[StoredDocument]:
        """The documents that are marked as duplicates of some."""

    @property
    @abstractmethod
    def has_marks(self) -> bool:
        """Whether any document is marked as a duplicate."""

    @abstractmethod
    def rows(self) -> Iterator[Rows]:
        """Every document's row, in parts."""

    @abstractmethod
    def documents(self, refs: NDArray[Any]) -> list[StoredDocument]:
        """The documents behind handles of this snapshot, in their order."""

    def portions(self, refs: NDArray[Any]) -> Iterator[list[StoredDocument]]:
        """The same, as many at a time as memory should hold."""
        portion = Portion(_DOCUMENTS_AT_ONCE, amount=_CHARACTERS_AT_ONCE, weigh=_length)
        start = 0
        while start < len(refs):
            some = self.documents(refs[start : start + portion.size])
            portion.seen(some)
            start += len(some)
            yield some

    @abstractmethod
    def ids(self, refs: NDArray[Any]) -> list[str]:
        """The ids of the documents behind handles, in their order, without reading what else they hold."""

    @abstractmethod
    def close(self) -> None:
        """Give back what the snapshot holds."""


def _length(stored: StoredDocument) -> int:
    return len(stored.document.text)


class Writer(Closing):
    """The one writer of an index. Leaving its `with` statement commits, or discards after an error."""

    @abstractmethod
    def put(self, entries: Sequence[Entry]) -> None:
        """Add documents, each in place of the one with the same id."""

    @abstractmethod
    def delete(self, ids: Sequence[str]) -> int:
        """Remove documents; returns how many of them were there."""

    @abstractmethod
    def change(self, ids: Sequence[str], decide: Callable[[StoredDocument], Change | None]) -> dict[str, bool]:
        """Look at each document as the last commit left it and do with it what `decide` says; None leaves it alone.

        Returns for each document that was to be changed whether it was: not where somebody has written to it meanwhile.
        Documents that are not there are not decided on.
        """

    @abstractmethod
    def commit(self) -> None:
        """Make everything since the last commit durable and visible."""

    def refused(self) -> list[Refused]:
        """Documents that were put and that the engine refused, each told once; complete after a commit."""
        return []

    @abstractmethod
    def close(self) -> None:
        """Discard what is not committed and let others write."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.commit()
        finally:
            self.close()


class Engine(ABC):
    """An opened index."""

    @property
    @abstractmethod
    def locator(self) -> str:
        """The name by which it was opened."""

    @property
    @abstractmethod
    def recipe(self) -> Recipe:
        """How its fingerprints are made."""

    @property
    @abstractmethod
    def recipe_id(self) -> str:
        """Id of the recipe at the time the index was made."""

    @abstractmethod
    def info(self) -> IndexInfo:
        """The state of the index."""

    @abstractmethod
    def snapshot(self) -> Snapshot:
        """The last committed state."""

    @abstractmethod
    def writer(self) -> Writer:
        """The writer. Raises LockedIndexError when another process has it."""

    @abstractmethod
    def read_note(self, name: str) -> bytes | None:
        """Something learned that is kept beside the index, for example its boilerplate; None where there is none."""

    @abstractmethod
    def write_note(self, name: str, content: bytes) -> None:
        """Keep something beside the index, in place of what had this name."""

    @abstractmethod
    def change_note(self, name: str, change: Callable[[bytes | None], bytes]) -> None:
        """Keep what `change` makes of a note; of several who do so at once nobody's change is lost.

        It is asked again where somebody else was first.
        """

    @abstractmethod
    def close(self) -> None:
        """Give back what the engine holds."""
