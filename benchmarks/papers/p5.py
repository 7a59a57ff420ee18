"""P5, multi-factor weights: each factor alone and all together; sampled shingles and plain SimHash beside them."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Any, Final

from benchmarks.measure import Figure, finish, options
from benchmarks.papers import corpora
from benchmarks.papers.baselines import sampled_shingles
from benchmarks.papers.copies import HARD, USUAL, Grouped, Setting, with_copies
from benchmarks.papers.labelled import by_fingerprint
from benchmarks.papers.trial import by_radius, groups_of, of_pairs, prints, ways
from leitong.indexer.fingerprint.idf import jieba_table
from leitong.indexer.fingerprint.recipe import Recipe, load

_PRECISION, _RECALL = 0.953, 0.940
_TOPIC: Final = 500
_UNRELATED: Final = 10_000
_THRESHOLDS: Final = (0.05, 0.1, 0.2, 0.3, 0.5)
_SEEDS: Final = _TOPIC // 5


def factors() -> dict[str, Recipe]:
    """One factor after the other, from plain counts to all of them; then all but one."""
    everything = load("multifactor")
    steps: dict[str, Recipe] = {"tf (plain)": load("standard")}
    steps["tf · idf"] = load("tfidf")
    for name in ("part_of_speech", "relative_length", "signpost", "title", "length"):
        steps[f"tf · idf · {name}"] = Recipe(name=name, weights=("tf", "idf", name), idf=jieba_table())
    steps["all (multifactor)"] = everything
    for name in ("part_of_speech", "relative_length", "signpost", "title"):
        steps[f"all but {name}"] = replace(everything, weights=tuple(one for one in everything.weights if one != name))
    steps["tf, stop words kept"] = replace(load("standard"), stop_words=())
    return steps


def topics(scale: float) -> list[Grouped]:
    """As the paper has it: a topic's own documents, 500 each, 10,000 others mixed in."""
    random = Random(5)
    size = max(20, round(_TOPIC * scale))
    return [
        Grouped(one, number)
        for number, topic in enumerate(corpora.topics())
        for one in random.sample(topic, min(size, len(topic)))
    ]


def others(scale: float) -> list[Grouped]:
    apart = [one for topic in corpora.topics() for one in topic]
    return [Grouped(one, -1) for one in corpora.unrelated(round(_UNRELATED * scale), apart_from=apart)]


def shingles(some: Sequence[Grouped]) -> dict[str, Any]:
    """Sampled shingles at the threshold that is best for them."""
    groups = groups_of(some)
    found = sampled_shingles([one.document for one in some], _THRESHOLDS)
    outcomes = {least: of_pairs(groups, pairs[:, 0], pairs[:, 1]) for least, pairs in found.items()}
    best = max(outcomes, key=lambda least: outcomes[least].f1)
    return {"threshold": best, **outcomes[best].values()}


def copies(setting: Setting, scale: float, mixed_in: Sequence[Grouped]) -> list[Grouped]:
    seeds = max(4, round(_SEEDS * scale))
    return [*with_copies(corpora.topics(), seeds, setting, seed=5), *mixed_in]


def compared(some: Sequence[Grouped]) -> dict[str, Any]:
    """Multi-factor, plain SimHash and shingles."""
    return {
        "documents": len(some),
        "multifactor": ways(some, load("multifactor")),
        "plain": ways(some, load("standard")),
        "shingle": shingles(some),
    }


def each_factor(some: Sequence[Grouped]) -> dict[str, Any]:
    """What each factor does on copies and on labelled pairs; fingerprints alone."""
    groups, documents = groups_of(some), [one.document for one in some]
    result: dict[str, Any] = {}
    for name, recipe in factors().items():
        curve = by_radius(groups, prints(documents, recipe))
        best = max(range(len(curve)), key=lambda at: (curve[at].f1, -at))
        result[name] = {
            "at_3": curve[3].values(),
            "best_radius": best,
            "best": curve[best].values(),
            "labelled": by_fingerprint(recipe),
        }
    return result


def seconds(some: Sequence[Grouped]) -> dict[str, dict[str, float]]:
    """Processor time of each method, by number of documents."""
    documents = [one.document for one in some]
    ways: dict[str, Callable[[int], object]] = {
        "multifactor": lambda size: prints(documents[:size], load("multifactor")),
        "plain": lambda size: prints(documents[:size], load("standard")),
        "shingle": lambda size: sampled_shingles(documents[:size], (0.5,)),
    }
    taken: dict[str, dict[str, float]] = {}
    for name, way in ways.items():
        way(100)  # dictionaries and compiled loops
        taken[name] = {}
        for part in (0.25, 0.5, 1.0):
            size = round(len(documents) * part)
            begun = time.process_time()
            way(size)
            taken[name][str(size)] = round(time.process_time() - begun, 3)
    return taken


def main() -> None:
    chosen = options(__doc__)
    mixed_in = others(chosen.scale)
    as_printed = compared([*topics(chosen.scale), *mixed_in])
    usual = copies(USUAL, chosen.scale, mixed_in)
    found = compared(usual)
    harder = copies(HARD, chosen.scale, mixed_in)
    details = {
        "topics": as_printed,
        "usual": found,
        "harder": compared(harder),
        "factors": each_factor(harder),
        "seconds": seconds(Random(1).sample(usual, len(usual))),
    }
    ours = found["multifactor"]["report"]
    figures = [
        Figure("P5 precision, recipe multifactor with our check", ours["precision"], _PRECISION, True, ""),
        Figure("P5 recall, recipe multifactor with our check", ours["recall"], _RECALL, True, ""),
    ]
    finish("papers-p5", figures, details, chosen)


if __name__ == "__main__":
    main()
