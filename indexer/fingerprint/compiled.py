"""Loops that arrays cannot express, as machine code that runs without the interpreter's lock."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """The function as machine code, kept on disk between runs where there is a place for it."""
    try:
        return cast("Callable[P, R]", numba.njit(nogil=True, cache=True)(function))
    except RuntimeError:  # neither the package's folder nor the home can be written
        return cast("Callable[P, R]", numba.njit(nogil=True)(function))
