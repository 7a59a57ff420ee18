"""The parts of a report that several machines shared, read back from their folders."""

import heapq
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from leitong.indexer.duplicates.combined import Combined
from leitong.indexer.duplicates.found import Pair
from leitong.indexer.duplicates.merge import Parts
from leitong.indexer.errors import UsageError

_SAME: Final = {
    "state": "which was made of other documents",
    "parts": "which has another number of parts",
    "radius": "which has another radius",
    "min_similarity": "which has another least similarity",
    "combined": "which has another score of metadata",
}
"""What must be the same in all parts, and what is said where it is not."""


_NEEDED: Final = _SAME.keys() - {"combined"} | {"part", "documents", "compared", "seconds", "copies"}
"""What a part says of itself; a score of metadata only where there is one."""


def read_parts(folders: Sequence[Path]) -> Parts:
    """All parts of one report, in any order. Raises UsageError where one is missing, double, or of another report."""
    told = [_told(folder) for folder in folders]
    first = told[0]
    for folder, one in zip(folders, told, strict=True):
        for name, said in _SAME.items():
            if one.get(name) != first.get(name):
                raise UsageError(
                    f"{folder} is a part of another report than {folders[0]}, {said}. All parts come from one state of "
                    "one index, with the same settings."
                )
    numbers = sorted(one["part"] for one in told)
    if numbers != list(range(first["parts"])):
        there = ", ".join(str(number + 1) for number in numbers)
        raise UsageError(f"The parts {there} of {first['parts']} are there. Each must be there once.")
    return Parts(
        pairs=heapq.merge(*(_pairs(folder / "pairs.jsonl") for folder in folders), key=lambda pair: (pair.a, pair.b)),
        copies=tuple((one, copy) for one, copy in first["copies"]),
        documents=first["documents"],
        radius=first["radius"],
        min_similarity=first["min_similarity"],
        compared=sum(one["compared"] for one in told),
        index=first["index"],
        state=first["state"],
        seconds=sum(one["seconds"] for one in told),
        combined=_combined(first.get("combined")),
    )


def _combined(told: dict[str, Any] | None) -> Combined | None:
    return None if told is None else Combined(**{**told, "fields": tuple(told["fields"])})


def _told(folder: Path) -> dict[str, Any]:
    try:
        told: dict[str, Any] = json.loads((folder / "part.json").read_text(encoding="utf-8"))
        if not isinstance(told, dict) or not told.keys() >= _NEEDED:
            raise ValueError
    except (OSError, ValueError):
        if not folder.exists():
            raise UsageError(f"There is no folder {folder}. Name those that hold the parts.") from None
        raise UsageError(
            f"{folder} holds no part of a report. Parts are written by leitong report --partition I/N."
        ) from None
    return told


def _pairs(path: Path) -> Iterator[Pair]:
    try:
        with path.open(encoding="utf-8") as file:
            for line in file:
                yield Pair(**json.loads(line))
    except (OSError, ValueError, TypeError) as error:
        raise UsageError(f"{path} cannot be read ({error}). Write this part again.") from None
