"""Which row of hashes and weights is a word's? Found for the words of many texts at once.

A dictionary knows every word. Before it stands a hash table for short words, nearly all of a Chinese text: their
characters are their key, so the words themselves are not looked at, and nothing can collide.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.fingerprint import kernels
from leitong.indexer.fingerprint.hamming import Fingerprints, words_of
from leitong.indexer.fingerprint.hashing import hash_words
from leitong.indexer.fingerprint.recipe import Recipe
from leitong.indexer.fingerprint.weights import Factor

_LIMIT: Final = 400_000
_AT_ONCE: Final = 1 << 15

Rows = NDArray[np.int64]


class _Words(dict[str, int]):
    """Word to row; grows by being asked. Stop words and punctuation, which are no features, have rows below 0."""

    def __init__(self, stop_words: frozenset[str]) -> None:
        super().__init__()
        self._stop_words = stop_words
        self.features = 0
        self.others = 0
        self.fresh: list[str] = []

    def __missing__(self, word: str) -> int:
        if word not in self._stop_words and (word.isalnum() or any(map(str.isalnum, word))):
            row = self.features
            self.features += 1
            self.fresh.append(word)
        else:
            self.others += 1
            row = -self.others
        self[word] = row
        return row


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
    """The words met so far, each feature with its hash and the part of its weight that depends on the word alone."""

    def __init__(self, recipe: Recipe, factors: Sequence[Factor]) -> None:
        self._recipe = recipe
        self._factors = factors
        self._words = _Words(recipe.stop_set)
        self._hashes: Fingerprints = np.empty((1024, words_of(recipe.bits)), dtype=np.uint64)
        self._weights: NDArray[np.float64] = np.empty(1024)
        self._lengths: NDArray[np.float64] = np.empty(1024)
        self._table = np.zeros((2, 4), dtype=np.uint64)

    @property
    def full(self) -> bool:
        """Whether it is time to begin a new one, so that memory stays small."""
        return len(self._words) > _LIMIT

    @property
    def features(self) -> int:
        """Rows of features there are; they count from 0."""
        return self._words.features

    @property
    def others(self) -> int:
        """Rows of other words there are; they count from -1 downwards."""
        return self._words.others

    def lengths(self, rows: Rows) -> NDArray[np.float64]:
        """Characters of the words of these rows."""
        self.known()
        found: NDArray[np.float64] = self._lengths[rows]
        return found

    def row(self, word: str) -> int:
        """The row of one word; below 0 where it is no feature."""
        return self._words[word]

    def find(self, text: str, sizes: NDArray[np.int32], ends: NDArray[np.int64]) -> FoundWords:
        """The words of texts: of a text that is made of words of these sizes, and of nothing else."""
        codes = np.frombuffer((text + "\0\0").encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(
            np.uint32, copy=False
        )
        starts = np.cumsum(sizes, dtype=np.int64) - sizes
        rows = np.empty(len(sizes), dtype=np.int64)
        for first in range(0, len(sizes), _AT_ONCE):
            part = slice(first, first + _AT_ONCE)
            rows[part] = self._rows(text, codes, starts[part], sizes[part])
        return FoundWords(text, codes, starts, sizes, rows, ends, self)

    def _rows(self, text: str, codes: NDArray[np.uint32], starts: Rows, sizes: NDArray[np.int32]) -> Rows:
        self._make_room(len(sizes))
        rows, asked = kernels.find_rows(codes, starts, sizes, self._table)
        if len(asked):
            places = zip(starts[asked].tolist(), sizes[asked].tolist(), strict=True)
            fresh = np.array([self._words[text[at : at + size]] for at, size in places])
            kernels.settle_rows(codes, starts, sizes, asked, fresh, rows, self._table)
        return rows

    def _make_room(self, words: int) -> None:
        """At least half of the table stays free when all of so many words are new."""
        needed = 1 << (2 * (len(self._words) + words)).bit_length()
        if needed > len(self._table):
            smaller, self._table = self._table, np.zeros((needed, 4), dtype=np.uint64)
            kernels.move_rows(smaller, self._table)

    def known(self) -> tuple[Fingerprints, NDArray[np.float64]]:
        """Hash and weight of every row so far."""
        if fresh := self._words.fresh:
            recipe = self._recipe
            end = self._words.features
            start = end - len(fresh)
            if end > len(self._weights):
                self._hashes = np.resize(self._hashes, (2 * end, self._hashes.shape[1]))
                self._weights = np.resize(self._weights, 2 * end)
                self._lengths = np.resize(self._lengths, 2 * end)
            self._hashes[start:end] = hash_words(fresh, family=recipe.hash, seed=recipe.seed, bits=recipe.bits)
            weights = np.ones(len(fresh))
            for factor in self._factors:
                weights *= np.array([factor.of_word(word) for word in fresh])
            self._weights[start:end] = weights
            self._lengths[start:end] = np.fromiter(map(len, fresh), dtype=np.float64, count=len(fresh))
            fresh.clear()
        return self._hashes, self._weights
