"""Writing files so that nobody sees half of one, and saying in a sentence what is wrong with a disk."""

import errno
import os
from pathlib import Path

from leitong.indexer.errors import StorageError


def storage_error(error: OSError, path: Path, doing: str) -> StorageError:
    """The error for a disk that is full, read-only or closed to us; `doing` reads like "write to"."""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT | errno.EFBIG:
            advice = "The disk is full: free some space and run again with --resume; what was committed is safe."
        case errno.EROFS:
            advice = "The file system is read-only: choose a place that can be written."
        case errno.EACCES | errno.EPERM:
            advice = "You may not do that there: change the permissions or choose another place."
        case _:
            advice = "Check the place and the disk, then run again."
    return StorageError(f"Cannot {doing} {path}: {error.strerror or error}. {advice}")


def replace_file(path: Path, content: bytes) -> None:
    """Write a file whole: a reader sees the old content or the new, whenever we are killed. Raises StorageError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(path.name + ".new")
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise storage_error(error, path, "write") from error
