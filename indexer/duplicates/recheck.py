"""Which matches of a report are pages of a family that the table does not know? They are compared again.

Only where the table comes from a sample; see `families`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.duplicates.comparing.families import Families
from leitong.indexer.duplicates.found import KINDS, MATCH
from leitong.indexer.duplicates.pairing import Candidates
from leitong.indexer.duplicates.texts import Texts
from leitong.indexer.duplicates.work import Work
from leitong.indexer.threads import in_order
from leitong.indexer.workers import cores

_KEPT: Final = "kept.bin"
_TEXTS_AT_ONCE: Final = 1_000_000
_TEXTS_OF_THREAD: Final = 200
_PAIRS_AT_ONCE: Final = 10_000
_MOST_CANDIDATES: Final = 256
"""Candidates of a text that are looked at: a family of more pages was in the sample, or they are copies."""

Places = NDArray[np.int64]


def rechecked(
    texts: Texts,
    candidates: Candidates,
    matches: NDArray[np.void],
    work: Work,
    *,
    least: float,
    watch: Callable[[int, int], None],
) -> NDArray[np.void]:
    """The matches that are at least so similar when what a text and its candidates share weighs little."""
    matched = np.unique(np.concatenate([matches["a"], matches["b"]]))
    work.remove(_KEPT)
    found = []
    for start in range(0, len(matched), _TEXTS_AT_ONCE):
        beside = _Beside.of(matched[start : start + _TEXTS_AT_ONCE], candidates)
        places = range(0, len(beside.texts), _TEXTS_OF_THREAD)
        some = in_order(places, partial(_families, texts, beside), threads=cores())
        for place, families in enumerate(some, 1):
            found.append(families)
            watch(min(start + place * _TEXTS_OF_THREAD, len(matched)), len(matched))
    parts = (matches[start : start + _PAIRS_AT_ONCE] for start in range(0, len(matches), _PAIRS_AT_ONCE))
    for kept in in_order(parts, partial(_still_matching, texts, Families.join(found), least), threads=cores()):
        work.append(_KEPT, kept.tobytes())
    return work.array(_KEPT, MATCH)


def _still_matching(texts: Texts, families: Families, least: float, matches: NDArray[np.void]) -> NDArray[np.void]:
    """Those of the matches that are at least so similar still, compared with the families."""
    some = np.array(matches, dtype=MATCH)
    likeness = texts.compare(some["a"], some["b"], families=families)
    some["similarity"] = likeness.similarity
    some["kind"] = [KINDS.index(likeness.kind(place)) for place in range(len(some))]
    return some[likeness.similarity >= least]


@dataclass(frozen=True)
class _Beside:
    """Some texts and their candidates: those of text i end before ends[i]."""

    texts: Places
    candidates: Places
    ends: Places

    @classmethod
    def of(cls, texts: Places, candidates: Candidates) -> "_Beside":
        owners, others = [texts[:0]], [texts[:0]]
        for left, right in candidates:
            for one, other in ((left, right), (right, left)):
                places = np.minimum(np.searchsorted(texts, one), len(texts) - 1)
                mine = texts[places] == one
                owners.append(places[mine])
                others.append(other[mine])
        places = np.concatenate(owners)
        order = np.argsort(places, kind="stable")
        ends = np.cumsum(np.bincount(places, minlength=len(texts)))
        return cls(texts, np.concatenate(others)[order], ends)


def _families(texts: Texts, beside: _Beside, start: int) -> Families:
    """Those of some texts, from this one on."""
    found = []
    for place in range(start, min(start + _TEXTS_OF_THREAD, len(beside.texts))):
        first = int(beside.ends[place - 1]) if place else 0
        others = beside.candidates[first : min(int(beside.ends[place]), first + _MOST_CANDIDATES)]
        one, *profiles = texts.profiles(np.append(beside.texts[place], others))
        found.append(Families.of(one, profiles))
    return Families.join(found)
