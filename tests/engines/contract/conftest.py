"""Each engine in turn, and an empty index on it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from leitong.indexer.engines.base import Engine
from tests.engines.contract.entries import RECIPE
from tests.engines.places import ENGINES, Place, cleaned, had


@pytest.fixture(params=ENGINES, scope="module")
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    yield from cleaned(had(request, request.param, tmp_path_factory.mktemp("engines")))


@pytest.fixture
def engine(place: Place) -> Engine:
    """An empty index."""
    return place.make(RECIPE)
