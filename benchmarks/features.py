"""What texts are cut into for the peers: several ways, since some suit Chinese and some do not."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import rjieba

from leitong.indexer.fingerprint.normalise import normalise

Features = Mapping[str, list[str]]
"""Document to its features, in order, with repetitions."""

_cutter: Final = rjieba.Jieba()


def words(text: str) -> list[str]:
    """Words of a Chinese segmenter, punctuation left out."""
    return [word for word in _cutter.cut(normalise(text)) if any(map(str.isalnum, word))]


def letters(text: str) -> str:
    """Letters and digits only."""
    return "".join(filter(str.isalnum, normalise(text)))


def character_ngrams(size: int) -> Callable[[str], list[str]]:
    """Every run of so many letters."""

    def cut(text: str) -> list[str]:
        plain = letters(text)
        return [plain[start : start + size] for start in range(max(1, len(plain) - size + 1))]

    return cut


def word_ngrams(size: int) -> Callable[[str], list[str]]:
    """Every run of so many words."""

    def cut(text: str) -> list[str]:
        found = words(text)
        return [" ".join(found[start : start + size]) for start in range(max(1, len(found) - size + 1))]

    return cut


WAYS: Final[dict[str, Callable[[str], list[str]]]] = {
    "words": words,
    "runs of 2 words": word_ngrams(2),
    "runs of 5 words": word_ngrams(5),
    "runs of 3 characters": character_ngrams(3),
    "runs of 5 characters": character_ngrams(5),
    "runs of 8 characters": character_ngrams(8),
}


def all_features(texts: Mapping[str, str]) -> dict[str, Features]:
    """Features of every document by every way."""
    return {name: {doc_id: cut(text) for doc_id, text in texts.items()} for name, cut in WAYS.items()}


def idf(documents: Sequence[Sequence[str]]) -> dict[str, float]:
    """Inverse document frequency in these documents, for peers that take weights."""
    from math import log

    counts = Counter(word for document in documents for word in set(document))
    return {word: log(1 + len(documents) / count) for word, count in counts.items()}
