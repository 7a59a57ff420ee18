"""How is one committed state of a folder read?"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import tantivy
from numpy.typing import NDArray

from leitong.indexer.documents import StoredDocument
from leitong.indexer.engines.base import FieldValues, Hit, Page, Rows, Snapshot, stored_keys
from leitong.indexer.engines.embedded import lookup, queries, schema
from leitong.indexer.engines.embedded.failures import translated
from leitong.indexer.fingerprint.blocks import BlockKeys
from leitong.indexer.fingerprint.hamming import words_of
from leitong.indexer.query import FieldIs, Query

_ROWS_AT_ONCE: Final = 250_000
_IDS_AT_ONCE: Final = 500
_VALUES_OF_SEGMENT: Final = 50_000
"""Values of a field that each segment may give: below what tantivy allows in one answer."""


class EmbeddedSnapshot(Snapshot):
    """One committed state of the folder. Handles are (segment << 32 | document) numbers."""

    def __init__(self, path: Path, schema_: tantivy.Schema, searcher: tantivy.Searcher, bits: int) -> None:
        self._path = path
        self._schema = schema_
        self._searcher = searcher
        self._bits = bits

    @property
    def count(self) -> int:
        return self._searcher.num_docs

    def get(self, ids: Sequence[str]) -> list[StoredDocument | None]:
        found: dict[str, StoredDocument] = {}
        for start in range(0, len(ids), _IDS_AT_ONCE):
            with translated(self._path):
                for address in self._all(queries.any_id(self._schema, ids[start : start + _IDS_AT_ONCE])):
                    stored = schema.decode(self._searcher.doc(address))
                    found[stored.document.id] = stored
        return [found.get(doc_id) for doc_id in ids]

    def digests(self, ids: Sequence[str]) -> dict[str, str]:
        return {stored.document.id: stored.digest for stored in self.get(ids) if stored}

    def search(
        self, query: Query, *, size: int, start: int = 0, filters: Sequence[FieldIs] = (), fold: bool = False
    ) -> Page:
        with translated(self._path):
            question = queries.full_text(self._schema, query, filters)
            if not fold:
                found = self._searcher.search(question, limit=max(size, 1), offset=start)
                hits = found.hits[:size]
                total = _total(found)
            else:
                hits, total = self._folded(question, start + size)
                hits = hits[start:]
            return Page(total, tuple(Hit(score, schema.decode(self._searcher.doc(at))) for score, at in hits))

    def values(
        self, query: Query, fields: Sequence[str], *, most: int, filters: Sequence[FieldIs] = ()
    ) -> list[FieldValues]:
        if not fields:
            return []
        asked = {
            str(place): {
                "terms": {"field": f"{schema.METADATA}.{field}", "size": most, "segment_size": _VALUES_OF_SEGMENT}
            }
            for place, field in enumerate(fields)
        }
        with translated(self._path):
            found = self._searcher.aggregate(queries.full_text(self._schema, query, filters), asked)
        return [
            FieldValues(
                field,
                tuple((str(bucket["key"]), bucket["doc_count"]) for bucket in found[str(place)]["buckets"]),
                others=found[str(place)]["sum_other_doc_count"],
                exact=found[str(place)]["doc_count_error_upper_bound"] == 0,
            )
            for place, field in enumerate(fields)
        ]

    def candidates(self, keys: Sequence[BlockKeys], *, marked: bool | None = None) -> list[Rows]:
        with translated(self._path):
            return [self._rows(lookup.near(self._searcher, self._schema, one, marked=marked)) for one in keys]

    def sharing(self, keys: Sequence[Sequence[int]], *, marked: bool | None = None) -> list[Rows]:
        asked = (queries.keys(self._schema, stored_keys(sketch).tolist()) for sketch in keys)
        with translated(self._path):
            return [self._rows(self._all(queries.only(self._schema, one, marked=marked))) for one in asked]

    def duplicates_of(self, ids: Sequence[str]) -> list[StoredDocument]:
        wanted = set(ids)
        found: list[StoredDocument] = []
        with translated(self._path):
            for start in range(0, len(ids), _IDS_AT_ONCE):
                keys = [schema.duplicate_key(doc_id) for doc_id in ids[start : start + _IDS_AT_ONCE]]
                some = map(self._searcher.doc, self._all(queries.keys(self._schema, keys)))
                found += [one for one in map(schema.decode, some) if one.duplicate_of in wanted]
        return found

    @property
    def has_marks(self) -> bool:
        with translated(self._path):
            return self._count(queries.with_mark(self._schema)) > 0

    def rows(self) -> Iterator[Rows]:
        """In windows of the leading fingerprint word, so that memory does not grow with the index."""
        field = schema.FINGERPRINT[0] if self._bits == 128 else schema.FINGERPRINT[1]
        windows = -(-self.count // _ROWS_AT_ONCE)
        low, high = (0, (1 << 32) - 1) if self._bits == 32 else (-(1 << 63), (1 << 63) - 1)
        edges = [low + (high - low + 1) * part // max(windows, 1) for part in range(windows)] + [high + 1]
        for first, after in pairwise(edges):
            with translated(self._path):
                within = tantivy.Query.range_query(
                    self._schema, field, tantivy.FieldType.Integer, lower_bound=first, upper_bound=after - 1
                )
                addresses = self._all(within)
            for start in range(0, len(addresses), _ROWS_AT_ONCE):
                yield self._rows(addresses[start : start + _ROWS_AT_ONCE])

    def documents(self, refs: NDArray[Any]) -> list[StoredDocument]:
        with translated(self._path):
            return [
                schema.decode(self._searcher.doc(tantivy.DocAddress(ref >> 32, ref & 0xFFFF_FFFF)))
                for ref in refs.tolist()
            ]

    def ids(self, refs: NDArray[Any]) -> list[str]:
        with translated(self._path):
            return [
                self._searcher.doc(tantivy.DocAddress(ref >> 32, ref & 0xFFFF_FFFF))["id"][0] for ref in refs.tolist()
            ]

    def close(self) -> None:
        """Nothing is held that the garbage collector does not give back."""

    def _count(self, query: tantivy.Query) -> int:
        return _total(self._searcher.search(query, limit=1))

    def _all(self, query: tantivy.Query) -> list[tantivy.DocAddress]:
        """Every match: asked for as many as there are, so no limit can cut one off."""
        count = self._count(query)
        if count == 0:
            return []
        return [address for _, address in self._searcher.search(query, limit=count, count=False).hits]

    def _rows(self, addresses: list[tantivy.DocAddress]) -> Rows:
        def column(field: str) -> NDArray[np.int64]:
            return np.array(self._searcher.fast_field_values(field, addresses), dtype=np.int64)

        refs = np.array([at.segment_ord << 32 | at.doc for at in addresses], dtype=np.int64)
        fields = schema.FINGERPRINT[-words_of(self._bits) :]
        fingerprints = np.stack([column(field) for field in fields], axis=1).view(np.uint64)
        digests = np.stack([column(field) for field in schema.DIGEST], axis=1).view(np.uint64)
        return Rows(refs, fingerprints, column(schema.FEATURES), digests)

    def _folded(self, query: tantivy.Query, wanted: int) -> tuple[list[tuple[float, tantivy.DocAddress]], int]:
        """The best hits of so many clusters, and how many clusters there are in all."""
        hits = self._searcher.search(query, limit=max(self._count(query), 1), count=False).hits
        clusters = self._searcher.fast_field_values(schema.CLUSTER, [address for _, address in hits])
        best: dict[Any, tuple[float, tantivy.DocAddress]] = {}
        for cluster, hit in zip(clusters, hits, strict=True):
            best.setdefault(cluster, hit)
        return list(best.values())[:wanted], len(best)


def _total(found: tantivy.SearchResult) -> int:
    """Documents a query matches; the binding has it and its type stubs do not."""
    return int(found.count)  # type: ignore[attr-defined]
