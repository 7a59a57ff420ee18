"""What a circle of texts tells again and again stands in about as many groups throughout; a form does not."""

from random import Random

import numpy as np
import pytest

from leitong.indexer.duplicates.commonness.boilerplate import FREE
from leitong.indexer.duplicates.comparing.check import Profile, TextCheck
from leitong.indexer.duplicates.comparing.circles import one_circle
from leitong.indexer.duplicates.comparing.profile import TextPairs, in_common
from leitong.indexer.passages import read
from tests.duplicates.drawn import article, learned

SENTENCES = 20
VERSIONS = 16
SITE = 160
STORY = [article(number, 50) for number in range(SENTENCES)]
FOOT = article(700, 300)


def version(number: int, *, told: int = 16) -> str:
    """The story with only so many of its sentences, and some of its own."""
    kept = set(Random(number).sample(range(SENTENCES), told))
    return "".join(sentence for place, sentence in enumerate(STORY) if place in kept) + article(2_000 + number, 400)


def circle(texts: list[str], *others: str) -> float:
    """Of the first two of some texts, after all of them and others were learned from."""
    check = TextCheck(learned([*texts, *others]))
    return float(one_circle(pair(check.profile(read(texts[0])), check.profile(read(texts[1]))))[0])


def pair(one: Profile, other: Profile) -> TextPairs:
    weights = np.array([one.weight]), np.array([other.weight])
    return TextPairs([one], [other], *weights, *in_common([one.packed], [other.packed]))


def test_versions_of_one_text_are_a_circle() -> None:
    assert circle([version(number) for number in range(VERSIONS)]) == 1


def test_pages_that_have_the_whole_form_are_none() -> None:
    """Each of them has all that the others have, and its own beside it."""
    assert circle([version(number, told=SENTENCES) for number in range(VERSIONS)]) == 0


def test_versions_that_few_tell_are_none() -> None:
    """What they share is no boilerplate, and nothing has to be put back."""
    assert circle([version(number) for number in range(FREE)]) == 0


def test_pages_of_a_section_and_of_a_site_are_two() -> None:
    """The section's pages vary as versions do, but their foot is that of the whole site."""
    site = [article(5_000 + number) + FOOT for number in range(SITE)]
    assert circle([version(number) + FOOT for number in range(VERSIONS)], *site) == 0


def test_a_phrase_that_others_have_too_spoils_no_circle() -> None:
    phrase = STORY[3][:20]
    site = [article(5_000 + number) + phrase for number in range(SITE)]
    assert circle([version(number) for number in range(VERSIONS)], *site) == 1


@pytest.mark.parametrize("told", [12, 16, 20])
def test_it_is_the_same_from_either_side(told: int) -> None:
    texts = [version(number, told=told if number else 17) for number in range(VERSIONS)]
    check = TextCheck(learned(texts))
    one, other = (check.profile(read(text)) for text in texts[:2])
    assert one_circle(pair(one, other)) == one_circle(pair(other, one))


def test_texts_with_nothing_in_common_are_none() -> None:
    assert circle([article(1), article(2)]) == 0
