"""The page of a report: numbers first, then the clusters. It opens offline and runs no script."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined

from leitong.indexer.duplicates.clusters import Cluster
from leitong.indexer.duplicates.found import Member, Report

FOLDER: Final = "pages"
"""Where a report's other pages lie."""
_CLUSTERS: Final = 200
_MEMBERS: Final = 20


@dataclass(frozen=True)
class Bar:
    """One bar of a picture; `share` of the longest one, 0 to 100."""

    label: str
    count: int
    share: float


@dataclass(frozen=True)
class Group:
    """A cluster as the page shows it."""

    number: int
    size: int
    members: tuple[Member, ...]
    hidden: int


def write(folder: Path, report: Report, summary: dict[str, Any], since: frozenset[str] | None) -> None:
    """Write the page. Clusters and members beyond a limit are counted, and stand in the other files."""
    shown = report.clusters[:_CLUSTERS]
    environment = Environment(
        loader=PackageLoader("leitong.reports"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    tenths = np.minimum(9, (report.pairs.column("similarity") * 10).astype(np.int64))
    page = environment.get_template("report.html").render(
        summary=summary,
        groups=[_group(report, cluster) for cluster in shown],
        hidden=len(report.clusters) - len(shown),
        similarities=_bars(Counter(tenths.tolist()), _tenths),
        distances=_bars(Counter(report.pairs.column("distance").tolist()), str),
        sizes=_bars(Counter(min(len(cluster.members), 10) for cluster in report.clusters), _size),
    )
    (folder / "index.html").write_text(page, encoding="utf-8", errors="backslashreplace")


def _group(report: Report, cluster: Cluster) -> Group:
    members = report.members(cluster)
    members.sort(key=lambda member: member.id != cluster.representative)
    return Group(cluster.number, len(members), tuple(members[:_MEMBERS]), len(members[_MEMBERS:]))


def _bars(counts: Counter[int], label: Callable[[int], str]) -> list[Bar]:
    longest = max(counts.values(), default=1)
    return [Bar(label(key), counts[key], 100 * counts[key] / longest) for key in sorted(counts)]


def _tenths(tenth: int) -> str:
    return f"{tenth * 10}–{tenth * 10 + 10} %"


def _size(size: int) -> str:
    return f"{size}" if size < 10 else "10+"
