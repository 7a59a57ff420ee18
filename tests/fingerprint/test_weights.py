"""Weights by their published formulas."""

import math

import numpy as np
import pytest

from leitong.indexer.errors import RecipeError
from leitong.indexer.fingerprint.idf import IdfTable
from leitong.indexer.fingerprint.recipe import Recipe
from leitong.indexer.fingerprint.simhash import Fingerprinter
from leitong.indexer.fingerprint.weights import FACTORS, SCALE, FeatureBatch, TermLength, build_factors

TABLE = IdfTable(99, {"自由": 9, "平等": 1, "全文索引": 4})


def weights(text: str, *names: str) -> dict[str, float]:
    recipe = Recipe(name="t", weights=names, idf=TABLE if "idf" in names else None, stop_words=())
    return Fingerprinter(recipe).weights(text)


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
    batch = FeatureBatch(np.array([0, 2, 3]), np.array([1.0, 2.0, 5.0]))
    for factor in build_factors(tuple(FACTORS), table=TABLE):
        part = factor.in_document(batch)
        assert part is None or part.shape == (3,)
        assert factor.of_word("自由") >= 1


def test_bad_factors() -> None:
    with pytest.raises(RecipeError, match=r"Unknown weight 'bm25'\. Known: tf, idf, length"):
        build_factors(("tf", "bm25"), table=None)
    with pytest.raises(RecipeError, match="needs an idf table"):
        build_factors(("idf",), table=None)
