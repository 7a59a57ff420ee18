"""What a person sees: help, a demo, quiet pipes, and documents that cannot give orders to the terminal."""

import os
import pty
import subprocess
from pathlib import Path

import pytest

from leitong.indexer.plain import plain
from tests.cli.corpus import HOSTILE
from tests.cli.running import SCRIPT, Made, environment, here, run

pytestmark = pytest.mark.slow

COMMANDS = (
    *("demo", "index", "search", "similar", "compare", "report", "evaluate", "calibrate", "get", "delete", "info"),
    *("fingerprint", "recipe", "decide"),
)


def test_help_lists_every_command(tmp_path: Path) -> None:
    ran = run("--help", cwd=tmp_path)
    assert ran.code == 0
    assert ran.err == ""
    listed = ran.out[ran.out.index("Commands:") :]
    assert all(f"\n  {command} " in listed for command in COMMANDS)


@pytest.mark.parametrize("command", [*COMMANDS, "recipe list", "recipe show", "recipe train"])
def test_help_of_each_command(tmp_path: Path, command: str) -> None:
    ran = here(*command.split(), "-h", cwd=tmp_path)
    assert ran.code == 0
    assert ran.out.startswith(f"Usage: leitong {command} ")
    assert here(*command.split(), "--help", cwd=tmp_path).out == ran.out


def test_the_version_is_shown(tmp_path: Path) -> None:
    assert here("--version", cwd=tmp_path).out.startswith("leitong ")


def test_demo_twice(demo: Made) -> None:
    page = demo.cwd / demo.index / "report" / "index.html"
    first = demo.ran
    assert first.code == 0
    assert "clusters of duplicates: " in first.out
    assert "1,278 documents indexed" in first.err
    next_command = first.err.partition("Search next:")[2].split()
    assert next_command[0] in ("leitong", str(SCRIPT))
    assert next_command[1:] == ["search", "登记", "--index", "./leitong-demo"]
    assert str(page.relative_to(demo.cwd)) in first.err
    assert page.is_file()
    page.unlink()
    second = run("demo", cwd=demo.cwd)
    assert second.code == 0
    assert "0 documents indexed" in second.err
    assert "1,278 were there unchanged" in second.err
    assert second.out.splitlines()[1:] == first.out.splitlines()[1:]
    assert page.is_file()


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_reader_that_has_seen_enough(demo: Made, options: tuple[str, ...]) -> None:
    """Like `| head -1`: the pipe is closed while there is more to say."""
    with subprocess.Popen(
        [SCRIPT, "search", "的", "-i", demo.index, "--size", "1278", *options],
        cwd=demo.cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        said = process.stderr.read().decode()
    assert process.returncode == 0
    assert "Traceback" not in said
    assert "BrokenPipe" not in said
    assert "Error" not in said
    assert "Exception ignored" not in said


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_a_full_disk_is_a_sentence_where_no_command_runs(tmp_path: Path, option: str) -> None:
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run([SCRIPT, option], cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, env=environment())
    assert ran.returncode == 2
    assert ran.stderr.decode().startswith("Error: No space left on device.")
    assert ran.stderr.count(b"\n") == 1


def test_help_whose_reader_has_seen_enough(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    ran = subprocess.run([SCRIPT, "--help"], cwd=tmp_path, stdout=writer, stderr=subprocess.PIPE, env=environment())
    os.close(writer)
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_no_choice_of_a_recipe_is_said_in_the_words_of_a_program(tmp_path: Path) -> None:
    lines = here("recipe", "show", cwd=tmp_path).out.splitlines()
    assert [line.split()[1:] for line in lines if line.startswith(("idf ", "user_words "))] == [["–"], ["–"]]


def on_terminal(*args: str, cwd: Path, env: dict[str, str] | None = None) -> str:
    """What a command writes to a terminal."""
    ours, theirs = pty.openpty()
    try:
        process = subprocess.Popen(
            [SCRIPT, *args],
            cwd=cwd,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment({"TERM": "xterm-256color", **(env or {})}),
        )
    finally:
        os.close(theirs)
    parts = []
    while True:
        try:
            part = os.read(ours, 65_536)
        except OSError:  # closed at the other end
            break
        if not part:
            break
        parts.append(part)
    os.close(ours)
    assert process.wait() in (0, 2)
    return b"".join(parts).decode()


@pytest.mark.parametrize(
    "command",
    [
        ("search", "终端"),
        ("get", "hostile"),
        ("compare", "hostile", "weather"),
        ("similar", "hostile", "--min-similarity", "0", "--radius", "15"),
        ("get", f"nobody{HOSTILE}"),
    ],
    ids=" ".join,
)
def test_documents_give_no_orders(articles: Made, command: tuple[str, ...]) -> None:
    shown = on_terminal(*command, "-i", articles.index, cwd=articles.cwd)
    assert "\x1b]" not in shown
    assert "\x1b[2J" not in shown
    assert "\x07" not in shown
    assert "\u202e" not in shown
    if command[0] == "search":
        assert "\x1b[1m" in shown  # our own styles are there


@pytest.mark.parametrize(
    "command", [("get", "hostile"), ("search", "终端"), ("compare", "hostile", "weather")], ids=" ".join
)
def test_json_gives_no_orders_either(articles: Made, command: tuple[str, ...]) -> None:
    shown = on_terminal(*command, "--json", "-i", articles.index, cwd=articles.cwd)
    assert shown == plain(shown)


def test_what_a_terminal_has_no_characters_for_stands_as_numbers(articles: Made) -> None:
    """Where the terminal is of another script, as a western code page; JSON is UTF-8 wherever it goes."""
    command = ("search", "图书馆", "--index", articles.index)
    narrow = {"PYTHONIOENCODING": "latin-1"}
    ran = run(*command, cwd=articles.cwd, env=narrow)
    assert ran.code == 0
    assert r"\u56fe\u4e66\u9986" in ran.out
    assert run(*command, "--json", cwd=articles.cwd, env=narrow).json["total"] == 3


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=str)
def test_who_wants_no_colours_sees_none(articles: Made, env: dict[str, str]) -> None:
    for command in (("search", "终端"), ("compare", "hostile", "weather")):
        assert "\x1b" not in on_terminal(*command, "-i", articles.index, cwd=articles.cwd, env=env)


def test_a_terminal_sees_a_bar(articles: Made, tmp_path: Path) -> None:
    shown = on_terminal("index", str(articles.cwd / "articles.jsonl"), "-i", "ix", cwd=tmp_path)
    assert "indexing" in shown
    assert "12 documents indexed" in shown
