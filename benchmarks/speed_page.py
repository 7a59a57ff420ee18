"""docs/speed.md, written from the results of `make bench`, so that it stays true: `python -m benchmarks.speed_page`."""

import json
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from benchmarks.measure import RESULTS
from benchmarks.recall import QUESTIONS

BENCHMARKS: Final = ("startup", "fingerprint", "index", "similar", "join", "report", "servers", "web", "candidates")
"""In the order in which they run."""
_HERE: Final = Path(__file__).parent
_PAGE: Final = _HERE.parent / "docs" / "speed.md"
_TITLES: Final = {"elasticsearch": "Elasticsearch", "opensearch": "OpenSearch"}


def write() -> str:
    """Write the page; returns what was done."""
    _PAGE.write_text(page(RESULTS), encoding="utf-8")
    return f"written: {_PAGE}"


def page(results: Path) -> str:
    """The page as Markdown."""
    runs = {name: json.loads((results / f"{name}.json").read_text(encoding="utf-8")) for name in BENCHMARKS}
    details: dict[str, Any] = {name: run["details"] for name, run in runs.items()}
    environment = Environment(
        loader=FileSystemLoader(_HERE), undefined=StrictUndefined, trim_blocks=True, keep_trailing_newline=True
    )
    return environment.get_template("speed.md.j2").render(
        runs=list(runs.values()),
        length=round(details["fingerprint"]["characters"] / details["fingerprint"]["documents"]),
        index=details["index"],
        fingerprint=details["fingerprint"],
        similar=details["similar"],
        report=runs["report"]["figures"][0],
        servers={
            "questions": QUESTIONS,
            "products": [(_TITLES[name], found) for name, found in details["servers"]["servers"].items()],
        },
    )


if __name__ == "__main__":
    print(write())
