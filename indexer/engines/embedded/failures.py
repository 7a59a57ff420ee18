"""What do the search library's errors mean for whoever uses the folder?"""

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from leitong.indexer.engines.embedded import folder
from leitong.indexer.errors import EngineError, LockedIndexError, MissingIndexError
from leitong.indexer.files import storage_error

WRITER_BYTES: Final = 150_000_000
"""Memory that a writer may take, and what it then writes at once: with less than that free its disk is full."""


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn the search library's errors into ours; it raises ValueError for everything, a full disk too."""
    try:
        yield
    except OSError as error:
        raise storage_error(error, path, "use the index") from error
    except ValueError as error:
        raise meaning(str(error), path) from error


def meaning(text: str, path: Path) -> EngineError:
    """The error that a text of the library's stands for."""
    for code in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM):
        if f"os error {code})" in text or f"Os {{ code: {code}," in text:
            return storage_error(OSError(code, os.strerror(code)), path, "write to")
    if not (path / folder.TANTIVY).is_dir():  # what it complains of then is its own lock file
        return MissingIndexError(f"The index {path} is not there any more. Put the folder back, or name another one.")
    if "LockBusy" in text or "Lockfile" in text or ("lock" in text.lower() and "acquire" in text.lower()):
        return LockedIndexError(
            f"Another run is writing to {path}, in this process or another. Run again when it has finished; reading "
            "works meanwhile."
        )
    if "killed" in text or "panicked" in text:
        if shutil.disk_usage(path).free < WRITER_BYTES:  # its thread died and kept the reason to itself
            return storage_error(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), path, "write to")
        return storage_error(OSError(errno.EIO, f"the writer stopped ({text})"), path, "write to")
    return EngineError(
        f"The index {path} does not answer: {text}. If it is damaged, restore it from a backup or index anew."
    )
