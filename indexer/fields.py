"""Where in a record, or in a document's metadata, is the field of this name?"""

from collections.abc import Mapping
from typing import Any

Fields = Mapping[str, Any]
Path = tuple[str, ...]


def locate(record: Fields, name: str) -> Path | None:
    """Where the field is: a literal name first, then through objects. None when there is no such field."""
    if name in record:
        return (name,)
    for head in heads(name)[1:]:
        inner = record.get(head)
        if isinstance(inner, Mapping) and (rest := locate(inner, name[len(head) + 1 :])) is not None:
            return (head, *rest)
    return None


def heads(name: str) -> list[str]:
    """`a.b.c`: itself, `a`, `a.b`."""
    return [name, *(name[:place] for place, letter in enumerate(name) if letter == ".")]


def at(record: Fields, path: Path) -> Any:
    """What stands at a place that `locate` has found."""
    value: Any = record
    for key in path:
        value = value[key]
    return value
