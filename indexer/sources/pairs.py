"""Which pairs of documents did people call duplicates? Labelled pairs out of a file, plain or gzip, with tabs between
its columns.

A first line that names columns (`id_a`, `id_b`, `label`, others) is known by its names. Without one the first two
columns are ids and the third, where there is one, is the label. Where no column has labels, every line is a duplicate.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from leitong.indexer.documents import LabelledPair
from leitong.indexer.errors import DocumentError, SourceError, UsageError
from leitong.indexer.plain import shell_word
from leitong.indexer.sources.base import explain
from leitong.indexer.sources.encoding import decode
from leitong.indexer.sources.streams import ByteInput, buffered

DUPLICATES: Final = ("copy", "derived")
"""Labels that mean duplicate, unless others are named. Small and capital letters make no difference in labels."""
ALL: Final = "all"
"""Named instead of labels: every line is a duplicate, whatever its label."""
STDIN: Final = Path("-")
_LABELS: Final = ("label", "relation")
_ID: Final = re.compile(r"id_\w+")
_OTHER_IDS: Final = (("a", "b"), ("id1", "id2"), ("left", "right"))
_MOST_BYTES: Final = 500_000_000
_LISTED: Final = 8


@dataclass(frozen=True)
class LabelFile:
    """The pairs of a file.

    Args:
        name: the file.
        pairs: each pair once, in the order of the file.
        labels: how many pairs have each label; empty where lines have none.
        duplicates: the labels among them that mean duplicate.
        left_out: lines that were not used and why, at most one entry for each reason.
    """

    name: str
    pairs: tuple[LabelledPair, ...]
    labels: Mapping[str, int]
    duplicates: tuple[str, ...]
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Columns:
    """Places of the columns; `label` is None where there is none."""

    names: tuple[str, ...]
    a: int
    b: int
    label: int | None


def read_pairs(
    path: Path,
    *,
    duplicates: Sequence[str] | None = None,
    label_field: str | None = None,
    filters: Sequence[tuple[str, str]] = (),
    stdin: BinaryIO | None = None,
) -> LabelFile:
    """Read labelled pairs; `filters` are columns and the value that a line must have there, `-` is read from `stdin`.

    Raises SourceError for a file without pairs, UsageError for labels or columns that are not there.
    """
    rows = _rows(path, stdin)
    columns = _columns(path, rows, label_field)
    body = rows[1:] if columns.names else rows
    wanted = {_place(path, columns, name): value for name, value in filters}
    words = {word.casefold() for word in duplicates or DUPLICATES}
    found: dict[tuple[str, str], LabelledPair] = {}
    reasons: dict[str, list[int]] = {}
    for number, row in body:
        told = _pair(row, columns, wanted, words)
        if isinstance(told, LabelledPair):
            earlier = found.setdefault((told.a, told.b), told)
            if earlier is told:
                continue
            opposite = " and says the opposite; the earlier one counts" if earlier.duplicate != told.duplicate else ""
            told = f"an earlier line labels the same pair{opposite}"
        reasons.setdefault(told, []).append(number)
    left_out = tuple(f"{_numbered(lines)}: {reason}" for reason, lines in reasons.items())
    pairs = tuple(found.values())
    if not pairs:
        why = f" {left_out[0]}." if left_out else ""
        raise SourceError(
            f"{path} has no labelled pairs.{why} Write one pair a line: id, tab, id, and a tab and a label where not "
            "every pair is a duplicate."
        )
    labels = Counter(pair.label for pair in pairs if pair.label)
    every = ALL in words or columns.label is None
    meant = tuple(sorted(label for label in labels if every or label.casefold() in words))
    _check_labels(path, pairs, labels, duplicates or (), left_out)
    return LabelFile(str(path), pairs, dict(labels.most_common()), meant, left_out)


def _pair(
    row: Sequence[str], columns: _Columns, wanted: Mapping[int, str], duplicates: Collection[str]
) -> LabelledPair | str:
    """What a line says, by the labels that mean duplicate; or why it is not used."""
    cells = [*row, *[""] * (1 + max(columns.a, columns.b, columns.label or 0, *wanted, 0) - len(row))]
    label = cells[columns.label].strip() if columns.label is not None else ""
    every = columns.label is None or ALL in duplicates
    a, b = sorted((cells[columns.a], cells[columns.b]))
    if not a or not b:
        return "it does not name two documents"
    if a == b:
        return "it names one document twice"
    if any(cells[place] != value for place, value in wanted.items()):
        return "--filter leaves it out"
    if not label and not every:
        return "it has no label"
    return LabelledPair(a, b, every or label.casefold() in duplicates, label)


def _rows(path: Path, stdin: BinaryIO | None) -> list[tuple[int, list[str]]]:
    """Cells of each line that is not blank, with the line's number."""
    try:
        source = ByteInput(str(path), stdin if path == STDIN and stdin is not None else path)
        with source.open() as stream:
            data = buffered(stream).read(_MOST_BYTES + 1)
        if stream.damage:
            raise SourceError(f"{path}: {stream.damage}.")
        if len(data) > _MOST_BYTES:
            raise SourceError(f"{path} is larger than {_MOST_BYTES:,} bytes: that is no file of labelled pairs.")
        text = decode(data)
    except (FileNotFoundError, IsADirectoryError) as error:
        missing = "There is no stdin to read (-)" if path == STDIN else f"There is no file {path}"
        what = f"{path} is a folder" if path.is_dir() else missing
        raise SourceError(f"{what}. Name a file of labelled pairs: id, tab, id, tab, label.") from error
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {explain(error)}. Check its permissions and its place.") from error
    except DocumentError as error:
        raise SourceError(f"{path} cannot be read: {error}.") from None
    rows = [(number, line.split("\t")) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not rows:
        raise SourceError(f"{path} is empty. Write one pair a line: id, tab, id, tab, label.")
    if all(len(row) == 1 for _, row in rows):
        raise SourceError(
            f"{path} has no tabs. Write one pair a line, with tabs between the columns: id, tab, id, label."
        )
    return rows


def _columns(path: Path, rows: Sequence[tuple[int, list[str]]], label_field: str | None) -> _Columns:
    first = [cell.strip() for cell in rows[0][1]]
    lower = [cell.lower() for cell in first]
    ids = [place for place, name in enumerate(lower) if _ID.fullmatch(name)]
    others = next((pair for pair in _OTHER_IDS if set(pair) <= set(lower) and set(lower) & {*_LABELS, "kind"}), None)
    if len(ids) < 2 and others and len(lower) > 2:
        ids = [lower.index(name) for name in others]
    if len(ids) < 2:  # no header
        if label_field:
            raise UsageError(f"{path} has no line with names of columns, so --label-field {label_field} means nothing.")
        return _Columns((), 0, 1, 2 if any(len(row) > 2 for _, row in rows) else None)
    label = next((lower.index(name) for name in _LABELS if name in lower), None)
    columns = _Columns(tuple(first), ids[0], ids[1], label)
    if label_field:
        return _Columns(columns.names, columns.a, columns.b, _place(path, columns, label_field))
    return columns


def _place(path: Path, columns: _Columns, name: str) -> int:
    if name not in columns.names:
        there = f"It has {', '.join(columns.names)}." if columns.names else "Its first line names no columns."
        raise UsageError(f"{path} has no column {name!r}. {there}")
    return columns.names.index(name)


def _check_labels(
    path: Path, pairs: Sequence[LabelledPair], labels: Counter[str], named: Sequence[str], left_out: Sequence[str]
) -> None:
    """Raise UsageError where a label was named that is not there, or where nothing is a duplicate."""
    listed = ", ".join(f"{label} ({count:,})" for label, count in labels.most_common(_LISTED))
    listed += ", …" if len(labels) > _LISTED else ""
    there = {ALL, *(label.casefold() for label in labels)}
    if missing := sorted(name for name in set(named) if name.casefold() not in there):
        raise UsageError(f"No pair of {path} is labelled {missing[0]!r}. Its labels: {listed or 'none'}.")
    if not any(pair.duplicate for pair in pairs):
        most = shell_word(labels.most_common(1)[0][0])
        also = f" Left out, {left_out[0]}." if left_out else ""
        raise UsageError(
            f"No pair of {path} is labelled {' or '.join(sorted(named) or DUPLICATES)}. Its labels: {listed}.{also} "
            f"Name those that mean duplicate, with commas between them: --duplicates {most}; or --duplicates all."
        )


def _numbered(lines: Sequence[int]) -> str:
    return f"line {lines[0]}" if len(lines) == 1 else f"{len(lines):,} lines, the first is {lines[0]}"
