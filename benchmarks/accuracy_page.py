"""docs/accuracy.md in both languages and its picture, from the results of `make bench-accuracy`: so they stay true."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from leitong.reports.charts import Bar, bars

_HERE: Final = Path(__file__).parent
_DOCS: Final = _HERE.parent / "docs"
PAGES: Final = ("accuracy.md", "accuracy.zh-CN.md")
_PICTURE: Final = _DOCS / "images" / "accuracy.svg"
_SERVERS: Final = ("Elasticsearch more_like_this", "OpenSearch more_like_this")


def write(results: Path) -> str:
    """Write the pages and their picture; returns what was done."""
    found = json.loads(results.read_text(encoding="utf-8"))
    best = best_of_each(found["peers"])
    for name in PAGES:
        (_DOCS / name).write_text(page(found, best, name), encoding="utf-8")
    rows = [("Leitong", found["leitong"]["all"]), *((one["name"], one["all"]) for one in best)]
    picture = bars(
        [Bar(method, round(100 * result["f1"]["value"], 1)) for method, result in rows],
        title=f"F1 in per cent on {found['pairs']} labelled pairs",
    )
    _PICTURE.write_text(picture + "\n", encoding="utf-8")
    return f"written: {', '.join(str(_DOCS / name) for name in PAGES)}, {_PICTURE}"


def best_of_each(tried: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The best way of each peer, the best peer first; the confident labels have a best way of their own."""
    best: list[dict[str, Any]] = []
    for name in dict.fromkeys(one["name"] for one in tried):
        ways = [one for one in tried if one["name"] == name]
        top = max(ways, key=lambda one: one["all"]["f1"]["value"])
        sure = max(ways, key=lambda one: one["confident"]["f1"]["value"])
        best.append({**top, "confident": sure["confident"]})
    return sorted(best, key=lambda one: -one["all"]["f1"]["value"])


def page(found: dict[str, Any], best: Sequence[dict[str, Any]], name: str) -> str:
    """One of the pages as Markdown."""
    environment = Environment(
        loader=FileSystemLoader(_HERE), undefined=StrictUndefined, trim_blocks=True, keep_trailing_newline=True
    )
    return environment.get_template(f"{name}.j2").render(
        found=found,
        ours=found["leitong"],
        best=best,
        every=2 * found["duplicates"] / (found["pairs"] + found["duplicates"]),
        verdict={labels: _verdict(found, best, labels) for labels in ("all", "confident")},
        missing=[server for server in _SERVERS if server not in {one["name"] for one in best}],
        between=_between,
    )


def _verdict(found: dict[str, Any], best: Sequence[dict[str, Any]], labels: str) -> dict[str, Any]:
    """Our F1 on these labels, the peer with the highest, and those that are not below ours."""
    mine = found["leitong"][labels]["f1"]["value"]
    return {
        "mine": mine,
        "highest": max(best, key=lambda one: one[labels]["f1"]["value"]),
        "above": [one for one in best if one[labels]["f1"]["value"] >= mine],
    }


def _between(estimate: dict[str, float]) -> str:
    return f"{estimate['value']:.3f} ({estimate['low']:.3f}–{estimate['high']:.3f})"


if __name__ == "__main__":
    print(write(_HERE / "results" / "accuracy.json"))
