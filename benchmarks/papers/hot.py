"""How many candidates does a hot bucket make, and what cuts them? On real fingerprints, whose blocks are skewed.

P3 (Wang, Wang 2019) hashes a hot bucket of one 16-bit block a second time, on the other 48 bits in four pieces of 12.
Beside that stand six pieces of 8 bits, three of which are equal within 3 bits, and what our indexes ask for. What a
folder reads is counted in a folder.
"""

import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import tantivy
from numpy.typing import NDArray

from benchmarks.join import skewed
from benchmarks.measure import SCALE_DOCUMENTS, paragraphs, scale_documents
from benchmarks.similar import fill
from leitong.indexer.documents import Document
from leitong.indexer.duplicates.join import pairs_within
from leitong.indexer.engines.embedded import EmbeddedEngine, folder, lookup, queries, schema
from leitong.indexer.fingerprint.blocks import BLOCK_BITS, BlockKeys, block_keys
from leitong.indexer.fingerprint.recipe import load
from leitong.indexer.fingerprint.simhash import Fingerprinter
from leitong.indexer.workers import fingerprint_all

_RADIUS: Final = 3
_BLOCKS: Final = 4
_HOT: Final = 3.0
"""A bucket with more than 1 + 2 times the average is hashed again."""
_ASKED: Final = 200
_PARAGRAPHS: Final = 400_000
_SKEWED: Final = 1_000_000

Values = NDArray[np.uint64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Collection:
    """Means for a question within 3 bits, by the way to ask: all candidates, and those of the hottest bucket.

    `microseconds` of the processor a folder takes to read them: as it asks, and by four blocks alone. `batch` counts
    the comparisons of all with all.
    """

    fingerprints: int
    average_bucket: float
    hottest_bucket: int
    asked: int
    candidates: dict[str, float]
    of_the_hottest: dict[str, float]
    cut: dict[str, float]
    microseconds: dict[str, float]
    batch: dict[str, int]


@dataclass(frozen=True)
class Hot:
    """Two real collections; and a made one of which a fifth has the same block."""

    documents: Collection
    paragraphs: Collection
    made: Collection

    def cut(self, way: str) -> float:
        """How many times fewer candidates of the hottest bucket there are, where they are cut less."""
        return min(self.documents.cut[way], self.paragraphs.cut[way])

    def values(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


def hot_buckets(scale: float) -> Hot:
    """Measure; `scale` is the part of the collections."""
    return Hot(
        measured(distinct(scale_documents(max(2_000, round(SCALE_DOCUMENTS * scale))))),
        measured(distinct(paragraphs(max(2_000, round(_PARAGRAPHS * scale))))),
        measured(np.unique(skewed(max(2_000, round(_SKEWED * scale))))),
    )


def distinct(documents: Iterable[Document]) -> Values:
    """Fingerprints by the paper's recipe, sorted; equal ones are grouped before anything is asked or joined."""
    found = fingerprint_all(documents, recipe=load("wang2019"), workers=1)
    return np.unique(np.array([value for _, value in found], dtype=np.uint64))


def measured(values: Values) -> Collection:
    """Some fingerprints of the hottest bucket are asked for, spread evenly."""
    buckets = _Buckets.of(values)
    bucket = buckets.hottest
    asked = bucket[:: max(1, len(bucket) // _ASKED)]
    totals, inside, taken = Counter[str](), Counter[str](), Counter[str]()
    with _in_a_folder(values) as stored:
        for turn, place in enumerate(asked.tolist()):
            keys = block_keys(int(values[place]), bits=64, radius=_RADIUS)
            ways = buckets.ways(place, keys) | {"folder": np.isin(values, stored.read(keys))}
            for name, found in ways.items():
                assert not (ways["within"] & ~found).any(), f"{name} is complete"
                totals[name] += int(found.sum())
                inside[name] += int(found[bucket].sum())
            sides = {"folder": stored.read, "blocks": stored.read_blocks}
            for name in list(sides)[:: -1 if turn % 2 else 1]:
                taken[name] += _microseconds(sides[name], keys)
    return Collection(
        len(values),
        len(values) / (1 << BLOCK_BITS),
        len(bucket),
        len(asked),
        {name: round(total / len(asked), 1) for name, total in totals.items()},
        {name: round(total / len(asked), 1) for name, total in inside.items()},
        {name: round(inside["blocks"] / total, 1) for name, total in inside.items()},
        {name: round(total / len(asked)) for name, total in taken.items()},
        comparisons(values),
    )


@dataclass(frozen=True)
class _Stored:
    """Fingerprints in a folder, and what is read of them for a question."""

    searcher: tantivy.Searcher
    schema: tantivy.Schema

    def read(self, keys: BlockKeys) -> Values:
        """As the engine asks."""
        return lookup.candidates(self.searcher, self.schema, keys).bits

    def read_blocks(self, keys: BlockKeys) -> Values:
        """By blocks alone, as many as there may be."""
        return lookup.read(
            self.searcher, queries.blocks(self.schema, keys), sum(lookup.sizes(self.searcher, keys))
        ).bits


@contextmanager
def _in_a_folder(values: Values) -> Iterator[_Stored]:
    recipe = load("wang2019")
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "index"
        fill(EmbeddedEngine.create(path, recipe=recipe, recipe_id=Fingerprinter(recipe).id), values[:, None])
        index = tantivy.Index(schema.build(64), path=str(path / folder.TANTIVY))
        yield _Stored(index.searcher(), index.schema)


def _microseconds(read: Callable[[BlockKeys], object], keys: BlockKeys) -> int:
    begun = time.process_time_ns()
    read(keys)
    return (time.process_time_ns() - begun) // 1000


@dataclass(frozen=True)
class _Buckets:
    """Fingerprints by each of their blocks; `counts` are the sizes of the buckets."""

    values: Values
    blocks: tuple[NDArray[np.uint16], ...]
    counts: tuple[NDArray[np.int64], ...]

    @classmethod
    def of(cls, values: Values) -> "_Buckets":
        blocks = tuple((values >> np.uint64(shift)).astype(np.uint16) for shift in (48, 32, 16, 0))
        return cls(values, blocks, tuple(np.bincount(one, minlength=1 << BLOCK_BITS) for one in blocks))

    @property
    def hottest(self) -> NDArray[np.int64]:
        """Places of the largest bucket's fingerprints."""
        at = max(range(_BLOCKS), key=lambda block: int(self.counts[block].max()))
        return np.flatnonzero(self.blocks[at] == self.counts[at].argmax())

    def ways(self, place: int, keys: BlockKeys) -> dict[str, Mask]:
        """Candidates of one fingerprint, by the way to ask."""
        return {
            "blocks": _any([self._bucket(block, place) for block in range(_BLOCKS)]),
            "paper": self._hashed_again(place, pieces=4),
            "six_pieces": self._hashed_again(place, pieces=6),
            "another": self._pairs(keys),
            "within": np.bitwise_count(self.values ^ self.values[place]) <= _RADIUS,
        }

    def _bucket(self, block: int, place: int) -> Mask:
        same: Mask = self.blocks[block] == self.blocks[block][place]
        return same

    def _hashed_again(self, place: int, *, pieces: int) -> Mask:
        """Of a hot bucket only those in which all but three pieces of the other 48 bits are equal."""
        limit = _HOT * len(self.values) / (1 << BLOCK_BITS)
        found = []
        for block in range(_BLOCKS):
            bucket = self._bucket(block, place)
            if self.counts[block][self.blocks[block][place]] > limit:
                rest = beside(self.values ^ self.values[place], block)
                equal = [piece(rest, number, pieces) == 0 for number in range(pieces)]
                bucket &= np.sum(equal, axis=0) >= pieces - _RADIUS
            found.append(bucket)
        return _any(found)

    def _pairs(self, keys: BlockKeys) -> Mask:
        """Where a pair of blocks fits, and another block nearly."""
        found = []
        for pair in keys.pairs():
            one, other = self.blocks[pair.block : pair.block + 2]
            fits = _any([np.isin(one, first) & np.isin(other, second) for first, second in pair.ways])
            fits &= _any([np.isin(self.blocks[number], some) for number, some in pair.others])
            found.append(fits)
        return _any(found)


def comparisons(values: Values) -> dict[str, int]:
    """Comparisons of all with all within 3 bits: by four blocks, with hot buckets hashed again as the paper has it, and
    those of our join. `values` are distinct and sorted."""
    limit = _HOT * len(values) / (1 << BLOCK_BITS)
    plain = again = 0
    for block in range(_BLOCKS):
        keys = values >> np.uint64(48 - BLOCK_BITS * block) & np.uint64(0xFFFF)
        _, places, sizes = np.unique(keys, return_inverse=True, return_counts=True)
        plain += _each_with_each(sizes)
        again += _each_with_each(sizes[sizes <= limit])
        hot = sizes[places] > limit
        rest = beside(values[hot], block)
        for number in range(4):
            _, sizes = np.unique(keys[hot] << np.uint64(12) | piece(rest, number, 4), return_counts=True)
            again += _each_with_each(sizes)
    joined = pairs_within(values[:, None], bits=64, radius=_RADIUS)
    return {"blocks": plain, "paper": again, "join": sum(some.compared for some in joined)}


def beside(values: Values, block: int) -> Values:
    """The 48 bits beside a block, which is counted from the most significant."""
    shift = 48 - BLOCK_BITS * block
    above = values >> np.uint64(shift) >> np.uint64(BLOCK_BITS)
    return above << np.uint64(shift) | values & np.uint64((1 << shift) - 1)


def piece(rest: Values, number: int, pieces: int) -> Values:
    """One of so many pieces of 48 bits."""
    width = 48 // pieces
    return rest >> np.uint64(width * number) & np.uint64((1 << width) - 1)


def _any(masks: Sequence[Mask]) -> Mask:
    found: Mask = np.logical_or.reduce(masks)
    return found


def _each_with_each(sizes: NDArray[np.int64]) -> int:
    return int((sizes * (sizes - 1) // 2).sum())
