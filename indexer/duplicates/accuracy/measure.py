"""How good are decisions about pairs? Precision, recall and F1 against labels, each with its interval.

Intervals are for 95 %. Two are computed and the wider one is given:

* Wilson's (1927) for a share of n. F1 is 2 F* / (1 + F*), where F* = right / (right + missed + false) is such a share
  (Hand, Christen, Kirielle 2021), so its interval is carried over.
* A bootstrap over groups: pairs that are connected by common documents stand or fall together, so whole groups are
  drawn with replacement, 1,000 times, always the same way.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.duplicates.clusters import connected

METHOD: Final = (
    "95 % intervals: the wider of Wilson's interval (for F1 by way of F*) and of a bootstrap over groups of pairs that "
    "are connected by common documents (1,000 draws)"
)
SPLITS: Final = 10
_DRAWS: Final = 1_000
_MOST_BUNDLES: Final = 5_000
"""With more groups than this, bundles of some are drawn instead: that varies as much, and takes bounded memory."""
_SEED: Final = 20_180_624
_Z: Final = 1.959964
_ENDS: Final = (2.5, 97.5)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A share 0…1 and its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Score:
    """How decisions fared.

    Args:
        at: the threshold they were made with.
        right: duplicates that were found.
        false: other pairs that were found.
        missed: duplicates that were not.
        precision, recall, f1: None where they mean nothing: precision without a find, precision and F1 where every
            label is duplicate.
    """

    at: float
    right: int
    false: int
    missed: int
    precision: Estimate | None
    recall: Estimate | None
    f1: Estimate | None


@dataclass(frozen=True, slots=True)
class CrossFit:
    """F1 when the threshold is fitted on one half of the groups and judged on the other: mean, least and most over the
    halves of ten splits, and the thresholds that were fitted."""

    f1: float
    low: float
    high: float
    thresholds: tuple[float, float]


class Scorer:
    """Scores decisions about the same pairs again and again."""

    def __init__(self, pairs: Sequence[tuple[str, str]], truth: Sequence[bool]) -> None:
        self._truth: NDArray[np.bool_] = np.array(truth, dtype=np.bool_)
        home = {member: cluster.number for cluster in connected(pairs) for member in cluster.members}
        self._groups = np.array([home[a] - 1 for a, _ in pairs], dtype=np.int64)
        shuffled = np.random.default_rng(_SEED).permutation(len(set(home.values())))
        self._bundles: NDArray[np.int64] = shuffled[self._groups] % _MOST_BUNDLES
        self.one_class = bool(self._truth.all())

    @cached_property
    def _draws(self) -> NDArray[np.float64]:
        """How often each bundle of groups is in each draw."""
        count = int(self._bundles.max()) + 1
        drawn = np.random.default_rng(_SEED).multinomial(count, np.full(count, 1 / count), size=_DRAWS)
        return drawn.astype(np.float64)

    def score(self, at: float, found: NDArray[np.bool_]) -> Score:
        """The score of one decision for each pair."""
        outcomes = (found & self._truth, found & ~self._truth, ~found & self._truth)
        right, false, missed = (int(outcome.sum()) for outcome in outcomes)
        size = self._draws.shape[1]
        sums = self._draws @ np.stack([np.bincount(self._bundles, outcome, size) for outcome in outcomes], axis=1)
        judged = not self.one_class
        precision = _wider(right, right + false, sums[:, 0], sums[:, 0] + sums[:, 1]) if judged else None
        recall = _wider(right, right + missed, sums[:, 0], sums[:, 0] + sums[:, 2])
        star = _wider(right, right + false + missed, sums[:, 0], sums.sum(axis=1)) if judged else None
        f1 = Estimate(*(2 * one / (1 + one) for one in (star.value, star.low, star.high))) if star else None
        return Score(at, right, false, missed, precision, recall, f1)

    def best(self, found: NDArray[np.bool_]) -> int:
        """Which row of `found`, one for each threshold, has the highest F1: the middle one of those that share it."""
        return _best(*self._counts(found, np.ones(len(self._truth), dtype=np.bool_)))

    def cross_fit(self, thresholds: Sequence[float], found: NDArray[np.bool_]) -> CrossFit | None:
        """F1 on pairs whose labels had no part in the threshold; None with fewer than two groups of each kind.

        Row t of `found` belongs to threshold t.
        """
        kinds = [set(self._groups[self._truth == kind].tolist()) for kind in (True, False)]
        if min(map(len, kinds)) < 2:
            return None
        random = np.random.default_rng(_SEED)
        scores: list[float] = []
        fitted: list[float] = []
        count = int(self._groups.max()) + 1
        sizes = np.bincount(self._groups, minlength=count)
        for _ in range(SPLITS):
            order = random.permutation(count)
            first = np.zeros(count, dtype=np.bool_)
            first[order[np.cumsum(sizes[order]) <= len(self._truth) / 2]] = True
            half = first[self._groups]
            for fit, judge in ((half, ~half), (~half, half)):
                row = _best(*self._counts(found, fit))
                right, false, missed = (part[row] for part in self._counts(found, judge))
                if right + missed:
                    scores.append(float(2 * right / (2 * right + false + missed)))
                    fitted.append(thresholds[row])
        return CrossFit(float(np.mean(scores)), min(scores), max(scores), (min(fitted), max(fitted)))

    def _counts(
        self, found: NDArray[np.bool_], which: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Right, false and missed for each row of `found`, among some of the pairs."""
        true, other = self._truth & which, ~self._truth & which
        right = (found & true).sum(axis=1)
        return right, (found & other).sum(axis=1), true.sum() - right


def _best(right: NDArray[np.int64], false: NDArray[np.int64], missed: NDArray[np.int64]) -> int:
    f1 = 2 * right / np.maximum(1, 2 * right + false + missed)
    top = np.flatnonzero(f1 >= f1.max() - 1e-12)
    return int(top[len(top) // 2])


def wilson(part: int, whole: int) -> tuple[float, float]:
    """Wilson's 95 % interval for a share of a whole that is not 0."""
    share, square = part / whole, _Z * _Z
    middle = (share + square / (2 * whole)) / (1 + square / whole)
    reach = _Z / (1 + square / whole) * math.sqrt(share * (1 - share) / whole + square / (4 * whole * whole))
    return max(0.0, middle - reach), min(1.0, middle + reach)


def _wider(part: int, whole: int, parts: NDArray[np.float64], wholes: NDArray[np.float64]) -> Estimate | None:
    """The wider of Wilson's and the bootstrap's interval; None for a share of nothing."""
    if not whole:
        return None
    share = part / whole
    ends = wilson(part, whole)
    drawn = parts[wholes > 0] / wholes[wholes > 0]
    low, high = np.percentile(drawn, _ENDS) if len(drawn) else (share, share)
    return Estimate(share, min(ends[0], float(low)), max(ends[1], float(high)))
