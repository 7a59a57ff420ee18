"""Ctrl-C is never lost, and never silent, wherever a command is."""

import signal
import socket
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from tests.cli.running import SCRIPT, environment

HEARD = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
"""A test run in the background ignores it, and so do the processes it starts."""
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
    ran = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=50,
        preexec_fn=HEARD,
    )
    assert (ran.returncode, ran.stderr) == (130, "Interrupted.\n")


@pytest.mark.parametrize(
    ("command", "how"),
    [("attach", "again"), ("detach", "again"), ("index", "with --resume")],
)
def test_it_is_said_how_to_go_on(command: str, how: str, tmp_path: Path) -> None:
    """Each waits for a server that says nothing when it is interrupted."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        locator = f"http://127.0.0.1:{server.getsockname()[1]}/news"
        (tmp_path / "news.jsonl").touch()
        process = subprocess.Popen(
            [SCRIPT, command, *(("news.jsonl", "--index") if command == "index" else ()), locator],
            cwd=tmp_path,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
            preexec_fn=HEARD,
        )
        asked, _ = server.accept()
        with asked:
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=50)
    assert process.returncode == 130
    assert said == f"Interrupted. What was done is safe: the same {how} goes on.\n"
