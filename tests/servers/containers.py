"""Servers in containers, through testcontainers, where Docker runs.

The Docker library is imported by name at run time: this project has a folder ``docker`` at its top,
and a type checker that starts there would take the folder for the library. (Python itself does not:
a real package wins over a plain folder. So that folder must never get an ``__init__.py``.)
"""

from __future__ import annotations

import importlib
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.servers.model import RunningServer, ServerSpec, ServerUnavailableError
from tests.servers.probe import Door, healthy, start_timeout

if TYPE_CHECKING:
    from testcontainers.core.container import DockerContainer

_KEEPER = Path(__file__).with_name("keeper.py")
_PORT = 9200


def image_names(spec: ServerSpec) -> tuple[str, ...]:
    """The images to look for: the one the user names, the official one, the one docker/ builds."""
    named = os.environ.get(f"LEITONG_TEST_{spec.variable_stem}_IMAGE")
    if named:
        return (named,)
    official = {"elasticsearch": "elasticsearch", "opensearch": "opensearchproject/opensearch"}
    return (
        f"{official[spec.product]}:{spec.version}",
        f"leitong/{spec.product}:{spec.version}",
    )


def image_settings(spec: ServerSpec, *, heap: str) -> dict[str, str]:
    """The environment of a container: one node, no security, a small heap."""
    settings = {
        "discovery.type": "single-node",
        "cluster.routing.allocation.disk.threshold_enabled": "false",
    }
    options = f"-Xms{heap} -Xmx{heap}"
    if spec.product == "elasticsearch":
        return {**settings, "xpack.security.enabled": "false", "ES_JAVA_OPTS": options}
    return {
        **settings,
        "DISABLE_SECURITY_PLUGIN": "true",
        "DISABLE_INSTALL_DEMO_CONFIG": "true",
        "OPENSEARCH_JAVA_OPTS": options,
    }


def _pulled(client: Any, image: str) -> bool:
    """Whether Docker holds the image, pulled now if it must be and can be."""
    errors = importlib.import_module("docker.errors")
    try:
        client.images.pull(image)
    except errors.DockerException:
        return False
    return True


def _held(client: Any, image: str) -> bool:
    """Whether Docker holds the image already."""
    errors = importlib.import_module("docker.errors")
    try:
        client.images.get(image)
    except errors.ImageNotFound:
        return False
    return True


def _choose_image(client: Any, spec: ServerSpec) -> str:
    """An image that is there; else the first one, pulled."""
    names = image_names(spec)
    for name in names:
        if _held(client, name):
            return name
    if _pulled(client, names[0]):
        return names[0]
    raise ServerUnavailableError(f"Docker has no image {' or '.join(names)}, and {names[0]} cannot be pulled")


def _use_reaper(client: Any) -> bool:
    """Whether testcontainers' own reaper (Ryuk) can clean up after us; it needs its image."""
    from testcontainers.core.config import testcontainers_config as config

    if config.ryuk_disabled:
        return False
    if _held(client, config.ryuk_image) or _pulled(client, config.ryuk_image):
        return True
    config.ryuk_disabled = True
    return False


def _reap_with_us(container_id: str) -> subprocess.Popen[bytes] | None:
    """Without Ryuk: a keeper that removes the container when this process ends."""
    try:
        return subprocess.Popen(
            [
                sys.executable,
                "-I",
                str(_KEEPER),
                "reap",
                f"--parent={os.getpid()}",
                "--",
                *("docker", "rm", "--force", "--volumes", container_id),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return None


def _stopper(container: DockerContainer, reaper: subprocess.Popen[bytes] | None) -> Callable[[], None]:
    """Stop the container, then its keeper."""

    def stop() -> None:
        container.stop()
        if reaper is not None:
            reaper.terminate()
            reaper.wait(timeout=10)

    return stop


def _logs(container: DockerContainer) -> str:
    """The end of what the container printed."""
    try:
        return b"".join(container.get_logs())[-4000:].decode("utf-8", "replace")
    except Exception as error:  # whatever Docker says, the first error is the one to report
        return f"(no logs: {error})"


def _check_daemon(host: str) -> None:
    """Say so at once where no daemon listens; the Docker library leaves a socket open then."""
    kind, _, path = host.partition("://")
    if kind != "unix":
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as tried:
        try:
            tried.connect(path)
        except OSError as error:
            raise ServerUnavailableError(f"Docker does not run ({path}: {error.strerror})") from error


def start_container(spec: ServerSpec, *, heap: str = "512m") -> RunningServer:
    """Start one node without security in a container and wait until it answers."""
    try:
        from testcontainers.core.config import ConnectionMode
        from testcontainers.core.container import DockerContainer
        from testcontainers.core.docker_client import DockerClient, get_docker_host
        from testcontainers.core.wait_strategies import HttpWaitStrategy
    except ImportError as error:
        raise ServerUnavailableError(f"testcontainers is not installed ({error})") from error
    _check_daemon(get_docker_host() or "unix:///var/run/docker.sock")
    errors = importlib.import_module("docker.errors")
    try:
        docker = DockerClient()
        docker.client.ping()
    except (errors.DockerException, OSError) as error:
        raise ServerUnavailableError(f"Docker does not run ({error})") from error
    image = _choose_image(docker.client, spec)
    with_ryuk = _use_reaper(docker.client)
    # Not the products' own container classes: they wait on "GET /", which the build that docker/
    # uses answers with 405.
    health = HttpWaitStrategy(_PORT, "/_cluster/health?wait_for_status=yellow&timeout=1s")
    container = (
        DockerContainer(image, env=image_settings(spec, heap=heap))
        .with_exposed_ports(_PORT)
        .waiting_for(health.for_status_code(200).with_startup_timeout(int(start_timeout())))
    )
    if docker.get_connection_mode() is ConnectionMode.docker_host and docker.host() in {"localhost", "127.0.0.1"}:
        # A server without a password is for this machine only; the library's default is all
        # addresses. That must stay where Docker is elsewhere, or is reached through its bridge
        # because we are in a container ourselves (or look so: a file /.dockerenv is enough).
        ports: dict[str, Any] = container.ports
        ports[str(_PORT)] = ("127.0.0.1", None)
    try:
        container.start()
    except Exception as error:  # timeouts, Docker's errors, the library's own
        logs = _logs(container)
        container.stop()
        raise ServerUnavailableError(f"a container of {image} did not start: {error}\n{logs}") from error
    reaper = None if with_ryuk else _reap_with_us(container.get_container_id())
    stop = _stopper(container, reaper)
    url = f"http://{container.get_container_host_ip()}:{container.get_exposed_port(_PORT)}"
    if not healthy(Door(url)):
        stop()
        raise ServerUnavailableError(f"the container of {image} does not answer on {url}")
    return RunningServer(url, spec.product, spec.version, "container", stop)
