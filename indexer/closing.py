"""What has to be given back?"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Protocol, Self, TypeVar


class Closing(ABC):
    """Is closed at the end of its `with` statement, or by whoever calls `close`."""

    @abstractmethod
    def close(self) -> None:
        """Give back what is held."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Closes(Protocol):
    def close(self) -> None: ...


T = TypeVar("T", bound=_Closes)


@contextmanager
def closed_on_error(held: T) -> Iterator[T]:
    """What is held while it is looked at, and handed on if nothing is wrong with it."""
    try:
        yield held
    except BaseException:
        held.close()
        raise
