"""P2, the C++ article: MurmurHash in SimHash, four blocks, and finding the neighbours among very many fingerprints."""

import time
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import Figure, finish, options
from benchmarks.papers.labelled import by_fingerprint
from leitong.indexer.fingerprint.hamming import distance
from leitong.indexer.fingerprint.recipe import load
from leitong.indexer.fingerprint.weighted import fingerprint, parse

_ONE, _OTHER, _THIRD = "中国^2 知乎^1 读者^2", "中国^2 世界^1 读者^2", "中国^2 知乎^1 读者^1"
_SIZES: Final = (100_000, 1_000_000, 4_000_000)
_ASKED: Final = 200
_BILLION: Final = 10**9
_SHIFTS: Final = (48, 32, 16, 0)


def examples() -> list[dict[str, Any]]:
    """The article's pairs: bits, distance and similarity."""
    rows = []
    for recipe, other in (("murmur2-32", _OTHER), ("murmur2-64", _THIRD)):
        made = [fingerprint(parse(line), load(recipe)) for line in (_ONE, other)]
        bits = load(recipe).bits
        away = distance(*made)
        rows.append(
            {
                "recipe": recipe,
                "a": f"{made[0]:0{bits}b}",
                "b": f"{made[1]:0{bits}b}",
                "distance": away,
                "similarity": (bits - away) / bits,
            }
        )
    return rows


class FourBlocks:
    """Four sorted lists of (block, place): what the article calls four tables."""

    def __init__(self, values: NDArray[np.uint64]) -> None:
        self._values = values
        self._tables = []
        for shift in _SHIFTS:
            blocks = (values >> np.uint64(shift) & np.uint64(0xFFFF)).astype(np.uint16)
            order = np.argsort(blocks, kind="stable").astype(np.int32)
            self._tables.append((np.searchsorted(blocks[order], np.arange((1 << 16) + 1)), order))

    def within(self, asked: int, radius: int) -> tuple[int, NDArray[np.int64]]:
        """How many candidates there are, and which values are within the radius."""
        parts = []
        for shift, (starts, order) in zip(_SHIFTS, self._tables, strict=True):
            block = asked >> shift & 0xFFFF
            parts.append(order[starts[block] : starts[block + 1]])
        candidates = np.concatenate(parts)
        near = np.bitwise_count(self._values[candidates] ^ np.uint64(asked)) <= radius
        return len(candidates), np.unique(candidates[near]).astype(np.int64)


def lookups(scale: float) -> list[dict[str, float]]:
    """Planted neighbours among random fingerprints: all found? How many candidates, how long?"""
    random = np.random.default_rng(999_999_937)
    steps = []
    for size in (max(1_000, round(size * scale)) for size in _SIZES):
        values = random.integers(0, 1 << 64, size=size, dtype=np.uint64)
        asked = values[:_ASKED].copy()
        planted = asked.copy()
        for _ in range(3):
            planted ^= np.uint64(1) << random.integers(0, 64, size=len(planted), dtype=np.uint64)
        values[-_ASKED:] = planted
        tables = FourBlocks(values)
        candidates = found = 0
        begun = time.process_time()
        for place, value in enumerate(asked.tolist()):
            count, near = tables.within(value, 3)
            candidates += count
            found += int(size - _ASKED + place in near)
        taken = time.process_time() - begun
        begun = time.process_time()
        for value in asked[:20]:
            np.flatnonzero(np.bitwise_count(values ^ value) <= 3)
        scan = (time.process_time() - begun) / 20
        steps.append(
            {
                "fingerprints": size,
                "candidates": candidates / _ASKED,
                "expected": 4 * size / 2**16,
                "microseconds": round(1e6 * taken / _ASKED, 1),
                "scan_microseconds": round(1e6 * scan, 1),
                "found": found / _ASKED,
            }
        )
    return steps


def main() -> None:
    chosen = options(__doc__)
    steps = lookups(chosen.scale)
    labelled = {name: by_fingerprint(load(name)) for name in ("murmur2-64", "murmur2-32", "standard")}
    figures = [Figure("P2 planted neighbours found", steps[-1]["found"], 1.0, True, "")]
    details = {
        "examples": examples(),
        "lookups": steps,
        "billion_candidates": 4 * _BILLION / 2**16,
        "labelled": labelled,
    }
    finish("papers-p2", figures, details, chosen)


if __name__ == "__main__":
    main()
