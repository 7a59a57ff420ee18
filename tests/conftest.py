"""What all tests share: the data folder, real servers, permissions that bind root too, and who runs together."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.cli.running import Made, run
from tests.permissions import holding

pytest_plugins = ["tests.servers.fixtures"]

settings.register_profile("all", deadline=None)  # the first example may have to wait for machine code
settings.register_profile("fast", deadline=None, max_examples=25)
settings.load_profile("all")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Where several processes run the tests, those of one product share a process, and so do those of one file: a
    server is started once, a module's fixtures are made once. Products come first, they take longest."""
    from xdist.scheduler import LoadScopeScheduling

    class Together(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            named = nodeid.lower()
            return next((name for name in ("opensearch", "elasticsearch") if name in named), nodeid.partition("::")[0])

    return Together(config, log)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data. Its absence is a skip on a person's machine and a failure in CI."""
    name = os.environ.get("LEITONG_DATA")
    if name and Path(name).is_dir():
        return Path(name)
    reason = "real data is absent: set LEITONG_DATA to its folder"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def indexed_news(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Made:
    """All of zh-webnews-2018 in a folder, by `leitong index`. Nobody writes to it."""
    cwd = tmp_path_factory.mktemp("news")
    source = data / "zh-webnews-2018" / "docs.jsonl.gz"
    return Made(cwd, "ix", run("index", str(source), "-i", "ix", "--json", cwd=cwd))


@pytest.fixture
def permissions() -> Iterator[None]:
    """Permissions of files hold for the test, which root may run."""
    with holding():
        yield
