"""What a report finds whose table comes from a sample, beside one whose table comes from all texts.

A fifth of the large collection is learned from, as of one of half a million texts; with and without a second look at
what candidates share.
"""

import tempfile
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import Figure, Options, finish, options
from benchmarks.report import fill
from leitong.indexer.duplicates import report
from leitong.indexer.duplicates.commonness import learn
from leitong.indexer.duplicates.commonness.boilerplate import NOTE, Boilerplate
from leitong.indexer.engines.open import open_engine
from leitong.indexer.library import open_index

_PART = 4.6


def pairs(index: Path, *, sample: int | None, again: bool = True) -> set[tuple[str, str]]:
    """The pairs of a report, equal texts aside; with a sample of so many texts, and matches compared again or not."""
    open_engine(str(index)).write_note(NOTE, Boilerplate.empty().to_bytes())
    with ExitStack() as stack:
        if sample is not None:
            stack.enter_context(patch.object(learn, "learn", partial(learn.learn, sample=sample)))
        if not again:
            stack.enter_context(patch.object(report, "rechecked", _as_they_are))
        with open_index(index) as opened:
            return {(pair.a, pair.b) for pair in opened.report().pairs if pair.kind != "exact"}


def _as_they_are(texts: object, candidates: object, matches: NDArray[np.void], *_: object, **__: Any) -> Any:
    return matches


def measure(chosen: Options) -> None:
    """Measure and write the result."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        documents = fill(folder / "index", chosen, folder)
        sample = round(documents / _PART)
        whole = pairs(folder / "index", sample=None)
        once = pairs(folder / "index", sample=sample, again=False)
        twice = pairs(folder / "index", sample=sample)
    finish(
        "sample",
        [
            Figure("pairs of all texts that a sample finds", len(twice & whole) / len(whole), 0.97, True, ""),
            Figure("further pairs, for each of those", len(twice - whole) / len(whole), 0.15, False, ""),
        ],
        {
            "documents": documents,
            "sample": sample,
            "pairs_of_all_texts": len(whole),
            "pairs_of_the_sample": len(twice),
            "of_these_also_of_all_texts": len(twice & whole),
            "pairs_of_the_sample_compared_once": len(once),
            "of_these_also_of_all_texts_compared_once": len(once & whole),
        },
        chosen,
    )


if __name__ == "__main__":
    measure(options(__doc__))
