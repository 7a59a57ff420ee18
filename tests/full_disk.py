"""A disk that is full for a moment."""

import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def files_up_to(size: int) -> Iterator[None]:
    """No file that this process writes may grow beyond so many bytes, which is told as a full disk.

    Python 3.11 would keep half of a module that it compiles meanwhile, and every later run would fall over it.
    """
    compiles = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        sys.dont_write_bytecode = compiles
