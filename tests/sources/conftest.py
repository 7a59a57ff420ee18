"""Fixtures of the tests of sources."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sources.reading import Outcome, read


@pytest.fixture
def content(tmp_path: Path) -> Callable[..., Outcome]:
    """Write bytes or text to a file of this name, and read it."""

    def write_and_read(name: str, data: bytes | str, **fields: str | tuple[str, ...]) -> Outcome:
        path = tmp_path / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return read(path, **fields)

    return write_and_read
