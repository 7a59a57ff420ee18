"""An index whose recipe reads Traditional characters as Simplified ones: every command sees one text in two scripts."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from leitong.indexer import Index, open_index
from leitong.indexer.documents import Document
from leitong.indexer.duplicates.comparing.compare import Comparison
from leitong.indexer.fingerprint.recipe import load
from leitong.indexer.fingerprint.simhash import Fingerprinter
from tests.fingerprint.texts import TEXTS
from tests.pipeline.run import run, write

SIMPLIFIED, TRADITIONAL = TEXTS["zh"], TEXTS["zh-traditional"]
NEWS = (
    "中國人民銀行今天宣佈，自下週一起下調金融機構存款準備金率零點五個百分點。此次降準將釋放長期資金約一萬億元，"
    "有助於保持銀行體系流動性合理充裕，支持實體經濟發展。分析人士認為，降準有利於降低企業融資成本。"
)
DOCUMENTS = [
    Document("simplified", SIMPLIFIED, "权利宣言"),
    Document("traditional", TRADITIONAL, "權利宣言"),
    Document("news", TEXTS["news"], "降准"),
]


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    with open_index(tmp_path / "ix", create=True, recipe=load("simplified")) as opened:
        opened.add(DOCUMENTS)
        yield opened


def test_they_are_the_same_text(index: Index) -> None:
    (match,) = index.similar("traditional").matches
    assert (match.id, match.kind, match.distance, match.similarity) == ("simplified", "exact", 0, 1.0)
    (pair,) = index.report().pairs
    assert (pair.a, pair.b, pair.kind) == ("simplified", "traditional", "exact")
    compared = index.compare(["simplified", "traditional"])
    assert isinstance(compared, Comparison)
    assert (compared.kind, compared.only_a, compared.only_b) == ("exact", (), ())
    assert [change.where for change in compared.diff] == ["both"]


def test_a_part_in_the_other_script_is_found(index: Index) -> None:
    longer = NEWS + "市民李先生說，他打算提前償還房貸，也有人準備買一套大一點的房子。" + TRADITIONAL
    assert {match.id for match in index.similar_to(longer).matches} == {"news", "simplified", "traditional"}


@pytest.mark.parametrize("question", ["尊严", "尊嚴", "title:權利", "title:权利", '"尊嚴和权利"'])
def test_either_script_finds_and_marks_both(index: Index, question: str) -> None:
    found = index.search(question)
    assert {hit.id for hit in found.hits} == {"simplified", "traditional"}
    if "title" not in question:
        assert all(hit.snippet.marks for hit in found.hits)
        texts = {hit.id: hit.snippet.text for hit in found.hits}
        assert texts["traditional"] in TRADITIONAL, "shown as it was written"


def test_a_run_that_goes_on_knows_what_is_there(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", [{"id": one.id, "title": one.title, "text": one.text} for one in DOCUMENTS])
    run(tmp_path / "ix", file, recipe=load("simplified"))
    assert run(tmp_path / "ix", file, recipe=load("simplified"), resume=True).unchanged == 3
    skipped = run(tmp_path / "other", file, recipe=load("simplified"), on_duplicate="skip")
    assert (skipped.indexed, skipped.duplicates) == (2, 1)


def test_by_default_they_are_two_texts(tmp_path: Path) -> None:
    with open_index(tmp_path / "ix", create=True) as opened:
        opened.add(DOCUMENTS)
        compared = opened.compare(["simplified", "traditional"])
        assert isinstance(compared, Comparison)
        assert compared.kind != "exact"
        assert [hit.id for hit in opened.search("尊嚴").hits] == ["traditional"]


def test_words_of_a_recipe_are_in_either_script() -> None:
    text = "港珠澳大橋今天通車，市民都很高興。"
    in_simplified = replace(load("simplified"), user_words=("港珠澳大桥",), more_stop_words=("高兴",))
    in_traditional = replace(load("simplified"), user_words=("港珠澳大橋",), more_stop_words=("高興",))
    one, other = Fingerprinter(in_simplified), Fingerprinter(in_traditional)
    assert one.cut(text) == other.cut(text)
    assert "港珠澳大桥" in one.cut(text)
    assert set(one.weights(text)) == set(other.weights(text))
    assert "高兴" not in one.weights(text)
    assert one.one(text) == other.one(text)
