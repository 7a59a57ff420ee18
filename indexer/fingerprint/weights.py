"""How much does a word count? Factors that are multiplied.

A factor is one small class with a name. Most look at the word alone (`of_word`, asked once for each distinct word);
one that needs the document (`in_document`) sees a whole batch as flat arrays, one entry for each distinct word of each
document. The product is rounded to a multiple of 2^-16 before it is summed: sums of such numbers are exact, so a
fingerprint does not depend on the order of its words, the batch it came in or the machine.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.errors import RecipeError
from leitong.indexer.fingerprint.idf import IdfTable

SCALE: Final = 2.0**16


@dataclass(frozen=True)
class FeatureBatch:
    """The distinct words of a batch of documents, document after document.

    `starts` has one more entry than there are documents: document i owns entries starts[i] to starts[i + 1].
    `counts` says how often the word stands in the document. All arrays but `starts` have one entry a feature.
    """

    starts: NDArray[np.int64]
    counts: NDArray[np.float64]


class Factor(Protocol):
    """One factor of a word's weight."""

    def of_word(self, word: str) -> float:
        """The part that depends on the word alone."""
        ...

    def in_document(self, batch: FeatureBatch) -> NDArray[np.float64] | None:
        """The part that depends on the document, one number a feature; None where there is none."""
        ...


class TermFrequency:
    """How often the word stands in the document."""

    def of_word(self, word: str) -> float:
        return 1.0

    def in_document(self, batch: FeatureBatch) -> NDArray[np.float64] | None:
        return batch.counts


class InverseDocumentFrequency:
    """How rare the word is in the frozen table."""

    def __init__(self, table: IdfTable) -> None:
        self._table = table

    def of_word(self, word: str) -> float:
        return self._table.idf(word)

    def in_document(self, batch: FeatureBatch) -> NDArray[np.float64] | None:
        return None


class TermLength:
    """1 + density of the word's length, normal with mean 4.51 and deviation 2.207, its peak scaled to 1.

    Source: PAPERS P3 (Wang Cheng, Wang Yucheng 2019); the printed normalisation is lost, this reading is ours.
    """

    MEAN: Final = 4.51
    DEVIATION: Final = 2.207

    def of_word(self, word: str) -> float:
        return 1.0 + math.exp(-((len(word) - self.MEAN) ** 2) / (2 * self.DEVIATION**2))

    def in_document(self, batch: FeatureBatch) -> NDArray[np.float64] | None:
        return None


def _idf(table: IdfTable | None) -> Factor:
    if table is None:
        raise RecipeError("The weight 'idf' needs an idf table: name one in the recipe (idf = \"jieba\" or a file).")
    return InverseDocumentFrequency(table)


FACTORS: Final[dict[str, Callable[[IdfTable | None], Factor]]] = {
    "tf": lambda table: TermFrequency(),
    "idf": _idf,
    "length": lambda table: TermLength(),
}


def build_factors(names: tuple[str, ...], *, table: IdfTable | None) -> tuple[Factor, ...]:
    """The factors of a recipe. Raises RecipeError for an unknown name."""
    for name in names:
        if name not in FACTORS:
            raise RecipeError(f"Unknown weight {name!r}. Known: {', '.join(FACTORS)}.")
    return tuple(FACTORS[name](table) for name in names)
