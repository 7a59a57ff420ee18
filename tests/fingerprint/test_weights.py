"""Weights by their published formulas."""

import math
from typing import Any

import numpy as np
import pytest

from leitong.indexer.documents import Document
from leitong.indexer.errors import RecipeError
from leitong.indexer.fingerprint.emphasis import PLAIN, Context, signposts
from leitong.indexer.fingerprint.idf import IdfTable
from leitong.indexer.fingerprint.recipe import Recipe, load
from leitong.indexer.fingerprint.segment import tagger
from leitong.indexer.fingerprint.simhash import Fingerprinter
from leitong.indexer.fingerprint.weights import (
    FACTORS,
    SCALE,
    Constants,
    FeatureBatch,
    Ingredients,
    Need,
    TermLength,
    build_factors,
)
from leitong.indexer.passages import Passage
from leitong.indexer.prepare import Preparer
from leitong.indexer.workers import fingerprint_all

TABLE = IdfTable(99, {"自由": 9, "平等": 1, "全文索引": 4})


def weights(text: str, *names: str, context: Context = PLAIN, **settings: Any) -> dict[str, float]:
    fields = ("*",) if "field" in names else ()
    recipe = Recipe(
        name="t", weights=names, idf=TABLE if "idf" in names else None, stop_words=(), value_fields=fields, **settings
    )
    return Fingerprinter(recipe).weights(text, context)


def test_term_frequency_counts() -> None:
    assert weights("自由 自由 平等", "tf") == {"自由": 2.0, "平等": 1.0}


def test_rare_words_count_more() -> None:
    """idf = ln((N + 1) / (df + 1)) + 1; a word that is not in the table counts as held by one document."""
    found = weights("自由 自由 平等 尊严", "tf", "idf")
    assert found["自由"] == pytest.approx(2 * (math.log(100 / 10) + 1), abs=1 / SCALE)
    assert found["平等"] == found["尊严"] == pytest.approx(math.log(100 / 2) + 1, abs=1 / SCALE)
    assert list(found) == ["自由", "尊严", "平等"], "heaviest first, then by the word"


@pytest.mark.parametrize("length", range(1, 31))
def test_length_is_a_normal_density_with_its_peak_at_one(length: int) -> None:
    """P3: mean 4.51, standard deviation 2.207; the factor is 1 + density / greatest density."""
    density = math.exp(-0.5 * ((length - 4.51) / 2.207) ** 2) / (2.207 * math.sqrt(2 * math.pi))
    peak = 1 / (2.207 * math.sqrt(2 * math.pi))
    assert TermLength().of_word("长" * length) == pytest.approx(1 + density / peak)


def test_words_of_four_and_five_characters_count_most() -> None:
    by_length = {length: TermLength().of_word("x" * length) for length in range(1, 12)}
    assert sorted(by_length, key=by_length.__getitem__)[-2:] == [4, 5]
    assert all(1 < value < 2 for value in by_length.values())


def test_factors_are_multiplied() -> None:
    found = weights("全文索引 全文索引 全文索引", "tf", "idf", "length")
    wanted = 3 * (math.log(100 / 5) + 1) * (1 + math.exp(-((4 - 4.51) ** 2) / (2 * 2.207**2)))
    assert found == {"全文索引": pytest.approx(wanted, abs=1 / SCALE)}


def test_without_tf_a_word_counts_once() -> None:
    assert weights("自由 自由 自由", "length") == weights("自由", "length")


def test_weights_are_multiples_of_a_power_of_two() -> None:
    """Sums of such numbers are exact in any order."""
    assert all((weight * SCALE).is_integer() for weight in weights("自由 平等 全文索引 尊严", "tf", "idf").values())


def test_every_factor_is_one_number_a_feature() -> None:
    facts = {need: np.array([1.0, 0.0, 1.0]) for need in Need}
    batch = FeatureBatch(np.array([0, 2, 2, 3]), np.array([1.0, 2.0, 5.0]), facts)
    for factor in build_factors(tuple(FACTORS), Ingredients(TABLE, Constants(), tagger)):
        part = factor.in_document(batch)
        assert part is None or part.shape == (3,)
        assert factor.of_word is None or factor.of_word("自由") >= 1


def test_bad_factors() -> None:
    with pytest.raises(RecipeError, match=r"Unknown weight 'bm25'\. Known: tf, idf, length"):
        build_factors(("tf", "bm25"), Ingredients(None, Constants(), tagger))
    with pytest.raises(RecipeError, match="needs an idf table"):
        build_factors(("idf",), Ingredients(None, Constants(), tagger))


def test_nouns_and_verbs_count_twice() -> None:
    """P5: two against one. Words that no dictionary knows are names and terms."""
    found = weights("企业 宣布 漂亮 从 雷同检测器 iphone", "part_of_speech")
    assert found == {"企业": 2, "宣布": 2, "雷同": 2, "检测器": 2, "iphone": 2, "漂亮": 1, "从": 1}


def test_particles_may_count_nothing() -> None:
    """P3 removes them before features are taken."""
    recipe = load("wang2019")
    assert recipe.constants == Constants(noun=1, verb=1, particle=0)
    found = Fingerprinter(recipe).weights("企业对于降准表示欢迎吗")
    assert all(weight > 0 for word, weight in found.items() if word in ("企业", "降准", "欢迎"))
    assert weights("哎呀 企业", "part_of_speech", constants=recipe.constants) == {"企业": 1, "哎呀": 0}


def test_long_words_count_more_within_a_document() -> None:
    """P5: 1 + (len - min) / (max - min); 1 where all are equal."""
    assert weights("自由 全文索引 互联网", "relative_length") == {"全文索引": 2, "互联网": 1.5, "自由": 1}
    assert weights("自由 平等", "relative_length") == {"自由": 1, "平等": 1}
    assert weights("自由 全文索引", "relative_length", constants=Constants(longest=3))["全文索引"] == 4
    recipe = Recipe(name="t", weights=("relative_length",))
    texts = ["自由 全文索引", "", "平等 互联网"]
    maker = Fingerprinter(recipe)
    together = maker.batch(texts).fingerprints[:, 0].tolist()
    assert together == [maker.one(text) for text in texts], "shortest and longest are those of the document"


def test_words_of_the_title_count_five_times() -> None:
    text = "降准的影响\n央行宣布降准，企业欢迎。"
    found = weights(text, "tf", "title", context=Context("降准的影响"))
    assert found["降准"] == 10 and found["影响"] == 5 and found["企业"] == 1
    assert weights(text, "tf", "title") == weights(text, "tf"), "no title, no difference"
    chars = weights("abcd\nxabc", "title", context=Context("abcd"), segmenter="chars")
    assert chars == {"abc": 5, "bcd": 5, "cdx": 1, "dxa": 1, "xab": 1}


def test_words_after_a_signpost_count_five_times() -> None:
    """P5: in a signpost, or in a sentence that opens with one."""
    found = weights("企业欢迎。综上所述，降准有利于企业。利率总之下调。", "tf", "signpost")
    assert found["降准"] == found["综上所述"] == found["总之"] == 5
    assert found["企业"] == 10, "twice in the text, once after a signpost"
    assert found["欢迎"] == found["利率"] == found["下调"] == 1
    english = weights("Rates fell. In conclusion, firms gain. A therefored firm.", "tf", "signpost")
    assert english["gain"] == english["conclusion"] == 5
    assert english["rates"] == english["therefored"] == 1, "a signpost is a word of its own"
    assert weights("据悉降准。", "tf", "signpost", more_signposts=("据悉",))["降准"] == 5


def test_signposts_are_shipped_in_chinese_and_english() -> None:
    assert {"综上所述", "总之", "但是", "in conclusion", "however"} <= signposts().expressions
    assert all(one == one.strip().lower() for one in signposts().expressions)


def test_values_of_fields_count_two_beside_words() -> None:
    """P4: the value of a short field has the weight 2, uncut; a word of the text its frequency."""
    values = Context(values=("北京市 朝阳区", "降准", "降准", "。"))
    found = weights("降准有利企业", "tf", "field", context=values)
    assert found["北京市 朝阳区"] == 2
    assert found["降准"] == 1 + 2 + 2
    assert "。" not in found and found["企业"] == 1


def test_rows_of_a_table_are_fingerprinted_with_their_fields() -> None:
    """P4: null values are skipped; the fingerprint is the same by every way to it."""
    preparer = Preparer(load("li2015"))
    row = {"name": "张三", "age": 41, "phone": None, "tags": ["信访", None], "place": {"lat": 1}, "note": " "}
    documents = [
        Document("a", "道路积水", metadata=row),
        Document("b", "道路积水", metadata={"tags": "信访", "age": "41"}),
    ]
    assert Passage.of(documents[0], fields=("*",)).values == ("41", "张三", "信访")
    assert Passage.of(documents[0], fields=("name", "absent")).values == ("张三",)
    entries = [entry.stored.fingerprint for entry in preparer.entries(documents)]
    assert entries == [value for _, value in fingerprint_all(documents, recipe=load("li2015"), workers=1)]
    assert entries[0] != entries[1]


def test_a_recipe_pays_only_for_what_it_uses() -> None:
    assert Fingerprinter(load("standard")).needs == frozenset()
    assert Fingerprinter(load("multifactor")).needs == {Need.LENGTHS, Need.SIGNPOSTS, Need.TITLE}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"title": -1}, "Recipe constant title must be 0 to 1,000,000, not -1"),
        ({"title": math.nan}, "title must be 0 to 1,000,000, not nan"),
        ({"signpost": math.inf}, "signpost must be 0 to"),
        ({"noun": "two"}, "noun must be a number, not 'two'"),
        ({"verb": True}, "verb must be a number, not True"),
        ({"length_deviation": 0}, "length_deviation must be more than 0"),
    ],
)
def test_constants_that_cannot_be(change: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        Constants(**change)
