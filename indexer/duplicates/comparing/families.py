"""Which passages do a text and its candidates share, that the table learned from a sample knows nothing of?

A family of pages is in the table where more than FREE of them were read. In a large collection that is a large family,
and the pages of a small one look like copies. But they are candidates of each other, so what stands in more than FREE
groups of a text and its candidates is known to stand in so many groups of the collection at least. It weighs what the
table would make of that. Where all texts were read the table knows everything, and nobody asks here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.duplicates.commonness.boilerplate import FREE, WEIGHTS, codes_of, with_largest
from leitong.indexer.duplicates.commonness.leaders import Leaders
from leitong.indexer.duplicates.comparing.overlap import shared
from leitong.indexer.duplicates.comparing.profile import CODE_BITS, Profile

_BELOW: Final = np.uint64(CODE_BITS)
_CODE: Final = np.uint64((1 << CODE_BITS) - 1)


@dataclass(frozen=True)
class Families:
    """Shingles of more than FREE groups, as a profile's `packed` has them but without codes, sorted; and the codes of
    their weights."""

    hashes: NDArray[np.uint64]
    codes: NDArray[np.uint8]

    @classmethod
    def of(cls, text: Profile, candidates: Sequence[Profile]) -> "Families":
        """What a text shares with its candidates, all of which were weighed by one table."""
        texts = [text, *candidates]
        sizes = np.array([len(one.packed) for one in texts], dtype=np.int64)
        values = np.concatenate([one.packed for one in texts])
        leads = np.flatnonzero(Leaders().lead(values, np.cumsum(sizes) - sizes, sizes))
        others = [texts[place].packed for place in leads.tolist() if place]
        if len(others) < FREE or not sizes[0]:
            return cls(values[:0], np.empty(0, dtype=np.uint8))
        groups = np.ones(sizes[0], dtype=np.int64)
        for _, found in shared([text.packed] * len(others), others):
            groups += np.bincount(np.searchsorted(text.packed, found), minlength=len(groups))
        common = np.flatnonzero(groups > FREE)
        return cls(text.packed[common] >> _BELOW, codes_of(groups[common]))

    @classmethod
    def join(cls, some: Iterable["Families"]) -> "Families":
        """All of them; of a shingle that stands in several the one that weighs least."""
        parts = list(some)
        hashes = np.concatenate([np.empty(0, dtype=np.uint64), *(one.hashes for one in parts)])
        codes = np.concatenate([np.empty(0, dtype=np.uint8), *(one.codes for one in parts)])
        return cls(*with_largest(hashes, codes))

    def __len__(self) -> int:
        return len(self.hashes)

    def weigh(self, profile: Profile) -> Profile:
        """The same text, its shingles weighed by what is known here as well."""
        if not len(self):
            return profile
        hashes = profile.packed >> _BELOW
        codes = profile.packed & _CODE
        places = np.minimum(np.searchsorted(self.hashes, hashes), len(self) - 1)
        known = np.where(self.hashes[places] == hashes, self.codes[places], 0).astype(np.uint64)
        codes = np.maximum(codes, known)
        return replace(profile, packed=hashes << _BELOW | codes, weight=float(WEIGHTS[codes.astype(np.int64)].sum()))
