"""How is the page served, and to whom?"""

import secrets
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Final

from leitong.indexer.documents import MAX_TEXT_BYTES
from leitong.indexer.errors import UsageError

HOST: Final = "127.0.0.1"
PORT: Final = 8765
_LEAST_TOKEN: Final = 16
_LOCAL: Final = frozenset(("localhost", "127.0.0.1", "::1"))


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What `leitong serve` was told.

    Args:
        locator: the index.
        host, port: where to listen.
        token: who shows it may write; None where nobody may. Never printed by `repr`.
        hosts: further names under which the page may be asked for.
        origins: pages elsewhere (`https://search.example`) whose scripts may read the JSON.
        threads: requests that are worked on at once, each with an index opened for itself.
        waiting: requests that may wait for one of the threads; further ones are told to come again.
        seconds: how long a request may take, waiting included.
        max_body: bytes of a request's body.
    """

    locator: str
    host: str = HOST
    port: int = PORT
    token: str | None = field(default=None, repr=False)
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    threads: int = 4
    waiting: int = 256
    seconds: float = 20.0
    max_body: int = MAX_TEXT_BYTES + 1_000_000

    def __post_init__(self) -> None:
        if self.token is not None and len(self.token) < _LEAST_TOKEN:
            raise UsageError(
                f"LEITONG_TOKEN has fewer than {_LEAST_TOKEN} characters. Choose a longer one, or leave it out to have "
                "one made."
            )
        for origin in self.origins:
            scheme, _, rest = origin.partition("://")
            if scheme not in ("http", "https") or not rest or "/" in rest:
                raise UsageError(f"--allow-origin takes scheme and host, as https://search.example, not {origin!r}.")

    def serves(self, host: str) -> bool:
        """Whether a `Host` header's name is one of ours.

        Addresses always are: a page elsewhere can lead a name of its own to our address, but not an address.
        """
        name = host_name(host)
        return name in _LOCAL or name in (self.host, *self.hosts) or _is_address(name)


def new_token() -> str:
    """A token nobody guesses."""
    return secrets.token_urlsafe(24)


def host_name(host: str) -> str:
    """A `Host` header without its port, in small letters."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower().rstrip(".")


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
