"""How a document becomes a tantivy document and back.

Numbers are stored signed: the Python binding turns an integer of 2^63 or more into a float, which kills the writer.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np
import tantivy

from leitong.indexer import exactjson
from leitong.indexer.documents import Document, Entry, StoredDocument
from leitong.indexer.engines.base import KEY_BITS, stored_keys
from leitong.indexer.fingerprint.blocks import block_count, split
from leitong.indexer.fingerprint.kernels import distinct_characters

FORMAT: Final = 3
FINGERPRINT: Final = ("fp_high", "fp_low")
DIGEST: Final = ("digest_high", "digest_low")
FEATURES: Final = "features"
CLUSTER: Final = "cluster"
KEYS: Final = "keys"
METADATA: Final = "metadata"
LETTERS: Final = {"tokens": "letters", "title_tokens": "title_letters"}
"""Where the single characters stand that are found inside longer words."""
MARKED: Final = 1 << KEY_BITS
"""The key of every document that is marked as a duplicate: no text has it."""

_DUPLICATE: Final = 1 << 62
"""Every key by which duplicates of a document are found is at least that."""
_MASK: Final = 0xFFFF_FFFF_FFFF_FFFF
_MAX_TERM_BYTES: Final = 8192
_MAX_DEPTH: Final = 8
_LAST_EUROPEAN: Final = 0x02FF


def block_field(block: int) -> str:
    """Name of the field that holds a block."""
    return f"b{block}"


def build(bits: int) -> tantivy.Schema:
    """The schema for fingerprints of so many bits."""
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
    schema.add_bytes_field("body", stored=True)
    schema.add_text_field("title_tokens", tokenizer_name="whitespace", index_option="position")
    schema.add_text_field("tokens", tokenizer_name="whitespace", index_option="position")
    schema.add_json_field(METADATA, tokenizer_name="raw", index_option="basic", expand_dots_enabled=True, fast=True)
    for name in LETTERS.values():
        schema.add_text_field(name, tokenizer_name="whitespace", index_option="basic")
    for name in (*FINGERPRINT, *DIGEST, FEATURES, CLUSTER):
        schema.add_integer_field(name, fast=True)
    schema.add_unsigned_field(KEYS, indexed=True)
    for block in range(block_count(bits)):
        schema.add_unsigned_field(block_field(block), indexed=True)
    return schema.build()


def signed(value: int) -> int:
    """The same 64 bits as a signed number."""
    return value - (1 << 64) if value >> 63 else value


def encode(entry: Entry, bits: int, letters: tuple[str, str]) -> tantivy.Document:
    """The tantivy document of an entry. A document without features gets no blocks: nothing finds it by them.

    `letters`: see `letters_of`.
    """
    stored = entry.stored
    document = stored.document
    out = tantivy.Document()
    out.add_text("id", document.id)
    out.add_bytes("body", _body(stored))
    out.add_text("title_tokens", entry.title_tokens.decode())
    out.add_text("tokens", entry.tokens.decode())
    for name, text in zip(LETTERS.values(), letters, strict=True):
        out.add_text(name, text)
    if document.metadata:
        out.add_json(METADATA, dict(_searchable(document.metadata)))
    digest = int(stored.digest, 16)
    out.add_integer("fp_high", signed(stored.fingerprint >> 64))
    out.add_integer("fp_low", signed(stored.fingerprint & _MASK))
    out.add_integer("digest_high", signed(digest >> 64))
    out.add_integer("digest_low", signed(digest & _MASK))
    out.add_integer(FEATURES, stored.features)
    out.add_integer(CLUSTER, cluster_hash(stored.cluster))
    for key in stored_keys(entry.keys).tolist():
        out.add_unsigned(KEYS, key)
    if stored.duplicate_of is not None:
        out.add_unsigned(KEYS, MARKED)
        out.add_unsigned(KEYS, duplicate_key(stored.duplicate_of))
    if stored.features:
        for block, value in enumerate(split(stored.fingerprint, bits)):
            out.add_unsigned(block_field(block), value)
    return out


def decode(found: tantivy.Document) -> StoredDocument:
    """The document behind a tantivy document."""
    values = exactjson.loads(found["body"][0])
    document = Document(id=found["id"][0], text=values["text"], title=values["title"], metadata=values["metadata"])
    return StoredDocument(
        document,
        fingerprint=int(values["fp"], 16),
        features=values["features"],
        digest=values["digest"],
        cluster=values["cluster"],
        duplicate_of=values["duplicate_of"],
        original=values.get("original"),
    )


def duplicate_key(original: str) -> int:
    """The key by which the documents marked as duplicates of one are found."""
    name = b"duplicate of " + original.encode("utf-8", "surrogatepass")
    return _DUPLICATE | int.from_bytes(hashlib.blake2b(name, digest_size=8).digest(), "big") >> 2


def cluster_hash(cluster: str) -> int:
    """A number that stands for a cluster's id where hits are folded."""
    return int.from_bytes(hashlib.blake2b(cluster.encode(), digest_size=8).digest(), "big", signed=True)


def _body(stored: StoredDocument) -> bytes:
    document = stored.document
    return exactjson.dumps(
        {
            "text": document.text,
            "title": document.title,
            "metadata": document.metadata,
            "fp": f"{stored.fingerprint:x}",
            "features": stored.features,
            "digest": stored.digest,
            "cluster": stored.cluster,
            "duplicate_of": stored.duplicate_of,
            "original": stored.original,
        }
    )


def letters_of(entries: Sequence[Entry]) -> list[tuple[str, str]]:
    """For each entry the values of LETTERS, in that order: the characters of tokens and title that a question can ask
    for inside words, and more: all beyond the European alphabets."""
    texts = [text for entry in entries for text in (entry.tokens, entry.title_tokens)]
    ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
    octets = np.frombuffer(b"".join(texts), dtype=np.uint8)
    found, found_ends = distinct_characters(octets, ends, _LAST_EUROPEAN)
    together = found.tobytes()
    letters = [together[start:end].decode() for start, end in pairwise([0, *found_ends.tolist()])]
    return list(zip(letters[::2], letters[1::2], strict=True))


def _searchable(metadata: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Metadata as filters see it: distinct scalars by dotted path, everything as text."""
    leaves: dict[str, dict[str, None]] = {}
    _collect(metadata, "", 0, leaves)
    yield from ((path, list(values)) for path, values in leaves.items())


def _collect(value: Any, path: str, depth: int, leaves: dict[str, dict[str, None]]) -> None:
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, Mapping):
        for key, inner in value.items():
            _collect(inner, f"{path}.{key}" if path else str(key), depth + 1, leaves)
    elif isinstance(value, list):
        for inner in value:
            _collect(inner, path, depth + 1, leaves)
    elif value is not None and path:
        text = as_text(value)
        if len(text.encode("utf-8", "surrogatepass")) <= _MAX_TERM_BYTES:
            leaves.setdefault(path, {})[text] = None


def as_text(value: Any) -> str:
    """A scalar of JSON as people write it in a filter."""
    return value if isinstance(value, str) else exactjson.dumps(value).decode()
