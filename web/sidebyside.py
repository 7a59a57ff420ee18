"""How do two texts read side by side? A diff in rows, so that what both have stands at one height."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from leitong.indexer.duplicates.comparing.diff import Change

_ROW: Final = 240
_LONG: Final = 600
_SHOWN: Final = 160


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of letters. `own`: the other text has it not; `moved`: the number of a passage it has elsewhere."""

    text: str
    own: bool = False
    moved: int | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """What stands beside each other. `hidden` is the middle of a long run that both have, `end` what follows it."""

    a: tuple[Piece, ...]
    b: tuple[Piece, ...]
    hidden: str = ""
    end: str = ""

    @property
    def same(self) -> bool:
        """Whether nothing is marked on either side."""
        return not any(piece.own or piece.moved for piece in (*self.a, *self.b))


def rows(diff: Sequence[Change]) -> list[Row]:
    """A diff as rows, in reading order. A row ends where both texts end a line, or when it is long."""
    out: list[Row] = []
    a: list[Piece] = []
    b: list[Piece] = []

    def end_row() -> None:
        if a or b:
            out.append(Row(tuple(a), tuple(b)))
        a.clear()
        b.clear()

    for change in diff:
        if change.where != "both":
            own = Piece(change.text, change.moved is None, change.moved)
            (a if change.where == "a" else b).append(own)
            continue
        before, whole, after = _cut(change)
        if before:
            a.append(Piece(before))
            b.append(Piece(before))
        if whole or after:
            end_row()
        if whole:
            start = (Piece(whole[:_SHOWN]),)
            out.append(Row(start, start, hidden=whole[_SHOWN:-_SHOWN], end=whole[-_SHOWN:]))
        if after or not (before or whole):
            a.append(Piece(after or change.text))
            b.append(Piece(after or (change.text if change.text_b is None else change.text_b)))
        if sum(len(piece.text) for piece in a) > _ROW:
            end_row()
    end_row()
    return out


def _cut(change: Change) -> tuple[str, str, str]:
    """What ends a row, what is a row by itself, and what begins one; nothing of all where it is short or written
    in two ways."""
    text = change.text
    first = text.find("\n") + 1
    if change.text_b is not None or (not first and len(text) <= _LONG):
        return "", "", ""
    last = text.rfind("\n") + 1 if first else len(text)
    if last - first > _LONG:
        return text[:first], text[first:last], text[last:]
    return text[:last], "", text[last:]
