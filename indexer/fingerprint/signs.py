"""Which signs belong to a word where a script writes vowels as signs on its letters?

Hindi, Tamil, Burmese, Thai and many others cannot be read without them; Arabic and Hebrew are mostly written without.
The segmenters were made for letters and end a word at each sign, and so fingerprints see pieces of such words. Who
searches means words: a search finds them by what this makes of them. All of it is for normalised text.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.fingerprint.normalise import HAN, OutsideOf, char_class
from leitong.indexer.fingerprint.segment import BLANKLESS_RUN

_ZONES: Final = ((0x0483, 0x1CFF), (0xA66F, 0xABFF))
"""Where scripts have such signs. Accents, which other letters have, are outside."""
_POINTS: Final = ((0x0591, 0x05C7), (0x0610, 0x061A), (0x064B, 0x065F), (0x0670, 0x0670), (0x06D6, 0x06ED))
"""Of Hebrew and Arabic: vowels, and how a text is recited."""
_JOINERS: Final = "\u200c\u200d"


def _signs() -> str:
    codes = (chr(code) for first, last in _ZONES for code in range(first, last + 1))
    found = "".join(code if unicodedata.category(code) in ("Mn", "Mc") else " " for code in codes).split()
    return char_class(tuple((ord(run[0]), ord(run[-1])) for run in found))


SIGNS: Final = _signs()
"""The inside of a regular expression's brackets."""
_SIGN: Final = re.compile(f"[{SIGNS}]")
_LETTER: Final = f"[^\\W_{char_class(HAN)}]"
_RUN: Final = re.compile(f"{_LETTER}++(?:[{SIGNS}{_JOINERS}]++{_LETTER}*+)*+")
"""All letters that follow each other, with signs or without, and never read twice: some text is one long word."""
_CLUSTER: Final = re.compile(f".[{SIGNS}{_JOINERS}]*", re.DOTALL)
_NOT_WRITTEN: Final = re.compile(f"[{char_class(_POINTS)}{_JOINERS}]")
_may_hold: Final = OutsideOf(((0x0000, 0x0482), (0x1D00, 0xA66E), (0xAC00, 0xFFFF)))


def holds_signs(text: str) -> bool:
    """Whether some letter may have a sign; most texts say no at the cost of a glance."""
    return _may_hold(text) and _SIGN.search(text) is not None


def parted(text: str) -> Iterator[tuple[str, bool]]:
    """The text in pieces, in order, and of each whether it is a run of letters with signs."""
    end = 0
    for run in _RUN.finditer(text):
        if _SIGN.search(run.group()):
            yield text[end : run.start()], False
            yield run.group(), True
            end = run.end()
    yield text[end:], False


def words(run: str) -> Iterator[str]:
    """The words of such a run as they stand there: all of it, or of scripts without blanks each two neighbouring
    letters with their signs."""
    for place, part in enumerate(BLANKLESS_RUN.split(run)):
        if place % 2 == 0:
            if part:
                yield part
            continue
        letters = _CLUSTER.findall(part)
        if len(letters) == 1:
            yield part
        for one, other in pairwise(letters):
            yield one + other


def are_signs(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Which code points are such signs."""
    found: NDArray[np.bool_] = _table()[np.minimum(codes, np.uint32(len(_table()) - 1))]
    return found


@cache
def _table() -> NDArray[np.bool_]:
    """Of each character up to the last that may be one; the next stands for all beyond."""
    return np.array([_SIGN.match(chr(code)) is not None for code in range(_ZONES[-1][1] + 2)])


def without_points(word: str) -> str:
    """The word as most people write it."""
    return _NOT_WRITTEN.sub("", word) if _may_hold(word) else word


def is_one_letter(word: str) -> bool:
    """Whether a word is one letter with its signs, of a script without blanks: longer words hold it."""
    return len(word) > 1 and BLANKLESS_RUN.fullmatch(word) is not None and len(_CLUSTER.findall(word)) == 1
