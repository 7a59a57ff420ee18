"""`leitong fingerprint` and `leitong recipe`: they need no index."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from leitong.cli.indexing import fitting_workers, say_remarks
from leitong.cli.options import JsonOption, RecipeOption, WorkersOption
from leitong.cli.talk import ERROR, NOTHING, guarded, say, show, show_json, stdin
from leitong.indexer.plain import counted, shell_word, written_id

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leitong.indexer.documents import Document, Reject
    from leitong.indexer.sources.base import Source

recipe = typer.Typer(help="Recipes: how fingerprints are made.", no_args_is_help=True, rich_markup_mode=None)


def fingerprint(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="A file or folder as for `index`, or - for JSON lines on stdin.")
    ] = "-",
    recipe: RecipeOption = None,
    format: Annotated[
        str | None, typer.Option("--format", help="weighted: lines of `word^weight word^weight` instead of documents.")
    ] = None,
    binary: Annotated[bool, typer.Option("--binary", help="Print bits, the most significant first.")] = False,
    id_field: Annotated[str | None, typer.Option(help="Field with the id.")] = None,
    title_field: Annotated[str | None, typer.Option(help="Field with the title.")] = None,
    text_field: Annotated[str | None, typer.Option(help="Field with the text.")] = None,
    workers: WorkersOption = None,
    json: JsonOption = False,
) -> None:
    """Print each document's id and fingerprint, separated by a tab; ids are written as inside a JSON string."""
    from leitong.indexer.documents import Reject
    from leitong.indexer.errors import UsageError
    from leitong.indexer.fingerprint.hamming import to_hex
    from leitong.indexer.fingerprint.recipe import DEFAULT, load
    from leitong.indexer.sources.base import FieldNames
    from leitong.indexer.sources.open import open_sources, open_weighted
    from leitong.indexer.workers import fingerprint_all, fingerprint_weighted

    if format not in (None, "weighted"):
        raise UsageError(f"There is no --format {format!r}. It is `weighted`, or left out for documents.")
    chosen = load(recipe or DEFAULT)
    fields = FieldNames(id=id_field, title=title_field, text=text_field)
    if format and fields != FieldNames():
        raise UsageError("Lines of words with weights have no fields: leave --id-field and the like out.")
    sources = (open_weighted(source, stdin=stdin()),) if format else open_sources([source], fields, stdin=stdin())
    reading = _Reading(sources)
    printed = 0
    found: Iterator[tuple[Document, int] | Reject]
    if format:
        found = fingerprint_weighted(reading.documents(), recipe=chosen, source=sources[0].name)
    else:
        found = fingerprint_all(reading.documents(), recipe=chosen, workers=workers or fitting_workers(sources))
    for result in found:
        if isinstance(result, Reject):
            reading.refuse(result)
            continue
        document, value = result
        printed += 1
        digits = f"{value:0{chosen.bits}b}" if binary else to_hex(value, chosen.bits)
        if json:
            show_json({"id": document.id, "fingerprint": digits})
        else:
            show(f"{written_id(document.id)}\t{digits}")
    if reading.refused:
        say(f"{counted(reading.refused, 'record')} without a fingerprint.")
    say_remarks(sources)
    if reading.doubtful or (reading.refused and not printed):
        raise typer.Exit(ERROR)


@dataclass
class _Reading:
    """The documents of sources; what is none is told on stderr."""

    sources: "tuple[Source, ...]"
    refused: int = 0
    doubtful: bool = False

    def documents(self) -> "Iterator[Document]":
        """One by one."""
        from leitong.indexer.documents import Reject

        for record in (record for one in self.sources for record in one):
            if isinstance(record, Reject):
                self.refuse(record)
            else:
                yield record

    def refuse(self, record: "Reject") -> None:
        """Tell and count it."""
        say(record.told)
        self.refused += 1
        self.doubtful = self.doubtful or record.doubtful


@recipe.command("list")
@guarded
def list_recipes(json: JsonOption = False) -> None:
    """List the recipes that come with Leitong."""
    from leitong.indexer.fingerprint.recipe import DEFAULT, named

    if json:
        show_json([{"name": name, "purpose": purpose, "default": name == DEFAULT} for name, purpose in named().items()])
        return
    width = max(map(len, named()))
    for name, purpose in named().items():
        show(f"{name:{width}}  {purpose}{' (default)' if name == DEFAULT else ''}")


@recipe.command("show")
@guarded
def show_recipe(
    name: Annotated[str, typer.Argument(help="A name, or a .toml file.")] = "standard", json: JsonOption = False
) -> None:
    """Show every choice of a recipe, and its id."""
    from leitong.indexer.fingerprint.recipe import load
    from leitong.indexer.fingerprint.simhash import Fingerprinter

    chosen = load(name)
    values = {"id": Fingerprinter(chosen).id, **chosen.settings()}
    if json:
        show_json(values)
        return
    width = max(map(len, values))
    for key, value in values.items():
        if isinstance(value, dict):
            value = [f"{name} {number:g}" for name, number in value.items()]
        text = ", ".join(map(str, value)) if isinstance(value, list) else value
        show(f"{key:{width}}  {NOTHING if text in ('', None) else text}")


@recipe.command("train")
@guarded
def train(
    sources: Annotated[list[str], typer.Argument(metavar="CORPUS", help="Files or folders as for `index`.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The recipe file to write; the table goes beside it.")],
    base: Annotated[str, typer.Option(help="The recipe whose other choices are kept.")] = "standard",
) -> None:
    """Count how rare words are in a corpus, and write a recipe that weighs them by it."""
    from leitong.indexer.errors import UsageError
    from leitong.indexer.fingerprint.recipe import load
    from leitong.indexer.sources.open import open_sources
    from leitong.indexer.training import train_recipe

    if output.suffix != ".toml":
        raise UsageError(f"A recipe file ends in .toml; {output} does not.")
    reading = _Reading(open_sources(sources, stdin=stdin()))
    passages = (document.passage for document in reading.documents())
    table = train_recipe(passages, base=load(base), output=output)
    say(f"{output}: words of {table.documents:,} documents counted, {len(table.frequencies):,} words kept.")
    if reading.refused:
        say(f"{counted(reading.refused, 'record')} left out.")
    say_remarks(reading.sources)
    if reading.doubtful:
        raise typer.Exit(ERROR)
    say(f"Use it with: leitong index SOURCE --recipe {shell_word(str(output))}")
