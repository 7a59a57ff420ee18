"""How are a text's words spelled? A word that is misread or mistyped is another word to whoever compares shingles, and
three of those with it. What is said of the words here serves to see that only a letter of them differs.

Texts of so few letters that it matters are spelled out, and only where most units are words: of a script without
blanks a wrong letter spoils one unit.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.fingerprint.compiled import compiled
from leitong.indexer.fingerprint.kernels import CHARACTER, LETTER, SEPARATOR, SIGN, WORD_SPAN
from leitong.indexer.fingerprint.normalise import code_points
from leitong.indexer.fingerprint.shingles import classes_of

MOST: Final = 10_000
"""Characters of the longest text that is spelled out."""
NUMBERED: Final = 1
"""Before the letters of a word with a number."""
_IN_ONE: Final = 4
"""Letters in a number of 64 bits."""

Units = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Spelling:
    """The hashes of a text's units, in order, and the letters of each, which a zero ends: of 16 bits, four to a number.

    A unit that is a character has none, a word with a sign its first one alone; NUMBERED stands before those of a word
    with a number. Empty for a text that is not spelled out.
    """

    units: Units
    letters: NDArray[np.uint64]


def numbered(units: Units, letters: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Which units of a spelling are words with a number."""
    each = letters.view(np.uint16)
    ends = np.flatnonzero(each == 0)[: len(units)]
    starts = np.append(0, ends + 1)[: len(units)]
    found: NDArray[np.bool_] = each[starts] == NUMBERED
    return found


def spellings(texts: Sequence[str], cut: Sequence[tuple[Units, NDArray[np.uint8]]]) -> Iterator[Spelling]:
    """Of each normalised text, given its units and their spans."""
    none = np.empty(0, dtype=np.uint64)
    wanted = [
        len(text) <= MOST and 2 * np.count_nonzero(spans == WORD_SPAN) > len(spans)
        for text, (_, spans) in zip(texts, cut, strict=True)
    ]
    chosen = [text for text, asked in zip(texts, wanted, strict=True) if asked]
    codes = code_points("".join(chosen))
    ends = np.cumsum([len(text) for text in chosen], dtype=np.int64)
    letters, bounds = _letters(codes, classes_of(codes), _numbers()[np.minimum(codes, 0xFFFF)], ends)
    whole = letters.view(np.uint64)
    places = pairwise((bounds // _IN_ONE).tolist())
    for asked, (units, _) in zip(wanted, cut, strict=True):
        if asked:
            start, end = next(places)
            yield Spelling(units, whole[start:end])
        else:
            yield Spelling(none, none)


@cache
def _numbers() -> NDArray[np.bool_]:
    """Which characters of the basic plane stand for numbers."""
    return np.fromiter((chr(code).isnumeric() for code in range(0x10000)), dtype=np.bool_, count=0x10000)


@compiled
def _letters(
    codes: NDArray[np.uint32], kinds: NDArray[np.uint8], numbers: NDArray[np.bool_], ends: NDArray[np.int64]
) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
    """The letters of the units of each text, and where each text's begin."""
    found = np.zeros((2 * len(codes) + 8 * len(ends)) // 4 * 4, dtype=np.uint16)
    bounds = np.zeros(len(ends) + 1, dtype=np.int64)
    count = place = 0
    for text in range(len(ends)):
        first, plain, number = -1, True, False
        while place <= ends[text]:
            kind = kinds[place] if place < ends[text] else SEPARATOR
            if kind == SIGN and first < 0:
                kind = SEPARATOR
            if kind in (LETTER, SIGN):
                if first < 0:
                    first, plain, number = count, True, False
                plain &= kind == LETTER
                number |= numbers[place]
                found[count] = max(NUMBERED + 1, codes[place] & 0xFFFF)
                count += 1
            elif first >= 0:
                if not plain:
                    found[first + 1 : count] = 0
                    count = first + 1
                if number:
                    for letter in range(count, first, -1):
                        found[letter] = found[letter - 1]
                    found[first] = NUMBERED
                    count += 1
                count += 1
                first = -1
            count += kind == CHARACTER
            place += 1
        place = ends[text]
        count = (count + 3) // 4 * 4
        bounds[text + 1] = count
    return found[:count].copy(), bounds
