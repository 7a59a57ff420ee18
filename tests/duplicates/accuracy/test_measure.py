"""Precision, recall and F1 with their intervals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leitong.indexer.duplicates.accuracy import measure as module
from leitong.indexer.duplicates.accuracy.measure import Estimate, Scorer
from tests.examples import examples


def apart(count: int) -> list[tuple[str, str]]:
    """Pairs that have nothing to do with each other."""
    return [(f"{number}a", f"{number}b") for number in range(count)]


def test_counts_and_shares() -> None:
    scorer = Scorer(apart(10), [True] * 6 + [False] * 4)
    score = scorer.score(0.5, np.array([True] * 3 + [False] * 3 + [True] + [False] * 3))
    assert (score.at, score.right, score.false, score.missed) == (0.5, 3, 1, 3)
    assert score.precision and score.recall and score.f1
    assert score.precision.value == 3 / 4
    assert score.recall.value == 3 / 6
    assert score.f1.value == pytest.approx(2 * 3 / (2 * 3 + 1 + 3))


def test_wilson_for_a_share_without_a_failure() -> None:
    """Ten of ten: the lower end is n / (n + z²), which no bootstrap can tell."""
    score = Scorer(apart(11), [True] * 10 + [False]).score(0, np.array([True] * 10 + [False]))
    assert score.recall is not None
    assert score.recall.low == pytest.approx(10 / (10 + 1.959964**2), abs=1e-6)
    assert (score.recall.value, score.recall.high) == (1.0, 1.0)


def test_connected_pairs_are_less_certain() -> None:
    """Forty pairs of one document are not forty observations."""
    truth = [True] * 40 + [True] * 40
    found = np.array([True] * 40 + [False] * 40)
    loose = Scorer(apart(80), truth).score(0, found).recall
    tied = Scorer([(f"hub{n // 40}", str(n)) for n in range(80)], truth).score(0, found).recall
    assert loose and tied
    assert tied.high - tied.low > 3 * (loose.high - loose.low)


def test_many_groups_are_drawn_in_bundles(monkeypatch: pytest.MonkeyPatch) -> None:
    found = np.arange(2_000) % 3 > 0
    every = Scorer(apart(2_000), [True] * 2_000).score(0, found).recall
    monkeypatch.setattr(module, "_MOST_BUNDLES", 200)
    some = Scorer(apart(2_000), [True] * 2_000).score(0, found).recall
    assert every and some
    assert some.high - some.low == pytest.approx(every.high - every.low, rel=0.3)


@pytest.mark.parametrize("count", [1, 5])
def test_one_class_only(count: int) -> None:
    score = Scorer(apart(count), [True] * count).score(0, np.array([True] * count))
    assert score.precision is None and score.f1 is None
    assert score.recall is not None and score.recall.value == 1


def test_nothing_found() -> None:
    score = Scorer(apart(4), [True, True, False, False]).score(1, np.zeros(4, dtype=np.bool_))
    assert score.precision is None
    assert score.recall is not None and score.recall.value == 0
    assert score.f1 is not None and score.f1.value == 0


decisions = st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 5)), min_size=1, max_size=40)


@given(decisions)
@examples(50)
def test_every_interval_holds_its_value(cases: list[tuple[bool, bool, int]]) -> None:
    pairs = [(f"hub{hub}", f"leaf{number}") for number, (_, _, hub) in enumerate(cases)]
    score = Scorer(pairs, [truth for truth, _, _ in cases]).score(0, np.array([found for _, found, _ in cases]))
    for estimate in (score.precision, score.recall, score.f1):
        if isinstance(estimate, Estimate):
            assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1


def test_the_best_threshold_and_what_to_expect_of_it() -> None:
    truth = [True] * 30 + [False] * 30
    similarity = np.linspace(1.0, 0.0, 60)
    steps = [step / 100 for step in range(101)]
    found = np.stack([similarity >= step for step in steps])
    scorer = Scorer(apart(60), truth)
    best = steps[scorer.best(found)]
    assert similarity[30] < best <= similarity[29]
    fit = scorer.cross_fit(steps, found)
    assert fit is not None
    assert 0.9 < fit.f1 <= 1 and fit.low <= fit.f1 <= fit.high
    assert fit.thresholds[0] <= best <= fit.thresholds[1]
    assert fit == scorer.cross_fit(steps, found), "always the same"


def test_too_few_pairs_for_two_halves() -> None:
    scorer = Scorer([("a", "b"), ("c", "d")], [True, False])
    assert scorer.cross_fit([0.5], np.array([[True, False]])) is None
