"""P4, Li and Han 2015: rows of tables, hash functions inside SimHash, batch and incremental checks."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from random import Random
from re import compile as pattern
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import Figure, finish, options
from benchmarks.papers import corpora, records
from benchmarks.papers.baselines import i_match, single_pass
from benchmarks.papers.copies import HARD, USUAL, Grouped, Setting, sentences, with_copies
from benchmarks.papers.trial import by_radius, groups_of, of_pairs, prints, ways
from leitong.indexer.documents import Document
from leitong.indexer.duplicates.join import Groups, pairs_within
from leitong.indexer.fingerprint.hashing import HASHES, hash_words
from leitong.indexer.fingerprint.idf import jieba_table
from leitong.indexer.fingerprint.recipe import load
from leitong.indexer.fingerprint.simhash import Fingerprinter

_PRECISION, _RECALL = 0.95, 0.90
_TOPICS: Final = 3
_SEEDS: Final = 20
_UNRELATED: Final = 5_000
_LETTERS: Final = 600
_KEEP: Final = ((0.25, 0.75), (0.5, 1.0), (0.0, 1.0))
_ROWS: Final = (1_000, 3_000, 10_000, 30_000, 100_000)
_HASHED_ROWS: Final = 30_000
_ROW_LETTERS: Final = 40
_REPETITIONS: Final = 3
_DATE: Final = pattern(r"\d{1,2}月\d{1,2}日")
_AMOUNT: Final = pattern(r"\d[\d,.]*(?:万|亿)?元")


def row(document: Document, kind: str) -> Document:
    """A row as the petitions' table has it: short fields, some of them null, and a long text."""
    date, amount = _DATE.search(document.text), _AMOUNT.search(document.text)
    fields = {
        "kind": kind,
        "subject": document.title,
        "date": date and date.group(),
        "amount": amount and amount.group(),
    }
    return replace(document, text=document.text[:_LETTERS], title="", metadata=fields)


def experiment(setting: Setting, scale: float) -> dict[str, Any]:
    """Three topics, 300 similar rows in all, 5,000 others."""
    topics = corpora.topics()[:_TOPICS]
    cut = [[replace(one, text=one.text[:_LETTERS]) for one in topic] for topic in topics]
    similar = with_copies(cut, _SEEDS, setting, seed=2015)
    apart = [one for topic in corpora.topics() for one in topic]
    others = corpora.unrelated(round(_UNRELATED * scale), apart_from=apart)
    some = [
        *(Grouped(row(one.document, one.document.id.split("/")[0]), one.group) for one in similar),
        *(Grouped(row(one, one.id.split("/")[0]), -1) for one in others),
    ]
    groups, documents = groups_of(some), [one.document for one in some]
    matched = {keep: i_match(documents, load("standard"), jieba_table(), keep=keep) for keep in _KEEP}
    outcomes = {keep: of_pairs(groups, pairs[:, 0], pairs[:, 1]) for keep, pairs in matched.items()}
    best = max(outcomes, key=lambda keep: outcomes[keep].f1)
    by_hash = {
        family: by_radius(groups, prints(documents, replace(load("li2015"), hash=family)))[3].values()
        for family in ("cityhash64", "bkdr64", "murmur2", "mmh3", "xxh3")
    }
    return {
        "rows": len(some),
        "similar": int((groups >= 0).sum()),
        "li2015": ways(some, load("li2015")),
        "text_only": ways(some, load("standard")),
        "i_match": {"keep": best, **outcomes[best].values()},
        "by_hash": by_hash,
    }


def short_rows(count: int) -> list[str]:
    """Sentences of real news, each a row of its own, then pieces of them where there are too few."""
    found = (
        one.strip()
        for source in ("xwlb-items", "lctt-zh")
        for document in corpora.large_collection(source)
        for one in sentences(document.text)
        if len(one.strip()) >= _ROW_LETTERS
    )
    return list(islice(dict.fromkeys(found), count))


def fingerprints(rows: Sequence[str]) -> NDArray[np.uint64]:
    """One for each row."""
    maker = Fingerprinter(load("li2015"))
    parts = [maker.batch(rows[start : start + 1_000]).fingerprints for start in range(0, len(rows), 1_000)]
    return np.concatenate(parts)[:, 0]


def hashes(rows: Sequence[str]) -> dict[str, dict[str, float]]:
    """Processor seconds inside SimHash, and what is spent on hashing, by hash; the least of some repetitions.

    `each_word` hashes every word of every row, as a program without a dictionary of words does.
    """
    cutter = Fingerprinter(load("standard"))
    words = [word for text in rows for word in cutter.cut(text)]
    distinct = list(dict.fromkeys(words))
    sample = words[:: max(1, len(words) // 200_000)]
    result: dict[str, dict[str, float]] = {}
    for family in ("cityhash64", "bkdr64", "murmur2", "mmh3", "xxh3", "blake2b"):
        assert family in HASHES

        def simhash(name: str = family) -> object:
            maker = Fingerprinter(replace(load("standard"), hash=name))
            return [maker.batch(rows[start : start + 1_000]) for start in range(0, len(rows), 1_000)]

        def hashing(some: Sequence[str], name: str = family) -> object:
            return hash_words(some, family=name, seed=0, bits=64)

        hashing(distinct[:10])
        each = _least(lambda call=hashing: call(sample)) / len(sample)  # type: ignore[misc]
        result[family] = {
            "simhash": round(_least(simhash), 3),
            "distinct_words": round(_least(lambda call=hashing: call(distinct)), 4),  # type: ignore[misc]
            "each_word": round(each * len(words), 3),
            "nanoseconds": round(1e9 * each, 1),
        }
    return {"words": {"rows": len(rows), "all": len(words), "distinct": len(distinct)}, **result}


def _least(call: Callable[[], object]) -> float:
    taken = []
    for _ in range(_REPETITIONS):
        begun = time.process_time()
        call()
        taken.append(time.process_time() - begun)
    return min(taken)


def batch(values: NDArray[np.uint64]) -> list[dict[str, float]]:
    """Processor seconds of all rows against all, by number of rows: block indexes against Single-Pass."""
    single_pass(values[:10], 3)
    list(pairs_within(Groups.of(values[:1000, None]).values, bits=64, radius=3))
    steps: list[dict[str, float]] = []
    for size in _ROWS:
        if size > len(values):
            break
        some = values[:size]
        begun = time.process_time()
        groups = Groups.of(some[:, None])
        pairs = sum(map(len, pairs_within(groups.values, bits=64, radius=3)))
        indexed = time.process_time() - begun
        begun = time.process_time()
        plain = four_blocks(some)
        by_blocks = time.process_time() - begun
        begun = time.process_time()
        clusters = single_pass(some, 3)
        single = time.process_time() - begun
        steps.append(
            {
                "rows": size,
                "join": round(indexed, 5),
                "four_blocks": round(by_blocks, 5),
                "single_pass": round(single, 4),
                "pairs": pairs,
                "candidates": plain,
                "clusters": clusters,
            }
        )
    return steps


def four_blocks(values: NDArray[np.uint64]) -> int:
    """The paper's batch: four indexes of 16-bit blocks, pairs of each bucket compared; how many comparisons."""
    compared = 0
    for shift in (48, 32, 16, 0):
        blocks = (values >> np.uint64(shift) & np.uint64(0xFFFF)).astype(np.int64)
        order = np.argsort(blocks, kind="stable")
        ordered, mine = values[order], blocks[order]
        step = 1
        places = np.arange(len(values))
        while len(places := places[places + step < len(values)]):
            places = places[mine[places] == mine[places + step]]
            np.bitwise_count(ordered[places] ^ ordered[places + step])
            compared += len(places)
            step += 1
    return compared


def fields() -> dict[str, float]:
    """Rows that differ in one short field only: the bits that a field of weight 2 moves, and a null one."""
    some = [row(one, "petition") for one in Random(4).sample(list(corpora.topics()[0]), 200)]
    other = [replace(one, metadata={**one.metadata, "kind": "report"}) for one in some]
    nothing = [replace(one, metadata={**one.metadata, "kind": None}) for one in some]
    made = [prints(rows, load("li2015")).values[:, 0] for rows in (some, other, nothing)]
    return {
        "changed": float(np.bitwise_count(made[0] ^ made[1]).mean()),
        "null": float(np.bitwise_count(made[0] ^ made[2]).mean()),
        "within_3": float((np.bitwise_count(made[0] ^ made[1]) <= 3).mean()),
    }


def main() -> None:
    chosen = options(__doc__)
    usual, hard = experiment(USUAL, chosen.scale), experiment(HARD, chosen.scale)
    rows = short_rows(max(_ROWS))  # they are short: always all of them
    steps = batch(fingerprints(rows))
    ours = usual["li2015"]["report"]
    details = {
        "usual": usual,
        "harder": hard,
        "fields": fields(),
        "records": records.measured(),
        "hashes": hashes(rows[:_HASHED_ROWS]),
        "batch": steps,
    }
    figures = [
        Figure("P4 precision, recipe li2015 with our check", ours["precision"], _PRECISION, True, ""),
        Figure("P4 recall, recipe li2015 with our check", ours["recall"], _RECALL, True, ""),
    ]
    finish("papers-p4", figures, details, chosen)


if __name__ == "__main__":
    main()
