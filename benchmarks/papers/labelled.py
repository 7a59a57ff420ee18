"""The labelled pairs of real news: what a recipe's fingerprints say of them."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.papers.corpora import data, news
from benchmarks.papers.trial import prints
from leitong.indexer.documents import Document
from leitong.indexer.fingerprint.hamming import distances
from leitong.indexer.fingerprint.recipe import Recipe
from leitong.indexer.sources.pairs import read_pairs


@dataclass(frozen=True)
class Labelled:
    """Pairs of documents, as places, and whether each is a duplicate; `copy` says which are close copies."""

    documents: tuple[Document, ...]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    duplicate: NDArray[np.bool_]
    copy: NDArray[np.bool_]


@cache
def labelled() -> Labelled:
    """The labelled pairs and their documents."""
    pairs = read_pairs(data() / "zh-webnews-2018" / "pairs-dev.tsv").pairs
    by_id = {one.id: one for one in news()}
    ids = sorted({doc_id for pair in pairs for doc_id in (pair.a, pair.b)})
    place = {doc_id: number for number, doc_id in enumerate(ids)}
    return Labelled(
        tuple(by_id[doc_id] for doc_id in ids),
        np.array([place[pair.a] for pair in pairs]),
        np.array([place[pair.b] for pair in pairs]),
        np.array([pair.duplicate for pair in pairs]),
        np.array([pair.label == "copy" for pair in pairs]),
    )


def ranked(likeness: NDArray[np.float64], truth: NDArray[np.bool_]) -> float:
    """The probability that a duplicate is more alike than a pair that is none (AUC); equal ones count half."""
    yes, no = likeness[truth][:, None], likeness[~truth][None, :]
    return float((yes > no).mean() + (yes == no).mean() / 2)


def by_fingerprint(recipe: Recipe) -> dict[str, Any]:
    """How well a recipe's distances tell the labelled pairs apart."""
    some = labelled()
    values = prints(some.documents, recipe).values
    away = distances(values[some.left], values[some.right]).astype(np.float64)
    shares = {
        f"{name}_{radius}": round(float((away[which] <= radius).mean()), 4)
        for radius in (3, 7)
        for name, which in (("copies", some.copy), ("duplicates", some.duplicate), ("others", ~some.duplicate))
    }
    return {"auc": round(ranked(-away, some.duplicate), 4), **shares}
