"""What both sets of a pair share, in however many parts it is found."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leitong.indexer.duplicates.comparing import overlap as module
from leitong.indexer.duplicates.comparing.overlap import Set, shared, sides
from tests.examples import examples

SETS = st.sets(st.integers(0, 30) | st.integers(2**64 - 4, 2**64 - 1), max_size=20)
PAIRS = st.lists(st.tuples(SETS, SETS), max_size=12)


def as_sets(given: list[set[int]]) -> list[Set]:
    return [np.array(sorted(one), dtype=np.uint64) for one in given]


@pytest.mark.parametrize("at_once", [1, 25, 2_000_000])
@given(pairs=PAIRS)
@examples(30)
def test_shared_values(at_once: int, pairs: list[tuple[set[int], set[int]]]) -> None:
    one, other = as_sets([first for first, _ in pairs]), as_sets([second for _, second in pairs])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_AT_ONCE", at_once)
        found = [(int(pair), int(value)) for some in shared(one, other) for pair, value in zip(*some, strict=True)]
        parts = [some for some, _ in sides(one, other)]
    assert found == [(place, value) for place, (a, b) in enumerate(pairs) for value in sorted(a & b)]
    assert [place for part in parts for place in range(part.start, part.stop)] == list(range(len(pairs)))
