"""How alike are two documents by their fingerprints and the sets in their metadata together?

    score   μ / (distance + 1) + (1 - μ) * jaccard

`jaccard` is the MinHash estimate for the sets (keywords, tags, references). Source: docs/papers.md P3 (Wang Cheng, Wang
Yucheng 2019), where μ is 0.9 and documents are similar from 0.25.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from leitong.indexer.documents import Document
from leitong.indexer.errors import ArgumentError, UsageError
from leitong.indexer.fields import at, locate
from leitong.indexer.fingerprint.minhash import FAMILIES, Numbers, estimate, members, signature

CONTENT: Final = 0.9
"""The paper's μ."""


@dataclass(frozen=True, kw_only=True)
class Combined:
    """How the score is made.

    Args:
        fields: metadata fields whose items make one set: lists of texts or numbers, or one of them. A name with dots
            reaches into objects.
        family: hash functions of MinHash: `mixed`, or `shifts`, those of the paper.
        content: μ, how much the distance counts beside the metadata, 0…1.
        least: matches with a lower score are none.
    """

    fields: tuple[str, ...]
    family: str = "mixed"
    content: float = CONTENT
    least: float = 0.0

    def __post_init__(self) -> None:
        """Raise ArgumentError for what cannot be."""
        if not self.fields:
            raise ArgumentError("fields", "must name a metadata field: a combined score needs the set that it holds.")
        if self.family not in FAMILIES:
            raise ArgumentError("family", f"must be one of {', '.join(FAMILIES)}, not {self.family!r}.")
        for name, value in (("content", self.content), ("least", self.least)):
            if not 0.0 <= value <= 1.0:
                raise ArgumentError(name, f"must be 0 to 1, not {value}.")

    def signature(self, document: Document) -> Numbers:
        """MinHash of the document's set. Raises UsageError where a field is no set."""
        return signature(members(items(document, self.fields)), FAMILIES[self.family])

    def score(self, distance: int, one: Numbers, other: Numbers) -> float:
        """The score of two documents from their distance in bits and the signatures of their sets."""
        return self.content / (distance + 1) + (1 - self.content) * estimate(one, other)


def items(document: Document, fields: Sequence[str]) -> list[str]:
    """The items of these metadata fields; a field that is missing or null has none. Raises UsageError for no set."""
    found: list[str] = []
    for name in fields:
        path = locate(document.metadata, name)
        value = None if path is None else at(document.metadata, path)
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, list | dict | bool):
                kind = {list: "lists inside a list", dict: "an object", bool: "true or false"}[type(one)]
                raise UsageError(
                    f"The metadata field {name!r} of document {document.id[:60]!r} holds {kind}, which is no set. "
                    "Name a field with texts or numbers, or lists of them."
                )
            if one is not None and str(one).strip():
                found.append(str(one).strip())
    return found


def absent(documents: Sequence[Document], fields: Iterable[str]) -> tuple[str, ...]:
    """Those of the fields that none of the documents has: misspelt, perhaps."""
    return tuple(name for name in fields if all(locate(one.metadata, name) is None for one in documents))
