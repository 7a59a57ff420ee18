"""Runs commands as people do: in a folder of their own, in this process or as the console script itself."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from typer.testing import CliRunner

from leitong.cli.main import app

SCRIPT = Path(sys.executable).parent / "leitong"
TIMEOUT = 600


@dataclass(frozen=True)
class Ran:
    """What a command answered."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON value on stdout; anything else there is an error."""
        assert self.code in (0, 1), self.err
        assert self.out.count("\n") == 1, self.out
        return json.loads(self.out)

    @property
    def sentence(self) -> str:
        """The error: one sentence on stderr, nothing on stdout, no trace."""
        assert self.code == 2, (self.code, self.out, self.err)
        assert self.out == ""
        assert "Traceback" not in self.err
        assert "should not happen" not in self.err
        errors = [line for line in self.err.splitlines() if line.startswith("Error: ")]
        assert len(errors) == 1, self.err
        rest = [line for line in self.err.splitlines() if line and line != errors[0]]
        assert all(line.startswith(("Usage: leitong", "Try 'leitong")) for line in rest), self.err
        return errors[0].removeprefix("Error: ")


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a newcomer: none of our settings, except those given."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LEITONG_")}
    return {**kept, "LC_ALL": "C.UTF-8", "COLUMNS": "100", **(extra or {})}


def run(*args: str | bytes, cwd: Path, input: str | bytes | None = None, env: Mapping[str, str] | None = None) -> Ran:
    """Run the console script with these arguments; without input, stdin is empty."""
    done = subprocess.run(
        [os.fsencode(SCRIPT), *(os.fsencode(arg) for arg in args)],
        cwd=cwd,
        input=_bytes(input),
        env=environment(env),
        capture_output=True,
        timeout=TIMEOUT,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def here(*args: str | bytes, cwd: Path, input: str | bytes | None = None, env: Mapping[str, str] | None = None) -> Ran:
    """The same in this process: no second to wait for each start. What a process does at its start and its end, and
    with its terminal, pipes and signals, is for `run`."""
    clean = {**environment(env), "PATH": os.environ["PATH"]}
    with contextlib.chdir(cwd), mock.patch.dict(os.environ, clean, clear=True), _stdin(_bytes(input)):
        result = CliRunner().invoke(app, [os.fsdecode(arg) for arg in args])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return Ran(result.exit_code, result.stdout, result.stderr)


def _bytes(input: str | bytes | None) -> bytes:
    return input.encode() if isinstance(input, str) else input or b""


@contextlib.contextmanager
def _stdin(content: bytes) -> Iterator[None]:
    """A pipe with this content as file descriptor 0, which commands read themselves."""
    assert len(content) < 65_536, "what a pipe holds while nobody reads"
    reading, writing = os.pipe()
    os.write(writing, content)
    os.close(writing)
    before = os.dup(0)
    try:
        os.dup2(reading, 0)
        yield
    finally:
        os.dup2(before, 0)
        os.close(before)
        os.close(reading)


@dataclass(frozen=True)
class Made:
    """An index, the folder it was made in, and what the command that made it answered."""

    cwd: Path
    index: str
    ran: Ran

    def __call__(self, *args: str | bytes, **options: str) -> Ran:
        """Run a command on the index."""
        return here(*args, "--index", self.index, cwd=self.cwd, env=options)


def run_all(commands: Sequence[tuple[str, ...]], *, cwd: Path) -> list[Ran]:
    """Run several commands side by side; their answers in order. They must not write to one index."""
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(lambda args: run(*args, cwd=cwd), commands))


def write_jsonl(path: Path, records: Sequence[object]) -> Path:
    """A file of JSON lines; bytes stand for themselves."""
    lines = [
        record if isinstance(record, bytes) else json.dumps(record, ensure_ascii=False).encode() for record in records
    ]
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def read_jsonl(path: Path) -> list[Any]:
    """Every line of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
