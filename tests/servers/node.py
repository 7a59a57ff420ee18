"""One node of a server on this machine: its folder, ports, settings, and whose it is."""

from __future__ import annotations

import os
import pwd
import random
import re
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.servers.java import java_for
from tests.servers.model import ServerSpec, ServerUnavailableError

#: Half the start's computing time for a lower top speed.
_QUICK_START = "-XX:TieredStopAtLevel=1"
#: A file system in memory: a server waits for its disk with every index it makes, and with every request that writes.
_MEMORY = Path("/dev/shm")
_ROOM = 8 * 1024**3

_OWN_LOG_FILES = re.compile(r"-Xlog:gc|-XX:ErrorFile|HeapDump")


@dataclass(frozen=True)
class Account:
    """The user a server runs as, where it must be another than ours: none runs as root."""

    name: str
    uid: int
    gid: int


def account() -> Account | None:
    """``LEITONG_SERVER_USER`` or ``nobody`` where we are root, else None."""
    if os.geteuid() != 0:
        return None
    name = os.environ.get("LEITONG_SERVER_USER", "nobody")
    try:
        entry = pwd.getpwnam(name)
    except KeyError as error:
        raise ServerUnavailableError(f"there is no user {name} to run a server as") from error
    return Account(name, entry.pw_uid, entry.pw_gid)


def free_port() -> int:
    """A free port below those that the system gives to outgoing connections."""
    for _ in range(200):
        port = random.randint(20000, 32000)
        with socket.socket() as tried:
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise ServerUnavailableError("no free port between 20000 and 32000")


def _check_readable(folder: Path, user: Account | None) -> None:
    """Say it clearly when the other user cannot look into the folder."""
    if user is None:
        return
    for part in (folder, *folder.parents):
        if part.stat().st_mode & 0o005 != 0o005 and part.stat().st_uid != user.uid:
            raise ServerUnavailableError(
                f"{part} cannot be read by {user.name}, who runs the server; choose another LEITONG_SERVER_CACHE"
            )


def _memory() -> Path | None:
    """The folder in memory, where it has room to spare and programs may be run from it."""
    try:
        found = os.statvfs(_MEMORY)
    except OSError:
        return None
    return None if found.f_flag & os.ST_NOEXEC or found.f_bavail * found.f_frsize < _ROOM else _MEMORY


@dataclass(frozen=True)
class Node:
    """One node's places and settings; the process comes and goes, these stay."""

    spec: ServerSpec
    home: Path
    java_home: Path
    folder: Path
    http_port: int
    transport_port: int
    heap: str
    settings: Mapping[str, str]
    environment: Mapping[str, str] = field(default_factory=dict)
    java_options: str = ""

    @property
    def config(self) -> Path:
        """Its configuration folder."""
        return self.folder / "config"

    @property
    def log(self) -> Path:
        """What the server prints, kept for the error message."""
        return self.folder / "server.log"

    def log_tail(self, *, characters: int = 4000) -> str:
        """The end of the log."""
        try:
            return self.log.read_text("utf-8", "replace")[-characters:]
        except OSError:
            return "(no log)"

    def variables(self) -> dict[str, str]:
        """The server's environment: a clean one, so that nothing of ours changes a server."""
        short = {"elasticsearch": "ES", "opensearch": "OPENSEARCH"}[self.spec.product]
        options = f"-Xms{self.heap} -Xmx{self.heap} -XX:-UsePerfData {self.java_options}"
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "LANG": "C.UTF-8",
            "HOME": str(self.folder),
            f"{short}_JAVA_HOME": str(self.java_home),
            f"{short}_JAVA_OPTS": options,
            f"{short}_PATH_CONF": str(self.config),
            f"{short}_TMPDIR": str(self.folder / "tmp"),
            **self.environment,
        }

    def lay_out(self) -> None:
        """Write configuration and empty folders, owned by the user who runs the server."""
        shutil.copytree(self.home / "config", self.config)
        for name in ("data", "logs", "tmp"):
            (self.folder / name).mkdir()
        options = self.config / "jvm.options"
        kept = [line for line in options.read_text("utf-8").splitlines() if not _OWN_LOG_FILES.search(line)]
        options.write_text("\n".join(kept) + "\n", "utf-8")
        settings = {
            "path.data": str(self.folder / "data"),
            "path.logs": str(self.folder / "logs"),
            "network.host": "127.0.0.1",
            "http.port": str(self.http_port),
            "transport.port": str(self.transport_port),
            "cluster.routing.allocation.disk.threshold_enabled": "false",
            **self.settings,
        }
        written = "".join(f"{name}: {value}\n" for name, value in settings.items())
        (self.config / f"{self.spec.product}.yml").write_text(written, "utf-8")
        self.own()

    def own(self) -> None:
        """Give everything in the folder to the user who runs the server."""
        user = account()
        if user is None:
            return
        for path in (self.folder, *self.folder.rglob("*")):
            os.chown(path, user.uid, user.gid)

    def tool(self, name: str, *arguments: str, typed: str = "") -> None:
        """Run one of the build's own tools as the server's user, with ``typed`` on its stdin."""
        user = account()
        done = subprocess.run(
            [str(self.home / "bin" / name), *arguments],
            input=typed,
            env=self.variables(),
            cwd=self.folder,
            user=None if user is None else user.uid,
            group=None if user is None else user.gid,
            extra_groups=None if user is None else [],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise ServerUnavailableError(f"{name} failed: {(done.stdout + done.stderr)[-1500:]}")


def make_node(
    spec: ServerSpec,
    *,
    home: Path,
    settings: Mapping[str, str],
    heap: str = "512m",
    ports: tuple[int, int] | None = None,
    environment: Mapping[str, str] | None = None,
    quick: bool = False,
) -> Node:
    """A node in a new temporary folder, ready to start; a `quick` one is not for measuring."""
    java = java_for(spec)
    user = account()
    _check_readable(home, user)
    _check_readable(java.home, user)
    folder = Path(tempfile.mkdtemp(prefix=f"leitong-{spec.product}-", dir=_memory() if quick else None))
    _check_readable(folder.parent, user)
    node = Node(
        spec=spec,
        home=home,
        java_home=java.home,
        folder=folder,
        http_port=ports[0] if ports else free_port(),
        transport_port=ports[1] if ports else free_port(),
        heap=heap,
        settings=settings,
        environment=environment or {},
        java_options=_QUICK_START if quick else "",
    )
    node.lay_out()
    return node
