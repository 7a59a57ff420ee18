"""Are two texts of a family one text told again and again, and no pages of one form?

What stands in more than FREE groups of texts weighs little: that is a form, mostly. But an article that a dozen papers
printed, each with other sentences of its own, weighs as little, for no two of these are near enough to be one group.
They speak of the same and have the same numbers, where each page of a form names a subject of its own.

    retold           0 where a title is missing; else these together:
                     share of the longer text's shingles that the other one has, boilerplate or not: 0 up to .4, 1 from
                     .5; of those in common their number: 0 up to 250, 1 from 350
                     their weight, on average: 0 up to .05, 1 from .1; what hundreds of texts have is a form
                     what is foreign, see `subjects`: 1 up to .1, 0 from .2
                     the doubt for other numbers, see `doubts`: 1 up to .1, 0 from .25
                     what the titles share of their words: 0 up to .93, 1 from .99; or two headlines, see
                     `titles.same_story`, where the weight is at most .5; none from .6. Times: 1 - 2 * sister_titles,
                     at least 0
"""

from typing import Final

import numpy as np

from leitong.indexer.duplicates.comparing.doubts import FORM, other_numbers, strangeness
from leitong.indexer.duplicates.comparing.profile import Floats, TextPairs, ramp
from leitong.indexer.duplicates.comparing.titles import alike_titles, same_story, sister_titles

_SHARE: Final = (0.4, 0.5)
_COUNT: Final = (250.0, 350.0)
_WEIGHT: Final = (0.05, 0.1)
_LOST: Final = (0.5, 0.6)
_FOREIGN: Final = (0.1, 0.2)
_OTHER_NUMBERS: Final = (0.1, 0.25)
_ONE_TITLE: Final = (0.93, 0.99)
_SISTERS: Final = (0.0, 0.5)


def retold(pairs: TextPairs) -> Floats:
    """How much of what texts have lost to boilerplate is no form, 0…1."""
    found = ramp(pairs.count / np.maximum(*pairs.sizes), _SHARE) * ramp(pairs.count, _COUNT)
    weight = pairs.common / np.maximum(pairs.count, 1)
    found *= ramp(weight, _WEIGHT)
    asked = (found > 0) & pairs.titled & (pairs.least_boilerplate > FORM[0])
    found[~asked] = 0
    if not asked.any():
        return found
    some = pairs.of(asked)
    headlines = same_story(some) * (1 - ramp(weight[asked], _LOST))
    titles = np.maximum(ramp(alike_titles(some, some.titled)[1], _ONE_TITLE), headlines)
    found[asked] *= titles * (1 - ramp(sister_titles(some), _SISTERS))
    found[asked] *= 1 - ramp(strangeness(some, some.titled), _FOREIGN)
    found[asked] *= 1 - ramp(other_numbers(some), _OTHER_NUMBERS)
    return found
