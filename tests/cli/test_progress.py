"""What is said while documents are on their way, before anything is known and after."""

import io
import sys

import pytest

from leitong.cli import progress
from leitong.cli.progress import Told
from leitong.indexer.duplicates.settings import Step
from leitong.indexer.pipeline import Progress


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (Progress(), "0 documents"),
        (Progress(size=1000), "0 documents"),
        (Progress(indexed=1, seconds=2.0), "1 document, 0/s"),
        (Progress(indexed=100, seconds=2.0, position=500, size=500), "100 documents, 50/s"),
        (Progress(indexed=3000, seconds=2.0, position=500, size=1000), "3,000 documents, 1,500/s, about 2 s left"),
        (Progress(indexed=10, seconds=60.0, position=100, size=1000), "10 documents, 0/s, about 9 min left"),
        (Progress(indexed=10, seconds=3600.0, position=100, size=400), "10 documents, 0/s, about 3.0 h left"),
    ],
)
def test_only_what_is_known_is_said(now: Progress, said: str) -> None:
    assert Told()(now) == said


def test_the_time_left_forgets_a_pause_within_a_minute() -> None:
    told = Told()
    for second in range(1, 101):
        told(Progress(indexed=second, seconds=second, position=second, size=1000))
    for second in range(1, 62):
        last = told(Progress(indexed=100 + second, seconds=1000 + second, position=100 + second, size=1000))
    assert last.endswith("about 14 min left")  # 839 documents, one a second
    assert told(Progress(indexed=161, seconds=1100, position=10, size=1000)) == "161 documents, 0/s"  # begun anew
    assert told(Progress(indexed=171, seconds=1110, position=20, size=1000)).endswith("about 16 min left")


class Screen(io.StringIO):
    """A terminal that keeps what it is sent."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("columns", [40, 100])
def test_a_terminal_of_any_width_sees_the_percent(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen()
    for name, value in {"COLUMNS": str(columns), "TERM": "xterm", "NO_COLOR": "1"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stderr", screen)
    with progress.indexing("attaching") as watch:
        watch(Progress(indexed=12_345, seconds=10.0, position=240, size=1000))
    assert "attaching" in screen.getvalue()
    assert " 24% 12,345 documents, " in screen.getvalue()
    for step, shown in (
        (Step("learn", 0, 1), "learning what many documents share"),
        (Step("check", 120_000, 500_000), " 24% 120,000 of 500"),
    ):
        with progress.reporting() as tell:
            tell(step)
        assert shown in screen.getvalue()


def test_a_log_gets_lines(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", 0.0)
    with progress.indexing() as watch:
        watch(Progress(indexed=100, seconds=2.0, position=500, size=500))
    with progress.reporting() as step:
        step(Step("join", 0, 1))
        step(Step("check", 0, 500))
    assert capsys.readouterr().err.splitlines() == [
        "indexing: 100 documents, 50/s",
        "joining fingerprints",
        "comparing texts: 0 of 500",
    ]
