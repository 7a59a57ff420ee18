"""The worked examples of the five published systems, computed anew; misprints are named."""

import math
from collections.abc import Sequence

import numpy as np
import pytest

from leitong.indexer.documents import Document
from leitong.indexer.duplicates.comparing.compare import Matrix
from leitong.indexer.fingerprint.minhash import FUNCTIONS, estimate, members, mixed, shifts, signature
from leitong.indexer.fingerprint.recipe import load
from leitong.indexer.library import compare_documents
from leitong.indexer.prepare import Preparer


def votes(hashes: Sequence[int], weights: Sequence[int], bits: int) -> list[int]:
    """V by its definition, most significant bit first."""
    places = range(bits - 1, -1, -1)
    return [sum(w if h >> at & 1 else -w for h, w in zip(hashes, weights, strict=True)) for at in places]


def test_p1_the_cosine_of_two_count_vectors() -> None:
    """P1: D(30,20,20,10,0) and C(40,0,30,20,10): dot product 2000, cosine 0.86."""
    d, c = np.array([30, 20, 20, 10, 0]), np.array([40, 0, 30, 20, 10])
    assert d @ c == 2000
    assert round(float(d @ c / (np.linalg.norm(d) * np.linalg.norm(c))), 2) == 0.86
    words = ["长江", "黄河", "珠江", "淮河", "海河"]
    texts = [" ".join(word for word, count in zip(words, one, strict=True) for _ in range(count)) for one in (d, c)]
    documents = [Document(name, text) for name, text in zip("dc", texts, strict=True)]
    found = compare_documents(documents, preparer=Preparer(load("wang2016-128")), matrix=True)
    assert isinstance(found, Matrix)
    assert round(found.values["cosine"][0][1], 2) == 0.86


def test_p1_four_bits_by_votes_and_by_hyperplanes() -> None:
    """The paper misprints the last -3 as 3 once, and the result as 1001; by its own numbers it is 1000."""
    hashes = [0b1010, 0b1100, 0b1110, 0b1000, 0b0001]
    found = votes(hashes, [1] * 5, 4)
    assert found == [3, -1, -1, -3]
    planes = [(1, 1, 1, 1, -1), (-1, 1, 1, -1, -1), (1, -1, 1, -1, -1), (-1, -1, -1, -1, 1)]
    assert [sum(plane) for plane in planes] == found, "a word's hash says on which side of each plane it lies"
    assert "".join("1" if vote > 0 else "0" for vote in found) == "1000"


@pytest.mark.parametrize("recipe", ["wang2016-50", "wang2016-128"])
def test_p1_the_three_readings(recipe: str) -> None:
    """cos(π·d/f), the cosine of V, and smaller over larger fingerprint, for a pair of one word's difference."""
    preparer = Preparer(load(recipe))
    documents = [Document("a", "长江 黄河 珠江"), Document("b", "长江 黄河 淮河")]
    found = compare_documents(documents, preparer=preparer, matrix=True)
    assert isinstance(found, Matrix)
    one, other = (entry.stored.fingerprint for entry in preparer.entries(documents))
    bits = preparer.fingerprinter.recipe.bits
    assert found.values["simhash"][0][1] == pytest.approx(math.cos(math.pi * (one ^ other).bit_count() / bits))
    sums = [preparer.fingerprinter.votes(document.passage) for document in documents]
    cosine = float(sums[0] @ sums[1] / (np.linalg.norm(sums[0]) * np.linalg.norm(sums[1])))
    assert found.values["simhash_votes"][0][1] == pytest.approx(cosine)
    assert 0 < min(one, other) / max(one, other) <= 1
    assert min(1, 2**127) / max(1, 2**127) < 1e-38, "the third depends on the first bits only, so it is no measure"


def test_p1_printed_values_are_not_cosines_of_whole_distances() -> None:
    """0.971627 of 50 bits would need 3.8 bits, 0.999939 of 128 bits 0.45: no fingerprints differ by that."""
    for printed, bits in ((0.971627, 50), (0.999939, 128), (0.027991, 50), (0.000486, 128)):
        away = math.acos(printed) * bits / math.pi
        assert abs(away - round(away)) > 0.01


def test_p3_the_signature_matrix_by_hand() -> None:
    """Universe a…e = rows 0…4, h1(x) = (x + 1) mod 5, h2(x) = (2x + 1) mod 5."""

    def family(rows: np.ndarray) -> np.ndarray:
        return np.stack([(rows + np.uint64(1)) % np.uint64(5), (rows * np.uint64(2) + np.uint64(1)) % np.uint64(5)])

    sets = {"s1": "ab", "s2": "bcd", "s3": "ade", "s4": "de"}
    made = {
        name: signature(np.array(["abcde".index(one) for one in items], dtype=np.uint64), family).tolist()
        for name, items in sets.items()
    }
    # h1 of a…e: 1 2 3 4 0; h2: 1 3 0 2 4
    assert made == {"s1": [1, 1], "s2": [2, 0], "s3": [0, 1], "s4": [0, 2]}
    assert estimate(np.array(made["s3"]), np.array(made["s4"])) == 0.5, "h1 agrees, h2 does not; in truth it is 2/3"


def test_p3_the_papers_functions() -> None:
    """h_i(x) = (x + i) mod 100 for i of 1 to 100."""
    found = shifts(np.array([7, 99], dtype=np.uint64))
    assert found.shape == (FUNCTIONS, 2)
    assert found[:, 0].tolist() == [(7 + i) % 100 for i in range(1, 101)]
    assert found[0, 1] == 0


@pytest.mark.parametrize(("common", "alone"), [(10, 0), (10, 5), (10, 20), (2, 20), (0, 10)])
def test_a_good_family_estimates_jaccard(common: int, alone: int) -> None:
    one = members(f"词{number}" for number in range(common + alone))
    other = members(f"词{number if number < common else -number}" for number in range(common + alone))
    truth = common / (common + 2 * alone)
    assert estimate(signature(one, mixed), signature(other, mixed)) == pytest.approx(truth, abs=0.15)


def test_sets_of_nothing_say_nothing() -> None:
    empty, some = signature(members([]), mixed), signature(members(["雷同"]), mixed)
    assert estimate(empty, empty) == estimate(empty, some) == 0.0
    assert members(["Ａb", "ab", "AB"]).tolist() == members(["ab"]).tolist(), "width and case make no difference"


def test_p3_figures_of_the_second_level() -> None:
    """2^33 documents: 131,072 a bucket, 524,288 comparisons, threshold 393,216; 4,096 buckets of the second level."""
    bucket = 2**33 // 2**16
    assert (bucket, 4 * bucket, (1 + 2) * bucket, 2**12) == (131_072, 524_288, 393_216, 4_096)
