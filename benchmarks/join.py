"""All pairs within a radius: against simhash-pybind, faiss and DuckDB, against sorting; hot values; real texts."""

import gc
import os
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import SKIPPED, Figure, Options, finish, options, paragraphs, pinned, ratio
from leitong.indexer.duplicates.join import Groups, pairs_within
from leitong.indexer.fingerprint.hamming import Fingerprints
from leitong.indexer.fingerprint.recipe import load
from leitong.indexer.workers import fingerprint_all

Values = NDArray[np.uint64]
_RADIUS = 3
_COUNT = 1_000_000
_PARAGRAPHS = 400_000
_REPETITIONS = 3


def planted(count: int, seed: int = 20_261_121) -> Values:
    """Random fingerprints, one in twenty a copy of another with at most three bits turned."""
    random = np.random.default_rng(seed)
    values = random.integers(0, 1 << 64, size=count, dtype=np.uint64)
    copies = count // 20
    near = values[:copies].copy()
    for _ in range(_RADIUS):
        near ^= np.uint64(1) << random.integers(0, 64, size=copies, dtype=np.uint64)
    values[-copies:] = near
    return values


def skewed(count: int) -> Values:
    """One in ten equal, and one in five with the same first block."""
    values = planted(count)
    tenth = count // 10
    values[tenth : 2 * tenth] = 5
    hot = slice(2 * tenth, 4 * tenth)
    values[hot] = values[hot] & np.uint64((1 << 48) - 1) | np.uint64(0xABCD << 48)
    return values


def ours(values: Values) -> Values:
    """Pairs as (left, right) values, grouping included."""
    groups = Groups.of(values.reshape(-1, 1))
    found = [np.stack([some.left, some.right], axis=1) for some in pairs_within(groups.values, bits=64, radius=_RADIUS)]
    places = np.concatenate(found) if found else np.empty((0, 2), dtype=np.int64)
    return groups.values[:, 0][places]


def simhash_pybind(values: Values) -> Values:
    """The compiled form of 1e0ng's method."""
    import simhash

    found = simhash.find_all(np.unique(values).tolist(), _RADIUS + 1, _RADIUS)
    return np.array(list(found), dtype=np.uint64).reshape(-1, 2)


def faiss_multihash(values: Values) -> Values:
    """Four hashes of 16 bits: complete within 3."""
    import faiss

    distinct = np.unique(values)
    rows = distinct.view(np.uint8).reshape(-1, 8)
    index = faiss.IndexBinaryMultiHash(64, 4, 16)
    index.add(rows)
    ends, _, found = index.range_search(rows, _RADIUS + 1)
    left = np.repeat(np.arange(len(rows)), np.diff(ends.astype(np.int64)))
    once = left < found
    return np.stack([distinct[left[once]], distinct[found[once]]], axis=1)


def duckdb_join(values: Values) -> Values:
    """Four joins, one for each block."""
    import duckdb

    distinct = np.unique(values)
    with duckdb.connect() as connection:
        connection.execute("SET threads = 2")
        connection.register("given", {"v": distinct})
        connection.execute("CREATE TABLE f AS SELECT v FROM given")
        joins = " UNION ".join(
            f"SELECT a.v AS a, b.v AS b FROM f a JOIN f b ON (a.v >> {shift}) & 65535 = (b.v >> {shift}) & 65535 "
            f"AND a.v < b.v WHERE bit_count(xor(a.v, b.v)) <= {_RADIUS}"
            for shift in (0, 16, 32, 48)
        )
        found = connection.execute(joins).fetchnumpy()
    return np.stack([found["a"], found["b"]], axis=1)


def same(one: Values, other: Values) -> bool:
    """Whether they are the same pairs, in whatever order and direction."""

    def ordered(pairs: Values) -> Values:
        pairs = np.sort(pairs, axis=1)
        return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]

    return len(one) == len(other) and bool((ordered(one) == ordered(other)).all())


def timed(call: Callable[[], object]) -> float:
    """Seconds of a call."""
    gc.collect()
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def against_others(count: int) -> tuple[list[Figure], dict[str, Any]]:
    """Our time against the fastest of the others, and whether all find the same."""
    values = planted(count)
    peers = {"simhash-pybind": simhash_pybind, "faiss MultiHash": faiss_multihash, "DuckDB": duckdb_join}
    expected = ours(values)
    agree = sum(same(expected, peer(values)) for peer in peers.values())
    taken: dict[str, list[float]] = {name: [] for name in ("ours", *peers)}
    for _ in range(_REPETITIONS):
        for name, call in {"ours": ours, **peers}.items():
            taken[name].append(timed(lambda call=call: call(values)))  # type: ignore[misc]
            print(f"  {name}: {taken[name][-1]:.3f} s", file=sys.stderr, flush=True)
    fastest = min(peers, key=lambda name: median(taken[name]))
    figures = [
        Figure("join: time against the fastest of three others", ratio(taken["ours"], taken[fastest]), 0.2, False, ""),
        Figure("join: others that find the same pairs", agree, len(peers), True, f"of {len(peers)}"),
    ]
    return figures, {"pairs": len(expected), "fastest": fastest, "seconds": taken}


def growth(count: int) -> tuple[list[Figure], dict[str, Any]]:
    """Ten times as many, against sorting them; and equal and hot values."""
    small, large, hot = planted(count), planted(10 * count), skewed(count)
    taken: dict[str, list[float]] = {name: [] for name in ("sort", "large", "small", "hot")}
    for _ in range(_REPETITIONS):
        taken["sort"].append(timed(lambda: np.sort(large)))
        taken["large"].append(timed(lambda: joined_distinct(large)))
        taken["small"].append(timed(lambda: joined_distinct(small)))
        taken["hot"].append(timed(lambda: ours(hot)))
        latest = {name: round(times[-1], 3) for name, times in taken.items()}
        print(f"  {latest}", file=sys.stderr, flush=True)
    grouped = [timed(lambda: ours(small)) for _ in range(_REPETITIONS)]
    return [
        Figure("join of ten million: times np.sort of them", ratio(taken["large"], taken["sort"]), 8, False, ""),
        Figure("join: time for each when ten times as many", ratio(taken["large"], taken["small"]) / 10, 2, False, ""),
        Figure("join with equal and hot values: times the even case", ratio(taken["hot"], grouped), 3, False, ""),
    ], {"seconds": {**taken, "small, grouped": grouped}}


def joined_distinct(values: Values) -> int:
    """Sorted, told apart and joined; returns how many pairs there are."""
    ordered = np.sort(values)
    rows: Fingerprints = ordered[np.append(True, ordered[1:] != ordered[:-1])].reshape(-1, 1)
    del ordered
    return sum(len(some) for some in pairs_within(rows, bits=64, radius=_RADIUS))


def memory_of_large(count: int) -> float:
    """Gigabytes a process of its own takes for ten times as many."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        joined_distinct(planted(10 * count))
        os.write(write, Path("/proc/self/status").read_bytes())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        status = file.read()
    os.waitpid(child, 0)
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1e6


def real(count: int) -> dict[str, Any]:
    """The first paragraphs of zh-scale, as their own collection."""
    prints = fingerprint_all(paragraphs(count), recipe=load("standard"), workers=2)
    values = np.array([value for _, value in prints], dtype=np.uint64)
    groups = Groups.of(values.reshape(-1, 1))
    out: dict[str, Any] = {
        "paragraphs": len(values),
        "distinct": len(groups.values),
        "largest group": int(groups.sizes.max(initial=0)),
    }
    for radius in (3, 5, 7):
        begun = time.perf_counter()
        pairs = sum(len(some) for some in pairs_within(groups.values, bits=64, radius=radius))
        out[f"radius {radius}"] = {"pairs": pairs, "seconds": round(time.perf_counter() - begun, 3)}
    out["the same pairs as DuckDB"] = same(ours(values), duckdb_join(values))
    return out


def measure(chosen: Options) -> None:
    """Measure and write the result."""
    if missing := [name for name in ("duckdb", "faiss", "simhash") if find_spec(name) is None]:
        print(f"skipped: {missing[0]} is absent; pip install '.[bench]'", file=sys.stderr)
        raise SystemExit(SKIPPED)
    count = max(10_000, int(_COUNT * chosen.scale))
    joined_distinct(planted(10_000))  # loads the compiled loops
    with pinned(2):
        memory = memory_of_large(count)
        others, compared = against_others(count)
        grown, times = growth(count)
        lines = real(max(1_000, int(_PARAGRAPHS * chosen.scale)))
    finish(
        "join",
        [*others, *grown, Figure("join of ten million: memory", memory, 1.5, False, "GB")],
        {"fingerprints": count, "others": compared, "growth": times, "paragraphs": lines},
        chosen,
    )


if __name__ == "__main__":
    measure(options(__doc__))
