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
_WORD_SPAN: Final = 2
_SEPARATOR, _CHARACTER, _LETTER, _SIGN = 0, 1, 2, 3
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
_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
_WORD_BASE: Final = 0xD1342543DE82EF95
_RUN_BASE: Final = 0xD6E8FEB86659FD93


def _mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finaliser of splitmix64 (Steele, Lea, Flood 2014): every input bit reaches every output bit."""
    values = values ^ (values >> np.uint64(30))
    values *= np.uint64(0xBF58476D1CE4E5B9)
    values ^= values >> np.uint64(27)
    values *= np.uint64(0x94D049BB133111EB)
    values ^= values >> np.uint64(31)
    return values


@cache
def _classes() -> NDArray[np.uint8]:
    """What each character of the basic plane is: separator, character or letter of a word."""
    table = np.fromiter(
        (_LETTER if unicodedata.category(chr(code))[0] in "LNM" else _SEPARATOR for code in range(0x10000)),
        dtype=np.uint8,
        count=0x10000,
    )
    for first, last in _BLANKLESS:
        part = table[first : last + 1]
        part[part > 0] = _CHARACTER
    for sign in _SIGNS:
        table[[ord(sign), ord(sign) + _TO_FULL_WIDTH]] = _SIGN
    return table


@cache
def _character_hashes() -> NDArray[np.uint64]:
    table = _hash_codes(np.arange(0x10000, dtype=np.uint64))
    for sign in _SIGNS:
        table[ord(sign) + _TO_FULL_WIDTH] = table[ord(sign)]
    return table


def _hash_codes(codes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return _mix((codes + np.uint64(1)) * _GOLDEN)


def _powers(base: int, count: int) -> NDArray[np.uint64]:
    """base^0, base^1 … modulo 2^64."""
    powers = np.full(count, base, dtype=np.uint64)
    powers[0] = 1
    return np.cumprod(powers, dtype=np.uint64)


def _characters(text: str) -> tuple[NDArray[np.uint8], NDArray[np.uint64]]:
    """Class and hash of each character."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    if text.isascii() or not (astral := codes > 0xFFFF).any():
        return _classes()[codes], _character_hashes()[codes]
    low = np.where(astral, 0, codes)
    classes, hashes = _classes()[low], _character_hashes()[low]
    classes[astral] = [_class_beyond(code) for code in codes[astral].tolist()]
    hashes[astral] = _hash_codes(codes[astral].astype(np.uint64))
    return classes, hashes


def _class_beyond(code: int) -> int:
    if unicodedata.category(chr(code))[0] not in "LNM":
        return _SEPARATOR
    return _CHARACTER if 0x20000 <= code <= 0x3FFFF or 0x1B000 <= code <= 0x1B16F else _LETTER


def is_letter(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Which code points are letters or digits of the basic plane."""
    classes = _classes()[np.where(codes > 0xFFFF, 0, codes)]
    found: NDArray[np.bool_] = (classes == _CHARACTER) | (classes == _LETTER)
    return found


@dataclass(frozen=True)
class Units:
    """The units of some texts, one text after the other.

    `hashes` and `spans` have one entry a unit; text i owns entries bounds[i] to bounds[i + 1].
    """

    hashes: NDArray[np.uint64]
    spans: NDArray[np.int64]
    bounds: NDArray[np.int64]

    def of_each(self) -> list[NDArray[np.uint64]]:
        """The hashes of each text, in order."""
        return [self.hashes[start:end] for start, end in pairwise(self.bounds.tolist())]


def units(texts: Sequence[str]) -> Units:
    """The units of normalised texts."""
    together = "\n".join(texts)  # a line break is in no unit
    classes, hashes = _characters(together)
    classes = _with_signs(classes)
    letter = classes == _LETTER
    begins = classes > _SEPARATOR
    begins[1:] &= ~(letter[1:] & letter[:-1])
    starts = np.flatnonzero(begins)
    unit_hashes = hashes[starts]
    is_word = letter[starts]
    if is_word.any():
        places = np.flatnonzero(letter)
        first = np.flatnonzero(begins[places])
        lengths = np.diff(first, append=len(places))
        inside = np.arange(len(places)) - np.repeat(first, lengths)
        longest = 1 << int(lengths.max() - 1).bit_length()
        values = hashes[places] * _powers(_WORD_BASE, longest)[inside]
        unit_hashes[is_word] = _mix(np.add.reduceat(values, first))
    ends = np.cumsum([len(text) + 1 for text in texts], dtype=np.int64)
    bounds = np.concatenate([np.zeros(1, dtype=np.int64), np.searchsorted(starts, ends)])
    return Units(unit_hashes, np.where(is_word, _WORD_SPAN, 1), bounds)


def _with_signs(classes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Signs after a letter are letters, after other signs as those; elsewhere they separate."""
    sign = classes == _SIGN
    signs = np.flatnonzero(sign)
    if len(signs):
        before = np.where(sign, 0, np.arange(len(classes)))
        np.maximum.accumulate(before, out=before)
        classes[signs] = np.where(classes[before[signs]] == _LETTER, _LETTER, _SEPARATOR)
    return classes


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
    counts = np.diff(units.bounds)
    reach = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(units.spans)])  # the span before each unit
    text_reach = reach[units.bounds]
    short = np.diff(text_reach) < SPAN
    first_of_short = units.bounds[:-1][short & (counts > 0)]
    complete = reach[:-1] + SPAN <= np.repeat(text_reach[1:], counts)
    complete[first_of_short] = True
    starts = np.flatnonzero(complete)
    # For each place on the way, the unit that reaches it; a short text ends before.
    unit_at = np.repeat(np.arange(1, len(units.spans) + 1), units.spans)
    ends = unit_at[np.minimum(reach[starts] + SPAN, reach[-1]) - 1]
    if short.any():
        ends = np.minimum(ends, np.repeat(units.bounds[1:], counts)[starts])
    return Runs(_mix(_polynomials(units.hashes, starts, ends)), np.searchsorted(starts, units.bounds))


def _polynomials(hashes: NDArray[np.uint64], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The polynomial over units start to end - 1 of each run, whatever place it stands at."""
    values = np.zeros(len(starts), dtype=np.uint64)
    power = 1
    for step in range(SPAN):
        places = starts + step
        inside = places < ends
        if inside.all():
            values += hashes[places] * np.uint64(power)
        else:
            values[inside] += hashes[places[inside]] * np.uint64(power)
        power = power * _RUN_BASE & (1 << 64) - 1
    return values


def distinct(values: NDArray[np.uint64]) -> Shingles:
    """Shingles from values in any order."""
    ordered = np.sort(values)
    fresh = np.ones(len(ordered), dtype=np.bool_)
    fresh[1:] = ordered[1:] != ordered[:-1]
    return ordered[fresh]


def sketch(shingles: Shingles) -> Shingles:
    """The few shingles that are stored with a document: the smallest, as sampled from all by their hash.

    Two texts that share a passage share the part of it whose hashes are small enough for both, whatever else they
    hold: a share of the shingles below a fixed bound finds a short text inside a long one, a least number serves short
    texts (FracMinHash and bottom-k MinHash; Irber and others 2022, Broder 1997).
    """
    below = int(np.searchsorted(shingles, _SKETCH_BOUND))
    return shingles[: min(max(below, SKETCH_LEAST), SKETCH_MOST)]


def sketches(runs: Runs) -> list[list[int]]:
    """The sketch of each text; only those of short texts are found by sorting all shingles."""
    small = np.flatnonzero(runs.values < _SKETCH_BOUND)
    numbers: list[int] = runs.values[small].tolist()
    cuts: list[int] = np.searchsorted(small, runs.bounds).tolist()
    found = [sorted(set(numbers[start:end]))[:SKETCH_MOST] for start, end in pairwise(cuts)]
    for text, few in enumerate(found):
        if len(few) < SKETCH_LEAST:
            found[text] = distinct(runs.values[runs.bounds[text] : runs.bounds[text + 1]])[:SKETCH_LEAST].tolist()
    return found
