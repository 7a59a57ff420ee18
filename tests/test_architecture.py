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
    "leitong.indexer": (*PEOPLE, "typer", "rich", "click", "jinja2"),
    "leitong.mappings": ("typer", "rich"),
    "leitong.reports": ("typer",),
    "leitong.web": ("typer", "leitong.indexer.engines.embedded", "leitong.indexer.engines.server"),
}
"""What the table of rooms does not say."""


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
def test_only_some_rooms_talk_to_people_or_choose_an_engine(path: Path) -> None:
    module = name_of(path)
    for line, imported in imports(path):
        for room, forbidden in FORBIDDEN.items():
            for one in forbidden if inside(module, room) else ():
                assert not inside(imported, one), f"{path}:{line}: {room} must not import {imported}"


def may_import() -> dict[str, tuple[str, ...]]:
    """What the modules of each room may import, as the table of rooms says; the rest of `indexer` may import all."""
    _, _, text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").partition("## Rooms")
    rows = re.findall(r"^\| (`.*) \| .* \| (.*) \|$", text.partition("\n## ")[0], re.MULTILINE)
    leaves = tuple(package(f"indexer/{name.rpartition('/')[2]}") for name in re.findall(r"`([^`]+)`", rows[0][0]))
    table = dict.fromkeys(leaves, leaves)
    for rooms, allowed in rows[1:]:
        names = re.findall(r"`([^`]+)`", allowed.partition("; never")[0])
        known = tuple(package(name if name in ROOMS else f"indexer/{name}") for name in names)
        for room in re.findall(r"`([a-z/]+/)`", rooms):
            table[package(room)] = (*known, *(leaves if "the leaves" in allowed else ()), package(room))
    return table


def package(place: str) -> str:
    return f"leitong.{place.removesuffix('.py').strip('/')}".replace("/", ".")


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_room_imports_what_the_table_of_rooms_says(path: Path) -> None:
    module, ours = name_of(path), [imported for _, imported in imports(path) if inside(imported, "leitong")]
    for room, allowed in may_import().items():
        if inside(module, room):
            assert [one for one in ours if not any(inside(one, place) for place in allowed)] == []


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_what_finds_duplicates_knows_nothing_of_what_is_done_with_them(path: Path) -> None:
    users = ("leitong.indexer.duplicates.policy", "leitong.indexer.duplicates.accuracy")
    module = name_of(path)
    if inside(module, "leitong.indexer.duplicates") and not any(inside(module, user) for user in users):
        assert [one for _, one in imports(path) if any(inside(one, user) for user in users)] == []


def test_the_table_tells_of_every_room() -> None:
    rooms = may_import().keys() | {"leitong.indexer"}
    assert {".".join(name_of(path).split(".")[:2]) for path in MODULES} <= rooms
    inner = {path.parent.name for path in (ROOT / "indexer").glob("*/*.py")}
    assert {f"leitong.indexer.{name}" for name in inner} <= rooms


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
