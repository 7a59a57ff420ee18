"""Real Elasticsearch and OpenSearch servers for the test-suite; nothing here pretends to be one.

A server comes from the first way that works: a URL in the environment, a container, the official
build as a local process. ``tests.servers.fixtures`` has the pytest fixtures, ``python -m
tests.servers`` the commands for people, docs/docker.md says which way to use when.
"""

from __future__ import annotations

from tests.servers.clusters import RunningCluster, cluster
from tests.servers.model import (
    ELASTICSEARCH,
    ELASTICSEARCH8,
    OPENSEARCH,
    OPENSEARCH2,
    SPECS,
    RunningServer,
    SecuredServer,
    ServerSpec,
    ServerUnavailableError,
    WrongServerError,
)
from tests.servers.security import secured
from tests.servers.start import start

__all__ = [
    "ELASTICSEARCH",
    "ELASTICSEARCH8",
    "OPENSEARCH",
    "OPENSEARCH2",
    "SPECS",
    "RunningCluster",
    "RunningServer",
    "SecuredServer",
    "ServerSpec",
    "ServerUnavailableError",
    "WrongServerError",
    "cluster",
    "secured",
    "start",
]
