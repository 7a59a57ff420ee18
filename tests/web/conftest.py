"""The page of a small index, asked in this process; `leitong serve` itself is started where a test needs a socket."""

import contextlib
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from leitong.indexer import Document, open_index
from leitong.web.app import build
from leitong.web.settings import Settings
from tests.cli.corpus import ARTICLES, WIRE
from tests.cli.running import SCRIPT, environment

TOKEN = "a-token-for-the-tests-of-the-page"
ODD = "a/b?c=d&e#f %20 \n中文 😀 ‍👩‍👧 \"'<>"
LONG = "长文"
Serve = Callable[..., AbstractContextManager[TestClient]]


def articles() -> Iterator[Document]:
    for record in ARTICLES:
        known = ("id", "title", "text")
        metadata = {name: value for name, value in record.items() if name not in known}
        yield Document(record["id"], record["text"], record.get("title", ""), metadata)
    yield Document(
        ODD,
        "编号很奇怪的文章，里面谈的是地方志的编纂与校勘。",
        "奇怪的编号",
        {"date": "2024-05-06", "名称": {"a": [1, None]}},
    )
    yield Document(
        LONG,
        "".join(f"第{number}段说的是第{number * 7}件事，与别的段落不同。\n" for number in range(9_000)),
        "一篇长文",
    )
    moved = WIRE.split("。")
    yield Document("moved", "。".join([*moved[2:4], *moved[:2], *moved[4:]]), "换了次序")


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index nobody may change."""
    path = tmp_path_factory.mktemp("web") / "index"
    with open_index(path, create=True) as index:
        index.add(articles())
    return path


@pytest.fixture(scope="session")
def serve() -> Serve:
    """Serves an index in this process."""

    @contextmanager
    def serving(path: Path | str, **options: object) -> Iterator[TestClient]:
        settings = Settings(locator=str(path), **{"threads": 2, **options})  # type: ignore[arg-type]
        with TestClient(build(settings), base_url="http://127.0.0.1:8765", follow_redirects=False) as client:
            yield client

    return serving


@pytest.fixture(scope="session")
def site(serve: Serve, library: Path) -> Iterator[TestClient]:
    """The page of the index, read-only."""
    with serve(library) as client:
        yield client


@pytest.fixture
def writable(serve: Serve, library: Path, tmp_path: Path) -> Iterator[TestClient]:
    """A page whose index may be written by whoever shows TOKEN."""
    shutil.copytree(library, tmp_path / "index")
    with serve(tmp_path / "index", token=TOKEN) as client:
        yield client


@contextmanager
def served(path: Path | str, *options: str, env: dict[str, str] | None = None) -> Iterator[str]:
    """`leitong serve` as a process; gives its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [SCRIPT, "serve", "--index", str(path), "--port", str(port), *options]
    with ExitStack() as stack:
        process = stack.enter_context(subprocess.Popen(command, stderr=subprocess.PIPE, env=environment(env)))
        stack.callback(process.terminate)
        address = f"http://127.0.0.1:{port}"
        until = time.monotonic() + 60
        while True:
            with contextlib.suppress(OSError), urllib.request.urlopen(f"{address}/healthz"):
                break
            if process.poll() is not None or time.monotonic() > until:
                assert process.stderr is not None
                process.kill()
                raise AssertionError(process.stderr.read().decode())
            time.sleep(0.1)
        yield address
