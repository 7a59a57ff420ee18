"""From the pairs that match to a report: clusters, who stands for each, and what is told of every document."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, Final

import numpy as np
import orjson
from numpy.typing import NDArray

from leitong.indexer.documents import Kind, StoredDocument
from leitong.indexer.duplicates.clusters import Cluster, Graph, centrality, clusters, standing_with
from leitong.indexer.duplicates.dates import Dates, moment
from leitong.indexer.duplicates.found import KINDS, Matches, Member, Report, metadata_value, revision
from leitong.indexer.duplicates.settings import Settings
from leitong.indexer.duplicates.texts import Documents
from leitong.indexer.duplicates.work import Work
from leitong.indexer.engines.base import Snapshot
from leitong.indexer.fingerprint.hamming import distance

_DETAILS: Final = "details.jsonl"
_AT_ONCE: Final = 200
_TEXT: Final = 20_000
"""Characters of a text that a page sets beside another one."""


def finish(
    snapshot: Snapshot,
    pairs: Matches,
    *,
    documents: Documents,
    compared: int,
    settings: Settings,
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
        describer = _Describer(snapshot, graph, central, pairs, found, settings, documents)
        work.remove(_DETAILS)
        inside = sum(len(cluster.members) for cluster in found)
        for lines, gone in describer.lines():
            missing += gone
            work.append(_DETAILS, b"".join(lines))
            for line in lines:
                ends.append(ends[-1] + len(line))
            watch(len(ends) - 1, inside)
    return Report(
        documents=len(documents),
        compared=compared,
        copies=int((pairs.first >= 0).sum()) - pairs.equal,
        pairs=pairs,
        clusters=tuple(found),
        missing=tuple(missing),
        dates=dates,
        absent=absent,
        settings=settings,
        state=documents.state,
        seconds=time.monotonic() - begun,
        _details=work.array(_DETAILS, np.uint8),
        _ends=np.array(ends, dtype=np.int64),
        _starts=np.cumsum([0, *(len(cluster.members) for cluster in found)]),
    )


def _worth(
    snapshot: Snapshot, graph: Graph, settings: Settings, central: NDArray[np.float64]
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
        found: Sequence[Cluster],
        settings: Settings,
        documents: Documents,
    ) -> None:
        """Find each document's representative, their pair, and the pair of their texts; -1 where there is none."""
        self._snapshot = snapshot
        self._graph = graph
        self._central = central
        self._clusters = found
        self._settings = settings
        self._documents = documents
        self._place = {doc_id: place for place, doc_id in enumerate(graph.ids)}
        self._columns = {name: pairs.column(name) for name in ("distance", "similarity", "kind")}
        everyone = np.arange(len(graph.ids))
        self._centre = everyone.copy()
        for cluster in found:
            self._centre[[self._place[member] for member in cluster.members]] = self._place[cluster.representative]
        exact = self._columns["kind"] == KINDS.index("exact")
        text = everyone.copy()  # the first document with the same text, whose pairs are listed
        text[graph.right[exact]] = graph.left[exact]
        self._own = self._pairs(self._centre)
        self._of_texts = self._pairs(text[self._centre])[text]
        self._equal = text == text[self._centre]
        self._near = standing_with(graph, self._centre)

    def lines(self) -> Iterator[tuple[list[bytes], list[str]]]:
        """A line for each member, in the order of the clusters; and the members that are gone."""
        members = chain.from_iterable(cluster.members for cluster in self._clusters)
        while batch := list(islice(members, _AT_ONCE)):
            yield self._described(batch)

    def _pairs(self, wanted: NDArray[np.int64]) -> NDArray[np.int64]:
        """For each document the place of its pair with the wanted one, or -1."""
        links = np.full(len(wanted), -1, dtype=np.int64)
        for one, other in ((self._graph.left, self._graph.right), (self._graph.right, self._graph.left)):
            hit = np.flatnonzero(wanted[one] == other)
            links[one[hit]] = hit
        return links

    def _described(self, ids: list[str]) -> tuple[list[bytes], list[str]]:
        places = [self._place[doc_id] for doc_id in ids]
        documents = self._snapshot.get(ids)
        matches = self._matches(places, documents)
        out: list[bytes] = []
        for doc_id, place, stored in zip(ids, places, documents, strict=True):
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
        return out, [doc_id for doc_id, stored in zip(ids, documents, strict=True) if stored is None]

    def _matches(
        self, places: Sequence[int], documents: Sequence[StoredDocument | None]
    ) -> dict[int, tuple[float, int, Kind | None]]:
        """Similarity, distance and kind of each document's match with its representative.

        Where another document with the same text stands in the pair, the similarity is that of the texts and the
        distance that of the two fingerprints, which punctuation may have made others. Where the first of their
        near-copies stands in it, the two are compared now.
        """
        out: dict[int, tuple[float, int, Kind | None]] = {}
        derived: dict[int, StoredDocument] = {}
        copied: dict[int, StoredDocument] = {}
        for place, stored in zip(places, documents, strict=True):
            if (link := int(self._own[place])) >= 0:
                similarity, kind = self._pair(link)
                out[place] = similarity, int(self._columns["distance"][link]), kind
            elif stored is not None and place != self._centre[place]:
                if self._match(place):
                    derived[place] = stored
                elif self._near[place]:
                    copied[place] = stored
        centres = sorted({int(self._centre[place]) for place in (*derived, *copied)})
        found = zip(centres, self._snapshot.get([self._graph.ids[one] for one in centres]), strict=True)
        kept = {centre: stored for centre, stored in found if stored is not None}
        for place, stored in derived.items():
            if (representative := kept.get(int(self._centre[place]))) is not None:
                similarity, kind = (1.0, "exact") if self._equal[place] else self._pair(int(self._of_texts[place]))
                out[place] = similarity, distance(stored.fingerprint, representative.fingerprint), kind
        copied = {place: stored for place, stored in copied.items() if int(self._centre[place]) in kept}
        originals = [kept[int(self._centre[place])] for place in copied]
        likeness = self._documents.likeness(originals, list(copied.values()))
        for number, ((place, stored), original) in enumerate(zip(copied.items(), originals, strict=True)):
            if (similarity := float(likeness.similarity[number])) >= self._settings.min_similarity:
                away = distance(stored.fingerprint, original.fingerprint)
                out[place] = similarity, away, likeness.kind(number)
        return out

    def _match(self, place: int) -> bool:
        """Whether the text of a document and that of its representative match."""
        return bool(self._equal[place] or self._of_texts[place] >= 0)

    def _pair(self, link: int) -> tuple[float, Kind | None]:
        return float(self._columns["similarity"][link]), KINDS[int(self._columns["kind"][link])]
