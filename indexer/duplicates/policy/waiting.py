"""Which of the entries that no engine shows yet have to be compared with one that comes?"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from leitong.indexer.documents import Entry, StoredDocument
from leitong.indexer.duplicates.candidates import TRUSTED
from leitong.indexer.fingerprint.hamming import distances, pack, words_of

_GROWTH: Final = 256


class Waiting:
    """Entries on their way into an index, found by fingerprints and by keys as stored documents are."""

    def __init__(self, bits: int) -> None:
        self._bits = bits
        self._stored: list[StoredDocument] = []
        self._fingerprints = np.empty((0, words_of(bits)), dtype=np.uint64)
        self._by_key: dict[int, list[int]] = {}

    def add(self, entry: Entry) -> None:
        """Remember an entry."""
        place = len(self._stored)
        self._stored.append(entry.stored)
        if place >= len(self._fingerprints):
            room = np.zeros((max(_GROWTH, place), self._fingerprints.shape[1]), dtype=np.uint64)
            self._fingerprints = np.concatenate([self._fingerprints, room])
        self._fingerprints[place] = pack([entry.stored.fingerprint], self._bits)[0]
        for key in entry.keys.tolist():
            self._by_key.setdefault(key, []).append(place)

    def near(self, entry: Entry, keys: Sequence[int], *, radius: int) -> list[StoredDocument]:
        """Those within the radius of an entry, and those that have one of the keys, in the order in which they came."""
        places = {place for key in keys for place in self._by_key.get(key, ())}
        if entry.stored.features >= TRUSTED and self._stored:
            away = distances(self._fingerprints[: len(self._stored)], pack([entry.stored.fingerprint], self._bits))
            places.update(
                place for place in np.flatnonzero(away <= radius).tolist() if self._stored[place].features >= TRUSTED
            )
        return [self._stored[place] for place in sorted(places)]
