"""Short runs of neighbouring words or characters, as numbers: what two texts are compared by.

A unit is a character of a script without blanks between words (Chinese, Kana, Thai …) or a whole word of letters and
digits in any other; + # % that follow a letter or digit belong to its word, so C, C++ and C# differ. Other punctuation,
symbols and white space separate units and are otherwise ignored. A shingle is the shortest run of units that spans 6,
where a character spans 1 and a word spans 2: six Chinese characters, three English words, or a mixture. A text that
spans less is one shingle.

Hashes are polynomials over 64 bits with a final mixing step; they are stored with documents, so they never change.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.fingerprint import kernels, sets
from leitong.indexer.fingerprint.kernels import (
    CHARACTER,
    LETTER,
    SEPARATOR,
    SIGN,
    cut_units,
    run_values,
)
from leitong.indexer.fingerprint.normalise import code_points

Shingles = NDArray[np.uint64]
"""Sorted distinct hashes."""

SPAN: Final = 6
SKETCH_SHARE: Final = 32
"""One shingle in so many is in a text's sketch …"""
SKETCH_LEAST: Final = 32
"""… but at least so many …"""
SKETCH_MOST: Final = 1024
"""… and at most so many."""
_SKETCH_BOUND: Final = np.uint64((1 << 64) // SKETCH_SHARE)
_SIGNS: Final = "+#%"
_TO_FULL_WIDTH: Final = 0xFEE0
_BLANKLESS: Final = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x3005, 0x3007),
    (0x3021, 0x312F),
    (0x31A0, 0x31BF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xA000, 0xA4CF),
    (0xAC00, 0xD7A3),
    (0xF900, 0xFAFF),
)


@cache
def _classes() -> NDArray[np.uint8]:
    """What each character of the basic plane is: separator, character or letter of a word."""
    table = np.fromiter(
        (LETTER if unicodedata.category(chr(code))[0] in "LNM" else SEPARATOR for code in range(0x10000)),
        dtype=np.uint8,
        count=0x10000,
    )
    for first, last in _BLANKLESS:
        part = table[first : last + 1]
        part[part > 0] = CHARACTER
    for sign in _SIGNS:
        table[[ord(sign), ord(sign) + _TO_FULL_WIDTH]] = SIGN
    return table


@cache
def _character_hashes() -> NDArray[np.uint64]:
    table = kernels.hash_characters(0x10000)
    for sign in _SIGNS:
        table[ord(sign) + _TO_FULL_WIDTH] = table[ord(sign)]
    return table


@cache
def letter_table() -> NDArray[np.bool_]:
    """Which characters of the basic plane are letters or digits; U+FFFF, which is none, stands for all beyond."""
    table: NDArray[np.bool_] = np.isin(_classes(), (CHARACTER, LETTER))
    return table


def _class_beyond(code: int) -> int:
    if unicodedata.category(chr(code))[0] not in "LNM":
        return SEPARATOR
    return CHARACTER if 0x20000 <= code <= 0x3FFFF or 0x1B000 <= code <= 0x1B16F else LETTER


def classes_of(codes: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """What each character is."""
    found: NDArray[np.uint8] = _classes()[np.minimum(codes, 0xFFFF)]
    beyond = codes > 0xFFFF
    found[beyond] = [_class_beyond(code) for code in codes[beyond].tolist()]
    return found


@dataclass(frozen=True)
class Units:
    """The units of some texts, one text after the other.

    `hashes` and `spans` have one entry a unit; text i owns entries bounds[i] to bounds[i + 1].
    """

    hashes: NDArray[np.uint64]
    spans: NDArray[np.uint8]
    bounds: NDArray[np.int64]

    def of_each(self) -> list[NDArray[np.uint64]]:
        """The hashes of each text, in order."""
        return [self.hashes[start:end] for start, end in pairwise(self.bounds.tolist())]


def units(texts: Sequence[str]) -> Units:
    """The units of normalised texts."""
    codes = code_points("".join(texts))
    ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
    beyond = np.unique(codes[codes > 0xFFFF])
    classes_beyond = np.array([_class_beyond(code) for code in beyond.tolist()], dtype=np.uint8)
    return Units(*cut_units(codes, ends, _classes(), _character_hashes(), beyond, classes_beyond))


@dataclass(frozen=True)
class Runs:
    """A hash for each shingle of some texts, in the order of the texts: text i owns bounds[i] to bounds[i + 1]."""

    values: NDArray[np.uint64]
    bounds: NDArray[np.int64]

    def of_each(self) -> list[NDArray[np.uint64]]:
        """The values of each text, in order; none for a text without a letter or digit."""
        return [self.values[start:end] for start, end in pairwise(self.bounds.tolist())]


def runs(units: Units) -> Runs:
    """Every shingle of each text, as often as it stands there."""
    return Runs(*run_values(units.hashes, units.spans, units.bounds, SPAN))


def distinct(values: NDArray[np.uint64]) -> Shingles:
    """Shingles from values in any order."""
    ordered = np.sort(values)
    fresh = np.ones(len(ordered), dtype=np.bool_)
    fresh[1:] = ordered[1:] != ordered[:-1]
    return ordered[fresh]


def shingle_sets(units: Units) -> list[Shingles]:
    """The shingles of each text, in order."""
    values, bounds = run_values(units.hashes, units.spans, units.bounds, SPAN)
    for start, end in pairwise(bounds.tolist()):
        values[start:end].sort()
    return Runs(*sets.drop_repeats(values, bounds)).of_each()


def words_and_pairs(units: Units) -> list[Shingles]:
    """A hash of each unit and of each two neighbouring ones of each text, in order."""
    return Runs(*sets.words_and_pairs(units.hashes, units.bounds)).of_each()


def sketch(shingles: Shingles) -> Shingles:
    """The few shingles that are stored with a document: the smallest, as sampled from all by their hash.

    Two texts that share a passage share the part of it whose hashes are small enough for both, whatever else they
    hold: a share of the shingles below a fixed bound finds a short text inside a long one, a least number serves short
    texts (FracMinHash and bottom-k MinHash; Irber and others 2022, Broder 1997).
    """
    below = int(np.searchsorted(shingles, _SKETCH_BOUND))
    return shingles[: min(max(below, SKETCH_LEAST), SKETCH_MOST)]


def sketches(runs: Runs) -> list[Shingles]:
    """The sketch of each text, without sorting its shingles."""
    return Runs(*sets.smallest(runs.values, runs.bounds, _SKETCH_BOUND, SKETCH_LEAST, SKETCH_MOST)).of_each()
