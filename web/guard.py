"""What stands before every request: whose name it asks for, how large it is, and what every answer carries."""

import asyncio
import time
from collections.abc import Mapping
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from leitong.web.metrics import Metrics
from leitong.web.settings import Settings

_BODY_SECONDS: Final = 30.0
_POLICY: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Final[Mapping[str, str]] = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
_CHANGING: Final = frozenset(("POST", "PUT", "PATCH", "DELETE"))


class TooLargeError(Exception):
    """A request's body is larger than allowed, or came too slowly."""


class Guard:
    """An ASGI application around the page's own."""

    def __init__(self, app: ASGIApp, settings: Settings, metrics: Metrics) -> None:
        self._app = app
        self._settings = settings
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = time.monotonic()
        status = 500
        headers = Headers(scope=scope)

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                self._add(MutableHeaders(scope=message), scope["path"], headers.get("origin", ""))
            await send(message)

        try:
            refusal = self._refusal(scope, headers)
            if refusal is not None:
                await refusal(scope, receive, sending)
                return
            await self._app(scope, self._limited(receive), sending)
        finally:
            route = scope.get("leitong.route", "other")
            self._metrics.answered(route, status, time.monotonic() - begun)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        host = headers.get("host", "")
        if not self._settings.serves(host):
            return _plain(
                421, "This page does not answer to that name. Whoever runs it can allow the name with --allow-host."
            )
        if scope["method"] in _CHANGING and not self._from_here(headers, host):
            return _plain(
                403,
                "This was sent from a page elsewhere. Open the form here and send it again. If it was sent from here, "
                "a server in front of this page does not pass on the name it was asked for: see docs/web.md.",
            )
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self._settings.max_body:
            return _plain(413, f"At most {self._settings.max_body:,} bytes can be sent at once.")
        return None

    def _from_here(self, headers: Headers, host: str) -> bool:
        """Whether a form or script of our own sent this, or a program that is no browser and shows the token itself."""
        origin = headers.get("origin")
        if origin is not None:
            return origin.partition("://")[2].lower() == host.lower() or origin in self._settings.origins
        return headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")

    def _limited(self, receive: Receive) -> Receive:
        left = self._settings.max_body
        until = time.monotonic() + _BODY_SECONDS
        complete = False

        async def receiving() -> Message:
            nonlocal left, complete
            if complete:
                return await receive()
            try:
                message = await asyncio.wait_for(receive(), max(0.01, until - time.monotonic()))
            except TimeoutError:
                raise TooLargeError("The request came too slowly. Send it again.") from None
            left -= len(message.get("body", b""))
            complete = not message.get("more_body", False)
            if left < 0:
                raise TooLargeError(f"At most {self._settings.max_body:,} bytes can be sent at once.")
            return message

        return receiving

    def _add(self, headers: MutableHeaders, path: str, origin: str) -> None:
        for name, value in HEADERS.items():
            headers.setdefault(name, value)
        headers.setdefault("cache-control", "no-store")
        if path.startswith("/api/") and self._settings.origins:
            headers.add_vary_header("Origin")
            if origin in self._settings.origins:
                headers["access-control-allow-origin"] = origin


def _plain(status: int, sentence: str) -> Response:
    return PlainTextResponse(sentence + "\n", status_code=status)
