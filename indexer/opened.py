"""What every call on an index stands on: its engine, and the tools that are made when they are first needed."""

from collections.abc import Callable, Sequence
from functools import cached_property

from leitong.indexer.asked import checked_ids
from leitong.indexer.closing import Closing
from leitong.indexer.documents import Document, StoredDocument
from leitong.indexer.duplicates.combined import Combined
from leitong.indexer.duplicates.commonness.learn import ASKED, Memory, current, load
from leitong.indexer.duplicates.comparing.check import MIN_SIMILARITY
from leitong.indexer.duplicates.comparing.compare import Comparer
from leitong.indexer.duplicates.find import Finder
from leitong.indexer.engines.base import Engine, IndexInfo, Snapshot
from leitong.indexer.errors import UnknownDocumentError, UsageError
from leitong.indexer.fingerprint.idf import IdfTable, jieba_table
from leitong.indexer.prepare import Preparer


class Opened(Closing):
    """An opened index. Use it in a `with` statement, from one thread."""

    def __init__(self, engine: Engine) -> None:
        self._held = engine
        self._closed = False
        self._memory = Memory()

    def info(self) -> IndexInfo:
        """The state of the index."""
        return self._engine.info()

    def documents(self, ids: Sequence[str]) -> dict[str, StoredDocument]:
        """Those of the documents that are there. Raises UsageError for what is no list of ids."""
        wanted = checked_ids(ids)
        with self._engine.snapshot() as snapshot:
            return {stored.document.id: stored for stored in snapshot.get(wanted) if stored}

    @property
    def locator(self) -> str:
        """Its name, as errors, reports and `--json` have it."""
        return self._held.locator

    def has_marks(self) -> bool:
        """Whether any document is marked as a duplicate: without, there is nothing to fold."""
        with self._engine.snapshot() as snapshot:
            return snapshot.has_marks

    def close(self) -> None:
        """Give back what is held; any call but this one raises UsageError from then on."""
        self._closed = True
        self._held.close()

    @property
    def _engine(self) -> Engine:
        """Where the documents are. Raises UsageError in an index that is closed."""
        if self._closed:
            raise UsageError(f"The index {self.locator} has been closed. Open it again with open_index.")
        return self._held

    @cached_property
    def _preparer(self) -> Preparer:
        return Preparer(self._engine.recipe)

    @cached_property
    def _rarity(self) -> IdfTable:
        return self._engine.recipe.idf or jieba_table()

    def _decided(self, radius: int | None, min_similarity: float | None) -> tuple[int, float]:
        """What is gone by: the recipe's radius where none is named, and the usual similarity."""
        return (
            self._engine.recipe.radius if radius is None else radius,
            MIN_SIMILARITY if min_similarity is None else min_similarity,
        )

    def _finder(
        self,
        snapshot: Snapshot,
        *,
        radius: int | None,
        min_similarity: float | None,
        combined: Combined | None = None,
        within: float = ASKED,
    ) -> Finder:
        table = current(self._engine, snapshot, self._memory, within=within)
        radius, least = self._decided(radius, min_similarity)
        return Finder(
            snapshot, table, recipe=self._engine.recipe, radius=radius, min_similarity=least, combined=combined
        )

    def _comparers(self, snapshot: Snapshot) -> Callable[[Sequence[Document]], Comparer]:
        """What compares some documents as a report does, once it is told which; nothing is learned for that."""
        table, recipe = load(self._engine, self._memory), self._engine.recipe
        finder = Finder(snapshot, table, recipe=recipe, radius=recipe.radius, min_similarity=MIN_SIMILARITY)

        def comparer(documents: Sequence[Document]) -> Comparer:
            families = None
            if finder.learns_from_candidates:
                families = finder.families(self._preparer.entries(documents))
            return Comparer(self._preparer, table, families)

        return comparer

    def _get(self, snapshot: Snapshot, ids: Sequence[str]) -> list[StoredDocument]:
        stored: list[StoredDocument] = []
        wanted = checked_ids(ids)
        for doc_id, one in zip(wanted, snapshot.get(wanted), strict=True):
            if one is None:
                raise UnknownDocumentError(doc_id, self._engine.locator)
            stored.append(one)
        return stored
