"""Servers as local processes: the official build, a JDK, a folder of its own, a free port."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from tests.servers.builds import distribution
from tests.servers.model import RunningServer, ServerSpec, ServerUnavailableError
from tests.servers.node import Node, account, make_node
from tests.servers.probe import Door, healthy, start_timeout

_KEEPER = Path(__file__).with_name("keeper.py")


class NodeProcess:
    """A node's process, run by a keeper that outlives a killed test."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self._keeper: subprocess.Popen[bytes] | None = None

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._keeper is not None and self._keeper.poll() is None

    def start(self) -> None:
        """Start the process; does not wait for the server to answer."""
        if self.alive:
            raise RuntimeError("this node runs already")
        node = self.node
        pid_file = node.folder / "server.pid"
        pid_file.unlink(missing_ok=True)
        user = account()
        as_user = [] if user is None else [f"--uid={user.uid}", f"--gid={user.gid}"]
        self._keeper = subprocess.Popen(
            [
                sys.executable,
                "-I",
                str(_KEEPER),
                "serve",
                f"--parent={os.getpid()}",
                f"--pid-file={pid_file}",
                f"--log={node.log}",
                f"--cwd={node.folder}",
                f"--remove={node.folder}",
                *as_user,
                "--",
                str(node.home / "bin" / node.spec.product),
            ],
            env=node.variables(),
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )

    @property
    def group(self) -> int:
        """The process group of the server, known a moment after the start."""
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError, ValueError):
                return int((self.node.folder / "server.pid").read_text())
            time.sleep(0.05)
        raise ServerUnavailableError("the server's process was never started")

    def kill(self) -> None:
        """``kill -9``, and wait until nothing of it is left."""
        if self._keeper is None:
            return
        if self.alive:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.group, signal.SIGKILL)
        self._keeper.wait(timeout=30)
        self._keeper = None

    def discard(self) -> None:
        """End the process and remove its folder."""
        self.kill()
        shutil.rmtree(self.node.folder, ignore_errors=True)


def wait_for_health(process: NodeProcess, door: Door, *, nodes: int = 1, status: str = "yellow") -> None:
    """Wait until the node answers; where it does not, the error ends with the log's last lines."""
    deadline = time.monotonic() + start_timeout()
    title = process.node.spec.title
    while not healthy(door, nodes=nodes, status=status):
        if not process.alive:
            raise ServerUnavailableError(f"{title} ended by itself:\n{process.node.log_tail()}")
        if time.monotonic() > deadline:
            raise ServerUnavailableError(
                f"{title} did not answer in {start_timeout():.0f} s:\n{process.node.log_tail()}"
            )
        time.sleep(0.2)


def start_process(
    spec: ServerSpec, *, heap: str = "512m", settings: Mapping[str, str] | None = None, quick: bool = False
) -> RunningServer:
    """Start one node without security, with these settings of its own, and wait until it answers.

    A `quick` one is not for measuring: it starts in half the time, and its data lie in memory where there is room.
    """
    home = distribution(spec)
    settings = {"discovery.type": "single-node", **(settings or {})}
    if spec.product == "elasticsearch":
        settings["xpack.security.enabled"] = "false"
    for last in (False, False, True):
        node = make_node(spec, home=home, settings=settings, heap=heap, quick=quick)
        process = NodeProcess(node)
        url = f"http://127.0.0.1:{node.http_port}"
        try:
            process.start()
            wait_for_health(process, Door(url))
        except BaseException as error:
            process.discard()
            taken = "Address already in use" in str(error)
            if taken and not last:
                continue
            raise
        return RunningServer(url, spec.product, spec.version, "process", process.discard)
    raise AssertionError("unreachable")
