"""Pairs to be read by hand: a random sample of what is reported, the same for the same report.

    python -m benchmarks.readings msdocs-zh-graph 200 > sample.tsv     pairs that are not one page in two versions
    python -m benchmarks.readings zh-scale 100 > sample.tsv            any pairs
    python -m benchmarks.readings zh-scale 100 7 > sample.tsv          other ones, by another seed
    python -m benchmarks.readings zh-scale                             of each sample, what is reported now

Verdicts stand in benchmarks/accuracy/readings: duplicate (a person would call one a copy, a version or a part of the
other) or different, and why.
"""

import csv
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

from benchmarks.measure import SCALE_DOCUMENTS, scale_documents
from leitong.indexer.documents import Document
from leitong.indexer.library import open_index

Pair = tuple[str, str, float]
SEED: Final = 20181
MSDOCS: Final = "msdocs-zh-graph"
_READ: Final = Path(__file__).parent / "accuracy" / "readings"


def page(doc_id: str) -> str:
    """The page that a document of msdocs-zh-graph is a version of."""
    return re.sub(r"/(beta|v1\.0)/", "/", doc_id)


def reported(documents: Sequence[Document]) -> list[Pair]:
    """Pairs of a default report and their similarity, in order."""
    with tempfile.TemporaryDirectory() as folder, open_index(Path(folder) / "index", create=True) as index:
        index.add(documents)
        return sorted((pair.a, pair.b, pair.similarity) for pair in index.report().pairs)


def verdicts() -> list[dict[str, Any]]:
    """How many of the pairs of each sample that was read are duplicates."""
    found: list[dict[str, Any]] = []
    for path in sorted(_READ.glob("*.tsv")):
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
        right = sum(row["verdict"] == "duplicate" for row in rows)
        found.append({"sample": path.stem, "read": len(rows), "duplicates": right})
    return found


def count(collection: str, pairs: Sequence[Pair]) -> None:
    """Print how many pairs of each sample are reported and how many of these are duplicates, then of all samples
    together: of a pair in several the verdict in the last one counts."""
    reported_now = {pair[:2] for pair in pairs}
    together: dict[tuple[str, str], str] = {}
    samples = sorted(_READ.glob(f"{collection}*.tsv"), key=lambda path: ("chosen-on" not in path.stem, path.stem))
    for path in samples:
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            there = {(row["id_a"], row["id_b"]): row["verdict"] for row in rows}
        there = {pair: verdict for pair, verdict in there.items() if pair in reported_now}
        together |= there
        print(path.stem, f"reported {len(there)}", f"duplicates {list(there.values()).count('duplicate')}", sep="\t")
    right = list(together.values()).count("duplicate")
    print(f"all {len(pairs)} reported", f"read {len(together)}", f"duplicates {right}", sep="\t")


def main() -> None:
    collection, size = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else SEED
    documents = scale_documents(SCALE_DOCUMENTS)
    if collection == MSDOCS:
        documents = [one for one in documents if one.id.startswith(MSDOCS)]
    pairs = reported(documents)
    if collection == MSDOCS:
        pairs = [pair for pair in pairs if page(pair[0]) != page(pair[1])]
    if not size:
        count(collection, pairs)
        return
    titles = {one.id: one.title for one in documents}
    print(f"{len(pairs)} pairs", file=sys.stderr)
    print("id_a", "id_b", "similarity", "title_a", "title_b", sep="\t")
    for a, b, similarity in sorted(Random(seed).sample(pairs, min(size, len(pairs)))):
        print(a, b, f"{similarity:.2f}", titles[a], titles[b], sep="\t")


if __name__ == "__main__":
    main()
