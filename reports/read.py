"""A report read back from its folder, for `dedupe`."""

import json
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from leitong.indexer.asked import check_keep
from leitong.indexer.duplicates.clusters import Keep
from leitong.indexer.duplicates.comparing.check import MIN_SIMILARITY
from leitong.indexer.duplicates.found import Pair
from leitong.indexer.duplicates.policy.dedupe import Action, Policy, Reported, ReportedCluster
from leitong.indexer.errors import ArgumentError, UsageError


def is_report(folder: Path) -> bool:
    """Whether there is a report of ours in the folder, of any version."""
    try:
        return "leitong_version" in read_summary(folder)
    except UsageError:
        return False


def read_summary(folder: Path) -> dict[str, Any]:
    """The summary of a report. Raises UsageError where there is none."""
    try:
        values: dict[str, Any] = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
        if not isinstance(values, dict):
            raise ValueError
    except (OSError, ValueError):
        raise UsageError(
            f"There is no report in {folder}. Name the folder of one, or make one: leitong report -o {folder}"
        ) from None
    return values


def check_whole(folder: Path, summary: Mapping[str, Any]) -> None:
    """Raise UsageError for one of the parts of a report, by its summary."""
    if summary.get("partition"):
        raise UsageError(
            f"{folder} is part {summary['partition']} of a report, and a part has no clusters. Join the parts first: "
            "leitong report merge DIR… -o REPORT"
        )


def read_policy(
    folder: Path, *, action: Action, keep: Keep | None = None, date_field: str | None = None, undo: bool = False
) -> Policy:
    """What to do with a report's documents. Raises UsageError for what does not go together, or with this report."""
    summary = read_summary(folder)
    check_whole(folder, summary)
    if undo and action == "delete":
        raise UsageError("What was deleted does not come back: --undo takes off marks.")
    if keep is not None and keep != summary.get("keep") and summary.get("cluster") == "star":
        raise UsageError(
            f"The clusters of {folder} are stars around their representatives. Make the report with --keep {keep}."
        )
    if keep is not None:
        check_keep(keep, date_field or summary.get("date_field"))
    if date_field and keep != "oldest":
        raise ArgumentError("date_field", "tells which is the oldest: it goes with keeping the oldest.")
    least = summary.get("min_similarity", MIN_SIMILARITY)
    return Policy(action, keep=keep, date_field=date_field, undo=undo, min_similarity=least)


def read_clusters(folder: Path) -> Iterator[ReportedCluster]:
    """The clusters of a report with their documents. Raises UsageError for files that are missing or damaged."""
    clusters, members = folder / "clusters.jsonl", folder / "members.jsonl"
    try:
        with clusters.open(encoding="utf-8") as told, members.open(encoding="utf-8") as lines:
            grouped = groupby(map(json.loads, lines), key=lambda line: line["cluster"])
            for line, (number, group) in zip(map(json.loads, told), grouped, strict=True):
                found = tuple(_reported(member) for member in group)
                if line["cluster"] != number or [one.id for one in found] != line["members"]:
                    raise ValueError(f"cluster {line['cluster']} is another one in {members.name}")
                yield ReportedCluster(number, line["representative"], found)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{folder} cannot be acted on: {error}. It takes a whole report with the format jsonl; make it again."
        ) from None


def read_pairs(folder: Path) -> Iterator[Pair]:
    """The pairs of a report. Raises UsageError for a file that is missing or damaged."""
    try:
        with (folder / "pairs.jsonl").open(encoding="utf-8") as lines:
            for line in map(json.loads, lines):
                yield Pair(line["a"], line["b"], line["distance"], line["similarity"], line["kind"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{folder} cannot be acted on: {error}. Somebody decided that documents of it are no duplicates, and only "
            "its pairs.jsonl tells which others still are; make the report again."
        ) from None


def _reported(line: dict[str, Any]) -> Reported:
    return Reported(
        id=line["id"],
        revision=line["revision"],
        characters=line["characters"],
        bytes=line["bytes"],
        central=line["central"],
        date=line["date"],
        matched=line["similarity"] is not None,
    )
