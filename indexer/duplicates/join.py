"""Which pairs of a whole collection lie within a radius? All of them, without comparing each with each.

The bits are cut into B > radius blocks. Two fingerprints within the radius differ in at most `radius` of the blocks, so
some choice of B - radius blocks is equal in both: for each choice the fingerprints are sorted by those bits, and only
neighbours with equal bits are compared. More blocks make more choices with longer keys; the cheapest B is taken.
(Manku, Jain, Das Sarma 2007, section 3.)
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.fingerprint.hamming import Fingerprints, distances

_SORT_COST: Final = 20.0
"""Sorting one fingerprint costs about as much as comparing so many pairs."""
_MIXERS: Final = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))


@dataclass(frozen=True)
class Pairs:
    """Pairs of rows: `left` < `right` as places in the array that was joined, and their distance in bits."""

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    distances: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.left)


def pairs_within(fingerprints: Fingerprints, *, bits: int, radius: int) -> Iterator[Pairs]:
    """Every pair of rows within the radius, each once, in parts.

    Rows should be distinct: many equal ones make quadratically many pairs of distance 0.
    """
    if len(fingerprints) < 2:
        return
    masks = _masks(bits, radius, len(fingerprints))
    for place, mask in enumerate(masks):
        for left, right in _neighbours(fingerprints & mask):
            away = distances(fingerprints[left], fingerprints[right])
            near = away <= radius
            left, right, away = left[near], right[near], away[near]
            fresh = np.ones(len(left), dtype=np.bool_)
            difference = fingerprints[left] ^ fingerprints[right]
            for earlier in masks[:place]:  # a pair that an earlier choice of blocks has found is not found again
                fresh &= ((difference & earlier) != 0).any(axis=1)
            if fresh.any():
                left, right = left[fresh], right[fresh]
                yield Pairs(np.minimum(left, right), np.maximum(left, right), away[fresh])


def _masks(bits: int, radius: int, count: int) -> list[NDArray[np.uint64]]:
    """One mask for each choice of blocks that must be equal; shape (words of 64 bits,)."""
    blocks = min(range(radius + 1, min(bits, radius + 9) + 1), key=lambda size: _cost(bits, radius, size, count))
    edges = [bits * part // blocks for part in range(blocks + 1)]
    words = (bits + 63) // 64
    masks = []
    for chosen in combinations(range(blocks), blocks - radius):
        mask = sum((1 << edges[block + 1]) - (1 << edges[block]) for block in chosen)
        masks.append(np.frombuffer(mask.to_bytes(words * 8, "big"), dtype=">u8").astype(np.uint64))
    return masks


def _cost(bits: int, radius: int, blocks: int, count: int) -> float:
    key_bits = bits * (blocks - radius) / blocks
    comparisons = count * count / 2 / 2**key_bits
    return float(comb(blocks, radius) * (count * _SORT_COST + comparisons))


def _neighbours(masked: Fingerprints) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Pairs of rows whose masked bits are equal. For 128 bits also some whose bits only mix to the same number."""
    keys = masked[:, 0] if masked.shape[1] == 1 else (masked[:, 0] * _MIXERS[0]) ^ (masked[:, 1] * _MIXERS[1])
    order = np.argsort(keys)
    keys = keys[order]
    places = np.arange(len(keys) - 1)
    step = 1
    while len(places):
        places = places[places < len(keys) - step]
        places = places[keys[places] == keys[places + step]]
        if len(places):
            yield order[places], order[places + step]
        step += 1
