"""P3, Wang and Wang 2019: term length as a weight, metadata by MinHash, hot buckets hashed twice."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Final

from benchmarks.measure import Figure, finish, options
from benchmarks.papers import corpora
from benchmarks.papers.copies import HARD, USUAL, Grouped, Setting, with_copies
from benchmarks.papers.hot import hot_buckets
from benchmarks.papers.trial import Prints, groups_of, of_pairs, prints, report, ways
from leitong.indexer.duplicates.combined import Combined
from leitong.indexer.duplicates.join import Groups, pairs_within
from leitong.indexer.fingerprint.hamming import distances
from leitong.indexer.fingerprint.recipe import Recipe, load
from leitong.indexer.fingerprint.simhash import Fingerprinter

_PRECISION, _RECALL = 0.94, 0.92
_SEEDS: Final = 200
_UNRELATED: Final = 5_000
_KEYWORDS: Final = 8
_LEAST_SCORE: Final = 0.25
_REACH: Final = 5
"""Beyond this distance no score reaches 0.25: 0.9 / 7 + 0.1 is less."""


def documents(setting: Setting, scale: float) -> list[Grouped]:
    """Five topics, 1,000 similar documents each, and 5,000 unrelated ones."""
    topics = corpora.topics()
    some = with_copies(topics, max(4, round(_SEEDS * scale)), setting, seed=2019)
    others = corpora.unrelated(round(_UNRELATED * scale), apart_from=[one for topic in topics for one in topic])
    return [*some, *(Grouped(one, -1) for one in others)]


def with_keywords(some: Sequence[Grouped], recipe: Recipe) -> list[Grouped]:
    """The papers' documents had keywords; these get their eight heaviest words, each copy its own."""
    maker = Fingerprinter(recipe)
    out: list[Grouped] = []
    for one in some:
        words = list(maker.weights(one.document.passage))[:_KEYWORDS]
        out.append(Grouped(replace(one.document, metadata={"keywords": words}), one.group))
    return out


def combined(some: Sequence[Grouped], made: Prints, family: str) -> dict[str, Any]:
    """The paper's decision: every pair whose combined score is at least 0.25."""
    rule = Combined(fields=("keywords",), family=family)
    equal = Groups.of(made.values)
    left, right = [], []
    for low, high in zip(equal.starts[:-1].tolist(), equal.starts[1:].tolist(), strict=True):
        for a, b in combinations(equal.rows[low:high].tolist(), 2):
            left.append(a)
            right.append(b)
    for found in pairs_within(equal.values, bits=64, radius=_REACH):
        for one, other in zip(found.left.tolist(), found.right.tolist(), strict=True):
            for a in equal.rows[equal.starts[one] : equal.starts[one + 1]].tolist():
                for b in equal.rows[equal.starts[other] : equal.starts[other + 1]].tolist():
                    left.append(a)
                    right.append(b)
    asked = {place: rule.signature(some[place].document) for place in {*left, *right}}
    away = distances(made.values[left], made.values[right]).tolist()
    near = [
        (a, b)
        for a, b, distance in zip(left, right, away, strict=True)
        if rule.score(distance, asked[a], asked[b]) >= _LEAST_SCORE
    ]
    return of_pairs(groups_of(some), [a for a, _ in near], [b for _, b in near]).values()


def experiment(setting: Setting, scale: float) -> dict[str, Any]:
    """Precision and recall by every way."""
    recipe = load("wang2019")
    some = with_keywords(documents(setting, scale), recipe)
    made = prints([one.document for one in some], recipe)
    untitled = report([replace(one.document, title="") for one in some], recipe)
    return {
        "documents": len(some),
        "similar": int((groups_of(some) >= 0).sum()),
        "wang2019": ways(some, recipe),
        "untitled": of_pairs(groups_of(some), untitled.left, untitled.right).values(),
        "plain": ways(some, load("standard")),
        "combined": {family: combined(some, made, family) for family in ("shifts", "mixed")},
    }


def main() -> None:
    chosen = options(__doc__)
    usual, hard = experiment(USUAL, chosen.scale), experiment(HARD, chosen.scale)
    hot = hot_buckets(chosen.scale)
    ours = usual["wang2019"]["report"]
    figures = [
        Figure("P3 precision, recipe wang2019 with our check", ours["precision"], _PRECISION, True, ""),
        Figure("P3 recall, recipe wang2019 with our check", ours["recall"], _RECALL, True, ""),
        Figure("P3 candidates of the hottest bucket cut, paper's second level", hot.cut("paper"), 10, True, "times"),
        Figure("P3 candidates of the hottest bucket cut, as servers are asked", hot.cut("another"), 10, True, "times"),
        Figure("P3 candidates of the hottest bucket cut, as folders are asked", hot.cut("folder"), 10, True, "times"),
    ]
    details = {"usual": usual, "harder": hard, "hot": hot.values(), "by_design": by_design()}
    finish("papers-p3", figures, details, chosen)


def by_design() -> dict[str, float]:
    """The paper's figures for 2^33 documents, computed anew."""
    bucket = 2**33 / 2**16
    return {
        "bucket": bucket,
        "comparisons": 4 * bucket,
        "threshold": (1 + 2) * bucket,
        "second_level_buckets": 2**12,
    }


if __name__ == "__main__":
    main()
