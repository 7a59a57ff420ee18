"""Candidates: by blocks, by keys, and all rows; none is ever missing."""

from __future__ import annotations

import random

import pytest

from leitong.indexer.duplicates.candidates import within
from leitong.indexer.duplicates.policy.marks import marked
from leitong.indexer.engines.base import Engine, Rows
from leitong.indexer.fingerprint.blocks import block_keys
from leitong.indexer.fingerprint.hamming import unpack
from leitong.indexer.fingerprint.recipe import load
from tests.engines.contract.entries import bare, ids, put
from tests.engines.places import Place


class TestCandidates:
    @pytest.mark.parametrize(
        "bits", [pytest.param(32, marks=pytest.mark.slow), 64, pytest.param(128, marks=pytest.mark.slow)]
    )
    def test_complete_for_every_radius(self, place: Place, bits: int) -> None:
        engine = place.make(load("standard" if bits == 64 else f"standard-{bits}"))
        chance = random.Random(bits)
        centres = [chance.getrandbits(bits) for _ in range(130)]
        values = [chance.getrandbits(bits) for _ in range(800)]
        for centre in centres:
            for away in range(17):
                value = centre
                for place_ in chance.sample(range(bits), away):
                    value ^= 1 << place_
                values.append(value)
        put(engine, [bare(f"{number}", value) for number, value in enumerate(values)])
        put(engine, [bare("featureless", centres[0], features=0)])
        with engine.snapshot() as snapshot:
            assert snapshot.count == len(values) + 1
            for radius in range(16):
                asked = centres if radius in (0, 3, 7) else centres[:12]
                answers = within(snapshot, asked, bits=bits, radius=radius)
                for centre, near in zip(asked, answers, strict=True):
                    expected = sorted(value for value in values if (value ^ centre).bit_count() <= radius)
                    assert sorted(unpack(near.rows.fingerprints)) == expected
            (near,) = within(snapshot, centres[:1], bits=bits, radius=1)
            stored = snapshot.documents(near.rows.refs)
            assert [one.fingerprint for one in stored] == unpack(near.rows.fingerprints)
            assert "featureless" not in ids(stored)
            rows = Rows.join(list(snapshot.rows()), bits=bits)
            assert sorted(unpack(rows.fingerprints)) == sorted([*values, centres[0]])
            assert sorted(rows.features.tolist())[:2] == [0, 9]

    @pytest.mark.parametrize("radius", [3, 7])
    @pytest.mark.parametrize("shared", [16, 32])
    def test_a_hot_block_is_complete_and_makes_few_candidates(self, engine: Engine, radius: int, shared: int) -> None:
        """docs/papers.md P3: what a template's pages share is asked for together with another block."""
        chance = random.Random(radius)
        template = 0xABCD_1234_0000_0000 >> 64 - shared << 64 - shared
        hot = [template | chance.getrandbits(64 - shared) for _ in range(1_500)]
        near = list(hot[:40])
        for place_, value in enumerate(hot[:40]):
            for bit in chance.sample(range(64), radius):
                near[place_] ^= 1 << bit
            assert value != near[place_]
        values = [*hot, *near]
        put(engine, [bare(f"{number}", value) for number, value in enumerate(values)])
        with engine.snapshot() as snapshot:
            for centre in hot[:40:8]:
                (found,) = within(snapshot, [centre], bits=64, radius=radius)
                expected = sorted(value for value in values if (value ^ centre).bit_count() <= radius)
                assert sorted(unpack(found.rows.fingerprints)) == expected and len(expected) > 1
            if radius == 3 and shared == 16:
                (some,) = snapshot.candidates([block_keys(hot[0], bits=64, radius=3)])
                assert len(some) * 10 < len(hot)

    @pytest.mark.parametrize("shared", [0, 16])
    def test_marked_documents_and_the_others_are_asked_for_apart(self, engine: Engine, shared: int) -> None:
        """Among few, and among many that have a block in common."""
        chance = random.Random(shared)
        template = 0xABCD << 48 if shared else 0
        values = [template | chance.getrandbits(64 - shared) for _ in range(900)]
        values += [value ^ 1 << chance.randrange(48) for value in values[:60]]
        original = bare("original", 0).stored
        marks = [number % 3 == 0 for number in range(len(values))]
        entries = [bare(f"{number}", value, keys=[7 << number % 2 * 8]) for number, value in enumerate(values)]
        put(engine, [marked(one, original) if mark else one for one, mark in zip(entries, marks, strict=True)])
        with engine.snapshot() as snapshot:
            for which in (True, False):
                wanted = [value for value, mark in zip(values, marks, strict=True) if mark == which]
                alone = [within(snapshot, [one], bits=64, radius=7, marked=which)[0] for one in values[:3]]
                together = within(snapshot, values[:40], bits=64, radius=7, marked=which)
                for centre, near in zip([*values[:40], *values[:3]], [*together, *alone], strict=True):
                    expected = sorted(value for value in wanted if (value ^ centre).bit_count() <= 7)
                    assert sorted(unpack(near.rows.fingerprints)) == expected
                even, odd, none = snapshot.sharing([[7], [7 << 8], []], marked=which)
                found = ids(snapshot.documents(even.refs)), ids(snapshot.documents(odd.refs))
                places = [number for number, mark in enumerate(marks) if mark == which]
                assert found == ({f"{n}" for n in places if n % 2 == 0}, {f"{n}" for n in places if n % 2})
                assert len(none) == 0

    def test_all_that_share_a_key_are_found(self, engine: Engine) -> None:
        chance = random.Random(1)
        sketches = [[chance.getrandbits(64) for _ in range(60)] for _ in range(250)]
        for number in range(1, 250):
            sketches[number][:10] = sketches[number - 1][50:]
        put(engine, [bare(f"{number}", number, keys=sketch) for number, sketch in enumerate(sketches)])
        with engine.snapshot() as snapshot:
            answers = snapshot.sharing([*sketches, [], [12345678]])
            for number, rows in enumerate(answers[:250]):
                near = {str(other) for other in (number - 1, number, number + 1) if 0 <= other < 250}
                assert ids(snapshot.documents(rows.refs)) == near
            assert [len(rows) for rows in answers[250:]] == [0, 0]
