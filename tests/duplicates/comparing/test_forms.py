"""Pages that are nothing but passages which many pages have: fingerprints and sketches miss them, titles do not."""

from itertools import product
from pathlib import Path
from random import Random
from typing import Final

import pytest

from leitong.indexer.documents import Document
from leitong.indexer.library import Index
from leitong.indexer.passages import Passage, read, read_all
from leitong.indexer.prepare import Preparer
from tests.duplicates.collection import WORDS, make

PASSAGES: Final = (
    ("One of these permissions is needed to call this, the least comes first.", "Permissions follow in their order."),
    ("Delegated from a work or school account: read and write all.", "With an account of work all may be read."),
    ("Delegated from a personal account: not supported at all here.", "Personal accounts are of no use in this place."),
    ("Send a bearer token in the header named authorization.", "The header called authorization holds the token."),
    ("Do not supply a request body for this method, it is ignored.", "There is no body in a request of this kind."),
    ("If successful, this method returns 204 no content and no body.", "A call that succeeds answers with 204."),
    ("Here is an example of the request, in several languages.", "What is sent follows, each tab in a language."),
    ("The response shown below may be shortened to be readable.", "What is shown as an answer may have been cut."),
    ("Errors come with a code, a message and a date.", "An error names its code and tells what went wrong."),
    ("Limits of calls are those of the whole service.", "How many calls are allowed depends on the tenant."),
    ("This is subject to change while it is in preview.", "As a preview this may change at any time."),
    ("See also the guide for beginners and what is new.", "New readers find help in the guide, and a list of changes."),
)
"""Each page has one of the two in each place."""
VERBS: Final = ("delete", "list", "update", "copy")
NOUNS: Final = (
    *("calendar", "event", "message", "mailbox", "folder", "contact", "group", "team", "channel", "tab", "chat"),
    *("drive", "item", "column", "page", "site", "printer", "share", "job", "task", "plan", "bucket", "user", "device"),
    *("policy", "role", "domain", "place", "room"),
)


def pages(title: str) -> list[Document]:
    """Pages in two versions that differ in one passage."""
    random = Random(5)
    documents: list[Document] = []
    for verb, noun in product(VERBS, NOUNS):
        chosen = [random.randrange(2) for _ in PASSAGES]
        for version in ("1", "2"):
            text = " ".join(both[one] for both, one in zip(PASSAGES, chosen, strict=True))
            documents.append(Document(f"{verb}-{noun}-{version}", text, title.format(verb=verb, noun=noun)))
            chosen[random.randrange(len(chosen))] ^= 1
    return documents


def test_two_versions_of_a_form_are_found_by_their_title(tmp_path: Path) -> None:
    index = Index(make(tmp_path / "index", pages("{verb} every {noun}")))
    wanted = {(f"{verb}-{noun}-1", f"{verb}-{noun}-2") for verb, noun in product(VERBS, NOUNS)}
    report = index.report()
    assert {(pair.a, pair.b) for pair in report.pairs} == wanted
    for one, other in sorted(wanted):
        assert [match.id for match in index.similar(one).matches] == [other]


def test_a_title_that_many_pages_have_asks_for_nobody(tmp_path: Path) -> None:
    """Without titles as many texts are compared, but for a few: one word less changes fingerprints."""
    one_title = Index(make(tmp_path / "one", pages("remarks"))).report().compared
    untitled = Index(make(tmp_path / "none", pages(""))).report().compared
    assert one_title < untitled + len(VERBS) * len(NOUNS)


@pytest.mark.parametrize("text", ["上海", "the quick brown fox", "……", " ".join(one for one, _ in PASSAGES)])
def test_what_is_stored_is_what_is_asked_for(text: str) -> None:
    stored = Preparer(WORDS).prepare([Passage("List users", text)]).keys
    assert set(read(text, title="List users").keys.tolist()) <= set(stored)


def test_titles_are_one_whatever_their_case_width_and_punctuation() -> None:
    def by(title: str) -> set[int]:
        with_title, without = read_all([Passage(title, PASSAGES[0][0]), Passage("", PASSAGES[0][0])])
        return set(with_title.keys.tolist()) - set(without.keys.tolist())

    assert by("List users") == by("list  USERS!") == by("Ｌｉｓｔ users") == {STORED}
    assert not by("List users") & by("List user")
    assert not by("……")


STORED: Final = 17462604862725521955
"""Keys lie in people's indexes: they never change."""


SITES: Final = (
    "Cookies help us show what you like, and measure what is read. By going on you agree to that, as the rules say. "
    "Home World Business Science Arts Travel Weather Jobs Archive Letters Books Film Theatre Health Family Style. ",
    "Start Regions Money Opinion Stars Motors Games Radio Shop Help Chess Garden Law Quiz Lottery Cinema Events. "
    "We ask for your consent to count visits here and elsewhere, so that advertisers learn which pages you have seen. ",
)
FOOTERS: Final = (
    " All rights reserved, no part of this may be copied without the leave of the publisher. Imprint Terms Contact"
    " Comments appear when they have been read. Be kind to others, stay with the matter, and give your name.",
    " Write to the editors under the address below. Subscribe to the letter of the morning and read on for less."
    " This house belongs to a group of nine papers in four countries, whose reporters share what they find out.",
)


def stories() -> list[str]:
    """Texts that have nothing in common."""
    random = Random(6)
    syllables = [a + b for a, b in product("bdfgklmnprstvz", ("a", "e", "i", "o", "u", "an", "er"))]
    return [" ".join("".join(random.choices(syllables, k=random.randint(1, 3))) for _ in range(120)) for _ in range(24)]


def test_an_article_on_two_sites_is_one_and_two_articles_of_a_site_are_two(tmp_path: Path) -> None:
    """Each site has its own form, and its own headline."""
    documents = [
        Document(f"{number:02}-{site}", SITES[site] + story + FOOTERS[site], " ".join(story.split()[10 * site :][:6]))
        for number, story in enumerate(stories())
        for site in range(2)
        if number < 4 or number % 2 == site
    ]
    report = Index(make(tmp_path / "index", documents)).report()
    assert {(pair.a, pair.b) for pair in report.pairs} == {(f"{number:02}-0", f"{number:02}-1") for number in range(4)}


def headed(name: str, words: list[str], start: int) -> Document:
    """A page of the first site about some words, six of which are its headline."""
    return Document(name, SITES[0] + " ".join(words) + FOOTERS[0], " ".join(words[start : start + 6]))


def test_an_article_under_two_headlines_is_one_where_both_texts_say_what_the_headlines_do(tmp_path: Path) -> None:
    """On one site, and shortened. Two pages with as much in common of which each names its own subject stay two."""
    told = [story.split() for story in stories()]
    documents = [headed(f"{number:02}-0", words, 10 if number < 20 else 90) for number, words in enumerate(told)]
    for number, words in enumerate(told[:4]):
        documents.append(headed(f"{number:02}-1", words[:80], 40))
    for number in range(20, 23):
        documents.append(headed(f"{number:02}-1", told[number][:80] + told[number + 1][:30], 84))
    report = Index(make(tmp_path / "index", documents)).report()
    assert {(pair.a, pair.b) for pair in report.pairs} == {(f"{number:02}-0", f"{number:02}-1") for number in range(4)}


def contract(number: int, words: list[str], *, title: str = "", before: str = "", more: str = "") -> Document:
    """A form, filled in with eight words. Its title names the party, or is made of words that many titles have."""
    party, terms = " ".join(words[:2]), " ".join(words[2:8])
    form, kinds = (stories()[story].split() for story in (0, 21))
    plain = f"{kinds[number % 4]} {kinds[4 + number % 5]} contract"
    text = f"{party} {' '.join(form[:60])} {party} {' '.join(form[60:])} {terms} {more}"
    name = f"{number:02}-{1 if title or before or words[0] in kinds else 0}"
    return Document(name, text, title or before + (f"Contract with {party}" if number % 2 else plain))


def test_a_form_filled_in_once_is_one_under_any_title_and_inside_a_longer_text(tmp_path: Path) -> None:
    """On a site with its own title and form, and in an answer. With another party it is another contract."""
    told = [story.split() for story in stories()]
    documents = [contract(number, told[number]) for number in range(1, 20)]
    documents.append(contract(1, told[1], title="Buying and selling"))
    documents.append(contract(3, told[3], title="Buying and selling", more=" ".join(told[22][:60])))
    documents += [
        contract(number, told[number], before="Re: ", more=" ".join(told[number][20:60])) for number in (2, 4)
    ]
    documents += [contract(number, told[21][number : number + 2] + told[number][2:]) for number in (5, 7)]
    found = {(pair.a, pair.b) for pair in Index(make(tmp_path / "index", documents)).report().pairs}
    assert found == {(f"{number:02}-0", f"{number:02}-1") for number in range(1, 5)}
