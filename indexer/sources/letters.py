"""How likely is it that somebody wrote this text, in a language?

Letters and their frequencies tell in which encoding bytes are: those of 中国 in GB18030 are frequent characters there,
rare ones in Korean, and accented capitals one after the other in French. The likeliest reading of the same bytes is
right, however few there are. Which characters are frequent stands in `data/letters.tsv`.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from math import exp, log
from typing import Final, Literal

Script = Literal["latin", "cased", "caseless", "wide"]
"""Latin with accents; another alphabet with capitals; one without; Chinese characters, kana, syllables."""

_SCRIPTS: Final[Mapping[str, Script]] = {
    **dict.fromkeys(("zh-hans", "zh-hant", "ja", "ko"), "wide"),
    **dict.fromkeys(("ru", "uk", "el"), "cased"),
    **dict.fromkeys(("he", "ar", "th"), "caseless"),
}
_ALPHABET: Final = 90
"""Characters of a group that falls as an alphabet does."""
ASCII: Final = log(0.02)
"""Any character of ASCII, in any language."""
_CONTROL: Final = log(1e-9)
_BROKEN: Final = log(1e-10)
_FURTHER: Final = {"han": log(0.02 / 20_000), "hangul": log(0.05 / 10_000), "other": log(1e-6)}
"""A character that is in no group of a language: a rare one of its script, or any other."""
_LATIN_FURTHER: Final = log(1e-5)
_HAN: Final = ("zh-hans", "zh-hant", "ja")

_TOGETHER: Final[Mapping[Script, Mapping[str, float]]] = {
    "latin": {"xx": -1.5, "hump": -3.0},
    "cased": {"mixed": -4.0, "hump": -3.0},
    "caseless": {"mixed": -4.0},
    "wide": {"mixed": -0.7},
}
"""What it costs where two letters stand together that seldom do: two beyond ASCII, a capital behind a small one, one of
ASCII beside one of the alphabet."""


class _Frequencies(dict[str, float]):
    """Logarithms of the frequencies of a language's characters; those in no group are added as they are met."""

    def __init__(self, language: str, script: Script) -> None:
        self._han = language in _HAN
        self._hangul = language == "ko"
        self._other = _FURTHER["other"] if script == "wide" else _LATIN_FURTHER

    def __missing__(self, letter: str) -> float:
        self[letter] = found = self._further(letter)
        return found

    def _further(self, letter: str) -> float:
        if letter == "\ufffd" or "\ue000" <= letter <= "\uf8ff":
            return _BROKEN
        if letter < "\x80":
            return ASCII if letter.isprintable() or letter in "\t\n\r\f" else _CONTROL
        if letter < "\xa0":
            return _CONTROL
        if "\u4e00" <= letter <= "\u9fff":
            return _FURTHER["han"] if self._han else _FURTHER["other"]
        if "\uac00" <= letter <= "\ud7a3":
            return _FURTHER["hangul"] if self._hangul else _FURTHER["other"]
        return self._other


@dataclass(frozen=True)
class Reading:
    """A text by its characters and by the kinds of pairs that stand together in it."""

    counts: Mapping[str, int]
    together: Mapping[str, int]

    @classmethod
    def of(cls, text: str) -> "Reading":
        """Count a text."""
        classes = [_class(letter) for letter in text]
        pairs = Counter(pairwise(classes))
        together: Counter[str] = Counter()
        for (one, other), count in pairs.items():
            for kind in _kinds(one, other):
                together[kind] += count
        return cls(Counter(text), together)

    def likelihood(self, language: str) -> float:
        """The logarithm of how likely the text is in a language of `data/letters.tsv`."""
        frequencies = _languages()[language]
        costs = _TOGETHER[_script(language)]
        alone = sum(count * frequencies[letter] for letter, count in self.counts.items())
        return alone + sum(count * costs.get(kind, 0.0) for kind, count in self.together.items())


def _script(language: str) -> Script:
    return _SCRIPTS.get(language, "latin")


@cache
def _languages() -> Mapping[str, _Frequencies]:
    found: dict[str, _Frequencies] = {}
    table = files("leitong.indexer.sources").joinpath("data/letters.tsv").read_text(encoding="utf-8")
    for line in table.splitlines():
        if not line.startswith("#"):
            name, share, characters = line.split("\t")
            letters = found.setdefault(name, _Frequencies(name, _script(name)))
            weights = _weights(len(characters))
            total = sum(weights)
            for letter, weight in zip(characters, weights, strict=True):
                letters.setdefault(letter, log(float(share) * weight / total))
    return found


def _weights(count: int) -> list[float]:
    """How often so many characters are used, from the most frequent to the least: an alphabet, or thousands."""
    if count <= _ALPHABET:
        return [exp(-4 * rank / count) for rank in range(count)]
    return [1 / (rank + 10) for rank in range(count)]


@cache
def _class(letter: str) -> str:
    """a and A of ASCII, x and X beyond it, . for what is no letter."""
    if unicodedata.category(letter)[0] not in "LM":  # vowels and tones of Thai are marks
        return "."
    small = "a" if letter < "\x80" else "x"
    return small.upper() if letter.isupper() else small


def _kinds(one: str, other: str) -> Iterator[str]:
    if "." in (one, other):
        return
    ascii_one, ascii_other = one in "aA", other in "aA"
    if ascii_one != ascii_other:
        yield "mixed"
    elif not ascii_one:
        yield "xx"
    if one in "ax" and other in "AX" and "x" in (one + other).lower():
        yield "hump"
