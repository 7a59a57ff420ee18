"""`leitong decide keep`, `apart`, `forget` and `list`: what a person says of duplicates."""

from typing import TYPE_CHECKING, Annotated

import typer

from leitong.cli.options import DEFAULT_INDEX, IndexOption, JsonOption
from leitong.cli.talk import guarded, say, show, show_json
from leitong.indexer.plain import counted, written_id

if TYPE_CHECKING:
    from leitong.indexer.duplicates.policy.decisions import Decision, Decisions

decide = typer.Typer(
    help="Decide on duplicates: which to keep, which are none. `dedupe` and the page go by it.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

IdArgument = Annotated[str, typer.Argument(metavar="ID")]
OthersArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="OTHER", help="Default: the others of its cluster in the last report."),
]


@decide.command("keep")
@guarded
def keep(
    doc_id: IdArgument, others: OthersArgument = None, locator: IndexOption = DEFAULT_INDEX, json: JsonOption = False
) -> None:
    """Keep this document, and none of the others."""
    _decide("keep", doc_id, others or [], locator, json)


@decide.command("apart")
@guarded
def apart(
    doc_id: IdArgument, others: OthersArgument = None, locator: IndexOption = DEFAULT_INDEX, json: JsonOption = False
) -> None:
    """This document is no duplicate of the others, however similar."""
    _decide("apart", doc_id, others or [], locator, json)


@decide.command("forget")
@guarded
def forget(
    doc_id: IdArgument,
    others: Annotated[
        list[str] | None,
        typer.Argument(metavar="OTHER", help="Only that it is apart from these. Default: all that was decided of it."),
    ] = None,
    locator: IndexOption = DEFAULT_INDEX,
    json: JsonOption = False,
) -> None:
    """Take back what was decided about a document."""
    _decide("forget", doc_id, others or [], locator, json)


@decide.command("list")
@guarded
def list_decisions(locator: IndexOption = DEFAULT_INDEX, json: JsonOption = False) -> None:
    """Show what was decided: a line each, with tabs between its parts."""
    from leitong.indexer import answers
    from leitong.indexer.library import open_index

    with open_index(locator) as opened:
        decisions = opened.decisions()
    if json:
        show_json(answers.decided(decisions))
        return
    for doc_id in sorted(decisions.keep):
        show(f"keep\t{written_id(doc_id)}")
    for one, other in sorted(decisions.apart):
        show(f"apart\t{written_id(one)}\t{written_id(other)}")
    say(_told(decisions))


def _decide(decision: "Decision", doc_id: str, others: list[str], locator: str, json: bool) -> None:
    from leitong.indexer import answers
    from leitong.indexer.library import open_index

    with open_index(locator) as opened:
        before = opened.decisions()
        decisions = opened.decide_on(decision, doc_id, others=others)
    if json:
        show_json(answers.decided(decisions))
    if decisions == before:
        say("Nothing of that was decided." if decision == "forget" else "That was decided already.")
    say(_told(decisions))


def _told(decisions: "Decisions") -> str:
    pairs = counted(len(decisions.apart), "pair")
    return f"Decided in all: {counted(len(decisions.keep), 'document')} to keep, {pairs} apart."
