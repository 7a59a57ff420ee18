"""One state of a server's index. Handles of documents are their ids."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.documents import StoredDocument
from leitong.indexer.engines.base import FieldValues, Hit, Page, Rows, Snapshot
from leitong.indexer.engines.server import queries, stored
from leitong.indexer.engines.server.failures import TooMuchError
from leitong.indexer.engines.server.header import Header
from leitong.indexer.engines.server.limits import Limits
from leitong.indexer.engines.server.product import Server
from leitong.indexer.engines.server.reading import Hits, Point
from leitong.indexer.engines.server.values import by_field, by_value
from leitong.indexer.errors import EngineError, UnknownDocumentError
from leitong.indexer.fingerprint.blocks import BlockKeys
from leitong.indexer.fingerprint.hamming import Fingerprints, distances, pack, to_hex, unpack
from leitong.indexer.query import FieldIs, Query

_SKETCHED: Final = 2
"""Version of the fields in which sketches are stored as they are asked for here."""
_ROW: Final = {"_source": False, "docvalue_fields": list(stored.ROW_FIELDS)}
_FINGERPRINT: Final = {"stored_fields": "_none_", "docvalue_fields": [stored.FINGERPRINT]}
"""Without the id, for which a server unpacks a block of stored texts: a quarter of the time of a row."""
_BARE: Final = {"_source": False}
_UNTOUCHED: Final = {"_source": True}
"""OpenSearch changes the order of an object's names where it leaves fields out."""
_WHOLE: Final[dict[str, Any]] = {"_source": {"excludes": list(stored.LEFT_OUT)}}
_GUARDED_AT_ONCE: Final = 50
_ASKED_AT_ONCE: Final = 100
_FEW: Final = 100
"""So many rows are read sooner than fingerprints first, and the rows of those that are near in a second request."""
_FEW_KEYS: Final = 8
"""So few keys are likely to have few candidates."""
_MOST_PAIR_TERMS: Final = 20_000
_KEYS_AT_ONCE: Final = 20_000
_IDS_AT_ONCE: Final = 500
_DIGESTS_AT_ONCE: Final = 5_000
_CHARACTERS_AT_ONCE: Final = 4_000_000


class ServerSnapshot(Snapshot):
    """One committed state."""

    def __init__(self, server: Server, header: Header, limits: Limits) -> None:
        self._locator = str(server.locator)
        self._product = server.product
        self._header = header
        self._layout = header.layout
        self._limits = limits
        self._ids_at_once = min(limits.hits, limits.terms)
        self._point = Point(server, page=limits.hits)
        self._bits = header.recipe.bits
        self._usual_length = _CHARACTERS_AT_ONCE / 100

    @property
    def count(self) -> int:
        return self._point.count

    def get(self, ids: Sequence[str]) -> list[StoredDocument | None]:
        found = self._documents(ids, _UNTOUCHED)
        return [found.get(doc_id) for doc_id in ids]

    def digests(self, ids: Sequence[str]) -> dict[str, str]:
        wanted = _distinct(ids)
        found: dict[str, str] = {}
        size = min(_DIGESTS_AT_ONCE, self._ids_at_once)
        for start in range(0, len(wanted), size):
            some = wanted[start : start + size]
            query = queries.any_id(some, self._layout)
            for hit in self._point.search({"query": query, "size": len(some), **_ROW}).hits:
                found[self._layout.name(hit)] = hit["fields"]["leitong.digest"][0]
        return found

    def search(
        self, query: Query, *, size: int, start: int = 0, filters: Sequence[FieldIs] = (), fold: bool = False
    ) -> Page:
        question = queries.full_text(query, filters, self._layout)
        if start + size > self._limits.hits or (fold and self._layout.several):
            return self._far(question, size=size, start=start, fold=fold)
        body: dict[str, Any] = {"query": question, "from": start, "size": size, **_WHOLE}
        if fold:
            body["collapse"] = {"field": "leitong.cluster"}
        found = self._point.search(body, counted=True)
        total = found.total - (self._hidden(question) if fold else 0)
        return Page(total, tuple(Hit(float(hit["_score"]), stored.decode(hit, self._layout)) for hit in found.hits))

    def values(
        self, query: Query, fields: Sequence[str], *, most: int, filters: Sequence[FieldIs] = ()
    ) -> list[FieldValues]:
        question = queries.full_text(query, filters, self._layout)
        if self._product == "opensearch" and not self._layout.attached:
            return list(by_value(self._point, question, fields, self._layout, most=most))
        names = {field: name for field in fields if (name := self._layout.counted(field)) is not None}
        return list(by_field(self._point, question, names, most=most))

    def candidates(self, keys: Sequence[BlockKeys], *, marked: bool | None = None) -> list[Rows]:
        """Asks for many at once: one list of terms for each block; who is near whom is told here."""
        out: list[Rows] = []
        for start in range(0, len(keys), _ASKED_AT_ONCE):
            asked = keys[start : start + _ASKED_AT_ONCE]
            found = stored.rows(self._near(asked, marked), self._layout, bits=self._bits)
            found = found.take(found.features > 0)
            out += [found.take(near) for near in self._are_near(found.fingerprints, asked)]
        return out

    def sharing(self, keys: Sequence[Sequence[int]], *, marked: bool | None = None) -> list[Rows]:
        if self._header.mapping_version < _SKETCHED:
            mended = (
                f"Run leitong attach {self._locator} again."
                if self._layout.attached
                else f"Run leitong mapping apply --yes --index {self._locator} and index the documents again, without "
                "--resume."
            )
            raise EngineError(
                f"The index {self._locator} has fields of version {self._header.mapping_version}, by which not all "
                f"that is similar is found. {mended}"
            )
        out: list[Rows] = []
        for asked in _groups(keys):
            if not any(asked):
                out += [stored.rows([], self._layout, bits=self._bits)] * len(asked)
                continue
            query = queries.only(queries.sharing(asked, most=self._limits.terms), marked=marked)
            hits = self._point.all(query, _ROW)
            found = stored.rows(hits, self._layout, bits=self._bits)
            places: list[list[int]] = [[] for _ in asked]
            for place, hit in enumerate(hits):
                for number in hit["matched_queries"]:
                    places[int(number)].append(place)
            out += [found.take(np.array(some, dtype=np.int64)) for some in places]
        return out

    def duplicates_of(self, ids: Sequence[str]) -> list[StoredDocument]:
        found: list[str] = []
        for start in range(0, len(ids), self._ids_at_once):
            some = list(ids[start : start + self._ids_at_once])
            hits = self._point.all(
                {"bool": {"filter": [{"terms": {"leitong.duplicate_of": some}}, queries.FINGERPRINTED]}}, _BARE
            )
            found += [self._layout.name(hit) for hit in hits]
        return list(self._documents(found).values())

    @property
    def has_marks(self) -> bool:
        return self._point.search({"query": queries.MARKED, "size": 0}, counted=True).total > 0

    def guarded(self, ids: Sequence[str]) -> list[tuple[StoredDocument, dict[str, Any]]]:
        """Documents that are there, each with what a bulk action says so that it is done to this very state."""
        out: list[tuple[StoredDocument, dict[str, Any]]] = []
        for start in range(0, len(ids), _GUARDED_AT_ONCE):
            for hit in self._whole(list(ids[start : start + _GUARDED_AT_ONCE])):
                guard = {"if_seq_no": hit["_seq_no"], "if_primary_term": hit["_primary_term"]}
                if "_routing" in hit:
                    guard["routing"] = hit["_routing"]
                out.append((stored.decode(hit, self._layout), guard))
        return out

    def _whole(self, ids: list[str]) -> Hits:
        body = {"query": queries.any_id(ids, self._layout), "size": len(ids), "seq_no_primary_term": True}
        try:
            return self._point.search({**body, **_UNTOUCHED}).hits
        except TooMuchError:
            if len(ids) == 1:
                raise
            return [*self._whole(ids[: len(ids) // 2]), *self._whole(ids[len(ids) // 2 :])]

    def rows(self) -> Iterator[Rows]:
        for hits in self._point.pages_of_shards(queries.FINGERPRINTED, _ROW):
            yield stored.rows(hits, self._layout, bits=self._bits)

    def documents(self, refs: NDArray[Any]) -> list[StoredDocument]:
        ids = refs.tolist()
        found = self._documents(ids)
        for doc_id in ids:
            if doc_id not in found:
                raise UnknownDocumentError(doc_id, self._locator)
        return [found[doc_id] for doc_id in ids]

    def ids(self, refs: NDArray[Any]) -> list[str]:
        return [str(ref) for ref in refs.tolist()]

    def close(self) -> None:
        self._point.close()

    def _near(self, asked: Sequence[BlockKeys], marked: bool | None) -> Hits:
        """Candidates of them all together: those of the first few, or those with a fingerprint that is near."""
        query = queries.only(queries.blocks(asked, most=self._limits.terms), marked=marked)
        if sum(map(len, asked)) <= _FEW_KEYS:
            few = min(_FEW, self._limits.hits)
            hits = self._point.search({"query": query, "sort": ["_doc"], "size": few, **_ROW}).hits
            if len(hits) < few:
                return hits
        found = stored.fingerprints(self._fingerprints(query, asked, marked), bits=self._bits)
        near = np.unique(found[np.logical_or.reduce(list(self._are_near(found, asked)))], axis=0)
        texts = [to_hex(value, self._bits) for value in unpack(near)]
        if not texts:
            return []
        return self._point.all(
            queries.only(queries.any_fingerprint(texts, most=self._limits.terms), marked=marked), _ROW
        )

    def _fingerprints(self, query: dict[str, Any], asked: Sequence[BlockKeys], marked: bool | None) -> Hits:
        """Candidates with their fingerprints alone. More than a page: a block is hot, and pairs of blocks are asked."""
        hits = self._point.search({"query": query, "sort": ["_doc"], "size": self._limits.hits, **_FINGERPRINT}).hits
        if len(hits) < self._limits.hits:
            return hits
        if sum(map(len, asked[0].pairs())) * len(asked) <= _MOST_PAIR_TERMS:
            query = queries.only(queries.pairs(asked, most=self._limits.terms), marked=marked)
        return self._point.all(query, _FINGERPRINT)

    def _are_near(self, found: Fingerprints, asked: Sequence[BlockKeys]) -> Iterator[NDArray[np.bool_]]:
        """For each key set which fingerprints are within its radius."""
        for one in asked:
            yield distances(found, pack([one.fingerprint], self._bits)) <= one.radius

    def _documents(self, ids: Sequence[str], parts: Mapping[str, Any] = _WHOLE) -> dict[str, StoredDocument]:
        """Documents by id, as many at once as are likely to make an answer of moderate size."""
        wanted = _distinct(ids)
        found: dict[str, StoredDocument] = {}
        start, most = 0, min(_IDS_AT_ONCE, self._ids_at_once)
        while start < len(wanted):
            likely = int(_CHARACTERS_AT_ONCE / self._usual_length)
            some = wanted[start : start + max(1, min(most, likely))]
            try:
                hits = self._point.search(
                    {"query": queries.any_id(some, self._layout), "size": len(some), **parts}
                ).hits
            except TooMuchError:
                if len(some) == 1:
                    raise
                most = len(some) // 4 or 1
                continue
            documents = [stored.decode(hit, self._layout) for hit in hits]
            found.update((one.document.id, one) for one in documents)
            length = sum(len(one.document.text) for one in documents) / max(1, len(documents))
            self._usual_length = max(1.0, (self._usual_length + length) / 2, length)
            start += len(some)
        return found

    def _far(self, question: dict[str, Any], *, size: int, start: int, fold: bool) -> Page:
        """Hits beyond what a server gives in one page: the ranking is read from its beginning, without the texts."""
        total = self._point.search({"query": question, "size": 0}, counted=True).total
        parts = {"_source": False, "docvalue_fields": ["leitong.cluster"]} if fold else _BARE
        ranking = self._point.ranked(question, parts)
        wanted: list[tuple[str, float]] = []
        seen: set[str] = set()
        if fold:
            ranking = (hit for hit in ranking if _first(self._cluster(hit), seen))
        for hit in islice(ranking, start, start + size):
            wanted.append((self._layout.name(hit), float(hit["sort"][0])))
        found = self._documents([doc_id for doc_id, _ in wanted])
        total -= self._hidden(question) if fold else 0
        return Page(total, tuple(Hit(score, found[doc_id]) for doc_id, score in wanted))

    def _hidden(self, question: dict[str, Any]) -> int:
        """Hits of a query that folding hides: of each cluster with marked documents all hits but one."""
        asked = {"bool": {"must": [question], "filter": [queries.MARKED]}}
        parts = {"_source": False, "docvalue_fields": ["leitong.cluster"]}
        sizes = Counter(self._cluster(hit) for hits in self._point.pages(asked, parts) for hit in hits)
        heads = list(sizes)
        shown = 0
        for start in range(0, len(heads), self._ids_at_once):
            some = queries.any_id(heads[start : start + self._ids_at_once], self._layout)
            body = {"query": {"bool": {"must": [question], "filter": [some]}}, "size": 0}
            shown += self._point.search(body, counted=True).total
        return sizes.total() - len(heads) + shown

    def _cluster(self, hit: Mapping[str, Any]) -> str:
        return self._layout.full(hit, hit["fields"]["leitong.cluster"][0])


def _first(value: str, seen: set[str]) -> bool:
    """Whether a value comes for the first time."""
    if value in seen:
        return False
    seen.add(value)
    return True


def _distinct(ids: Sequence[str]) -> list[str]:
    return [doc_id for doc_id in dict.fromkeys(ids) if doc_id]


def _groups(sketches: Sequence[Sequence[int]]) -> Iterator[list[Sequence[int]]]:
    """Sketches that are few and small enough for one request."""
    group: list[Sequence[int]] = []
    keys = 0
    for sketch in sketches:
        if group and (len(group) >= _ASKED_AT_ONCE or keys + len(sketch) > _KEYS_AT_ONCE):
            yield group
            group, keys = [], 0
        group.append(sketch)
        keys += len(sketch)
    if group:
        yield group
