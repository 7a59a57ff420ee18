"""`leitong`: the commands, in the order in which they are met."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from leitong.cli import (
    accuracy,
    attach,
    compare,
    decide,
    dedupe,
    demo,
    documents,
    indexing,
    mapping,
    recipes,
    reporting,
    serving,
    similar,
)
from leitong.cli.options import settings_file
from leitong.cli.talk import guarded

app = typer.Typer(
    name="leitong",
    help="Similar documents and duplicate reports for full-text search.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
# What begins with a minus may be a word to leave out: leitong search -广告
_SETTINGS: dict[object, dict[str, bool]] = {documents.search: {"ignore_unknown_options": True}}
_REPEATABLE: tuple[object, ...] = (attach.attach, attach.detach, dedupe.dedupe)
"""Commands that find what they have done already."""
for command in (
    demo.demo,
    indexing.index,
    documents.search,
    similar.similar,
    compare.compare,
    reporting.report,
    dedupe.dedupe,
    accuracy.evaluate,
    accuracy.calibrate,
    documents.get,
    documents.delete,
    documents.info,
    serving.serve,
    attach.attach,
    attach.detach,
    recipes.fingerprint,
):
    app.command(context_settings=_SETTINGS.get(command, {}))(guarded(command, repeats=command in _REPEATABLE))
app.add_typer(decide.decide, name="decide")
app.add_typer(recipes.recipe, name="recipe")
app.add_typer(mapping.mapping, name="mapping")


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"leitong {version('leitong')}")
        raise typer.Exit


@app.callback()
@guarded
def leitong(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Similar documents and duplicate reports for full-text search. Try: leitong demo"""
    group = context.command
    assert isinstance(group, TyperGroup)
    context.default_map = settings_file(dict(_commands(group)), context=context)


def _commands(group: TyperGroup, *above: str) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """The words of each command, `("mapping", "show")`, and its options."""
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from _commands(command, *above, name)
        else:
            yield (*above, name), _options(command.params)


def _options(parameters: Sequence[Any]) -> dict[str, Any]:
    """Long options of a command, without the dashes, and their parameters."""
    return {
        name.removeprefix("--"): parameter
        for parameter in parameters
        for name in parameter.opts
        if name.startswith("--")
    }
