"""Do two titles say the same, are they of one pattern, and do the texts speak of what only one of them says?

    alike            Dice coefficient of the titles' words and pairs of words, each word counted once, or by its weight
    around           where one piece of the one title stands in the place of a piece of the other: how much of the
                     shorter title's letters stands before and behind it; else 0
    told             of the words and pairs of words that one title has alone: the share that its text has once more;
                     the lesser of both texts
    shared           of those of them that few texts hold, by weight: the share that the other text has as well; both
                     titles together

    alike_titles     (the lesser alike) ^ 4
    sister_titles    (0 where around is at most .3, 1 from .6) * (.4 where told is at most .5, 1 from .8)
                     * (1 - alike by weight ^ 4)
    copied_texts     the lesser share, by weight and by number of shingles: 0 up to .85, 1 from .95; times: 1 where told
                     is at most .2, 0 from .5
    one_body         of the shingles that one text has alone, those that its title does not account for: 1 where there
                     is none, 0 from 3; the lesser of both texts. Times: what both have of the longer text's shingles, 0
                     up to .5, 1 from .6; weight in common, 0 up to 5, 1 from 15; what is foreign (see `subjects`), 1 at
                     0, 0 from .05
    retitled_texts   (0 where shared is at most .4, 1 from .6) * (0 up to a weight of 3 of those words in either title,
                     1 from 5) * (0 where the lighter text shares up to half of its weight, 1 from seven tenths)
    same_story       of the words and pairs of words in either title that few texts hold, by number: 0 up to 2, 1 from
                     4; times: 1 where the other text lacks up to .2 of those and one more, 0 from .4; the lesser of
                     both texts

Titles are of one pattern where one has a piece in another's place. That tells sister pages only where each text speaks
of its own piece. A copied article under another headline stays a copy: so does one under the same headline with a word
replaced, or with the name of another site behind it. Two headlines of one article both stand in what either text says,
where a page of a form names its own subject, and the other page another one. A form that was filled in once is one text
whatever stands above it, a name or its own first line, and where an answer quotes it or a site adds its own form.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.duplicates.commonness.boilerplate import WEIGHTS
from leitong.indexer.duplicates.comparing.edit_distance import rows_of
from leitong.indexer.duplicates.comparing.overlap import Set, sides
from leitong.indexer.duplicates.comparing.profile import CODE_BITS, Floats, Profile, TextPairs, in_common, ramp
from leitong.indexer.fingerprint.compiled import compiled
from leitong.indexer.fingerprint.shingles import SPAN
from leitong.indexer.fingerprint.short import Letters
from leitong.indexer.fingerprint.terms import term_of

_POWER: Final = 4
_SILENT: Final = 0.4
_NAMED: Final = (0.5, 0.8)
_PATTERN: Final = (0.3, 0.6)
_COPIED: Final = (0.85, 0.95)
_RETOLD: Final = (0.2, 0.5)
_NO_STRANGER: Final = (0.0, 0.05)
_SOME: Final = (5.0, 15.0)
_HALF: Final = (0.5, 0.6)
_BESIDE: Final = (0.0, 3.0)
_SHARED: Final = (0.4, 0.6)
_HEADLINE: Final = (3.0, 5.0)
_PART: Final = (0.5, 0.7)
_TELLING: Final = (2.0, 4.0)
_UNSAID: Final = (0.2, 0.4)


def alike_titles(pairs: TextPairs, asked: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """How much the titles say the same, 1 where they are not asked; and what they share by words, 0 there."""
    titles, shared_words = np.ones(len(asked)), np.zeros(len(asked))
    one, other = pairs.some(asked)
    weight, count = in_common([profile.title for profile in one], [profile.title for profile in other])
    counts = np.array([len(a.title) + len(b.title) for a, b in zip(one, other, strict=True)], dtype=np.float64)
    by_word, by_weight = 2 * count / counts, _alike_by_weight(one, other, weight)
    titles[asked] = np.minimum(1.0, np.minimum(by_word, by_weight)) ** _POWER
    shared_words[asked] = by_word
    return titles, shared_words


def sister_titles(pairs: TextPairs) -> Floats:
    """How much the titles are of one pattern, and their texts about the pieces in which they differ."""
    found = ramp(_around(pairs), _PATTERN)
    found[~pairs.titled] = 0
    asked = found > 0
    one, other = pairs.some(asked)
    told, weight = _told(one, other)
    about = _SILENT + (1 - _SILENT) * ramp(told, _NAMED)
    found[asked] *= (1 - np.minimum(1.0, _alike_by_weight(one, other, weight)) ** _POWER) * about
    return found


def copied_texts(pairs: TextPairs) -> Floats:
    """How much texts that are nearly the same, form and all, are copies whose titles alone differ."""
    found = ramp(np.minimum(pairs.share, pairs.count / np.maximum(*pairs.sizes)), _COPIED)
    found[~pairs.titled] = 0
    asked = found > 0
    found[asked] *= 1 - ramp(_told(*pairs.some(asked))[0], _RETOLD)
    return found


def one_body(pairs: TextPairs, strange: Floats) -> Floats:
    """How much one text stands whole in the other, form and all, but for its title; `strange` is how much of what they
    name is foreign."""
    share = pairs.count / np.maximum(*pairs.sizes)
    found = ramp(share, _HALF) * ramp(pairs.common, _SOME) * (1 - ramp(strange, _NO_STRANGER))
    found[~pairs.titled] = 0
    asked = found > 0
    one, other = pairs.some(asked)
    alone, alone_other = (size[asked] - pairs.count[asked] for size in pairs.sizes)
    besides = np.minimum(alone - _of_title(one, other), alone_other - _of_title(other, one))
    found[asked] *= 1 - ramp(besides, _BESIDE)
    return found


def _of_title(side: Sequence[Profile], others: Sequence[Profile]) -> Floats:
    """So many shingles may one side have alone because its title is another one: those that begin in the title, or
    reach into the piece of it that is another."""
    titles = [profile.title for profile in side]
    words = np.array([len(title) for title in titles], dtype=np.float64)
    own = words - in_common(titles, [profile.title for profile in others])[1]
    return np.minimum((words + 1) // 2, own // 2 + SPAN - 1)


def retitled_texts(pairs: TextPairs) -> Floats:
    """How much texts are one article under two headlines: both speak of what either title alone says."""
    found = ramp(pairs.common / np.maximum(np.minimum(pairs.weight, pairs.weight_other), 1e-9), _PART)
    found[~pairs.titled] = 0
    asked = found > 0
    one, other = pairs.some(asked)
    (own, spoken), (own_other, spoken_other) = _spoken_of(one, other), _spoken_of(other, one)
    share = (spoken + spoken_other) / np.maximum(own + own_other, 1e-9)
    found[asked] *= ramp(share, _SHARED) * ramp(np.minimum(own, own_other), _HEADLINE)
    return found


def same_story(pairs: TextPairs) -> Floats:
    """How much two titles are headlines of one text: each says much, and what it says the other text says too."""
    (own, unsaid), (own_other, unsaid_other) = _unsaid_of(pairs.one, pairs.other), _unsaid_of(pairs.other, pairs.one)
    return ramp(np.minimum(own, own_other), _TELLING) * (1 - ramp(np.maximum(unsaid, unsaid_other), _UNSAID))


def _unsaid_of(side: Sequence[Profile], others: Sequence[Profile]) -> tuple[Floats, Floats]:
    """How many words that few texts hold the titles of one side have; and the share of those, and one more, that other
    texts do not have."""
    telling, terms = [profile.telling for profile in side], [profile.terms for profile in others]
    own = np.array([len(words) for words in telling], dtype=np.float64)
    said = np.zeros(len(side), dtype=np.float64)
    for some, both in sides(telling, terms):
        said[some] = _spoken(*both, np.ones(len(WEIGHTS)))
    return own, (own - said) / (own + 1)


def _spoken_of(side: Sequence[Profile], others: Sequence[Profile]) -> tuple[Floats, Floats]:
    """Weight of the words that few texts hold and titles of one side have alone; and of those that other texts have."""
    telling, terms = [profile.telling for profile in side], [profile.terms for profile in others]
    both = in_common(telling, [profile.title for profile in others])[0]
    whole = np.array([_weight_of(words) for words in telling], dtype=np.float64)
    spoken = np.zeros(len(side), dtype=np.float64)
    for some, pairs in sides(telling, terms):
        spoken[some] = _spoken(*pairs, WEIGHTS)
    return whole - both, np.where(spoken > both, spoken - both, 0)


def _weight_of(words: Set) -> float:
    return float(WEIGHTS[(words & np.uint64((1 << CODE_BITS) - 1)).astype(np.int64)].sum())


@compiled
def _spoken(
    words: Set, ends: NDArray[np.int64], terms: Set, terms_ends: NDArray[np.int64], weights: NDArray[np.float64]
) -> Floats:
    """Weight of the words of each pair, with their codes, that are among the terms; see `overlap.Sides`."""
    found = np.zeros(len(ends), dtype=np.float64)
    code_bits = np.uint64(CODE_BITS)
    place = other = 0
    for pair in range(len(ends)):
        while place < ends[pair] and other < terms_ends[pair]:
            word, term = words[place] >> code_bits, term_of(terms[other])
            if word == term:
                found[pair] += weights[np.int64(words[place] & np.uint64((1 << CODE_BITS) - 1))]
            place += word <= term
            other += term <= word
        place, other = ends[pair], terms_ends[pair]
    return found


def _alike_by_weight(one: Sequence[Profile], other: Sequence[Profile], common: Floats) -> Floats:
    """Dice coefficient of the titles, their words counted by weight."""
    weights = np.array([a.title_weight + b.title_weight for a, b in zip(one, other, strict=True)], dtype=np.float64)
    alike: Floats = 2 * common / weights
    return alike


def _told(one: Sequence[Profile], other: Sequence[Profile]) -> tuple[Floats, Floats]:
    """Of the words that one title has alone: the share that its text names again, the lesser of both; and the weight of
    the words of both titles."""
    titles, other_titles = [profile.title for profile in one], [profile.title for profile in other]
    weight, common = in_common(titles, other_titles)
    return np.minimum(_told_by(one, other_titles, common), _told_by(other, titles, common)), weight


def _told_by(side: Sequence[Profile], titles: Sequence[NDArray[np.uint64]], common: Floats) -> Floats:
    """What one side tells of its own titles."""
    own = np.array([len(profile.title) for profile in side], dtype=np.float64) - common
    named = [profile.named for profile in side]
    again = np.array([len(words) for words in named], dtype=np.float64) - in_common(named, titles)[1]
    return again / np.maximum(own, 1)


def _around(pairs: TextPairs) -> Floats:
    """Where a piece of one title is replaced in the other: the share of the shorter title that stands around it."""
    one, other = [profile.heading for profile in pairs.one], [profile.heading for profile in pairs.other]
    before = _beginning(one, other)
    behind = _beginning([letters[::-1] for letters in one], [letters[::-1] for letters in other])
    shorter = np.array([min(len(a), len(b)) for a, b in zip(one, other, strict=True)], dtype=np.float64)
    around: Floats = np.where(before + behind < shorter, before + behind, 0) / np.maximum(shorter, 1)
    return around


def _beginning(one: Sequence[Letters], other: Sequence[Letters]) -> Floats:
    """How many letters each pair has in common before they differ."""
    left, right = rows_of(one)[0], rows_of(other)[0]
    width = min(left.shape[1], right.shape[1])
    equal = (left[:, :width] == right[:, :width]) & (left[:, :width] > 0)
    same: Floats = np.logical_and.accumulate(equal, axis=1).sum(axis=1).astype(np.float64)
    return same
