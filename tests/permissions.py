"""Permissions of files, for tests that root runs too."""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_VERSION: Final = 0x20080522
"""Of the numbers that capget(2) and capset(2) take: two times three of 32 bits."""
_DAC_OVERRIDE, _DAC_READ_SEARCH = 1 << 1, 1 << 2
_SET_SECUREBITS, _NO_SETUID_FIXUP = 28, 1 << 2
"""For prctl(2): else access(2) answers as if root had not given anything up."""


@contextmanager
def holding() -> Iterator[None]:
    """Files that may not be read or written cannot be by this thread and those it starts, not even by root.

    It stays root: as somebody else it could not load the parts of Python that are in root's folders.
    """
    if os.geteuid() != 0:
        yield
        return
    before = (ctypes.c_uint32 * 6)()
    _call("capget", (ctypes.c_uint32 * 2)(_VERSION, 0), before)
    without = (ctypes.c_uint32 * 6)(before[0] & ~(_DAC_OVERRIDE | _DAC_READ_SEARCH), *before[1:])
    _call("prctl", _SET_SECUREBITS, _NO_SETUID_FIXUP)
    _call("capset", (ctypes.c_uint32 * 2)(_VERSION, 0), without)
    try:
        yield
    finally:
        _call("capset", (ctypes.c_uint32 * 2)(_VERSION, 0), before)
        _call("prctl", _SET_SECUREBITS, 0)


def _call(name: str, *arguments: object) -> None:
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments):
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")
