"""Documents that a program has in its hands."""

from collections.abc import Iterator, Sequence

from leitong.indexer.documents import Document
from leitong.indexer.sources.base import Record


class Given:
    """Documents that a program has in its hands, as a source."""

    name = "documents"
    size: int | None = 0  # nothing is read from anywhere
    position = 0
    line = 0
    remarks: Sequence[str] = ()

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = documents

    def __iter__(self) -> Iterator[Record]:
        yield from self._documents
