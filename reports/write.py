"""Which files does a report have, and where do they go?"""

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TextIO

from leitong.indexer.duplicates.found import Report
from leitong.indexer.engines.base import IndexInfo
from leitong.indexer.errors import UsageError
from leitong.indexer.files import held, storage_error
from leitong.reports import pages, tables
from leitong.reports.read import check_whole, is_report, read_summary

FORMATS: Final = ("html", "jsonl", "csv")
"""What is written where nothing else is asked for."""
ALL_FORMATS: Final = (*FORMATS, "parquet")
WORK: Final = ".unfinished"
"""Folder in the report's for what a killed run had finished."""
_DRAFT: Final = ".new"
_TABLES: Final = ("pairs.jsonl", "clusters.jsonl", "members.jsonl", "new.jsonl", "pairs.csv", "clusters.csv")
_NAMES: Final = (*_TABLES, "pairs.parquet", "clusters.parquet", "index.html", "summary.json", "part.json")


def chosen_formats(text: str) -> tuple[str, ...]:
    """The formats of a list separated by commas. Raises UsageError for an unknown one."""
    chosen = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not chosen or set(chosen) - set(ALL_FORMATS):
        raise UsageError(f"--format takes {', '.join(ALL_FORMATS)}, separated by commas; {text!r} is not that.")
    return chosen


def earlier_members(directory: Path) -> frozenset[str]:
    """The documents in clusters of an earlier report. Raises UsageError where it tells none."""
    check_whole(directory, read_summary(directory))
    path = directory / "clusters.jsonl"
    try:
        with path.open(encoding="utf-8") as file:
            return frozenset(member for line in file for member in json.loads(line)["members"])
    except FileNotFoundError:
        raise UsageError(
            f"The report in {directory} has no {path.name}, so it was made without the format jsonl. Name another one."
        ) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"The report in {directory} is damaged: {path.name} cannot be read ({error}). Name another one."
        ) from None


def check_place(directory: Path, *, parts: Sequence[Path] = ()) -> None:
    """Raise UsageError for a folder that holds something else than a report: nobody's files are written over. Nor are
    the `parts` that are joined into it, each of which may be hours of a machine."""
    if any(directory.resolve() == part.resolve() for part in parts):
        raise UsageError(f"{directory} holds a part that is to be joined. Name another folder: -o FOLDER")
    try:
        names = {path.name for path in directory.iterdir() if not path.name.startswith(".")}
    except OSError:  # there is none yet, or writing will say why not
        return
    if names and not is_report(directory):
        raise UsageError(
            f"{directory} holds other files ({sorted(names)[0]}) and no report."
            f" Name an empty or a new folder: -o FOLDER"
        )


def write_report(
    directory: Path,
    report: Report,
    *,
    info: IndexInfo,
    formats: Sequence[str],
    since: frozenset[str] | None = None,
) -> dict[str, Any]:
    """Write a report's files; `summary.json` is always among them. Returns the summary.

    They take the place of an earlier report's when all of them are written. Raises StorageError, or UsageError for a
    folder of other files.
    """
    check_place(directory)
    values = tables.summary(report, info)
    if since is not None:
        values["new_documents"] = sum(one not in since for cluster in report.clusters for one in cluster.members)
        values["new_clusters"] = sum(since.isdisjoint(cluster.members) for cluster in report.clusters)
    draft = directory / _DRAFT
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with held(directory):  # two at once would mix their files
            try:
                shutil.rmtree(draft, ignore_errors=True)
                draft.mkdir()
                _write(draft, report, values, info, formats, since)
                for name in _NAMES:  # of an earlier report into the same folder, too
                    (directory / name).unlink(missing_ok=True)
                shutil.rmtree(directory / pages.FOLDER, ignore_errors=True)
                for path in sorted(draft.iterdir()):
                    path.replace(directory / path.name)
            finally:
                shutil.rmtree(draft, ignore_errors=True)
    except OSError as error:
        raise storage_error(error, directory, "write the report to") from error
    return values


def _write(
    draft: Path,
    report: Report,
    values: dict[str, Any],
    info: IndexInfo,
    formats: Sequence[str],
    since: frozenset[str] | None,
) -> None:
    whole = report.settings.parts == 1
    if "jsonl" in formats or not whole:
        with _opened(draft / "pairs.jsonl") as out:
            tables.pairs_jsonl(report, out)
    if "jsonl" in formats and whole:
        with _opened(draft / "clusters.jsonl") as out:
            tables.clusters_jsonl(report, out)
        with _opened(draft / "members.jsonl") as out:
            tables.members_jsonl(report, out)
        if since is not None:
            with _opened(draft / "new.jsonl") as out:
                tables.new_jsonl(report, since, out)
    if "csv" in formats:
        with _opened(draft / "pairs.csv") as out:
            tables.write_csv(tables.pair_columns(report), tables.pairs(report), out)
        if whole:
            with _opened(draft / "clusters.csv") as out:
                tables.write_csv(tables.CLUSTERS, tables.members(report), out)
    if "parquet" in formats:
        tables.write_parquet(tables.pair_columns(report), tables.pairs(report), draft / "pairs.parquet")
        if whole:
            tables.write_parquet(tables.CLUSTERS, tables.members(report), draft / "clusters.parquet")
    if "html" in formats and whole:
        pages.write(draft, report, values, since)
    if not whole:
        (draft / "part.json").write_text(json.dumps(tables.part(report, info), ensure_ascii=False), encoding="utf-8")
    (draft / "summary.json").write_text(tables.summary_json(values), encoding="utf-8", errors="backslashreplace")


@contextmanager
def _opened(path: Path) -> Iterator[TextIO]:
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        yield file
