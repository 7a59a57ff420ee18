"""Asks a server how it is, with the standard library only: no client, no proxy."""

from __future__ import annotations

import base64
import json
import os
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.servers.model import Product, ServerUnavailableError


@dataclass(frozen=True)
class Door:
    """Where a server listens and what opens it."""

    url: str
    ca_file: Path | None = None
    username: str | None = None
    password: str | None = None

    def request(self, method: str, path: str, *, body: object = None, timeout: float = 10.0) -> Answer:
        """Send one request. Any HTTP status is an answer; a broken connection raises OSError."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data, method=method)
        if data is not None:
            request.add_header("Content-Type", "application/json")
        if self.username is not None:
            pair = f"{self.username}:{self.password or ''}".encode()
            request.add_header("Authorization", "Basic " + base64.b64encode(pair).decode())
        handlers: list[urllib.request.BaseHandler] = [urllib.request.ProxyHandler({})]
        if self.ca_file is not None:
            context = ssl.create_default_context(cafile=str(self.ca_file))
            handlers.append(urllib.request.HTTPSHandler(context=context))
        opener = urllib.request.build_opener(*handlers)
        try:
            with opener.open(request, timeout=timeout) as reply:
                return Answer(reply.status, dict(reply.headers.items()), reply.read())
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, dict(error.headers.items()), error.read())


@dataclass(frozen=True)
class Answer:
    """What a server said."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> dict[str, object]:
        """The body as an object; an empty one where the server sent something else."""
        try:
            value = json.loads(self.body)
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}


@dataclass(frozen=True)
class Identity:
    """Product and version as the server tells them."""

    product: Product
    version: str


def identify(door: Door) -> Identity:
    """Tell the product and the version, also where ``GET /`` answers 405."""
    root = door.request("GET", "/")
    elastic = any(
        name.lower() == "x-elastic-product" and value == "Elasticsearch" for name, value in root.headers.items()
    )
    described = root.json().get("version")
    if isinstance(described, dict) and isinstance(described.get("number"), str):
        opensearch = described.get("distribution") == "opensearch"
        if opensearch or elastic:
            return Identity("opensearch" if opensearch else "elasticsearch", described["number"])
    if elastic:
        nodes = door.request("GET", "/_nodes/_local?filter_path=nodes.*.version").json()
        listed = nodes.get("nodes")
        if isinstance(listed, dict):
            for node in listed.values():
                return Identity("elasticsearch", str(node["version"]))
    raise ServerUnavailableError(f"{door.url} answers {root.status} and is neither Elasticsearch nor OpenSearch")


def healthy(door: Door, *, nodes: int = 1, status: str = "yellow") -> bool:
    """Whether the cluster has exactly these nodes, and at least this health, now."""
    try:
        answer = door.request(
            "GET",
            f"/_cluster/health?wait_for_status={status}&wait_for_nodes={nodes}&timeout=1s",
        )
    except (OSError, ValueError):
        return False
    if answer.status != 200:
        return False
    health = answer.json()
    return health.get("timed_out") is False and health.get("number_of_nodes") == nodes


def start_timeout() -> float:
    """Seconds a server may take to answer, ``LEITONG_SERVER_TIMEOUT``."""
    return float(os.environ.get("LEITONG_SERVER_TIMEOUT", "180"))


def wait_until(check: Callable[[], bool], *, seconds: float, interval: float = 0.2) -> bool:
    """Ask again until it is true or the time is over."""
    deadline = time.monotonic() + seconds
    while True:
        if check():
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(interval)
