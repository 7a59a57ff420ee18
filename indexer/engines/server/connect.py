"""Which product answers at an address, in which version? And a connection to it by its own client."""

import json
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from leitong.indexer.engines.server import credentials, elasticsearch, failures, opensearch
from leitong.indexer.engines.server.elasticsearch import Elasticsearch
from leitong.indexer.engines.server.locator import Locator
from leitong.indexer.engines.server.opensearch import OpenSearch
from leitong.indexer.engines.server.product import WAITS, Server
from leitong.indexer.errors import EngineError
from leitong.mappings.templates import Product

_TIMEOUT: Final = 20.0
_NOT_NOW: Final = (429, 502, 503, 504)
_MAJORS: Final[dict[Product, tuple[int, ...]]] = {
    "elasticsearch": elasticsearch.MAJORS,
    "opensearch": opensearch.MAJORS,
}


@dataclass(frozen=True)
class _Reply:
    """What a server says to `GET /` of somebody who does not name himself."""

    status: int
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def version(self) -> str | None:
        """The server's version, where it tells."""
        described = self.body.get("version")
        number = described.get("number") if isinstance(described, Mapping) else None
        return number if isinstance(number, str) else None

    @property
    def product(self) -> Product | None:
        """The product, where it tells."""
        described = self.body.get("version")
        if isinstance(described, Mapping) and described.get("distribution") == "opensearch":
            return "opensearch"
        if self.headers.get("x-elastic-product") == "Elasticsearch":
            return "elasticsearch"
        if "opensearch" in self.headers.get("www-authenticate", "").lower():
            return "opensearch"
        return None

    @property
    def is_turned_away(self) -> bool:
        """Whether somebody before the server, or one that has too much to do, lets nobody through for now."""
        return self.status in _NOT_NOW and self.product is None


def connect(locator: Locator, *, signer: credentials.Signer | None = None, as_written: bool = False) -> Server:
    """A connection; `as_written` keeps every digit of numbers. Raises EngineError, MissingExtraError or UsageError."""
    reply = _ask(locator)
    product = reply.product or ("opensearch" if signer else _named_by_environment(reply, locator))
    ours = credentials.read(product, signer=signer)
    version = reply.version or _version(locator, product, ours)
    major = int(version.split(".", 1)[0])
    if major not in _MAJORS[product]:
        raise _unsupported(locator, f"{product} {version}")
    if product == "elasticsearch":
        return Elasticsearch(locator, version, major, ours, as_written=as_written)
    return OpenSearch(locator, version, ours, as_written=as_written)


def _named_by_environment(reply: _Reply, locator: Locator) -> Product:
    """Who lets nobody in does not always say who he is; the credentials that are set do."""
    if reply.status in (401, 403):
        products: tuple[Product, ...] = ("elasticsearch", "opensearch")
        named = [product for product in products if credentials.read(product).present]
        if len(named) == 1:
            return named[0]
        raise EngineError(
            f"{locator} lets nobody in without credentials. Set ELASTICSEARCH_API_KEY, or ELASTICSEARCH_USERNAME and "
            "ELASTICSEARCH_PASSWORD; for OpenSearch the same with OPENSEARCH_, and only one of the two."
        )
    if reply.is_turned_away:
        raise failures.refusal(str(locator), reply.status, f"answer {reply.status}", "no name", product="")
    raise _unsupported(locator, f"answer {reply.status} and no name")


def _unsupported(locator: Locator, found: str) -> EngineError:
    return EngineError(
        f"{locator} is no server that Leitong works with (found: {found}). It works with Elasticsearch 8 and 9 and "
        "OpenSearch 2 and 3."
    )


def _version(locator: Locator, product: Product, ours: credentials.Credentials) -> str:
    """The version as a server tells it to us; Elasticsearch's smallest build has no answer to `GET /`."""
    server: Server
    if product == "opensearch":
        server = OpenSearch(locator, "", ours)
        return _number(server.request("GET", "/")) or "0"
    for major in (elasticsearch.MAJORS[-1], elasticsearch.MAJORS[0]):
        try:
            server = Elasticsearch(locator, "", major, ours)
            number = _number(server.request("GET", "/", allow=(405,)))
            if number is None:
                nodes = server.request("GET", "/_nodes/_local", params={"filter_path": "nodes.*.version"})
                number = next((str(node["version"]) for node in nodes.get("nodes", {}).values()), "0")
            server.close()
            return number
        except EngineError as error:
            if major == elasticsearch.MAJORS[0] or "older than the installed" not in str(error):
                raise
    raise _unsupported(locator, "no version")


def _number(body: Any) -> str | None:
    described = body.get("version") if isinstance(body, Mapping) else None
    return str(described["number"]) if isinstance(described, Mapping) and "number" in described else None


def _ask(locator: Locator) -> _Reply:
    """The answer of the first host that lets us through, without credentials; who is turned away comes again.

    Its certificate is not checked here: nothing is told to it, and the client that is chosen by the answer checks.
    """
    for wait in WAITS:
        if not (reply := _ask_once(locator)).is_turned_away:
            return reply
        time.sleep(wait)
    return _ask_once(locator)


def _ask_once(locator: Locator) -> _Reply:
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context), _NoRedirect()
    )
    reason = ""
    turned_away: _Reply | None = None
    for host in locator.hosts:
        try:
            with opener.open(f"{host}/", timeout=_TIMEOUT) as reply:
                return _reply(reply.status, reply.headers, reply.read())
        except urllib.error.HTTPError as error:
            with error:
                answer = _reply(error.code, error.headers, error.read())
            if not answer.is_turned_away:
                return answer
            turned_away = answer
        except (OSError, ValueError) as error:
            reason = str(getattr(error, "reason", error))
        except Exception as error:  # http.client raises its own for what is not HTTP
            reason = f"the answer is not HTTP: {error}"
    if turned_away is not None:
        return turned_away
    raise failures.unreachable(str(locator), reason, new=True)


def _reply(status: int, headers: Any, body: bytes) -> _Reply:
    try:
        value = json.loads(body)
    except ValueError:
        value = {}
    lower = {name.lower(): value for name, value in headers.items()}
    return _Reply(status, lower, value if isinstance(value, dict) else {})


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Whoever sends us elsewhere is no search server."""

    def redirect_request(self, *arguments: Any) -> None:
        return None
