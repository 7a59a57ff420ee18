"""What do both texts have, what has only one of them, and what stands elsewhere in the other?

Texts are compared by their letters and digits: width, case, punctuation and brackets make no difference, and what is
shown is the original. First every common run of some length is found, wherever it stands. The heaviest chain of runs
that follow each other in both texts is what both have; runs beside that chain have moved. Between two runs of the chain
shorter ones are looked for.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from leitong.indexer.fingerprint.normalise import HAN, char_class, normalise
from leitong.indexer.passages import read

_LONG_RUN: Final = 8
"""A common run that spans so much is looked for everywhere; a Chinese character spans 1, a word 2."""
_SHORT_RUN: Final = 4
_BY_SENTENCES: Final = 200_000
"""With more characters than this in one of the texts, sentences are compared instead of words."""
_TRIED: Final = 32
_HAN: Final = char_class(HAN)
_LETTER: Final = r"[^\W_]"
_WORD: Final = re.compile(rf"[{_HAN}]|(?:(?![{_HAN}]){_LETTER}[\u0300-\u036f]*)+")
_END: Final = "。！？!?；;\n"
_SENTENCE: Final = re.compile(rf"(?<![^{_END}])(?:(?!{_LETTER})[^{_END}])*+{_LETTER}[^{_END}]*+")
"""Looked for from its beginning only, or a long line of dashes would be read again from each of them."""


@dataclass(frozen=True, slots=True)
class Change:
    """A run of text that both texts have, or one of them.

    Args:
        where: who has it.
        text: as A has it, or B where only B does.
        text_b: as B has it, where both do and B writes it otherwise: width, case, punctuation, blanks.
        moved: a number where the other text has it elsewhere; the two halves have the same one.
    """

    where: Literal["both", "a", "b"]
    text: str
    text_b: str | None = None
    moved: int | None = None


@dataclass(frozen=True, slots=True)
class _Run:
    """Common units: a, b … of both texts, `size` of them."""

    a: int
    b: int
    size: int
    span: int


def diff(a: str, b: str, *, script: str = "") -> list[Change]:
    """Both texts whole, piece by piece, each in its own order. `script` is the recipe's."""
    if read(a, script=script).digest == read(b, script=script).digest:
        return [_both(a, b)] if a or b else []
    unit = _WORD if max(len(a), len(b)) <= _BY_SENTENCES else _SENTENCE
    left, right = _Units(a, unit, script), _Units(b, unit, script)
    used_a, used_b = bytearray(len(left)), bytearray(len(right))
    chain, moved = _chain(_common(left, right, used_a, used_b, _Gap(0, len(left), 0, len(right)), _LONG_RUN))
    ends = [*chain, _Run(len(left), len(right), 0, 0)]
    at_a = at_b = 0
    short: list[_Run] = []
    for run in ends:
        gap = _Gap(at_a, run.a, at_b, run.b)
        short += _chain(_common(left, right, used_a, used_b, gap, _SHORT_RUN))[0]
        at_a, at_b = run.a + run.size, run.b + run.size
    return list(_changes(left, right, sorted([*chain, *short], key=lambda run: run.a), moved))


class _Units:
    """The units of a text by their normalised form; each owns the text up to the next one."""

    def __init__(self, text: str, unit: re.Pattern[str], script: str) -> None:
        self.text = text
        found = list(unit.finditer(text))
        self.starts = [one.start() for one in found]
        self.keys = [_key(one.group(), script) for one in found]
        self.spans = [1 if len(key) == 1 else max(2, len(key) // 2) for key in self.keys]

    def __len__(self) -> int:
        return len(self.keys)

    def piece(self, start: int, end: int) -> str:
        """The text of units start to end - 1; what stands before the first unit goes with it."""
        first = self.starts[start] if start else 0
        return self.text[first : self.starts[end] if end < len(self.starts) else len(self.text)]

    def gram(self, start: int, span: int) -> tuple[str, ...]:
        """The shortest run from a unit on that spans so much; shorter at the end of the text."""
        end, reach = start, 0
        while reach < span and end < len(self.keys):
            reach += self.spans[end]
            end += 1
        return tuple(self.keys[start:end])


def _key(unit: str, script: str) -> str:
    return "".join(filter(str.isalnum, normalise(unit, script=script)))


@dataclass(frozen=True, slots=True)
class _Gap:
    """Units between which is looked: a up to a_end of one text, b up to b_end of the other."""

    a: int
    a_end: int
    b: int
    b_end: int


def _common(left: _Units, right: _Units, used_a: bytearray, used_b: bytearray, gap: _Gap, least: int) -> list[_Run]:
    """Common runs of unused units that span at least so much, the longest from each place on; they become used."""
    if gap.a == gap.a_end or gap.b == gap.b_end:
        return []
    places: dict[tuple[str, ...], list[int]] = {}
    for place in range(gap.a, gap.a_end):
        if not used_a[place]:
            places.setdefault(left.gram(place, _SHORT_RUN), []).append(place)
    runs: list[_Run] = []
    at_b, expected = gap.b, gap.a
    while at_b < gap.b_end:
        best = _Run(0, at_b, 0, 0)
        for place in _nearest(places.get(right.gram(at_b, _SHORT_RUN), ()), expected) if not used_b[at_b] else ():
            size = span = 0
            while (
                place + size < gap.a_end
                and at_b + size < gap.b_end
                and not used_a[place + size]
                and not used_b[at_b + size]
                and left.keys[place + size] == right.keys[at_b + size]
            ):
                span += left.spans[place + size]
                size += 1
            if span > best.span:
                best = _Run(place, at_b, size, span)
        if best.span < least:
            at_b += 1
            continue
        runs.append(best)
        used_a[best.a : best.a + best.size] = b"\1" * best.size
        used_b[best.b : best.b + best.size] = b"\1" * best.size
        at_b, expected = best.b + best.size, best.a + best.size
    return runs


def _nearest(places: Sequence[int], expected: int) -> Sequence[int]:
    """Some of the places, those from the expected one on first."""
    first = bisect_left(places, expected)
    return [*places[first : first + _TRIED], *reversed(places[max(0, first - _TRIED) : first])]


def _chain(runs: Sequence[_Run]) -> tuple[list[_Run], list[_Run]]:
    """The heaviest of the runs that follow each other in both texts, and the rest. They come in the order of b."""
    order = sorted(range(len(runs)), key=lambda number: runs[number].a)
    rank = {number: place + 1 for place, number in enumerate(order)}
    tree: list[tuple[int, int]] = [(0, -1)] * (len(runs) + 1)  # best (weight, last run) of the first so many places
    before: list[int] = []
    last = (0, -1)
    for number, run in enumerate(runs):
        best, place = (0, -1), rank[number] - 1
        while place:
            best = max(best, tree[place])
            place -= place & -place
        before.append(best[1])
        mine, place = (best[0] + run.span, number), rank[number]
        last = max(last, mine)
        while place < len(tree):
            tree[place] = max(tree[place], mine)
            place += place & -place
    chosen: set[int] = set()
    number = last[1]
    while number >= 0:
        chosen.add(number)
        number = before[number]
    inside = [run for place, run in enumerate(runs) if place in chosen]
    return inside, [run for place, run in enumerate(runs) if place not in chosen]


def _changes(left: _Units, right: _Units, kept: Sequence[_Run], moved: Sequence[_Run]) -> Iterator[Change]:
    by_a = {run.a: number for number, run in enumerate(moved, 1)}
    by_b = {run.b: number for number, run in enumerate(moved, 1)}
    sizes = {number: run.size for number, run in enumerate(moved, 1)}
    at_a = at_b = 0
    for run in [*kept, _Run(len(left), len(right), 0, 0)]:
        yield from _own(left, "a", at_a, run.a, by_a, sizes)
        yield from _own(right, "b", at_b, run.b, by_b, sizes)
        at_a, at_b = run.a + run.size, run.b + run.size
        if run.size:
            yield _both(left.piece(run.a, at_a), right.piece(run.b, at_b))
    for side, units in (("a", left), ("b", right)):
        if not len(units) and units.text:  # punctuation alone, beside a text with words
            yield Change("a" if side == "a" else "b", units.text)


def _own(
    units: _Units, where: Literal["a", "b"], start: int, end: int, numbers: dict[int, int], sizes: dict[int, int]
) -> Iterator[Change]:
    """What only this text has here, cut where something has moved."""
    at = start
    while at < end:
        number = numbers.get(at)
        stop = at + sizes[number] if number else at + 1
        while not number and stop < end and stop not in numbers:
            stop += 1
        yield Change(where, units.piece(at, stop), moved=number)
        at = stop


def _both(a: str, b: str) -> Change:
    return Change("both", a, None if a == b else b)
