"""With which of its keys does a text ask for others? With those that few groups of texts hold.

A key is a shingle of the sketch, the title, or the digest. One that more than `RARE` groups hold asks for nobody: a
phrase that many texts have would make candidates of all of them. But a text that is told in many versions has hardly
any other keys, where such keys are a small part of a page in a form, and of an article with a phrase of that kind. So a
text of whose keys they are at least `PART` asks with those of up to `OFTEN` groups too, for others that do the same.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.duplicates.commonness.boilerplate import FREE, Boilerplate

RARE: Final = 16
OFTEN: Final = 64
PART: Final = 0.25
"""Of 92,211 texts 2 % have so many such keys; that makes .3 of a candidate more for a text. If every text asked with
them it were twelve more, and of half a million more pairs four match."""

Keys = NDArray[np.uint64]


@dataclass(frozen=True)
class Asking:
    """Tells keys that make candidates from others: `rare` and `often` are numbers of groups of near-equal texts."""

    boilerplate: Boilerplate
    rare: float = FREE
    often: float = FREE

    @classmethod
    def among(cls, boilerplate: Boilerplate, documents: int) -> "Asking":
        """What suits a collection of so many documents. The table may come from a sample of them; what is no
        boilerplate is rare in any case."""
        sampled = min(1.0, boilerplate.sampled / max(1, documents))
        return cls(boilerplate, max(FREE, RARE * sampled), max(FREE, OFTEN * sampled))

    def keys(self, keys: Keys) -> Keys:
        """Those of a text's keys that it asks with."""
        groups = self.boilerplate.look_up(keys)[1]
        asked: Keys = keys[groups <= (self.often if self._in_versions(groups) else self.rare)]
        return asked

    def is_in_versions(self, keys: Keys) -> bool:
        """Whether a text asks with keys that are not rare: it is one of many versions, and so is who it asks for."""
        return self._in_versions(self.boilerplate.look_up(keys)[1])

    def _in_versions(self, groups: NDArray[np.int64]) -> bool:
        often = int(np.count_nonzero((groups > self.rare) & (groups <= self.often)))
        return often > 0 and often >= PART * len(groups)
