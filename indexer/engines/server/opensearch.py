"""What only OpenSearch does in its own way: its client, its point in time."""

import importlib
import logging
import ssl
from collections.abc import Mapping
from typing import Any, ClassVar, Final

import orjson

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
from leitong.indexer.errors import MissingExtraError
from leitong.mappings.templates import Product

MAJORS: Final = (2, 3)


class _Json:
    """JSON by orjson; what is JSON already stays as it is."""

    mimetype = "application/json"

    def loads(self, content: str) -> Any:
        return orjson.loads(content)

    def dumps(self, data: Any) -> str | bytes:
        return data if isinstance(data, str | bytes) else orjson.dumps(data)


class _AsWritten(_Json):
    """The same; an answer keeps numbers that 64 bits do not hold."""

    def loads(self, content: str) -> Any:
        return exactjson.loads_as_written(content)


class OpenSearch(Server):
    """A connection to OpenSearch."""

    product: ClassVar[Product] = "opensearch"
    title: ClassVar[str] = "OpenSearch"

    def __init__(self, locator: Locator, version: str, credentials: Credentials, *, as_written: bool = False) -> None:
        """With `as_written` answers keep numbers that 64 bits do not hold, see `exactjson.loads_as_written`."""
        super().__init__(locator, version)
        try:
            package = importlib.import_module("opensearchpy")
        except ImportError:
            raise MissingExtraError("An index on OpenSearch", "opensearch") from None
        self._errors = package.exceptions
        settings: dict[str, Any] = {}
        if credentials.signer is not None:
            settings["http_auth"] = credentials.signer
        elif credentials.api_key is not None:
            settings["headers"] = {"Authorization": f"ApiKey {credentials.api_key}"}
        elif (basic := credentials.basic) is not None:
            settings["headers"] = {"Authorization": f"Basic {basic}"}
        if locator.hosts[0].startswith("https:"):
            context = credentials.tls()
            if context is None:  # the certificate's fingerprint is compared instead
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
                context.check_hostname = False
                context.verify_mode = ssl.CERT_NONE
                settings["ssl_assert_fingerprint"] = credentials.fingerprint
            settings["ssl_context"] = context
        logging.getLogger("opensearch").setLevel(logging.ERROR)  # warns of each retry, and logs whole requests
        self._client = package.OpenSearch(
            list(locator.hosts),
            timeout=TIMEOUT,
            **patience(locator),
            serializer=_AsWritten() if as_written else _Json(),
            **settings,
        )

    def open_point(self, index: str, *, shard: int | None = None) -> str:
        answer = self.request("POST", f"/{index}/_search/point_in_time", params=keep_alive(shard))
        return str(answer["pit_id"])

    def close_point(self, point: str) -> None:
        self.request("DELETE", "/_search/point_in_time", body={"pit_id": [point]}, allow=(404,))

    def _perform(
        self, method: str, path: str, body: Any, params: Mapping[str, Any] | None, *, timeout: float | None
    ) -> Any:
        return self._client.transport.perform_request(method, path, params=params, body=body, timeout=timeout)

    def _failures(self) -> tuple[type[Exception], ...]:
        return (self._errors.TransportError,)

    def _failure(self, error: Any) -> Failure:
        if isinstance(error, self._errors.ConnectionError):
            return Failure(None, reason=_cause(error))
        return Failure(int(error.status_code), error.info or error.error)


def _cause(error: Any) -> str:
    """The error under the client's own, without its address of an object."""
    return str(error.info.args[-1] if isinstance(error.info, Exception) and error.info.args else error.error)
