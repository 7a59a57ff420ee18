"""A report as rows: JSON lines, CSV, Parquet, and its summary. Rows are written as they are read, however many."""

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, TextIO

from leitong.indexer.duplicates.found import Report
from leitong.indexer.engines.base import IndexInfo
from leitong.indexer.errors import MissingExtraError

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
_ROWS_AT_ONCE: Final = 50_000
_PACKAGES: Final = ("leitong", "numpy", "numba", "scipy")

PAIRS: Final = ("a", "b", "distance", "similarity", "kind")
CLUSTERS: Final = ("cluster", "representative", "member")
Row = tuple[object, ...]


def pairs(report: Report) -> Iterator[Row]:
    """One pair a row, a before b; see `pair_columns`."""
    for pair in report.pairs:
        score = () if pair.score is None else (round(pair.score, 4),)
        yield pair.a, pair.b, pair.distance, round(pair.similarity, 4), pair.kind, *score


def pair_columns(report: Report) -> tuple[str, ...]:
    """What a row of `pairs` holds; the combined score only where it was asked for."""
    return PAIRS if report.settings.combined is None else (*PAIRS, "score")


def members(report: Report) -> Iterator[Row]:
    """One member of a cluster a row; see `CLUSTERS`."""
    for cluster in report.clusters:
        for member in cluster.members:
            yield cluster.number, cluster.representative, member


def pairs_jsonl(report: Report, out: TextIO) -> None:
    """One pair a line."""
    columns = pair_columns(report)
    for row in pairs(report):
        out.write(_line(dict(zip(columns, row, strict=True))))


def clusters_jsonl(report: Report, out: TextIO) -> None:
    """One cluster a line."""
    for one in report.clusters:
        line = {
            "cluster": one.number,
            "representative": one.representative,
            "members": list(one.members),
            "weakest": round(one.weakest, 4),
            "direct": one.direct,
        }
        out.write(_line(line))


def members_jsonl(report: Report, out: TextIO) -> None:
    """One document of a cluster a line, as it was when it was compared; `dedupe` acts on these."""
    for cluster in report.clusters:
        for member in report.members(cluster):
            values = asdict(member)
            for name in ("title", "text"):
                del values[name]
            if member.similarity is not None:
                values["similarity"] = round(member.similarity, 4)
            out.write(_line({"cluster": cluster.number, **values}))


def write_csv(header: Sequence[str], rows: Iterable[Row], out: TextIO) -> None:
    """A table; no cell is taken for a formula by a spreadsheet."""
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(header)
    for row in rows:
        writer.writerow([harmless(cell) if isinstance(cell, str) else cell for cell in row])


def write_parquet(header: Sequence[str], rows: Iterable[Row], path: Path) -> None:
    """A table with types. Raises MissingExtraError without pyarrow."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("A report in Parquet", "parquet") from None
    types = {
        "distance": pyarrow.uint8(),
        "similarity": pyarrow.float64(),
        "score": pyarrow.float64(),
        "cluster": pyarrow.int64(),
    }
    schema = pyarrow.schema([(name, types.get(name, pyarrow.string())) for name in header])
    with pyarrow.parquet.ParquetWriter(path, schema) as writer:
        for some in _batches(rows):
            columns = [list(column) for column in zip(*some, strict=True)]
            writer.write_table(pyarrow.table(dict(zip(header, columns, strict=True)), schema=schema))


def summary(report: Report, info: IndexInfo) -> dict[str, Any]:
    """The numbers of a report and everything that decided them; a part has no clusters, so none of their numbers."""
    inside = sum(len(cluster.members) for cluster in report.clusters)
    settings = report.settings
    clusters = {
        "clusters": len(report.clusters),
        "documents_in_clusters": inside,
        "documents_to_spare": inside - len(report.clusters),
        "largest_cluster": max((len(cluster.members) for cluster in report.clusters), default=0),
    }
    return {
        "index": info.locator,
        "documents": report.documents,
        "pairs": len(report.pairs),
        "kinds": report.pairs.kinds(),
        **(clusters if settings.parts == 1 else dict.fromkeys(clusters)),
        "near_copies": report.copies,
        "compared": report.compared,
        "radius": settings.radius,
        "min_similarity": settings.min_similarity,
        **({} if settings.combined is None else {"combined": asdict(settings.combined)}),
        "cluster": settings.shape,
        "keep": settings.keep,
        "date_field": settings.date_field,
        "dates": None if report.dates is None else asdict(report.dates),
        "source_field": settings.source_field,
        "partition": None if settings.parts == 1 else f"{settings.part + 1}/{settings.parts}",
        "recipe": info.recipe.name,
        "recipe_id": info.recipe_id,
        "engine": info.engine,
        "engine_version": info.engine_version,
        "leitong_version": version("leitong"),
        "versions": {name: version(name) for name in _PACKAGES},
        "seconds": round(report.seconds, 3),
    }


def summary_json(values: dict[str, Any]) -> str:
    """The summary as a file."""
    return json.dumps(values, ensure_ascii=False, indent=1) + "\n"


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    batch: list[Row] = []
    for row in rows:
        batch.append(row)
        if len(batch) >= _ROWS_AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"


def harmless(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def new_jsonl(report: Report, since: frozenset[str], out: TextIO) -> None:
    """Clusters with documents that no cluster of the earlier report had, one a line."""
    for one in report.clusters:
        new = [member for member in one.members if member not in since]
        if new:
            known = len(new) < len(one.members)
            out.write(_line({"cluster": one.number, "representative": one.representative, "grown": known, "new": new}))


def part(report: Report, info: IndexInfo) -> dict[str, Any]:
    """What `report merge` needs of a part beside its pairs."""
    ids, first = report.pairs.ids, report.pairs.first
    near = (number for number in range(len(ids) - report.pairs.equal) if first[number] >= 0)
    return {
        "part": report.settings.part,
        "parts": report.settings.parts,
        "index": info.locator,
        "state": report.state,
        "radius": report.settings.radius,
        "min_similarity": report.settings.min_similarity,
        "combined": report.settings.combined and asdict(report.settings.combined),
        "documents": report.documents,
        "compared": report.compared,
        "seconds": report.seconds,
        "copies": [[ids[int(first[number])], ids[number]] for number in near],
    }
