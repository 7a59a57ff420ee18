"""Looking up among a million fingerprints, in process, and whether every radius is complete."""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import Figure, Options, finish, options, seconds
from leitong.indexer.documents import Document, Entry, StoredDocument
from leitong.indexer.duplicates.candidates import TRUSTED, within
from leitong.indexer.engines.base import Snapshot
from leitong.indexer.engines.embedded import EmbeddedEngine
from leitong.indexer.fingerprint.blocks import MAX_RADIUS
from leitong.indexer.fingerprint.hamming import distances, unpack
from leitong.indexer.fingerprint.recipe import load
from leitong.indexer.fingerprint.simhash import Fingerprinter

_COUNT = 1_000_000
_AT_ONCE = 10_000
_COMMIT = 250_000
_QUESTIONS = 200
_CHECKED = 12
_TARGETS = {3: 1.0, 7: 10.0}


def flipped(value: int, bits: int, random: np.random.Generator) -> int:
    """The fingerprint with so many bits turned."""
    for place in random.choice(64, size=bits, replace=False).tolist():
        value ^= 1 << place
    return value


def fingerprints(count: int, random: np.random.Generator) -> tuple[NDArray[np.uint64], list[int]]:
    """Random fingerprints, among them neighbours of some at each distance; and those some."""
    values = random.integers(0, 1 << 64, size=count, dtype=np.uint64, endpoint=False)
    base = [int(value) for value in values[:_QUESTIONS].tolist()]
    near = [flipped(value, 1 + place % 16, random) for place, value in enumerate(base) for _ in range(2)]
    values[_QUESTIONS : _QUESTIONS + len(near)] = np.array(near, dtype=np.uint64)
    return values.reshape(-1, 1), base


def entries(rows: NDArray[np.uint64], first: int) -> Iterator[Entry]:
    """The smallest documents whose fingerprints are believed."""
    for number, value in enumerate(unpack(rows), first):
        stored = StoredDocument(Document(str(number), "x"), value, TRUSTED, f"{number:032x}", cluster=str(number))
        yield Entry(stored, b"", b"x", np.empty(0, dtype=np.uint64))


def fill(engine: EmbeddedEngine, rows: NDArray[np.uint64]) -> None:
    """Write them all, committing now and then as the pipeline does."""
    with engine.writer() as writer:
        for start in range(0, len(rows), _AT_ONCE):
            writer.put(list(entries(rows[start : start + _AT_ONCE], start)))
            if (start + _AT_ONCE) % _COMMIT == 0:
                writer.commit()


def complete(snapshot: Snapshot, rows: NDArray[np.uint64], asked: list[int], radius: int) -> bool:
    """Whether the lookup finds what comparing with every fingerprint finds."""
    for value in asked:
        away = distances(rows, np.array([[value]], dtype=np.uint64))
        expected = np.sort(rows[away <= radius, 0])
        found = np.sort(within(snapshot, [value], bits=64, radius=radius)[0].rows.fingerprints[:, 0])
        if not np.array_equal(expected, found):
            return False
    return True


def measure(chosen: Options) -> None:
    """Measure and write the result."""
    random = np.random.default_rng(20_261_121)
    rows, base = fingerprints(max(2_000, int(_COUNT * chosen.scale)), random)
    recipe = load("standard")
    with tempfile.TemporaryDirectory() as name:
        engine = EmbeddedEngine.create(Path(name) / "index", recipe=recipe, recipe_id=Fingerprinter(recipe).id)
        filled = seconds(lambda: fill(engine, rows))
        print(f"  {len(rows):,} fingerprints written in {filled:.1f} s", file=sys.stderr, flush=True)
        with engine.snapshot() as snapshot:
            assert snapshot.count == len(rows)
            taken: dict[int, list[float]] = {radius: [] for radius in (*_TARGETS, 11, 15)}
            for place, value in enumerate(base):
                for radius, times in taken.items():
                    if radius in _TARGETS or place < _CHECKED:
                        times.append(1000 * seconds(lambda v=value, r=radius: within(snapshot, [v], bits=64, radius=r)))  # type: ignore[misc]
            right = {r: complete(snapshot, rows, base[r : r + _CHECKED], r) for r in range(MAX_RADIUS + 1)}
            asked = [*base[:_CHECKED], *(int(v) for v in random.integers(0, 1 << 64, size=_CHECKED, dtype=np.uint64))]
            right[MAX_RADIUS] &= complete(snapshot, rows, asked, MAX_RADIUS)
    print(f"  complete: {right}", file=sys.stderr, flush=True)
    finish(
        "similar",
        [
            *(
                Figure(f"similar within radius {radius}, median", median(taken[radius]), target, False, "ms")
                for radius, target in _TARGETS.items()
            ),
            Figure("radii 0 to 15 that are complete", sum(right.values()), MAX_RADIUS + 1, True, "of 16"),
        ],
        {
            "fingerprints": len(rows),
            "seconds_to_write": round(filled, 2),
            "milliseconds_median": {radius: round(median(times), 3) for radius, times in taken.items()},
            "milliseconds_p95": {radius: round(quantiles(times, n=20)[-1], 3) for radius, times in taken.items()},
            "incomplete_radii": [radius for radius, fine in right.items() if not fine],
            "questions": _QUESTIONS,
            "checked_each_radius": _CHECKED,
        },
        chosen,
    )


if __name__ == "__main__":
    measure(options(__doc__))
