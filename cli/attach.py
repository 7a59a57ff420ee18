"""`leitong attach` and `detach`: fingerprints in somebody else's index on a server."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from leitong.cli import progress
from leitong.cli.indexing import default_rejects
from leitong.cli.options import JsonOption, RecipeOption, WorkersOption
from leitong.cli.talk import say, show_json
from leitong.indexer.plain import counted, shell_word

if TYPE_CHECKING:
    from leitong.indexer.attachruns import AttachProgress

LocatorArgument = Annotated[str, typer.Argument(metavar="LOCATOR", help="http(s)://host:port/index")]
RejectsOption = Annotated[
    Path | None,
    typer.Option(help="File for documents that are left alone. Default: NAME-rejects.jsonl in the current folder."),
]
PaceOption = Annotated[float | None, typer.Option(min=0.1, help="Most documents written in a second.")]


def attach(
    locator: LocatorArgument,
    text_field: Annotated[
        list[str] | None, typer.Option(help="Field with text; may be repeated. Needed the first time.")
    ] = None,
    title_field: Annotated[str | None, typer.Option(help="Field with the title.")] = None,
    recipe: RecipeOption = None,
    follow: Annotated[
        bool, typer.Option("--follow", help="Go on with what is written afterwards, until Ctrl-C.")
    ] = False,
    pace: PaceOption = None,
    rejects: RejectsOption = None,
    workers: WorkersOption = None,
    json: JsonOption = False,
) -> None:
    """Add fingerprints to an index that another program fills, in place; its own fields stay as they are."""
    from leitong.indexer.attaching import attach
    from leitong.indexer.attachruns import AttachOptions
    from leitong.indexer.fingerprint.recipe import load
    from leitong.indexer.workers import cores

    options = AttachOptions(rejects=rejects or default_rejects(locator), workers=workers or cores(), pace=pace)
    with progress.indexing("attaching") as shown:
        outcome = attach(
            locator,
            text_fields=text_field or (),
            title_field=title_field,
            recipe=load(recipe) if recipe else None,
            options=options,
            watch=_told(shown),
            follow=follow,
        )
    if json:
        show_json({"index": outcome.index, "attached": outcome.written, **_counts(outcome, options.rejects)})
    else:
        _tell(outcome, "fingerprint written into", "had theirs", options.rejects)
        if outcome.without_text:
            say(f"{counted(outcome.without_text, 'document')} without a text in these fields.")
        if outcome.documents and outcome.documents == outcome.without_text:
            say(f"Other fields: `leitong detach {shell_word(locator)}`, then attach it with other names of fields.")
        else:
            say(f"Try: leitong report --index {shell_word(locator)}")


def _told(shown: Callable[["AttachProgress"], None]) -> Callable[["AttachProgress"], None]:
    """Says once that nothing goes on, and once that it does again."""
    waiting = False

    def watch(now: "AttachProgress") -> None:
        nonlocal waiting
        if bool(now.waiting) != waiting:
            waiting = not waiting
            say(f"{now.waiting} Waiting for it." if waiting else "It answers again.")
        shown(now)

    return watch


def detach(
    locator: LocatorArgument,
    pace: PaceOption = None,
    rejects: RejectsOption = None,
    json: JsonOption = False,
) -> None:
    """Take all our fields out of an attached index."""
    from leitong.indexer.attaching import detach
    from leitong.indexer.attachruns import AttachOptions

    options = AttachOptions(rejects=rejects or default_rejects(locator), pace=pace)
    with progress.indexing("detaching") as watch:
        outcome = detach(locator, options=options, watch=watch)
    if json:
        show_json({"index": outcome.index, "detached": outcome.written, **_counts(outcome, options.rejects)})
        return
    _tell(outcome, "fingerprint taken out of", "had none", options.rejects)
    if outcome.rejected or outcome.changing:
        say("The index stays attached until all of them are done: run again.")


def _counts(outcome: "AttachProgress", rejects: Path) -> dict[str, object]:
    return {
        "unchanged": outcome.unchanged,
        "without_text": outcome.without_text,
        "rejected": outcome.rejected,
        "rejects": str(rejects) if outcome.rejected else None,
        "changing": outcome.changing,
        "seconds": round(outcome.seconds, 3),
    }


def _tell(outcome: "AttachProgress", done: str, had: str, rejects: Path) -> None:
    rate = outcome.documents / outcome.seconds if outcome.seconds else 0.0
    say(
        f"{counted(outcome.written, done.split()[0])} {done.partition(' ')[2]} the index, {outcome.unchanged:,} {had}; "
        f"{outcome.seconds:,.1f} s, {rate:,.0f} documents a second."
    )
    if outcome.rejected:
        say(f"{counted(outcome.rejected, 'document')} left alone: {rejects} holds each with the reason.")
    if outcome.changing:
        say(f"{counted(outcome.changing, 'document')} changed each time they were to be written: run again.")
