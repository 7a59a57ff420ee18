"""`leitong report`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from leitong.cli import progress
from leitong.cli.combined import combined_score, say_absent
from leitong.cli.options import (
    DEFAULT_INDEX,
    ContentOption,
    DateOption,
    FamilyOption,
    IndexOption,
    JsonOption,
    KeepOption,
    RadiusOption,
    ScoreOption,
    SetOption,
    SimilarityOption,
    typed,
)
from leitong.cli.talk import FOUND, one_line, say, show, show_json
from leitong.indexer.plain import counted, written_id

if TYPE_CHECKING:
    from leitong.indexer.duplicates.dates import Dates
    from leitong.indexer.duplicates.found import Report

_CLUSTERS = 5
_MEMBERS = 3
_OF_PARTS = {
    "radius": "radius",
    "min_similarity": "min-similarity",
    "metadata_fields": "metadata-field",
    "metadata_hash": "metadata-hash",
    "content_weight": "content-weight",
    "min_score": "min-score",
    "partition": "partition",
    "resume": "resume",
}
"""Options that `report merge` does not take, by parameter."""


def report(
    context: typer.Context,
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="merge DIR", help="Join the parts that --partition made, each in its DIR."),
    ] = None,
    directory: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for the report.")] = Path(
        "leitong-report"
    ),
    formats: Annotated[
        str, typer.Option("--format", help="html, jsonl, csv, parquet, separated by commas.")
    ] = "html,jsonl,csv",
    locator: IndexOption = DEFAULT_INDEX,
    radius: RadiusOption = None,
    min_similarity: SimilarityOption = None,
    cluster: Annotated[
        str,
        typer.Option(
            metavar="connected|star", help="Clusters of chains of matches, or of matches with one document only."
        ),
    ] = "connected",
    keep: KeepOption = "first",
    date_field: DateOption = None,
    source_field: Annotated[
        str, typer.Option(metavar="NAME", help="Metadata field that says where a document comes from.")
    ] = "source",
    since: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Tell what is new since this earlier report.")
    ] = None,
    metadata_fields: SetOption = None,
    metadata_hash: FamilyOption = None,
    content_weight: ContentOption = None,
    min_score: ScoreOption = None,
    partition: Annotated[
        str | None, typer.Option(metavar="I/N", help="Compare one of N shares only; report merge joins them.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with an interrupted report into DIR.")] = False,
    fail_on_duplicates: Annotated[
        bool, typer.Option("--fail-on-duplicates", help="Exit with 1 when there are any.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Compare every document with every other: pairs, clusters, and a page to read them.

    leitong report merge DIR… joins the parts that several machines made with --partition into one report.
    """
    from leitong.indexer.asked import one_of
    from leitong.indexer.duplicates.clusters import KEEPS, SHAPES
    from leitong.indexer.errors import UsageError
    from leitong.indexer.library import open_index
    from leitong.reports.parts import read_parts
    from leitong.reports.write import WORK, check_place, chosen_formats, earlier_members, write_report

    chosen = chosen_formats(formats)
    part, parts = _share(partition)
    combined = combined_score(metadata_fields, metadata_hash, content_weight, min_score)
    shape, kept = one_of("shape", cluster, SHAPES), one_of("keep", keep, KEEPS)
    if since and parts > 1:
        raise UsageError("A part has no clusters to compare with --since: say it to leitong report merge.")
    known = earlier_members(since) if since else None
    merged = _merged(arguments, context)
    check_place(directory, parts=merged)
    with open_index(locator) as opened:
        info = opened.info()
        with progress.reporting() as watch:
            if merged:
                found = opened.merge(
                    read_parts(merged),
                    shape=shape,
                    keep=kept,
                    date_field=date_field,
                    source_field=source_field,
                    watch=watch,
                )
            else:
                found = opened.report(
                    radius=radius,
                    min_similarity=min_similarity,
                    shape=shape,
                    keep=kept,
                    date_field=date_field,
                    source_field=source_field,
                    combined=combined,
                    part=part,
                    parts=parts,
                    work=directory / WORK,
                    resume=resume,
                    watch=watch,
                )
        summary = write_report(directory, found, info=info, formats=chosen, since=known)
        shown = parts > 1 or opened.keep_report(found)
    if json:
        show_json(summary)
    elif parts > 1:
        pairs = counted(len(found.pairs), "matching pair")
        join = f"leitong report merge DIR… -o REPORT --index {info.locator}"
        say(f"Part {partition} is in {directory}: {pairs}. When all are there: {join}")
    else:
        show_clusters(found)
        if known is not None:
            say(
                f"Since {since}: {counted(summary['new_documents'], 'document')} new in clusters, "
                f"{counted(summary['new_clusters'], 'new cluster')}."
            )
        say(f"The report is in {directory}" + (f": open {directory / 'index.html'}" if "html" in chosen else "."))
    _say_lacks(found, shown=shown)
    if fail_on_duplicates and len(found.pairs):
        raise typer.Exit(FOUND)


def _share(partition: str | None) -> tuple[int, int]:
    """Number, from 0, and count of a partition."""
    from leitong.indexer.errors import UsageError

    if partition is None:
        return 0, 1
    numbers = [int(number) for number in partition.split("/") if number.isascii() and number.isdigit()]
    if partition.count("/") != 1 or len(numbers) != 2 or not 1 <= numbers[0] <= numbers[1]:
        raise UsageError(f"--partition {partition} is none: it takes I/N, I from 1 to N, as in 1/4.")
    return numbers[0] - 1, numbers[1]


def _merged(arguments: list[str] | None, context: typer.Context) -> list[Path]:
    """Folders of the parts to be joined; none for a report of its own."""
    from leitong.indexer.errors import UsageError

    if not arguments:
        return []
    if arguments[0] != "merge" or len(arguments) < 2:
        raise UsageError("leitong report takes no arguments, but for: leitong report merge DIR… -o REPORT")
    if wrong := typed(context, *_OF_PARTS):
        raise UsageError(f"--{_OF_PARTS[wrong[0]]} is for the parts; leitong report merge joins what was found so.")
    return [Path(name) for name in arguments[1:]]


def _say_lacks(found: "Report", *, shown: bool) -> None:
    """What a report could not read, and whether the pages can show it."""
    from leitong.indexer.duplicates.policy.kept import MAX_PAIRS

    if found.missing:
        say(f"{counted(len(found.missing), 'document')} could not be read any more and stand there without text.")
    say_absent(found.absent)
    if found.dates:
        say_dates(found.dates)
    if not shown:
        too_many = len(found.pairs) > MAX_PAIRS
        why = f"it has more than {MAX_PAIRS:,} pairs" if too_many else "it cannot be kept beside the index"
        say(f"The pages of leitong serve do not show this report: {why}.")


def say_dates(dates: "Dates") -> None:
    """Of how many documents the date could not be read."""
    if dates.unread:
        example = f", for example {one_line(dates.example[:60])!r}" if dates.example else ""
        say(
            f"{dates.unread:,} of {dates.documents:,} dates are missing or not understood{example}: "
            "such documents are never taken as the oldest."
        )


def show_clusters(found: "Report") -> None:
    """What a report found: its numbers, and its largest clusters."""
    inside = sum(len(cluster.members) for cluster in found.clusters)
    show(
        f"{counted(len(found.clusters), 'cluster')} of duplicates: "
        f"{inside:,} of {counted(found.documents, 'document')}; "
        f"{counted(len(found.pairs), 'matching pair')} of {found.compared:,} compared, {found.seconds:,.1f} s."
    )
    for cluster in found.clusters[:_CLUSTERS]:
        show(typer.style(f"  {len(cluster.members)} documents", bold=True))
        members = sorted(found.members(cluster), key=lambda one: one.id != cluster.representative)[:_MEMBERS]
        for member in members:
            role = "  representative" if member.id == cluster.representative else ""
            told = typer.style(f"{written_id(member.id)}{role}", dim=True)
            show(f"     {one_line(member.title) or written_id(member.id)}  {told}")
        if len(cluster.members) > len(members):
            show(f"     … and {len(cluster.members) - len(members):,} more")
