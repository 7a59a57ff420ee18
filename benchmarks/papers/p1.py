"""P1, Wang, Wu and Li 2016: cosine of term frequencies against SimHash of 50 and of 128 bits, in three readings."""

import math
import time
from collections.abc import Callable
from random import Random
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import finish, options
from benchmarks.papers import corpora
from benchmarks.papers.copies import USUAL, with_copies
from benchmarks.papers.labelled import labelled, ranked
from leitong.indexer.documents import Document
from leitong.indexer.duplicates.commonness.boilerplate import Boilerplate
from leitong.indexer.duplicates.comparing.compare import Comparer, Matrix
from leitong.indexer.fingerprint.recipe import load
from leitong.indexer.prepare import Preparer

Floats = NDArray[np.float64]
_TRIPLES: Final = 40
_SIZES: Final = (25, 50, 100)
_BINS: Final = 20
RECIPES: Final = {"Simhash1": "wang2016-50", "Simhash2": "wang2016-128"}


def smaller_over_larger(one: int, other: int) -> float:
    """The third reading: old Python modules divided the fingerprints as numbers."""
    return min(one, other) / max(one, other) if one or other else 1.0


class Measures:
    """Every measure of a pair of documents."""

    def __init__(self) -> None:
        self._preparers = {name: Preparer(load(recipe)) for name, recipe in RECIPES.items()}
        self._comparers = {name: Comparer(one, Boilerplate.empty()) for name, one in self._preparers.items()}
        self._standard = Comparer(Preparer(load("standard")), Boilerplate.empty())

    def of(self, a: Document, b: Document) -> dict[str, float]:
        found: dict[str, float] = {}
        for name, comparer in self._comparers.items():
            matrix = comparer.matrix([a, b])
            one, other = (entry.stored.fingerprint for entry in self._preparers[name].entries([a, b]))
            found[f"{name}, cos(π·d/f)"] = _value(matrix, "simhash")
            found[f"{name}, cosine of V"] = _value(matrix, "simhash_votes")
            found[f"{name}, smaller over larger"] = smaller_over_larger(one, other)
        found["VSM"] = _value(matrix, "cosine")
        ours = self._standard.matrix([a, b])
        found["VSM without stop words"] = _value(ours, "cosine")
        found["our similarity"] = _value(ours, "similarity")
        return found


def _value(matrix: Matrix, measure: str) -> float:
    return matrix.values[measure][0][1]


def triples(count: int) -> tuple[list[tuple[Document, Document]], list[tuple[Document, Document]]]:
    """Documents with a copy, and the same documents with one of another topic."""
    topics = corpora.topics()
    each = -(-count // len(topics))
    copied = with_copies(topics, each, USUAL, seed=2016)
    similar = [(copied[start].document, copied[start + 1].document) for start in range(0, len(copied), 5)]
    random = Random(2016)
    strangers = []
    for place, (one, _) in enumerate(similar):
        topic = (place // each + random.randrange(1, len(topics))) % len(topics)
        strangers.append((one, random.choice(topics[topic])))
    return similar, strangers


def summary(similar: list[dict[str, float]], unrelated: list[dict[str, float]]) -> dict[str, Any]:
    """Means, ends, and how often a similar pair has the higher value."""
    result: dict[str, Any] = {}
    for name in similar[0]:
        yes = np.array([one[name] for one in similar])
        no = np.array([one[name] for one in unrelated])
        both = np.concatenate([yes, no])
        result[name] = {
            "similar": round(float(yes.mean()), 4),
            "similar_5": round(float(np.percentile(yes, 5)), 4),
            "unrelated": round(float(no.mean()), 4),
            "unrelated_95": round(float(np.percentile(no, 95)), 4),
            "auc": round(ranked(both, np.arange(len(both)) < len(yes)), 4),
            "bins": [int(one) for one in np.histogram(np.clip(no, 0, 1), bins=_BINS, range=(0, 1))[0]],
        }
    return result


def matrices() -> dict[str, dict[str, float]]:
    """Processor seconds for every text with every other, by measure and number of texts."""
    texts = [one for topic in corpora.topics() for one in topic[:20]]
    preparers = {name: Preparer(load(recipe)) for name, recipe in RECIPES.items()}
    vsm = Preparer(load("wang2016-128")).fingerprinter
    taken: dict[str, dict[str, float]] = {}

    def by_bits(name: str, some: list[Document]) -> None:
        values = [entry.stored.fingerprint for entry in preparers[name].entries(some)]
        bits = preparers[name].fingerprinter.recipe.bits
        for one in values:
            for other in values:
                math.cos(math.pi * (one ^ other).bit_count() / bits)

    def by_words(some: list[Document]) -> None:
        weights = [vsm.weights(one.passage) for one in some]
        norms = [math.sqrt(sum(value * value for value in one.values())) for one in weights]
        for one, norm in zip(weights, norms, strict=True):
            for other, norm_other in zip(weights, norms, strict=True):
                sum(value * other.get(word, 0.0) for word, value in one.items()) / (norm * norm_other)

    ways: dict[str, Callable[[list[Document]], None]] = {
        "Simhash1": lambda some: by_bits("Simhash1", some),
        "Simhash2": lambda some: by_bits("Simhash2", some),
        "VSM": by_words,
    }
    for name, way in ways.items():
        way(texts[:3])
        taken[name] = {}
        for size in _SIZES:
            begun = time.process_time()
            way(texts[:size])
            taken[name][str(size)] = round(time.process_time() - begun, 4)
    return taken


def main() -> None:
    chosen = options(__doc__)
    measures = Measures()
    similar, unrelated = triples(max(10, round(_TRIPLES * 5 * chosen.scale)))
    some = labelled()
    picked = Random(3).sample(range(len(some.left)), max(20, round(len(some.left) * min(1.0, chosen.scale))))
    pairs = [measures.of(some.documents[some.left[at]], some.documents[some.right[at]]) for at in picked]
    truth = some.duplicate[picked]
    real = {name: round(ranked(np.array([one[name] for one in pairs]), truth), 4) for name in pairs[0]}
    made = summary([measures.of(*pair) for pair in similar], [measures.of(*pair) for pair in unrelated])
    details = {
        "pairs": len(similar),
        "made": made,
        "labelled": real,
        "labelled_pairs": len(pairs),
        "seconds": matrices(),
    }
    finish("papers-p1", [], details, chosen)


if __name__ == "__main__":
    main()
