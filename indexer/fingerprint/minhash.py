"""How alike are two sets? MinHash (Broder 1997) estimates it without comparing their members.

The Jaccard similarity of two sets is the probability that a random order of all there is puts the same member first in
both. A hash function stands for an order, the least value of a set for its first member, and the share of the functions
by which two sets have the same least value for the similarity.
"""

from collections.abc import Callable, Iterable
from typing import Final

import mmh3
import numpy as np
from numpy.typing import NDArray

from leitong.indexer.fingerprint.normalise import normalise

FUNCTIONS: Final = 100
"""Hash functions of a family; docs/papers.md P3 has as many."""
Numbers = NDArray[np.uint64]
Family = Callable[[Numbers], Numbers]
"""Values of its functions for each of n members: shape (functions, n)."""

_EMPTY: Final = np.uint64(2**64 - 1)
NOTHING: Final[Numbers] = np.full(FUNCTIONS, _EMPTY)
"""The signature of the empty set, which is like no other."""
_STEPS: Final = np.arange(1, FUNCTIONS + 1, dtype=np.uint64)[:, None]
_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)


def shifts(members: Numbers) -> Numbers:
    """h_i(x) = (x + i) mod 100, as docs/papers.md P3 has it (Wang Cheng, Wang Yucheng 2019).

    A weak family: the functions are one cyclic order begun at different places, and of numbers below 100 many members
    share one.
    """
    return (members[None, :] % np.uint64(FUNCTIONS) + _STEPS) % np.uint64(FUNCTIONS)


def mixed(members: Numbers) -> Numbers:
    """Independent functions: splitmix64 (Steele, Lea, Flood 2014) of the member and the number of the function."""
    value: Numbers = members[None, :] + _STEPS * _GOLDEN
    value = (value ^ value >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ value >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return value ^ value >> np.uint64(31)


FAMILIES: Final[dict[str, Family]] = {"mixed": mixed, "shifts": shifts}


def members(items: Iterable[str]) -> Numbers:
    """Texts as numbers, width and case ignored; shape (distinct items,)."""
    return np.array(sorted({mmh3.mmh3_x64_128_utupledigest(normalise(one).encode())[0] for one in items}), np.uint64)


def signature(of: Numbers, family: Family) -> Numbers:
    """The least value of each function, shape (functions,); `NOTHING` for the empty set."""
    return family(of).min(axis=1) if len(of) else NOTHING


def estimate(one: Numbers, other: Numbers) -> float:
    """The estimated Jaccard similarity, 0…1; 0 where a set is empty, since nothing is known then."""
    return float(((one == other) & (one != _EMPTY)).mean())
