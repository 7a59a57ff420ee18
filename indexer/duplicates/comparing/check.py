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
the titles say the same, hardly at all where they do not.

    lost             (n - w) / 2 of the text that lost less; 0 where it is at most .5 or a title is missing, or where
                     each text has a form of its own (see `TextPairs.one_form`)
    titles           how much they say the same, or one text stands whole in the other, see `titles`
    similarity       (common + lost * titles * similarity) / (evidence + lost + SHRINK)

Each of the `doubts` then takes its part of it: similarity * (1 - doubt), one after the other.

Texts of up to 10,000 characters whose units are mostly words may be misread or mistyped. Where the lighter one has .1
to .5 of its weight in common with the other, and would have .4 if misspelled words (see `misspelled`) were those of the
other text, `common` is what it would be then.

A text that many tell again, each in its own words in part, is no form: what it lost to boilerplate is put back before
anything else (see `retold`), in n / w, `common` and the shares alike.

Two short texts are compared letter by letter instead, see `short_texts`.

Numbering (see `numbering`) is left out of titles, terms, openings and numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.documents import Kind
from leitong.indexer.duplicates.commonness.boilerplate import WEIGHTS, Boilerplate
from leitong.indexer.duplicates.comparing import doubts
from leitong.indexer.duplicates.comparing.misspelled import restored
from leitong.indexer.duplicates.comparing.openings import opening
from leitong.indexer.duplicates.comparing.profile import CODE_BITS, HASH_BITS, Floats, Profile, TextPairs, in_common
from leitong.indexer.duplicates.comparing.retold import retold
from leitong.indexer.duplicates.comparing.short_texts import alike_letters, letter_weight, short_pairs
from leitong.indexer.duplicates.comparing.titles import alike_titles, one_body
from leitong.indexer.fingerprint.shingles import Shingles
from leitong.indexer.fingerprint.terms import Terms, term_counts
from leitong.indexer.passages import Text

MIN_SIMILARITY: Final = 0.39
"""From here on two documents are a match, by default."""
_SHRINK: Final = 5.0
_NEAR_SHARE: Final = 0.5
_PUT_BACK: Final = 0.5
_SPELLED: Final = (0.1, 0.5)
"""Shares of the lighter text: from the first on, up to the second, it is asked whether words are misspelled."""
_RESTORED: Final = 0.4
"""Share of it that must be in common once they are not."""


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

    def with_some(self, places: NDArray[np.int64], some: "Likeness") -> "Likeness":
        """The same, but for the pairs at these places, of which something else was found."""
        mine = self.similarity.copy(), self.share.copy(), self.share_other.copy()
        for values, others in zip(mine, (some.similarity, some.share, some.share_other), strict=True):
            values[places] = others
        return Likeness(*mine, self.same)


class TextCheck:
    """Compares texts, common passages counting little."""

    def __init__(self, boilerplate: Boilerplate) -> None:
        self._boilerplate = boilerplate

    def profile(self, text: Text) -> Profile:
        """Weigh a text's shingles and the words of its title."""
        packed, weight = self._weighed(text.shingles)
        title, title_weight = self._weighed(text.title)
        formal = _has_form(packed, weight)
        found = text.terms if formal or len(text.title) else text.title
        uncommon = self._boilerplate.uncommon(found) if formal else found[:0]
        return Profile(
            packed=packed,
            weight=weight,
            title=title,
            title_weight=title_weight,
            named=_again(title, found),
            heading=text.heading,
            numbers=text.numbers,
            letters=text.letters,
            letter_weight=letter_weight(text.letters, self._boilerplate),
            units=text.spelling.units,
            spelled=text.spelling.letters,
            terms=uncommon,
            telling=_among(title, uncommon),
            opening=opening(text, packed, code_bits=CODE_BITS) if formal and len(text.title) else found[:0],
            digest=text.digest,
        )

    def _weighed(self, hashes: Shingles) -> tuple[NDArray[np.uint64], float]:
        codes, _ = self._boilerplate.look_up(hashes)
        packed = hashes >> np.uint64(64 - HASH_BITS) << np.uint64(CODE_BITS) | codes
        packed.sort()
        return packed, float(WEIGHTS[codes].sum())

    def compare(self, one: Sequence[Profile], other: Sequence[Profile], *, least: float = 0.0) -> Likeness:
        """The likeness of each pair one[i], other[i].

        Pairs that cannot be `least` similar are not doubted any further: their similarity is too high, but below that.
        """
        left = np.array([profile.weight for profile in one])
        right = np.array([profile.weight for profile in other])
        same = np.array([a.digest == b.digest for a, b in zip(one, other, strict=True)], dtype=np.bool_)
        common, count = in_common([profile.packed for profile in one], [profile.packed for profile in other])
        short = short_pairs(one, other)
        shares = common / np.maximum(np.minimum(left, right), 1e-9)
        _restore(one, other, np.where(same | short, 0, shares), common, count)
        weighed = _retold(TextPairs(one, other, left, right, common, count))
        similarity = _similarity(weighed, least)
        left, right, common = weighed.weight, weighed.weight_other, weighed.common
        share, share_other = common / np.maximum(left, 1e-9), common / np.maximum(right, 1e-9)
        places = np.flatnonzero(short)
        similarity[places], share[places] = alike_letters(
            [one[place] for place in places.tolist()], [other[place] for place in places.tolist()]
        )
        share_other[places] = share[places]
        return Likeness(
            np.where(same, 1.0, similarity), np.where(same, 1.0, share), np.where(same, 1.0, share_other), same
        )


def _restore(one: Sequence[Profile], other: Sequence[Profile], shares: Floats, common: Floats, count: Floats) -> None:
    """Add to what texts have in common what misspelled words took from it, see `misspelled`."""
    for pair in np.flatnonzero((shares >= _SPELLED[0]) & (shares < _SPELLED[1])).tolist():
        if len(one[pair].spelled) and len(other[pair].spelled):
            weight, number = restored(one[pair], other[pair])
            if shares[pair] + weight / min(one[pair].weight, other[pair].weight) >= _RESTORED:
                common[pair] += weight
                count[pair] += number


def _retold(pairs: TextPairs) -> TextPairs:
    """The same pairs, what is no form at its full weight, see `retold`."""
    back = retold(pairs)
    size, size_other = pairs.sizes
    return replace(
        pairs,
        weight=pairs.weight + back * (size - pairs.weight),
        weight_other=pairs.weight_other + back * (size_other - pairs.weight_other),
        common=pairs.common + back * (pairs.count - pairs.common),
    )


def _similarity(pairs: TextPairs, least: float) -> Floats:
    """What both texts have of the evidence, less what is doubted of it; see `TextCheck.compare` for `least`."""
    size, size_other = pairs.sizes
    weighed = np.minimum(pairs.weight * size, pairs.weight_other * size_other)
    evidence = np.sqrt(weighed * np.maximum(*pairs.free))
    alone = pairs.common / (evidence + _SHRINK)
    lost = np.minimum(size - pairs.weight, size_other - pairs.weight_other) * _PUT_BACK
    asked = pairs.titled & (lost > _PUT_BACK)
    lost[~asked] = 0
    lost *= pairs.one_form
    similarity: Floats = np.minimum(1.0, (pairs.common + lost * alone) / (evidence + lost + _SHRINK))
    able = similarity >= least
    if able.any():
        put_back = (lost * alone)[able], (evidence + lost + _SHRINK)[able]
        similarity[able] = _doubted(pairs.of(able), asked[able], *put_back)
    return similarity


def _doubted(pairs: TextPairs, asked: NDArray[np.bool_], put_back: Floats, whole: Floats) -> Floats:
    """The similarity of pairs, as much of it put back as titles that are asked say the same, all of it where one body
    stands in the other; less what is doubted."""
    titles, same_words = alike_titles(pairs, asked)
    strange, _ = doubts.strangeness(pairs, pairs.common > 0)
    body = one_body(pairs, strange)
    titles = np.maximum(titles, body)
    similarity: Floats = np.minimum(1.0, (pairs.common + put_back * titles) / whole)
    similarity *= 1 - doubts.other_titles(pairs, similarity, titles, strange, body)
    similarity *= 1 - doubts.other_subjects(pairs, strange)
    similarity *= 1 - doubts.other_numbers(pairs)
    similarity *= 1 - doubts.mere_form(pairs, similarity)
    similarity *= 1 - doubts.other_openings(pairs, similarity, same_words)
    return similarity


def _has_form(packed: Shingles, weight: float) -> bool:
    """Whether a text has so much boilerplate that what it names may be asked."""
    return 1 - weight / max(1, len(packed)) > doubts.FORM[0]


def _again(title: NDArray[np.uint64], found: Terms) -> NDArray[np.uint64]:
    """The words of a title that stand in its text once more; a title stands in its text too."""
    return _among(title, found[term_counts(found) > 1])


def _among(title: NDArray[np.uint64], found: Terms) -> NDArray[np.uint64]:
    """The words of a title that are among some terms."""
    return title[np.isin(title >> np.uint64(CODE_BITS), found >> np.uint64(64 - HASH_BITS), assume_unique=True)]
