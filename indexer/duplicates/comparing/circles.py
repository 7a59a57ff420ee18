"""Is what two texts share held by one circle of texts, each of which lacks some of it?

A form is held by several circles: the site's pages have its foot, a section's pages have a heading more, some of those
one table. Of what two such pages share some stands in thousands of groups of texts, some in hundreds and some in ten.
What many texts tell again, each in part in its own words, stands in about as many groups from its first sentence to its
last; and each text lacks other sentences of it, where each page of a form has the whole form.

    within           of the shingles that both texts have, the share that is boilerplate and held by about as many
                     groups: by at most four times as many as the others, wherever that is most
    lacking          of the shingles of a text that so many groups hold, the share that the other one does not have; the
                     greater of both texts

    one_circle       (0 where within is at most .9, 1 from .95) * (0 where lacking is at most .02, 1 from .06)
"""

from typing import Final

import numpy as np

from leitong.indexer.duplicates.commonness.boilerplate import CODES
from leitong.indexer.duplicates.comparing.overlap import Longs, Set, sides
from leitong.indexer.duplicates.comparing.profile import CODE_BITS, Floats, TextPairs, ramp
from leitong.indexer.fingerprint.compiled import compiled

_WIDTH: Final = 9
"""Codes of weights, of which four are twice as many groups."""
_WITHIN: Final = (0.9, 0.95)
_LACKING: Final = (0.02, 0.06)


def one_circle(pairs: TextPairs) -> Floats:
    """How much what both have is held by one circle of texts, each of which lacks some of it, 0…1."""
    within, lacking = np.zeros(len(pairs.one)), np.zeros(len(pairs.one))
    for some, both in sides([text.packed for text in pairs.one], [text.packed for text in pairs.other]):
        within[some], lacking[some] = _circles(*both)
    return ramp(within, _WITHIN) * ramp(lacking, _LACKING)


@compiled
def _circles(left: Set, left_ends: Longs, right: Set, right_ends: Longs) -> tuple[Floats, Floats]:
    """`within` and `lacking` of each pair of texts, see `overlap.Sides`."""
    within, lacking = np.zeros(len(left_ends)), np.zeros(len(left_ends))
    code = np.uint64((1 << CODE_BITS) - 1)
    place = other = 0
    for pair in range(len(left_ends)):
        held = np.zeros((3, CODES + 1), dtype=np.int64)  # by both, by the one, by the other; sums up to each code
        while place < left_ends[pair] or other < right_ends[pair]:
            in_one = other == right_ends[pair] or (place < left_ends[pair] and left[place] <= right[other])
            in_other = place == left_ends[pair] or (other < right_ends[pair] and right[other] <= left[place])
            groups = np.int64((left[place] if in_one else right[other]) & code) + 1
            held[0, groups] += in_one and in_other
            held[1, groups] += in_one
            held[2, groups] += in_other
            place += in_one
            other += in_other
        for before in range(CODES):
            held[:, before + 1] += held[:, before]
        most = 0
        for first in range(1, CODES + 1 - _WIDTH):  # what FREE groups hold at most is nobody's but theirs
            circle = held[:, first + _WIDTH] - held[:, first]
            if circle[0] > most:
                most = circle[0]
                within[pair] = most / held[0, CODES]
                lacking[pair] = 1 - most / max(circle[1], circle[2])
    return within, lacking
