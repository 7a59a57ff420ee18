"""By which metadata can hits be narrowed down? Fields whose values tell some of all hits from the others."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from leitong.indexer.documents import Document
from leitong.indexer.engines.base import FieldValues

VALUES: Final = 16
"""Values to ask for of each field; some may be too long to be shown."""
_FIELDS: Final = 4
_ASKED: Final = 8
_SHOWN: Final = 8
_VALUE_CHARACTERS: Final = 40
_LEAST_SHARE: Final = 0.1
"""Values that hold a smaller part of the documents than this do not narrow them down: dates, addresses, names."""


def fields_of(documents: Sequence[Document]) -> tuple[str, ...]:
    """Fields worth counting: those of these documents with a short value, the most frequent first."""
    counts = Counter(field for document in documents for field in set(_fields(document.metadata)))
    ordered = sorted(counts, key=lambda field: (-counts[field], field))
    return tuple(ordered[:_ASKED])


def facets(counted: Sequence[FieldValues]) -> tuple[FieldValues, ...]:
    """Fields whose values divide the counted documents into few groups, with their most frequent values.

    A field is left out where all documents have the same value, or hardly two of them the same.
    """
    found = [short for one in counted if _divides(short := _short(one))]
    found.sort(key=lambda one: (-_documents(one), len(one.values), one.field))
    return tuple(found[:_FIELDS])


def _short(one: FieldValues) -> FieldValues:
    kept = tuple((value, count) for value, count in one.values if _is_short(value))[:_SHOWN]
    return FieldValues(one.field, kept, _documents(one) - sum(count for _, count in kept), exact=one.exact)


def _divides(one: FieldValues) -> bool:
    shown = sum(count for _, count in one.values)
    return len(one.values) >= 2 and shown >= max(2 * len(one.values), _LEAST_SHARE * _documents(one))


def _documents(one: FieldValues) -> int:
    return sum(count for _, count in one.values) + one.others


def _fields(metadata: Mapping[str, Any]) -> Iterator[str]:
    for field, value in metadata.items():
        values = value if isinstance(value, list) else [value]
        if field and not any(sign in field for sign in "=:") and any(map(_is_short, values)):
            yield field


def _is_short(value: Any) -> bool:
    """Whether a value can be shown, and chosen: blanks around it are lost in a filter."""
    text = str(value) if isinstance(value, int) else value
    return isinstance(text, str) and 0 < len(text) <= _VALUE_CHARACTERS and text == text.strip()
