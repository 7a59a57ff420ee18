"""How well does a method find the similar documents of an experiment? As the papers count: documents, not pairs.

A similar document is found when it is reported with another one of its group. Precision is the share of the reported
documents that are found; recall the share of the similar documents that are.
"""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.papers.copies import Grouped
from leitong.indexer.documents import Document
from leitong.indexer.duplicates.accuracy.measure import wilson
from leitong.indexer.duplicates.candidates import TRUSTED
from leitong.indexer.duplicates.found import Pair
from leitong.indexer.fingerprint.hamming import Fingerprints, distances
from leitong.indexer.fingerprint.recipe import Recipe
from leitong.indexer.library import open_index
from leitong.indexer.passages import Passage
from leitong.indexer.prepare import Preparer

FARTHEST: Final = 24
"""The largest radius that is tried."""
_AT_ONCE: Final = 250
_NOWHERE: Final = 255


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was found. `pairs` were reported, `pairs_right` of them inside a group."""

    similar: int
    found: int
    reported: int
    pairs: int
    pairs_right: int

    @property
    def precision(self) -> float:
        return self.found / self.reported if self.reported else 0.0

    @property
    def recall(self) -> float:
        return self.found / self.similar

    @property
    def f1(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    def values(self) -> dict[str, Any]:
        """As JSON, with 95 % intervals after Wilson."""
        shares = {name: round(getattr(self, name), 4) for name in ("precision", "recall", "f1")}
        ends = {
            "precision_between": wilson(self.found, self.reported) if self.reported else (0.0, 1.0),
            "recall_between": wilson(self.found, self.similar),
        }
        rounded = {name: [round(end, 4) for end in both] for name, both in ends.items()}
        pairs = round(self.pairs_right / self.pairs, 4) if self.pairs else 0.0
        return {**shares, **rounded, "pair_precision": pairs, **asdict(self)}


def groups_of(some: Sequence[Grouped]) -> NDArray[np.int64]:
    """The group of each document."""
    return np.array([one.group for one in some], dtype=np.int64)


def of_pairs(groups: NDArray[np.int64], left: Iterable[int], right: Iterable[int]) -> Outcome:
    """The outcome of reported pairs, given as places."""
    a, b = np.array(list(left), dtype=np.int64), np.array(list(right), dtype=np.int64)
    same = (groups[a] == groups[b]) & (groups[a] >= 0)
    found = np.unique(np.concatenate([a[same], b[same]]))
    reported = np.unique(np.concatenate([a, b]))
    return Outcome(int((groups >= 0).sum()), len(found), len(reported), len(a), int(same.sum()))


@dataclass(frozen=True)
class Prints:
    """Fingerprints of an experiment's documents, and how many features each has."""

    values: Fingerprints
    features: NDArray[np.int64]


def prints(documents: Sequence[Document], recipe: Recipe) -> Prints:
    """Fingerprints by a recipe."""
    preparer = Preparer(recipe)
    batches = []
    for start in range(0, len(documents), _AT_ONCE):
        passages: list[Passage] = list(map(preparer.passage, documents[start : start + _AT_ONCE]))
        contexts = [one.context for one in passages]
        batches.append(preparer.fingerprinter.batch([one.whole for one in passages], contexts=contexts))
    return Prints(
        np.concatenate([one.fingerprints for one in batches]), np.concatenate([one.features for one in batches])
    )


def by_radius(groups: NDArray[np.int64], made: Prints) -> list[Outcome]:
    """The outcome of fingerprints alone at each radius from 0: every document compared with every other."""
    count = len(groups)
    right, wrong = np.full(count, _NOWHERE, dtype=np.int64), np.full(count, _NOWHERE, dtype=np.int64)
    pairs, pairs_right = np.zeros(256, dtype=np.int64), np.zeros(256, dtype=np.int64)
    believed = made.features >= TRUSTED
    for place in range(count):
        if not believed[place]:
            continue
        away = distances(made.values, made.values[place : place + 1]).astype(np.int64)
        away[~believed] = _NOWHERE
        away[place] = _NOWHERE
        same = (groups == groups[place]) & (groups[place] >= 0)
        right[place] = away[same].min(initial=_NOWHERE)
        wrong[place] = away[~same].min(initial=_NOWHERE)
        pairs += np.bincount(away[away <= FARTHEST], minlength=256)
        pairs_right += np.bincount(away[same & (away <= FARTHEST)], minlength=256)
    similar = int((groups >= 0).sum())
    return [
        Outcome(
            similar,
            int((right <= radius).sum()),
            int((np.minimum(right, wrong) <= radius).sum()),
            int(pairs[: radius + 1].sum()) // 2,
            int(pairs_right[: radius + 1].sum()) // 2,
        )
        for radius in range(FARTHEST + 1)
    ]


@dataclass(frozen=True)
class Reported:
    """Matches of our report, as places, and the distance of each in bits."""

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    distances: NDArray[np.int64]


def report(
    documents: Sequence[Document], recipe: Recipe, *, radius: int | None = None, min_similarity: float | None = None
) -> Reported:
    """What `leitong report` finds in an index of these documents, made by this recipe."""
    places = {one.id: place for place, one in enumerate(documents)}
    with tempfile.TemporaryDirectory() as folder, open_index(Path(folder) / "i", create=True, recipe=recipe) as index:
        index.add(documents)
        pairs: Iterator[Pair] = iter(index.report(radius=radius, min_similarity=min_similarity).pairs)
        rows = [(places[one.a], places[one.b], one.distance) for one in pairs]
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return Reported(table[:, 0], table[:, 1], table[:, 2])


def ways(some: Sequence[Grouped], recipe: Recipe, *, radius: int = 3) -> dict[str, Any]:
    """One recipe without and with our check: fingerprints at the paper's radius and at their best one, those that the
    check of texts lets through, and our report, which has sketches as a second way to candidates.
    """
    groups, documents = groups_of(some), [one.document for one in some]
    curve = by_radius(groups, prints(documents, recipe))
    best = max(range(len(curve)), key=lambda at: (curve[at].f1, -at))
    full = report(documents, recipe, radius=radius)
    near = full.distances <= radius
    return {
        "alone": curve[radius].values(),
        "best_radius": best,
        "best": curve[best].values(),
        "checked": of_pairs(groups, full.left[near], full.right[near]).values(),
        "report": of_pairs(groups, full.left, full.right).values(),
        "curve": [{"precision": one.precision, "recall": one.recall} for one in curve],
    }
