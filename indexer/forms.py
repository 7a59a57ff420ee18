"""By which words does a search find a text? What the fields `tokens` and `title_tokens` hold."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.fingerprint import kernels, signs
from leitong.indexer.fingerprint.kernels import UNKNOWN, VERBATIM
from leitong.indexer.fingerprint.normalise import Folded
from leitong.indexer.fingerprint.segment import Segmenter
from leitong.indexer.fingerprint.vocabulary import FoundWords, Vocabulary

MAX_WORD: Final = 255
"""Characters of a word that are searched; the whitespace analyzer of the servers cuts there as well."""


def search_form(word: str) -> str:
    """The word as it is stored and asked for: without blanks and the points of Arabic and Hebrew, cut where the servers
    cut; "" for punctuation."""
    if word.isalnum():
        return word[:MAX_WORD]
    return "".join(signs.without_points(word)[:MAX_WORD].split()) if any(map(str.isalnum, word)) else ""


def cut_otherwise(text: str, segmenter: Segmenter) -> bool:
    """Whether a search has other words of a normalised text than a fingerprint."""
    return segmenter.ends_at_signs and signs.holds_signs(text)


def search_words(text: str, segmenter: Segmenter) -> list[str]:
    """The words of a normalised text as they stand there, those with signs whole."""
    if not cut_otherwise(text, segmenter):
        return segmenter.cut(text)
    found: list[str] = []
    for part, signed in signs.parted(text):
        found += signs.words(part) if signed else segmenter.cut(part)
    return found


class SearchForms:
    """The words of texts as a search finds them, a blank after each; those met are remembered.

    All of a text in order, then the shorter words inside them. These stand apart, so that words that follow each other
    in the text do so in the field: a phrase is found wherever it stands.
    """

    def __init__(self, segmenter: Segmenter) -> None:
        self._segmenter = segmenter
        self._vocabulary: Vocabulary | None = None
        self._begin()

    def write(self, words: FoundWords, texts: Sequence[Folded]) -> list[bytes]:
        """What the field holds for each text, whose words were found, in UTF-8."""
        if words.vocabulary is not self._vocabulary:
            self._vocabulary = words.vocabulary
            self._begin()
        self._make_room(words.vocabulary)
        if len(fresh := kernels.new_forms(words.rows, self._places)):
            self._learn(words.rows[fresh], words.words(fresh))
        octets, ends = kernels.write_forms(
            words.codes, words.starts, words.sizes, words.rows, words.ends, self._places, self._forms
        )
        return [
            _octets(self._written(text))
            if not plain and cut_otherwise(text, self._segmenter)
            else octets[start:end].tobytes()
            for (text, plain), (start, end) in zip(texts, pairwise([0, *ends.tolist()]), strict=True)
        ]

    def _written(self, text: str) -> str:
        """The same for a text with signs, which is cut in another way than it is fingerprinted."""
        words = search_words(text, self._segmenter)
        return "".join([*map(_spaced, words), *map(self._inner, words)])

    def _inner(self, word: str) -> str:
        return "".join(map(_spaced, self._segmenter.subwords(word))) if len(word) <= MAX_WORD else ""

    def _begin(self) -> None:
        """`_places` has a row for each of the vocabulary, from the end for negative ones; see `write_forms`."""
        self._features = self._others = self._used = 0
        self._places = _unknown(1024)
        self._forms: NDArray[np.uint8] = np.empty(1024, dtype=np.uint8)

    def _make_room(self, vocabulary: Vocabulary) -> None:
        features, others = self._features, self._others
        self._features, self._others = vocabulary.features, vocabulary.others
        needed = self._features + self._others
        if needed > len(self._places):
            smaller, self._places = self._places, _unknown(2 * needed)
            self._places[:features] = smaller[:features]
            self._places[len(self._places) - others :] = smaller[len(smaller) - others :]

    def _learn(self, rows: NDArray[np.int64], words: list[str]) -> None:
        places: list[tuple[int, int, int]] = []
        added: list[bytes] = []
        start = self._used
        for word in words:
            verbatim = word.isalnum() and len(word) <= MAX_WORD  # so are most: see `search_form`
            form, inner = b"" if verbatim else _octets(_spaced(word)), _octets(self._inner(word))
            places.append((start, VERBATIM if verbatim else len(form), len(inner)))
            if form or inner:
                added += (form, inner)
                start += len(form) + len(inner)
        before, self._used = self._used, start
        if self._used > len(self._forms):
            self._forms = np.resize(self._forms, 2 * self._used)
        self._forms[before:start] = np.frombuffer(b"".join(added), dtype=np.uint8)
        self._places[rows] = places


def _octets(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _spaced(word: str) -> str:
    return f"{form} " if (form := search_form(word)) else ""


def _unknown(rows: int) -> NDArray[np.int32]:
    places = np.zeros((rows, 3), dtype=np.int32)
    places[:, 1] = UNKNOWN
    return places
