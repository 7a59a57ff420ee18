"""Which row of hashes and weights is a word's? Found for the words of many texts at once.

A compiled table knows every word met so far. One that is met for the first time gets the next row, its hash and the
part of its weight that depends on the word alone; it becomes a string only where a factor looks at it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.fingerprint import wordtable
from leitong.indexer.fingerprint.hamming import Fingerprints, words_of
from leitong.indexer.fingerprint.hashing import hash_octets
from leitong.indexer.fingerprint.normalise import code_points
from leitong.indexer.fingerprint.recipe import Recipe
from leitong.indexer.fingerprint.weights import Factor

_LIMIT: Final = 400_000
_AT_ONCE: Final = 1 << 15
_CODE_POINTS: Final = 0x110000

Rows = NDArray[np.int64]


@cache
def _alphanumeric() -> NDArray[np.bool_]:
    """Which characters are letters or digits as `str.isalnum` has it: words without any are no features."""
    return np.char.isalnum(np.arange(_CODE_POINTS, dtype=np.uint32).view("U1"))


@dataclass(frozen=True)
class FoundWords:
    """Words of some texts, one after the other: where each begins, its size and its row; text i ends before word
    ends[i].

    `text` is made of the words and of nothing else; `codes` are its code points and two more.
    """

    text: str
    codes: NDArray[np.uint32]
    starts: Rows
    sizes: NDArray[np.int32]
    rows: Rows
    ends: NDArray[np.int64]
    vocabulary: "Vocabulary"

    def words(self, places: NDArray[np.int64]) -> list[str]:
        """Some of the words."""
        starts, sizes = self.starts[places].tolist(), self.sizes[places].tolist()
        return [self.text[start : start + size] for start, size in zip(starts, sizes, strict=True)]


class Vocabulary:
    """The words met so far, each feature with its hash and the part of its weight that depends on the word alone.

    Rows of features count from 0; stop words and punctuation, which are no features, have rows from -1 downwards.
    `hashes`, `weights` and `lengths` (characters) hold at least the rows of the `features`.
    """

    def __init__(self, recipe: Recipe, factors: Iterable[Factor]) -> None:
        self._recipe = recipe
        self._of_word = [factor.of_word for factor in factors if factor.of_word is not None]
        self.features = 0
        self.others = 0
        self.hashes: Fingerprints = np.empty((1024, words_of(recipe.bits)), dtype=np.uint64)
        self.weights: NDArray[np.float64] = np.empty(1024)
        self.lengths: NDArray[np.float64] = np.empty(1024)
        self._table = wordtable.empty_table(wordtable.slots(0))
        self._alphanumeric = np.zeros(_CODE_POINTS, dtype=np.bool_)
        self.rows(sorted(recipe.stop_set))  # no features, whatever they are made of
        self._alphanumeric = _alphanumeric()

    @property
    def full(self) -> bool:
        """Whether it is time to begin a new one, so that memory stays small."""
        return self.features + self.others > _LIMIT

    def rows(self, words: Sequence[str]) -> Rows:
        """The row of each word."""
        sizes = np.array([len(word) for word in words], dtype=np.int32)
        return self.find("".join(words), sizes, np.array([len(words)])).rows

    def find(self, text: str, sizes: NDArray[np.int32], ends: NDArray[np.int64]) -> FoundWords:
        """The words of texts: of a text that is made of words of these sizes, and of nothing else."""
        codes = code_points(text + "\0\0")
        starts = np.cumsum(sizes, dtype=np.int64) - sizes
        found = FoundWords(text, codes, starts, sizes, np.empty(len(sizes), dtype=np.int64), ends, self)
        for first in range(0, len(sizes), _AT_ONCE):
            part = slice(first, first + _AT_ONCE)
            self._make_room(len(sizes[part]))
            found.rows[part], fresh = wordtable.find_rows(
                codes, starts[part], sizes[part], self._table, self._alphanumeric, self.features, self.others
            )
            self.others = max(self.others, -int(found.rows[part].min()))
            self._learn(found, first + fresh)
        return found

    def _make_room(self, words: int) -> None:
        """At least half of the table stays free when all of so many words are new."""
        needed = wordtable.slots(self.features + self.others + words)
        if needed > len(self._table):
            smaller, self._table = self._table, wordtable.empty_table(needed)
            wordtable.move_rows(smaller, self._table)

    def _learn(self, found: FoundWords, fresh: NDArray[np.int64]) -> None:
        """Hash, weight and length of the features that were met for the first time."""
        recipe = self._recipe
        start, end = self.features, self.features + len(fresh)
        if end > len(self.weights):
            self.hashes = np.resize(self.hashes, (2 * end, self.hashes.shape[1]))
            self.weights = np.resize(self.weights, 2 * end)
            self.lengths = np.resize(self.lengths, 2 * end)
        sizes = found.sizes[fresh]
        octets, ends = wordtable.as_utf8(found.codes, found.starts[fresh], sizes)
        self.hashes[start:end] = hash_octets(octets, ends, family=recipe.hash, seed=recipe.seed, bits=recipe.bits)
        self.lengths[start:end] = sizes
        self.weights[start:end] = 1.0
        words = found.words(fresh) if self._of_word else []
        for of_word in self._of_word:
            self.weights[start:end] *= np.array([of_word(word) for word in words])
        self.features = end
