"""Many profiles, more than memory should hold: their shingles lie in a temporary file and are read when compared."""

import tempfile
from collections.abc import Sequence
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.duplicates.check import Profile


class Shelf:
    """Profiles by number, in the order they were added. Use it in a `with` statement: the file goes at its end."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="leitong-")  # noqa: SIM115 - closed in close()
        self._ends: list[int] = [0]
        self._weights: list[float] = []
        self._digests: list[str] = []
        self._titles: list[frozenset[int]] = []
        self._map: NDArray[np.uint64] | None = None

    def __len__(self) -> int:
        return len(self._weights)

    def add(self, profile: Profile) -> None:
        """Put a profile at the end."""
        self._file.write(profile.packed.tobytes())
        self._ends.append(self._ends[-1] + len(profile.packed))
        self._weights.append(profile.weight)
        self._digests.append(profile.digest)
        self._titles.append(profile.title)
        self._map = None

    def take(self, numbers: Sequence[int]) -> list[Profile]:
        """Profiles by their numbers."""
        if self._map is None:
            self._file.flush()
            empty = self._ends[-1] == 0
            self._map = np.empty(0, np.uint64) if empty else np.memmap(self._file, dtype=np.uint64, mode="r")
        shelf = self._map
        return [
            Profile(
                shelf[self._ends[number] : self._ends[number + 1]],
                self._weights[number],
                self._digests[number],
                self._titles[number],
            )
            for number in numbers
        ]

    def close(self) -> None:
        """Remove the file."""
        self._map = None
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
