"""What every benchmark needs: facts about the machine, paired timings, figures with targets, and result files."""

import argparse
import gzip
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any, Final

from leitong.indexer.documents import Document

RESULTS: Final = Path(__file__).parent / "results"
SKIPPED: Final = 3
"""Exit code of a benchmark whose data is absent."""
SCALE_DOCUMENTS: Final = 92_211
_PACKAGES: Final = ("leitong", "jieba", "mmh3", "numba", "numpy", "orjson", "rjieba", "scipy", "tantivy")


@dataclass(frozen=True)
class Options:
    """How large a run is (1 is the real size), where its results go, and an index that is there already."""

    scale: float
    results: Path
    index: Path | None = None


@dataclass(frozen=True)
class Figure:
    """A measured number and what it should be; `at_least` or `at_most` the target, `unit` for people."""

    name: str
    measured: float
    target: float
    at_least: bool
    unit: str

    @property
    def met(self) -> bool:
        """Whether the target is met."""
        return self.measured >= self.target if self.at_least else self.measured <= self.target


def options(description: str | None, *, takes_index: bool = False) -> Options:
    """The options of a benchmark's command line."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--scale", type=float, default=1.0, help="part of the real size, to try a script out")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder for the result")
    if takes_index:
        parser.add_argument("--index", type=Path, help="an index of the whole collection, instead of building one")
    values = parser.parse_args()
    return Options(values.scale, values.results, values.index if takes_index else None)


def machine() -> dict[str, Any]:
    """Facts about this machine."""
    cpu = platform.processor()
    memory = 0
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
        cpu = next(names, cpu)
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "cpu": cpu,
        "cores": len(cores()),
        "memory_bytes": memory,
        "system": platform.platform(),
        "python": platform.python_version(),
        "load": [round(load, 2) for load in os.getloadavg()],
    }


def versions() -> dict[str, str]:
    """Versions of what is measured."""
    return {name: version(name) for name in _PACKAGES}


def cores() -> list[int]:
    """Cores this process may use."""
    return sorted(os.sched_getaffinity(0))


@contextmanager
def pinned(count: int) -> Iterator[None]:
    """Only so many cores for this process, and for those it starts, meanwhile."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[-count:])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def seconds(call: Callable[[], object]) -> float:
    """How long a call takes."""
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def paired(sides: Mapping[str, Callable[[], float]], *, repetitions: int) -> dict[str, list[float]]:
    """Seconds of each side, repeatedly, one after the other, so that each disturbance meets all of them.

    A side times itself: what it prepares does not count. The order turns round with each repetition.
    """
    taken: dict[str, list[float]] = {name: [] for name in sides}
    for repetition in range(repetitions):
        for name in list(sides)[:: -1 if repetition % 2 else 1]:
            taken[name].append(sides[name]())
            print(f"  {name}: {taken[name][-1]:.3f} s", file=sys.stderr, flush=True)
    return taken


def ratio(of: Sequence[float], to: Sequence[float]) -> float:
    """The median of the ratios of paired times."""
    return median(one / other for one, other in zip(of, to, strict=True))


def scale_file() -> Path:
    """The large collection; the benchmark ends with a message where it is absent."""
    path = Path(os.environ.get("LEITONG_DATA", "")) / "zh-scale.jsonl.gz"
    if not os.environ.get("LEITONG_DATA") or not path.is_file():
        print("skipped: zh-scale.jsonl.gz is absent; set LEITONG_DATA to its folder", file=sys.stderr)
        raise SystemExit(SKIPPED)
    return path


def scale_documents(count: int) -> list[Document]:
    """So many documents, spread evenly over the large collection, since its sources follow each other."""
    records = islice(scale_records(), 0, None, max(1, SCALE_DOCUMENTS // count))
    return [Document(one["id"], one["text"], one.get("title") or "") for one in islice(records, count)]


def paragraphs(count: int) -> Iterator[Document]:
    """The first paragraphs of 60 to 300 characters of the large collection, each a document."""
    lines = ((record["id"], *one) for record in scale_records() for one in enumerate(record["text"].splitlines()))
    found = (Document(f"{doc_id}#{place}", line) for doc_id, place, line in lines if 60 <= len(line) <= 300)
    return islice(found, count)


def scale_records() -> Iterator[dict[str, Any]]:
    """The records of the large collection."""
    with gzip.open(scale_file()) as file:
        yield from map(json.loads, file)


def finish(name: str, figures: Sequence[Figure], details: Mapping[str, Any], chosen: Options) -> None:
    """Print the figures and write the result."""
    print(table(figures))
    chosen.results.mkdir(parents=True, exist_ok=True)
    result = {
        "benchmark": name,
        "measured": datetime.now(UTC).isoformat(timespec="seconds"),
        "scale": chosen.scale,
        "figures": [{**asdict(figure), "met": figure.met} for figure in figures],
        "details": dict(details),
        "machine": machine(),
        "versions": versions(),
    }
    path = chosen.results / f"{name}.json"
    path.write_text(json.dumps(result, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"written: {path}", file=sys.stderr)


def table(figures: Sequence[Figure]) -> str:
    """Figure, target, measured, met or missed."""
    rows = [("figure", "target", "measured", "")]
    for figure in figures:
        sign = "≥" if figure.at_least else "≤"
        rows.append(
            (
                figure.name,
                f"{sign} {figure.target:g} {figure.unit}".rstrip(),
                f"{figure.measured:.3g} {figure.unit}".rstrip(),
                "met" if figure.met else "MISSED",
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
