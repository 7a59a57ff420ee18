"""Which documents lie within a radius of a fingerprint? All of them: blocks narrow, the Hamming distance decides."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.engines.base import Rows, Snapshot
from leitong.indexer.fingerprint.blocks import block_keys
from leitong.indexer.fingerprint.hamming import distances, pack

TRUSTED: Final = 8
"""Fewest features (distinct words) of a fingerprint that is believed.

Of the pairs within 3 bits among 40,000 titles, half of those with fewer were unlike, of the others one in seven.
Short texts are found by the keys of `fingerprint.short`.
"""
_MOST_KEYS: Final = 6_000
"""With more keys than this, reading every fingerprint is cheaper than asking for blocks."""


@dataclass(frozen=True)
class Neighbours:
    """Documents within the radius: their rows, and the distance of each in bits."""

    rows: Rows
    distances: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.rows)


def within(
    snapshot: Snapshot, fingerprints: Sequence[int], *, bits: int, radius: int, marked: bool | None = None
) -> list[Neighbours]:
    """For each fingerprint every document within the radius, itself included where it is stored.

    Only for fingerprints of at least TRUSTED features, and only such are found. `marked` asks for those that are marked
    as duplicates only, or for the others only; where every fingerprint is read, all are given.
    """
    if not fingerprints:
        return []
    keys = [block_keys(fingerprint, bits=bits, radius=radius) for fingerprint in fingerprints]
    packed = pack(list(fingerprints), bits)
    if len(keys[0]) > _MOST_KEYS:
        return _scan(snapshot, packed, bits=bits, radius=radius)
    found = snapshot.candidates(keys, marked=marked)
    return [
        _filter(rows.take(rows.features >= TRUSTED), packed[place : place + 1], radius)
        for place, rows in enumerate(found)
    ]


def _filter(rows: Rows, fingerprint: NDArray[np.uint64], radius: int) -> Neighbours:
    away = distances(rows.fingerprints, fingerprint)
    near = away <= radius
    return Neighbours(rows.take(near), away[near])


def _scan(snapshot: Snapshot, packed: NDArray[np.uint64], *, bits: int, radius: int) -> list[Neighbours]:
    parts: list[list[Neighbours]] = [[] for _ in packed]
    for rows in snapshot.rows():
        usable = rows.take(rows.features >= TRUSTED)
        for place in range(len(packed)):
            parts[place].append(_filter(usable, packed[place : place + 1], radius))
    return [_joined(part, bits) for part in parts]


def _joined(parts: list[Neighbours], bits: int) -> Neighbours:
    away = [part.distances for part in parts]
    return Neighbours(
        Rows.join([part.rows for part in parts], bits=bits),
        np.concatenate(away) if away else np.empty(0, dtype=np.uint8),
    )
