"""What a person decides by the command line: it is kept beside the index, and `dedupe` goes by it."""

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.running import Made, Ran, here


@pytest.fixture
def place(articles: Made, tmp_path: Path) -> Path:
    """A folder with an index whose report is kept."""
    shutil.copytree(articles.cwd / articles.index, tmp_path / "leitong-index")
    assert here("report", cwd=tmp_path).code == 0
    return tmp_path


def decide(place: Path, *words: str) -> Ran:
    return here("decide", *words, cwd=place)


def fates(place: Path) -> dict[str, str]:
    changes = here("dedupe", "--action", "delete", "--json", cwd=place).json["changes"]
    return {change["id"]: change["fate"] for change in changes}


def test_who_is_kept_stays_and_who_is_parted_is_left_alone(place: Path) -> None:
    assert fates(place)["news/2"] == fates(place)["news/3"] == "due"
    assert decide(place, "keep", "news/2", "--json").json == {"keep": ["news/2"], "apart": []}
    assert decide(place, "apart", "news/3").err == "Decided in all: 1 document to keep, 2 pairs apart.\n"
    told = fates(place)
    assert "news/2" not in told
    assert (told["news/1"], told["news/3"]) == ("due", "decided")


def test_who_is_kept_of_one_document_is_not_deleted_for_being_parted_from_another(place: Path) -> None:
    decide(place, "keep", "news/2", "news/1")
    assert decide(place, "apart", "news/2", "news/3", "--json").json == {
        "keep": ["news/2"],
        "apart": [["news/2", "news/3"]],
    }
    assert "news/2" not in fates(place)


def test_decisions_are_listed_and_forgotten(place: Path) -> None:
    decide(place, "keep", "news/1")
    decide(place, "apart", "weather", "news/2", "news/1")
    assert decide(place, "list").out == "keep\tnews/1\napart\tnews/1\tweather\napart\tnews/2\tweather\n"
    decide(place, "forget", "weather", "news/1")
    assert decide(place, "list", "--json").json == {"keep": ["news/1"], "apart": [["news/2", "weather"]]}
    decide(place, "forget", "weather")
    assert "Nothing of that was decided." in decide(place, "forget", "weather").err
    assert decide(place, "list", "--json").json == {"keep": ["news/1"], "apart": []}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("keep", "weather"), "'weather' is in no cluster of the last report."),
        (("keep", "nobody"), "No document with the id 'nobody'"),
        (("apart", "news/1", "nobody"), "No document with the id 'nobody'"),
        (("apart", "nobody", "news/1"), "No document with the id 'nobody'"),
        (("apart", "news/1", "news/1"), "A decision names a document, and others than it"),
        (("forget", ""), "A decision names a document, and others than it"),
    ],
)
def test_what_nothing_can_be_decided_about_is_said(place: Path, words: tuple[str, ...], said: str) -> None:
    assert said in decide(place, *words).sentence
    assert decide(place, "list").out == ""


def test_of_a_cluster_that_was_parted_nothing_is_left_to_decide(place: Path) -> None:
    decide(place, "apart", "news/1")
    decide(place, "apart", "news/2")
    assert "in no cluster of the last report after what was decided. Name" in decide(place, "keep", "news/1").sentence


def test_two_documents_are_parted_before_any_report(tmp_path: Path) -> None:
    lines = [json.dumps({"id": name, "text": f"大桥今天正式通车运营{name}"}, ensure_ascii=False) for name in "ab"]
    (tmp_path / "two.jsonl").write_text("\n".join(lines))
    assert here("index", "two.jsonl", cwd=tmp_path).code == 0
    assert decide(tmp_path, "apart", "b", "a", "--json").json == {"keep": [], "apart": [["a", "b"]]}
