"""docs/papers.md P3 and P4 through the commands: a score with metadata, and the check whose answer is yes or no."""

import json
from pathlib import Path

import pytest

from tests.cli.running import here, write_jsonl

TEXT = (
    "港珠澳大桥今天正式通车运营，大桥全长五十五公里，连接香港、珠海和澳门，是世界上最长的跨海大桥，工程历时九年完成。"
)
OTHER = "市图书馆从下月起延长开放时间，早上八点半开门，晚上九点半闭馆，周末不休息，读者可以带自己的书去自习。"
RECORDS = [
    {"id": "a", "text": TEXT, "keywords": ["大桥", "通车"], "tags": "新闻"},
    {"id": "b", "text": TEXT + "！", "keywords": ["通车", "大桥"], "tags": "新闻"},
    {"id": "c", "text": TEXT.replace("今天", "昨天"), "keywords": ["体育"], "tags": "报纸"},
    {"id": "d", "text": OTHER, "keywords": {"not": "a set"}},
]


def put(folder: Path, index: str, *records: dict[str, object], recipe: str = "standard") -> None:
    write_jsonl(folder / f"{index}.jsonl", records)
    assert here("index", f"{index}.jsonl", "-i", index, "--recipe", recipe, cwd=folder).code == 0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("metadata")
    put(path, "ix", *RECORDS)
    return path


def test_matches_with_a_score(folder: Path) -> None:
    asked = ["similar", "a", "-i", "ix", "--radius", "5", "--metadata-field", "keywords", "--metadata-field", "tags"]
    found = {one["id"]: one for one in here(*asked, "--json", cwd=folder).json["matches"]}
    assert found["b"]["score"] == 1.0
    assert found["c"]["score"] == pytest.approx(0.9 / (found["c"]["distance"] + 1), abs=1e-4)
    least = here(*asked, "--min-score", "0.99", "--json", cwd=folder).json
    assert [one["id"] for one in least["matches"]] == ["b"]
    assert least["total"] == 1
    assert "score 1.00" in here(*asked, cwd=folder).out
    paper = here(*asked, "--metadata-hash", "shifts", "--content-weight", "0.8", "--json", cwd=folder).json
    assert {one["id"]: one for one in paper["matches"]}["b"]["score"] == 1.0


@pytest.mark.parametrize("command", [("similar", "a"), ("report", "-o", "absent")], ids=str)
def test_a_field_that_no_document_has_is_told_of(folder: Path, command: tuple[str, ...]) -> None:
    """Its score went down in silence when the name of the field was misspelt."""
    asked = ["-i", "ix", "--metadata-field", "keywords", "--metadata-field", "keyword", "--json"]
    ran = here(*command, *asked, cwd=folder)
    assert ran.code == 0
    assert "a metadata field 'keyword' (--metadata-field)" in ran.err and "'keywords'" not in ran.err


def test_names_with_dots_reach_into_objects(folder: Path) -> None:
    """As everywhere else; they were taken for fields that nobody has."""
    records = [{"id": name, "text": TEXT, "about": {"tags": ["通车", "大桥"]}} for name in "ab"]
    put(folder, "dots", *records)
    (found,) = here("similar", "a", "-i", "dots", "--metadata-field", "about.tags", "--json", cwd=folder).json[
        "matches"
    ]
    assert found["score"] == 1.0


def test_without_metadata_there_is_no_score(folder: Path) -> None:
    assert all("score" not in one for one in here("similar", "a", "-i", "ix", "--json", cwd=folder).json["matches"])


def test_a_file_is_scored_by_the_metadata_that_it_is_said_to_have(folder: Path) -> None:
    asked = ["similar", "--text", "-", "-i", "ix", "--radius", "5", "--metadata-field", "keywords", "--json"]
    known = ["--metadata", "keywords=通车", "--metadata", "keywords= 大桥"]
    found = {one["id"]: one["score"] for one in here(*asked, *known, cwd=folder, input=TEXT).json["matches"]}
    assert found["a"] == found["b"] == 1.0
    other = {
        one["id"]: one["score"]
        for one in here(*asked, "--metadata", "keywords=体育", cwd=folder, input=TEXT).json["matches"]
    }
    assert other["a"] == 0.9 and other["c"] > found["c"]


def test_a_recipe_that_weighs_fields_sees_the_metadata_of_a_file(folder: Path) -> None:
    """docs/papers.md P4: a new row against the stored ones; its short fields count as theirs do."""
    row = {"id": "1", "text": TEXT, "kind": "来信", "town": "珠海", "desk": "交通"}
    put(folder, "rows", row, recipe="li2015")
    known = [part for name in ("kind", "town", "desk") for part in ("--metadata", f"{name}={row[name]}")]
    asked = ["similar", "--text", "-", "-i", "rows", "--json"]
    (told,) = here(*asked, *known, cwd=folder, input=TEXT).json["matches"]
    (untold,) = here(*asked, cwd=folder, input=TEXT).json["matches"]
    assert told["distance"] == 0 < untold["distance"]


@pytest.mark.parametrize("parts", [1, 2])
def test_a_report_with_scores(folder: Path, parts: int) -> None:
    asked = ["report", "-i", "ix", "--metadata-field", "keywords", "--min-score", "0.99", "--json"]
    if parts == 1:
        summary = here(*asked, "-o", "whole", cwd=folder).json
    else:
        for part in ("1", "2"):
            assert here(*asked, "-o", f"part{part}", "--partition", f"{part}/2", cwd=folder).code == 0
        summary = here("report", "merge", "part1", "part2", "-i", "ix", "-o", "whole", "--json", cwd=folder).json
    assert summary["pairs"] == 1 and summary["near_copies"] == 0
    assert summary["combined"] == {"fields": ["keywords"], "family": "mixed", "content": 0.9, "least": 0.99}
    (pair,) = map(json.loads, (folder / "whole" / "pairs.jsonl").read_text("utf-8").splitlines())
    assert (pair["a"], pair["b"], pair["score"]) == ("a", "b", 1.0)
    assert (folder / "whole" / "pairs.csv").read_text("utf-8").splitlines()[0].endswith(",kind,score")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            ["a", "--metadata-field", "keywords", "--metadata-hash", "md5"],
            "--metadata-hash must be one of mixed, shifts",
        ),
        (["a", "--metadata-field", "keywords", "--min-score", "2"], "--min-score must be 0 to 1, not 2.0"),
        (["a", "--metadata-field", "keywords", "--content-weight", "nan"], "--content-weight must be 0 to 1, not nan"),
        (["a", "--min-score", "0.5"], "name a field with --metadata-field"),
        (["d", "--metadata-field", "keywords", "--radius", "15", "--min-similarity", "0"], None),
        (["--text", "-", "--metadata-field", "keywords"], "A file has no metadata of its own"),
        (["--text", "-", "--metadata-field", "keywords", "--metadata", "tags=新闻"], "--metadata keywords=VALUE"),
        (["--text", "-", "--metadata", "keywords"], "--metadata is FIELD=VALUE"),
        (["--text", "-", "--metadata", "=大桥"], "--metadata is FIELD=VALUE"),
        (["a", "--metadata", "keywords=大桥"], "--metadata goes with --text"),
    ],
)
def test_what_cannot_be(folder: Path, wrong: list[str], message: str | None) -> None:
    ran = here("similar", *wrong, "-i", "ix", cwd=folder, input="x")
    if message is None:  # nothing lies within 15 bits, so nothing is scored
        assert ran.code == 0
    else:
        assert message in ran.sentence


def test_metadata_that_is_no_set(folder: Path) -> None:
    more = {"id": "e", "text": OTHER + "！", "keywords": ["图书馆"]}
    put(folder, "ix2", RECORDS[3], more)
    for command in (["similar", "e"], ["report", "-o", "none"]):
        ran = here(*command, "-i", "ix2", "--metadata-field", "keywords", cwd=folder)
        assert "The metadata field 'keywords' of document 'd' holds an object, which is no set" in ran.sentence


def test_the_check_with_yes_or_no(folder: Path) -> None:
    """docs/papers.md P4: is there a duplicate? The list is what `similar` prints."""
    ask = ["similar", "--text", "-", "-i", "ix", "--fail-on-duplicates", "--json"]
    yes, no = (
        here(*ask, cwd=folder, input=TEXT),
        here(*ask, cwd=folder, input="一段从来没有人写过的文字，讲的是别的事情。"),
    )
    assert (yes.code, no.code) == (1, 0)
    assert yes.json["total"] >= 2 and no.json["total"] == 0
