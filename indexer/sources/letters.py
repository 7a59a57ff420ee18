"""How likely is it that somebody wrote this text, in a language?

Letters and their frequencies tell in which encoding bytes are: those of 中国 in GB18030 are frequent characters there,
rare ones in Korean, and accented capitals one after the other in French. The likeliest reading of the same bytes is
right, however few there are. Which characters are frequent stands in `data/letters.tsv`.
"""

import unicodedata
from collections import Counter, defaultdict
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


@dataclass(frozen=True)
class Language:
    """What is known of a language: the logarithm of each character's frequency."""

    name: str
    script: Script
    letters: Mapping[str, float]

    def log_likelihood(self, counts: Mapping[str, int], together: Mapping[str, int]) -> float:
        """Of a text with so many of each character, and so many of each kind of pair; see `Reading`."""
        alone = sum(count * self._letter(letter) for letter, count in counts.items())
        return alone + sum(count * _TOGETHER[self.script].get(kind, 0.0) for kind, count in together.items())

    def _letter(self, letter: str) -> float:
        if (known := self.letters.get(letter)) is not None:
            return known
        if letter == "\ufffd" or "\ue000" <= letter <= "\uf8ff":
            return _BROKEN
        if letter < "\x80":
            return ASCII if letter.isprintable() or letter in "\t\n\r\f" else _CONTROL
        if letter < "\xa0":
            return _CONTROL
        if "\u4e00" <= letter <= "\u9fff":
            return _FURTHER["han"] if self.name in _HAN else _FURTHER["other"]
        if "\uac00" <= letter <= "\ud7a3":
            return _FURTHER["hangul"] if self.name == "ko" else _FURTHER["other"]
        return _FURTHER["other"] if self.script == "wide" else _LATIN_FURTHER


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
        return languages()[language].log_likelihood(self.counts, self.together)


@cache
def languages() -> Mapping[str, Language]:
    """All languages by their names."""
    letters: defaultdict[str, dict[str, float]] = defaultdict(dict)
    table = files("leitong.indexer.sources").joinpath("data/letters.tsv").read_text(encoding="utf-8")
    for line in table.splitlines():
        if not line.startswith("#"):
            name, share, characters = line.split("\t")
            weights = _weights(len(characters))
            for letter, weight in zip(characters, weights, strict=True):
                letters[name].setdefault(letter, log(float(share) * weight / sum(weights)))
    return {name: Language(name, _SCRIPTS.get(name, "latin"), known) for name, known in letters.items()}


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
