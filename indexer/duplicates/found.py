"""What a report found: pairs in order, clusters, and what a reader wants to know of their documents."""

import hashlib
import heapq
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import orjson
from numpy.typing import NDArray

from leitong.indexer import exactjson
from leitong.indexer.documents import Kind, StoredDocument
from leitong.indexer.duplicates.clusters import Cluster, Graph
from leitong.indexer.duplicates.dates import Dates
from leitong.indexer.duplicates.settings import Settings
from leitong.indexer.fields import at, locate

MATCH: Final = np.dtype(
    {
        "names": ["a", "b", "distance", "similarity", "kind", "score"],
        "formats": [np.int64, np.int64, np.uint8, np.float64, np.uint8, np.float64],
    }
)
"""A match between two documents by number; a score that was not asked for is NaN."""
KINDS: Final[tuple[Kind | None, ...]] = (None, "exact", "near", "partial")
_PAIRS_AT_ONCE: Final = 10_000


@dataclass(frozen=True, slots=True)
class Pair:
    """Two documents that match; `a` comes before `b`. `score` is the combined score, where it was asked for."""

    a: str
    b: str
    distance: int
    similarity: float
    kind: Kind | None
    score: float | None = None


@dataclass(frozen=True, eq=False)
class Matches:
    """Matches by number of document.

    `near` are in the order of their ids. `equals` pair the first document of each text with the others that have it.
    `first` is the document that a document's other matches are listed with (an equal text, a near-copy), else -1.
    """

    ids: Sequence[str]
    near: NDArray[np.void]
    equals: NDArray[np.void]
    first: NDArray[np.int64]

    @property
    def equal(self) -> int:
        """How many documents are equal to another one."""
        return len(self.equals)

    def __len__(self) -> int:
        return len(self.near) + len(self.equals)

    def __iter__(self) -> Iterator[Pair]:
        """In the order of their ids; read from the disk as they are asked for."""
        return iter(heapq.merge(self._pairs(self.near), self._pairs(self.equals), key=lambda pair: (pair.a, pair.b)))

    def kinds(self) -> dict[str, int]:
        """How many pairs there are of each kind."""
        counts: Counter[str] = Counter()
        for part in (self.near, self.equals):
            for number, count in enumerate(np.bincount(part["kind"], minlength=len(KINDS)).tolist()):
                if count:
                    counts[KINDS[number] or "below"] += count
        return dict(sorted(counts.items()))

    def column(self, name: str) -> NDArray[Any]:
        """One value of every pair, in no particular order."""
        return np.concatenate([self.near[name], self.equals[name]])

    def graph(self) -> Graph:
        """The documents that match others, in the order of their ids."""
        ends = np.concatenate([self.column("a"), self.column("b")])
        used = np.unique(ends)
        named = sorted(used.tolist(), key=lambda number: self.ids[number])
        place = np.full(len(self.ids), -1, dtype=np.int64)
        place[named] = np.arange(len(named))
        origin = self.first[named] if named else np.empty(0, dtype=np.int64)
        return Graph(
            [self.ids[number] for number in named],
            place[self.column("a")],
            place[self.column("b")],
            self.column("similarity").astype(np.float32),
            np.where(origin >= 0, place[origin], -1),
        )

    def _pairs(self, part: NDArray[np.void]) -> Iterator[Pair]:
        for start in range(0, len(part), _PAIRS_AT_ONCE):
            for a, b, distance, similarity, kind, score in part[start : start + _PAIRS_AT_ONCE].tolist():
                one, other = self.ids[a], self.ids[b]
                yield Pair(
                    min(one, other),
                    max(one, other),
                    distance,
                    similarity,
                    KINDS[kind],
                    None if math.isnan(score) else score,
                )


@dataclass(frozen=True)
class Member:
    """A document of a cluster, as it was when it was compared.

    `text` is the beginning of its text; `revision` changes with its title, text and metadata. `similarity`, `distance`
    and `kind` are those of its match with the representative, None where the two were not found to match. Equal texts
    match alike, whichever of them a pair names. `central` is the sum of its similarities to others.
    """

    id: str
    title: str
    text: str
    characters: int
    bytes: int
    revision: str
    date: str | None
    source: str | None
    central: float
    similarity: float | None
    distance: int | None
    kind: Kind | None


@dataclass(frozen=True)
class Report:
    """All that was found. Clusters are in order, the largest first; pairs in the order of their ids.

    `compared` counts the pairs that were checked, equal texts among them. `copies` counts the near-copies that are
    paired with the first of their group only. `missing` are documents that could not be read any more. `dates` are
    those that the oldest was told by, None where something else was asked for. `absent` are fields that the score was
    to be made of and that no document of a pair has.
    """

    documents: int
    compared: int
    copies: int
    pairs: Matches
    clusters: tuple[Cluster, ...]
    missing: tuple[str, ...]
    dates: Dates | None
    absent: tuple[str, ...]
    settings: Settings
    state: list[int | str]
    seconds: float
    _details: NDArray[np.uint8]
    _ends: NDArray[np.int64]
    _starts: NDArray[np.int64]

    def members(self, cluster: Cluster) -> list[Member]:
        """What is known of the documents of a cluster, in their order."""
        start = int(self._starts[cluster.number - 1])
        places = range(start, start + len(cluster.members))
        lines = (self._details[self._ends[place] : self._ends[place + 1]].tobytes() for place in places)
        return [Member(**orjson.loads(line)) for line in lines]


def revision(stored: StoredDocument) -> str:
    """Changes with what a document says: its title, text and metadata, whatever the order of names."""
    document = stored.document
    metadata = exactjson.dumps(_sorted(document.metadata))
    told = hashlib.blake2b(digest_size=16)
    for part in (document.title.encode(), document.text.encode(), metadata):
        told.update(len(part).to_bytes(8, "big") + part)
    return told.hexdigest()


def _sorted(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _sorted(value[name]) for name in sorted(value)}
    return [_sorted(one) for one in value] if isinstance(value, list) else value


def metadata_value(metadata: Mapping[str, Any], field: str | None) -> str | None:
    """A value of metadata by its name, dots reaching into objects; None where there is none, or no single value."""
    path = None if field is None else locate(metadata, field)
    value = None if path is None else at(metadata, path)
    if value is None or isinstance(value, (Mapping, list)):
        return None
    return value if isinstance(value, str) else str(value)
