"""What only Elasticsearch does in its own way: its client, its point in time."""

import importlib
import logging
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from leitong.indexer import exactjson
from leitong.indexer.engines.server.credentials import Credentials
from leitong.indexer.engines.server.locator import Locator
from leitong.indexer.engines.server.product import (
    TIMEOUT,
    Failure,
    Server,
    keep_alive,
    patience,
)
from leitong.indexer.errors import EngineError, MissingExtraError
from leitong.mappings.templates import Product

MAJORS: Final = (8, 9)
_JSON: Final = {"accept": "application/json", "content-type": "application/json"}
"""Of lines of JSON as well: those the client would copy into lines of its own."""


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

    def __init__(
        self, locator: Locator, version: str, major: int, credentials: Credentials, *, as_written: bool = False
    ) -> None:
        """With `as_written` answers keep numbers that 64 bits do not hold, see `exactjson.loads_as_written`."""
        super().__init__(locator, version)
        package = client_package(major)
        self._errors = package.exceptions
        settings: dict[str, Any] = {}
        if credentials.api_key is not None:
            settings["api_key"] = credentials.api_key
        elif (basic := credentials.basic) is not None:
            settings["basic_auth"] = basic
        if locator.hosts[0].startswith("https:"):
            if credentials.fingerprint:
                settings["ssl_assert_fingerprint"] = credentials.fingerprint
            else:
                settings["ssl_context"] = credentials.tls()
        serializers = importlib.import_module(f"{package.__name__}.serializer")
        json = getattr(serializers, "OrjsonSerializer", serializers.JsonSerializer)
        if as_written:
            json = type("AsWritten", (json,), {"json_loads": lambda _, data: exactjson.loads_as_written(data)})
        settings["serializers"] = {"application/json": json()}
        logging.getLogger("elastic_transport.node_pool").setLevel(logging.ERROR)
        self._client = package.Elasticsearch(
            list(locator.hosts),
            request_timeout=TIMEOUT,
            **patience(locator),
            **settings,
        )

    def open_point(self, index: str, *, shard: int | None = None) -> str:
        return str(self.request("POST", f"/{index}/_pit", params=keep_alive(shard))["id"])

    def close_point(self, point: str) -> None:
        self.request("DELETE", "/_pit", body={"id": point}, allow=(404,))

    def _perform(
        self, method: str, path: str, body: Any, params: Mapping[str, Any] | None, *, timeout: float | None
    ) -> Any:
        client = self._client if timeout is None else self._client.options(request_timeout=timeout)
        return client.perform_request(method, path, params=params, headers=_JSON, body=body).body

    def _failures(self) -> tuple[type[Exception], ...]:
        return (self._errors.ApiError, self._errors.TransportError)

    def _failure(self, error: Any) -> Failure:
        if isinstance(error, self._errors.ApiError):
            return Failure(error.meta.status, error.body)
        return Failure(None, reason=str(error.message))
