"""What is said while documents are on their way, before anything is known and after."""

import pytest

from leitong.cli.progress import told
from leitong.indexer.pipeline import Progress


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (Progress(), "0 documents"),
        (Progress(size=1000), "0 documents"),
        (Progress(indexed=1, seconds=2.0), "1 document, 0/s"),
        (Progress(indexed=100, seconds=2.0, position=500, size=500), "100 documents, 50/s"),
        (Progress(indexed=3000, seconds=2.0, position=500, size=1000), "3,000 documents, 1,500/s, about 2 s left"),
        (Progress(indexed=10, seconds=60.0, position=100, size=1000), "10 documents, 0/s, about 9 min left"),
        (Progress(indexed=10, seconds=3600.0, position=100, size=400), "10 documents, 0/s, about 3.0 h left"),
    ],
)
def test_only_what_is_known_is_said(now: Progress, said: str) -> None:
    assert told(now) == said
