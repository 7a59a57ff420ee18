"""A text that many tell again, in part in their own words, is no form; pages of a form are."""

from random import Random

import pytest

from leitong.indexer.duplicates.commonness.boilerplate import FREE
from leitong.indexer.duplicates.comparing.check import MIN_SIMILARITY, Likeness, Profile, TextCheck
from leitong.indexer.passages import read
from tests.duplicates.drawn import article, learned

SENTENCES = 12
PAPERS = 4 * FREE
STORY = [article(number, 50) for number in range(SENTENCES)]


def printed(paper: int, *, own: int = 2) -> str:
    """The story as a paper prints it: `own` of its sentences are the paper's."""
    random = Random(paper)
    replaced = set(random.sample(range(SENTENCES), own))
    return "".join(
        article(1_000 + SENTENCES * paper + place, 50) if place in replaced else sentence
        for place, sentence in enumerate(STORY)
    )


def titled(title: str, text: str) -> str:
    return f"{title}\n{text}" if title else text


def check() -> TextCheck:
    """Knows the story in all papers, and other articles."""
    papers = [titled("大桥通车", printed(paper)) for paper in range(PAPERS)]
    return TextCheck(learned([*papers, *(article(number) for number in range(5_000, 5_040))]))


def profile(knows: TextCheck, title: str, text: str) -> Profile:
    return knows.profile(read(titled(title, text), title=title))


def compare(one: tuple[str, str], other: tuple[str, str]) -> Likeness:
    knows = check()
    return knows.compare([profile(knows, *one)], [profile(knows, *other)])


def test_the_story_has_become_boilerplate() -> None:
    knows = check()
    first, second = (profile(knows, "大桥通车", printed(paper)) for paper in (0, 1))
    assert first.weight < len(first.packed) / 2
    assert second.weight < len(second.packed) / 2


@pytest.mark.parametrize("paper", range(1, PAPERS))
def test_a_story_in_many_papers_is_found(paper: int) -> None:
    found = compare(("大桥通车", printed(0)), ("大桥通车", printed(paper)))
    assert found.similarity[0] >= MIN_SIMILARITY
    assert found.kind(0) == "near"


def test_with_other_numbers_it_is_another_report() -> None:
    """Each week's report has the same words and title."""
    weeks = [
        "".join(f"{said}共计{37 * place + week}件。" for place, said in enumerate(STORY)) for week in range(PAPERS)
    ]
    knows = TextCheck(learned([titled("每周统计", week) for week in weeks]))
    found = knows.compare([profile(knows, "每周统计", weeks[0])], [profile(knows, "每周统计", weeks[1])])
    assert found.similarity[0] < MIN_SIMILARITY


def test_pages_that_name_subjects_of_their_own_are_a_form() -> None:
    """As much in common as two papers have, but each names its own thing throughout."""
    names = [article(9_000 + number, 4) for number in range(PAPERS)]
    pages = ["".join(f"{sentence}{name}" for sentence in STORY) for name in names]
    knows = TextCheck(learned([titled("大桥通车", page) for page in pages]))
    found = knows.compare([profile(knows, f"{names[0]}介绍", pages[0])], [profile(knows, f"{names[1]}介绍", pages[1])])
    assert found.similarity[0] < MIN_SIMILARITY


@pytest.mark.parametrize("titles", [("红桥落成", "江上新景"), ("", "")], ids=["other headlines", "untitled"])
@pytest.mark.parametrize("paper", range(1, PAPERS))
def test_a_story_is_found_whatever_its_titles(paper: int, titles: tuple[str, str]) -> None:
    found = compare((titles[0], printed(0)), (titles[1], printed(paper)))
    assert found.similarity[0] >= MIN_SIMILARITY


def test_a_story_in_words_is_found_as_one_in_characters() -> None:
    """A word spans two characters: a hundred words are no less than two hundred of those."""
    story = [words(number, 12) for number in range(SENTENCES)]
    papers = []
    for paper in range(PAPERS):
        own = {
            place: words(1_000 + SENTENCES * paper + place, 12) for place in Random(paper).sample(range(SENTENCES), 2)
        }
        papers.append(" ".join(own.get(place, sentence) for place, sentence in enumerate(story)))
    knows = TextCheck(learned(papers))
    found = knows.compare([knows.profile(read(papers[0]))], [knows.profile(read(papers[1]))])
    assert found.similarity[0] >= MIN_SIMILARITY


def test_untitled_pages_with_names_of_their_own_are_a_form() -> None:
    """Each leaves out another sentence, as versions do, but all of them name their own thing now and then."""
    names = [article(9_000 + number, 4) for number in range(PAPERS)]
    pages = []
    for page, name in enumerate(names):
        left_out = Random(page).randrange(SENTENCES)
        told = [sentence if place % 3 else sentence + name for place, sentence in enumerate(STORY) if place != left_out]
        pages.append("".join(told))
    knows = TextCheck(learned(pages))
    found = knows.compare([knows.profile(read(pages[0]))], [knows.profile(read(pages[1]))])
    assert found.similarity[0] < MIN_SIMILARITY


@pytest.mark.parametrize(("own", "told"), [(14, False), (0, True)], ids=["a page", "the same, hardly of its own"])
def test_a_licence_alone_is_no_version_of_a_page_that_ends_with_it(own: int, told: bool) -> None:
    """The page names its own thing again and again beside the licence, and has a line more that others have."""
    licence, line = "".join(STORY[:8]), article(7_000, 40)
    names = [article(9_000 + number, 4) for number in range(PAPERS)]
    pages = [
        "".join(f"{article(20_000 + 20 * page + place, 10)}{name}" for place in range(own)) + line + licence
        for page, name in enumerate(names)
    ]
    others = [f"{article(30_000 + number)}{line}{licence}" for number in range(36)]
    knows = TextCheck(learned([licence, *pages, *others]))
    found = knows.compare([knows.profile(read(licence))], [knows.profile(read(pages[0]))])
    assert (found.similarity[0] >= MIN_SIMILARITY) == told


def words(number: int, size: int) -> str:
    """Words of a text of its own."""
    random = Random(number)
    return " ".join("".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(size))
