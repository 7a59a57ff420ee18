"""Which files does a report have, and where do they go?"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from leitong.indexer.duplicates.report import Report
from leitong.indexer.errors import UsageError
from leitong.indexer.files import storage_error
from leitong.indexer.library import Index
from leitong.reports.page import page
from leitong.reports.tables import clusters_csv, clusters_jsonl, pairs_csv, pairs_jsonl, summary, summary_json

FORMATS: Final = ("html", "jsonl", "csv")
_TABLES: Final = {"pairs.jsonl", "clusters.jsonl", "pairs.csv", "clusters.csv"}


def chosen_formats(text: str) -> tuple[str, ...]:
    """The formats of a list separated by commas. Raises UsageError for an unknown one."""
    chosen = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not chosen or set(chosen) - set(FORMATS):
        raise UsageError(f"--format takes {', '.join(FORMATS)}, separated by commas; {text!r} is not that.")
    return chosen


def write_report(directory: Path, report: Report, *, index: Index, formats: Sequence[str]) -> dict[str, Any]:
    """Write a report's files; `summary.json` is always among them. Returns the summary. Raises StorageError."""
    values = summary(report, index.info())
    files: dict[str, str] = {"summary.json": summary_json(values)}
    if "jsonl" in formats:
        files |= {"pairs.jsonl": pairs_jsonl(report.pairs), "clusters.jsonl": clusters_jsonl(report.clusters)}
    if "csv" in formats:
        files |= {"pairs.csv": pairs_csv(report.pairs), "clusters.csv": clusters_csv(report.clusters)}
    if "html" in formats:
        files["index.html"] = page(report, values, index=index)
    stale = (_TABLES | {"index.html"}) - files.keys()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            draft = directory / f"{name}.new"
            draft.write_text(content, encoding="utf-8", errors="backslashreplace")
            draft.replace(directory / name)
        for name in stale:  # of an earlier report into the same folder
            (directory / name).unlink(missing_ok=True)
    except OSError as error:
        raise storage_error(error, directory, "write the report to") from error
    return values
