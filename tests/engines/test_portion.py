"""How many documents are read at once: lines by the hundred, books one by one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from leitong.indexer.documents import Document
from leitong.indexer.engines import base
from leitong.indexer.engines.open import open_or_create
from leitong.indexer.engines.portion import Portion
from tests.engines.contract.entries import bare, put


def test_it_grows_step_by_step_and_falls_at_once() -> None:
    portion = Portion(200, amount=1_000)
    asked = []
    for size in (1, 1, 1, 1, 100, 5_000, 1):
        asked.append(portion.size)
        portion.seen([size] * portion.size)
    assert asked == [4, 16, 64, 200, 200, 10, 1]
    assert portion.size == 4


def test_without_an_amount_it_is_always_the_same() -> None:
    portion = Portion(200)
    portion.seen(["of any size"])
    assert portion.size == 200
    assert portion.less() and portion.size == 50


def test_less_is_remembered() -> None:
    portion = Portion(64, amount=1_000, weigh=len)
    portion.seen(["x"] * 4)
    assert portion.size == 16
    assert portion.less() and portion.size == 4
    portion.seen(["x"] * 4)
    assert portion.size == 4
    assert portion.less() and not portion.less()


def test_large_documents_are_read_few_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "_CHARACTERS_AT_ONCE", 10_000)
    documents = [Document(f"{number:02}", "长" * (5_000 if number < 8 else 5)) for number in range(30)]
    entries = [bare(document.id, number) for number, document in enumerate(documents)]
    engine = open_or_create(str(tmp_path / "ix"))
    put(
        engine,
        [
            replace(entry, stored=replace(entry.stored, document=document))
            for entry, document in zip(entries, documents, strict=True)
        ],
    )
    with engine.snapshot() as snapshot:
        rows = base.Rows.join(list(snapshot.rows()), bits=64)
        parts = list(snapshot.portions(rows.refs[np.argsort(rows.fingerprints[:, 0])]))
    engine.close()
    assert [stored.document for part in parts for stored in part] == documents
    assert [len(part) for part in parts] == [4, 2, 2, 2, 8, 12]
