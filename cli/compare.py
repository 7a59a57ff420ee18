"""`leitong compare`."""

from typing import TYPE_CHECKING, Annotated

import typer

from leitong.cli.options import DEFAULT_INDEX, IndexOption, JsonOption, RecipeOption, typed
from leitong.cli.similar import read_text
from leitong.cli.talk import one_line, say, show, show_json
from leitong.indexer.plain import plain, written_id

if TYPE_CHECKING:
    from leitong.indexer.duplicates.comparing.compare import Comparison, Matrix
    from leitong.indexer.duplicates.comparing.diff import Change

_BLOCK = 16


def compare(
    context: typer.Context,
    texts: Annotated[
        list[str], typer.Argument(metavar="ID", help="Two ids of the index or more; with --files, files.")
    ],
    files: Annotated[bool, typer.Option("--files", help="Compare files; needs no index.")] = False,
    locator: IndexOption = DEFAULT_INDEX,
    recipe: RecipeOption = None,
    matrix: Annotated[bool, typer.Option("--matrix", help="A table of every measure, for two texts too.")] = False,
    bits: Annotated[bool, typer.Option("--bits", help="Show both fingerprints bit by bit.")] = False,
    json: JsonOption = False,
) -> None:
    """Compare two texts in detail, or several by every measure."""
    from leitong.indexer import answers
    from leitong.indexer.duplicates.comparing.compare import Comparison
    from leitong.indexer.errors import UsageError
    from leitong.indexer.fingerprint.recipe import DEFAULT, load
    from leitong.indexer.library import compare_documents, open_index
    from leitong.indexer.prepare import Preparer

    if len(texts) < 2:
        raise UsageError("Comparing takes two or more documents: leitong compare A B.")
    if bits and (matrix or len(texts) > 2):
        raise UsageError("--bits shows two fingerprints beside each other: name two documents with it.")
    outcome: Comparison | Matrix
    if files:
        if texts.count("-") > 1:
            raise UsageError("stdin (-) holds one text: name it once.")
        preparer = Preparer(load(recipe or DEFAULT))
        outcome = compare_documents([read_text(name) for name in texts], preparer=preparer, matrix=matrix)
    else:
        if typed(context, "recipe"):
            raise UsageError("--recipe goes with --files: documents of an index are compared by the index's recipe.")
        with open_index(locator) as opened:
            outcome = opened.compare(texts, matrix=matrix)
    if json:
        show_json(answers.compared(outcome, each_bit=bits))
    elif isinstance(outcome, Comparison):
        _show_two(outcome, bits=bits)
    else:
        _show_matrix(outcome)


def _show_two(found: "Comparison", *, bits: bool) -> None:
    show(
        f"similarity {found.similarity:.0%} ({found.kind or 'no match'}), {found.distance} of {found.bits} bits differ"
    )
    show(f"{found.share_a:.0%} of A stands in B, {found.share_b:.0%} of B stands in A")
    if found.series:
        show("short, and but for numbers, a model or a word at an end the same: taken for two of a series, no match")
    if bits:
        _show_bits(found)
    for name, features in (
        ("A", found.heaviest_a),
        ("B", found.heaviest_b),
        ("both", found.shared),
        ("only A", found.only_a),
        ("only B", found.only_b),
    ):
        show(f"{name:7} {' '.join(f'{one_line(one.word)} {one.weight:g}' for one in features)}".rstrip())
    for change in found.diff:
        sign, colour = _sign(change)
        for line in plain(change.text).splitlines():
            show(typer.style(f"{sign} {line}", fg=colour))
    if any(change.moved for change in found.diff):
        say("< stands elsewhere in B, > elsewhere in A; the same number is the same passage.")


def _sign(change: "Change") -> tuple[str, str | None]:
    """What stands before a line of the diff, and its colour."""
    if change.moved:
        return f"{'<' if change.where == 'a' else '>'}{change.moved}", "yellow"
    return {"both": (" ", None), "a": ("-", "red"), "b": ("+", "green")}[change.where]


def _show_bits(found: "Comparison") -> None:
    """Both fingerprints in blocks of 16 bits, and how the bits that differ were decided."""
    for block, start in enumerate(range(0, found.bits, _BLOCK)):
        part = found.each_bit[start : start + _BLOCK]
        show(f"b{block:<2} A  " + "".join(str(int(bit.a)) for bit in part))
        show("    B  " + "".join(str(int(bit.b)) for bit in part))
        if any(bit.a != bit.b for bit in part):
            show("       " + typer.style("".join(" " if bit.a == bit.b else "^" for bit in part).rstrip(), fg="red"))
    for number, bit in enumerate(found.each_bit):
        if bit.a != bit.b:
            block, place = divmod(number, _BLOCK)
            show(f"block b{block}, bit {place + 1:2}: votes {bit.votes_a:+g} in A, {bit.votes_b:+g} in B")


def _show_matrix(found: "Matrix") -> None:
    for place, doc_id in enumerate(found.ids, 1):
        show(f"{place:3}  {written_id(doc_id)}")
    for name, rows in found.values.items():
        show(typer.style(name.replace("_", " "), bold=True))
        for place, row in enumerate(rows, 1):
            show(f"{place:3}  " + " ".join(f"{value:7.0f}" if name == "distance" else f"{value:7.3f}" for value in row))
