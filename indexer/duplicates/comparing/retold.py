"""Are two texts of a family one text told again and again, and no pages of one form?

What stands in more than FREE groups of texts weighs little: that is a form, mostly. But an article that a dozen papers
printed, each with other sentences of its own, weighs as little, for no two of these are near enough to be one group.
They speak of the same and have the same numbers, where each page of a form names a subject of its own. That it is one
text is said by titles, or by those who have it: see `circles`.

    retold           the greater of `titles` and `circle`; these for both:
                     the doubt for other numbers, see `doubts`: 1 up to .1, 0 from .25
                     1 - 2 * sister_titles, at least 0
    titles           what they share of their words: 0 up to .93, 1 from .99; or two headlines, see `titles.same_story`,
                     where the weight is at most .5; none from .6
                     amount in common, in shingles, boilerplate or not, each for two where most units are words, as a
                     word spans two characters: 0 up to 250, 1 from 350
                     share of the longer text's shingles that the other one has: 0 up to .4, 1 from .5
                     weight of those in common, on average: 0 up to .05, 1 from .1; what hundreds of texts have is a
                     form
                     what is foreign, see `subjects`: 1 up to .1, 0 from .2
    circle           what one circle of texts has, see `circles.one_circle`
                     amount: 0 up to 100, 1 from 200; share: 0 up to .35, 1 from .45; weight: 0 up to .04, 1 from .06
                     what is foreign: 1 up to .15, 0 from .3; where a title is missing 1 up to .02, 0 from .06
                     1 - share of the shorter text's shingles that the other one has, 0 up to .8, 1 from .9, times what
                     is foreign in the text that has more of it, 0 up to .3, 1 from .6: what stands whole in a page that
                     is about something else, as a licence does, is no version of it
"""

from typing import Final

import numpy as np

from leitong.indexer.duplicates.comparing.circles import one_circle
from leitong.indexer.duplicates.comparing.doubts import FORM, other_numbers, strangeness
from leitong.indexer.duplicates.comparing.profile import Floats, TextPairs, ramp
from leitong.indexer.duplicates.comparing.titles import alike_titles, same_story, sister_titles

_OTHER_NUMBERS: Final = (0.1, 0.25)
_SISTERS: Final = (0.0, 0.5)

_ONE_TITLE: Final = (0.93, 0.99)
_LOST: Final = (0.5, 0.6)
_TITLED_COUNT: Final = (250.0, 350.0)
_TITLED_SHARE: Final = (0.4, 0.5)
_TITLED_WEIGHT: Final = (0.05, 0.1)
_TITLED_FOREIGN: Final = (0.1, 0.2)

_CIRCLE_COUNT: Final = (100.0, 200.0)
_CIRCLE_SHARE: Final = (0.35, 0.45)
_CIRCLE_WEIGHT: Final = (0.04, 0.06)
_CIRCLE_FOREIGN: Final = (0.15, 0.3)
_UNTITLED_FOREIGN: Final = (0.02, 0.06)
_WHOLE: Final = (0.8, 0.9)
_STRANGER: Final = (0.3, 0.6)


def retold(pairs: TextPairs) -> Floats:
    """How much of what texts have lost to boilerplate is no form, 0…1."""
    found = np.zeros(len(pairs.one))
    asked = (_amount(pairs) > _CIRCLE_COUNT[0]) & (_share(pairs) > _CIRCLE_SHARE[0])
    asked &= pairs.least_boilerplate > FORM[0]
    if asked.any():
        some = pairs.of(asked)
        strange, stranger = strangeness(some, np.ones(len(some.one), dtype=np.bool_))
        found[asked] = np.maximum(_by_titles(some, strange), _by_circle(some, strange, stranger))
        found[asked] *= 1 - ramp(sister_titles(some), _SISTERS)
        found[asked] *= 1 - ramp(other_numbers(some), _OTHER_NUMBERS)
    return found


def _by_titles(pairs: TextPairs, strange: Floats) -> Floats:
    """How much titles say that it is one text."""
    weight = _weight(pairs)
    headlines = same_story(pairs) * (1 - ramp(weight, _LOST))
    said = np.maximum(ramp(alike_titles(pairs, pairs.titled)[1], _ONE_TITLE), headlines)
    said *= ramp(_amount(pairs), _TITLED_COUNT) * ramp(_share(pairs), _TITLED_SHARE) * ramp(weight, _TITLED_WEIGHT)
    return said * (1 - ramp(strange, _TITLED_FOREIGN))


def _by_circle(pairs: TextPairs, strange: Floats, stranger: Floats) -> Floats:
    """How much those who have what both have say so, under whatever titles; what is foreign in either text."""
    said = one_circle(pairs) * ramp(_amount(pairs), _CIRCLE_COUNT)
    said *= ramp(_share(pairs), _CIRCLE_SHARE) * ramp(_weight(pairs), _CIRCLE_WEIGHT)
    said *= 1 - np.where(pairs.titled, ramp(strange, _CIRCLE_FOREIGN), ramp(strange, _UNTITLED_FOREIGN))
    said *= 1 - ramp(pairs.count / np.minimum(*pairs.sizes), _WHOLE) * ramp(stranger, _STRANGER)
    return said


def _amount(pairs: TextPairs) -> Floats:
    """How much both have: shingles, of which there is one for each word, or for each character."""
    words = np.array([len(text.units) > 0 for text in pairs.one], dtype=np.float64)
    amount: Floats = pairs.count * (1 + words)
    return amount


def _share(pairs: TextPairs) -> Floats:
    share: Floats = pairs.count / np.maximum(*pairs.sizes)
    return share


def _weight(pairs: TextPairs) -> Floats:
    weight: Floats = pairs.common / np.maximum(pairs.count, 1)
    return weight
