"""What people see while something long goes on: a bar on a terminal, a line now and then elsewhere."""

import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from leitong.cli.talk import say
from leitong.indexer.plain import counted

if TYPE_CHECKING:
    from leitong.indexer.duplicates.settings import Step

T = TypeVar("T")


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
_SECONDS_OF_PACE: Final = 60.0
_ROOM_FOR_A_BAR: Final = 80
"""Columns of a terminal; a narrow one needs them for the percent and for what is told."""
_COMPILING: Final = "Compiling, once after an installation; this takes up to half a minute."
_STEPS: Final = {
    "learn": "learning what many documents share",
    "read": "reading texts",
    "join": "joining fingerprints",
    "check": "comparing texts",
    "recheck": "comparing pages of small families again",
    "judge": "judging labelled pairs",
    "edit": "editing and comparing",
    "describe": "reading clusters",
}


def indexing(task: str = "indexing") -> AbstractContextManager[Callable[[HowFar], None]]:
    """Documents a second and the time left."""
    told = Told()
    return _shown(task, lambda now: _Place(task, now.position, now.size, told(now)))


def reporting() -> AbstractContextManager[Callable[["Step"], None]]:
    """Which step a report, an evaluation or a calibration is at, how far, and the time left of this step."""
    name, begun = "", 0.0

    def place(step: "Step") -> _Place:
        nonlocal name, begun
        if step.name != name:
            name, begun = step.name, time.monotonic()
        left = _left(time.monotonic() - begun, step.done, step.total - step.done)
        parts = [f"{step.done:,} of {step.total:,}", left]
        return _Place(_STEPS[name], step.done, step.total, ", ".join(filter(None, parts)) if step.total > 1 else "")

    return _shown("starting", place)


@dataclass(frozen=True, slots=True)
class _Place:
    """How far a task is, and what is told beside that."""

    task: str
    done: int
    total: int | None
    told: str


@contextmanager
def _shown(first: str, place: Callable[[T], _Place]) -> Iterator[Callable[[T], None]]:
    """A bar on a terminal, with the name of the first task. Elsewhere, for logs, a line every ten seconds."""
    if not sys.stderr.isatty():
        last = time.monotonic()

        def say_now_and_then(now: T) -> None:
            nonlocal last
            at = place(now)
            if time.monotonic() - last >= _SECONDS_BETWEEN_LINES:
                last = time.monotonic()
                say(": ".join(filter(None, (at.task, at.told))))

        yield say_now_and_then
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    from leitong.indexer.fingerprint.compiled import told_of_compiling

    console = Console(stderr=True)
    columns = [
        TextColumn("{task.description}"),
        *([BarColumn()] if console.width >= _ROOM_FOR_A_BAR else []),
        TaskProgressColumn(),
        TextColumn("{task.fields[told]}", markup=False),
    ]
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(first, total=None, told="")

        def update(now: T) -> None:
            at = place(now)
            room = console.width - len(f"{at.task} 100% ")
            words = at.told if len(at.told) <= room else f"{at.told[: max(0, room - 1)]}…"
            bar.update(task, description=at.task, total=at.total, completed=at.done, told=words)

        with told_of_compiling(lambda: console.print(_COMPILING)):
            yield update


class Told:
    """What is told of a run: how many documents, how fast, and how long it will take, as far as that is known."""

    def __init__(self) -> None:
        self._seen = deque([(0.0, 0)])
        """Seconds and positions of the last minute, and the latest before it."""

    def __call__(self, now: HowFar) -> str:
        parts = [counted(now.documents, "document")]
        if now.documents and now.seconds:
            parts.append(f"{now.documents / now.seconds:,.0f}/s")
        parts.append(self._left(now))
        return ", ".join(filter(None, parts))

    def _left(self, now: HowFar) -> str:
        """As fast as the last minute: the whole run's average would hold a server's pause against it to the end."""
        seen = self._seen
        if now.position < seen[-1][1]:  # it began anew
            seen.clear()
        if not seen or now.seconds - seen[-1][0] >= 1.0:
            seen.append((now.seconds, now.position))
        while len(seen) > 1 and now.seconds - seen[1][0] >= _SECONDS_OF_PACE:
            seen.popleft()
        seconds, position = seen[0]
        return _left(now.seconds - seconds, now.position - position, (now.size or 0) - now.position)


def _left(seconds: float, done: int, rest: int) -> str:
    """How long the rest will take; nothing where that is not known yet."""
    return f"about {_time(seconds * rest / done)} left" if done > 0 and rest > 0 else ""


def _time(seconds: float) -> str:
    if seconds < 120:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
