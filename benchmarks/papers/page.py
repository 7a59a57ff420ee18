"""docs/papers.md in both languages and its pictures, from the results of `make papers`: so they stay true."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from benchmarks.measure import RESULTS
from leitong.reports.charts import Axis, Curve, Distribution, curves, histogram

_HERE: Final = Path(__file__).parent
_DOCS: Final = _HERE.parent.parent / "docs"
PAPERS: Final = ("p1", "p2", "p3", "p4", "p5")
PAGES: Final = {
    "papers.md": ("**holds**", "**holds in part**", "**does not hold**"),
    "papers.zh-CN.md": ("**成立**", "**部分成立**", "**不成立**"),
}
"""Each page, and what it says of a claim."""
_TRAILING: Final = re.compile(r"[ \t]+\n")
_BETWEEN_ROWS: Final = re.compile(r"\|\n+\|")
"""Rows come from macros, with empty lines between them."""
_SHOWN_RADII: Final = 16


def load(results: Path = RESULTS) -> dict[str, dict[str, Any]]:
    """The results of all five."""
    return {name: json.loads((results / f"papers-{name}.json").read_text(encoding="utf-8")) for name in PAPERS}


def page(found: Mapping[str, Mapping[str, Any]], name: str) -> str:
    """One of the pages as Markdown."""
    environment = Environment(
        loader=FileSystemLoader(_HERE),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"share": _share, "between": _between, "grouped": "{:,.0f}".format}
    environment.filters["verdict"] = partial(verdict, words=PAGES[name])
    details = {paper: one["details"] for paper, one in found.items()}
    facts = {paper: {key: one[key] for key in ("measured", "scale", "machine")} for paper, one in found.items()}
    written = environment.get_template(f"{name}.j2").render(**details, facts=facts)
    return _BETWEEN_ROWS.sub("|\n|", _TRAILING.sub("\n", written))


def verdict(parts: Sequence[bool], words: tuple[str, str, str]) -> str:
    """A claim holds when all of its parts do, in part when some do."""
    holds, holds_in_part, does_not_hold = words
    return holds if all(parts) else holds_in_part if any(parts) else does_not_hold


def pictures(found: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """The page's pictures by name."""
    p1, p3, p4, p5 = (found[name]["details"] for name in ("p1", "p3", "p4", "p5"))
    wanted = ("VSM", "VSM without stop words", "Simhash1, cos(π·d/f)", "Simhash2, cos(π·d/f)")
    shapes = [
        Distribution(name, tuple(one / sum(p1["made"][name]["bins"]) for one in p1["made"][name]["bins"]))
        for name in wanted
    ]
    return {
        "p1": histogram(
            shapes, title="P1: what unrelated texts get", x=Axis("value of the measure"), y="share of pairs"
        ),
        "p3": _by_radius(
            "P3: fingerprints alone, by radius", {"wang2019": p3["usual"]["wang2019"], "tf": p3["usual"]["plain"]}
        ),
        "p4": _times(
            "P4: all rows against all, seconds by rows (both axes logarithmic)",
            {
                name: [(one["rows"], one[key]) for one in p4["batch"]]
                for name, key in (("Single-Pass", "single_pass"), ("four blocks", "four_blocks"), ("our join", "join"))
            },
        ),
        "p5": _by_radius(
            "P5: fingerprints alone, by radius", {"multifactor": p5["usual"]["multifactor"], "tf": p5["usual"]["plain"]}
        ),
    }


def _by_radius(title: str, recipes: Mapping[str, Mapping[str, Any]]) -> str:
    lines = [
        Curve(f"{name}, {what}", tuple((float(at), one[what]) for at, one in enumerate(curve["curve"][:_SHOWN_RADII])))
        for name, curve in recipes.items()
        for what in ("precision", "recall")
    ]
    return curves(lines, title=title, x=Axis("radius in bits", 0, _SHOWN_RADII - 1), y=Axis("", 0, 1, percent=True))


def _times(title: str, lines: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    drawn = [
        Curve(name, tuple((math.log10(size), math.log10(max(taken, 1e-3))) for size, taken in points))
        for name, points in lines.items()
    ]
    ends = [value for one in drawn for _, value in one.points]
    sizes = [size for one in drawn for size, _ in one.points]
    x = Axis("rows, as a power of ten", min(sizes), max(sizes))
    return curves(
        drawn, title=title, x=x, y=Axis("seconds, as a power of ten", math.floor(min(ends)), math.ceil(max(ends)))
    )


def _share(value: float) -> str:
    return f"{100 * value:.1f} %"


def _between(values: Mapping[str, Any], name: str) -> str:
    low, high = values[f"{name}_between"]
    return f"{100 * values[name]:.1f} % ({100 * low:.1f}–{100 * high:.1f})"


def main(results: Path = RESULTS) -> None:
    """Write the pages and their pictures."""
    found = load(results)
    for name in PAGES:
        (_DOCS / name).write_text(page(found, name), encoding="utf-8")
    for name, picture in pictures(found).items():
        (_DOCS / "images" / f"papers-{name}.svg").write_text(picture + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
