"""How alike are two texts of a few letters? They are compared letter by letter: a match is as long as about one letter
in eight is another.

    letters, weight  letters of a text (see `short`), and their weight: runs of six that many texts have count less.
                     Vowels that are signs (see `signs`) are letters where there are more than eight others: हेनान and
                     हुनान are two names of three letters, in which one sign is another
    similarity       1 - edits / (.2 * the lesser sqrt(letters * weight)), at least 0
                     * .3 where the numbers alone differ: part 1 and part 2 of a series; where the words with numbers
                     alone do, and their digits: SAA7231E and TSA7233 of one maker; and where the first or the last
                     word alone does: how to create a thing and how to delete it
    share            the part of the longer text's letters that stay, on both sides
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.duplicates.commonness.boilerplate import WEIGHTS, Boilerplate
from leitong.indexer.duplicates.comparing.edit_distance import edit_distances, rows_of
from leitong.indexer.duplicates.comparing.profile import Floats, Profile
from leitong.indexer.fingerprint.short import Letters, windows
from leitong.indexer.fingerprint.signs import are_signs
from leitong.indexer.fingerprint.spelling import numbered

_EDITS: Final = 0.2
_SERIES: Final = 0.3
_FEW: Final = 8
"""Texts of so many letters match if they are equal: one of them is too much to be another."""
_AT_ONCE: Final = 4_000
_IS_NUMERAL: Final = np.bincount(list(map(ord, "0123456789〇零一二三四五六七八九十百千两")), minlength=0x110000) > 0
"""Of each character, whether it is a digit or a Chinese numeral."""


def short_pairs(one: Sequence[Profile], other: Sequence[Profile]) -> NDArray[np.bool_]:
    """Of which pairs one[i], other[i] both texts are short."""
    return np.array(
        [len(a.letters) > 0 and len(b.letters) > 0 for a, b in zip(one, other, strict=True)], dtype=np.bool_
    )


def letter_weight(letters: Letters, boilerplate: Boilerplate) -> float:
    """Letters in runs that many texts have weigh less."""
    codes, _ = boilerplate.look_up(windows(letters))
    return len(letters) * float(WEIGHTS[codes].mean()) if len(codes) else float(len(letters))


def alike_letters(one: Sequence[Profile], other: Sequence[Profile]) -> tuple[Floats, Floats]:
    """Similarity and share of each pair one[i], other[i] of short texts."""
    similarity, share = np.empty(len(one)), np.empty(len(one))
    for start in range(0, len(one), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        similarity[some], share[some] = _alike(one[some], other[some])
    return similarity, share


def are_of_one_series(one: Profile, other: Profile) -> bool:
    """Whether two short texts that are similar differ only in numbers, a model, or a word at an end."""
    if not (len(one.letters) and len(other.letters)):
        return False
    return (
        _only_numbers_differ(one.letters, other.letters)
        or another_word(one.letters, other.letters)
        or _other_model(one, other)
    )


def another_word(one: Letters, other: Letters) -> bool:
    """Whether two texts are the same but for a piece at their beginning or end, and that is quite another in each: at
    least two letters, none of them in both (to create a thing and to delete it)."""
    shorter = min(len(one), len(other))
    before = _same_beginning(one, other)
    behind = min(_same_beginning(one[::-1], other[::-1]), shorter - before)
    if (before and behind) or (not before and not behind):
        return False
    left, right = one[before : len(one) - behind], other[before : len(other) - behind]
    return min(len(left), len(right)) > 1 and not np.isin(left, right).any()


def _alike(one: Sequence[Profile], other: Sequence[Profile]) -> tuple[Floats, Floats]:
    away = edit_distances([profile.letters for profile in one], [profile.letters for profile in other])
    sizes, evidence = [], []
    for side in (one, other):
        size = np.array([len(profile.letters) for profile in side], dtype=np.float64)
        sizes.append(size)
        evidence.append(np.sqrt(size * np.array([profile.letter_weight for profile in side])) * _written(side, size))
    similarity = np.maximum(0.0, 1 - away / (_EDITS * np.minimum(*evidence)))
    for place in np.flatnonzero(similarity).tolist():
        if are_of_one_series(one[place], other[place]):
            similarity[place] *= _SERIES
    return similarity, 1 - away / np.maximum(*sizes)


def _written(side: Sequence[Profile], sizes: Floats) -> Floats:
    """By how much texts are shorter where their vowels are signs on few letters, of which there must be one."""
    signs = are_signs(rows_of([profile.letters for profile in side])[0]).sum(axis=1)
    written: Floats = np.where((signs < sizes) & (sizes - signs <= _FEW), 1 - signs / sizes, 1.0)
    return written


def _other_model(one: Profile, other: Profile) -> bool:
    """Whether two short texts of words are the same but for those with numbers, and these have other digits."""
    if not (len(one.spelled) and len(other.spelled) and _other_numbers(one.letters, other.letters)):
        return False
    left, right = numbered(one.units, one.spelled), numbered(other.units, other.spelled)
    return bool(left.any() and right.any() and np.array_equal(one.units[~left], other.units[~right]))


def _only_numbers_differ(one: Letters, other: Letters) -> bool:
    """Whether two texts that are not equal would be without their numbers: 12 and 13, 三次 and 四次."""
    left, right = _IS_NUMERAL[one], _IS_NUMERAL[other]
    return bool(left.any() and right.any() and np.array_equal(one[~left], other[~right]) and _other_numbers(one, other))


def _other_numbers(one: Letters, other: Letters) -> bool:
    """Whether the digits and Chinese numerals of two texts are not the same."""
    return not np.array_equal(one[_IS_NUMERAL[one]], other[_IS_NUMERAL[other]])


def _same_beginning(one: Letters, other: Letters) -> int:
    """How many letters both have before they differ."""
    shorter = min(len(one), len(other))
    differs = np.flatnonzero(one[:shorter] != other[:shorter])
    return int(differs[0]) if len(differs) else shorter
