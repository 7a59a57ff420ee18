"""Short runs of neighbouring words or characters, as numbers: what two texts are compared by.

A unit is a character of a script without blanks between words (Chinese, Kana, Thai …) or a whole word of letters and
digits in any other. Punctuation, symbols and white space separate units and are otherwise ignored. A shingle is the
shortest run of units that spans 6, where a character spans 1 and a word spans 2: six Chinese characters, three English
words, or a mixture. A text that spans less is one shingle.

Hashes are polynomials over 64 bits with a final mixing step; they are stored with documents, so they never change.
"""

import unicodedata
from functools import cache
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
_WORD_SPAN: Final = 2
_SEPARATOR, _CHARACTER, _LETTER = 0, 1, 2
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
_WINDOW: Final = 1 << 15


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
    return table


@cache
def _character_hashes() -> NDArray[np.uint64]:
    return _hash_codes(np.arange(0x10000, dtype=np.uint64))


def _hash_codes(codes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return _mix((codes + np.uint64(1)) * _GOLDEN)


def _powers(base: int, count: int) -> NDArray[np.uint64]:
    """base^0, base^1 … modulo 2^64."""
    powers = np.full(count, base, dtype=np.uint64)
    powers[0] = 1
    return np.cumprod(powers, dtype=np.uint64)


@cache
def _run_powers() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Powers of the base and of its inverse."""
    size = _WINDOW + SPAN
    return _powers(_RUN_BASE, size), _powers(pow(_RUN_BASE, -1, 1 << 64), size)


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


def units(text: str) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Hash and span of each unit of a normalised text, in order."""
    if not text:
        return np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64)
    classes, hashes = _characters(text)
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
    return unit_hashes, np.where(is_word, _WORD_SPAN, 1)


def shingles(hashes: NDArray[np.uint64], spans: NDArray[np.int64]) -> Shingles:
    """Shingles of a text's units; none for a text without a letter or digit."""
    if not len(hashes):
        return hashes
    if int(spans.sum()) < SPAN:
        runs = _runs(hashes, np.array([0]), np.array([len(hashes)]))
    else:
        # A long text is taken in windows, so that the tables of powers stay small.
        runs = np.concatenate(
            [
                _window(hashes[start : start + _WINDOW + SPAN], spans[start : start + _WINDOW + SPAN])
                for start in range(0, len(hashes), _WINDOW)
            ]
        )
    values = _mix(runs)
    values.sort()
    fresh = np.ones(len(values), dtype=np.bool_)
    fresh[1:] = values[1:] != values[:-1]
    return values[fresh]


def _window(hashes: NDArray[np.uint64], spans: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The run that begins at each of the first units, as far as it is complete."""
    reach = np.concatenate([[0], np.cumsum(spans)])
    total = int(reach[-1])
    unit_at = np.repeat(np.arange(1, len(spans) + 1), spans)  # for each place on the way, the unit that reaches it
    starts = np.flatnonzero(reach[:-1] + SPAN <= total)[:_WINDOW]
    return _runs(hashes, starts, unit_at[reach[starts] + SPAN - 1])


def _runs(hashes: NDArray[np.uint64], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The polynomial over units start to end - 1, whatever place they stand at."""
    powers, inverses = _run_powers()
    sums = np.zeros(len(hashes) + 1, dtype=np.uint64)
    np.cumsum(hashes * powers[: len(hashes)], out=sums[1:])
    return (sums[ends] - sums[starts]) * inverses[starts]


def sketch(shingles: Shingles) -> Shingles:
    """The few shingles that are stored with a document: the smallest, as sampled from all by their hash.

    Two texts that share a passage share the part of it whose hashes are small enough for both, whatever else they
    hold: a share of the shingles below a fixed bound finds a short text inside a long one, a least number serves short
    texts (FracMinHash and bottom-k MinHash; Irber and others 2022, Broder 1997).
    """
    below = int(np.searchsorted(shingles, np.uint64((1 << 64) // SKETCH_SHARE)))
    return shingles[: min(max(below, SKETCH_LEAST), SKETCH_MOST)]
