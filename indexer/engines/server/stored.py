"""How a document becomes a server's document and back: the user's fields as they are, ours under `leitong`.

The products' field types for free-form metadata cannot hold every JSON object: long values, deep nesting and NUL in a
name would have the document rejected, and the clients round whole numbers beyond 64 bits. Such metadata is kept whole
under `leitong.metadata`, as JSON text that is not indexed, and `metadata` holds what of it can be searched.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import orjson
from numpy.typing import NDArray

from leitong.indexer import exactjson
from leitong.indexer.documents import Entry, StoredDocument
from leitong.indexer.engines.base import KEY_BITS, Rows
from leitong.indexer.engines.server.layout import Layout
from leitong.indexer.fingerprint.blocks import BLOCK_BITS, block_count
from leitong.indexer.fingerprint.hamming import Fingerprints, to_hex, words_of
from leitong.indexer.fingerprint.kernels import write_digits

FINGERPRINT: Final = "leitong.fp"
ROW_FIELDS: Final = (FINGERPRINT, "leitong.features", "leitong.digest")
"""What a row is made of; all of it lies in columns, so no text is read for it."""
ALWAYS: Final = frozenset({"recipe", "fp", "features", "digest", "cluster", "sketch"})
"""Fields that every document has which this version of the fields was written to."""
LEFT_OUT: Final = ("leitong.tokens", "leitong.title_tokens", "leitong.sketch")
"""What a document is found by and does not consist of."""

_DIGITS: Final = np.frombuffer(b"-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz", dtype=np.uint8)
_KEY_DIGITS: Final = KEY_BITS // 6
_BETWEEN: Final = np.frombuffer(b'","', dtype=np.uint8)

_MOST_BYTES: Final = 8191
_MOST_DEPTH: Final = 8
_LOST: Final = object()
_ESCAPED: Final = bytes(range(0x20)) + b'"\\'
"""What JSON does not let stand in a text."""


def encode(entry: Entry, *, bits: int, recipe_id: str) -> bytes:
    """The JSON of an entry. Raises TypeError (orjson.JSONEncodeError) for metadata that is no JSON."""
    document = entry.stored.document
    ours = _fields(entry.stored, bits=bits, recipe_id=recipe_id)
    ours["sketch"] = orjson.Fragment(b'["' + _spelled(entry.keys)[: -len(_BETWEEN)] + b'"]') if len(entry.keys) else []
    ours["title_tokens"], ours["tokens"] = _as_json(entry.title_tokens), _as_json(entry.tokens)
    metadata = _searchable(document.metadata, 0, 0)
    if metadata != document.metadata:
        ours["metadata"] = exactjson.dumps(document.metadata).decode()
    source = {"title": document.title, "text": document.text, "metadata": metadata, "leitong": ours}
    return orjson.dumps(source)


def fields(entry: Entry, *, bits: int, recipe_id: str) -> dict[str, Any]:
    """What stands under `leitong` in every index, ours and attached ones."""
    return {**_fields(entry.stored, bits=bits, recipe_id=recipe_id), "sketch": key_texts(entry.keys)}


def _fields(stored: StoredDocument, *, bits: int, recipe_id: str) -> dict[str, Any]:
    """All of that but the keys. A document without features gets no blocks: nothing finds it by them."""
    fingerprint = to_hex(stored.fingerprint, bits)
    ours: dict[str, Any] = {
        "recipe": recipe_id,
        "fp": fingerprint,
        "features": stored.features,
        "digest": stored.digest,
        "cluster": stored.cluster,
    }
    if stored.features:
        digits = BLOCK_BITS // 4
        for block in range(block_count(bits)):
            ours[f"b{block}"] = fingerprint[block * digits : (block + 1) * digits]
    if stored.duplicate_of is not None:
        ours["duplicate_of"] = stored.duplicate_of
        ours["original"] = stored.original
    return ours


def decode(hit: Mapping[str, Any], layout: Layout) -> StoredDocument:
    """The document behind a hit that has its source."""
    ours = hit["_source"]["leitong"]
    original = ours.get("duplicate_of")
    return StoredDocument(
        layout.document(hit),
        fingerprint=int(ours["fp"], 16),
        features=ours["features"],
        digest=ours["digest"],
        cluster=layout.full(hit, ours["cluster"]),
        duplicate_of=None if original is None else layout.full(hit, original),
        original=ours.get("original"),
    )


def rows(hits: Sequence[Mapping[str, Any]], layout: Layout, *, bits: int) -> Rows:
    """Rows of hits that have the fields of a row; handles are the ids."""
    fields = [hit["fields"] for hit in hits]
    digests = "".join(field["leitong.digest"][0] for field in fields)
    refs = np.empty(len(hits), dtype=object)
    refs[:] = [layout.name(hit) for hit in hits]
    return Rows(
        refs,
        fingerprints(hits, bits=bits),
        np.array([field["leitong.features"][0] for field in fields], dtype=np.int64),
        _numbers(digests, 2),
    )


def fingerprints(hits: Sequence[Mapping[str, Any]], *, bits: int) -> Fingerprints:
    """Fingerprints of hits that have this field."""
    digits = words_of(bits) * 16
    return _numbers("".join(hit["fields"][FINGERPRINT][0].rjust(digits, "0") for hit in hits), words_of(bits))


def key_texts(keys: Sequence[int] | NDArray[np.uint64]) -> list[str]:
    """The keys of a sketch as they are stored: seven digits each, of six bits, the last ones first.

    A server takes a twentieth less time for an index with keys of seven letters than of sixteen.
    """
    return _spelled(keys).decode().split('","')[:-1]


def _spelled(keys: Sequence[int] | NDArray[np.uint64]) -> bytes:
    """Each key, and after it what stands between two of them in JSON."""
    return write_digits(np.asarray(keys, dtype=np.uint64), _KEY_DIGITS, _DIGITS, _BETWEEN).tobytes()


def _as_json(octets: bytes) -> orjson.Fragment | str:
    """A text in UTF-8 on its way into JSON; as it stands where it holds nothing that has to be written otherwise."""
    plain = len(octets.translate(None, _ESCAPED)) == len(octets)
    return orjson.Fragment(b'"%b"' % octets) if plain else octets.decode()


def _numbers(digits: str, words: int) -> NDArray[np.uint64]:
    return np.frombuffer(bytes.fromhex(digits), dtype=">u8").astype(np.uint64).reshape(-1, words)


def _searchable(value: Any, depth: int, path_bytes: int) -> Any:
    """The value without what cannot be indexed, larger whole numbers as text; equal to it when all of it fits."""
    if isinstance(value, Mapping):
        if depth > _MOST_DEPTH:
            return _LOST
        kept = (
            (name, _searchable(inner, depth + 1, path_bytes + len(str(name).encode("utf-8", "replace")) + 1))
            for name, inner in value.items()
            if "\0" not in str(name)
        )
        return {name: inner for name, inner in kept if inner is not _LOST}
    if isinstance(value, list):
        if depth > _MOST_DEPTH:
            return _LOST
        return [inner for item in value if (inner := _searchable(item, depth + 1, path_bytes)) is not _LOST]
    if isinstance(value, str) and len(value.encode("utf-8", "replace")) + path_bytes > _MOST_BYTES:
        return _LOST
    if path_bytes > _MOST_BYTES:
        return _LOST
    return str(value) if isinstance(value, int) and not -(1 << 63) <= value < 1 << 64 else value
