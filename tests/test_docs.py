"""Is the documentation true? Options are described, examples run, links lead somewhere, both languages agree."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import typer

from leitong.cli.main import app
from leitong.indexer.duplicates.comparing.check import MIN_SIMILARITY

ROOT = Path(__file__).parent.parent
README, CHINESE = ROOT / "README.md", ROOT / "README.zh-CN.md"
PAGES = (README, CHINESE, *(ROOT / f"{name}.md" for name in ("ARCHITECTURE", "CONTRIBUTING", "CHANGELOG")))
PAGES = (*PAGES, *sorted((ROOT / "docs").glob("*.md")))
PAIRS = [(page.with_name(page.name.replace(".zh-CN", "")), page) for page in PAGES if page.name.endswith(".zh-CN.md")]

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
GROUPS = ("leitong decide", "leitong recipe", "leitong mapping")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_NUMBER = re.compile(r"\d[\d,.]*")


def blocks(page: Path, language: str | None = None) -> list[str]:
    return [body for kind, body in _BLOCK.findall(page.read_text("utf-8")) if language in (None, kind)]


def anchors(page: Path) -> list[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    text = _BLOCK.sub("", page.read_text("utf-8"))
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]


def commands() -> Iterator[tuple[str, list[str]]]:
    """Every command by its full name, with its options."""
    root = typer.main.get_command(app)
    waiting = [("leitong", root)]
    while waiting:
        name, command = waiting.pop()
        options = [spelling for one in command.params for spelling in one.opts if spelling.startswith("-")]
        yield name, options
        waiting += [(f"{name} {key}", inner) for key, inner in getattr(command, "commands", {}).items()]


def sections() -> dict[str, str]:
    """The parts of docs/cli.md by the command in their headings."""
    parts = re.split(r"^## ", (ROOT / "docs" / "cli.md").read_text("utf-8"), flags=re.MULTILINE)
    return {match[1].strip(): part for part in parts if (match := re.match(r"`(leitong[a-z -]*)", part))}


@pytest.mark.parametrize(("name", "options"), list(commands()))
def test_every_command_and_option_is_described(name: str, options: list[str]) -> None:
    if name in GROUPS:
        return  # its commands are described
    text = (ROOT / "docs" / "cli.md").read_text("utf-8") if name == "leitong" else sections()[name]
    missing = [option for option in options if not re.search(rf"`{option}[ `]", text.replace("leitong --", "--"))]
    assert [option for option in missing if option not in ("-h", "--help")] == []


def test_no_command_is_described_that_is_not_there() -> None:
    assert set(sections()) == {name for name, _ in commands()} - {"leitong", *GROUPS}


def test_environment_variables_are_described() -> None:
    text = (ROOT / "docs" / "cli.md").read_text("utf-8")
    named = set(re.findall(r"LEITONG_[A-Z_]+", (ROOT / "cli" / "options.py").read_text("utf-8")))
    assert {name for name in named if f"`{name}`" not in text} == set()


@pytest.mark.parametrize(
    "page", [README, CHINESE, ROOT / "docs" / "cli.md", ROOT / "docs" / "cli.zh-CN.md"], ids=lambda page: page.name
)
def test_the_default_similarity_is_the_real_one(page: Path) -> None:
    assert str(MIN_SIMILARITY) in page.read_text("utf-8")


@dataclass(frozen=True)
class Part:
    """What stands under one heading of a page and is the same in every language.

    Attributes:
        level: of the heading, 1 for the page's title.
        blocks: of code, in order.
        tables: the columns of each row of each table.
        names: what stands between backticks, each once: commands, options, fields, files, values.
        numbers: in figures, each once.
        links: where they lead, sorted, without the language; an anchor is the number of its heading on that page.
    """

    heading: str
    level: int
    blocks: tuple[str, ...]
    tables: tuple[tuple[int, ...], ...]
    names: frozenset[str]
    numbers: frozenset[str]
    links: tuple[str, ...]


_TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)
_KEPT = re.compile(r"\0(\d+)")
_NAME = re.compile(r"`([^`\n]+)`")
_PLACEHOLDERS = {"词": "word", "短语": "a phrase", "字段": "field", "值": "value", "文件夹": "FOLDER"}


def parts(page: Path) -> Iterator[Part]:
    kept: list[str] = []

    def keep(block: re.Match[str]) -> str:
        kept.append(block[0])
        return f"\0{len(kept) - 1}\n"

    text = _BLOCK.sub(keep, page.read_text("utf-8"))
    for heading, level, body in re.findall(r"^((#+) .*)\n((?:(?!#+ ).*\n)*)", text, re.MULTILINE):
        rows = [[row.replace(r"\|", "").count("|") for row in table.splitlines()] for table in _TABLE.findall(body)]
        yield Part(
            heading,
            len(level),
            tuple(kept[int(number)] for number in _KEPT.findall(body)),
            tuple(map(tuple, rows)),
            frozenset(_of_any_language(name) for name in _NAME.findall(body)),
            frozenset(number.rstrip(",.") for number in _NUMBER.findall(_KEPT.sub("", body))),
            tuple(sorted(_lead(page, link) for link in _LINK.findall(body) if link not in _other_languages(page))),
        )


def differences(english: Part, chinese: Part) -> Iterator[str]:
    for one, other in ((english.names, chinese.names), (english.numbers, chinese.numbers)):
        yield from (f"{english.heading}: `{what}` is missing in Chinese" for what in sorted(one - other))
        yield from (f"{english.heading}: `{what}` stands in Chinese only" for what in sorted(other - one))
    for what in ("blocks", "tables", "links"):
        one, other = getattr(english, what), getattr(chinese, what)
        if one != other:
            yield f"{english.heading}: {what} are {one} in English, {other} in Chinese"


def _of_any_language(name: str) -> str:
    return re.sub("|".join(_PLACEHOLDERS), lambda found: _PLACEHOLDERS[found[0]], name)


def _other_languages(page: Path) -> set[str]:
    return {other.name for pair in PAIRS if page in pair for other in pair}


def _lead(page: Path, link: str) -> str:
    path, _, anchor = link.partition("#")
    if "://" in link or not anchor:
        return path.replace(".zh-CN", "")
    target = page.parent / path if path else page
    return f"{path.replace('.zh-CN', '')}#{anchors(target).index(anchor)}"


@pytest.mark.parametrize(("english", "chinese"), PAIRS, ids=lambda page: page.name)
def test_pages_in_two_languages_say_the_same(english: Path, chinese: Path) -> None:
    """Which parts differ is told by their English headings."""
    ours, theirs = list(parts(english)), list(parts(chinese))
    assert [part.level for part in ours] == [part.level for part in theirs]
    found = [line for one, other in zip(ours, theirs, strict=True) for line in differences(one, other)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(("english", "chinese"), PAIRS, ids=lambda page: page.name)
def test_pages_name_the_other_language_below_their_title(english: Path, chinese: Path) -> None:
    assert english.read_text("utf-8").splitlines()[2] == f"[中文]({chinese.name})"
    assert chinese.read_text("utf-8").splitlines()[2] == f"[English]({english.name})"


@pytest.mark.parametrize("chinese", [chinese for _, chinese in PAIRS], ids=lambda page: page.name)
def test_chinese_pages_lead_to_chinese_pages(chinese: Path) -> None:
    _, *links = _LINK.findall(chinese.read_text("utf-8"))
    targets = {(chinese.parent / link.partition("#")[0]).resolve() for link in links}
    assert targets & {english for english, _ in PAIRS} == set()


def test_the_readme_names_both_commands() -> None:
    assert {"make demo", "make test"} <= set("\n".join(blocks(README, "sh")).splitlines())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = _BLOCK.sub("", page.read_text("utf-8"))
    broken = []
    for link in _LINK.findall(text):
        path, _, anchor = link.partition("#")
        if "://" in link:
            continue
        target = page.parent / path if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_are_named_exist(page: Path) -> None:
    named = re.findall(r"`((?:indexer|cli|reports|mappings|web|tests|docs|docker)/[\w./-]+)`", page.read_text("utf-8"))
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_python_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (program,) = blocks(README, "python")
    (expected,) = blocks(README, "text")[:1]
    monkeypatch.chdir(tmp_path)
    exec(program, {"__name__": "__main__"})
    assert capsys.readouterr().out == expected


@pytest.mark.slow
@pytest.mark.parametrize("name", ["python.md", "python.zh-CN.md"])
def test_the_programs_print_what_is_shown(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs" / name
    namespace = {"__name__": "__main__"}
    for program, expected in zip(blocks(page, "python"), blocks(page, "text"), strict=True):
        exec(program, namespace)
        assert capsys.readouterr().out == expected


@pytest.mark.slow
def test_the_programs_pass_a_strict_type_checker(tmp_path: Path) -> None:
    """As a reader's own program does: with the package beside it, and none of our settings."""
    programs = {name: blocks(ROOT / "docs" / name, "python") for name in ("python.md", "python.zh-CN.md")}
    programs["README.md"] = blocks(README, "python")
    for name, parts in programs.items():
        (tmp_path / f"{re.sub('[^a-z]', '_', name.lower())}.py").write_text("\n".join(parts), "utf-8")
    (tmp_path / "none.ini").write_text("[mypy]\n")
    files = [path.name for path in tmp_path.glob("*.py")]
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file", "none.ini", "--follow-imports=silent", *files],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(ROOT / "typings")},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.slow
def test_the_commands_answer_as_shown(tmp_path: Path) -> None:
    """Every `$ leitong …` of the README, one after another; numbers may differ, everything else may not."""
    (news,) = blocks(README, "json")
    (tmp_path / "news.jsonl").write_text(news, "utf-8")
    leitong = Path(sys.executable).with_name("leitong")
    if not leitong.exists():
        leitong = Path(shutil.which("leitong") or "leitong")
    environment = {key: value for key, value in os.environ.items() if not key.startswith("LEITONG_")}
    shown = blocks(README, "console")
    assert shown
    for block in shown:
        command, _, expected = block.partition("\n")
        done = subprocess.run(
            [leitong, *shlex.split(command.removeprefix("$ leitong "))],
            cwd=tmp_path,
            env=environment | {"PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=True,
        )
        assert masked(done.stdout) == masked(expected), command


def masked(output: str) -> list[str]:
    return [" ".join(_NUMBER.sub("#", line).split()) for line in output.splitlines()]


def test_the_accuracy_pages_are_what_was_measured() -> None:
    from benchmarks.accuracy_page import PAGES, best_of_each, page

    found = json.loads((ROOT / "benchmarks" / "results" / "accuracy.json").read_text("utf-8"))
    for name in PAGES:
        assert (ROOT / "docs" / name).read_text("utf-8") == page(found, best_of_each(found["peers"]), name)


def test_the_example_of_an_evaluation_is_what_was_measured() -> None:
    found = json.loads((ROOT / "benchmarks" / "results" / "accuracy.json").read_text("utf-8"))
    example = next(
        json.loads(block) for block in blocks(ROOT / "docs" / "cli.md", "json") if '"labels_of_duplicates"' in block
    )
    assert {name: example[name] for name in ("pairs", "duplicates")} == {
        name: found[name] for name in ("pairs", "duplicates")
    }
    assert example["result"] == found["leitong"]["all"]
    assert example["best"]["at"] == found["leitong"]["best"]["at"]
    assert example["cross_fit"]["f1"] == found["leitong"]["best"]["cross_fit"]


def test_the_speed_pages_are_what_was_measured() -> None:
    from benchmarks.speed_page import PAGES, page

    for name in PAGES:
        assert (ROOT / "docs" / name).read_text("utf-8") == page(ROOT / "benchmarks" / "results", name)


def test_the_contributing_page_gives_a_reason_for_each_dependency() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = [*project["dependencies"], *(one for extra in project["optional-dependencies"].values() for one in extra)]
    names = {re.split(r"[\[>=<~! ]", one)[0] for one in wanted} - {"leitong"}
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert {name for name in names if not re.search(rf"^\|.*\b{name}\b", text, re.MULTILINE)} == set()
