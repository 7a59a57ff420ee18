"""`evaluate` and `calibrate` as a person uses them: on a few articles, on the sample, and on real web news."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.cli.running import Made, here

LABELS = (
    "id_a\tid_b\tlabel\tconfidence\n"
    "news/1\tnews/2\tcopy\thigh\n"
    "news/1\tnews/3\tderived\tlow\n"
    "english\tpage\ttopic\thigh\n"
    "weather\tgone\tcopy\thigh\n"
    "wide\tweather\tdifferent\thigh\n"
    "wide\twide\tcopy\thigh\n"
)
KEYS = (
    "index labels_file pairs used duplicates labels labels_of_duplicates pairs_left_out unknown_ids lines_left_out "
    "radius min_similarity result duplicates_that_are_candidates best cross_fit by_similarity by_radius by_distance "
    "missed false_alarms method"
)


@pytest.fixture
def place(articles: Made, tmp_path: Path) -> Path:
    (tmp_path / "pairs.tsv").write_text(LABELS, encoding="utf-8")
    return tmp_path


def evaluate(articles: Made, place: Path, *options: str) -> tuple[str, ...]:
    return ("evaluate", "pairs.tsv", "-i", str(articles.cwd / articles.index), *options)


def test_partial_use_is_told(articles: Made, place: Path) -> None:
    ran = here(*evaluate(articles, place, "--json"), cwd=place)
    answer = ran.json
    assert list(answer) == KEYS.split()
    assert (answer["pairs"], answer["used"], answer["pairs_left_out"], answer["unknown_ids"]) == (5, 4, 1, ["gone"])
    assert answer["lines_left_out"] == ["line 7: it names one document twice"]
    assert answer["labels_of_duplicates"] == ["copy", "derived"]
    assert list(answer["result"]) == ["at", "precision", "recall", "f1", "right", "false_alarms", "missed"]
    assert answer["result"]["right"] == answer["duplicates"] == 2
    assert answer["result"]["recall"]["low"] < answer["result"]["recall"]["value"] == 1.0
    assert [len(answer[name]) for name in ("by_similarity", "by_radius", "by_distance")] == [101, 16, 16]
    for said in ("1 of 5 pairs were left out", "'gone'", "line 7", "topic (1), different (1)"):
        assert said in ran.err


def test_mistakes_with_their_texts(articles: Made, place: Path) -> None:
    options = ("--duplicates", "different", "--min-similarity", "0.2")
    answer = here(*evaluate(articles, place, *options, "--json"), cwd=place).json
    (missed,) = answer["missed"]
    assert (missed["a"], missed["b"], missed["label"], missed["candidate"]) == ("weather", "wide", "different", False)
    assert missed["text_a"].startswith("气象台") and missed["title_b"].endswith("与全文检索")
    assert {alarm["label"] for alarm in answer["false_alarms"]} >= {"copy", "derived"}
    shown = here(*evaluate(articles, place, *options), cwd=place).out
    assert "never compared" in shown and "气象台" in shown and "Worst false alarms" in shown
    assert "1 of the missed is no candidate" in shown


def test_a_page_that_opens_offline(articles: Made, place: Path) -> None:
    (place / "page.html").touch()  # an empty file is nobody's, and a page takes the place of a page
    here(*evaluate(articles, place, "-o", "page.html"), cwd=place)
    said = here(*evaluate(articles, place, "-o", "page.html", "--duplicates", "different"), cwd=place).err
    assert "Written: page.html" in said
    page = (place / "page.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 4
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")
    assert "<script" not in page
    for _ in range(2):  # a picture takes the place of a picture
        assert here(*evaluate(articles, place, "-o", "curve.svg"), cwd=place).code == 0
    assert ET.fromstring((place / "curve.svg").read_text(encoding="utf-8")).tag.endswith("svg")


def test_one_class_only(articles: Made, place: Path) -> None:
    ran = here(*evaluate(articles, place, "--duplicates", "all", "--json"), cwd=place)
    assert ran.json["result"]["precision"] is None and ran.json["result"]["f1"] is None
    assert ran.json["result"]["recall"]["value"] < 1
    assert "precision and F1 cannot be" in ran.err


def test_only_some_lines(articles: Made, place: Path) -> None:
    answer = here(*evaluate(articles, place, "--filter", "confidence=high", "--json"), cwd=place).json
    assert answer["used"] == 3


@pytest.mark.slow
def test_calibrate_on_the_sample(demo: Made) -> None:
    ran = demo("calibrate", "--sample", "50", "-o", "calibration.html", "--json")
    answer = ran.json
    assert list(answer) == [
        "index",
        "documents",
        "sampled",
        "short",
        "too_long",
        "seed",
        "bits",
        "radius",
        "min_similarity",
        "copies",
        "unrelated_pairs",
        "edits",
        "unrelated",
        "by_radius",
        "by_similarity",
        "advice",
    ]
    assert (answer["documents"], answer["sampled"], answer["seed"]) == (1_278, 50, 1)
    assert [len(answer[name]) for name in ("edits", "by_radius", "by_similarity")] == [20, 16, 101]
    assert {row["rate"] for row in answer["edits"]} == {0.01, 0.02, 0.05, 0.1, 0.2}
    assert answer["unrelated"]["distance_median"] > 20
    page = (demo.cwd / "calibration.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 4 and "<script" not in page
    assert demo("calibrate", "--sample", "50", "--json").json == answer, "the same seed, the same answer"
    shown = demo("calibrate", "--sample", "50").out
    assert "words replaced, 10%" in shown and "unrelated pairs" in shown and "Radius: keep 3" in shown


def test_labels_from_stdin(articles: Made) -> None:
    ran = here("evaluate", "-", "-i", articles.index, "--json", cwd=articles.cwd, input=LABELS)
    assert (ran.json["used"], ran.json["labels_file"]) == (4, "-")


@pytest.mark.slow
def test_the_labels_of_real_news(data: Path, indexed_news: Made) -> None:
    """A floor against accidents: docs/accuracy.md has the figures."""
    labels = data / "zh-webnews-2018" / "pairs-dev.tsv"
    answer = indexed_news("evaluate", str(labels), "-o", "page.html", "--json").json
    assert answer["used"] == 501
    assert answer["result"]["f1"]["value"] > 0.9
    assert answer["result"]["f1"]["low"] < answer["result"]["f1"]["value"] < answer["result"]["f1"]["high"]
    assert answer["cross_fit"]["f1"] > 0.88
    assert answer["by_distance"][3]["recall"]["value"] < 0.5, "fingerprints alone do not do"
