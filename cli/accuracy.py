"""`leitong evaluate` and `calibrate`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from leitong.cli import progress
from leitong.cli.options import DEFAULT_INDEX, IndexOption, JsonOption, RadiusOption, SimilarityOption
from leitong.cli.talk import one_line, say, show, show_json, stdin
from leitong.indexer.plain import counted, written_id

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leitong.indexer.documents import Document
    from leitong.indexer.duplicates.accuracy.calibrate import Calibration
    from leitong.indexer.duplicates.accuracy.evaluate import Evaluation, Mistake
    from leitong.indexer.duplicates.accuracy.measure import Score

_EXCERPT = 100
_SHOWN_SIMILARITIES = 10
_SHOWN_RADII = (0, 3, 7, 11, 15)

OutputOption = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write a page (.html) or its first picture (.svg)."),
]


def evaluate(
    pairs: Annotated[Path, typer.Argument(metavar="PAIRS.tsv", help="Labelled pairs: id, tab, id, tab, label.")],
    locator: IndexOption = DEFAULT_INDEX,
    duplicates: Annotated[
        str | None,
        typer.Option(metavar="LABELS", help="Labels that mean duplicate, or all. Default: copy,derived."),
    ] = None,
    label_field: Annotated[
        str | None, typer.Option(metavar="NAME", help="Column with the labels. Default: label, relation.")
    ] = None,
    filters: Annotated[
        list[str] | None, typer.Option("--filter", metavar="COLUMN=VALUE", help="Only lines with this value.")
    ] = None,
    radius: RadiusOption = None,
    min_similarity: SimilarityOption = None,
    mistakes: Annotated[int, typer.Option(min=0, help="Worst mistakes of each kind to list.")] = 5,
    output: OutputOption = None,
    json: JsonOption = False,
) -> None:
    """Precision, recall and F1 against labelled pairs, by radius and by similarity."""
    from leitong.indexer.library import open_index
    from leitong.indexer.query import parse_filter
    from leitong.indexer.sources.pairs import read_pairs
    from leitong.reports import evaluation
    from leitong.reports.measured import check_output, write

    if output:
        check_output(output)
    chosen = [parse_filter(text) for text in filters or ()]
    labels = read_pairs(
        pairs,
        duplicates=[word.strip() for word in duplicates.split(",") if word.strip()] if duplicates else None,
        label_field=label_field,
        filters=[(one.field, one.value) for one in chosen],
        stdin=stdin(),
    )
    with open_index(locator) as opened, progress.reporting() as watch:
        name = opened.locator
        found = opened.evaluate(
            labels.pairs, radius=radius, min_similarity=min_similarity, mistakes=mistakes, watch=watch
        )
    if output:
        write(output, evaluation.page(found, labels, index=name))
    for remark in evaluation.remarks(found, labels):
        say(remark)
    if json:
        show_json(evaluation.values(found, labels, index=name))
    else:
        _show_evaluation(found)
    if output:
        say(f"Written: {output}")


def calibrate(
    locator: IndexOption = DEFAULT_INDEX,
    sample: Annotated[int, typer.Option(min=10, max=5_000, help="Documents to edit.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Another seed takes another sample.")] = 1,
    radius: RadiusOption = None,
    min_similarity: SimilarityOption = None,
    output: OutputOption = None,
    json: JsonOption = False,
) -> None:
    """Edit some of the documents to see what distance and similarity mean here; advice on both."""
    from leitong.indexer.library import open_index
    from leitong.reports import calibration
    from leitong.reports.measured import check_output, write

    if output:
        check_output(output)
    with open_index(locator) as opened, progress.reporting() as watch:
        name = opened.locator
        found = opened.calibrate(radius=radius, min_similarity=min_similarity, sample=sample, seed=seed, watch=watch)
    if output:
        write(output, calibration.page(found, index=name))
    for remark in calibration.remarks(found):
        say(remark)
    if json:
        show_json(calibration.values(found, index=name))
    else:
        _show_calibration(found, name)
    if output:
        say(f"Written: {output}")


def _show_calibration(found: "Calibration", locator: str) -> None:
    from leitong.reports.calibration import advice, values

    told = values(found, index=locator)
    show(
        f"{found.sampled:,} of {counted(found.documents, 'document')} edited, {len(found.copies):,} copies; "
        f"{len(found.strangers):,} unrelated pairs; radius {found.radius}, min-similarity {found.min_similarity:g}"
    )
    show(
        typer.style(
            f"{'':28}{'distance':>9}{'95 in 100':>11}{'in radius':>11}{'similarity':>12}{'found':>9}", bold=True
        )
    )
    for row in [*told["edits"], {"edit": "unrelated pairs", "rate": None, **told["unrelated"]}]:
        name = row["edit"] if row["rate"] is None else f"{row['edit']}, {row['rate']:.0%}"
        show(
            f"{name:28}{row['distance_median']:9g}{row['distance_95']:11}{row['within_radius']:11.1%}"
            f"{row['similarity_median']:12.2f}{row['found']:9.1%}"
        )
    for line in advice(found):
        show(one_line(line))


def _show_evaluation(found: "Evaluation") -> None:
    from leitong.indexer.duplicates.accuracy.measure import METHOD
    from leitong.reports.evaluation import advice, between

    now = found.settled
    duplicates = now.right + now.missed
    pairs = counted(len(found.judged), "pair")
    show(f"{pairs}, {duplicates:,} of them duplicates; radius {found.radius}, min-similarity {found.min_similarity:g}")
    show(f"precision  {between(now.precision)}  {now.right:,} of {now.right + now.false:,} found are duplicates")
    show(f"recall     {between(now.recall)}  {now.right:,} of {duplicates:,} duplicates are found")
    show(f"F1         {between(now.f1)}")
    if unseen := duplicates - found.candidates:
        are = "is no candidate" if unseen == 1 else "are no candidates"
        show(f"{unseen:,} of the missed {are}: beyond the radius, and no rare passage in common")
    step = len(found.by_similarity) // _SHOWN_SIMILARITIES
    _show_scores("min-similarity", found.by_similarity[::step])
    _show_scores("radius", [found.by_radius[one] for one in _SHOWN_RADII])
    _show_scores("fingerprints alone, radius", [found.by_distance[one] for one in _SHOWN_RADII])
    if words := advice(found):
        show(words)
    _show_mistakes("duplicates missed", found.missed)
    _show_mistakes("false alarms", found.false_alarms)
    say(f"{METHOD}.")


def _show_scores(name: str, scores: "Sequence[Score]") -> None:
    from leitong.reports.evaluation import between

    show(typer.style(f"{name:27}{'precision':24}{'recall':24}F1", bold=True))
    for score in scores:
        cells = "".join(f"{between(one):24}" for one in (score.precision, score.recall, score.f1))
        show(f"{score.at:<27g}{cells}".rstrip())


def _show_mistakes(name: str, mistakes: "Sequence[Mistake]") -> None:
    from leitong.reports.evaluation import reason

    if mistakes:
        show(typer.style(f"Worst {name}", bold=True))
    for mistake in mistakes:
        show(f"  {reason(mistake)}")
        for document in (mistake.a, mistake.b):
            show(f"     {_beginning(document)}")
            show(typer.style(f"     {written_id(document.id)}", dim=True))


def _beginning(document: "Document") -> str:
    text = one_line(document.passage[: 4 * _EXCERPT])
    return text if len(text) <= _EXCERPT else text[:_EXCERPT] + "…"
