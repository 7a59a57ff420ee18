"""`leitong dedupe`."""

from collections import Counter
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from leitong.cli.options import DEFAULT_INDEX, DateOption, IndexOption, JsonOption, typed
from leitong.cli.reporting import say_dates
from leitong.cli.talk import say, show, show_json
from leitong.indexer.plain import counted, written_id

if TYPE_CHECKING:
    from leitong.indexer.duplicates.policy.dedupe import Outcome

_PAST = {"mark": "marked", "delete": "deleted", "unmark": "unmarked"}
_WHY = {
    "gone": "no longer in the index",
    "changed": "changed since the report",
    "representative": "the document to keep is gone or has changed since the report",
    "marked": "marked so already",
    "unmarked": "not marked by this report",
    "chain": "like the document to keep only by a chain of others",
    "decided": "a person decided to keep it, or that it is no duplicate",
    "undated": "no document of its cluster has a date that can be read",
}


def dedupe(
    context: typer.Context,
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the report to act on.")] = Path(
        "leitong-report"
    ),
    locator: IndexOption = DEFAULT_INDEX,
    keep: Annotated[
        str | None,
        typer.Option(metavar="first|oldest|longest|central", help="Which document stays. Default: as in the report."),
    ] = None,
    date_field: DateOption = None,
    action: Annotated[
        str, typer.Option(metavar="mark|delete", help="mark them as duplicates of the one that stays, or delete them.")
    ] = "mark",
    undo: Annotated[bool, typer.Option("--undo", help="Take the marks of this report off again.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do it. Without it nothing is changed.")] = False,
    json: JsonOption = False,
) -> None:
    """Act on a report: of each cluster one document stays, the others are marked or deleted. Dry without --yes."""
    from leitong.indexer.asked import one_of
    from leitong.indexer.duplicates.clusters import KEEPS
    from leitong.indexer.duplicates.dates import Dates
    from leitong.indexer.duplicates.policy.dedupe import ACTIONS
    from leitong.indexer.library import open_index
    from leitong.reports.read import read_clusters, read_pairs, read_policy, read_summary

    kept = one_of("keep", keep, KEEPS) if keep else None
    chosen = one_of("action", action, ACTIONS)
    if kept != "oldest" and not typed(context, "date_field"):
        date_field = None  # a default for `report`, which shows the date as well
    policy = read_policy(directory, action=chosen, keep=kept, date_field=date_field, undo=undo)
    summary = read_summary(directory)
    fates: Counter[str] = Counter()
    changes: list[dict[str, object]] = []
    saved = 0
    verb = "unmark" if undo else chosen
    with open_index(locator) as opened:
        here = opened.locator
        pairs = partial(read_pairs, directory)
        for step in opened.dedupe(read_clusters(directory), policy=policy, act=yes, pairs=pairs, dated=say_dates):
            fates[step.fate] += 1
            if step.fate == "due" and chosen == "delete":
                saved += step.bytes
            if json:
                changes.append(asdict(step))
            else:
                _show_step(step, verb)
    if kept is None and not undo and (dates := summary.get("dates")):
        say_dates(Dates(**dates))
    done = fates.pop("due", 0)
    if json:
        show_json(
            {
                "action": "undo" if undo else chosen,
                "done": yes,
                "documents": done,
                "bytes": saved,
                "left": dict(sorted(fates.items())),
                "changes": changes,
            }
        )
    documents = counted(done, "document")
    bytes_saved = f", {saved:,} bytes" if chosen == "delete" else ""
    if yes:
        say(f"{documents} {_PAST[verb]}{bytes_saved}.")
    else:
        say(f"Dry run: {documents} to {verb}{bytes_saved}. Nothing was changed; --yes does it.")
    for fate, count in sorted(fates.items()):
        say(f"{counted(count, 'document')} left alone: {_WHY[fate]}.")
    told_of = summary.get("index", "")
    if told_of != here and not {"gone", "changed", "representative"}.isdisjoint(fates):
        say(f"The report in {directory} was made of {told_of}, and this is {here}.")


def _show_step(step: "Outcome", verb: str) -> None:
    """What becomes of one document; nothing of one that is as it should be."""
    if step.fate == "due":
        size = f", {step.bytes:,} bytes" if verb == "delete" else ""
        show(f"{verb}  {written_id(step.id)}  (duplicate of {written_id(step.representative)}{size})")
    elif step.fate not in ("marked", "unmarked"):
        show(f"leave  {written_id(step.id)}  ({_WHY[step.fate]})")
