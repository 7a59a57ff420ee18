"""Writing files so that nobody sees half of one, and saying in a sentence what is wrong with a disk."""

import errno
import gzip
import os
import sys
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import get_ident
from typing import Final

from leitong.indexer.errors import FullDiskError, StorageError, UsageError

if sys.platform != "win32":
    import fcntl

DRAFT: Final = ".new"
"""What the name of a file ends with that is being written; one that is left was killed."""
_ON_DISK: Final = "/var/tmp"
"""Keeps what it holds when the machine starts again, as the Filesystem Hierarchy Standard has it."""
_NO_LOCKS: Final = frozenset({errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP})


def storage_error(error: OSError, path: Path, doing: str) -> StorageError:
    """The error for a disk that is full, read-only or closed to us; `doing` reads like "write to"."""
    kind = StorageError
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT | errno.EFBIG:
            kind = FullDiskError
            advice = "The disk is full: free some space, then run again; what was committed is safe."
        case errno.EROFS:
            advice = "The file system is read-only: choose a place that can be written."
        case errno.ENOTDIR:
            advice = "A part of the path is a file: choose another place."
        case errno.ENOENT:
            advice = f"Make the folder {path.parent} first, or choose another place."
        case errno.ENAMETOOLONG:
            advice = "Choose a shorter name."
        case errno.EISDIR:
            advice = "Name a file in it."
        case errno.EACCES | errno.EPERM:
            advice = "You may not do that there: change the permissions or choose another place."
        case _:
            advice = "Check the place and the disk, then run again."
    return kind(f"Cannot {doing} {path}: {error.strerror or error}. {advice}")


def check_output(path: Path, doing: str, *, kind: str, beginning: bytes) -> None:
    """Raise StorageError unless a file can be written where somebody wants it, UsageError where it would replace
    something else than an earlier one of its `kind`, which is known by its `beginning`; makes nothing.

    `doing` reads like "write to".
    """
    _check_writable(path, doing)
    if path.is_file() and path.stat().st_size and not begins_with(path, beginning):
        raise UsageError(f"{path} is there and is no {kind}, so it is not replaced. Name another file.")


def begins_with(path: Path, beginning: bytes) -> bool:
    """Whether a file begins so, unpacked where it is gzip; one that cannot be read does not."""
    try:
        with path.open("rb") as packed:
            is_gzip = packed.read(2) == b"\x1f\x8b"
        with gzip.open(path) if is_gzip else path.open("rb") as file:
            return file.read(len(beginning)) == beginning
    except (OSError, EOFError, zlib.error):
        return False


def _check_writable(path: Path, doing: str) -> None:
    folder = path.parent
    if path.is_dir():
        problem = errno.EISDIR
    elif not folder.is_dir():
        problem = errno.ENOTDIR if folder.exists() else errno.ENOENT
    elif os.access(path if path.exists() else folder, os.W_OK):
        return
    else:
        problem = errno.EROFS if os.statvfs(folder).f_flag & os.ST_RDONLY else errno.EACCES
    raise storage_error(OSError(problem, os.strerror(problem)), path, doing)


def replace_file(path: Path, content: bytes) -> None:
    """Write a file whole: a reader sees the old content or the new, whenever we are killed and whoever else writes it.

    Raises StorageError.
    """
    replace_files({path: content})


def replace_files(contents: Mapping[Path, bytes]) -> None:
    """Write each of some files whole, once there is room for all of them. Raises StorageError."""
    drafts = {path: path.with_name(f"{path.name}.{os.getpid()}-{get_ident()}{DRAFT}") for path in contents}
    try:
        for path, draft in drafts.items():
            with _told_of(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                with draft.open("wb") as file:
                    file.write(contents[path])
                    file.flush()
                    os.fsync(file.fileno())
        for path, draft in drafts.items():
            with _told_of(path):
                draft.replace(path)
    finally:
        for draft in drafts.values():
            with suppress(OSError):
                draft.unlink(missing_ok=True)


@contextmanager
def _told_of(path: Path) -> Iterator[None]:
    """Why a file cannot be written, as a StorageError."""
    try:
        yield
    except OSError as error:
        raise storage_error(error, path, "write") from error


def for_large_files() -> str:
    """The folder for temporary files that may become large: the one that TMPDIR names, else one that is on a disk.

    The usual one is memory on many systems. Raises OSError where there is none.
    """
    named = any(os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP"))
    return _ON_DISK if not named and os.access(_ON_DISK, os.W_OK | os.X_OK) else tempfile.gettempdir()


@contextmanager
def held(folder: Path, *, wait: bool = True) -> Iterator[None]:
    """Whoever else wants to hold the folder waits meanwhile, or is told so at once. It is made if there is none.

    Nobody waits on Windows, nor where the file system knows no locks. Raises StorageError, and UsageError for a folder
    that is held by somebody else and not waited for.
    """
    with ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if sys.platform != "win32":
                handle = os.open(folder, os.O_RDONLY)
                stack.callback(os.close, handle)
                _lock(handle, wait=wait)
        except BlockingIOError:
            raise UsageError(
                f"Another run is writing to {folder}. Run again when it has finished, or name another folder."
            ) from None
        except OSError as error:
            raise storage_error(error, folder, "hold") from error
        yield


def _lock(handle: int, *, wait: bool) -> None:
    """Lock what is open, as far as its file system can."""
    if sys.platform != "win32":
        try:
            fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
