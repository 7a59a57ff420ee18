"""Many texts ready to be compared, more than memory should hold: they lie in files and are read when compared."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.duplicates.comparing.profile import Profile
from leitong.indexer.duplicates.work import Work

_ARRAYS: Final = "profiles.bin"
_KEYS: Final = "keys.bin"
_JOURNAL: Final = "texts.jsonl"
_IN_MEMORY: Final = ("weight", "title_weight", "letter_weight", "digest")
_IN_FILE: Final = tuple(field.name for field in fields(Profile) if field.name not in _IN_MEMORY)
"""Parts of a profile that are numbers of 64 bits, many of them."""


@dataclass(frozen=True)
class Shelved:
    """A text on its way to the shelf: its id, what it is compared by, and the rare keys of its sketch."""

    id: str
    profile: Profile
    keys: NDArray[np.uint64]


class Shelf:
    """Texts by number, in the order they were added."""

    def __init__(self, work: Work) -> None:
        """Takes up what lies in the work's folder."""
        self._work = work
        self.ids: list[str] = []
        self._small: list[list[Any]] = []
        self._ends: list[int] = [0]
        self._key_sizes: list[int] = []
        self._array: NDArray[np.uint64] | None = None
        lines = work.lines(_JOURNAL)
        for name in () if lines else (_ARRAYS, _KEYS):
            work.remove(name)
        for line in lines:
            self._note(line)

    def __len__(self) -> int:
        return len(self.ids)

    def add(self, texts: Sequence[Shelved]) -> None:
        """Put texts at the end; they are safe when this returns. Raises StorageError."""
        parts: list[list[NDArray[np.uint64]]] = [[getattr(one.profile, name) for name in _IN_FILE] for one in texts]
        self._work.append(_ARRAYS, b"".join(part.tobytes() for some in parts for part in some))
        self._work.append(_KEYS, b"".join(one.keys.tobytes() for one in texts))
        line = {
            "ids": [one.id for one in texts],
            "small": [[getattr(one.profile, name) for name in _IN_MEMORY] for one in texts],
            "sizes": [[len(part) for part in some] for some in parts],
            "keys": [len(one.keys) for one in texts],
        }
        self._work.commit(_JOURNAL, line, _ARRAYS, _KEYS)
        self._note(line)
        self._array = None

    def open(self) -> None:
        """Everything has been added: from here on several threads may take texts."""
        self._array = self._work.array(_ARRAYS, np.uint64)

    def take(self, numbers: Iterable[int]) -> list[Profile]:
        """Profiles by their numbers; one that is asked for twice is read once."""
        if self._array is None:
            self.open()
        read: dict[int, Profile] = {}
        out: list[Profile] = []
        for number in numbers:
            profile = read.get(number)
            if profile is None:
                profile = read[number] = self._profile(number)
            out.append(profile)
        return out

    def keys(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """The keys of all texts, one text after the other, and how many each text has."""
        return self._work.array(_KEYS, np.uint64), np.array(self._key_sizes, dtype=np.int64)

    def _profile(self, number: int) -> Profile:
        assert self._array is not None
        values: dict[str, Any] = dict(zip(_IN_MEMORY, self._small[number], strict=True))
        for place, name in enumerate(_IN_FILE, number * len(_IN_FILE)):
            values[name] = self._array[self._ends[place] : self._ends[place + 1]]
        return Profile(**values)

    def _note(self, line: dict[str, Any]) -> None:
        self.ids += line["ids"]
        self._small += line["small"]
        self._key_sizes += line["keys"]
        for sizes in line["sizes"]:
            for size in sizes:
                self._ends.append(self._ends[-1] + size)
