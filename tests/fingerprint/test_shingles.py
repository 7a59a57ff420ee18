"""Shingles against their description, written down once more with strings and sets."""

import unicodedata
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leitong.indexer.fingerprint.normalise import normalise
from leitong.indexer.fingerprint.shingles import (
    SKETCH_LEAST,
    SKETCH_MOST,
    SKETCH_SHARE,
    Shingles,
    distinct,
    runs,
    shingle_sets,
    sketch,
    sketches,
    units,
    words_and_pairs,
)
from leitong.indexer.fingerprint.terms import terms
from leitong.indexer.passages import Passage, read, read_all
from tests.examples import examples
from tests.fingerprint.texts import TEXTS, anything, passages

SCRIPTS = (  # without blanks between words
    *((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3005, 0x3007), (0x3021, 0x312F), (0x31A0, 0x31BF)),
    *((0x31F0, 0x31FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xA000, 0xA4CF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF)),
    *((0x20000, 0x3FFFF), (0x1B000, 0x1B16F)),
)


def naive_units(text: str) -> list[str]:
    """Characters of scripts without blanks, and whole words of the others, with the + # % that follow."""
    found: list[str] = []
    word = ""
    for letter in normalise(text):
        letter = {"＋": "+", "＃": "#", "％": "%"}.get(letter, letter)
        counts = unicodedata.category(letter)[0] in "LNM" or bool(word and letter in "+#%")
        single = counts and any(first <= ord(letter) <= last for first, last in SCRIPTS)
        if counts and not single:
            word += letter
            continue
        found += [word] if word else []
        word = ""
        found += [letter] if single else []
    return found + ([word] if word else [])


def span(unit: str) -> int:
    return 1 if len(unit) == 1 and any(first <= ord(unit) <= last for first, last in SCRIPTS) else 2


def naive(text: str) -> set[tuple[str, ...]]:
    """The shortest runs of units that span six; a text that spans less is one."""
    found = naive_units(text)
    if not found:
        return set()
    if sum(map(span, found)) < 6:
        return {tuple(found)}
    runs = set()
    for start in range(len(found)):
        reach = 0
        for end in range(start, len(found)):
            reach += span(found[end])
            if reach >= 6:
                runs.add(tuple(found[start : end + 1]))
                break
    return runs


def of(text: str) -> Shingles:
    return read(text).shingles


@given(text=anything)
@examples(200)
def test_as_many_as_there_are(text: str) -> None:
    found = of(text)
    assert len(found) == len(naive(text))
    assert found.dtype == np.uint64 and (np.diff(found.astype(object)) > 0).all(), "sorted, each once"


@given(one=passages, other=passages, shared=passages)
@examples(150)
def test_equal_exactly_where_the_runs_are_equal(one: str, other: str, shared: str) -> None:
    left, right = f"{one}。{shared}", f"{shared} {other}"
    assert len(np.intersect1d(of(left), of(right))) == len(naive(left) & naive(right))


@given(text=anything)
@examples(100)
def test_a_unit_is_a_word_or_a_character(text: str) -> None:
    found = units([normalise(text)])
    wanted = naive_units(text)
    assert found.spans.tolist() == [span(unit) for unit in wanted]
    assert len(set(found.hashes.tolist())) == len(set(wanted))


@given(texts=st.lists(anything, max_size=12))
@examples(150)
def test_texts_are_read_together_as_alone(texts: list[str]) -> None:
    passages = [Passage(text[:5], text) for text in texts]
    for text, one in zip(texts, read_all(passages), strict=True):
        alone = read(text, title=text[:5])
        assert one.digest == alone.digest
        for name in ("shingles", "title", "numbers"):
            assert getattr(one, name).tolist() == getattr(alone, name).tolist()


@given(texts=st.lists(st.one_of(anything, st.sampled_from(list(TEXTS.values()))), max_size=6))
@examples(100)
def test_sketches_without_sorting_are_those_of_the_shingles(texts: list[str]) -> None:
    found = runs(units([normalise(text) for text in texts]))
    assert list(map(list, sketches(found))) == [list(sketch(distinct(values))) for values in found.of_each()]


def test_signs_belong_to_the_word_they_follow() -> None:
    digests = [read(f"{name} 编程入门").digest for name in ("C", "C++", "C#", "C+")]
    assert len(set(digests)) == 4
    assert read("Ｃ＋＋ 编程入门").digest == read("c++编程入门").digest
    assert read("增长 50%。").digest == read("增长50％").digest != read("增长50").digest
    assert read("# 编程 + 入门").digest == read("编程入门").digest, "a sign after no letter is punctuation"


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("床前明月光疑", [tuple("床前明月光疑")]),
        ("床前，明月 光。疑是", [tuple("床前明月光疑"), tuple("前明月光疑是")]),
        ("free and equal", [("free", "and", "equal")]),
        ("自由 free 平等", [("自", "由", "free", "平", "等")]),
        ("a 自由平等b", [("a", "自", "由", "平", "等"), ("自", "由", "平", "等", "b")]),
        ("明月", [("明", "月")]),
        ("。！", []),
        ("", []),
    ],
)
def test_a_shingle_is_the_shortest_run_that_spans_six(text: str, runs: list[tuple[str, ...]]) -> None:
    assert naive(text) == set(runs)
    assert len(of(text)) == len(runs)


def test_letters_beyond_the_basic_plane() -> None:
    assert naive_units("𠮷野家😀𝐀𝐁 𐌰𐌱") == ["𠮷", "野", "家", "ab", "𐌰𐌱"]
    assert len(units([normalise("𠮷野家😀𝐀𝐁 𐌰𐌱")]).hashes) == 5
    assert of("𠮷野家的牛肉饭").tolist() != of("吉野家的牛肉饭").tolist()
    assert of("𠮷野家😀的牛肉饭").tolist() == of("𠮷野家的牛肉饭").tolist(), "a picture is no letter"


def test_a_shingle_is_the_same_wherever_it_stands() -> None:
    passage = TEXTS["news"]
    for before in ("", "前言：" * 3, "x " * 40_000):
        assert np.isin(of(passage), of(f"{before}{passage}。{TEXTS['poem']}")).all()


def test_a_word_of_a_million_characters_is_one_unit() -> None:
    found = units(["x" * 1_000_000])
    assert len(found.hashes) == 1 and found.spans.tolist() == [2]
    assert of("x" * 1_000_000).tolist() != of("x" * 999_999).tolist()


@given(text=passages)
@examples(60)
def test_digests_are_equal_whatever_the_punctuation(text: str) -> None:
    assert read(text).digest == read(f"…{text.upper()}！").digest or not naive_units(text)


def test_digests_tell_texts_apart() -> None:
    texts = ["ab c", "a bc", "abc", "甲乙", "乙甲", "甲乙丙", "", "。", "！"]
    assert len({read(text).digest for text in texts}) == len(texts), "texts without letters differ by punctuation"
    assert read(" 。\n！").digest == read("。 ！").digest
    assert len(read("").digest) == 32


@given(text=st.integers(0, 5000))
@examples(30)
def test_sketches_are_the_smallest(text: int) -> None:
    all_ = of("".join(chr(0x4E00 + (n * 7919) % 20000) for n in range(text)))
    few = sketch(all_)
    assert few.tolist() == all_[: len(few)].tolist()
    assert len(few) <= SKETCH_MOST
    assert len(few) >= min(len(all_), SKETCH_LEAST)
    if len(few) > SKETCH_LEAST:
        assert int(few[-1]) < 2**64 // SKETCH_SHARE


def test_a_sketch_finds_a_short_text_inside_a_long_one() -> None:
    short = "".join(chr(0x4E00 + (n * 7919) % 20000) for n in range(3000))
    long = short + "".join(chr(0x4E00 + (n * 7717 + 5) % 20000) for n in range(15000))
    assert len(np.intersect1d(sketch(of(short)), sketch(of(long)))) > 30


def test_no_letters_no_shingles() -> None:
    assert len(of("。。。！ 😀 \n")) == 0 and len(sketch(of(""))) == 0


@given(texts=st.lists(anything, max_size=5))
@examples(60)
def test_sets_of_several_texts(texts: list[str]) -> None:
    found = units([normalise(text) for text in texts])
    assert [one.tolist() for one in shingle_sets(found)] == [distinct(one).tolist() for one in runs(found).of_each()]
    for words, of_text in zip(words_and_pairs(found), found.of_each(), strict=True):
        pairs = [(one * 31 + other) % 2**64 for one, other in pairwise(of_text.tolist())]
        assert words.tolist() == sorted({*of_text.tolist(), *pairs})
        counts = Counter(value >> 20 for value in [*of_text.tolist(), *pairs])
        assert terms(of_text).tolist() == [value << 20 | min(counts[value], 255) for value in sorted(counts)]
