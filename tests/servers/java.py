"""Finds a Java that runs a given server, on machines that have several."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.servers.model import ServerSpec, ServerUnavailableError

_PLACES = (
    "/usr/lib/jvm/*",
    "/usr/lib64/jvm/*",
    "/usr/java/*",
    "/opt/*jdk*",
    "/opt/*java*",
    "/opt/java/*",
    "/usr/local/*jdk*",
    "/usr/local/*java*",
    "/usr/local/opt/openjdk*",
    "/opt/homebrew/opt/openjdk*",
    "/Library/Java/JavaVirtualMachines/*/Contents/Home",
)
_HOME_PLACES = (".sdkman/candidates/java/*", ".jdks/*", ".asdf/installs/java/*")


@dataclass(frozen=True)
class Java:
    """A Java home and its feature version (17, 21, 25)."""

    home: Path
    feature: int


@dataclass(frozen=True)
class JavaNeed:
    """The feature versions that run a server; ``most`` is None where newer ones are fine."""

    least: int
    most: int | None = None

    def accepts(self, java: Java) -> bool:
        """Whether this Java is new enough, and not too new."""
        return self.least <= java.feature and (self.most is None or java.feature <= self.most)

    def __str__(self) -> str:
        if self.most is None:
            return f"Java {self.least} or newer"
        return f"Java {self.least} to {self.most}"


def java_need(spec: ServerSpec) -> JavaNeed:
    """Which Java a server runs on.

    OpenSearch 2 needs the security manager, which Java 24 dropped.
    """
    if spec.product == "opensearch":
        return JavaNeed(21) if spec.major >= 3 else JavaNeed(11, 23)
    return JavaNeed(21) if spec.major >= 9 else JavaNeed(17)


def _candidates() -> Iterator[Path]:
    """Java homes that may exist, those the user names first."""
    for variable in ("LEITONG_JAVA_HOMES", "JAVA_HOME"):
        for part in os.environ.get(variable, "").split(os.pathsep):
            if part:
                yield Path(part)
    for pattern in _PLACES:
        root, _, rest = pattern[1:].partition("/")
        yield from sorted(Path("/", root).glob(rest), reverse=True)
    for pattern in _HOME_PLACES:
        yield from sorted(Path.home().glob(pattern), reverse=True)
    found = shutil.which("java")
    if found:
        yield Path(found).resolve().parent.parent
    if shutil.which("update-alternatives"):
        listed = subprocess.run(["update-alternatives", "--list", "java"], capture_output=True, text=True, check=False)
        for line in listed.stdout.splitlines():
            yield Path(line).resolve().parent.parent


def _feature(home: Path) -> int | None:
    """The feature version a Java home states in its ``release`` file, or by being asked."""
    executable = home / "bin" / "java"
    if not os.access(executable, os.X_OK):
        return None
    text = ""
    try:
        text = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        asked = subprocess.run([str(executable), "-version"], capture_output=True, text=True, check=False)
        text = asked.stderr
    stated = re.search(r'(?:JAVA_VERSION=|version )"(\d+)(?:\.(\d+))?', text)
    if stated is None:
        return None
    first = int(stated.group(1))
    return int(stated.group(2) or 0) if first == 1 else first


@cache
def find_javas() -> tuple[Java, ...]:
    """Every Java found, those the user names first, each home once."""
    found: dict[Path, Java] = {}
    for home in _candidates():
        resolved = home.resolve()
        if resolved in found:
            continue
        feature = _feature(resolved)
        if feature is not None:
            found[resolved] = Java(resolved, feature)
    return tuple(found.values())


def java_for(spec: ServerSpec) -> Java:
    """A Java that runs this server: the user's own choice, else the newest that fits."""
    need = java_need(spec)
    fitting = [java for java in find_javas() if need.accepts(java)]
    if not fitting:
        seen = ", ".join(f"{java.feature} in {java.home}" for java in find_javas()) or "none"
        raise ServerUnavailableError(
            f"{spec.title} needs {need}; found: {seen} (LEITONG_JAVA_HOMES names folders to look in)"
        )
    named = {Path(part).resolve() for part in os.environ.get("LEITONG_JAVA_HOMES", "").split(os.pathsep) if part}
    return max(fitting, key=lambda java: (java.home in named, java.feature))
