"""Fixtures of the tests of sources."""

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from source_reading import Outcome, read

_NOBODY: Final = 65534


@pytest.fixture
def content(tmp_path: Path) -> Callable[..., Outcome]:
    """Write bytes or text to a file of this name, and read it."""

    def write_and_read(name: str, data: bytes | str, **fields: str | tuple[str, ...]) -> Outcome:
        path = tmp_path / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return read(path, **fields)

    return write_and_read


@pytest.fixture
def not_as_root() -> Iterator[Path]:
    """A folder of somebody who is not root, as whom the test runs: root may read everything."""
    with tempfile.TemporaryDirectory() as name:
        is_root = os.geteuid() == 0
        if is_root:
            os.chown(name, _NOBODY, _NOBODY)
            os.setresuid(_NOBODY, _NOBODY, 0)
        try:
            yield Path(name)
        finally:
            if is_root:
                os.setresuid(0, 0, 0)
