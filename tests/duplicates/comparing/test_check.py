"""The texts decide: how much they share, within 0 and 1, the same from both sides."""

from functools import cache
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from leitong.indexer.duplicates.commonness.boilerplate import Boilerplate
from leitong.indexer.duplicates.comparing.check import MIN_SIMILARITY, Likeness, Profile, TextCheck
from leitong.indexer.passages import read
from tests.duplicates.collection import NEWS, STORY
from tests.duplicates.drawn import FOOTER, article, learned
from tests.examples import examples
from tests.fingerprint.texts import TEXTS, anything, passages

PLAIN = TextCheck(Boilerplate.empty())


@cache
def footed() -> TextCheck:
    """Knows a footer."""
    return TextCheck(learned([article(number) + FOOTER for number in range(40)]))


def profile(text: str, check: TextCheck = PLAIN, *, title: str = "") -> Profile:
    return check.profile(read(f"{title}\n{text}" if title else text, title=title))


def compare(one: str, other: str, check: TextCheck = PLAIN) -> Likeness:
    return check.compare([profile(one, check)], [profile(other, check)])


@given(one=anything, other=anything, shared=passages, check=st.builds(footed) | st.just(PLAIN))
@example(one="0", other="\ua674", shared="", check=PLAIN)
@examples(150)
def test_range_and_symmetry(one: str, other: str, shared: str, check: TextCheck) -> None:
    left, right = f"{one}{shared}", f"{shared}。{other}"
    found, back = compare(left, right, check), compare(right, left, check)
    for values in (found.similarity, found.share, found.share_other):
        assert 0 <= values[0] <= 1 + 1e-9
    assert found.similarity[0] == back.similarity[0]
    assert (found.share[0], found.share_other[0]) == (back.share_other[0], back.share[0])
    assert found.kind(0) == back.kind(0)


@given(text=anything)
@examples(60)
def test_a_text_and_itself(text: str) -> None:
    found = compare(text, text)
    assert (found.similarity[0], found.share[0], found.share_other[0]) == (1.0, 1.0, 1.0)
    assert found.kind(0) == "exact"


@pytest.mark.parametrize("name", ["zh", "en", "ja", "ru", "news"])
def test_punctuation_width_and_case_do_not_count(name: str) -> None:
    text = TEXTS[name]
    assert compare(text, text.upper().replace("，", " , ").replace("。", "\n")).kind(0) == "exact"


@pytest.mark.parametrize(("one", "other"), [(NEWS, STORY), (TEXTS["zh"], TEXTS["ja"]), (NEWS, ""), ("", "。")])
def test_texts_that_share_nothing(one: str, other: str) -> None:
    found = compare(one, other)
    assert found.kind(0) is None
    assert (found.similarity[0], found.share[0], found.share_other[0]) == (0, 0, 0)


def test_an_edited_text_is_near() -> None:
    found = compare(STORY, STORY.replace("forty", "thirty"))
    assert found.kind(0) == "near"
    assert MIN_SIMILARITY <= found.similarity[0] < 1


def test_a_text_inside_a_longer_one_is_partial() -> None:
    longer = f"{TEXTS['mixed']}。{NEWS}。{STORY}。{article(1, 300)}"
    found = compare(NEWS, longer)
    assert found.kind(0) == "partial"
    assert found.share[0] == pytest.approx(1)
    assert found.share_other[0] < 0.5


def test_a_handful_of_shared_words_is_no_match() -> None:
    assert compare("中国人民银行今天", "中国人民银行昨天宣布了一项决定").kind(0) is None


def test_shares_are_by_weight_of_each_text() -> None:
    one, other = article(1, 100), article(2, 300)
    shared = article(3, 105)
    found = compare(one + shared, other + shared)
    assert found.share[0] == pytest.approx(100 / 200, abs=0.01)
    assert found.share_other[0] == pytest.approx(100 / 400, abs=0.01)


def test_boilerplate_makes_no_match() -> None:
    one, other = article(101, 40) + FOOTER, article(102, 40) + FOOTER
    assert compare(one, other, PLAIN).similarity[0] > compare(one, other, footed()).similarity[0]
    assert compare(one, other, footed()).kind(0) is None
    assert compare(one, one + "新", footed()).kind(0) == "near", "copies stay copies"


def test_many_pairs_at_once_are_the_pairs_one_by_one() -> None:
    texts = [NEWS, STORY, "", "。", *TEXTS.values(), article(5, 30_000), *[NEWS[:n] for n in range(0, 100, 9)]]
    profiles = [profile(text, footed()) for text in texts]
    one = [left for left in profiles for _ in profiles]
    other = profiles * len(profiles)
    together = footed().compare(one, other)
    alone = [footed().compare([left], [right]) for left, right in zip(one, other, strict=True)]
    assert np.allclose(together.similarity, [found.similarity[0] for found in alone])
    assert np.allclose(together.share, [found.share[0] for found in alone])
    assert [together.kind(place) for place in range(len(one))] == [found.kind(0) for found in alone]


@pytest.mark.slow
def test_more_pairs_than_are_compared_at_once() -> None:
    profiles = [profile(NEWS[start : start + 40]) for start in range(60)]
    pairs = [(a % 60, (a * 7 + a // 60) % 60) for a in range(40_000)]
    together = PLAIN.compare([profiles[a] for a, _ in pairs], [profiles[b] for _, b in pairs])
    matrix = np.array([PLAIN.compare([left] * 60, profiles).similarity for left in profiles])
    assert np.array_equal(together.similarity, [matrix[a, b] for a, b in pairs])


@pytest.mark.parametrize("least", [0.2, MIN_SIMILARITY, 0.8, 1.0])
def test_what_can_be_so_similar_is_judged_as_ever_and_the_others_stay_below(least: float) -> None:
    """Only how far below is not looked at."""
    whole_text = article(1, 700)
    texts = [whole_text[start : start + 300] + FOOTER for start in range(0, 400, 20)]
    one, other = zip(*combinations([profile(text, footed(), title=text[:9]) for text in texts], 2), strict=True)
    check = footed()
    whole, some = check.compare(one, other), check.compare(one, other, least=least)
    able = whole.similarity >= least
    assert np.array_equal(some.similarity[able], whole.similarity[able])
    assert (some.similarity[~able] < least).all()
    assert able.any() == (least < 1)


def test_no_pairs_have_no_similarity() -> None:
    assert len(PLAIN.compare([], []).similarity) == 0


def test_a_headline_changes_little_of_a_copied_article() -> None:
    one, other = profile(NEWS, title="央行宣布降准"), profile(NEWS, title="重磅消息来了")
    assert PLAIN.compare([one], [other]).kind(0) == "near"


RATINGS = "本周收视冠军仍是家庭剧，平均收视率达到{}%；第二名是历史剧，收视率为{}%；第三名是悬疑剧，收视率为{}%。"
RACE = "比赛共有{}名选手参加，冠军的成绩是{}秒，比去年的纪录快{}秒，观众人数约为{}人。"


def series(*values: int) -> str:
    return RATINGS.format(*values[:3]) + RACE.format(*values[3:])


def test_pages_of_a_series_differ_in_their_numbers() -> None:
    week, next_week = series(27, 21, 13, 480, 11, 2, 9000), series(29, 22, 14, 520, 12, 3, 8700)
    assert compare(week, week.replace("本周", "上周")).kind(0) == "near", "a copy keeps its numbers"
    assert compare(week, next_week).kind(0) is None
    corrected = compare(week, week.replace("480", "481"))
    assert corrected.kind(0) == "near" and corrected.similarity[0] > compare(week, next_week).similarity[0]


def page(subject: str, number: int) -> str:
    return f"{article(number, 60)}{FORM}{subject}"


FORM = article(77, 150)


@cache
def reference() -> TextCheck:
    """Knows the pages of a handbook."""
    titles = [f"{article(number, 5)} 资源类型说明" for number in range(30)]
    return TextCheck(learned([page(f"资源{number}", number) for number in range(30)], titles=titles))


SYSTEMS = "在 {} 上安装运行库"
"""A title and, in the text, what it is about."""


def guide(subject: str, own: str, *, title: str) -> Profile:
    return profile(article(510, 140) + FORM[:30] + SYSTEMS.format(subject) + own, reference(), title=title)


def test_a_piece_of_the_title_in_anothers_place_is_another_page_where_the_texts_are_about_the_pieces() -> None:
    windows, linux = SYSTEMS.format("Windows 7"), SYSTEMS.format("Linux")
    one, family = guide("Windows 7", article(511, 110), title=windows), guide("Linux", article(512, 110), title=linux)
    assert reference().compare([one], [family]).kind(0) is None
    headline = guide("Linux", article(512, 110), title="运行库第一次安装")
    assert reference().compare([one], [headline]).kind(0) == "near", "a new headline is another matter"
    edited = guide("Windows 7", article(512, 110), title=linux)
    assert reference().compare([one], [edited]).kind(0) == "near", "and so is a word replaced in the title alone"
    shared, own = article(510, 140), (article(511, 110), article(512, 110))
    plain = [profile(shared + text, PLAIN, title=title) for text, title in zip(own, (windows, linux), strict=True)]
    assert PLAIN.compare(plain[:1], plain[1:]).kind(0) == "near", "and so are pages of nobody else's form"


SITES = ("新浪网", "网易新闻")


@cache
def news_sites() -> TextCheck:
    """Knows two sites that print the same news."""
    texts = [f"{article(number, 60)}{FORM}本文来源{SITES[number % 2]}" for number in range(30)]
    return TextCheck(learned(texts, titles=[f"{article(number, 12)}_{SITES[number % 2]}" for number in range(30)]))


def test_the_name_of_another_site_behind_the_title_does_not_make_another_article() -> None:
    body, headline = article(700, 150) + FORM[:30], article(701, 12)
    own = article(702, 60), article(703, 60)
    one, other = (
        profile(f"{body}{text}本文来源{site}", news_sites(), title=f"{headline}_{site}")
        for text, site in zip(own, SITES, strict=True)
    )
    assert news_sites().compare([one], [other]).kind(0) == "near"


def test_titles_of_one_pattern_with_another_subject_are_different_pages() -> None:
    body = article(500, 200) + FORM
    one = profile(body + article(501, 60), reference(), title=article(601, 5) + " 资源类型说明")
    other = profile(body + article(502, 60), reference(), title=article(602, 5) + " 资源类型说明")
    same = profile(body + article(502, 60), reference(), title=article(601, 5) + " 资源类型说明")
    different, alike = reference().compare([one], [other]), reference().compare([one], [same])
    assert different.similarity[0] < alike.similarity[0]
    assert different.kind(0) is None and alike.kind(0) == "near"


def test_the_numbering_of_headings_makes_no_other_page() -> None:
    def chapter(number: int) -> Profile:
        text = f"{number}.2 {article(811, 30)}\n{FORM}\n{number}.3 {article(812, 30)}\n{article(813 + number, 60)}"
        return profile(text, reference(), title=f"{number}. 资源类型说明")

    assert reference().compare([chapter(3)], [chapter(4)]).kind(0) == "near"


def test_a_copy_with_much_form_is_one_under_another_headline() -> None:
    body = article(821, 230) + FORM
    one, copy = (profile(body, reference(), title=f"{article(number, 6)} 说明") for number in (822, 823))
    assert reference().compare([one], [copy]).kind(0) == "near"
    own = [profile(body + title, reference(), title=f"{title} 说明") for title in (article(822, 6), article(823, 6))]
    assert reference().compare(own[:1], own[1:]).kind(0) is None, "each speaks of its own"


def test_texts_that_are_the_same_nearly_all_through_are_one_under_any_title() -> None:
    """A tutorial's new edition has another title, and says the new word again."""
    subjects = ("Windows 7", "Linux")

    def pair(own: int) -> list[Profile]:
        body = article(800, 1_200 - own) + FORM
        return [
            profile(f"{body}{title}{article(801 + number, own)}", reference(), title=title)
            for number, title in enumerate(SYSTEMS.format(subject) for subject in subjects)
        ]

    editions, sisters = pair(20), pair(400)
    assert reference().compare(editions[:1], editions[1:]).similarity[0] > 0.9
    assert reference().compare(sisters[:1], sisters[1:]).kind(0) is None


def test_the_next_edition_of_a_long_document_has_another_beginning_and_new_terms() -> None:
    """On its first page stand other authors and dates; so much in common is no form."""
    form = article(900, 900)
    known = TextCheck(learned([article(number) + form for number in range(40)]))

    def pair(common: int, own: int) -> Likeness:
        body = article(830, common) + form[: common // 4]
        one, other = (
            profile(article(number, 50) + body + article(number + 2, own // 2) * 2, known, title="路由协议第二版")
            for number in (831, 832)
        )
        return known.compare([one], [other])

    long, short = pair(3_600, 2_000), pair(360, 70)
    assert long.share[0] < short.share[0]
    assert long.similarity[0] > 0.7
    assert short.kind(0) is None
