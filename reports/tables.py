"""A report as rows: JSON lines, CSV, and its summary."""

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from typing import Any, Final

from leitong.indexer.duplicates.clusters import Cluster
from leitong.indexer.duplicates.report import Pair, Report
from leitong.indexer.engines.base import IndexInfo

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def pairs_jsonl(pairs: Iterable[Pair]) -> str:
    """One pair a line, a before b."""
    return "".join(
        _line(
            {
                "a": pair.a,
                "b": pair.b,
                "distance": pair.distance,
                "similarity": round(pair.similarity, 4),
                "kind": pair.kind,
            }
        )
        for pair in pairs
    )


def clusters_jsonl(clusters: Iterable[Cluster]) -> str:
    """One cluster a line."""
    return "".join(
        _line({"cluster": one.number, "representative": one.representative, "members": list(one.members)})
        for one in clusters
    )


def pairs_csv(pairs: Iterable[Pair]) -> str:
    """One pair a row."""
    rows = ((pair.a, pair.b, pair.distance, round(pair.similarity, 4), pair.kind or "") for pair in pairs)
    return _csv(("a", "b", "distance", "similarity", "kind"), rows)


def clusters_csv(clusters: Iterable[Cluster]) -> str:
    """One member a row."""
    return _csv(("cluster", "representative", "member"), _members(clusters))


def summary(report: Report, info: IndexInfo) -> dict[str, Any]:
    """The numbers of a report and everything that decided them."""
    kinds = Counter(pair.kind or "below" for pair in report.pairs)
    inside = sum(len(cluster.members) for cluster in report.clusters)
    return {
        "index": info.locator,
        "documents": report.documents,
        "pairs": len(report.pairs),
        "kinds": dict(sorted(kinds.items())),
        "clusters": len(report.clusters),
        "documents_in_clusters": inside,
        "documents_to_spare": inside - len(report.clusters),
        "largest_cluster": max((len(cluster.members) for cluster in report.clusters), default=0),
        "compared": report.compared,
        "radius": report.radius,
        "min_similarity": report.min_similarity,
        "recipe": info.recipe.name,
        "recipe_id": info.recipe_id,
        "engine": info.engine,
        "engine_version": info.engine_version,
        "leitong_version": version("leitong"),
        "seconds": round(report.seconds, 3),
    }


def summary_json(values: dict[str, Any]) -> str:
    """The summary as a file."""
    return json.dumps(values, ensure_ascii=False, indent=1) + "\n"


def _members(clusters: Iterable[Cluster]) -> Iterator[tuple[int, str, str]]:
    for cluster in clusters:
        for member in cluster.members:
            yield cluster.number, cluster.representative, member


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"


def _csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(header)
    for row in rows:
        writer.writerow([harmless(cell) if isinstance(cell, str) else cell for cell in row])
    return out.getvalue()


def harmless(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell
