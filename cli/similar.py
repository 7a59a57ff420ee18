"""`leitong similar`."""

import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from leitong.cli.combined import combined_score, say_absent, stated
from leitong.cli.options import (
    DEFAULT_INDEX,
    ContentOption,
    FamilyOption,
    IndexOption,
    JsonOption,
    RadiusOption,
    ScoreOption,
    SetOption,
    SimilarityOption,
)
from leitong.cli.talk import FOUND, NOTHING_TO_FOLD, one_line, say, show, show_json, stdin
from leitong.indexer.plain import counted, written_id

if TYPE_CHECKING:
    from leitong.indexer.documents import Document
    from leitong.indexer.similar import SimilarResult


def similar(
    doc_id: Annotated[str | None, typer.Argument(metavar="ID")] = None,
    text: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Compare this file (.txt .md .html, or - for stdin) instead of a document."),
    ] = None,
    metadata: Annotated[
        list[str] | None,
        typer.Option(metavar="FIELD=VALUE", help="Metadata of the file; a field may be named again for more values."),
    ] = None,
    locator: IndexOption = DEFAULT_INDEX,
    radius: RadiusOption = None,
    min_similarity: SimilarityOption = None,
    limit: Annotated[int, typer.Option(min=1, help="Matches to show.")] = 20,
    fold: Annotated[bool, typer.Option("--fold", help="One match for each cluster of marked duplicates.")] = False,
    metadata_fields: SetOption = None,
    metadata_hash: FamilyOption = None,
    content_weight: ContentOption = None,
    min_score: ScoreOption = None,
    fail_on_duplicates: Annotated[
        bool, typer.Option("--fail-on-duplicates", help="Exit with 1 when there is a match.")
    ] = False,
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
    combined = combined_score(metadata_fields, metadata_hash, content_weight, min_score)
    told = stated(metadata)
    if told and text is None:
        raise UsageError("A document of the index has its metadata there: --metadata goes with --text.")
    if combined and text is not None and not told.keys() & set(combined.fields):
        raise UsageError(
            f"A file has no metadata of its own: say what it has, --metadata {combined.fields[0]}=VALUE, "
            "or leave --metadata-field out."
        )
    with open_index(locator) as opened:
        if text is not None:
            document = read_text(text)
            found = opened.similar_to(
                document.text,
                title=document.title,
                metadata=told,
                combined=combined,
                radius=radius,
                min_similarity=min_similarity,
                limit=limit,
                fold=fold,
            )
        else:
            found = opened.similar(
                doc_id or "",
                radius=radius,
                min_similarity=min_similarity,
                limit=limit,
                fold=fold,
                combined=combined,
            )
        nothing_to_fold = fold and not opened.has_marks()
    say_absent(found.absent)
    if nothing_to_fold:
        say(NOTHING_TO_FOLD)
    if json:
        show_json(answers.similar(found))
    else:
        _show_matches(found)
    if found.total > len(found.matches):
        say(f"{len(found.matches):,} of {found.total:,} matches shown: --limit shows more.")
    if fail_on_duplicates and found.total:
        raise typer.Exit(FOUND)


def _show_matches(found: "SimilarResult") -> None:
    """Two lines for each match, and how many there are."""
    for match in found.matches:
        title = one_line(match.title) or written_id(match.id)
        score = "" if match.score is None else f"score {match.score:.2f}  "
        show(f"{match.similarity:5.0%}  {match.kind or 'below':8}{match.distance:3} bits  {score}{title}")
        mark = f"  (duplicate of {written_id(match.duplicate_of)})" if match.duplicate_of else ""
        show(typer.style(f"{'':22}{written_id(match.id)}{mark}", dim=True))
    say(f"Matches: {found.total:,} of {counted(found.candidates, 'candidate')}.")
    if found.folded:
        say(f"Folded away: {found.folded:,}, each behind a document of its cluster.")


def read_text(name: str) -> "Document":
    """The document of a file, of a pipe such as `<(command)`, or of stdin. Raises SourceError."""
    from leitong.indexer.documents import Reject
    from leitong.indexer.errors import SourceError
    from leitong.indexer.sources.files import is_text_file, read_file, read_piped

    path = Path(name)
    if name == "-":
        record = read_piped(stdin() or io.BytesIO(), id=name)
    elif path.is_fifo():
        with path.open("rb") as stream:
            record = read_piped(stream, id=name)
    elif not path.is_file():
        what = f"{name} is a folder or a device, no file." if path.exists() else f"There is no file {name}."
        raise SourceError(f"{what} Name a .txt, .md or .html file, or - for stdin.")
    elif not is_text_file(path):
        raise SourceError(f"{name} is not a text. Name a .txt, .md or .html file, or - for stdin.")
    else:
        record = read_file(path, id=name, source=name)
    if isinstance(record, Reject):
        shown = "The text on stdin" if name == "-" else name
        raise SourceError(f"{shown} cannot be compared: {record.reason}.")
    return record
