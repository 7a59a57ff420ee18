"""How many candidates reach the check of texts, and are the duplicates among them, as the collection grows tenfold?

The labelled news and the pages of msdocs-zh-graph that have two versions are always in; the rest of zh-scale fills up.
Candidates come from blocks and keys, without ranking, so they are the same on every engine; here the embedded one.
"""

import csv
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.measure import SCALE_DOCUMENTS, Figure, finish, options, scale_documents, scale_file
from leitong.indexer.documents import Document
from leitong.indexer.library import open_index
from leitong.indexer.sources.pairs import read_pairs

Pair = tuple[str, str]
_SURE: Final = 0.8
"""Two versions of a page with this Jaccard similarity are the same page to anybody."""


def wanted() -> dict[str, list[Pair]]:
    """Pairs that must be candidates, by ids of zh-scale."""
    data = scale_file().parent
    news = [one for one in read_pairs(data / "zh-webnews-2018" / "pairs-dev.tsv").pairs if one.duplicate]
    with (data / "msdocs-zh-graph" / "pairs_beta_v1.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    pages = [(row["id_beta"], row["id_v1"]) for row in rows if float(row["jaccard5"]) >= _SURE]
    return {
        "news": [_pair("zh-webnews-2018", one.a, one.b) for one in news],
        "msdocs": [_pair("msdocs-zh-graph", *one) for one in pages],
    }


def _pair(source: str, a: str, b: str) -> Pair:
    first, second = sorted((a, b))
    return f"{source}/{first}", f"{source}/{second}"


def measure(documents: Sequence[Document], pairs: dict[str, list[Pair]]) -> dict[str, Any]:
    """Candidates a document, and the share of the pairs among them; equal texts are found by their digests."""
    with tempfile.TemporaryDirectory() as folder, open_index(Path(folder) / "index", create=True) as index:
        index.add(documents)
        report = index.report(min_similarity=0)
        found = {(pair.a, pair.b) for pair in report.pairs}
        first = {pair.b: pair.a for pair in report.pairs if pair.kind == "exact"}  # stands for its equals
    there = {one.id for one in documents}
    result: dict[str, Any] = {"documents": len(documents), "candidates": 2 * report.compared / len(documents)}
    for name, some in pairs.items():
        present = [pair for pair in some if there.issuperset(pair)]
        asked = [sorted(first.get(doc_id, doc_id) for doc_id in pair) for pair in present]
        result[name] = sum(a == b or (a, b) in found for a, b in asked) / max(1, len(present))
        result[f"{name}_pairs"] = len(present)
    return result


def main() -> None:
    chosen = options(__doc__)
    documents = scale_documents(SCALE_DOCUMENTS)
    pairs = wanted()
    kept = {doc_id for some in pairs.values() for pair in some for doc_id in pair}
    labelled = [one for one in documents if one.id in kept]
    others = [one for one in documents if one.id not in kept]
    steps = []
    for part in (0.1, 0.3, 1.0):
        size = round(len(documents) * part * chosen.scale)
        fill = max(0, size - len(labelled))
        step = max(1, len(others) // max(1, fill))
        steps.append(measure([*labelled, *others[::step][:fill]], pairs))
        print(os.linesep.join(f"{name}: {value:.4g}" for name, value in steps[-1].items()))
    largest = steps[-1]
    figures = [
        Figure("candidates a document", largest["candidates"], 20, False, ""),
        Figure("labelled duplicates among them", largest["news"], 0.99, True, ""),
        Figure("msdocs pairs among them", largest["msdocs"], 0.97, True, ""),
    ]
    finish("candidates", figures, {"growth": steps}, chosen)


if __name__ == "__main__":
    main()
