"""The words this package uses: which server is wanted, and what a running one looks like."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

Product = Literal["elasticsearch", "opensearch"]
Way = Literal["environment", "container", "process"]

#: The order in which a server is looked for.
ALL_WAYS: tuple[Way, ...] = ("environment", "container", "process")


class ServerUnavailableError(Exception):
    """A real server cannot be had here; the message says why, for a skip or a failure."""


class WrongServerError(Exception):
    """A URL from the environment answers, but not as the server that was asked for."""


@dataclass(frozen=True)
class ServerSpec:
    """One product in one version: what a test asks for."""

    product: Product
    version: str

    @property
    def major(self) -> int:
        """The major version: 9 for Elasticsearch 9.2.0."""
        return int(self.version.split(".", 1)[0])

    @property
    def title(self) -> str:
        """How people write it: ``Elasticsearch 9.2.0``."""
        names = {"elasticsearch": "Elasticsearch", "opensearch": "OpenSearch"}
        return f"{names[self.product]} {self.version}"

    @property
    def variable_stem(self) -> str:
        """``ELASTICSEARCH`` for the newest major version, ``ELASTICSEARCH8`` for an older one."""
        newest = {"elasticsearch": ELASTICSEARCH.major, "opensearch": OPENSEARCH.major}
        suffix = "" if self.major == newest[self.product] else str(self.major)
        return self.product.upper() + suffix

    @property
    def url_variable(self) -> str:
        """The environment variable that names a server to use, ``LEITONG_TEST_OPENSEARCH2_URL``."""
        return f"LEITONG_TEST_{self.variable_stem}_URL"


ELASTICSEARCH = ServerSpec("elasticsearch", "9.2.0")
ELASTICSEARCH8 = ServerSpec("elasticsearch", "8.19.3")
OPENSEARCH = ServerSpec("opensearch", "3.3.0")
OPENSEARCH2 = ServerSpec("opensearch", "2.19.3")

#: Every server the test-suite knows by name.
SPECS: dict[str, ServerSpec] = {
    "elasticsearch": ELASTICSEARCH,
    "elasticsearch8": ELASTICSEARCH8,
    "opensearch": OPENSEARCH,
    "opensearch2": OPENSEARCH2,
}


def _nothing() -> None:
    """Stopping a server that is not ours."""


def _cannot_grant(name: str, password: str, role: Mapping[str, Any]) -> None:
    """Users of a server that is not ours are not ours to make."""
    raise ServerUnavailableError("users are made on a local secured server only")


class Stopped:
    """Something to be stopped: by ``stop()``, or by leaving a ``with`` block."""

    stop: Callable[[], None]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


@dataclass(frozen=True)
class RunningServer(Stopped):
    """A server that answers on ``url``; leave it with ``stop()`` or a ``with`` block."""

    url: str
    product: Product
    version: str
    how: Way
    stop: Callable[[], None] = field(default=_nothing, repr=False, compare=False)


@dataclass(frozen=True)
class SecuredServer(Stopped):
    """A server behind TLS and a password, with all a client needs to be let in."""

    url: str
    product: Product
    version: str
    how: Way
    ca_file: Path
    #: SHA-256 of the CA certificate, 64 hex digits.
    ca_fingerprint: str
    #: SHA-256 of the certificate that the server itself shows, 64 hex digits.
    fingerprint: str
    username: str
    password: str = field(repr=False)
    stop: Callable[[], None] = field(default=_nothing, repr=False, compare=False)
    #: Makes a user with a name, a password and a role, as the product describes a role.
    grant: Callable[[str, str, Mapping[str, Any]], None] = field(default=_cannot_grant, repr=False, compare=False)


def in_ci() -> bool:
    """Whether a missing server is a failure and not a skip."""
    return os.environ.get("CI", "").lower() in {"true", "1", "yes"}


def allowed_ways() -> tuple[Way, ...]:
    """The ways to a server, in order; ``LEITONG_TEST_SERVERS=process,container`` narrows them."""
    chosen = os.environ.get("LEITONG_TEST_SERVERS", "").replace(",", " ").split()
    if not chosen:
        return ALL_WAYS
    unknown = sorted(set(chosen) - set(ALL_WAYS))
    if unknown:
        raise ServerUnavailableError(f"LEITONG_TEST_SERVERS knows {', '.join(ALL_WAYS)}, not {', '.join(unknown)}")
    return tuple(way for way in ALL_WAYS if way in chosen)
