"""docs/accuracy.md and its picture, written from the results of `make bench-accuracy`, so that they stay true."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from leitong.reports.charts import Bar, bars

_HERE: Final = Path(__file__).parent
_PAGE: Final = _HERE.parent / "docs" / "accuracy.md"
_PICTURE: Final = _HERE.parent / "docs" / "images" / "accuracy.svg"
_SERVERS: Final = ("Elasticsearch more_like_this", "OpenSearch more_like_this")


def write(results: Path) -> str:
    """Write the page and its picture; returns what was done."""
    found = json.loads(results.read_text(encoding="utf-8"))
    best = best_of_each(found["peers"])
    _PAGE.write_text(page(found, best), encoding="utf-8")
    rows = [("Leitong", found["leitong"]["all"]), *((one["name"], one["all"]) for one in best)]
    picture = bars(
        [Bar(name, round(100 * result["f1"]["value"], 1)) for name, result in rows],
        title=f"F1 in per cent on {found['pairs']} labelled pairs",
    )
    _PICTURE.write_text(picture + "\n", encoding="utf-8")
    return f"written: {_PAGE}, {_PICTURE}"


def best_of_each(tried: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The best way of each peer, the best peer first; the confident labels have a best way of their own."""
    best: list[dict[str, Any]] = []
    for name in dict.fromkeys(one["name"] for one in tried):
        ways = [one for one in tried if one["name"] == name]
        top = max(ways, key=lambda one: one["all"]["f1"]["value"])
        sure = max(ways, key=lambda one: one["confident"]["f1"]["value"])
        best.append({**top, "confident": sure["confident"]})
    return sorted(best, key=lambda one: -one["all"]["f1"]["value"])


def page(found: dict[str, Any], best: Sequence[dict[str, Any]]) -> str:
    """The page as Markdown."""
    environment = Environment(
        loader=FileSystemLoader(_HERE), undefined=StrictUndefined, trim_blocks=True, keep_trailing_newline=True
    )
    return environment.get_template("accuracy.md.j2").render(
        found=found,
        ours=found["leitong"],
        best=best,
        every=2 * found["duplicates"] / (found["pairs"] + found["duplicates"]),
        verdict=list(_verdict(found, best)),
        missing=[name for name in _SERVERS if name not in {one["name"] for one in best}],
        between=_between,
    )


def _verdict(found: dict[str, Any], best: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Which peers are below, and what is known of those that are not."""
    for labels, words in (("all", "all labels"), ("confident", "the confident labels")):
        mine = found["leitong"][labels]["f1"]["value"]
        above = [one for one in best if one[labels]["f1"]["value"] >= mine]
        if not above:
            highest = max(best, key=lambda one: one[labels]["f1"]["value"])
            yield (
                f"On {words} every peer is below Leitong's {mine:.3f}: the best is {highest['name']} with "
                f"{highest[labels]['f1']['value']:.3f}."
            )
        for one in above:
            theirs = one[labels]
            yield (
                f"On {words} {one['name']} is not below: {theirs['f1']['value']:.3f} against {mine:.3f}. Its threshold "
                f"({theirs['at']:g}) is fitted to these labels; fitted on one half and judged on the other it has "
                f"{theirs['cross_fit']:.3f}."
            )


def _between(estimate: dict[str, float]) -> str:
    return f"{estimate['value']:.3f} ({estimate['low']:.3f}–{estimate['high']:.3f})"


if __name__ == "__main__":
    print(write(_HERE / "results" / "accuracy.json"))
