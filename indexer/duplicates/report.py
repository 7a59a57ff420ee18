"""Every document of an index against every other: all pairs that match, and the clusters they make.

texts       one document for each digest: equal texts are compared once (texts.py)
copies      near-copies in large groups stand with the first of them (pairing.py)
candidates  texts within the radius, and texts that share a rare shingle of their sketches or a rare title
check       the texts decide; where not all of them were learned from, matches are compared again (recheck.py)
clusters    documents joined by matches, and what a reader wants to know of them (clusters.py, finish.py)

What is finished lies in a folder until the report is complete, so that a killed run can go on.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.duplicates.commonness.learn import EXACT, current
from leitong.indexer.duplicates.finish import finish
from leitong.indexer.duplicates.found import KINDS, MATCH, Matches, Report
from leitong.indexer.duplicates.pairing import Candidates, Copies, copies, find
from leitong.indexer.duplicates.recheck import rechecked
from leitong.indexer.duplicates.scoring import scored
from leitong.indexer.duplicates.settings import Settings, Step
from leitong.indexer.duplicates.texts import Documents, Texts
from leitong.indexer.duplicates.work import Work
from leitong.indexer.engines.base import Engine, Snapshot
from leitong.indexer.threads import in_order
from leitong.indexer.workers import cores

_PAIRS_AT_ONCE: Final = 10_000
_MATCHES: Final = "matches.bin"
_CHECKED: Final = "checked.jsonl"
_Part = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Candidates: texts, and beside each another one."""


def report(
    engine: Engine,
    snapshot: Snapshot,
    *,
    settings: Settings,
    work: Path | None = None,
    resume: bool = False,
    watch: Callable[[Step], None] = lambda step: None,
) -> Report:
    """Find all pairs of a snapshot.

    `work` is a folder for what is not finished; with `resume` a run that was killed there goes on. Raises StorageError
    for a full disk and UsageError where nothing can be resumed.
    """
    begun = time.monotonic()
    radius, least = settings.radius, settings.min_similarity
    watch(Step("learn", 0, 1))
    documents = Documents(snapshot, current(engine, snapshot, within=EXACT), recipe=engine.recipe)
    with Work(work) as folder:
        state = [*documents.state, radius, least, settings.part, settings.parts]
        about = {"state": state, "recipe": engine.recipe_id, "leitong": version("leitong")}
        folder.begin(about, resume=resume)
        texts = documents.read(folder, watch=lambda done, total: watch(Step("read", done, total)))
        watch(Step("join", 0, 1))
        copied = copies(texts, least)
        candidates = _candidates(texts, copied, folder, engine.recipe.bits, radius)
        compared = _check(texts, candidates, folder, settings, watch)
        near = folder.array(_MATCHES, MATCH)
        if documents.of_sample:
            near = rechecked(
                texts,
                candidates,
                near,
                folder,
                least=least,
                watch=lambda done, total: watch(Step("recheck", done, total)),
            )
        found = _matches(texts, copied, near, first=settings.part == 0)
        absent: tuple[str, ...] = ()
        if settings.combined is not None:
            found, absent = scored(snapshot, found, settings.combined, folder)
        return finish(
            snapshot,
            found,
            documents=documents,
            compared=compared + found.equal,
            settings=settings,
            work=folder,
            watch=lambda done, total: watch(Step("describe", done, total)),
            begun=begun,
            absent=absent,
        )


def _candidates(texts: Texts, copied: Copies, work: Work, bits: int, radius: int) -> Candidates:
    candidates = Candidates(work, size=len(texts))
    candidates.add(copied.first, copied.copy)
    find(texts, copied, candidates, bits=bits, radius=radius)
    return candidates


def _check(texts: Texts, candidates: Candidates, work: Work, settings: Settings, watch: Callable[[Step], None]) -> int:
    """Compare the candidates, several parts at once, and write what matches; returns how many were compared."""
    done = work.lines(_CHECKED)
    finished = sum(line["pairs"] for line in done)
    total = len(candidates) // settings.parts
    if not done:
        work.remove(_MATCHES)
    taken = 0

    def unfinished() -> Iterator[_Part]:
        nonlocal taken
        for part in _in_parts(candidates, settings):
            taken += len(part[0])
            if taken > finished:
                yield part
            watch(Step("check", taken, total))

    matching = partial(_matching, texts, settings.min_similarity)
    for size, matches in in_order(unfinished(), matching, threads=cores()):
        work.append(_MATCHES, matches.tobytes())
        work.commit(_CHECKED, {"pairs": size}, _MATCHES)
    return taken


def _matching(texts: Texts, least: float, part: _Part) -> tuple[int, NDArray[np.void]]:
    """How many candidates there were, and those of them that match."""
    left, right = part
    likeness = texts.compare(left, right, least=least)
    near = np.flatnonzero(likeness.similarity >= least)
    out = np.empty(len(near), dtype=MATCH)
    out["a"], out["b"] = left[near], right[near]
    out["distance"] = texts.distances(left[near], right[near])
    out["similarity"] = likeness.similarity[near]
    out["score"] = np.nan
    out["kind"] = [KINDS.index(likeness.kind(place)) for place in near.tolist()]
    return len(left), out


def _in_parts(candidates: Candidates, settings: Settings) -> Iterator[_Part]:
    for left, right in candidates:
        if settings.parts > 1:
            mine = left % settings.parts == settings.part
            left, right = left[mine], right[mine]
        for start in range(0, len(left), _PAIRS_AT_ONCE):
            yield left[start : start + _PAIRS_AT_ONCE], right[start : start + _PAIRS_AT_ONCE]


def _matches(texts: Texts, copied: Copies, near: NDArray[np.void], *, first: bool) -> Matches:
    """All matches by number of document: texts come first, the documents equal to one of them behind."""
    ids = list(texts.ids)
    origin = [np.full(len(ids), -1, dtype=np.int64)]
    origin[0][copied.copy] = copied.first
    equal: list[NDArray[np.void]] = []
    for group in texts.equal if first else ():
        some = np.empty(len(group.ids), dtype=MATCH)
        some["a"], some["b"] = group.first, np.arange(len(ids), len(ids) + len(group.ids))
        some["distance"], some["similarity"], some["kind"] = group.distances, 1.0, KINDS.index("exact")
        some["score"] = np.nan
        equal.append(some)
        origin.append(some["a"].copy())
        ids += group.ids
    return Matches(
        ids,
        near,
        np.concatenate(equal) if equal else np.empty(0, dtype=MATCH),
        np.concatenate(origin),
    )
