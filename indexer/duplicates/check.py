"""How much do two texts share? The texts decide; fingerprints only found the candidate.

    n, w             shingles of a text, and their weight: 1 - w / n of it is boilerplate
    common           weight of the shingles that both have
    share            common / w of the first text; share_other likewise
    evidence         the lesser of sqrt(w * n * d) of the two texts, d the greater of their w / n
    similarity       common / (evidence + SHRINK)

Where neither is boilerplate, evidence is the weight of the lighter text: similarity is the share of it that stands in
the other. A text that is mostly boilerplate has little weight left and is not believed to be contained in a long one on
that little: its evidence lies half way, in logarithms, to what it would weigh without boilerplate. SHRINK is weight
without which nothing is certain: it keeps a handful of shared shingles from being a match.

Pages of one template differ in little but their subject, and the subject stands in the title. So where texts have lost
weight to boilerplate and have titles, half of what was lost is put back on both sides of the fraction: in full where
the titles say the same, hardly at all where they do not. And where much was lost and the titles differ, the rest is
doubted too. Titles only speak where boilerplate has silenced the text, or where they are themselves of one pattern (one
piece in another's place) and each text is about its own piece: a copied article under another headline stays a copy. So
does one under the same headline with a word replaced, or with the name of another site behind it.

    lost             (n - w) / 2 of the text that lost less; 0 where it is at most .5 or a title is missing
    alike            Dice coefficient of the titles' words and pairs of words, each word counted once, or by its weight
    titles           (the lesser alike) ^ 4
    similarity       (common + lost * titles * similarity) / (evidence + lost + SHRINK)
    template         0 up to .15 of boilerplate, in the text that has more, 1 from .35
    around           where one piece of the one title stands in the place of a piece of the other: how much of the
                     shorter title's letters stands before and behind it; else 0
    told             of the words and pairs of words that one title has alone: the share that its text has once more;
                     the lesser of both texts
    sisters          (0 where around is at most .3, 1 from .6) * (.4 where told is at most .5, 1 from .8)
                     * (1 - alike by weight ^ 4)
    family           0 without boilerplate, in the text that has more, 1 from .05
    form             0 up to .06 of boilerplate, in the text that has less, 1 from .15
    similarity       similarity * (1 - max(.8 * doubtful * (1 - titles), min(.8, .5 * (family + form) * sisters)))
                     where a title is missing: similarity * (1 - .24 * doubtful * (1 - similarity))

Two texts of one form should also name the same things; how much of what they name is foreign to the other one is found
out in `subjects`. Titles that differ say more there.

    strange          0 where nothing is foreign, 1 from .05
    doubtful         the greater of template and form * strange
    stranger         0 where .05 is foreign, 1 from .2
    similarity       similarity * (1 - .6 * form * stranger)

And where both are hardly more than a form, some of the form is not enough:

    mere             0 up to .25 of boilerplate, in the text that has less, 1 from .4
    little           shingles that both have, by those that any has, boilerplate or not: 1 up to .3 of them, 0 from .5
    similarity       similarity * (1 - .5 * mere * little * (1 - similarity))

Pages of a series differ in their numbers (see `numbers`): of the places at which both texts have a number, `changed`
have no number in common.

    similarity       similarity * (1 - .7 * changed / (places + 3))

Pages under one title may be about two things, which they say first (see `openings`). Where both are of one form:

    one_title        0 where at most half of the titles' words and pairs of words is the same, 1 from three quarters
    apart            0 where 1 is unsaid, 1 from 3
    similarity       similarity * (1 - .4 * form * one_title * apart)

Titles, foreign things and openings are no reason to doubt texts with hardly any form that are nearly the same all
through. Each of these doubts is taken times 1 - whole:

    whole            the lesser share: 0 up to .9, 1 from .95; times, of the text that has more boilerplate: 1 up to .1
                     of it, 0 from .2

Nor are foreign things and openings where two texts have more in common than any form accounts for: the next edition of
a long document has other authors, other dates and new terms. Both doubts are taken times 1 - bulk as well:

    bulk             common: 0 up to 1,000, 1 from 3,000; times the lesser share: 0 up to .5, 1 from .7

Nor are titles where texts are nearly the same, form and all, and do not name again what their titles alone say: that is
a copy under another headline. What titles give reason to doubt is taken times 1 - copied:

    copied           the lesser share, by weight and by number of shingles: 0 up to .85, 1 from .95; times: 1 where told
                     is at most .2, 0 from .5

Texts of up to 2,000 characters whose units are mostly words may be misread or mistyped. Where the lighter one has .1 to
.5 of its weight in common with the other, and would have .5 if misspelled words (see `misspelled`) were those of the
other text, `common` is what it would be then.

Two short texts (see `short`) are compared letter by letter instead: a match is as long as about one letter in eight is
another.

    letters, weight  letters of a text, and their weight: runs of six that many texts have count less. Vowels that are
                     signs (see `signs`) are letters where there are more than eight others: हेनान and हुनान are two
                     names of three letters, in which one sign is another
    similarity       1 - edits / (.2 * the lesser sqrt(letters * weight)), at least 0
                     * .3 where the numbers alone differ: part 1 and part 2 of a series; where the words with numbers
                     alone do, and their digits: SAA7231E and TSA7233 of one maker; and where the first or the last
                     word alone does, see `short`: how to create a thing and how to delete it
    share            the part of the longer text's letters that stay, on both sides

Numbering (see `numbering`) is left out of titles, terms, openings and numbers.

The constants were chosen on labelled Chinese news and on the Chinese documentation of an API, and judged on halves of
the labels that they were not chosen on: see docs/accuracy.md.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.documents import Kind
from leitong.indexer.duplicates.boilerplate import WEIGHTS, Boilerplate
from leitong.indexer.duplicates.edit_distance import edit_distances, rows_of
from leitong.indexer.duplicates.misspelled import restored
from leitong.indexer.duplicates.openings import opening, unsaid
from leitong.indexer.duplicates.overlap import shared
from leitong.indexer.duplicates.profile import CODE_BITS, Floats, Profile, Sides, in_common, ramp
from leitong.indexer.duplicates.subjects import foreign
from leitong.indexer.duplicates.titles import alike_titles, copied_texts, sister_titles
from leitong.indexer.fingerprint.numbers import NUMBER_BITS
from leitong.indexer.fingerprint.shingles import Shingles
from leitong.indexer.fingerprint.short import Letters, another_word, only_numbers_differ, other_numbers, windows
from leitong.indexer.fingerprint.signs import are_signs
from leitong.indexer.fingerprint.spelling import numbered
from leitong.indexer.fingerprint.terms import TERM_BITS, Terms, term_counts
from leitong.indexer.passages import Text

MIN_SIMILARITY: Final = 0.39
"""From here on two documents are a match, by default."""
_SHRINK: Final = 5.0
_NEAR_SHARE: Final = 0.5
_PUT_BACK: Final = 0.5
_DOUBT: Final = 0.8
_DOUBT_UNTITLED: Final = 0.24
_DOUBT_PATTERN: Final = 0.5
_TEMPLATE: Final = (0.15, 0.35)
_FAMILY: Final = (0.0, 0.05)
_FORM: Final = (0.06, 0.15)
_SERIES: Final = 0.7
_FEW_NUMBERS: Final = 3
_DOUBT_STRANGE: Final = 0.6
_STRANGE: Final = (0.0, 0.05)
_STRANGER: Final = (0.05, 0.2)
_DOUBT_MERE: Final = 0.5
_MERE: Final = (0.25, 0.4)
_LITTLE: Final = (0.3, 0.5)
_DOUBT_OPENING: Final = 0.4
_ONE_TITLE: Final = (0.5, 0.75)
_APART: Final = (1.0, 3.0)
_WHOLE: Final = (0.9, 0.95)
_HARDLY: Final = (0.1, 0.2)
_BULK: Final = (1_000.0, 3_000.0)
_BULK_SHARE: Final = (0.5, 0.7)
_SHORT_EDITS: Final = 0.2
_SHORT_SERIES: Final = 0.3
_FEW_LETTERS: Final = 8
"""Texts of so many letters match if they are equal: one of them is too much to be another."""
_SHORT_AT_ONCE: Final = 4_000
_SPELLED: Final = (0.1, 0.5)
"""Shares of the lighter text: from the first on it is asked whether words are misspelled, up to the second, which both
texts must have then."""
_HASH_BITS: Final = 44


@dataclass(frozen=True)
class Likeness:
    """What was found for each of some pairs of texts; arrays of one length, 0…1 each."""

    similarity: Floats
    share: Floats
    share_other: Floats
    same: NDArray[np.bool_]

    def kind(self, place: int) -> Kind | None:
        """exact, near or partial; None below the near threshold."""
        if self.same[place]:
            return "exact"
        if self.similarity[place] < MIN_SIMILARITY:
            return None
        smaller = min(self.share[place], self.share_other[place])
        return "near" if smaller >= _NEAR_SHARE else "partial"


class TextCheck:
    """Compares texts, common passages counting little."""

    def __init__(self, boilerplate: Boilerplate) -> None:
        self._boilerplate = boilerplate

    def profile(self, text: Text) -> Profile:
        """Weigh a text's shingles and the words of its title."""
        body, title = self._weighed(text.shingles), self._weighed(text.title)
        formal = _has_form(*body)
        found = text.terms if formal or len(text.title) else text.title
        return Profile(
            *body,
            *title,
            _again(title[0], found),
            text.heading,
            text.numbers,
            text.letters,
            self._letter_weight(text.letters),
            text.spelling.units,
            text.spelling.letters,
            self._boilerplate.uncommon(found) if formal else found[:0],
            opening(text, body[0], code_bits=CODE_BITS) if formal and len(text.title) else found[:0],
            text.digest,
        )

    def _letter_weight(self, letters: Letters) -> float:
        """Letters in runs that many texts have weigh less."""
        codes, _ = self._boilerplate.look_up(windows(letters))
        return len(letters) * float(WEIGHTS[codes].mean()) if len(codes) else float(len(letters))

    def _weighed(self, hashes: Shingles) -> tuple[NDArray[np.uint64], float]:
        codes, _ = self._boilerplate.look_up(hashes)
        packed = hashes >> np.uint64(64 - _HASH_BITS) << np.uint64(CODE_BITS) | codes
        packed.sort()
        return packed, float(WEIGHTS[codes].sum())

    def compare(self, one: Sequence[Profile], other: Sequence[Profile]) -> Likeness:
        """The likeness of each pair one[i], other[i]."""
        left = np.array([profile.weight for profile in one])
        right = np.array([profile.weight for profile in other])
        same = np.array([a.digest == b.digest for a, b in zip(one, other, strict=True)], dtype=np.bool_)
        common, count = in_common([profile.packed for profile in one], [profile.packed for profile in other])
        short = (
            np.array([len(a.letters) and len(b.letters) for a, b in zip(one, other, strict=True)], dtype=np.int64) > 0
        )
        shares = common / np.maximum(np.minimum(left, right), 1e-9)
        _restore(one, other, np.where(same | short, 0, shares), common, count)
        similarity = _similarity(Sides(one, other, left, right), common, count)
        share, share_other = common / np.maximum(left, 1e-9), common / np.maximum(right, 1e-9)
        for pairs in _portions(np.flatnonzero(short), _SHORT_AT_ONCE):
            similarity[pairs], share[pairs] = _short(
                [one[pair] for pair in pairs.tolist()], [other[pair] for pair in pairs.tolist()]
            )
            share_other[pairs] = share[pairs]
        return Likeness(
            np.where(same, 1.0, similarity), np.where(same, 1.0, share), np.where(same, 1.0, share_other), same
        )


def _restore(one: Sequence[Profile], other: Sequence[Profile], shares: Floats, common: Floats, count: Floats) -> None:
    """Add to what texts have in common what misspelled words took from it, see `misspelled`."""
    for pair in np.flatnonzero((shares >= _SPELLED[0]) & (shares < _SPELLED[1])).tolist():
        if len(one[pair].spelled) and len(other[pair].spelled):
            weight, number = restored(one[pair], other[pair])
            if shares[pair] + weight / min(one[pair].weight, other[pair].weight) >= _SPELLED[1]:
                common[pair] += weight
                count[pair] += number


def _similarity(sides: Sides, common: Floats, count: Floats) -> Floats:
    sizes = np.array([max(1, len(profile.packed)) for profile in sides.one], dtype=np.float64)
    sizes_other = np.array([max(1, len(profile.packed)) for profile in sides.other], dtype=np.float64)
    free, free_other = sides.left / sizes, sides.right / sizes_other
    evidence = np.sqrt(np.minimum(sides.left * sizes, sides.right * sizes_other) * np.maximum(free, free_other))
    alone = common / (evidence + _SHRINK)
    lost = np.minimum(sizes - sides.left, sizes_other - sides.right) * _PUT_BACK
    titled = np.array([len(a.title) and len(b.title) for a, b in zip(sides.one, sides.other, strict=True)]) > 0
    asked = titled & (lost > _PUT_BACK)
    lost[~asked] = 0
    titles, by_word = alike_titles(sides, asked)
    similarity = np.minimum(1.0, (common + lost * titles * alone) / (evidence + lost + _SHRINK))
    most, least = 1 - np.minimum(free, free_other), 1 - np.maximum(free, free_other)
    share = common / np.maximum(np.maximum(sides.left, sides.right), 1e-9)
    whole = ramp(share, _WHOLE) * (1 - ramp(most, _HARDLY))
    settled = np.maximum(whole, ramp(common, _BULK) * ramp(share, _BULK_SHARE))
    form = ramp(least, _FORM)
    strange = _foreign(sides, (form > 0) & (similarity > 0))
    doubtful = np.maximum(ramp(most, _TEMPLATE), form * ramp(strange, _STRANGE))
    sisters = sister_titles(sides, titled) * (ramp(most, _FAMILY) + form)
    doubt = np.maximum(_DOUBT * doubtful * (1 - titles), np.minimum(_DOUBT, _DOUBT_PATTERN * sisters))
    copied = copied_texts(sides, np.where(titled, np.minimum(share, count / np.maximum(sizes, sizes_other)), 0))
    doubt = (1 - np.maximum(whole, copied)) * np.where(titled, doubt, _DOUBT_UNTITLED * doubtful * (1 - similarity))
    doubt_strange = (1 - settled) * _DOUBT_STRANGE * form * ramp(strange, _STRANGER)
    believed: Floats = similarity * (1 - doubt) * (1 - doubt_strange) * (1 - _SERIES * _changed_numbers(sides))
    little = 1 - ramp(count / (sizes + sizes_other - count), _LITTLE)
    believed *= 1 - _DOUBT_MERE * ramp(least, _MERE) * little * (1 - believed)
    one_title = (1 - settled) * ramp(by_word, _ONE_TITLE) * (form > 0) * (believed > 0)
    believed *= 1 - _DOUBT_OPENING * form * _apart(sides, one_title)
    return believed


def _has_form(packed: Shingles, weight: float) -> bool:
    """Whether a text has so much boilerplate that what it names may be asked."""
    return 1 - weight / max(1, len(packed)) > _FORM[0]


def _foreign(sides: Sides, asked: NDArray[np.bool_]) -> Floats:
    """How much of what the texts name is foreign to the other one; 0 where it is not asked."""
    found = np.zeros(len(asked))
    pairs = np.flatnonzero(asked).tolist()
    found[asked] = foreign([sides.one[pair].terms for pair in pairs], [sides.other[pair].terms for pair in pairs])
    return found


def _short(one: Sequence[Profile], other: Sequence[Profile]) -> tuple[Floats, Floats]:
    """Similarity and share of short texts."""
    away = edit_distances([profile.letters for profile in one], [profile.letters for profile in other])
    sizes, own = [], []
    for side in (one, other):
        size = np.array([len(profile.letters) for profile in side], dtype=np.float64)
        sizes.append(size)
        own.append(np.sqrt(size * np.array([profile.letter_weight for profile in side])) * _written(side, size))
    similarity = np.maximum(0.0, 1 - away / (_SHORT_EDITS * np.minimum(*own)))
    for place in np.flatnonzero(similarity).tolist():
        pair = one[place].letters, other[place].letters
        if only_numbers_differ(*pair) or another_word(*pair) or _other_model(one[place], other[place]):
            similarity[place] *= _SHORT_SERIES
    return similarity, 1 - away / np.maximum(*sizes)


def _other_model(one: Profile, other: Profile) -> bool:
    """Whether two short texts of words are the same but for those with numbers, and these have other digits."""
    if not (len(one.spelled) and len(other.spelled) and other_numbers(one.letters, other.letters)):
        return False
    left, right = numbered(one.units, one.spelled), numbered(other.units, other.spelled)
    return bool(left.any() and right.any() and np.array_equal(one.units[~left], other.units[~right]))


def _written(side: Sequence[Profile], sizes: Floats) -> Floats:
    """By how much texts are shorter where their vowels are signs on few letters."""
    signs = are_signs(rows_of([profile.letters for profile in side])[0]).sum(axis=1)
    written: Floats = np.where(sizes - signs <= _FEW_LETTERS, 1 - signs / sizes, 1.0)
    return written


def _portions(values: NDArray[np.int64], size: int) -> Iterator[NDArray[np.int64]]:
    for start in range(0, len(values), size):
        yield values[start : start + size]


def _apart(sides: Sides, one_title: Floats) -> Floats:
    """How much texts under one title begin with different things; 0 where the titles are not the same."""
    apart = one_title.copy()
    pairs = np.flatnonzero(one_title).tolist()
    openings = [sides.one[pair].opening for pair in pairs], [sides.other[pair].opening for pair in pairs]
    apart[pairs] *= ramp(unsaid(*openings), _APART)
    return apart


def _again(title: NDArray[np.uint64], found: Terms) -> NDArray[np.uint64]:
    """The words of a title that stand in its text once more; a title stands in its text too."""
    repeated = found[term_counts(found) > 1] >> np.uint64(64 - TERM_BITS)
    return title[np.isin(title >> np.uint64(CODE_BITS), repeated, assume_unique=True)]


def _changed_numbers(sides: Sides) -> Floats:
    """The share of places at which both texts have a number, and not the same one; a few places count for less."""
    places, agreeing = np.zeros(len(sides.one)), np.zeros(len(sides.one))
    for pairs, values in shared([one.numbers for one in sides.one], [other.numbers for other in sides.other]):
        a_place = values & np.uint64((1 << NUMBER_BITS) - 1) == 0
        places += np.bincount(pairs[a_place], minlength=len(places))
        agreed = pairs[1:][a_place[:-1] & ~a_place[1:]]  # the first of the numbers behind their place
        agreeing += np.bincount(agreed, minlength=len(places))
    changed: Floats = (places - agreeing) / (places + _FEW_NUMBERS)
    return changed
