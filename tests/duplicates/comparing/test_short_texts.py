"""Titles, posts and rows: an edit is found by report, similar and while indexing; unrelated texts are not."""

from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from leitong.indexer.documents import Document
from leitong.indexer.duplicates.commonness.boilerplate import Boilerplate
from leitong.indexer.duplicates.comparing.check import TextCheck
from leitong.indexer.duplicates.comparing.edit_distance import edit_distances
from leitong.indexer.duplicates.comparing.short_texts import another_word
from leitong.indexer.duplicates.policy.gate import Gate
from leitong.indexer.fingerprint.short import MOST, letters
from leitong.indexer.library import open_index
from leitong.indexer.passages import read
from leitong.indexer.pipeline import IndexOptions
from leitong.indexer.prepare import Preparer
from leitong.indexer.sources.given import Given
from tests.duplicates.collection import WORDS, make
from tests.examples import examples

TITLES = (
    ("港珠澳大桥今天上午正式通车运营", "港珠澳大桥今天上午正式通行运营"),
    ("Learning to rank with nonsmooth cost functions", "Learning to rank with nonsmoth cost functions"),
    ("教育部公布2018年全国高校名单", "教育部公布了2018年全国高校名单"),
    ("国务院办公厅关于进一步优化营商环境的通知", "国务院办公厅关于进步优化营商环境的通知"),
    ("john smith, 12 main street, springfield", "jon smith, 12 main street, springfield"),
    ("ये फाइल डिजिटल ऑडियो प्लेयर पर है", "ये फाइल डिजिटल ऑडियो प्लेयर पर हैं"),
)
SERIES = (
    ("港珠澳大桥建设日记第1篇", "港珠澳大桥建设日记第2篇"),
    ("港珠澳大桥建设日记第十九篇", "港珠澳大桥建设日记第二十篇"),
    ("Learning to rank, lecture 11 of 24", "Learning to rank, lecture 12 of 24"),
    ("十四届全国人大三次会议举行记者会", "十四届全国人大四次会议举行记者会"),
    ("房屋租赁合同2018年第3号", "房屋租赁合同2019年第3号"),
)
OTHER_WORDS = (
    ("创建 mobileAppProvisioningConfigGroupAssignment", "删除 mobileAppProvisioningConfigGroupAssignment"),
    ("在报表服务器上查看和修改共享数据源的属性", "在报表服务器上查看和修改共享数据源的权限"),
    ("mary smith, 12 main street, springfield", "jon smith, 12 main street, springfield"),
)
MODELS = (
    ("Philips Semiconductors SAA7231E Behold television", "Philips Semiconductors TSA7233 Behold television"),
    ("Chelsio Communications T540-5084 Storage Controller", "Chelsio Communications T540-50A4 Storage Controller"),
)
WRITTEN_OTHERWISE = (
    ("Sauter Im Surinam 55 Basel BS CH CH4016", "Sauter Im Surinam 55 Basel BS CH 4016"),
    ("Nautel 10089 Peggys Cove Road Nova Scotia B3Z3J4", "Nautel 10089 Peggys Cove Road Nova Scotia B3Z 3J4"),
    ("Philips Semiconductors SAA7231 Behold television", "Philips Semiconductors SAA7231 Behold televisions"),
)
UNRELATED = ("人工智能助力乡村医疗", "长江中下游迎来强降雨", "A survey of clustering", "好评", "收到", "谢谢老板")
FEW = (
    ("收到", "谢谢"),
    ("好评一", "差评一"),
    ("第一章", "第二章"),
    ("हेनान शेंग", "हुनान शेंग"),
    ("बेना (नाइजीरिया)", "बीना (नाइजीरिया)"),
)


@given(one=st.text(alphabet="abc", max_size=MOST), other=st.text(alphabet="abc", max_size=MOST))
@example("ab" * (MOST // 2), "ba" * (MOST // 2))
@example("a" * MOST, "b" * (MOST - 1))
@examples(200)
def test_edit_distances_are_those_of_the_whole_table(one: str, other: str) -> None:
    table = {(0, j): j for j in range(len(other) + 1)} | {(i, 0): i for i in range(len(one) + 1)}
    for i, left in enumerate(one, 1):
        for j, right in enumerate(other, 1):
            changed = table[i - 1, j - 1] + (left != right)
            table[i, j] = min(changed, table[i - 1, j] + 1, table[i, j - 1] + 1)
    pairs = [letters(text) for text in (one, other, "", "ab")]
    found = edit_distances([pairs[0], pairs[2], pairs[3]], [pairs[1], pairs[3], pairs[3]])
    assert found.tolist() == [table[len(one), len(other)], 2, 0]


@given(
    rest=st.text(alphabet="xyz", min_size=1, max_size=9),
    one=st.text(alphabet="ab", min_size=2, max_size=5),
    other=st.text(alphabet="cd", min_size=2, max_size=5),
)
@examples(100)
def test_another_word_at_one_end(rest: str, one: str, other: str) -> None:
    def another(left: str, right: str) -> bool:
        return another_word(letters(left), letters(right))

    assert another(one + rest, other + rest)
    assert another(rest + other, rest + one)
    assert not another(rest + one + rest, rest + other + rest)
    assert not another(one, other)
    assert not another(one + rest, one + rest)
    assert not another(one + rest, rest)
    assert not another(one + rest, one[0] + other + rest)


def test_no_pairs_have_no_edit_distance() -> None:
    assert edit_distances([], []).tolist() == []


@pytest.mark.parametrize(("one", "other"), TITLES)
def test_an_edit_is_near(one: str, other: str) -> None:
    check = TextCheck(Boilerplate.empty())
    found = check.compare([check.profile(read(one))], [check.profile(read(other))])
    assert found.kind(0) == "near"


@pytest.mark.parametrize(("one", "other"), [*FEW, *SERIES, *OTHER_WORDS, *MODELS, *pairwise(UNRELATED)])
def test_few_letters_numbers_and_the_words_at_both_ends_must_be_the_same(one: str, other: str) -> None:
    check = TextCheck(Boilerplate.empty())
    found = check.compare([check.profile(read(one))], [check.profile(read(other))])
    assert found.kind(0) is None


@pytest.mark.parametrize(("one", "other"), WRITTEN_OTHERWISE)
def test_words_with_the_same_digits_may_be_written_otherwise(one: str, other: str) -> None:
    check = TextCheck(Boilerplate.empty())
    assert check.compare([check.profile(read(one))], [check.profile(read(other))]).kind(0) == "near"


def documents() -> list[Document]:
    pairs = [Document(f"{number}-{side}", text) for number, pair in enumerate(TITLES) for side, text in enumerate(pair)]
    return pairs + [Document(f"other-{number}", text) for number, text in enumerate(UNRELATED)]


def test_report_and_similar_find_the_edits_and_nothing_else(tmp_path: Path) -> None:
    make(tmp_path / "index", documents(), recipe=WORDS).close()
    with open_index(tmp_path / "index") as index:
        wanted = {(f"{number}-0", f"{number}-1") for number in range(len(TITLES))}
        assert {(pair.a, pair.b) for pair in index.report().pairs} == wanted
        for a, b in wanted:
            assert [match.id for match in index.similar(a).matches] == [b]
        for text in UNRELATED:
            assert [match.kind for match in index.similar_to(text).matches] == ["exact"]


def test_edits_are_noticed_while_indexing(tmp_path: Path) -> None:
    engine = make(
        tmp_path / "index", [Document(f"{number}", pair[0]) for number, pair in enumerate(TITLES)], recipe=WORDS
    )
    with Gate(engine, mark=True, radius=None, min_similarity=None) as gate:
        edited = Preparer(WORDS).entries([Document(f"{number}-b", pair[1]) for number, pair in enumerate(TITLES)])
        found = gate.originals(edited)
        assert [one.document.id if one else None for one in found] == [str(number) for number in range(len(TITLES))]
    engine.close()


def test_many_short_texts_that_are_alike_are_not_compared_with_each_other(tmp_path: Path) -> None:
    random = Random(1)
    names = ["".join(chr(0x4E00 + random.randrange(20_000)) for _ in range(5)) for _ in range(800)]
    alike = [Document(str(number), f"亲爱的{name}您的包裹已经送达请及时领取") for number, name in enumerate(names)]
    make(tmp_path / "index", alike, recipe=WORDS).close()
    with open_index(tmp_path / "index") as index:
        report = index.report()
        assert report.compared < 20 * len(alike)
        assert not report.pairs


def test_equal_texts_are_found_though_many_hold_every_part_of_them(tmp_path: Path) -> None:
    chance = Random(3)
    texts = list(dict.fromkeys("".join(chance.choices(("授权", "请求", "正文"), k=12)) for _ in range(2_000)))
    documents = [Document(str(place), text) for place, text in enumerate(texts)]
    again = [Document(f"again {place}", texts[place]) for place in range(0, len(texts), 100)]
    with open_index(tmp_path / "index", create=True) as index:
        index.add(documents)
        for place, document in zip(range(0, len(texts), 100), again, strict=True):
            kinds = {match.id: match.kind for match in index.similar_to(document.text, limit=None).matches}
            assert kinds.get(str(place)) == "exact"
        options = IndexOptions(rejects=tmp_path / "rejects", on_duplicate="mark")
        assert index.index([Given(again)], options=options).marked == len(again)
