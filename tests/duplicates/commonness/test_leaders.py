"""The first of nearly equal texts leads a group; those after it do not."""

from collections import Counter
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leitong.indexer.duplicates.commonness.leaders import SKETCH, Leaders, shared_values
from tests.examples import examples

Sets = list[list[int]]


def leading(texts: Sets, *, at_once: int) -> list[bool]:
    leaders, found = Leaders(), []
    for start in range(0, len(texts), at_once):
        some = texts[start : start + at_once]
        sizes = np.array(list(map(len, some)), dtype=np.int64)
        values = np.array([7, *(value for text in some for value in text)], dtype=np.uint64)
        found += leaders.lead(values, 1 + np.cumsum(sizes) - sizes, sizes).tolist()
    return found


def expected(texts: Sets) -> list[bool]:
    """As the module says it, one text after the other."""
    leaders: Sets = []
    found_by: dict[int, list[int]] = {}
    found = []
    for text in texts:
        sketch = text[:SKETCH]
        votes = Counter(leader for value in sketch[:8] for leader in found_by.get(value, []))
        most = sorted(votes, key=lambda leader: (-votes[leader], leader))[:3]
        known = any(_same(sketch, leaders[leader]) for leader in most)
        found.append(bool(text) and not known)
        if found[-1]:
            for value in sketch[:8]:
                if len(holders := found_by.setdefault(value, [])) < 8:
                    holders.append(len(leaders))
            leaders.append(sketch)
    return found


def _same(one: list[int], other: list[int]) -> bool:
    both, either = set(one) & set(other), sorted({*one, *other})
    return len(both & set(either[:SKETCH])) >= 0.8 * min(SKETCH, len(either))


def families(seed: int) -> Sets:
    """Texts, some of them changed a little or a lot, many with values that others have too."""
    random = Random(seed)
    texts: Sets = [[]]
    for _ in range(300):
        values = set(random.choice(texts)) if random.random() < 0.6 else set(random.sample(range(500), 40))
        change = random.choice([0, 1, 3, 8, 30])
        values -= set(random.sample(sorted(values), min(change, len(values))))
        values |= {random.randrange(40 if random.random() < 0.5 else 2**64) for _ in range(change)}
        texts.append(sorted(values))
    return texts


@pytest.mark.parametrize("seed", range(6))
def test_who_leads(seed: int) -> None:
    texts = families(seed)
    wanted = expected(texts)
    assert 20 < sum(wanted) < len(texts) - 20
    for at_once in (1, 64, len(texts)):
        assert leading(texts, at_once=at_once) == wanted


def test_the_first_of_its_copies_leads_and_nothing_does_not() -> None:
    assert leading([[], [1, 2, 3], [1, 2, 3], [4], [], [4]], at_once=2) == [False, True, False, True, False, False]


@given(one=st.sets(st.integers(0, 60)), other=st.sets(st.integers(0, 60)), most=st.integers(1, 40))
@examples(200)
def test_what_two_sketches_share(one: set[int], other: set[int], most: int) -> None:
    left, right = (np.array(sorted(values), dtype=np.uint64) for values in (one, other))
    first = set(sorted(one | other)[:most])
    assert shared_values(left, right, most) == (len(one | other), len(one & other), len(one & other & first))
