"""How is a text cut into words?

Four segmenters, all on normalised text (see `normalise`). The Chinese ones are made for Han characters and ASCII only:
they break every other script into single letters. `_Mixed` therefore hands them just that part and cuts the rest by
Unicode words, so Chinese, English, French, Russian or Arabic may stand in one text.
"""

import importlib.util
import re
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib.machinery import PathFinder
from typing import Any, Final, Protocol

from leitong.indexer.fingerprint.normalise import HAN, OutsideOf, char_class

_BLANKLESS: Final = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Burmese
    (0x1780, 0x17FF),  # Khmer
    (0x3040, 0x30FF),  # Kana
    (0x31F0, 0x31FF),
)
_HAN: Final = char_class(HAN)
_FOREIGN_LETTER: Final = f"[^\\W\\d_a-z{_HAN}]"  # a letter that the Chinese segmenters do not know
_FOREIGN_RUN: Final = re.compile(
    f"((?<![a-z0-9])[a-z0-9]*+{_FOREIGN_LETTER}(?:[a-z0-9\u0300-\u036f]|{_FOREIGN_LETTER})*+)"
)
"""Begins where no letter is before it, so that a long word is not read again from each of its letters."""
BLANKLESS_RUN: Final = re.compile(f"([{char_class(_BLANKLESS)}]+)")
"""Letters, and their signs, of scripts other than Chinese that put no blanks between words: cut in pairs."""
WITHOUT_BLANKS: Final = re.compile(f"[{char_class(_BLANKLESS)}{_HAN}]")
"""A character of a script that puts no blanks between words, so that words stand inside longer ones."""
_WORD: Final = re.compile(f"[{_HAN}]|[^\\W_{_HAN}]+(?:['’][^\\W\\d_{_HAN}]+)*")
_LETTERS: Final = re.compile(r"[^\W_]+")
_may_be_foreign: Final = OutsideOf(((0x00, 0x7F), (0x2010, 0x2027), (0x3000, 0x303F), (0xFF00, 0xFF65), *HAN[:4]))


class Segmenter(Protocol):
    """Cuts normalised text into words. Tokens without a letter or digit may be among them; they are no features.

    `covers`: the words of a plain text (see `cut`), one after the other, are that text.
    `ends_at_signs`: signs on letters (see `signs`) end a word, else they are skipped.
    """

    @property
    def covers(self) -> bool: ...

    @property
    def ends_at_signs(self) -> bool: ...

    def cut(self, text: str, *, plain: bool = False) -> list[str]:
        """The words of the text, in order, nothing but separators left out.

        With `plain` the caller knows that the text holds ASCII, Chinese characters and their punctuation only.
        """
        ...

    def subwords(self, word: str) -> list[str]:
        """Shorter words inside this one by which a search should find it too; the word itself is not among them."""
        ...

    def is_part(self, word: str) -> bool:
        """Whether a word of a question is so short that texts hold it inside their words, no `subwords` of them."""
        ...


def bigrams(run: str) -> Iterator[str]:
    """Pairs of neighbouring characters, for scripts that put no blanks between words."""
    if len(run) == 1:
        yield run
    for start in range(len(run) - 1):
        yield run[start : start + 2]


class _Mixed:
    """A Chinese segmenter for the Han and ASCII part of a text, Unicode words for the rest."""

    covers: Final = True
    ends_at_signs: Final = True

    def __init__(self, *, cut: Callable[[str], list[str]], cut_all: Callable[[str], list[str]]) -> None:
        self._cut = cut
        self._cut_all = cut_all

    def cut(self, text: str, *, plain: bool = False) -> list[str]:
        if plain or not _may_be_foreign(text):
            return self._cut(text)
        words: list[str] = []
        for place, part in enumerate(_FOREIGN_RUN.split(text)):
            if place % 2 == 0:
                if part:
                    words += self._cut(part)
            else:
                words += _cut_foreign(part)
        return words

    def subwords(self, word: str) -> list[str]:
        if len(word) < 3 or word.isascii():
            return []
        return [part for part in self._cut_all(word) if 1 < len(part) < len(word)]

    def is_part(self, word: str) -> bool:
        return len(word) == 1 and WITHOUT_BLANKS.match(word) is not None


def _cut_foreign(run: str) -> Iterator[str]:
    for place, part in enumerate(BLANKLESS_RUN.split(run)):
        if place % 2:
            yield from bigrams(part)
        elif part:
            yield part


def _rjieba() -> Any:
    """The module that holds the class. Its package would read the dictionary for a cutter of its own, which everybody
    shares and may add words to, and would take as long again."""
    name = "rjieba.rjieba"
    if name not in sys.modules:
        package = importlib.util.find_spec("rjieba")
        spec = PathFinder.find_spec(name, package.submodule_search_locations if package else None)
        if spec is None or spec.loader is None:
            raise ImportError("rjieba is not installed as it should be; install leitong again", name=name)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        sys.modules[name] = module  # there for the package, should somebody import it
    return sys.modules[name]


@lru_cache(maxsize=4)
def rjieba(user_words: tuple[str, ...] = ()) -> Segmenter:
    """Jieba's method in Rust, about thirty times as fast as the Python package. The default."""
    cutter = _rjieba().Jieba()
    for word in user_words:
        cutter.add_word(word, None, None)
    return _Mixed(cut=cutter.cut, cut_all=cutter.cut_all)


@lru_cache(maxsize=4)
def tagger(user_words: tuple[str, ...] = ()) -> Callable[[str], str]:
    """Tells a word's part of speech by jieba's dictionary, in the tags of ICTCLAS: n…, v…, u…; "" for unknown words.

    The tag depends on the word alone. What is cut further is not in the dictionary.
    """
    cutter = _rjieba().Jieba()
    for word in user_words:
        cutter.add_word(word, None, "n")

    def tag(word: str) -> str:
        found = cutter.tag(word)
        return str(found[0][1]) if len(found) == 1 else ""

    return tag


@lru_cache(maxsize=4)
def jieba(user_words: tuple[str, ...] = ()) -> Segmenter:
    """The original Python package."""
    import logging
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it imports pkg_resources and uses escapes that newer Pythons complain about
        import jieba as implementation

    implementation.setLogLevel(logging.ERROR)
    cutter = implementation.Tokenizer()
    for word in user_words:
        cutter.add_word(word)
    return _Mixed(cut=cutter.lcut, cut_all=lambda word: list(cutter.cut(word, cut_all=True)))


class UnicodeWords:
    """Runs of letters and digits; every Han character is a word, scripts without blanks are cut in pairs."""

    covers: Final = False
    ends_at_signs: Final = True

    def cut(self, text: str, *, plain: bool = False) -> list[str]:
        words: list[str] = []
        for word in _WORD.findall(text):
            words += [word] if word.isascii() else _cut_foreign(word)
        return words

    def subwords(self, word: str) -> list[str]:
        return []

    def is_part(self, word: str) -> bool:
        return len(word) == 1 and BLANKLESS_RUN.match(word) is not None


class CharacterNgrams:
    """Every n neighbouring letters or digits, punctuation and white space skipped. Needs no dictionary."""

    covers: Final = False
    ends_at_signs: Final = False

    def __init__(self, n: int) -> None:
        self._n = n

    def cut(self, text: str, *, plain: bool = False) -> list[str]:
        letters = "".join(_LETTERS.findall(text))
        if len(letters) <= self._n:
            return [letters] if letters else []
        return [letters[start : start + self._n] for start in range(len(letters) - self._n + 1)]

    def subwords(self, word: str) -> list[str]:
        return []

    def is_part(self, word: str) -> bool:
        return len(word) < self._n
