"""Documents and entries put into an index without much ado, and what is found there."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import pytest

from leitong.indexer.documents import Document, Entry, StoredDocument
from leitong.indexer.engines.base import Engine, Snapshot
from leitong.indexer.fingerprint.recipe import load
from leitong.indexer.prepare import Preparer
from leitong.indexer.query import parse, parse_filter
from tests.engines.places import Place

RECIPE = load("standard")
PREPARER = Preparer(RECIPE)


def fill(engine: Engine, documents: Sequence[Document]) -> None:
    put(engine, Preparer(engine.recipe).entries(documents))


def put(engine: Engine, entries: Sequence[Entry]) -> None:
    with engine.writer() as writer:
        for start in range(0, len(entries), 256):
            writer.put(entries[start : start + 256])


def bare(doc_id: str, fingerprint: int, *, keys: Sequence[int] = (), features: int = 9, tokens: str = "雷同 ") -> Entry:
    """An entry with a fingerprint of our choice."""
    digest = hashlib.blake2b(doc_id.encode(), digest_size=16).hexdigest()
    stored = StoredDocument(Document(doc_id, tokens), fingerprint, features, digest, cluster=doc_id)
    return Entry(stored, title_tokens=b"", tokens=tokens.encode(), keys=np.array(keys, dtype=np.uint64))


@contextmanager
def filled(place: Place, documents: Sequence[Document]) -> Iterator[Snapshot]:
    """The state of a new index of these documents."""
    engine = place.make(RECIPE)
    fill(engine, documents)
    with engine.snapshot() as snapshot:
        yield snapshot


def few_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that refuses for good is asked for seconds, not minutes."""
    monkeypatch.setattr("leitong.indexer.engines.server.product.BULK_RETRIES", 2)


def ids(stored: Sequence[StoredDocument]) -> set[str]:
    return {one.document.id for one in stored}


def found(snapshot: Snapshot, text: str, **options: object) -> list[str]:
    filters = tuple(parse_filter(one) for one in options.pop("filters", ()))  # type: ignore[attr-defined]
    page = snapshot.search(parse(text, cutter=PREPARER), size=100, filters=filters, **options)  # type: ignore[arg-type]
    if not options:
        assert page.total == len(page.hits)
    return [hit.stored.document.id for hit in page.hits]
