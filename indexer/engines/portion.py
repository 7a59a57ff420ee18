"""How many documents at once? As many as make up about a given amount: some are a line, some a book."""

from collections.abc import Callable, Sequence
from typing import Any, Final

_FIRST: Final = 4
_MORE: Final = 4
"""So many times as many may be asked for next."""


class Portion:
    """The number to ask for next, learned from what came before."""

    def __init__(self, most: int, *, amount: int | None = None, weigh: Callable[[Any], int] = int) -> None:
        """At most so many, and about that `amount` as one is weighed; without an amount always that many."""
        self._most = most
        self._amount = amount
        self._weigh = weigh
        self.size = most if amount is None else min(most, _FIRST)

    def less(self) -> bool:
        """Ask for less; False where that cannot be."""
        if self.size == 1:
            return False
        self._most = self.size = max(1, self.size // 4)
        return True

    def seen(self, some: Sequence[Any]) -> None:
        """Learn from those that came."""
        if self._amount is not None and len(some):
            likely = int(self._amount * len(some) / max(1, sum(map(self._weigh, some))))
            self.size = max(1, min(self._most, likely, _MORE * self.size))
