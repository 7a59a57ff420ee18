"""Full text: what a question finds, filters."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from leitong.indexer import Document
from leitong.indexer.engines.base import Snapshot
from leitong.indexer.query import FieldIs, parse, parse_filter
from leitong.indexer.search import search
from tests.engines.contract.entries import PREPARER, filled, found
from tests.engines.places import Place


@pytest.fixture(scope="module")
def few(place: Place) -> Iterator[Snapshot]:
    documents = [
        Document("zh", "全文检索系统能找到近似重复的文档。", "检索", {"lang": "zh", "year": 2018, "ok": True}),
        Document(
            "en",
            "Near-duplicate detection finds copies.",
            "Copies",
            {"lang": "en", "tags": ["a", "b"], "来源": "晚报", "pub-date": 2019},
        ),
        Document("mix", "重复的文档 and near-duplicate copies", "Both", {"lang": ["zh", "en"]}),
        Document("deep", "检索", "", {"site": {"name": "x.com", "area": [{"code": 7}, {"code": 8}]}}),
    ]
    with filled(place, documents) as snapshot:
        yield snapshot


class TestSearch:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("重复", {"zh", "mix"}),
            ("文档 重复", {"zh", "mix"}),
            ("重复 copies", {"mix"}),
            ("copies", {"en", "mix"}),
            ("COPIES", {"en", "mix"}),
            ('"finds copies"', {"en"}),
            ('"copies finds"', set()),
            ('-"finds copies"', {"zh", "mix", "deep"}),
            ('"重复的文档"', {"zh", "mix"}),
            ("copies -重复", {"en"}),
            ("-copies", {"zh", "deep"}),
            ("title:copies", {"en"}),
            ("title:检索", {"zh"}),
            ("检索", {"zh", "deep"}),
            ("lang:zh", {"zh", "mix"}),
            ("lang:zh 检索", {"zh"}),
            ("-lang:zh", {"en", "deep"}),
            ("year:2018", {"zh"}),
            ("ok:true", {"zh"}),
            ("tags:b", {"en"}),
            ("tags:c", set()),
            ("来源:晚报", {"en"}),
            ("pub-date:2019", {"en"}),
            ("-来源:晚报 copies", {"mix"}),
            ("", {"zh", "en", "mix", "deep"}),
            ("，。！", {"zh", "en", "mix", "deep"}),
            ("nowhere", set()),
        ],
    )
    def test_finds(self, few: Snapshot, text: str, expected: set[str]) -> None:
        assert set(found(few, text)) == expected

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("重复:文档", {"zh", "mix"}),
            ('重复:"的文档"', {"zh", "mix"}),
            ("lang:de", set()),
            ("tags:a 重复:文档", set()),
            ("lang:zh copies", {"mix"}),
            ("foo:！！", set()),
        ],
    )
    def test_what_only_looks_like_a_field_is_words(self, few: Snapshot, text: str, expected: set[str]) -> None:
        answer = search(
            few,
            text,
            preparer=PREPARER,
            finder=None,
            size=9,
            start=0,
            filters=(),
            fold=False,
            count_values=False,
        )
        assert {hit.id for hit in answer.hits} == expected

    @pytest.mark.parametrize(
        ("filters", "expected"),
        [
            (["lang=en"], {"en", "mix"}),
            (["lang=en", "lang=zh"], {"mix"}),
            (["site.name=x.com"], {"deep"}),
            (["site.area.code=8"], {"deep"}),
            (["site=x.com"], set()),
            (["id=mix"], {"mix"}),
            (["absent=1"], set()),
        ],
    )
    def test_filters(self, few: Snapshot, filters: list[str], expected: set[str]) -> None:
        assert set(found(few, "", filters=filters)) == expected

    def test_a_page_pasted_into_the_box(self, few: Snapshot) -> None:
        words = " ".join(f"w{number}" for number in range(2_000))
        assert found(few, words) == []
        assert found(few, f'{words} "finds copies" lang:zh title:both') == []

    def test_size_and_start(self, few: Snapshot) -> None:
        query = parse("", cutter=PREPARER)
        everything = [hit.stored.document.id for hit in few.search(query, size=9).hits]
        assert [hit.stored.document.id for hit in few.search(query, size=2, start=1).hits] == everything[1:3]
        nothing = few.search(query, size=0)
        assert (nothing.total, nothing.hits) == (4, ())
        assert few.search(query, size=5, start=50).hits == ()


def test_a_filter_is_read() -> None:
    assert parse_filter("a.b=c") == FieldIs("a.b", "c")


@pytest.fixture(scope="module")
def cats(place: Place) -> Iterator[Snapshot]:
    documents = [
        Document("inside", "动物园里的熊猫最受欢迎。"),
        Document("alone", "猫 和 狗"),
        Document("title", "竹子是它的食物。", "大熊猫的食物"),
        Document("none", "今天天气很好。"),
        Document("kana", "アイス"),
    ]
    with filled(place, documents) as snapshot:
        yield snapshot


class TestParts:
    """A single Chinese character is found wherever it stands, as a word or inside one."""

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("猫", {"inside", "alone", "title"}),
            ('"猫"', {"inside", "alone", "title"}),
            ("-猫", {"none", "kana"}),
            ("title:猫", {"title"}),
            ("title:吃竹", set()),
            ("竹", {"title"}),
            ("熊 竹", {"title"}),
            ("猫 狗", {"alone"}),
            ("熊猫", {"inside", "title"}),
            ("ス", {"kana"}),
            ("龘", set()),
            ('"大 猫"', set()),
        ],
    )
    def test_finds(self, cats: Snapshot, text: str, expected: set[str]) -> None:
        assert set(found(cats, text)) == expected

    def test_a_word_by_itself_ranks_first_then_the_title(self, cats: Snapshot) -> None:
        assert found(cats, "猫") == ["alone", "title", "inside"]

    def test_a_long_question_asks_for_words(self, cats: Snapshot) -> None:
        assert set(found(cats, "猫 犬 牛 羊")) == set()
        assert set(found(cats, "-猫 -犬 -牛 -羊")) == {"none", "kana"}
        assert set(found(cats, "-猫 -犬 -牛 -羊 -鸟")) == {"none", "kana", "inside", "title"}


@pytest.fixture(scope="module")
def signed(place: Place) -> Iterator[Snapshot]:
    """Texts in scripts whose vowels are signs."""
    documents = [
        Document("hindi", "हिन्दी भारत की एक प्रमुख भाषा है और करोड़ों लोग इसे बोलते हैं।"),
        Document("river", "दिनहर नदी के किनारे एक गाँव है।"),
        Document("pointed", "جَمِيلَةٌ هِيَ اللُّغَةُ العَرَبِيَّةُ"),
        Document("plain", "اللغة العربية لغة جميلة"),
        Document("burmese", "မြန်မာဘာသာစကားသည် မြန်မာနိုင်ငံ၏ ရုံးသုံးဘာသာစကား ဖြစ်သည်"),
        Document("thai", "ภาษาไทยเป็นภาษาที่มีวรรณยุกต์", title="น้ำใจ"),
    ]
    with filled(place, documents) as snapshot:
        yield snapshot


class TestSigns:
    """Words with vowel signs are found whole; the points of Arabic and Hebrew may be there or not."""

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("हिन्दी", {"hindi"}),
            ("नदी", {"river"}),
            ("एक -नदी", {"hindi"}),
            ('"प्रमुख भाषा"', {"hindi"}),
            ('"भाषा प्रमुख"', set()),
            ("العربية", {"pointed", "plain"}),
            ("العَرَبِيَّةُ", {"pointed", "plain"}),
            ('"اللُّغَةُ العربية"', {"pointed", "plain"}),
            ("ဘာသာ", {"burmese"}),
            ("မြ", {"burmese"}),
            ("ไทย", {"thai"}),
            ("ที่", {"thai"}),
            ("title:น้ำ", {"thai"}),
        ],
    )
    def test_finds(self, signed: Snapshot, text: str, expected: set[str]) -> None:
        assert set(found(signed, text)) == expected
