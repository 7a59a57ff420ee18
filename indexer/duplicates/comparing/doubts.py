"""Why may two texts be less alike than what they share? Because both are filled-in forms, each about its own subject.

Each function named after a doubt says by how much it lowers the similarity of each pair, 0…1: pages of one form differ
in their titles, in what they name, in their numbers, in how they begin, or have little beside the form. Where each has
a form of its own (see `TextPairs.one_form`), none of that but the numbers is asked. The greatest each can say stands
under its name in capitals. Pairs of numbers are ends of a ramp: 0 up to the first, 1 from the second.

The constants were chosen on labelled Chinese news and on the Chinese documentation of an API, and judged on halves of
the labels that they were not chosen on: see docs/accuracy.md.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.duplicates.comparing.openings import unsaid
from leitong.indexer.duplicates.comparing.overlap import shared
from leitong.indexer.duplicates.comparing.profile import Floats, TextPairs, ramp
from leitong.indexer.duplicates.comparing.subjects import foreign
from leitong.indexer.duplicates.comparing.titles import copied_texts, retitled_texts, sister_titles
from leitong.indexer.fingerprint.numbers import NUMBER_BITS

FORM: Final = (0.06, 0.15)
"""Boilerplate of a text: so much and it has a form, so much and it is one."""

_TITLES: Final = 0.8
_SISTERS: Final = 0.5
_UNTITLED: Final = 0.24
_TEMPLATE: Final = (0.15, 0.35)
_FAMILY: Final = (0.0, 0.05)
_STRANGE: Final = (0.0, 0.05)

_SUBJECTS: Final = 0.6
_STRANGER: Final = (0.05, 0.2)

_NUMBERS: Final = 0.7
_FEW_NUMBERS: Final = 3

_MERE_FORM: Final = 0.5
_MERE: Final = (0.25, 0.4)
_LITTLE: Final = (0.3, 0.5)

_OPENINGS: Final = 0.4
_ONE_TITLE: Final = (0.5, 0.75)
_APART: Final = (1.0, 3.0)

_WHOLE: Final = (0.9, 0.95)
_HARDLY: Final = (0.1, 0.2)
_BULK: Final = (1_000.0, 3_000.0)
_BULK_SHARE: Final = (0.5, 0.7)


def other_titles(pairs: TextPairs, similarity: Floats, alike: Floats, strange: Floats, body: Floats) -> Floats:
    """The subject of a page stands in its title. A template, or a form that names other things, is doubted as far as
    the titles are not `alike`, and less without titles. Titles of one pattern are doubted in any family of pages, if
    each text is about its own piece: a copied article under another headline stays a copy, and an article under two.
    `body` is how much one text stands whole in the other.
    """
    form = _form(pairs)
    suspect = np.maximum(ramp(pairs.most_boilerplate, _TEMPLATE), form * ramp(strange, _STRANGE))
    sisters = sister_titles(pairs) * (ramp(pairs.most_boilerplate, _FAMILY) + form)
    titled = np.maximum(_TITLES * suspect * (1 - alike), np.minimum(_TITLES, _SISTERS * sisters))
    untitled = _UNTITLED * suspect * (1 - similarity)
    copied = np.maximum.reduce([_nearly_whole(pairs), copied_texts(pairs), retitled_texts(pairs), body])
    doubt: Floats = pairs.one_form * (1 - copied) * np.where(pairs.titled, titled, untitled)
    return doubt


def other_subjects(pairs: TextPairs, strange: Floats) -> Floats:
    """Two texts of one form name the same things, or are about two."""
    doubt: Floats = (1 - _beyond_form(pairs)) * _SUBJECTS * _form(pairs) * ramp(strange, _STRANGER)
    return doubt


def other_numbers(pairs: TextPairs) -> Floats:
    """Pages of a series differ in their numbers, see `numbers`: of the places at which both texts have one, those
    without a number in common. A few places count for less.
    """
    places, agreeing = np.zeros(len(pairs.one)), np.zeros(len(pairs.one))
    for which, values in shared([one.numbers for one in pairs.one], [other.numbers for other in pairs.other]):
        a_place = values & np.uint64((1 << NUMBER_BITS) - 1) == 0
        places += np.bincount(which[a_place], minlength=len(places))
        agreed = which[1:][a_place[:-1] & ~a_place[1:]]  # the first of the numbers behind their place
        agreeing += np.bincount(agreed, minlength=len(places))
    doubt: Floats = _NUMBERS * ((places - agreeing) / (places + _FEW_NUMBERS))
    return doubt


def mere_form(pairs: TextPairs, similarity: Floats) -> Floats:
    """Where both texts are hardly more than a form, some of the form is not enough: `little` falls with the shingles
    that both have, by those that any has, boilerplate or not.
    """
    one, other = pairs.sizes
    little = 1 - ramp(pairs.count / (one + other - pairs.count), _LITTLE)
    doubt: Floats = _MERE_FORM * pairs.one_form * ramp(pairs.least_boilerplate, _MERE) * little * (1 - similarity)
    return doubt


def other_openings(pairs: TextPairs, similarity: Floats, same_words: Floats) -> Floats:
    """Pages of one form under one title may be about two things, which they say first. `same_words` is what the titles
    share of their words.
    """
    form = _form(pairs)
    one_title = (1 - _beyond_form(pairs)) * ramp(same_words, _ONE_TITLE) * (form > 0) * (similarity > 0)
    asked = one_title > 0
    one, other = pairs.some(asked)
    one_title[asked] *= ramp(unsaid([text.opening for text in one], [text.opening for text in other]), _APART)
    doubt: Floats = _OPENINGS * form * one_title
    return doubt


def strangeness(pairs: TextPairs, asked: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """How much of what texts of one form name is foreign to the other one, the lesser of both texts and the greater; 0
    where it is not asked. See `subjects`."""
    least, most = np.zeros(len(asked)), np.zeros(len(asked))
    asked = asked & (_form(pairs) > 0)
    one, other = pairs.some(asked)
    least[asked], most[asked] = foreign([text.terms for text in one], [text.terms for text in other])
    return least, most


def _form(pairs: TextPairs) -> Floats:
    """How much of one form both texts are."""
    return ramp(pairs.least_boilerplate, FORM) * pairs.one_form


def _nearly_whole(pairs: TextPairs) -> Floats:
    """How much texts with hardly any form are the same all through: one text under any titles."""
    return ramp(pairs.share, _WHOLE) * (1 - ramp(pairs.most_boilerplate, _HARDLY))


def _beyond_form(pairs: TextPairs) -> Floats:
    """How much texts have more in common than any form accounts for. The next edition of a long document has other
    authors, other dates and new terms.
    """
    found: Floats = np.maximum(_nearly_whole(pairs), ramp(pairs.common, _BULK) * ramp(pairs.share, _BULK_SHARE))
    return found
