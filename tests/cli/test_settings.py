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
