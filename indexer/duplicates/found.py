"""What a report found: pairs in order, clusters, and what a reader wants to know of their documents."""

import hashlib
import heapq
import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import orjson
from numpy.typing import NDArray

from leitong.indexer import exactjson
from leitong.indexer.documents import Kind, StoredDocument
from leitong.indexer.duplicates.clusters import Cluster, Graph, centrality, clusters
from leitong.indexer.duplicates.dates import Dates, moment
from leitong.indexer.duplicates.work import Work
from leitong.indexer.engines.base import Snapshot
from leitong.indexer.fields import at, locate

if TYPE_CHECKING:
    from leitong.indexer.duplicates.report import Settings

MATCH: Final = np.dtype(
    {
        "names": ["a", "b", "distance", "similarity", "kind", "score"],
        "formats": [np.int64, np.int64, np.uint8, np.float64, np.uint8, np.float64],
    }
)
"""A match between two documents by number; a score that was not asked for is NaN."""
KINDS: Final[tuple[Kind | None, ...]] = (None, "exact", "near", "partial")
_DETAILS: Final = "details.jsonl"
_AT_ONCE: Final = 200
_TEXT: Final = 20_000
"""Characters of a text that a page sets beside another one."""


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
        for start in range(0, len(part), _AT_ONCE * 50):
            for a, b, distance, similarity, kind, score in part[start : start + _AT_ONCE * 50].tolist():
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
    radius: int
    min_similarity: float
    compared: int
    copies: int
    pairs: Matches
    clusters: tuple[Cluster, ...]
    missing: tuple[str, ...]
    dates: Dates | None
    absent: tuple[str, ...]
    settings: "Settings"
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


def finish(
    snapshot: Snapshot,
    pairs: Matches,
    *,
    documents: int,
    radius: int,
    min_similarity: float,
    compared: int,
    state: list[int | str],
    settings: "Settings",
    work: Work,
    watch: Callable[[int, int], None],
    begun: float,
    absent: tuple[str, ...] = (),
) -> Report:
    """Clusters of the matches, and their documents. Raises UsageError where the oldest cannot be told."""
    graph = pairs.graph()
    central = centrality(graph)
    found: list[Cluster] = []
    missing: list[str] = []
    dates: Dates | None = None
    ends = [0]
    if settings.parts == 1:
        worth, dates = _worth(snapshot, graph, settings, central)
        found = clusters(graph, shape=settings.shape, worth=worth)
        describer = _Describer(snapshot, graph, central, pairs, settings)
        work.remove(_DETAILS)
        inside = sum(len(cluster.members) for cluster in found)
        for lines in describer.lines(found, missing):
            work.append(_DETAILS, b"".join(lines))
            for line in lines:
                ends.append(ends[-1] + len(line))
            watch(len(ends) - 1, inside)
    return Report(
        documents=documents,
        radius=radius,
        min_similarity=min_similarity,
        compared=compared,
        copies=int((pairs.first >= 0).sum()) - pairs.equal,
        pairs=pairs,
        clusters=tuple(found),
        missing=tuple(missing),
        dates=dates,
        absent=absent,
        settings=settings,
        state=state,
        seconds=time.monotonic() - begun,
        _details=work.array(_DETAILS, np.uint8),
        _ends=np.array(ends, dtype=np.int64),
        _starts=np.cumsum([0, *(len(cluster.members) for cluster in found)]),
    )


def _worth(
    snapshot: Snapshot, graph: Graph, settings: "Settings", central: NDArray[np.float64]
) -> tuple[NDArray[np.float64] | None, Dates | None]:
    """What the representative is chosen by, None for the first id; and the dates, where it is chosen by them."""
    if settings.keep == "first":
        return None, None
    if settings.keep == "central":
        return central, None
    out = np.full(len(graph.ids), -np.inf)
    counted = Dates()
    for start in range(0, len(graph.ids), _AT_ONCE):
        found = snapshot.get(graph.ids[start : start + _AT_ONCE])
        if settings.keep == "longest":
            some: list[float | None] = [len(stored.document.text) if stored else None for stored in found]
        else:
            dates = [
                metadata_value(stored.document.metadata, settings.date_field) if stored else None for stored in found
            ]
            counted += Dates.of(dates)
            some = [None if (when := moment(date)) is None else -when for date in dates]
        for place, value in enumerate(some, start):
            out[place] = -np.inf if value is None else value
    if settings.keep == "longest":
        return out, None
    counted.check(settings.date_field)
    return out, counted


class _Describer:
    """Reads the documents of clusters and says of each what a report tells."""

    def __init__(
        self,
        snapshot: Snapshot,
        graph: Graph,
        central: NDArray[np.float64],
        pairs: Matches,
        settings: "Settings",
    ) -> None:
        self._snapshot = snapshot
        self._graph = graph
        self._central = central
        self._settings = settings
        self._place = {doc_id: place for place, doc_id in enumerate(graph.ids)}
        self._columns = {name: pairs.column(name) for name in ("distance", "similarity", "kind")}

    def lines(self, found: Sequence[Cluster], missing: list[str]) -> Iterator[list[bytes]]:
        """A line for each member, in the order of the clusters."""
        self._place_all(found)
        batch: list[str] = []
        for cluster in found:
            for member in cluster.members:
                batch.append(member)
                if len(batch) >= _AT_ONCE:
                    yield self._described(batch, missing)
                    batch = []
        if batch:
            yield self._described(batch, missing)

    def _place_all(self, found: Sequence[Cluster]) -> None:
        """For each document its representative, their pair, and the pair of their texts; -1 where there is none."""
        everyone = np.arange(len(self._graph.ids))
        self._centre = everyone.copy()
        for cluster in found:
            self._centre[[self._place[member] for member in cluster.members]] = self._place[cluster.representative]
        exact = self._columns["kind"] == KINDS.index("exact")
        text = everyone.copy()  # the first document with the same text, whose pairs are listed
        text[self._graph.right[exact]] = self._graph.left[exact]
        self._own = self._pairs(self._centre)
        self._of_texts = self._pairs(text[self._centre])[text]
        self._equal = text == text[self._centre]

    def _pairs(self, wanted: NDArray[np.int64]) -> NDArray[np.int64]:
        """For each document the place of its pair with the wanted one, or -1."""
        links = np.full(len(wanted), -1, dtype=np.int64)
        for one, other in ((self._graph.left, self._graph.right), (self._graph.right, self._graph.left)):
            hit = np.flatnonzero(wanted[one] == other)
            links[one[hit]] = hit
        return links

    def _described(self, ids: list[str], missing: list[str]) -> list[bytes]:
        places = [self._place[doc_id] for doc_id in ids]
        documents = self._snapshot.get(ids)
        matches = self._matches(places, documents)
        out: list[bytes] = []
        for doc_id, place, stored in zip(ids, places, documents, strict=True):
            if stored is None:
                missing.append(doc_id)
            text = stored.document.text if stored else ""
            metadata: Mapping[str, Any] = stored.document.metadata if stored else {}
            similarity, distance, kind = matches.get(place, (None, None, None))
            member = Member(
                id=doc_id,
                title=stored.document.title if stored else "",
                text=text[:_TEXT],
                characters=len(text),
                bytes=len(text.encode()) + len(stored.document.title.encode()) if stored else 0,
                revision=revision(stored) if stored else "",
                date=metadata_value(metadata, self._settings.date_field),
                source=metadata_value(metadata, self._settings.source_field),
                central=round(float(self._central[place]), 4),
                similarity=similarity,
                distance=distance,
                kind=kind,
            )
            out.append(orjson.dumps(member) + b"\n")
        return out

    def _matches(
        self, places: Sequence[int], documents: Sequence[StoredDocument | None]
    ) -> dict[int, tuple[float, int, Kind | None]]:
        """Similarity, distance and kind of each document's match with its representative.

        Where another document with the same text stands in the pair, the similarity is that of the texts and the
        distance that of the two fingerprints, which punctuation may have made others.
        """
        out: dict[int, tuple[float, int, Kind | None]] = {}
        derived: dict[int, StoredDocument] = {}
        for place, stored in zip(places, documents, strict=True):
            if (link := int(self._own[place])) >= 0:
                similarity, kind = self._pair(link)
                out[place] = similarity, int(self._columns["distance"][link]), kind
            elif stored is not None and place != self._centre[place] and self._match(place):
                derived[place] = stored
        centres = sorted({int(self._centre[place]) for place in derived})
        kept = dict(zip(centres, self._snapshot.get([self._graph.ids[one] for one in centres]), strict=True))
        for place, stored in derived.items():
            if (representative := kept[int(self._centre[place])]) is not None:
                similarity, kind = (1.0, "exact") if self._equal[place] else self._pair(int(self._of_texts[place]))
                out[place] = similarity, (stored.fingerprint ^ representative.fingerprint).bit_count(), kind
        return out

    def _match(self, place: int) -> bool:
        """Whether the text of a document and that of its representative match."""
        return bool(self._equal[place] or self._of_texts[place] >= 0)

    def _pair(self, link: int) -> tuple[float, Kind | None]:
        return float(self._columns["similarity"][link]), KINDS[int(self._columns["kind"][link])]
