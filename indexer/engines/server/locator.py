"""Which servers, and which index on them, does a locator name?

http(s)://host:port[,host:port…][/path]/index
cloud:CLOUD_ID/index                             a deployment of Elastic Cloud, whose page shows its cloud id
"""

import base64
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from leitong.indexer.errors import UsageError

_CLOUD: Final = "cloud:"
_PORTS: Final = {"http": 9200, "https": 443}
_INDEX: Final = re.compile(r"(?![-_+.])[^A-Z\s\\/?\"<>|,#:%]*[^A-Z\s\\/?\"<>|,#:%*][^A-Z\s\\/?\"<>|,#:%]*")
_MISSPELT: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/|[^/]+:\d+/")
_MOST_INDEX_BYTES: Final = 255 - len("-leitong")


@dataclass(frozen=True)
class Locator:
    """Where an index is. `hosts` are URLs without the index, of servers of one cluster."""

    hosts: tuple[str, ...]
    index: str

    @property
    def is_pattern(self) -> bool:
        """Whether it may name several indexes."""
        return "*" in self.index

    def stands_for_several(self, found: Collection[str]) -> bool:
        """Whether the name, behind which these indexes were found, stands for several.

        A pattern and a data stream do even while there is only one: the next is to come, and ids must not change then.
        """
        return self.is_pattern or len(found) > 1 or is_data_stream(found)

    def __str__(self) -> str:
        first, *others = self.hosts
        scheme, _, rest = first.partition("://")
        host, slash, path = rest.partition("/")
        more = "".join("," + other.partition("://")[2].partition("/")[0] for other in others)
        return f"{scheme}://{host}{more}{slash}{path}/{self.index}"


def is_data_stream(found: Collection[str]) -> bool:
    """Whether the indexes behind a name are those of a data stream, which its server names."""
    return any(".ds-" in name for name in found)


def is_server(text: str) -> bool:
    """Whether a locator names a server, and not a folder."""
    return text.startswith(("http://", "https://", _CLOUD))


def refuse_misspelt(text: str) -> None:
    """Raise UsageError for the name of a folder that is not there and was meant as an address: `localhost:9200/docs`,
    `HTTPS://…`, `https:/…`. Whoever wants such a folder begins with `./`."""
    if _MISSPELT.match(text) and not Path(text).exists():
        raise UsageError(
            f"{_shown(text)} looks like the address of a server and does not begin with http:// or https://. "
            f"{_EXAMPLE}; a folder of that name: ./{_shown(text)}"
        )


def parse(text: str) -> Locator:
    """Read a locator. Raises UsageError; its message never repeats a password."""
    try:
        parts = urlsplit(_deployment(text) if text.startswith(_CLOUD) else text)
        if "@" in parts.netloc:
            raise UsageError(
                "The locator holds a user name or a password. Leave them out: set ELASTICSEARCH_USERNAME and "
                "ELASTICSEARCH_PASSWORD, or ELASTICSEARCH_API_KEY (OPENSEARCH_… for OpenSearch)."
            )
        path, _, index = parts.path.rstrip("/").rpartition("/")
        hosts = tuple(_host(parts.scheme, name, path) for name in parts.netloc.split(","))
    except ValueError as error:
        raise UsageError(f"{_shown(text)} is no address of an index: {error}. {_EXAMPLE}") from None
    if parts.query or parts.fragment:
        raise UsageError(f"{_shown(text)} has a ? or a # after the index. {_EXAMPLE}")
    if not index:
        raise UsageError(f"{_shown(text)} names a server but no index. {_EXAMPLE}")
    if not _INDEX.fullmatch(index) or len(index.encode()) > _MOST_INDEX_BYTES:
        raise UsageError(
            f"{index!r} cannot be the name of an index: small letters, digits, - and _ are allowed, the first is no "
            f"- or _, and there are at most {_MOST_INDEX_BYTES} bytes. A pattern has letters beside its *."
        )
    return Locator(hosts, index)


_EXAMPLE: Final = "For example: --index http://127.0.0.1:9200/docs"


def _deployment(text: str) -> str:
    """The address behind a cloud id: a name, a colon, and in base64 the host and the deployment, `$` between them."""
    cloud_id, _, index = text.removeprefix(_CLOUD).rpartition("/")
    try:
        host, deployment, *_ = base64.b64decode(cloud_id.rpartition(":")[2], validate=True).decode("ascii").split("$")
    except ValueError:
        raise ValueError(f"{cloud_id} is no cloud id") from None
    name, _, port = host.partition(":")
    return f"https://{deployment}.{name}:{port or 443}/{index}"


def _host(scheme: str, name: str, path: str) -> str:
    parts = urlsplit(f"//{name}")
    if not parts.hostname:
        raise ValueError("a host is missing")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{scheme}://{host}:{parts.port or _PORTS[scheme]}{path}"


def _shown(text: str) -> str:
    """The text without anything that may be a secret."""
    scheme, mark, rest = text.partition("://") if "://" in text else ("", "", text)
    return f"{scheme}{mark}{rest.rpartition('@')[2].partition('?')[0]}"
