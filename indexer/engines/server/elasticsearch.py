"""What only Elasticsearch does in its own way: its client, its point in time."""

import importlib
import logging
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, ClassVar, Final

from leitong.indexer.engines.server import failures
from leitong.indexer.engines.server.credentials import Credentials
from leitong.indexer.engines.server.locator import Locator
from leitong.indexer.engines.server.product import (
    BULK_RETRIES,
    BUSY,
    KEEP,
    LONGEST_WAIT,
    RETRIES,
    TIMEOUT,
    Action,
    Outcome,
    Server,
    expanded,
    outcome,
)
from leitong.indexer.errors import EngineError, MissingExtraError
from leitong.mappings.templates import Product

MAJORS: Final = (8, 9)
_JSON: Final = {"accept": "application/json", "content-type": "application/json"}


def client_package(server_major: int) -> Any:
    """The newest installed client that the server takes: a client must not be newer than the server."""
    newer: str | None = None
    for name in ("elasticsearch", f"elasticsearch{server_major}", "elasticsearch8"):
        try:
            package = importlib.import_module(name)
        except ImportError:
            continue
        if package.__version__[0] <= server_major:
            return package
        newer = package.__versionstr__
    if newer is None:
        raise MissingExtraError("An index on Elasticsearch", "elasticsearch")
    raise EngineError(
        f"The server is Elasticsearch {server_major} and refuses the installed client {newer}, which is newer. "
        f"Install the client of its version: pip install 'elasticsearch<{server_major + 1}'"
    )


class Elasticsearch(Server):
    """A connection to Elasticsearch."""

    product: ClassVar[Product] = "elasticsearch"
    title: ClassVar[str] = "Elasticsearch"

    def __init__(self, locator: Locator, version: str, major: int, credentials: Credentials) -> None:
        super().__init__(locator, version)
        package = client_package(major)
        self._errors = package.exceptions
        self._helpers = importlib.import_module(f"{package.__name__}.helpers")
        settings: dict[str, Any] = {}
        if credentials.api_key is not None:
            settings["api_key"] = credentials.api_key
        elif (user := credentials.user) is not None:
            settings["basic_auth"] = user
        if locator.hosts[0].startswith("https:"):
            if credentials.fingerprint:
                settings["ssl_assert_fingerprint"] = credentials.fingerprint
            else:
                settings["ssl_context"] = credentials.tls()
        orjson = getattr(importlib.import_module(f"{package.__name__}.serializer"), "OrjsonSerializer", None)
        if orjson is not None:
            settings["serializers"] = {"application/json": orjson()}
        logging.getLogger("elastic_transport.node_pool").setLevel(logging.ERROR)
        self._client = package.Elasticsearch(
            list(locator.hosts),
            request_timeout=TIMEOUT,
            max_retries=RETRIES,
            retry_on_timeout=True,
            retry_on_status=(*BUSY, 502, 504),
            **settings,
        )

    def request(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, Any] | None = None,
        params: Mapping[str, Any] | None = None,
        allow: Collection[int] = (),
    ) -> Any:
        try:
            return self._client.perform_request(method, path, params=params, headers=_JSON, body=body).body
        except self._errors.ApiError as error:
            if error.meta.status in allow:
                return error.body
            raise self.refusal(error.meta.status, error.body) from None
        except self._errors.TransportError as error:
            raise self._lost(error) from None

    def bulk(self, actions: Iterable[Action], *, index: str, most_bytes: int) -> Iterator[Outcome]:
        try:
            for _, info in self._helpers.streaming_bulk(
                self._client,
                actions,
                chunk_size=1_000_000,
                max_chunk_bytes=most_bytes,
                raise_on_error=False,
                expand_action_callback=expanded,
                max_retries=BULK_RETRIES,
                initial_backoff=1,
                max_backoff=LONGEST_WAIT,
                retry_on_status=BUSY,
                index=index,
            ):
                yield outcome(info)
        except self._errors.ApiError as error:
            raise self.refusal(error.meta.status, error.body) from None
        except self._errors.TransportError as error:
            raise self._lost(error) from None

    def open_point(self, index: str) -> str:
        return str(self.request("POST", f"/{index}/_pit", params={"keep_alive": KEEP})["id"])

    def close_point(self, point: str) -> None:
        self.request("DELETE", "/_pit", body={"id": point}, allow=(404,))

    def close(self) -> None:
        self._client.close()

    def _lost(self, error: Any) -> EngineError:
        where = str(self.locator)
        if isinstance(error, self._errors.SSLError):
            return failures.untrusted(where, str(error.message), product=self.product)
        if isinstance(error, self._errors.ConnectionTimeout):
            return failures.timed_out(where)
        return failures.unreachable(where, str(error.message))
