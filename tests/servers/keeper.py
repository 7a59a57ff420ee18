"""Keeps one server for one parent process, and ends it when the parent ends, however it ends.

Run as a program, never imported by a test: it uses the standard library only and is started with
``python -I keeper.py`` so that nothing of the test's environment can break it. It looks at its
parent's process id a few times a second: once the parent is gone (a ``kill -9`` leaves no time for
a ``finally``), the server's whole process group is killed and its folder removed.

``keeper.py serve`` starts a server and keeps it; ``keeper.py reap`` waits for the parent's end and
then runs one command, for what is started by somebody else (a container).
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import FrameType

_INTERVAL = 0.25


class _EndedError(Exception):
    """Somebody asked the keeper to end."""


def _end(number: int, frame: FrameType | None) -> None:
    raise _EndedError


def _serve(options: argparse.Namespace) -> int:
    """Start the server in a process group of its own and wait for it or for the parent."""
    account: dict[str, int] = {}
    if options.uid is not None:
        account = {"user": options.uid, "group": options.gid}
    with Path(options.log).open("ab") as log:
        server = subprocess.Popen(
            options.command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            cwd=options.cwd,
            start_new_session=True,
            extra_groups=[] if account else None,
            **account,  # type: ignore[call-overload]
        )
    written = Path(options.pid_file + ".new")
    written.write_text(f"{server.pid}\n")
    written.replace(options.pid_file)
    orphaned = False
    try:
        while server.poll() is None and not orphaned:
            orphaned = os.getppid() != options.parent
            time.sleep(_INTERVAL)
    except _EndedError:
        pass
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(server.pid, signal.SIGKILL)
    code = server.wait()
    if orphaned and options.remove:
        shutil.rmtree(options.remove, ignore_errors=True)
    return 1 if code else 0


def _reap(options: argparse.Namespace) -> int:
    """Wait for the parent's end, then run the command."""
    try:
        while os.getppid() == options.parent:
            time.sleep(_INTERVAL)
    except _EndedError:
        return 0
    return subprocess.run(options.command, check=False).returncode


def main(arguments: list[str]) -> int:
    """Read the arguments and do the one or the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=["serve", "reap"])
    parser.add_argument("--parent", type=int, required=True)
    parser.add_argument("--pid-file", default="")
    parser.add_argument("--log", default=os.devnull)
    parser.add_argument("--cwd", default="/")
    parser.add_argument("--uid", type=int)
    parser.add_argument("--gid", type=int)
    parser.add_argument("--remove", default="")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, _end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return _serve(options) if options.task == "serve" else _reap(options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
