"""The official builds on Maven Central: fetched once, checked, unpacked into a cache folder."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import stat
import subprocess
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.servers.model import (
    ELASTICSEARCH,
    ELASTICSEARCH8,
    OPENSEARCH,
    OPENSEARCH2,
    ServerSpec,
    ServerUnavailableError,
)


@dataclass(frozen=True)
class Artifact:
    """One zip on Maven Central and the SHA-256 it must have."""

    group: str
    name: str
    version: str
    sha256: str

    @property
    def file_name(self) -> str:
        """``elasticsearch-9.2.0.zip``."""
        return f"{self.name}-{self.version}.zip"

    @property
    def coordinates(self) -> str:
        """As ``mvn dependency:copy -Dartifact=`` takes them."""
        return f"{self.group}:{self.name}:{self.version}:zip"

    @property
    def path(self) -> str:
        """Where a Maven repository keeps it."""
        return f"{self.group.replace('.', '/')}/{self.name}/{self.version}/{self.file_name}"


_ELASTICSEARCH = "org.elasticsearch.distribution.integ-test-zip"
_OPENSEARCH = "org.opensearch.distribution.integ-test-zip"

BUILDS: dict[ServerSpec, Artifact] = {
    ELASTICSEARCH: Artifact(
        _ELASTICSEARCH,
        "elasticsearch",
        "9.2.0",
        "bf44938a0490ba2a303d39c9cb64b38963dd08c812ce93e10816e878585bcb6b",
    ),
    ELASTICSEARCH8: Artifact(
        _ELASTICSEARCH,
        "elasticsearch",
        "8.19.3",
        "c4b08b70523700efde9f3e4c9287229f085c2c0db1efca5c6a7d65abbdb9f2e1",
    ),
    OPENSEARCH: Artifact(
        _OPENSEARCH,
        "opensearch",
        "3.3.0",
        "c3a6bf825ea05b8d9fe3758dad70ed198cf9c365700895165d310a0a9e7f48a5",
    ),
    OPENSEARCH2: Artifact(
        _OPENSEARCH,
        "opensearch",
        "2.19.3",
        "760530e522de0a9f06380d4a4a43dfd83c31fa8911f41745513ce715ed5dfd03",
    ),
}

#: OpenSearch keeps its security in a plugin; Elasticsearch's is part of the build.
SECURITY_PLUGINS: dict[ServerSpec, Artifact] = {
    OPENSEARCH2: Artifact(
        "org.opensearch.plugin",
        "opensearch-security",
        "2.19.3.0",
        "ae79a0cf1094446e357758904552717c52c2d9b30ec153271b52ec73497510df",
    ),
}


def cache_folder() -> Path:
    """Where builds are kept: ``LEITONG_SERVER_CACHE``, else a folder of this user's.

    Root's servers run as another user, who cannot look into root's home: there it is /var/cache.
    """
    chosen = os.environ.get("LEITONG_SERVER_CACHE")
    if chosen:
        return Path(chosen).expanduser().resolve()
    if os.geteuid() == 0:
        return Path("/var/cache/leitong-servers")
    return Path.home() / ".cache" / "leitong-servers"


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """One process at a time works in the cache."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def fetch(artifact: Artifact) -> Path:
    """The zip in the cache, fetched if it is not there yet; its SHA-256 is checked then."""
    folder = cache_folder()
    target = folder / artifact.file_name
    with _locked(folder):
        if target.exists():
            return target
        with tempfile.TemporaryDirectory(dir=folder, prefix="fetching-") as part:
            fetched = Path(part) / artifact.file_name
            if shutil.which("mvn"):
                _fetch_with_maven(artifact, fetched.parent)
            else:
                _fetch_plainly(artifact, fetched)
            digest = _sha256(fetched)
            if digest != artifact.sha256:
                raise ServerUnavailableError(f"{artifact.coordinates} has SHA-256 {digest}, not {artifact.sha256}")
            fetched.rename(target)
    return target


def _sha256(path: Path) -> str:
    """The SHA-256 of a file, 64 hex digits."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()


def _fetch_with_maven(artifact: Artifact, folder: Path) -> None:
    """Let Maven copy the artifact, from wherever this machine's Maven takes artifacts."""
    command = [
        "mvn",
        "--batch-mode",
        "--quiet",
        "org.apache.maven.plugins:maven-dependency-plugin:copy",
        f"-Dartifact={artifact.coordinates}",
        f"-DoutputDirectory={folder}",
    ]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode or not (folder / artifact.file_name).exists():
        said = (done.stdout + done.stderr).strip()[-800:]
        raise ServerUnavailableError(f"mvn could not fetch {artifact.coordinates}: {said}")


def _repository() -> str:
    """The Maven repository of a machine without mvn, from its own settings."""
    named = os.environ.get("LEITONG_MAVEN_REPOSITORY")
    if named:
        return named.rstrip("/")
    settings = Path.home() / ".m2" / "settings.xml"
    if settings.exists():
        mirror = re.search(r"<mirror>.*?<url>\s*(.*?)\s*</url>.*?</mirror>", settings.read_text("utf-8"), re.DOTALL)
        if mirror:
            return mirror.group(1).rstrip("/")
    raise ServerUnavailableError(
        "mvn is not installed, and neither LEITONG_MAVEN_REPOSITORY nor ~/.m2/settings.xml names a Maven repository"
    )


def _fetch_plainly(artifact: Artifact, target: Path) -> None:
    """Fetch over HTTP, through the proxy of the environment if there is one."""
    url = f"{_repository()}/{artifact.path}"
    try:
        with urllib.request.urlopen(url, timeout=60) as reply, target.open("wb") as file:
            shutil.copyfileobj(reply, file)
    except (urllib.error.URLError, OSError) as error:
        raise ServerUnavailableError(f"cannot fetch {artifact.coordinates}: {error}") from error


def _unzip(archive: Path, folder: Path) -> None:
    """Unpack with the executable bits, which zipfile leaves out."""
    with zipfile.ZipFile(archive) as zipped:
        for member in zipped.infolist():
            written = Path(zipped.extract(member, folder))
            mode = stat.S_IMODE(member.external_attr >> 16)
            if mode and written.is_file():
                written.chmod(mode | 0o444)
    for path in (folder, *folder.rglob("*")):
        if path.is_dir():
            path.chmod(0o755)


def distribution(spec: ServerSpec, *, plugins: tuple[Artifact, ...] = ()) -> Path:
    """The unpacked build, read-only for the servers that share it; a folder for each plugin set."""
    build = BUILDS.get(spec)
    if build is None:
        known = ", ".join(sorted(known.title for known in BUILDS))
        raise ServerUnavailableError(f"there is no build of {spec.title} here; known: {known}")
    archives = [fetch(artifact) for artifact in (build, *plugins)]
    label = "+".join(f"{artifact.name}-{artifact.version}" for artifact in (build, *plugins))
    folder = cache_folder()
    home = folder / "unpacked" / label
    with _locked(folder):
        if not home.exists():
            home.parent.mkdir(mode=0o755, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=folder, prefix="unpacking-") as part:
                _unzip(archives[0], Path(part))
                (unpacked,) = [entry for entry in Path(part).iterdir() if entry.is_dir()]
                for plugin, archive in zip(plugins, archives[1:], strict=True):
                    _unzip(archive, unpacked / "plugins" / plugin.name)
                (unpacked / "plugins").mkdir(mode=0o755, exist_ok=True)
                unpacked.rename(home)
    return home


def fetch_everything() -> Iterator[Path]:
    """Fetch and unpack every build and plugin the tests may ask for, one after the other."""
    for spec in BUILDS:
        yield distribution(spec)
    for spec, plugin in SECURITY_PLUGINS.items():
        yield distribution(spec, plugins=(plugin,))
