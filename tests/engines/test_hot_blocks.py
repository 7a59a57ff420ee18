"""A folder hashes hot blocks again, by the blocks that are stored; nothing is missed, at any radius."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path

import pytest
import tantivy

from leitong.indexer.duplicates.candidates import within
from leitong.indexer.engines.embedded import EmbeddedEngine, folder, lookup, schema
from leitong.indexer.fingerprint.blocks import BLOCK_BITS, MAX_RADIUS, HotKeys, block_count, block_keys, split
from leitong.indexer.fingerprint.hamming import unpack
from leitong.indexer.fingerprint.recipe import load
from leitong.indexer.fingerprint.simhash import Fingerprinter
from tests.engines.contract.entries import bare, put


def templates(bits: int, count: int, chance: random.Random) -> list[int]:
    """Fingerprints of texts from one template: some blocks are all of theirs, and now and then a bit differs."""
    template = chance.getrandbits(bits)
    values = []
    for _ in range(count):
        value = template
        for block in chance.sample(range(block_count(bits)), chance.randint(1, block_count(bits) - 1)):
            for bit in chance.sample(range(BLOCK_BITS), chance.choice((1, 1, 2, 3, 5, 8))):
                value ^= 1 << BLOCK_BITS * block + bit
        values.append(value)
    return values


def filled(path: Path, values: list[int], bits: int) -> EmbeddedEngine:
    recipe = load("standard" if bits == 64 else f"standard-{bits}")
    engine = EmbeddedEngine.create(path, recipe=recipe, recipe_id=Fingerprinter(recipe).id)
    put(engine, [bare(f"{number}", value) for number, value in enumerate(values)])
    return engine


def turned(bits: int, count: int, chance: random.Random) -> int:
    return sum(1 << place for place in chance.sample(range(bits), count))


@pytest.fixture(scope="module")
def hot(tmp_path_factory: pytest.TempPathFactory) -> tuple[EmbeddedEngine, list[int]]:
    """Of 5,000 fingerprints 4,000 have their first block in common, and 1,000 of these the second too."""
    chance = random.Random(64)
    first, second = chance.getrandbits(16) << 48, chance.getrandbits(16) << 32
    values = [first | chance.getrandbits(48) for _ in range(3_000)]
    values += [first | second | chance.getrandbits(32) for _ in range(1_000)]
    values += [chance.getrandbits(64) for _ in range(600)]
    values += [values[chance.randrange(2)] ^ turned(64, away % 16, chance) for away in range(200)]
    values += [value ^ turned(64, away % 8, chance) for away, value in enumerate(values[3_000:3_200])]
    return filled(tmp_path_factory.mktemp("hot") / "index", values, 64), values


@pytest.mark.slow
@pytest.mark.parametrize("bits", [32, 64, 128])
def test_complete_where_every_question_is_hashed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bits: int
) -> None:
    """One block is hot, or several, wherever they lie; up to 7 bits, beyond which the keys take long."""
    for limit, value in {"_HOT": 20, "_HOT_TIMES": 0.0, "_MANY": 0, "_PAYS": 0, "_FEW": 0}.items():
        monkeypatch.setattr(lookup, limit, value)
    chance = random.Random(bits)
    values = [*templates(bits, 300, chance), *(chance.getrandbits(bits) for _ in range(100))]
    for value in values[:100]:
        values += [value ^ flipped for flipped in (turned(bits, away, chance) for away in (1, 2, 3, 4, 7))]
    with filled(tmp_path / "index", values, bits).snapshot() as snapshot:
        for radius in range(8):
            asked = values[: 60 if radius < 5 else 6]
            for centre, near in zip(asked, within(snapshot, asked, bits=bits, radius=radius), strict=True):
                expected = sorted(value for value in values if (value ^ centre).bit_count() <= radius)
                assert sorted(unpack(near.rows.fingerprints)) == expected


@pytest.mark.parametrize("radius", range(MAX_RADIUS + 1))
def test_complete_with_blocks_that_are_hot(hot: tuple[EmbeddedEngine, list[int]], radius: int) -> None:
    engine, values = hot
    asked = [values[0], values[1] ^ 1, values[3_100], values[-1]]
    with engine.snapshot() as snapshot:
        for centre, near in zip(asked, within(snapshot, asked, bits=64, radius=radius), strict=True):
            expected = sorted(value for value in values if (value ^ centre).bit_count() <= radius)
            assert sorted(unpack(near.rows.fingerprints)) == expected


def test_of_a_hot_block_few_documents_are_read(hot: tuple[EmbeddedEngine, list[int]]) -> None:
    engine, values = hot
    keys = block_keys(values[0], bits=64, radius=3)
    shared = sum(split(value, 64)[0] == keys.blocks[0] for value in values)
    index = tantivy.Index(schema.build(64), path=str(Path(engine.locator) / folder.TANTIVY))
    read = lookup.candidates(index.searcher(), index.schema, keys)
    assert shared > 3_000 and 10 * len(read.addresses) < shared


def test_only_what_is_hot_is_hashed_again() -> None:
    """One hot block: what stands beside it is asked. Several: pairs. Few documents are read in any case."""
    keys = block_keys(0x0123456789ABCDEF, bits=64, radius=3)
    again = partial(lookup.hashed_again, keys, documents=100_000)
    assert again([1, 2, 450, 3]) is None
    assert again([190, 190, 190, 190]) is None, "many, and none of them hot"
    one = again([1, 800, 3, 4])
    assert isinstance(one, HotKeys) and one.block == 1
    assert isinstance(again([1, 800, 3, 300]), list)
    assert lookup.hashed_again(keys, [900, 400, 400, 400], documents=20_000_000) is None, "305 are the average"


def test_more_keys_must_pay() -> None:
    wide = block_keys(0, bits=64, radius=7)
    assert lookup.hashed_again(wide, [3_000, 20, 20, 20], documents=1_000) is None
    assert isinstance(lookup.hashed_again(wide, [4_000, 20, 20, 20], documents=1_000), HotKeys)
    assert lookup.hashed_again(wide, [4_000, 4_000, 20, 20], documents=1_000) is None
