"""Texts that lie in files between reading and comparing come back as they were."""

from dataclasses import astuple
from pathlib import Path

import numpy as np

from leitong.indexer.duplicates.commonness.boilerplate import Boilerplate
from leitong.indexer.duplicates.comparing.check import TextCheck
from leitong.indexer.duplicates.shelf import Shelf, Shelved
from leitong.indexer.duplicates.work import Work
from leitong.indexer.passages import read


def test_every_part_of_a_profile_comes_back(tmp_path: Path) -> None:
    """The numbers of 64 bits from a file, whatever the annotations of a version of numpy are; the others as JSON."""
    texts = [
        read("第三章 黄河的水\n" + "黄河的水从哪里来？黄河的水从青海来，流过 9 个省。" * 9, title="第三章 黄河的水"),
        read("Short."),
    ]
    check = TextCheck(Boilerplate.empty())
    profiles = [check.profile(text) for text in texts]
    with Work(tmp_path / "work") as work:
        shelf = Shelf(work)
        shelf.add([Shelved(f"{n}", profile, np.array([n], dtype=np.uint64)) for n, profile in enumerate(profiles)])
        for taken in (shelf.take([1, 0]), Shelf(work).take([1, 0])):
            for one, before in zip(taken, reversed(profiles), strict=True):
                for part, was in zip(astuple(one), astuple(before), strict=True):
                    assert np.array_equal(part, was)
