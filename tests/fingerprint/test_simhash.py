"""SimHash against its definition, written down once more with plain integers."""

import hashlib
import math
from collections import Counter
from functools import cache
from itertools import count
from random import Random

import mmh3
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leitong.indexer.documents import Document
from leitong.indexer.fingerprint.hamming import distance, unpack
from leitong.indexer.fingerprint.hashing import HASHES
from leitong.indexer.fingerprint.idf import IdfTable
from leitong.indexer.fingerprint.recipe import Recipe, load, named
from leitong.indexer.fingerprint.segment import tagger
from leitong.indexer.fingerprint.simhash import Fingerprinter
from leitong.indexer.prepare import Preparer
from leitong.indexer.workers import fingerprint_all, prepare_all
from tests.examples import examples
from tests.fingerprint.texts import TEXTS, anything, fingerprinter, passages


def slow_votes(words: list[str], recipe: Recipe) -> list[int]:
    """V of a text, in units of 2^-16, most significant bit first: P1's definition, bit by bit."""
    votes = [0] * recipe.bits
    features = {word for word in words if word not in recipe.stop_set and any(map(str.isalnum, word))}
    lengths = sorted(map(len, features))
    for word, times in Counter(words).items():
        if word in recipe.stop_set or not any(letter.isalnum() for letter in word):
            continue
        weight = 1.0
        for name in recipe.weights:
            if name == "idf":
                assert recipe.idf is not None
                held = recipe.idf.frequencies.get(word, 1)
                weight *= math.log((recipe.idf.documents + 1) / (held + 1)) + 1
            elif name == "length":
                weight *= 1 + math.exp(-((len(word) - 4.51) ** 2) / (2 * 2.207**2))
            elif name == "relative_length" and lengths[0] < lengths[-1]:
                weight *= 1 + (len(word) - lengths[0]) / (lengths[-1] - lengths[0])
            elif name == "part_of_speech":
                tag, constants = TAG(word), recipe.constants
                kinds = {"n": constants.noun, "v": constants.verb, "": constants.noun, "x": constants.noun}
                kinds |= dict.fromkeys("pcuyeo", constants.particle)
                weight *= constants.noun if tag == "eng" else kinds.get(tag[:1], constants.other)
        if "tf" in recipe.weights:
            weight *= times
        value = word_hash(word.encode("utf-8", "surrogatepass"), recipe)
        for bit in range(recipe.bits):
            votes[bit] += round(weight * 65536) * (1 if value >> (recipe.bits - 1 - bit) & 1 else -1)
    return votes


def word_hash(word: bytes, recipe: Recipe) -> int:
    if recipe.hash == "blake2b":
        key = recipe.seed.to_bytes(8, "big") if recipe.seed else b""
        return int(hashlib.blake2b(word, digest_size=recipe.bits // 8, key=key).hexdigest(), 16)
    if recipe.hash != "mmh3" or recipe.bits == 50:
        return HASHES[recipe.hash](word, recipe.seed, recipe.bits)  # test_hashing.py has what is published of them
    if recipe.bits == 32:
        return mmh3.hash(word, recipe.seed, signed=False)
    upper, lower = mmh3.hash64(word, recipe.seed, signed=False)
    return upper if recipe.bits == 64 else upper * 2**64 + lower


def slow(text: str, maker: Fingerprinter) -> int:
    words = maker.cut(text)
    votes = slow_votes(words, maker.recipe)
    if not any(any(map(str.isalnum, word)) and word not in maker.recipe.stop_set for word in words):
        return 0
    ones = [vote >= 0 if maker.recipe.tie == "one" else vote > 0 for vote in votes]
    return int("".join("1" if one else "0" for one in ones), 2)


TAG = tagger()
TABLE = IdfTable(50, {"雷同": 3, "自由": 20, "free": 2})
VARIANTS = {
    f"{bits}-{tie}-{hash_}-{'+'.join(weights)}": Recipe(
        name="variant",
        segmenter="words",
        bits=bits,
        tie=tie,
        hash=hash_,
        seed=seed,
        weights=weights,
        idf=TABLE if "idf" in weights else None,
    )
    for bits in (32, 64, 128)
    for tie in ("zero", "one")
    for hash_, seed, weights in (
        ("mmh3", 0, ("tf",)),
        ("mmh3", 7, ("tf", "idf", "length")),
        ("blake2b", 0, ("length",)),
        ("blake2b", 999_999_937, ("tf",)),
    )
}


@cache
def variant(name: str) -> Fingerprinter:
    return Fingerprinter(VARIANTS[name])


@given(text=anything, maker=st.sampled_from(sorted(VARIANTS)).map(variant))
@examples(250)
def test_bit_for_bit_the_definition(text: str, maker: Fingerprinter) -> None:
    assert maker.one(text) == slow(text, maker)


@pytest.mark.parametrize("recipe", list(named()))
def test_named_recipes_bit_for_bit(recipe: str) -> None:
    maker = fingerprinter(recipe)
    assert [maker.one(text) for text in TEXTS.values()] == [slow(text, maker) for text in TEXTS.values()]


@given(text=passages)
@examples(50)
def test_votes_are_the_sums_themselves(text: str) -> None:
    maker = variant("64-zero-mmh3-tf+idf+length")
    assert maker.votes(text).tolist() == slow_votes(maker.cut(text), maker.recipe)


def test_the_four_bit_example_of_paper_1() -> None:
    """Hashes 1010, 1100, 1110, 1000, 0001 with weight 1 give V = (3, -1, -1, -3) and the fingerprint 1000.

    The paper misprints the last -3 as 3 in one place, and the result as 1001. Our fingerprints have no 4 bits: these
    are the first four of 32, of words whose hashes begin so.
    """
    maker = Fingerprinter(Recipe(name="p1", segmenter="words", stop_words=(), bits=32))
    words = []
    for wanted in (0b1010, 0b1100, 0b1110, 0b1000, 0b0001):
        words.append(next(word for n in count() if mmh3.hash(word := f"w{n}", 0, signed=False) >> 28 == wanted))
    text = " ".join(words)
    assert (maker.votes(text)[:4] / 65536).tolist() == [3, -1, -1, -3]
    assert maker.one(text) >> 28 == 0b1000
    planes = ((1, 1, 1, 1, -1), (-1, 1, 1, -1, -1), (1, -1, 1, -1, -1), (-1, -1, -1, -1, 1))
    assert [sum(plane) > 0 for plane in planes] == [True, False, False, False], "the same by random hyperplanes"


def test_ties_are_common_and_the_rule_decides_them() -> None:
    zero, one = (Fingerprinter(Recipe(name=tie, segmenter="words", stop_words=(), tie=tie)) for tie in ("zero", "one"))
    text = "free equal"
    tied = sum(1 << 63 - bit for bit, vote in enumerate(zero.votes(text)) if vote == 0)
    assert tied, "two words of equal weight tie wherever their hashes differ"
    assert zero.one(text) & tied == 0
    assert one.one(text) & tied == tied
    assert zero.one(text) | tied == one.one(text)


@pytest.mark.parametrize("tie", ["zero", "one"])
def test_a_text_without_features_has_the_fingerprint_0(tie: str) -> None:
    maker = Fingerprinter(Recipe(name="t", tie=tie))
    batch = maker.batch(["", "。。。！", "的 了 the", "雷同"])
    assert batch.features.tolist() == [0, 0, 0, 1]
    assert unpack(batch.fingerprints)[:3] == [0, 0, 0]
    assert maker.votes("。").tolist() == [0.0] * 64
    assert maker.weights("。") == {}


@pytest.mark.parametrize("recipe", list(named()))
def test_batches_of_nothing(recipe: str) -> None:
    """As when an index is taken up again and every document is there: nothing is left to compute."""
    maker = fingerprinter(recipe)
    assert maker.batch([]).fingerprints.shape == (0, 2 if maker.recipe.bits == 128 else 1)
    assert maker.batch([""]).features.tolist() == [0]


@pytest.mark.parametrize("recipe", list(named()))
def test_alone_or_in_any_batch(recipe: str) -> None:
    texts = list(TEXTS.values())
    warm, cold = fingerprinter(recipe), Fingerprinter(load(recipe)) if recipe == "chars" else fingerprinter(recipe)
    alone = [warm.one(text) for text in texts]
    assert unpack(cold.batch(texts[::-1]).fingerprints) == alone[::-1]


@given(texts=st.lists(anything, max_size=8), order=st.randoms())
@examples(60)
def test_neighbours_and_order_change_nothing(texts: list[str], order: Random) -> None:
    maker = fingerprinter("terms")
    together = dict(zip(texts, unpack(maker.batch(texts).fingerprints), strict=True))
    shuffled = list(texts)
    order.shuffle(shuffled)
    assert dict(zip(shuffled, unpack(maker.batch(shuffled).fingerprints), strict=True)) == together
    assert {text: maker.one(text) for text in texts} == together


@given(text=st.lists(st.sampled_from(["free", "equal", "自由", "权利"]), min_size=1, max_size=12), order=st.randoms())
@examples(50)
def test_a_text_is_a_bag_of_words(text: list[str], order: Random) -> None:
    shuffled = list(text)
    order.shuffle(shuffled)
    maker = fingerprinter("terms")
    assert maker.one(" ".join(text)) == maker.one(" ".join(shuffled))


@pytest.mark.slow
@pytest.mark.parametrize("recipe", ["standard", "standard-128"])
def test_through_the_preparer_and_in_worker_processes(recipe: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leitong.indexer.workers._ALONE", 0)
    documents = [Document(name, text, title="标题 Title") for name, text in TEXTS.items()] * 3
    here = [fingerprinter(recipe).one(document.passage) for document in documents]
    settings_ = load(recipe)
    assert [entry.stored.fingerprint for entry in Preparer(settings_).entries(documents)] == here
    assert [value for _, value in fingerprint_all(documents, recipe=settings_, workers=2)] == here
    batches = [documents[:5], [], documents[5:]]
    prepared = list(prepare_all(batches, recipe=settings_, workers=2))
    assert [len(batch) for batch in prepared] == [5, 0, len(documents) - 5]
    assert [entry.stored.fingerprint for batch in prepared for entry in batch] == here


def test_when_the_vocabulary_is_full_it_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = list(TEXTS.values())
    before = [fingerprinter("standard").one(text) for text in texts]
    monkeypatch.setattr("leitong.indexer.fingerprint.vocabulary._LIMIT", 3)
    maker = Fingerprinter(load("standard"))
    assert [maker.one(text) for text in texts * 2] == before * 2


def test_similar_texts_are_near_and_others_are_not() -> None:
    maker = fingerprinter("standard")
    news, edited, other = (maker.one(TEXTS[name]) for name in ("news", "news-edited", "poem"))
    assert distance(news, edited) < 20 < distance(news, other)


def test_a_word_of_a_million_characters() -> None:
    for text in ("a" * 1_000_000, "长" * 100_000, "ภ" * 100_000, "é" * 1_000_000):
        batch = fingerprinter("words").batch([text, "自由"])
        assert batch.features[0] >= 1
        assert unpack(batch.fingerprints)[1] == fingerprinter("words").one("自由")


def test_bits_lie_as_often_0_as_1() -> None:
    maker = fingerprinter("standard-128")
    values = unpack(maker.batch([f"文档 document number{n} 第{n}号" for n in range(600)]).fingerprints)
    ones = np.array([[value >> bit & 1 for bit in range(128)] for value in values]).mean()
    assert 0.45 < ones < 0.55
