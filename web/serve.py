"""Runs the page until it is stopped."""

import socket

import uvicorn

from leitong.indexer.errors import UsageError
from leitong.web.app import build
from leitong.web.settings import Settings

_HEADER_BYTES = 1 << 16
_CONNECTIONS = 1_000
_BACKLOG = 512


def listen(settings: Settings) -> socket.socket:
    """A socket at the address; who connects from now on is answered. Raises UsageError where it cannot be had."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # With the protocol named, asyncio sends a page's body at once and does not wait for its head to be acknowledged.
    server = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        server.bind((settings.host, settings.port))
        server.listen(_BACKLOG)
    except (OSError, OverflowError) as error:
        server.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"Cannot listen on {settings.host} port {settings.port} ({reason}). Choose another with --port or --host."
        ) from error
    return server


def serve(settings: Settings, server: socket.socket) -> None:
    """Answer requests on a socket until a signal comes."""
    config = uvicorn.Config(
        build(settings),
        http="h11",
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        h11_max_incomplete_event_size=_HEADER_BYTES,
        limit_concurrency=_CONNECTIONS,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=5,
    )
    uvicorn.Server(config).run(sockets=[server])
