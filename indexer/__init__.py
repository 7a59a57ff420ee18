"""Similar documents and duplicate reports, as a library. `open_index` is where to begin."""

from leitong.indexer.documents import Document, Match, StoredDocument
from leitong.indexer.errors import LeitongError
from leitong.indexer.library import Index, open_index

__all__ = ["Document", "Index", "LeitongError", "Match", "StoredDocument", "open_index"]
