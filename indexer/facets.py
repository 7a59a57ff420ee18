"""By which metadata can hits be narrowed down? Fields that tell some of them from the others."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from leitong.indexer.documents import Document

_FIELDS: Final = 4
_VALUES: Final = 8
_VALUE_CHARACTERS: Final = 40


@dataclass(frozen=True, slots=True)
class Facet:
    """A field of the metadata and its values, the most frequent first."""

    field: str
    values: tuple[str, ...]


def facets(documents: Sequence[Document]) -> tuple[Facet, ...]:
    """Fields whose values divide these documents into few groups.

    A field is left out where all documents have the same value, or hardly two of them the same: dates, addresses,
    names of files. Values of lists count one by one.
    """
    counts: dict[str, Counter[str]] = {}
    for document in documents:
        for field, value in set(_values(document.metadata)):
            counts.setdefault(field, Counter())[value] += 1
    found = [(field, values) for field, values in counts.items() if 2 <= len(values) <= values.total() / 2]
    found.sort(key=lambda one: (-one[1].total(), len(one[1]), one[0]))
    return tuple(
        Facet(field, tuple(value for value, _ in sorted(values.items(), key=lambda one: (-one[1], one[0]))[:_VALUES]))
        for field, values in found[:_FIELDS]
    )


def _values(metadata: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for field, value in metadata.items():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str) and 0 < len(one) <= _VALUE_CHARACTERS and not any(sign in field for sign in "=:"):
                yield field, one
