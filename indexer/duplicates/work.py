"""Where a report keeps what does not fit into memory, and what a killed run had finished.

A folder of files that only grow. What is appended counts when `commit` has said so: each line of a journal holds the
sizes its files had then, and what lies behind them is of a run that was killed, and is cut off.
"""

import contextlib
import os
import shutil
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Final, Self

import numpy as np
import orjson
from numpy.typing import NDArray

from leitong.indexer.errors import UsageError
from leitong.indexer.files import for_large_files, held, storage_error

_STATE: Final = "state.json"


class Work:
    """A folder for the work on one report. Use it in a `with` statement; an error leaves it for `resume`."""

    def __init__(self, folder: Path | None) -> None:
        """None takes a folder of the system's, which goes in any case.

        Raises UsageError while another report has the folder, and StorageError.
        """
        self._kept = folder is not None
        self._held = contextlib.ExitStack()
        try:
            if folder is None:
                folder = Path(tempfile.mkdtemp(prefix="leitong-", dir=for_large_files()))
            else:
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise storage_error(error, folder or Path(error.filename or ""), "write the report's work to") from error
        if self._kept:
            self._held.enter_context(held(folder, wait=False))
        self.folder = folder
        self._files: dict[str, BinaryIO] = {}

    def begin(self, state: dict[str, Any], *, resume: bool) -> bool:
        """Say what the work is about. Returns whether what lies there is about the same and goes on.

        Raises UsageError where it was to go on and cannot.
        """
        path = self.folder / _STATE
        content = orjson.dumps(state, option=orjson.OPT_SORT_KEYS)
        known = path.read_bytes() if path.is_file() else None
        if resume and known == content:
            return True
        if resume and known is not None:
            raise UsageError(
                "The index, a setting or Leitong has changed since the report was interrupted, so it cannot go on. "
                "Run again without --resume."
            )
        self._clear()
        self.append(_STATE, content)
        self._flush()
        return False

    def append(self, name: str, content: bytes) -> None:
        """Put bytes at the end of a file. Raises StorageError."""
        try:
            self._open(name).write(content)
        except OSError as error:
            raise storage_error(error, self.folder / name, "write") from error

    def commit(self, journal: str, line: dict[str, Any], *files: str) -> None:
        """What was appended to the files counts from now on, and so does the line."""
        try:
            self._flush()
            sizes = {name: self._open(name).tell() for name in files}
            self._open(journal).write(orjson.dumps({**line, "_sizes": sizes}) + b"\n")
            self._flush()
        except OSError as error:
            raise storage_error(error, self.folder / journal, "write") from error

    def lines(self, journal: str) -> list[dict[str, Any]]:
        """The lines that count; behind them the journal and its files are cut off."""
        path = self.folder / journal
        lines: list[dict[str, Any]] = []
        end = 0
        for raw in path.read_bytes().splitlines(keepends=True) if path.is_file() else ():
            if not raw.endswith(b"\n"):
                break
            try:
                lines.append(orjson.loads(raw))
            except orjson.JSONDecodeError:
                break
            end += len(raw)
        if path.is_file():
            os.truncate(path, end)
        for name, size in (lines[-1]["_sizes"] if lines else {}).items():
            os.truncate(self.folder / name, size)
        if not lines:
            self.remove(journal)
        return lines

    def array(self, name: str, dtype: Any) -> NDArray[Any]:
        """A file as an array; it is read where it is looked at."""
        self._flush()
        path = self.folder / name
        if not path.is_file() or path.stat().st_size == 0:
            return np.empty(0, dtype=dtype)
        return np.memmap(path, dtype=dtype, mode="r").view(np.ndarray)  # parts of it are made far more quickly

    def remove(self, name: str) -> None:
        """Remove a file; an array of it stays readable."""
        if (file := self._files.pop(name, None)) is not None:
            with contextlib.suppress(OSError):
                file.close()
        (self.folder / name).unlink(missing_ok=True)

    def close(self, *, finished: bool) -> None:
        """Remove the folder; work that is not finished stays where it can be taken up."""
        self._forget()
        if finished or not self._kept:
            shutil.rmtree(self.folder, ignore_errors=True)
        self._held.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(finished=kind is None)

    def _open(self, name: str) -> BinaryIO:
        if name not in self._files:
            self._files[name] = (self.folder / name).open("ab")
        return self._files[name]

    def _flush(self) -> None:
        for name, file in self._files.items():
            try:
                file.flush()
            except OSError as error:
                raise storage_error(error, self.folder / name, "write") from error

    def _forget(self) -> None:
        """Close the files. What cannot be written then has not been committed, and does not count."""
        for file in self._files.values():
            with contextlib.suppress(OSError):
                file.close()
        self._files.clear()

    def _clear(self) -> None:
        self._forget()
        for path in self.folder.iterdir():
            if path.is_file():
                path.unlink()
