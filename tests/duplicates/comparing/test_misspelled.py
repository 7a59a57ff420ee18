"""A text whose words are misread or mistyped is found; one about something else in nearly the same words is not."""

from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leitong.indexer.duplicates.commonness.boilerplate import Boilerplate
from leitong.indexer.duplicates.comparing.check import MIN_SIMILARITY, TextCheck
from leitong.indexer.duplicates.comparing.misspelled import restored
from leitong.indexer.fingerprint.normalise import normalise
from leitong.indexer.fingerprint.shingles import units
from leitong.indexer.fingerprint.spelling import MOST, Spelling, numbered, spellings
from leitong.indexer.passages import read
from tests.examples import examples
from tests.fingerprint.texts import anything

CHECK = TextCheck(Boilerplate.empty())
TEXTS = {
    "en": "The committee will meet on Thursday to discuss the new bridge across the river, which the town has wanted "
    "for more than thirty years. Engineers measured the banks last autumn and found them firm enough for stone piers.",
    "ru": "Комитет соберётся в четверг, чтобы обсудить новый мост через реку, который город хотел построить более "
    "тридцати лет. Инженеры измерили берега прошлой осенью и нашли их достаточно прочными для каменных опор.",
    "el": "Η επιτροπή θα συνεδριάσει την Πέμπτη για να συζητήσει τη νέα γέφυρα πάνω από το ποτάμι, την οποία η πόλη "
    "ήθελε για περισσότερα από τριάντα χρόνια. Οι μηχανικοί μέτρησαν τις όχθες το περασμένο φθινόπωρο.",
}


def similarity(one: str, other: str) -> float:
    profiles = [CHECK.profile(read(text)) for text in (one, other)]
    return float(CHECK.compare(profiles[:1], profiles[1:]).similarity[0])


def with_wrong_letters(text: str, rate: float, seed: int) -> str:
    random = Random(seed)
    letters = sorted({letter for letter in text if letter.isalpha()})
    places = [place for place, letter in enumerate(text) if letter.isalpha()]
    changed = list(text)
    for place in random.sample(places, round(rate * len(places))):
        changed[place] = random.choice([letter for letter in letters if letter != text[place]])
    return "".join(changed)


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("seed", range(5))
def test_one_letter_in_twenty_is_wrong(language: str, seed: int) -> None:
    text = TEXTS[language]
    assert similarity(text, with_wrong_letters(text, 0.05, seed)) >= MIN_SIMILARITY


@pytest.mark.parametrize(
    "mistype",
    [
        lambda word: word[:2] + word[3:],
        lambda word: word[:2] + "q" + word[2:],
        lambda word: word[:2] + "q" + word[3:],
        lambda word: word[:2] + word[3] + word[2] + word[4:],
    ],
    ids=["left out", "inserted", "replaced", "in each other's place"],
)
def test_every_third_word_is_mistyped(mistype: Callable[[str], str]) -> None:
    words = TEXTS["en"].split()
    mistyped = [mistype(word) if place % 3 == 0 and len(word) > 4 else word for place, word in enumerate(words)]
    assert similarity(TEXTS["en"], " ".join(mistyped)) >= MIN_SIMILARITY


@pytest.mark.parametrize("seed", range(5))
def test_one_letter_in_fifteen_is_wrong_in_a_long_text(seed: int) -> None:
    """Longer words have two wrong letters then, and what is wrong in one place is right in another."""
    random = Random(seed)
    words = ["".join(random.choices("abdefgiklmnoprstuv", k=random.choice((2, 3, 4, 5, 7, 9, 11)))) for _ in range(300)]
    text = " ".join(random.choice(words) for _ in range(500))
    assert similarity(text, with_wrong_letters(text, 1 / 15, seed)) >= MIN_SIMILARITY


def test_figures_are_misread_letters() -> None:
    figures = {"l": "1", "o": "0", "s": "5", "b": "6"}
    words = [
        "".join(figures.get(letter, letter) for letter in word) if place % 3 == 0 else word
        for place, word in enumerate(TEXTS["en"].split())
    ]
    assert similarity(TEXTS["en"], " ".join(words)) >= MIN_SIMILARITY


def test_other_words_and_other_numbers_are_not_misspelled() -> None:
    words = TEXTS["en"].split()
    others = [f"{word[::-1]}" if place % 3 == 0 else word for place, word in enumerate(words)]
    assert similarity(TEXTS["en"], " ".join(others)) < MIN_SIMILARITY
    numbers = [f"{word} a{place}00" if place % 2 else word for place, word in enumerate(words)]
    other_numbers = [f"{word} a{place}01" if place % 2 else word for place, word in enumerate(words)]
    profiles = [CHECK.profile(read(" ".join(text))) for text in (numbers, other_numbers)]
    assert restored(*profiles) == (0, 0)


def test_a_single_word_is_no_misspelled_text() -> None:
    profiles = [CHECK.profile(read(text)) for text in (TEXTS["en"], TEXTS["en"].replace("bridge", "bridle"))]
    assert restored(*profiles) == (0, 0)


def test_a_word_that_both_have_is_not_misspelled() -> None:
    one, other = "form from form from stone pillars", "from form from form stone pillars"
    profiles = [CHECK.profile(read(text)) for text in (one, other)]
    assert restored(*profiles) == (0, 0)


@given(one=anything, other=anything)
@examples(100)
def test_symmetric_and_no_more_than_there_is(one: str, other: str) -> None:
    profiles = [CHECK.profile(read(text)) for text in (one, other)]
    if all(len(profile.spelled) for profile in profiles):
        weight, count = restored(*profiles)
        assert (weight, count) == restored(*reversed(profiles))
        assert 0 <= weight <= min(profile.weight for profile in profiles)
        assert count <= min(len(profile.packed) for profile in profiles)


def test_what_is_spelled_out() -> None:
    assert len(read(TEXTS["en"]).spelling.letters)
    assert not len(read("委员会将于星期四开会讨论新桥。 The end").spelling.letters)
    assert not len(read("word " * MOST).spelling.letters)
    assert not len(read("").spelling.letters)


def letters_of(spelling: Spelling) -> list[str]:
    letters = "".join(map(chr, spelling.letters.view(np.uint16).tolist()))
    return letters.split("\0")[: len(spelling.units)]


def test_letters_of_words() -> None:
    spelling = read("Nine ships 4th 船 1 x2y").spelling
    assert numbered(spelling.units, spelling.letters).tolist() == [False, False, True, False, True, True]
    assert letters_of(read("Nine Ships, c++ and 4th 船 १२३").spelling) == [
        "nine",
        "ships",
        "c",
        "and",
        "\x014th",
        "",
        "\x01१२३",
    ]
    assert letters_of(read("xxxxx zz").spelling) == ["xxxxx", "zz"]


@given(text=anything, letters=st.text(alphabet="ab1 +-_船𐐷𠀀😀\ud800\u0301", max_size=20))
@examples(200)
def test_units_have_their_letters(text: str, letters: str) -> None:
    folded = normalise(f"{letters} {text} and some words")
    cut = units([folded])
    spelling = next(spellings([folded], [(cut.hashes, cut.spans)]))
    if len(spelling.letters):
        assert [2 if word else 1 for word in letters_of(spelling)] == cut.spans.tolist()
