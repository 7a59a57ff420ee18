"""What is the fingerprint of words that come with their weights, as `中国^2 知乎^1`? Nothing is cut or left out."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from leitong.indexer.errors import DocumentError
from leitong.indexer.fingerprint import kernels
from leitong.indexer.fingerprint.hamming import unpack
from leitong.indexer.fingerprint.hashing import hash_words
from leitong.indexer.fingerprint.recipe import Recipe
from leitong.indexer.fingerprint.simhash import decide
from leitong.indexer.fingerprint.weights import SCALE

_MOST: Final = 2.0**32


@dataclass(frozen=True, slots=True)
class WeightedWord:
    """A feature and how much it counts: 0 to 2^32, rounded to a multiple of 2^-16."""

    word: str
    weight: float


def parse(line: str) -> tuple[WeightedWord, ...]:
    """The words of a line `word^weight word^weight`. Raises DocumentError for one that is not so."""
    return tuple(map(_word, line.split()))


def _word(part: str) -> WeightedWord:
    word, mark, number = part.rpartition("^")
    if not mark or not number:
        raise DocumentError(f"the weight of {part!r} is missing; write word^weight, as {word or part}^1")
    if not word:
        raise DocumentError(f"the word before {part!r} is missing; write word^weight")
    try:
        weight = float(number)
    except ValueError:
        raise DocumentError(f"the weight of {word!r} is {number!r}, which is no number; write it as {word}^1") from None
    if not math.isfinite(weight) or not 0 <= weight <= _MOST:
        raise DocumentError(f"the weight of {word!r} is {number}; weights are 0 to {_MOST:.0f}")
    return WeightedWord(word, weight)


def fingerprint(words: tuple[WeightedWord, ...], recipe: Recipe) -> int:
    """SimHash with the recipe's hash, seed, bits and tie rule; its other choices are about texts."""
    hashes = hash_words([one.word for one in words], family=recipe.hash, seed=recipe.seed, bits=recipe.bits)
    weights = np.rint(np.array([one.weight for one in words], dtype=np.float64) * SCALE)
    ends = np.array([len(words)], dtype=np.int64)
    sums = kernels.vote(np.arange(len(words), dtype=np.int64), weights, ends, hashes, recipe.bits)
    return unpack(decide(sums, ends, tie=recipe.tie))[0]
