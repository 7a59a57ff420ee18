"""Loops that arrays cannot express, as machine code that runs without the interpreter's lock."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from threading import RLock
from types import ModuleType
from typing import Any, Final, Generic, ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")

_LINEAR_ALGEBRA: Final = ("scipy", "scipy.linalg.cython_blas")
_MAKING: Final = RLock()


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


@cache
def _numba() -> ModuleType:
    """The compiler, loaded when the first loop runs: it takes longer than all that a command needs which runs none."""
    with _hidden(_LINEAR_ALGEBRA):  # numba looks whether it is there by loading it, which takes as long as numba itself
        import numba
        import numba.np.arraymath

    numba.np.arraymath._HAVE_BLAS = find_spec("scipy") is not None  # what it would have found; what needs it loads it
    return numba


class _Loop(Generic[P, R]):
    """A function that becomes machine code when it is first called, or when another one that calls it does."""

    def __init__(self, function: Callable[P, R], *, nogil: bool = True) -> None:
        self._function = function
        self._nogil = nogil
        self._made: Any = None

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return cast(R, (self._made or self._make())(*args, **kwargs))

    @property
    def _numba_type_(self) -> Any:
        """What numba asks of a value in a function that it compiles."""
        return (self._made or self._make())._numba_type_

    def _make(self) -> Any:
        with _MAKING:
            if self._made is None:
                try:
                    made = _numba().njit(nogil=self._nogil, cache=True)(self._function)
                    made._cache.save_overload = _if_there_is_room(made._cache.save_overload)
                except RuntimeError:  # neither the package's folder nor the home can be written
                    made = _numba().njit(nogil=self._nogil)(self._function)
                self._made = made
        return self._made


def _if_there_is_room(save: Callable[P, None]) -> Callable[P, None]:
    """What is made is kept for other runs; on a full disk this one goes on without."""

    def kept(*args: P.args, **kwargs: P.kwargs) -> None:
        with suppress(OSError):
            save(*args, **kwargs)

    return kept


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """The function as machine code, kept on disk between runs where there is a place for it."""
    return _Loop(function)


def compiled_with_lock(function: Callable[P, R]) -> Callable[P, R]:
    """The same for a loop over Python's own objects: it keeps the interpreter's lock."""
    return _Loop(function, nogil=False)


class _InterpreterFunction:
    """What numba asks of a function of Python's C API."""

    def __init__(self, name: str, result: str, arguments: tuple[str, ...]) -> None:
        self._signature = name, result, arguments

    @property
    def _numba_type_(self) -> Any:
        name, result, arguments = self._signature
        types = _numba().types
        return types.ExternalFunction(name, getattr(types, result)(*(getattr(types, one) for one in arguments)))


def interpreter_function(name: str, result: str, *arguments: str) -> Callable[..., int]:
    """A function of Python's C API, for loops `compiled_with_lock` alone. Objects are given by their addresses.

    `result` and `arguments` are names of numba's types, such as intp, or uintp for an address.
    """
    return cast(Callable[..., int], _InterpreterFunction(name, result, arguments))


@contextmanager
def told_of_compiling(tell: Callable[[], None]) -> Iterator[None]:
    """`tell` is called once, should machine code have to be made meanwhile. It is kept, but making it takes seconds."""
    _numba()
    from numba.core.event import Listener, install_listener

    class Once(Listener):
        """Tells of the first event and of no other."""

        def __init__(self) -> None:
            self._tell: Callable[[], None] | None = tell

        def on_start(self, event: object) -> None:
            told, self._tell = self._tell, None
            if told is not None:
                told()

        def on_end(self, event: object) -> None:
            pass

    with install_listener("numba:compile", Once()):
        yield
