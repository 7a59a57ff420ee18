"""How is a recipe made of a corpus? By counting in how many of its texts each word stands."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from leitong.indexer.errors import RecipeError
from leitong.indexer.files import check_output, replace_files
from leitong.indexer.fingerprint.idf import HEADER, IdfTable
from leitong.indexer.fingerprint.recipe import BEGINNING, Recipe


def train_recipe(passages: Iterable[str], *, base: Recipe, output: Path) -> IdfTable:
    """Count the words of a corpus, and write a recipe file that weighs words by them, the table beside it.

    The recipe is `base` with `idf` among its weights. Raises RecipeError for a corpus that is too small, and
    StorageError where the files cannot be written; what was there before then stays. Raises UsageError where they would
    replace something else than what this wrote.
    """
    beside = output.with_suffix(".idf.gz")
    check_output(output, "write", kind="trained recipe", beginning=BEGINNING.encode())
    check_output(beside, "write", kind="idf table", beginning=HEADER.encode())
    segmenter = base.build_segmenter()
    table = IdfTable.learn(segmenter.cut(base.normalise(passage)) for passage in passages)
    if not table.frequencies:
        raise RecipeError("The corpus has no word that stands in two documents: an idf table needs more documents.")
    weights = (*(name for name in base.weights if name != "idf"), "idf")
    recipe = replace(base, name=output.stem, weights=weights, idf=table)
    replace_files({beside: table.packed(), output: recipe.toml(table=beside.name).encode()})
    return table
