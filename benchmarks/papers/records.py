"""Rows of tables whose duplicates are known: citations (cora) and persons with typing errors (febrl).

Fields and long text by P4's recipe (Li, Han 2015), beside the whole row as one text. Counted by pairs of rows.
"""

import csv
from collections import Counter
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.papers import corpora
from benchmarks.papers.trial import Outcome, Reported, by_radius, of_pairs, prints, report
from leitong.indexer.documents import Document
from leitong.indexer.duplicates.clusters import connected
from leitong.indexer.fingerprint.recipe import load

Rows = list[tuple[dict[str, str], int]]
"""The values of each row by field, and its group."""
_LONG: Final = {"cora": "title", "febrl": "address_1"}
"""The field that is cut into words; all others are values."""

LENIENT: Final = 0.1
"""A least similarity for rows, which have few letters: one wrong one changes a good part of them."""
LENIENT_RADIUS: Final = 14


def rows() -> dict[str, Rows]:
    """The rows of each table; those of one group are the same citation or person."""
    folder = corpora.data() / "records"
    return {
        "cora": _cora(folder / "cora"),
        **{f"febrl {number}": _febrl(folder / "febrl" / f"dataset{number}.csv") for number in (1, 2, 3)},
    }


def _cora(folder: Path) -> Rows:
    with (folder / "cora.csv").open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file, delimiter="|"))
    lines = (folder / "cora_gt.csv").read_text(encoding="utf-8").split()
    clusters = connected((one, other) for one, _, other in (line.partition("|") for line in lines))
    groups = {member: number for number, cluster in enumerate(clusters) for member in cluster.members}
    alone = len(clusters)
    return [(_fields(row, "Entity Id"), groups.get(row["Entity Id"], alone + place)) for place, row in enumerate(found)]


def _febrl(path: Path) -> Rows:
    with path.open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file, skipinitialspace=True))
    return [(_fields(row, "rec_id"), int(row["rec_id"].split("-")[1])) for row in found]


def _fields(row: dict[str, str], key: str) -> dict[str, str]:
    """The values of a row; null ones are left out."""
    return {name: value for name, value in row.items() if name and name != key and value}


def measured() -> dict[str, Any]:
    """Pairs found by fingerprints of fields and text, by those of whole rows, and by our report of whole rows."""
    return {name: _measured(some, _LONG[name.split()[0]]) for name, some in rows().items()}


def _measured(some: Rows, long: str) -> dict[str, Any]:
    groups = np.array([group for _, group in some], dtype=np.int64)
    pairs = sum(comb(size, 2) for size in Counter(groups.tolist()).values())
    by_field = [
        Document(str(place), fields.get(long, ""), "", {name: one for name, one in fields.items() if name != long})
        for place, (fields, _) in enumerate(some)
    ]
    whole = [Document(str(place), " ".join(fields.values())) for place, (fields, _) in enumerate(some)]
    curves = {
        "fields": by_radius(groups, prints(by_field, load("li2015"))),
        "words": by_radius(groups, prints(whole, load("standard"))),
        "letters": by_radius(groups, prints(whole, load("chars"))),
    }
    ways: dict[str, Any] = {}
    for name, curve in curves.items():
        best = max(range(len(curve)), key=lambda at, curve=curve: (_shares(curve[at], pairs)["f1"], -at))  # type: ignore[misc]
        ways[name] = {"at_3": _shares(curve[3], pairs), "best_radius": best, "best": _shares(curve[best], pairs)}
    ways["report"] = _shares(_clustered(groups, report(whole, load("standard"))), pairs)
    lenient = report(whole, load("standard"), radius=LENIENT_RADIUS, min_similarity=LENIENT)
    ways["lenient"] = _shares(_clustered(groups, lenient), pairs)
    return {"rows": len(some), "pairs": pairs, "groups": len(set(groups.tolist())), **ways}


def _clustered(groups: NDArray[np.int64], found: Reported) -> Outcome:
    """All pairs inside the clusters of a report, which lists equal rows with the first of them only."""
    clusters = connected(zip(map(str, found.left.tolist()), map(str, found.right.tolist()), strict=True))
    pairs = [pair for cluster in clusters for pair in combinations(map(int, cluster.members), 2)]
    return of_pairs(groups, [one for one, _ in pairs], [other for _, other in pairs])


def _shares(found: Outcome, pairs: int) -> dict[str, float]:
    """Precision, recall and F1 of pairs."""
    precision = found.pairs_right / found.pairs if found.pairs else 0.0
    recall = found.pairs_right / pairs
    both = precision + recall
    return {
        "precision": round(precision, 4),
        "recall": round(recall, 4),
        "f1": round(2 * precision * recall / both, 4) if both else 0.0,
    }
