"""What people see while something long goes on: a bar on a terminal, a line now and then elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Protocol

from leitong.cli.talk import say
from leitong.indexer.plain import counted

if TYPE_CHECKING:
    from leitong.indexer.duplicates.settings import Step


class HowFar(Protocol):
    """How far something is that goes through documents; `position` of `size`, which may be unknown."""

    @property
    def documents(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def position(self) -> int: ...
    @property
    def size(self) -> int | None: ...


_SECONDS_BETWEEN_LINES: Final = 10.0
_COMPILING: Final = "Compiling, once after an installation; this takes up to half a minute."
_STEPS: Final = {
    "learn": "learning what many documents share",
    "read": "reading texts",
    "join": "joining fingerprints",
    "check": "comparing texts",
    "judge": "judging labelled pairs",
    "edit": "editing and comparing",
    "describe": "reading clusters",
}


@contextmanager
def indexing(task_name: str = "indexing") -> Iterator[Callable[[HowFar], None]]:
    """Documents a second and the time left."""
    if not sys.stderr.isatty():
        yield _Lines().index
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    from leitong.indexer.fingerprint.compiled import told_of_compiling

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[told]}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(task_name, total=None, told="")

        def watch(now: HowFar) -> None:
            bar.update(task, total=now.size, completed=now.position, told=told(now))

        with told_of_compiling(lambda: bar.console.print(_COMPILING)):
            yield watch


@contextmanager
def reporting() -> Iterator[Callable[["Step"], None]]:
    """Which step a report, an evaluation or a calibration is at, and how far."""
    if not sys.stderr.isatty():
        yield _Lines().report
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    from leitong.indexer.fingerprint.compiled import told_of_compiling

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=None)

        def watch(step: "Step") -> None:
            bar.update(task, description=_STEPS[step.name], total=step.total, completed=step.done)

        with told_of_compiling(lambda: bar.console.print(_COMPILING)):
            yield watch


def told(now: HowFar) -> str:
    """How many documents, how fast, and how long it will take, as far as that is known."""
    parts = [counted(now.documents, "document")]
    if now.documents and now.seconds:
        parts.append(f"{now.documents / now.seconds:,.0f}/s")
    if now.size and 0 < now.position < now.size:
        parts.append(f"about {_time(now.seconds * (now.size - now.position) / now.position)} left")
    return ", ".join(parts)


def _time(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


class _Lines:
    """One line every ten seconds, for logs."""

    def __init__(self) -> None:
        self._said = time.monotonic()

    def index(self, now: HowFar) -> None:
        if self._due():
            say(told(now))

    def report(self, step: "Step") -> None:
        if self._due():
            say(f"{_STEPS[step.name]}: {step.done:,} of {step.total:,}")

    def _due(self) -> bool:
        now = time.monotonic()
        if now - self._said < _SECONDS_BETWEEN_LINES:
            return False
        self._said = now
        return True
