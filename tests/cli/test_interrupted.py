"""Ctrl-C is never lost, and never silent, wherever a command is."""

import subprocess
import sys
from pathlib import Path

import pytest

BEFORE = """
import signal, sys, time, types

class Dying:
    def __del__(self):
        signal.raise_signal(signal.{stopped_by})
        time.sleep(0)

def app():
{does}

sys.modules["leitong.cli.main"] = types.SimpleNamespace(app=app)
from leitong.cli.__main__ import main
main()
"""


@pytest.mark.parametrize("stopped_by", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize(
    "does",
    [
        "    signal.raise_signal(signal.{stopped_by})\n    time.sleep(9)",
        "    Dying()\n    time.sleep(9)",
    ],
    ids=["while a command is loaded", "where nothing can be raised"],
)
def test_an_interruption_is_a_line(does: str, stopped_by: str, tmp_path: Path) -> None:
    program = BEFORE.format(stopped_by=stopped_by, does=does.format(stopped_by=stopped_by))
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, timeout=50)
    assert (ran.returncode, ran.stderr) == (130, "Interrupted.\n")
