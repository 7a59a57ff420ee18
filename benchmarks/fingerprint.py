"""Fingerprinting against cutting words alone, against plain Python, and two processes against one.

Beside the last, what two processes that only cut words, each for itself, do more than one: the machine's own limit.
"""

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from statistics import median

import mmh3
import rjieba

from benchmarks.measure import (
    SCALE_DOCUMENTS,
    Figure,
    Options,
    finish,
    options,
    paired,
    pinned,
    ratio,
    scale_documents,
    seconds,
)
from leitong.indexer.documents import Document
from leitong.indexer.fingerprint.recipe import Recipe, load
from leitong.indexer.fingerprint.segment import jieba
from leitong.indexer.fingerprint.simhash import Fingerprinter
from leitong.indexer.workers import fingerprint_all

_BATCH = 256
_BITS = 64


def in_batches(texts: Sequence[str], recipe: Recipe) -> float:
    """Fingerprints as the indexer makes them: the vocabulary is empty, dictionary and machine code are loaded."""
    fingerprinter = Fingerprinter(recipe)
    fingerprinter.one("预热")

    def call() -> None:
        for start in range(0, len(texts), _BATCH):
            fingerprinter.batch(texts[start : start + _BATCH])

    return seconds(call)


def cut_alone(texts: Sequence[str]) -> float:
    """The segmenter and nothing else."""
    cutter = rjieba.Jieba()
    cutter.cut("预热")

    def call() -> None:
        for text in texts:
            cutter.cut(text)

    return seconds(call)


def plain_python(texts: Sequence[str], recipe: Recipe) -> float:
    """SimHash as it is usually written: jieba, and a loop over the bits of each word's hash."""
    segmenter = jieba()
    segmenter.cut("预热")
    stop_words = recipe.stop_set

    def call() -> None:
        for text in texts:
            votes = [0] * _BITS
            for word, weight in Counter(segmenter.cut(text)).items():
                if word in stop_words or not any(map(str.isalnum, word)):
                    continue
                value = mmh3.hash64(word, signed=False)[0]
                for bit in range(_BITS):
                    votes[bit] += weight if value >> bit & 1 else -weight
            sum(1 << bit for bit, vote in enumerate(votes) if vote > 0)

    return seconds(call)


def by_workers(documents: Sequence[Document], recipe: Recipe, workers: int) -> float:
    """Fingerprints of all documents with so many processes, their start included."""

    def call() -> None:
        for _ in fingerprint_all(iter(documents), recipe=recipe, workers=workers):
            pass

    return seconds(call)


def cut_by(processes: int, documents: int) -> float:
    """Seconds in which each of so many processes cuts all documents, with nothing to do with the others: how much more
    a machine computes on two cores than on one."""
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        return max(pool.map(_cut_all, [documents] * processes))


def _cut_all(documents: int) -> float:
    return cut_alone([one.passage for one in scale_documents(documents)])


def measure(chosen: Options) -> None:
    """Measure and write the result."""
    recipe = load("standard")
    documents = scale_documents(max(200, int(40_000 * chosen.scale)))
    few = documents[:: max(1, len(documents) // max(50, int(1_000 * chosen.scale)))]
    texts, few_texts = [one.passage for one in documents], [one.passage for one in few]
    with pinned(1):
        alone = paired(
            {"rjieba": lambda: cut_alone(texts), "leitong": lambda: in_batches(texts, recipe)}, repetitions=5
        )
        loops = paired(
            {"plain": lambda: plain_python(few_texts, recipe), "leitong": lambda: in_batches(texts, recipe)},
            repetitions=3,
        )
        share = sum(map(len, few_texts)) / sum(map(len, texts))
        times = ratio(loops["plain"], [taken * share for taken in loops["leitong"]])
    whole = scale_documents(max(200, int(SCALE_DOCUMENTS * chosen.scale)))
    with pinned(2):
        both = paired(
            {
                "one": lambda: by_workers(whole, recipe, 1),
                "two": lambda: by_workers(whole, recipe, 2),
                "one cutter": lambda: cut_by(1, len(texts)),
                "two cutters": lambda: cut_by(2, len(texts)),
            },
            repetitions=7,
        )
    finish(
        "fingerprint",
        [
            Figure(
                "fingerprints, part of rjieba's cut alone", ratio(alone["rjieba"], alone["leitong"]), 0.60, True, ""
            ),
            Figure("fingerprints against jieba and loops, a character", times, 25, True, "x"),
            Figure("two processes against one", ratio(both["one"], both["two"]), 1.7, True, "x"),
        ],
        {
            "documents": len(texts),
            "characters": sum(map(len, texts)),
            "documents_a_second_one_core": round(len(texts) / median(alone["leitong"]), 1),
            "seconds_alone": alone,
            "documents_loops": len(few_texts),
            "seconds_loops": loops,
            "documents_processes": len(whole),
            "seconds_processes": both,
            "two_separate_cutters_against_one": round(2 * ratio(both["one cutter"], both["two cutters"]), 3),
        },
        chosen,
    )


if __name__ == "__main__":
    measure(options(__doc__))
