"""What is the same letter? Width, case and compatibility forms are folded before words are cut; where a recipe asks for
it, Traditional characters are read as Simplified ones.

NFKC is applied wherever it can change a letter or a digit; full-width punctuation stays as it is, since punctuation is
never part of a feature. That keeps the cost of folding far below the cost of cutting words.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.fingerprint.kernels import lower_plain

SIMPLIFIED: Final = "simplified"
SCRIPTS: Final = ("", SIMPLIFIED)
"""Chinese characters as they stand, or Traditional ones as the Simplified ones they became."""

HAN: Final = ((0x3005, 0x3007), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))
"""Code points of Chinese characters, inclusive ranges."""

# NFKC leaves these alone, or changes only punctuation that is no part of a word: nearly all of a Chinese text.
_UNTOUCHED: Final = (
    (0x00, 0x7F),
    (0x2010, 0x2027),
    (0x3001, 0x3020),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xFF01, 0xFF0F),
    (0xFF1A, 0xFF20),
    (0xFF3B, 0xFF40),
    (0xFF5B, 0xFF64),
)


def char_class(ranges: tuple[tuple[int, int], ...]) -> str:
    """The inside of a regular expression's brackets for inclusive ranges of code points."""
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges)


class OutsideOf:
    """Tells whether a text holds a character outside some ranges, at a tenth of a regular expression's cost.

    `table` says it of each character of the basic plane.
    """

    def __init__(self, ranges: tuple[tuple[int, int], ...]) -> None:
        self.table: NDArray[np.bool_] = np.ones(0x10000, dtype=np.bool_)
        for first, last in ranges:
            self.table[first : last + 1] = False

    def __call__(self, text: str) -> bool:
        """True when some character is outside; every character beyond U+FFFF is."""
        if text.isascii():
            return False
        units = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), dtype="<u2")
        return bool(self.table[units].any())


PLAIN: Final = char_class(_UNTOUCHED)
"""The inside of a regular expression's brackets: letters of which normalising changes the case at most."""
_touched: Final = OutsideOf(_UNTOUCHED)
_TOUCHED_RUN: Final = re.compile(f"[^{PLAIN}]+")


def normalise(text: str, *, script: str = "") -> str:
    """Fold width, compatibility forms, loose accents and case; punctuation and white space stay.

    `script` is one of `SCRIPTS`.
    """
    return _lowered(_folded(text) if _touched(text) else text, script)


def code_points(text: str) -> NDArray[np.uint32]:
    """The characters of a text as numbers, halves of characters too."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint32, copy=False)


def _lowered(folded: str, script: str) -> str:
    lowered = folded.lower()
    return lowered.translate(_simplified()) if script == SIMPLIFIED else lowered


class Folded(NamedTuple):
    """A normalised text; `plain` when nothing but ASCII, Chinese characters and their punctuation is in it."""

    text: str
    plain: bool


def normalise_all(texts: Sequence[str], *, script: str = "") -> list[Folded]:
    """`normalise` for many texts, which are looked through and lowered at once: a fraction of the cost."""
    ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
    # Where nothing is touched only A to Z have a small letter.
    lowered, touched = lower_plain(code_points("".join(texts)), ends, _touched.table)
    if script == SIMPLIFIED:
        basic = lowered < 0x10000
        lowered[basic] = _simplified_codes()[lowered[basic]]
    plain = lowered.astype("<u4", copy=False).tobytes().decode("utf-32-le", "surrogatepass")
    starts = [0, *ends.tolist()]
    return [
        Folded(_lowered(_folded(text), script), False) if found else Folded(plain[start:end], True)
        for text, found, (start, end) in zip(texts, touched.tolist(), pairwise(starts), strict=True)
    ]


@cache
def _simplified() -> dict[int, str]:
    """The Simplified form of each Traditional character that has one of its own in the basic plane."""
    resource = files("leitong.indexer.fingerprint") / "data" / "simplified.txt"
    traditional, simplified = resource.read_text(encoding="utf-8").split()
    return {ord(one): other for one, other in zip(traditional, simplified, strict=True)}


@cache
def _simplified_codes() -> NDArray[np.uint32]:
    """The same for each code of the basic plane."""
    codes = np.arange(0x10000, dtype=np.uint32)
    for one, other in _simplified().items():
        if one < len(codes):
            codes[one] = ord(other)
    return codes


def _folded(text: str) -> str:
    """NFKC of every run that it can change, with the letter before a run that begins with an accent.

    Case is folded first: some accents have a composed form with the small letter only.
    """
    parts: list[str] = []
    end = 0
    for run in _TOUCHED_RUN.finditer(text):
        start = run.start()
        if start > end and "\u0300" <= text[start] <= "\u036f":
            start -= 1
        parts.append(text[end:start])
        end = run.end()
        parts.append(unicodedata.normalize("NFKC", text[start:end].lower()))
    parts.append(text[end:])
    return "".join(parts)
