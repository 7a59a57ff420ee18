"""Gets a server, the first way that works: the environment, a container, a local process."""

from __future__ import annotations

import os
from collections.abc import Callable

from tests.servers.containers import start_container
from tests.servers.model import RunningServer, ServerSpec, ServerUnavailableError, Way, WrongServerError, allowed_ways
from tests.servers.probe import Door, identify
from tests.servers.process import start_process


def use_environment(spec: ServerSpec) -> RunningServer:
    """The server whose URL the environment names; it must be the product and major version."""
    url = os.environ.get(spec.url_variable, "").rstrip("/")
    if not url:
        raise ServerUnavailableError(f"{spec.url_variable} is not set")
    try:
        found = identify(Door(url))
    except OSError as error:
        raise WrongServerError(f"{spec.url_variable} names {url}, which does not answer: {error}") from error
    if (found.product, found.version.split(".")[0]) != (spec.product, str(spec.major)):
        seen = f"{found.product} {found.version}"
        raise WrongServerError(f"{spec.url_variable} should name {spec.title}, but {url} is {seen}")
    return RunningServer(url, found.product, found.version, "environment")


def start(
    spec: ServerSpec, *, heap: str = "512m", ways: tuple[Way, ...] | None = None, quick: bool = False
) -> RunningServer:
    """Get a server, or raise :class:`ServerUnavailableError` with the reason of each way.

    ``ways`` narrows the search, as ``LEITONG_TEST_SERVERS`` does for a whole run. For ``quick`` see `start_process`.
    """
    attempts: dict[Way, Callable[[], RunningServer]] = {
        "environment": lambda: use_environment(spec),
        "container": lambda: start_container(spec, heap=heap),
        "process": lambda: start_process(spec, heap=heap, quick=quick),
    }
    reasons: list[str] = []
    for way in allowed_ways() if ways is None else ways:
        try:
            return attempts[way]()
        except ServerUnavailableError as error:
            reasons.append(f"{way}: {error}")
    raise ServerUnavailableError(f"{spec.title} cannot be had here. " + "; ".join(reasons))
