"""docs/speed.md in both languages, from the results of `make bench`: `python -m benchmarks.speed_page`."""

import json
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from benchmarks.measure import RESULTS
from benchmarks.recall import QUESTIONS

BENCHMARKS: Final = ("startup", "fingerprint", "index", "similar", "join", "report", "servers", "web", "candidates")
"""In the order in which they run."""
_HERE: Final = Path(__file__).parent
_DOCS: Final = _HERE.parent / "docs"
PAGES: Final = ("speed.md", "speed.zh-CN.md")
_TITLES: Final = {"elasticsearch": "Elasticsearch", "opensearch": "OpenSearch"}


def write() -> str:
    """Write the pages; returns what was done."""
    for name in PAGES:
        (_DOCS / name).write_text(page(RESULTS, name), encoding="utf-8")
    return f"written: {', '.join(str(_DOCS / name) for name in PAGES)}"


def page(results: Path, name: str) -> str:
    """One of the pages as Markdown."""
    runs = {one: json.loads((results / f"{one}.json").read_text(encoding="utf-8")) for one in BENCHMARKS}
    details: dict[str, Any] = {one: run["details"] for one, run in runs.items()}
    environment = Environment(
        loader=FileSystemLoader(_HERE), undefined=StrictUndefined, trim_blocks=True, keep_trailing_newline=True
    )
    return environment.get_template(f"{name}.j2").render(
        runs=list(runs.values()),
        length=round(details["fingerprint"]["characters"] / details["fingerprint"]["documents"]),
        index=details["index"],
        fingerprint=details["fingerprint"],
        similar=details["similar"],
        report=runs["report"]["figures"][0],
        servers={
            "questions": QUESTIONS,
            "products": [(_TITLES[one], found) for one, found in details["servers"]["servers"].items()],
        },
    )


if __name__ == "__main__":
    print(write())
