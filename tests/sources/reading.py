"""Reads sources for the tests and tells documents from rejects."""

from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

from leitong.indexer.documents import Document, Reject
from leitong.indexer.sources.base import FieldNames, Source
from leitong.indexer.sources.open import open_sources


@dataclass
class Outcome:
    """What a run over some sources gave."""

    sources: tuple[Source, ...]
    documents: list[Document] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)

    @property
    def only(self) -> Document:
        assert not self.rejects, self.rejects
        (document,) = self.documents
        return document

    @property
    def reject(self) -> Reject:
        assert not self.documents, self.documents
        (reject,) = self.rejects
        return reject

    @property
    def texts(self) -> list[str]:
        return [document.text for document in self.documents]

    @property
    def ids(self) -> list[str]:
        return [document.id for document in self.documents]

    @property
    def lines(self) -> list[int]:
        return [reject.line for reject in self.rejects]


def read(*names: str | Path, stdin: bytes | None = None, **fields: str | tuple[str, ...]) -> Outcome:
    """Open the named sources and read all of them to the end."""
    stream = None if stdin is None else BytesIO(stdin)
    outcome = Outcome(open_sources([str(name) for name in names], FieldNames(**fields), stdin=stream))  # type: ignore[arg-type]
    for source in outcome.sources:
        for record in source:
            if isinstance(record, Document):
                outcome.documents.append(record)
            else:
                outcome.rejects.append(record)
        assert source.size is None or source.position == source.size, "a progress bar must end at its end"
    for reject in outcome.rejects:
        reject.reason.encode(), reject.record.encode(), reject.source.encode(), (reject.id or "").encode()
        assert reject.reason and reject.record and reject.source
        assert "\n" not in reject.reason, "one clear sentence"
    return outcome
