"""Hashes are counted by the groups that hold them, and the rarest are forgotten at fixed times."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from random import Random

import numpy as np
import pytest

from leitong.indexer.duplicates.commonness import tally as module
from leitong.indexer.duplicates.commonness.tally import Tally

Groups = list[list[int]]


def groups(seed: int, *, count: int, largest: int) -> Groups:
    """Some hashes are in many groups, most in few."""
    random = Random(seed)

    def one() -> int:
        return hash((seed, int(random.paretovariate(0.3)) % 5_000)) % 2**64

    return [sorted({one() for _ in range(random.randrange(largest))}) for _ in range(count)]


def counted(given: Groups, *, at_once: int, floor: int) -> dict[int, int]:
    with ThreadPoolExecutor(2) as threads:
        tally = Tally(threads)
        for start in range(0, len(given), at_once):
            some = given[start : start + at_once]
            sizes = np.array(list(map(len, some)), dtype=np.int64)
            values = np.array([99, *(value for group in some for value in group)], dtype=np.uint64)
            tally.add(values, 1 + np.cumsum(sizes) - sizes, sizes)
        values, number = tally.above(floor)
    assert (np.diff(values.view(np.int64) ^ np.int64(-(2**63))) > 0).all(), "sorted and distinct"
    return dict(zip(values.tolist(), number.tolist(), strict=True))


def expected(given: Groups, *, floor: int, most: int, forgetting: int) -> dict[int, int]:
    """The same, one group after the other."""
    counts: Counter[int] = Counter()

    def forget() -> None:
        least = 1
        while len(counts) > most:
            for value in [value for value, number in counts.items() if number <= least]:
                del counts[value]
            least += 1

    since = 0
    for group in given:
        counts.update(group)
        since += len(group)
        if since >= forgetting:
            forget()
            since = 0
    forget()
    return {value: number for value, number in counts.items() if number > floor}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("most", "forgetting", "waiting"), [(10**6, 10**6, 500), (300, 700, 200), (50, 400, 10**4)])
def test_groups_are_counted(
    seed: int, most: int, forgetting: int, waiting: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST", most)
    monkeypatch.setattr(module, "_FORGETTING", forgetting)
    monkeypatch.setattr(module, "_AT_ONCE", waiting)
    given = groups(seed, count=200, largest=60)
    for floor, at_once in ((0, 1), (2, 7), (4, len(given))):
        wanted = expected(given, floor=floor, most=most, forgetting=forgetting)
        assert wanted, "there is something to count"
        assert counted(given, at_once=at_once, floor=floor) == wanted


def test_a_group_larger_than_what_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_AT_ONCE", 10)
    given = [[1, 2], list(range(100)), [2, 3]]
    assert counted(given, at_once=3, floor=1) == {1: 2, 2: 3, 3: 2}


def test_nothing_at_all() -> None:
    assert counted([], at_once=1, floor=0) == counted([[], []], at_once=1, floor=0) == {}
