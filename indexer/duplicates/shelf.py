"""Many profiles, more than memory should hold: their arrays lie in a temporary file and are read when compared."""

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
        self._ends: list[tuple[int, int, int]] = []
        self._end = 0
        self._weights: list[tuple[float, float]] = []
        self._digests: list[str] = []
        self._map: NDArray[np.uint64] | None = None

    def __len__(self) -> int:
        return len(self._ends)

    def add(self, profile: Profile) -> None:
        """Put a profile at the end."""
        ends = []
        for part in (profile.packed, profile.title, profile.numbers):
            self._file.write(part.tobytes())
            self._end += len(part)
            ends.append(self._end)
        self._ends.append((ends[0], ends[1], ends[2]))
        self._weights.append((profile.weight, profile.title_weight))
        self._digests.append(profile.digest)
        self._map = None

    def take(self, numbers: Sequence[int]) -> list[Profile]:
        """Profiles by their numbers."""
        if self._map is None:
            self._file.flush()
            empty = self._end == 0
            self._map = np.empty(0, np.uint64) if empty else np.memmap(self._file, dtype=np.uint64, mode="r")
        return [self._profile(self._map, number) for number in numbers]

    def _profile(self, shelf: NDArray[np.uint64], number: int) -> Profile:
        start = self._ends[number - 1][2] if number else 0
        packed, title, numbers = self._ends[number]
        weight, title_weight = self._weights[number]
        return Profile(
            shelf[start:packed],
            weight,
            shelf[packed:title],
            title_weight,
            shelf[title:numbers],
            self._digests[number],
        )

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
