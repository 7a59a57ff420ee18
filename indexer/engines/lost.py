"""What is done when the state of an index that is read goes away? It is read once more, as it is then.

A snapshot of a folder stays as long as it is open. That of a server goes with a node, or with an index: one of several
behind a name that is deleted, or one whose name another index takes over.
"""

import time
from collections.abc import Callable
from typing import Final, TypeVar

from leitong.indexer.errors import PassingError

_ATTEMPTS: Final = 5

Result = TypeVar("Result")


class LostStateError(PassingError):
    """The state that was read is gone. What is read anew begins from the start."""


def anew(act: Callable[[], Result], *, lost: Callable[[], None] = lambda: None) -> Result:
    """Do it; from the start where the state is lost that it reads, and so it has to open it itself.

    `lost` is called before it begins again. Raises LostStateError after half a minute of that.
    """
    for attempt in range(_ATTEMPTS):
        try:
            return act()
        except LostStateError:
            time.sleep(2**attempt)  # another copy takes the place of the one that is gone
            lost()
    return act()
