"""A flag comes first, then LEITONG_*, then leitong.toml, then the default."""

import shutil
from pathlib import Path

import pytest

from tests.cli.running import Made, here


@pytest.fixture
def place(articles: Made, tmp_path: Path) -> Path:
    """A folder with an index of another name than the default."""
    shutil.copytree(articles.cwd / articles.index, tmp_path / "mine")
    return tmp_path


def test_the_nearest_setting_wins(place: Path) -> None:
    settings = 'index = "mine"\nradius = 5\nmin-similarity = 1.0\n[similar]\nradius = 6\njson = true\n'
    (place / "leitong.toml").write_text(settings)
    from_file = here("similar", "news/1", cwd=place)
    assert from_file.json["radius"] == 6
    assert [match["id"] for match in from_file.json["matches"]] == ["news/2"]
    assert here("similar", "news/1", cwd=place, env={"LEITONG_RADIUS": "7"}).json["radius"] == 7
    assert here("similar", "news/1", "--radius", "8", cwd=place, env={"LEITONG_RADIUS": "7"}).json["radius"] == 8


def test_a_command_of_several_words_has_its_settings(place: Path) -> None:
    (place / "leitong.toml").write_text('index = "mine"\n[decide]\njson = true\n')
    assert here("decide", "apart", "news/1", "news/2", cwd=place).json["apart"] == [["news/1", "news/2"]]
    assert here("decide", "list", "-i", "elsewhere", cwd=place).code == 2
    (place / "leitong.toml").write_text("[decide]\nkeep = true\n")
    assert "`leitong decide` has no option --keep" in here("decide", "list", cwd=place).sentence


def test_an_index_by_environment(place: Path) -> None:
    (place / "leitong.toml").write_text('index = "elsewhere"\n')
    assert here("similar", "news/1", "--json", cwd=place, env={"LEITONG_INDEX": "mine"}).json["radius"] == 3
    assert "no index at elsewhere" in here("info", cwd=place).sentence


@pytest.mark.parametrize("content", ['filter = "category=long"', 'filter = ["category=long"]'])
def test_one_value_of_an_option_that_may_be_repeated(place: Path, content: str) -> None:
    (place / "leitong.toml").write_text(f"[search]\n{content}\n")
    hits = here("search", "图书馆", "-i", "mine", "--json", cwd=place).json["hits"]
    assert [hit["id"] for hit in hits] == ["news/3"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('index = "open', "Cannot read"),
        ("[nonsense]\nradius = 1\n", "no command 'nonsense'"),
        ("[similar]\nradios = 1\n", "radios"),
        ("radios = 1\n", "radios"),
        ('radius = "wide"\n', "leitong.toml: radius = 'wide': "),
        ("[similar]\nradius = 99\n", "leitong.toml: [similar] radius = 99: "),
        ('[similar]\njson = "maybe"\n', "leitong.toml: [similar] json = 'maybe': "),
    ],
)
def test_a_wrong_file_is_said(place: Path, content: str, said: str) -> None:
    (place / "leitong.toml").write_text(content)
    assert said in here("similar", "news/1", "-i", "mine", cwd=place).sentence


def test_a_default_for_all_commands_stops_none_of_them(place: Path) -> None:
    """What only some uses of a command take is refused where it is typed, not where it is a default."""
    (place / "leitong.toml").write_text('index = "mine"\nrecipe = "words"\ndate-field = "date"\nradius = 5\n')
    assert here("compare", "news/1", "news/2", "--json", cwd=place).json["kind"] == "exact"
    assert "--recipe goes with --files" in here("compare", "a", "b", "--recipe", "words", cwd=place).sentence
    for part in ("1/2", "2/2"):
        assert here("report", "-o", f"part{part[0]}", "--partition", part, cwd=place).code == 0
    merge = ("report", "merge", "part1", "part2", "-o", "whole")
    assert "--radius is for the parts" in here(*merge, "--radius", "3", cwd=place).sentence
    assert "--metadata-field is for the parts" in here(*merge, "--metadata-field", "tags", cwd=place).sentence
    assert here(*merge, "--json", cwd=place).json["radius"] == 5
    assert "holds a part" in here("report", "merge", "part1", "part2", "-o", "./part2", cwd=place).sentence
    assert here(*merge, cwd=place).code == 0
    assert here("dedupe", "whole", "--json", cwd=place).json["documents"]
    assert "--date-field tells" in here("dedupe", "whole", "--date-field", "date", cwd=place).sentence


def test_a_recipe_by_environment_compares_files(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one two three")
    recipe = {"LEITONG_RECIPE": "standard-128"}
    assert here("compare", "--files", "a.txt", "a.txt", "--json", cwd=tmp_path, env=recipe).json["bits"] == 128
