"""Shingles against their description, written down once more with strings and sets."""

import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leitong.indexer.fingerprint.normalise import normalise
from leitong.indexer.fingerprint.shingles import (
    SKETCH_LEAST,
    SKETCH_MOST,
    SKETCH_SHARE,
    Shingles,
    shingles,
    sketch,
    units,
)
from leitong.indexer.prepare import read
from tests.fingerprint.texts import TEXTS, anything, passages

SCRIPTS = (  # without blanks between words
    *((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3005, 0x3007), (0x3021, 0x312F), (0x31A0, 0x31BF)),
    *((0x31F0, 0x31FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xA000, 0xA4CF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF)),
    *((0x20000, 0x3FFFF), (0x1B000, 0x1B16F)),
)


def naive_units(text: str) -> list[str]:
    """Characters of scripts without blanks, and whole words of the others."""
    found: list[str] = []
    word = ""
    for letter in normalise(text):
        counts = unicodedata.category(letter)[0] in "LNM"
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
@settings(max_examples=200, deadline=None)
def test_as_many_as_there_are(text: str) -> None:
    found = of(text)
    assert len(found) == len(naive(text))
    assert found.dtype == np.uint64 and (np.diff(found.astype(object)) > 0).all(), "sorted, each once"


@given(one=passages, other=passages, shared=passages)
@settings(max_examples=150, deadline=None)
def test_equal_exactly_where_the_runs_are_equal(one: str, other: str, shared: str) -> None:
    left, right = f"{one}。{shared}", f"{shared} {other}"
    assert len(np.intersect1d(of(left), of(right))) == len(naive(left) & naive(right))


@given(text=anything)
@settings(max_examples=100, deadline=None)
def test_units(text: str) -> None:
    hashes, spans = units(normalise(text))
    wanted = naive_units(text)
    assert spans.tolist() == [span(unit) for unit in wanted]
    assert len(set(hashes.tolist())) == len(set(wanted))


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
def test_examples(text: str, runs: list[tuple[str, ...]]) -> None:
    assert naive(text) == set(runs)
    assert len(of(text)) == len(runs)


def test_letters_beyond_the_basic_plane() -> None:
    assert naive_units("𠮷野家😀𝐀𝐁 𐌰𐌱") == ["𠮷", "野", "家", "ab", "𐌰𐌱"]
    assert len(units(normalise("𠮷野家😀𝐀𝐁 𐌰𐌱"))[0]) == 5
    assert of("𠮷野家的牛肉饭").tolist() != of("吉野家的牛肉饭").tolist()
    assert of("𠮷野家😀的牛肉饭").tolist() == of("𠮷野家的牛肉饭").tolist(), "a picture is no letter"


@pytest.mark.parametrize("around", [32767, 32768, 32774, 65536])
def test_windows_of_long_texts_leave_no_gap(around: int) -> None:
    """A long text is worked on in windows: what stands across a border counts like everything else."""
    letters = [chr(0x4E00 + (n * 7919) % 20000) for n in range(around + 9)]
    text = "".join(letters)
    runs = {text[start : start + 6] for start in range(len(text) - 5)}
    whole = of(text)
    assert len(whole) == len(runs)
    border = of(text[around - 12 : around + 9])
    assert np.isin(border, whole).all()
    mixed = " ".join(f"w{n}" for n in range(around + 9))
    assert len(of(mixed)) == around + 7


def test_a_shingle_is_the_same_wherever_it_stands() -> None:
    passage = TEXTS["news"]
    for before in ("", "前言：" * 3, "x " * 40_000):
        assert np.isin(of(passage), of(f"{before}{passage}。{TEXTS['poem']}")).all()


def test_a_word_of_a_million_characters_is_one_unit() -> None:
    hashes, spans = units("x" * 1_000_000)
    assert len(hashes) == 1 and spans.tolist() == [2]
    assert of("x" * 1_000_000).tolist() != of("x" * 999_999).tolist()


@given(text=passages)
@settings(max_examples=60, deadline=None)
def test_digests_are_equal_whatever_the_punctuation(text: str) -> None:
    assert read(text).digest == read(f"…{text.upper()}！").digest or not naive_units(text)


def test_digests_tell_texts_apart() -> None:
    texts = ["ab c", "a bc", "abc", "甲乙", "乙甲", "甲乙丙", "", "。", "！"]
    assert len({read(text).digest for text in texts}) == len(texts), "texts without letters differ by punctuation"
    assert read(" 。\n！").digest == read("。 ！").digest
    assert len(read("").digest) == 32


@given(text=st.integers(0, 5000))
@settings(max_examples=30, deadline=None)
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
    assert len(shingles(*units(""))) == 0
