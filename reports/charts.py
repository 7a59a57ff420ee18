"""Pictures as SVG: bars, distributions, curves. They need no script and suit light and dark pages.

Each function returns one `<svg>` element, which may stand in an HTML page or alone in a file. Colours come from a style
inside it that follows the reader's scheme. Every mark has a `<title>`, which browsers show under the pointer.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

BEGINNING: Final = '<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img"'
"""What a picture begins with."""
_WIDTH: Final = 640.0
_HEIGHT: Final = 320.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 58.0, 22.0, 34.0, 46.0
_ROW: Final = 22.0
_LABELS: Final = (90.0, 280.0)
"""Least and most room for the labels of lying bars."""
_COLOURS: Final = 6
_STYLE: Final = (
    ".chart{--ink:#1d2326;--quiet:#5d686d;--line:#d8dddf;--c0:#a8432f;--c1:#2f6d8c;--c2:#7a8a2a;--c3:#8a5a9e;--c4:#c08a1e;"
    "--c5:#4f5b60;color:var(--ink);font:12px system-ui,'Noto Sans CJK SC','PingFang SC','Microsoft YaHei',sans-serif;"
    "max-width:100%;height:auto}"
    "@media screen and (prefers-color-scheme:dark){.chart{--ink:#e6e8e6;--quiet:#9aa5a8;--line:#384044;--c0:#e0826d;"
    "--c1:#7db8d6;--c2:#b9c765;--c3:#c79bdb;--c4:#e6bb5e;--c5:#aab4b8}}"
    ".chart text{fill:var(--ink)}.chart .quiet{fill:var(--quiet)}.chart .name{font-weight:600;font-size:13px}"
    ".chart .grid{stroke:var(--line)}.chart .mark{stroke:var(--quiet);stroke-dasharray:4 3}"
    ".chart .curve{fill:none;stroke-width:2}"
)


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar with its label; `value` is not negative."""

    label: str
    value: float


@dataclass(frozen=True)
class Curve:
    """A line through points (x, y), x rising; with an empty name it stands for the picture's title."""

    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Distribution:
    """Named parts of one whole, 0…1, one for each bin of a histogram."""

    name: str
    shares: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis shows, from `low` to `high`; `percent` writes 0.5 as 50 %."""

    name: str
    low: float = 0.0
    high: float = 1.0
    percent: bool = False

    def place(self, value: float, start: float, end: float) -> float:
        """Where a value stands between two places of the picture; values outside stand at the edge."""
        share = (min(max(value, self.low), self.high) - self.low) / ((self.high - self.low) or 1.0)
        return start + share * (end - start)

    def ticks(self) -> list[float]:
        """Some round values from `low` to `high`."""
        step = _round_step((self.high - self.low) / 5 or 1.0)
        first = math.ceil(self.low / step - 1e-9)
        return [tick * step for tick in range(first, math.floor(self.high / step + 1e-9) + 1)]

    def text(self, value: float) -> str:
        """A value as people read it."""
        return f"{value * 100:.3g} %" if self.percent else f"{value:,.4g}"


@dataclass(frozen=True, slots=True)
class Line:
    """An upright line at a value of the x axis, with a word beside it."""

    at: float
    label: str


def bars(rows: Sequence[Bar], *, title: str, width: float = _WIDTH) -> str:
    """Lying bars, one below the other, each with its value. A picture that stands in a narrow column has to be narrow:
    a wide one is shown with small letters there."""
    longest = max((row.value for row in rows), default=0.0) or 1.0
    labels = min(_LABELS[1], max([_LABELS[0], *(_wide(row.label) + 16 for row in rows)]))
    room = width - labels - 80
    parts: list[str] = []
    for number, row in enumerate(rows):
        top = _TOP + number * _ROW
        long = max(1.5, row.value / longest * room) if row.value else 0.0
        parts += [
            _text(labels - 8, top + 13, row.label, anchor="end"),
            f'<rect x="{labels:g}" y="{top + 3:g}" width="{long:.1f}" height="{_ROW - 8:g}" fill="var(--c0)">'
            f"<title>{escape(row.label)}: {row.value:,g}</title></rect>",
            _text(labels + long + 6, top + 13, f"{row.value:,g}", quiet=True),
        ]
    return _svg(title, parts, width=width, height=_TOP + len(rows) * _ROW + 8)


def histogram(distributions: Sequence[Distribution], *, title: str, x: Axis, y: str, marks: Sequence[Line] = ()) -> str:
    """Distributions over the same equal bins of the x axis, drawn beside each other in each bin."""
    highest = max((share for one in distributions for share in one.shares), default=0.0)
    up = Axis(y, 0.0, _ceiling(highest), percent=True)
    parts = _frame(x, up, names=[one.name for one in distributions])
    bins = max((len(one.shares) for one in distributions), default=1)
    wide = (_WIDTH - _LEFT - _RIGHT) / bins
    bar = wide * 0.9 / max(1, len(distributions))
    for number, one in enumerate(distributions):
        for place, share in enumerate(one.shares):
            if not share:
                continue
            low, high = (x.low + (x.high - x.low) * edge / bins for edge in (place, place + 1))
            top = min(_HEIGHT - _BOTTOM - 1.0, up.place(share, _HEIGHT - _BOTTOM, _TOP + 18))
            left = _LEFT + place * wide + wide * 0.05 + number * bar
            tall = _HEIGHT - _BOTTOM - top
            parts.append(
                f'<rect x="{left:.1f}" y="{top:.1f}" width="{max(0.8, bar):.1f}" height="{tall:.1f}" '
                f'fill="var(--c{number % _COLOURS})"><title>{escape(one.name)}, {x.text(low)} to {x.text(high)}: '
                f"{up.text(share)}</title></rect>"
            )
    return _svg(title, [*parts, *_marks(marks, x)])


def curves(lines: Sequence[Curve], *, title: str, x: Axis, y: Axis, marks: Sequence[Line] = ()) -> str:
    """Lines through points, with a dot at each point where there are few."""
    parts = _frame(x, y, names=[one.name for one in lines])
    for number, one in enumerate(lines):
        colour = f"var(--c{number % _COLOURS})"
        spots = [
            (x.place(a, _LEFT, _WIDTH - _RIGHT), y.place(b, _HEIGHT - _BOTTOM, _TOP + 18), a, b) for a, b in one.points
        ]
        path = " ".join(f"{left:.1f},{top:.1f}" for left, top, _, _ in spots)
        parts.append(
            f'<polyline class="curve" stroke="{colour}" points="{path}"><title>{escape(one.name)}</title></polyline>'
        )
        if len(spots) <= 40:
            parts += [
                f'<circle cx="{left:.1f}" cy="{top:.1f}" r="3" fill="{colour}"><title>{escape(one.name)}: '
                f"{x.text(a)}, {y.text(b)}</title></circle>"
                for left, top, a, b in spots
            ]
    return _svg(title, [*parts, *_marks(marks, x)])


def _svg(title: str, parts: Sequence[str], *, width: float = _WIDTH, height: float = _HEIGHT) -> str:
    return (
        f'{BEGINNING} viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}"><title>{escape(title)}</title><style>{_STYLE}</style>'
        f"{_text(0, 15, title, kind='name')}{''.join(parts)}</svg>"
    )


def _frame(x: Axis, y: Axis, *, names: Sequence[str]) -> list[str]:
    """Grid, ticks, the axes' names, and which colour is which."""
    left, right, top, bottom = _LEFT, _WIDTH - _RIGHT, _TOP + 18, _HEIGHT - _BOTTOM
    parts: list[str] = []
    for tick in y.ticks():
        place = y.place(tick, bottom, top)
        parts.append(f'<line class="grid" x1="{left:g}" x2="{right:g}" y1="{place:.1f}" y2="{place:.1f}"/>')
        parts.append(_text(left - 6, place + 4, y.text(tick), anchor="end", quiet=True))
    for tick in x.ticks():
        place = x.place(tick, left, right)
        parts.append(f'<line class="grid" x1="{place:.1f}" x2="{place:.1f}" y1="{bottom:g}" y2="{bottom + 4:g}"/>')
        parts.append(_text(place, bottom + 17, x.text(tick), anchor="middle", quiet=True))
    parts.append(_text((left + right) / 2, _HEIGHT - 8, x.name, anchor="middle"))
    parts.append(_text(right, 15, y.name, anchor="end", quiet=True))
    widths = [18 + _wide(name) for name in names]
    starts = [left + sum(widths[:number]) for number in range(len(names))]
    for number, (start, name) in enumerate(zip(starts, names, strict=True)):
        if not name:  # one curve needs no name beside the title
            continue
        parts.append(f'<rect x="{start:.1f}" y="24" width="10" height="10" fill="var(--c{number % _COLOURS})"/>')
        parts.append(_text(start + 14, 33, name))
    return parts


def _marks(marks: Sequence[Line], x: Axis) -> list[str]:
    """Upright lines; the words of neighbours stand at different heights."""
    parts: list[str] = []
    for number, mark in enumerate(marks):
        place = x.place(mark.at, _LEFT, _WIDTH - _RIGHT)
        near_end = place > _WIDTH * 0.75
        parts.append(
            f'<line class="mark" x1="{place:.1f}" x2="{place:.1f}" y1="{_TOP + 8:g}" y2="{_HEIGHT - _BOTTOM:g}"/>'
        )
        parts.append(
            _text(
                place + (-5 if near_end else 5),
                _TOP + 28 + 15 * (number % 4),
                mark.label,
                anchor="end" if near_end else "start",
                quiet=True,
            )
        )
    return parts


def _text(x: float, y: float, text: str, *, anchor: str = "start", quiet: bool = False, kind: str = "") -> str:
    names = " ".join(name for name in ("quiet" if quiet else "", kind) if name)
    shown = f' class="{names}"' if names else ""
    place = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{x:.1f}" y="{y:.1f}"{shown}{place}>{escape(text)}</text>'


def _wide(text: str) -> float:
    """About how wide a text is in the picture."""
    return sum(12.5 if ord(letter) > 0x2E80 else 7.0 for letter in text)


def _round_step(rough: float) -> float:
    """The next of 1, 2, 5, 10, 20 … at or above."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))


def _ceiling(value: float) -> float:
    """A round number at or above a value, for the top of an axis."""
    if value <= 0:
        return 1.0
    step = _round_step(value / 5)
    return math.ceil(value / step - 1e-9) * step
