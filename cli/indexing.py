"""`leitong index`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from leitong.cli import progress
from leitong.cli.options import DEFAULT_INDEX, IndexOption, JsonOption, RecipeOption, WorkersOption
from leitong.cli.talk import ERROR, say, show_json, stdin
from leitong.indexer.plain import counted

if TYPE_CHECKING:
    from leitong.indexer.pipeline import IndexOptions
    from leitong.indexer.pipeline import Progress as Outcome
    from leitong.indexer.sources.base import Source


def index(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE",
            help="Files (.jsonl .jsonl.gz .csv .tsv .parquet .txt .md .html), folders, or - for JSON lines on stdin.",
        ),
    ],
    locator: IndexOption = DEFAULT_INDEX,
    id_field: Annotated[
        str | None, typer.Option(help="Field with the id. Default: id, else made from the content.")
    ] = None,
    title_field: Annotated[str | None, typer.Option(help="Field with the title. Default: title.")] = None,
    text_field: Annotated[str | None, typer.Option(help="Field with the text. Default: text, content or body.")] = None,
    metadata_field: Annotated[
        list[str] | None, typer.Option(help="Field to keep as metadata; may be repeated. Default: all other fields.")
    ] = None,
    recipe: RecipeOption = None,
    on_duplicate: Annotated[
        Literal["index", "mark", "skip"],
        typer.Option(help="Documents that repeat another one: index, mark or skip them."),
    ] = "index",
    rejects: Annotated[
        Path | None, typer.Option(help="File for records that cannot be indexed. Default: rejects.jsonl in the index.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on after an interruption: skip what is there unchanged.")
    ] = False,
    workers: WorkersOption = None,
    json: JsonOption = False,
) -> None:
    """Index documents in bulk, each in place of the one with the same id."""
    from leitong.indexer.fingerprint.recipe import load
    from leitong.indexer.library import open_index
    from leitong.indexer.pipeline import IndexOptions
    from leitong.indexer.rejects import check_rejects
    from leitong.indexer.sources.base import FieldNames
    from leitong.indexer.sources.open import open_sources

    fields = FieldNames(
        id=id_field, title=title_field, text=text_field, metadata=tuple(metadata_field) if metadata_field else None
    )
    opened = open_sources(sources, fields, stdin=stdin())
    chosen = load(recipe) if recipe else None
    if rejects is not None:
        check_rejects(rejects, opened)
    with open_index(locator, create=True, recipe=chosen) as made:  # says at once what is wrong with the index
        name = made.locator
    options = IndexOptions(
        on_duplicate=on_duplicate,
        resume=resume,
        rejects=rejects or default_rejects(locator),
        workers=workers or fitting_workers(opened),
    )
    outcome = run(locator, opened, options)
    if json:
        show_json(
            {
                "index": name,
                "indexed": outcome.indexed,
                "unchanged": outcome.unchanged,
                "duplicates": outcome.duplicates + outcome.marked,
                "rejected": outcome.rejected,
                "rejects": str(options.rejects) if outcome.rejected else None,
                "seconds": round(outcome.seconds, 3),
            }
        )
    if outcome.in_vain or outcome.doubtful:
        raise typer.Exit(ERROR)


def run(locator: str, sources: "tuple[Source, ...]", options: "IndexOptions") -> "Outcome":
    """Index with a progress bar and tell what became of the records."""
    from leitong.indexer.library import open_index

    with progress.indexing() as watch, open_index(locator) as opened:
        outcome = opened.index(sources, options=options, watch=watch)
    if outcome.in_vain:
        kept = f"{options.rejects} holds it."
        if outcome.rejected > 1:
            kept = f"All {outcome.rejected:,} records were rejected: {options.rejects} holds each with the reason."
        say(f"Error: Nothing was indexed. {outcome.reason}. {kept}")
        say_remarks(sources)
        return outcome
    rate = outcome.documents / outcome.seconds if outcome.seconds else 0.0
    parts = [f"{counted(outcome.indexed, 'document')} indexed into {locator}"]
    if outcome.unchanged:
        parts.append(f"{outcome.unchanged:,} were there unchanged")
    if outcome.marked:
        parts.append(f"{counted(outcome.marked, 'duplicate')} marked among them")
    if outcome.duplicates:
        parts.append(f"{counted(outcome.duplicates, 'duplicate')} skipped")
    say(f"{', '.join(parts)}; {outcome.seconds:,.1f} s, {rate:,.0f} a second.")
    if outcome.rejected:
        say(
            f"{counted(outcome.rejected, 'record')} rejected: "
            f"{options.rejects} holds each with its line and the reason."
        )
    if outcome.doubtful:
        say(f"Error: {outcome.doubtful}.")
    say_remarks(sources)
    return outcome


def say_remarks(sources: "tuple[Source, ...]") -> None:
    """What the sources have to say of themselves after they were read."""
    for source in sources:
        for remark in source.remarks:
            say(remark)


def default_rejects(locator: str) -> Path:
    """Inside the folder of an index; for a server, in the current folder, named after the index."""
    if "://" in locator:
        return Path(f"{locator.rstrip('/').rpartition('/')[2]}-rejects.jsonl")
    return Path(locator) / "rejects.jsonl"


def fitting_workers(sources: "tuple[Source, ...]") -> int:
    """One process for each core; none beside this one for sources so small that starting them takes longer."""
    from leitong.indexer.workers import cores

    sizes = [source.size for source in sources]
    small = None not in sizes and sum(size or 0 for size in sizes) < 2_000_000
    return 1 if small else cores()
