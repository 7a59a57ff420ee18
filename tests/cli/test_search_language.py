"""What a person types, and what is shown of the answer."""

from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from leitong.indexer import Index, open_index
from leitong.indexer.query import parse_filter
from tests.cli.running import Made, Ran, here
from tests.examples import examples


@pytest.fixture(scope="module")
def index(articles: Made) -> Iterator[Index]:
    with open_index(articles.cwd / articles.index) as opened:
        yield opened


@pytest.fixture(scope="module")
def big(demo: Made) -> Iterator[Index]:
    with open_index(demo.cwd / demo.index) as opened:
        yield opened


def found(index: Index, query: str, **options: object) -> set[str]:
    return {hit.id for hit in index.search(query, **options).hits}  # type: ignore[arg-type]


LIBRARY = {"news/1", "news/2", "news/3"}


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("图书馆", LIBRARY),
        ("图书", LIBRARY),  # a shorter word inside a longer one
        ("馆", LIBRARY),  # a character inside words
        ("馆 -谱", {"news/1", "news/2"}),
        ('"新馆正式向读者开放"', LIBRARY),
        ('"开放正式"', set()),
        ('"新馆正式', LIBRARY),  # a quotation mark that is never closed
        ("图书馆 -家谱", {"news/1", "news/2"}),
        ('图书馆 -"地方文献展览"', {"news/1", "news/2"}),
        ("图书馆 天气", set()),  # two words: both must be there
        ("全文检索", LIBRARY | {"wide"}),
        ("全文检索 category:long", {"news/3"}),
        ("category:long", {"news/3"}),
        ('category:"local"', {"news/1"}),
        ("tags:culture", {"news/1"}),
        ("图书馆 -category:copy", {"news/1", "news/3"}),
        ("id:weather", {"weather"}),
        ("title:读者", {"news/3"}),
        ("NEAR-duplicate", {"english", "page", "page 2"}),
        ("ｅｌａｓｔｉｃｓｅａｒｃｈ", {"english", "page", "page 2"}),
        ("sql simhash", {"wide"}),
        ("没有这样的词语存在", set()),
    ],
)
def test_query_language(index: Index, query: str, ids: set[str]) -> None:
    assert found(index, query) == ids


def test_an_empty_query_finds_everything(index: Index) -> None:
    assert index.search("").total == 12
    assert index.search(" ").total == 12


@pytest.mark.parametrize("query", ['"" - : ""', "！", "😀", "。。。"])
def test_a_question_without_a_word_finds_nothing(index: Index, query: str) -> None:
    assert index.search(query).total == 0


@pytest.mark.parametrize("query", ["图书馆：全文检索", "新馆：读者"])
def test_the_colon_of_a_headline_asks_for_no_field(index: Index, query: str) -> None:
    assert found(index, query) == found(index, query.replace("：", " ")) != set()


@pytest.mark.parametrize(
    ("query", "id", "marked"),
    [
        ("simhash", "wide", "<em>ＳｉｍＨａｓｈ</em>"),
        ("SQL", "wide", "<em>ＳＱＬ</em>"),
        ("ELASTICSEARCH", "english", "<em>Elasticsearch</em>"),
        ('"inverted index"', "english", "<em>inverted</em> <em>index</em>"),
        ("图书", "news/1", "市<em>图书</em>馆新馆"),
        ("馆", "news/1", "图书<em>馆</em>提醒读者"),
    ],
)
def test_highlights_show_the_original_text(index: Index, query: str, id: str, marked: str) -> None:
    hit = next(hit for hit in index.search(query).hits if hit.id == id)
    shown = hit.snippet.marked()
    assert marked in shown
    assert hit.snippet.text in index.get(id).document.text.replace("\n", " ")


@pytest.mark.parametrize(
    ("given", "ids"),
    [
        ("category=long", {"news/3"}),
        ("category:long", {"news/3"}),
        ("tags=图书馆", {"news/1"}),
        ("source.lang=en", {"english"}),
        ("id=news/2", {"news/2"}),
        ("category=", None),
        ("nothing=there", set()),
    ],
)
def test_a_filter_is_a_field_and_its_value(articles: Made, given: str, ids: set[str] | None) -> None:
    ran = here("search", "", "-i", "ix", "--filter", given, "--json", cwd=articles.cwd)
    if ids is None:
        assert "field=value" in ran.sentence
    else:
        assert {hit["id"] for hit in ran.json["hits"]} == ids


def test_pages_are_parts_of_one_order(articles: Made) -> None:
    def page(*options: str) -> Ran:
        return here("search", "图书馆", "-i", "ix", "--json", *options, cwd=articles.cwd)

    whole = [hit["id"] for hit in page().json["hits"]]
    assert [hit["id"] for hit in page("--size", "1", "--from", "1").json["hits"]] == whole[1:2]
    for beyond in (page("--from", "3"), page("--from", "1000000"), page("--size", "0")):
        assert beyond.json["hits"] == []
        assert beyond.json["total"] == 3


def test_fold_shows_one_document_of_each_cluster(articles: Made) -> None:
    ran = here("search", "图书馆", "-i", "ix", "--json", "--fold", cwd=articles.cwd)
    assert len(ran.json["hits"]) == 1
    assert ran.json["hits"][0]["id"] in LIBRARY
    weather = here("search", "图书馆 天气 全文检索 气温", "-i", "ix", "--json", "--fold", cwd=articles.cwd)
    assert weather.code == 0
    assert here("search", "图书馆", "-i", "ix", "--json", "--fold", "--from", "1", cwd=articles.cwd).json["hits"] == []


NASTY = [
    '"',
    '""',
    '"图书馆',
    "-",
    "--",
    "---",
    '-"',
    ":",
    "::",
    "a:",
    ":b",
    "a:b:c",
    "-a:",
    'a:"',
    'a:"b',
    "title:",
    'title:"',
    "(",
    ")",
    "[a TO",
    "{",
    "*",
    "?",
    "~",
    "^2",
    "a^",
    "\\",
    "\\\\",
    "/",
    "a AND",
    "OR",
    "NOT NOT",
    "+",
    "+-",
    "&&",
    "||",
    "\0",
    "\n",
    "\t",
    "\x1b[2J",
    "\u202e",
    "\ufeff",
    "\ud800",
    "a\udc80b",
    "😀",
    "👩‍👧",
    "e\u0301",
    "ﬁ",
    "Ａ：Ｂ",
    "字段：值",
    "http://example.com/?q=1#x",
    "C:\\Windows",
    "10:30",
    "1.5:1",
    "id:\0",
    "a.b.c:d",
    "a..b:c",
    ".:x",
    "leitong.fp:0",
    "x" * 70_000,
    "metadata.a:b",
    "图" * 5_000,
    '-"的" 的',
    "的 了 the",
    "١٢٣",
    "นี่คือ",
    "'; DROP TABLE documents; --",
    "%s%n",
    "{{7*7}}",
]


@pytest.mark.parametrize("query", NASTY, ids=lambda query: ascii(query)[:24])
def test_nothing_typed_breaks_a_search(index: Index, query: str) -> None:
    result = index.search(query, size=3, fold=True)
    assert len(result.hits) <= min(3, result.total)


PIECES = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        ['"', "-", ":", "：", " ", "图书馆", "title:", "id:", "category:", "全文", "\\", "*", "(", "\0", "\ud800"]
    ),
)


@examples(150)
@given(st.lists(PIECES, max_size=8).map("".join))
@example("title:\ud800")
def test_nothing_at_all_breaks_a_search(index: Index, query: str) -> None:
    result = index.search(query, size=2)
    assert len(result.hits) <= result.total <= 12
    for hit in result.hits:
        text = hit.snippet.text
        assert all(0 <= start < end <= len(text) for start, end in hit.snippet.marks)


@examples(100)
@given(st.from_regex(r"[^=:\s]{1,10}[=:]\S{1,10}", fullmatch=True))
def test_no_filter_breaks_a_search(index: Index, given_filter: str) -> None:
    assert index.search("", size=1, filters=[parse_filter(given_filter)]).total <= 12


@pytest.mark.slow
def test_the_sample_can_be_searched(big: Index) -> None:
    result = big.search("数据库", size=20)
    assert len(result.hits) == 20 < result.total
    assert [hit.score for hit in result.hits] == sorted((hit.score for hit in result.hits), reverse=True)
    assert all("数据库" in hit.snippet.text for hit in result.hits)
    assert big.search("数据库", size=20, start=20).hits[0].score <= result.hits[-1].score
    everything = big.search("", size=2_000)
    assert everything.total == len(everything.hits) == len({hit.id for hit in everything.hits}) == 1_278
