"""`leitong search`, `get`, `delete` and `info`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from leitong.cli.options import DEFAULT_INDEX, IndexOption, JsonOption
from leitong.cli.talk import NOTHING, NOTHING_TO_FOLD, one_line, say, show, show_json
from leitong.indexer.plain import counted, plain, shell_word, written_id, written_value

if TYPE_CHECKING:
    from leitong.indexer.search import SearchResult


def search(
    words: Annotated[list[str], typer.Argument(metavar="QUERY", help='Words, "phrases", -not, field:value.')],
    locator: IndexOption = DEFAULT_INDEX,
    size: Annotated[int, typer.Option(min=0, help="Hits to show.")] = 10,
    start: Annotated[int, typer.Option("--from", min=0, help="Hits to leave out first.")] = 0,
    filters: Annotated[
        list[str] | None, typer.Option("--filter", metavar="FIELD=VALUE", help="Only documents with this metadata.")
    ] = None,
    fold: Annotated[bool, typer.Option("--fold", help="One hit for each cluster of marked duplicates.")] = False,
    facets: Annotated[bool, typer.Option("--facets", help="Count values of the metadata among all hits.")] = False,
    json: JsonOption = False,
) -> None:
    """Search the full text."""
    from leitong.indexer import answers
    from leitong.indexer.library import open_index
    from leitong.indexer.query import parse_filter

    query = _question(words)
    with open_index(locator) as opened:
        found = opened.search(
            query,
            size=size,
            start=start,
            filters=[parse_filter(text) for text in filters or ()],
            fold=fold,
            facets=facets,
        )
        nothing_to_fold = fold and not opened.has_marks()
    if nothing_to_fold:
        say(NOTHING_TO_FOLD)
    if json:
        show_json(answers.searched(found))
    else:
        _show_hits(found, start=start, locator=locator)


def _show_hits(found: "SearchResult", *, start: int, locator: str) -> None:
    """Up to three lines for each hit, the values of the metadata, and what to ask next."""
    for place, hit in enumerate(found.hits, start + 1):
        similar = f"  ({hit.duplicates} similar)" if hit.duplicates else ""
        show(f"{place}. {typer.style(one_line(hit.title) or written_id(hit.id), bold=True)}{similar}")
        if hit.snippet.text:
            marks = typer.style("\x01", fg="yellow", bold=True).split("\x01")
            show(f"   {hit.snippet.marked(marks[0], marks[1], one_line_piece, '…')}")
        show(typer.style(f"   {written_id(hit.id)}", dim=True))
    for facet in found.facets or ():
        least = "" if facet.exact else "at least "
        values = [f"{one_line(value)} ({least}{count:,})" for value, count in facet.values]
        show(f"{one_line(facet.field)}: {', '.join(values)}{f', others ({facet.others:,})' if facet.others else ''}")
    say(f"{counted(found.total, 'document')} found, {found.took_ms} ms.")
    if found.hits and any(hit.duplicates for hit in found.hits):
        first = next(hit for hit in found.hits if hit.duplicates)
        dashed = "-- " if first.id.startswith("-") else ""
        say(f"Similar documents: leitong similar{index_flag(locator)} {dashed}{shell_word(first.id)}")


def _question(words: list[str]) -> str:
    """What was typed, with or without quotes around it. Raises UsageError."""
    from leitong.indexer.asked import check_characters
    from leitong.indexer.errors import UsageError

    for word in words:
        if word.startswith("--"):
            raise UsageError(f"There is no option {one_line(word)}. See leitong search --help.")
    text = " ".join(words)
    check_characters("query", text)
    return text


def get(
    doc_id: Annotated[str, typer.Argument(metavar="ID")], locator: IndexOption = DEFAULT_INDEX, json: JsonOption = False
) -> None:
    """Show one document."""
    from leitong.indexer import answers
    from leitong.indexer.library import open_index

    with open_index(locator) as opened:
        stored = opened.get(doc_id)
        recipe = opened.info().recipe
    document = stored.document
    if json:
        show_json(answers.document(stored, bits=recipe.bits))
        return
    if document.title:
        show(typer.style(one_line(document.title), bold=True))
    for name, value in document.metadata.items():
        show(typer.style(f"{one_line(name)}: {one_line(written_value(value))}", dim=True))
    show(plain(document.text))
    if stored.duplicate_of:
        say(f"Marked as a duplicate of {stored.duplicate_of!r}.")


def delete(
    ids: Annotated[list[str], typer.Argument(metavar="ID")],
    locator: IndexOption = DEFAULT_INDEX,
    json: JsonOption = False,
) -> None:
    """Remove documents from the index."""
    from leitong.indexer.library import open_index

    wanted = list(dict.fromkeys(ids))
    with open_index(locator) as opened:
        there = opened.documents(wanted)
        deleted = opened.delete(wanted)
    missing = [doc_id for doc_id in wanted if doc_id not in there]
    if json:
        show_json({"deleted": deleted, "missing": missing})
    say(f"{deleted:,} of {counted(len(wanted), 'document')} deleted.")
    for doc_id in missing:
        say(f"There was no document {doc_id!r}.")


def info(locator: IndexOption = DEFAULT_INDEX, json: JsonOption = False) -> None:
    """Show the state of the index."""
    from leitong.indexer.library import open_index

    with open_index(locator) as opened:
        state = opened.info()
    values: dict[str, Any] = {
        "index": state.locator,
        "engine": state.engine,
        "engine_version": state.engine_version,
        "documents": state.documents,
        "size_bytes": state.size_bytes,
        "format": state.format,
        "recipe": state.recipe.name,
        "recipe_id": state.recipe_id,
        "bits": state.recipe.bits,
        "created": state.created.isoformat(),
    }
    fields = state.attached
    if json:
        show_json({**values, "attached": fields and {"text": list(fields.text), "title": fields.title}})
        return
    if fields is not None:
        values["attached"] = fields
    width = max(map(len, values))
    for name, value in values.items():
        text = NOTHING if value is None else f"{value:,}" if isinstance(value, int) else str(value)
        show(f"{name.replace('_', ' '):{width}}  {one_line(text)}")


def one_line_piece(text: str) -> str:
    """A piece of a line, blanks at its ends kept."""
    return plain(text.replace("\n", " ").replace("\t", " "))


def index_flag(locator: str) -> str:
    """The option that names the index, where it is not the default."""
    return "" if locator == DEFAULT_INDEX else f" --index {shell_word(locator)}"
