"""Loops that arrays cannot express, as machine code that runs without the interpreter's lock."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Final, ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")

_LINEAR_ALGEBRA: Final = ("scipy", "scipy.linalg.cython_blas")


@contextmanager
def _hidden(names: tuple[str, ...]) -> Iterator[None]:
    """Importing one of these modules fails meanwhile, unless it is loaded already."""
    absent = [name for name in names if name not in sys.modules]
    for name in absent:
        sys.modules[name] = None  # type: ignore[assignment] # as the documentation of sys.modules has it
    try:
        yield
    finally:
        for name in absent:
            del sys.modules[name]


with _hidden(_LINEAR_ALGEBRA):  # numba looks whether it is there by loading it, which takes as long as numba itself
    import numba
    import numba.np.arraymath
    from numba.core.event import Listener, install_listener

numba.np.arraymath._HAVE_BLAS = find_spec("scipy") is not None  # what it would have found; what needs it loads it


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """The function as machine code, kept on disk between runs where there is a place for it."""
    try:
        return cast("Callable[P, R]", numba.njit(nogil=True, cache=True)(function))
    except RuntimeError:  # neither the package's folder nor the home can be written
        return cast("Callable[P, R]", numba.njit(nogil=True)(function))


@contextmanager
def told_of_compiling(tell: Callable[[], None]) -> Iterator[None]:
    """`tell` is called once, should machine code have to be made meanwhile. It is kept, but making it takes seconds."""
    with install_listener("numba:compile", _Once(tell)):
        yield


class _Once(Listener):
    """Tells of the first event and of no other."""

    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell: Callable[[], None] | None = tell

    def on_start(self, event: object) -> None:
        tell, self._tell = self._tell, None
        if tell is not None:
            tell()

    def on_end(self, event: object) -> None:
        pass
