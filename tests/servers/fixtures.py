"""Session-wide pytest fixtures: each server starts when a test first asks for it, and once.

Use them with ``pytest_plugins = ["tests.servers.fixtures"]`` in the top conftest. A server that
cannot be had skips the test with the reason; where ``CI=true`` it fails it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TypeVar

import pytest

from tests.servers.clusters import RunningCluster, cluster
from tests.servers.model import (
    ELASTICSEARCH,
    ELASTICSEARCH8,
    OPENSEARCH,
    OPENSEARCH2,
    RunningServer,
    SecuredServer,
    ServerUnavailableError,
    in_ci,
)
from tests.servers.security import secured
from tests.servers.start import start

Server = TypeVar("Server", bound=AbstractContextManager[object])


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known wherever the fixtures are."""
    config.addinivalue_line("markers", "servers: needs a real Elasticsearch or OpenSearch")


def had_or_skipped(get: Callable[[], Server]) -> Server:
    """The server; without one a skip with the reason, or a failure in CI."""
    try:
        return get()
    except ServerUnavailableError as error:
        if in_ci():
            pytest.fail(str(error), pytrace=False)
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def elasticsearch_server() -> Iterator[RunningServer]:
    """Elasticsearch 9."""
    with had_or_skipped(lambda: start(ELASTICSEARCH, quick=True)) as server:
        yield server


@pytest.fixture(scope="session")
def elasticsearch8_server() -> Iterator[RunningServer]:
    """Elasticsearch 8."""
    with had_or_skipped(lambda: start(ELASTICSEARCH8, quick=True)) as server:
        yield server


@pytest.fixture(scope="session")
def opensearch_server() -> Iterator[RunningServer]:
    """OpenSearch 3."""
    with had_or_skipped(lambda: start(OPENSEARCH, quick=True)) as server:
        yield server


@pytest.fixture(scope="session")
def opensearch2_server() -> Iterator[RunningServer]:
    """OpenSearch 2."""
    with had_or_skipped(lambda: start(OPENSEARCH2, quick=True)) as server:
        yield server


@pytest.fixture(scope="session")
def elasticsearch_url(elasticsearch_server: RunningServer) -> str:
    """The URL of an Elasticsearch 9, shared by the session."""
    return elasticsearch_server.url


@pytest.fixture(scope="session")
def elasticsearch8_url(elasticsearch8_server: RunningServer) -> str:
    """The URL of an Elasticsearch 8, shared by the session."""
    return elasticsearch8_server.url


@pytest.fixture(scope="session")
def opensearch_url(opensearch_server: RunningServer) -> str:
    """The URL of an OpenSearch 3, shared by the session."""
    return opensearch_server.url


@pytest.fixture(scope="session")
def opensearch2_url(opensearch2_server: RunningServer) -> str:
    """The URL of an OpenSearch 2, shared by the session."""
    return opensearch2_server.url


@pytest.fixture(scope="session")
def elasticsearch_cluster() -> Iterator[RunningCluster]:
    """Three nodes of Elasticsearch 9; a test that kills one restarts it."""
    with had_or_skipped(lambda: cluster(ELASTICSEARCH)) as running:
        yield running


@pytest.fixture(scope="session")
def opensearch_cluster() -> Iterator[RunningCluster]:
    """Three nodes of OpenSearch 3; a test that kills one restarts it."""
    with had_or_skipped(lambda: cluster(OPENSEARCH)) as running:
        yield running


@pytest.fixture(scope="session")
def secured_elasticsearch() -> Iterator[SecuredServer]:
    """Elasticsearch 9 behind TLS and the password of ``elastic``."""
    with had_or_skipped(lambda: secured(ELASTICSEARCH)) as server:
        yield server


@pytest.fixture(scope="session")
def secured_opensearch() -> Iterator[SecuredServer]:
    """OpenSearch 2 with its security plugin, behind TLS and the password of ``admin``."""
    with had_or_skipped(lambda: secured(OPENSEARCH2)) as server:
        yield server
