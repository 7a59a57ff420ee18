"""Data goes one way. Each module's imports are read from its source, those inside functions too."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = [room for room in ("indexer", "cli", "mappings", "reports", "web") if (ROOT / room).is_dir()]
MODULES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
PEOPLE = ("leitong.cli", "leitong.reports", "leitong.web")
MAX_LINES = 400

FORBIDDEN = {
    "leitong.indexer.fingerprint": ("leitong",),
    "leitong.indexer.engines": ("leitong.indexer.duplicates", "leitong.indexer.sources", "leitong.indexer.pipeline"),
    "leitong.indexer.sources": ("leitong.indexer.engines", "leitong.indexer.duplicates", "leitong.indexer.fingerprint"),
    "leitong.indexer.duplicates": (
        *("leitong.indexer.engines.embedded", "leitong.indexer.engines.server", "leitong.indexer.engines.open"),
        *("leitong.indexer.sources", "leitong.indexer.pipeline", "leitong.indexer.collection"),
        *("leitong.indexer.library", "leitong.indexer.search"),
    ),
    "leitong.indexer": (*PEOPLE, "typer", "rich", "click", "jinja2"),
    "leitong.mappings": (*PEOPLE, "leitong.indexer", "typer", "rich"),
    "leitong.reports": ("leitong.cli", "leitong.web", "typer"),
    "leitong.web": ("leitong.cli", "typer", "leitong.indexer.engines.embedded", "leitong.indexer.engines.server"),
}
ALLOWED = {"leitong.indexer.fingerprint": ("leitong.indexer.fingerprint", "leitong.indexer.errors")}


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(("leitong", *(parts[:-1] if parts[-1] == "__init__" else parts)))


@cache
def imports(path: Path) -> tuple[tuple[int, str], ...]:
    """Line and full name of everything a module imports."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            assert node.module is not None
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def inside(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def test_there_are_modules_to_look_at() -> None:
    assert {"leitong.indexer.pipeline", "leitong.indexer.fingerprint.simhash"} <= set(map(name_of, MODULES))


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_data_goes_one_way(path: Path) -> None:
    module = name_of(path)
    for line, imported in imports(path):
        for room, forbidden in FORBIDDEN.items():
            if not inside(module, room) or any(inside(imported, one) for one in ALLOWED.get(room, ())):
                continue
            for one in forbidden:
                assert not inside(imported, one), f"{path}:{line}: {room} must not import {imported}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_our_rooms_are_imported_by_their_installed_names(path: Path) -> None:
    """`import indexer` works in a checkout only."""
    for line, imported in imports(path):
        assert imported.partition(".")[0] not in ROOMS, f"{path}:{line}: import leitong.{imported}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_modules_are_short_and_say_what_they_are_for(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert len(source.splitlines()) <= MAX_LINES, "split it"
    assert ast.get_docstring(ast.parse(source)), "a module begins with what it is for"


def test_the_imports_of_functions_are_seen(tmp_path: Path) -> None:
    """This test would notice: it is itself tested."""
    path = tmp_path / "m.py"
    path.write_text("def f():\n    from leitong.cli import main\n    import rich.table as t\n", encoding="utf-8")
    assert imports(path) == ((2, "leitong.cli.main"), (3, "rich.table"))
    assert inside("rich.table", "rich") and not inside("richer", "rich")


def named(text: str) -> Iterator[str]:
    """Modules and folders in backticks; a name without a folder stands in that of the one before it on its line."""
    for line in text.splitlines():
        folder = ""
        for name in re.findall(r"`([\w./-]+(?:\.py|/))`", line):
            place = name.rpartition("/")[0] if "/" in name else folder
            folder = place
            yield f"{place}/{name.rpartition('/')[2]}" if place else name


def test_a_newcomer_finds_every_module_in_the_table() -> None:
    """By its own name, or by that of a folder deeper than a room. What is empty or starts a program is left out."""
    _, _, table = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").partition("## Question → file")
    told = set(named(table.partition("\n## ")[0]))
    assert [name for name in sorted(told) if not (ROOT / name).exists()] == []
    folders = {name for name in told if name.endswith("/") and name.count("/") > 1}
    paths = [path.relative_to(ROOT).as_posix() for path in MODULES if not path.name.startswith("__")]
    missing = [path for path in paths if path not in told and not path.startswith(tuple(folders))]
    assert missing == [], "each answers a question: put it beside that one"
