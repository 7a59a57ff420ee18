"""`leitong similar` and `report`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from leitong.cli import progress
from leitong.cli.documents import index_flag
from leitong.cli.options import DEFAULT_INDEX, IndexOption, JsonOption, RadiusOption, SimilarityOption
from leitong.cli.talk import FOUND, counted, one_line, plain, say, show, show_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from leitong.indexer.documents import Document
    from leitong.indexer.duplicates.report import Report
    from leitong.indexer.library import Index

_CLUSTERS = 5
_MEMBERS = 3


def similar(
    doc_id: Annotated[str | None, typer.Argument(metavar="[ID]")] = None,
    text: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Compare this file (.txt .md .html, or - for stdin) instead of a document."),
    ] = None,
    locator: IndexOption = DEFAULT_INDEX,
    radius: RadiusOption = None,
    min_similarity: SimilarityOption = None,
    limit: Annotated[int, typer.Option(min=1, help="Matches to show.")] = 20,
    json: JsonOption = False,
) -> None:
    """Find documents that say the same as a document of the index, or as a file."""
    from leitong.indexer import answers
    from leitong.indexer.errors import UsageError
    from leitong.indexer.library import open_index

    if (doc_id is None) == (text is None):
        raise UsageError(
            "Name a document (leitong similar ID) or a file (leitong similar --text FILE), one of the two."
        )
    with open_index(locator) as opened:
        if text is not None:
            document = read_text(text)
            found = opened.similar_to(
                document.text, title=document.title, radius=radius, min_similarity=min_similarity, limit=limit
            )
        else:
            found = opened.similar(doc_id or "", radius=radius, min_similarity=min_similarity, limit=limit)
    if json:
        show_json(answers.similar(found))
    else:
        for match in found.matches:
            title = one_line(match.title) or one_line(match.id)
            show(f"{match.similarity:5.0%}  {match.kind or 'below':8}{match.distance:3} bits  {plain(title)}")
            show(typer.style(f"{'':22}{one_line(match.id)}", dim=True))
        say(f"Matches: {found.total:,} of {counted(found.candidates, 'candidate')}.")
    if found.total > len(found.matches):
        say(f"{len(found.matches):,} of {found.total:,} matches shown: --limit shows more.")


def report(
    directory: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for the report.")] = Path(
        "leitong-report"
    ),
    formats: Annotated[str, typer.Option("--format", help="html, jsonl, csv, separated by commas.")] = "html,jsonl,csv",
    locator: IndexOption = DEFAULT_INDEX,
    radius: RadiusOption = None,
    min_similarity: SimilarityOption = None,
    fail_on_duplicates: Annotated[
        bool, typer.Option("--fail-on-duplicates", help="Exit with 1 when there are any.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Compare every document with every other: pairs, clusters, and a page to read them."""
    from leitong.indexer.library import open_index
    from leitong.reports.write import chosen_formats, write_report

    chosen = chosen_formats(formats)
    with open_index(locator) as opened:
        with progress.reporting() as watch:
            found = opened.report(radius=radius, min_similarity=min_similarity, watch=watch)
        summary = write_report(directory, found, index=opened, formats=chosen)
        titles = titles_of_largest(opened, found)
    if json:
        show_json(summary)
    else:
        show_clusters(found, titles)
        say(f"The report is in {directory}" + (f": open {directory / 'index.html'}" if "html" in chosen else "."))
    if fail_on_duplicates and found.pairs:
        raise typer.Exit(FOUND)


def show_clusters(found: "Report", titles: "Mapping[str, str]") -> None:
    """What a report found: its numbers, and the clusters whose titles are given."""
    inside = sum(len(cluster.members) for cluster in found.clusters)
    show(
        f"{counted(len(found.clusters), 'cluster')} of duplicates: "
        f"{inside:,} of {counted(found.documents, 'document')}; "
        f"{counted(len(found.pairs), 'matching pair')} of {found.compared:,} compared, {found.seconds:,.1f} s."
    )
    for cluster in found.clusters:
        shown = [member for member in cluster.members if member in titles]
        if not shown:
            break
        show(typer.style(f"  {len(cluster.members)} documents", bold=True))
        for member in shown:
            show(f"     {one_line(titles[member]) or one_line(member)}  {typer.style(one_line(member), dim=True)}")
        if len(cluster.members) > len(shown):
            show(f"     … and {len(cluster.members) - len(shown):,} more")


def titles_of_largest(opened: "Index", found: "Report") -> dict[str, str]:
    """Titles of the first members of the largest clusters."""
    wanted = [member for cluster in found.clusters[:_CLUSTERS] for member in cluster.members[:_MEMBERS]]
    return {doc_id: stored.document.title for doc_id, stored in opened.documents(wanted).items()}


def read_text(name: str) -> "Document":
    """The document of a file, or of stdin. Raises SourceError or UsageError."""
    from leitong.indexer.documents import Document, Reject, check_limits
    from leitong.indexer.errors import DocumentError, SourceError
    from leitong.indexer.sources.files import is_text_file, read_file

    if name == "-":
        content = typer.get_binary_stream("stdin").read()
        document = Document("-", content.decode("utf-8", "replace"))
        try:
            check_limits(document)
        except DocumentError as error:
            reason = error if document.text.strip() else "there is no text in it"
            raise SourceError(f"The text on stdin cannot be compared: {reason}.") from None
        return document
    path = Path(name)
    if not path.is_file():
        raise SourceError(f"There is no file {name}. Name a .txt, .md or .html file, or - for stdin.")
    if not is_text_file(path):
        raise SourceError(f"{name} is not a text. Name a .txt, .md or .html file, or - for stdin.")
    record = read_file(path, id=name, source=name)
    if isinstance(record, Reject):
        raise SourceError(f"{name} cannot be compared: {record.reason}.")
    return record


def next_search(locator: str) -> str:
    """The command to try after a report."""
    return f"leitong search 数据库{index_flag(locator)}"
