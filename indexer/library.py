"""The calls behind every command and page, for programs too.

from leitong.indexer import Document, open_index

with open_index("./leitong-index", create=True) as index:
    index.add([Document("1", "雷同的意思是彼此一样。"), Document("2", "雷同的意思是彼此一样！")])
    print(index.search("雷同").hits)
    print(index.similar("1").matches)
    print(index.report().clusters)
"""

import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Literal, overload

from leitong.indexer import pipeline
from leitong.indexer import related as relating
from leitong.indexer.asked import (
    check_kind,
    check_recipe_kind,
    check_settings,
    check_text,
    check_whole,
    checked_documents,
    checked_filters,
    checked_ids,
)
from leitong.indexer.closing import closed_on_error
from leitong.indexer.collection import Collection
from leitong.indexer.documents import Document, Match, StoredDocument, check_contents
from leitong.indexer.duplicates.combined import Combined
from leitong.indexer.duplicates.commonness.boilerplate import Boilerplate
from leitong.indexer.duplicates.commonness.learn import Learning, learn_written
from leitong.indexer.duplicates.comparing.compare import Comparer, Comparison, Matrix
from leitong.indexer.duplicates.policy.marks import release
from leitong.indexer.engines.base import Snapshot
from leitong.indexer.engines.open import check_recipe, open_engine, open_or_create
from leitong.indexer.engines.server.credentials import Signer
from leitong.indexer.errors import DocumentError, UsageError
from leitong.indexer.fingerprint.recipe import Recipe
from leitong.indexer.prepare import Preparer
from leitong.indexer.query import FieldIs
from leitong.indexer.search import SearchResult, search
from leitong.indexer.similar import SimilarResult, Surroundings
from leitong.indexer.similar import result as similar_result
from leitong.indexer.sources.base import Source
from leitong.indexer.sources.given import Given

PASTED: Final = ""
"""The id of a text that is not in the index."""


class Index(Collection):
    """An opened index. Use it in a `with` statement, from one thread."""

    def index(
        self,
        sources: Iterable[Source],
        *,
        options: pipeline.IndexOptions,
        watch: Callable[[pipeline.Progress], None] = lambda progress: None,
    ) -> pipeline.Progress:
        """Index every record of the sources; see `pipeline.index`. Learns what is boilerplate at the end."""
        check_recipe(self._engine)
        check_kind(options, pipeline.IndexOptions, "an IndexOptions: IndexOptions(rejects=Path('rejects.jsonl'))")
        begun = time.monotonic()
        with Learning(self._engine) as learning:
            outcome = pipeline.index(self._engine, sources, options=options, watch=watch, learning=learning)
            learn_written(self._engine, learning, written=outcome.indexed)
        return replace(outcome, seconds=time.monotonic() - begun)

    def add(self, documents: Iterable[Document]) -> int:
        """Add documents, each in place of the one with the same id; returns how many.

        Raises DocumentError for the first one that breaks a limit, UsageError for what is no document; nothing is added
        then.
        """
        checked = checked_documents(documents)
        with tempfile.TemporaryDirectory() as folder:
            options = pipeline.IndexOptions(rejects=Path(folder) / "rejects.jsonl")
            outcome = self.index([Given(checked)], options=options)
        if outcome.rejected:
            raise DocumentError("Two of the documents have the same id; the first of them was added.")
        return outcome.indexed

    def get(self, doc_id: str) -> StoredDocument:
        """One document. Raises UnknownDocumentError, or UsageError for what is no id."""
        with self._engine.snapshot() as snapshot:
            return self._get(snapshot, [doc_id])[0]

    def delete(self, ids: Sequence[str]) -> int:
        """Remove documents; returns how many of them were there. Raises UsageError for a text instead of a list."""
        wanted = list(dict.fromkeys(checked_ids(ids)))
        with self._engine.writer() as writer:
            deleted = writer.delete(wanted)
            writer.commit()
            release(self._engine, writer, wanted, preparer=lambda: self._preparer)
        return deleted

    def search(
        self,
        text: str,
        *,
        size: int = 10,
        start: int = 0,
        filters: Sequence[FieldIs] = (),
        fold: bool = False,
        count: bool = True,
        facets: bool = False,
    ) -> SearchResult:
        """Full text: words, "phrases", -not, field:value. Raises UsageError.

        `count` counts the duplicates of each hit, which takes longer than the search; `duplicate_counts` does it
        later. `facets` counts values of the metadata among all hits.
        """
        check_text("question", text)
        check_whole(size=size, start=start)
        narrowed = checked_filters(filters)
        with self._engine.snapshot() as snapshot:
            finder = self._finder(snapshot, radius=None, min_similarity=None) if count else None
            return search(
                snapshot,
                text,
                preparer=self._preparer,
                finder=finder,
                size=size,
                start=start,
                filters=narrowed,
                fold=fold,
                count_values=facets,
            )

    def duplicate_counts(self, ids: Sequence[str]) -> dict[str, int]:
        """How many other documents match each of these; ids that are not there are left out."""
        wanted = checked_ids(ids)
        with self._engine.snapshot() as snapshot:
            documents = [stored.document for stored in snapshot.get(wanted) if stored]
            finder = self._finder(snapshot, radius=None, min_similarity=None)
            found = finder.find(self._preparer.entries(documents))
        return {document.id: len(one.matches) for document, one in zip(documents, found, strict=True)}

    def surroundings(
        self,
        doc_id: str,
        *,
        radius: int | None = None,
        limit: int | None = 20,
        fold: bool = False,
        related: int = 6,
    ) -> Surroundings:
        """A document, its matches and so many related ones. Raises UnknownDocumentError or UsageError."""
        with self._engine.snapshot() as snapshot:
            stored = self._get(snapshot, [doc_id])[0]
            similar, matches = self._similar(snapshot, stored, radius=radius, limit=limit, fold=fold)
            hits = relating.related(
                snapshot,
                stored.document,
                preparer=self._preparer,
                rarity=self._rarity,
                without=[match.id for match in matches],
                size=related,
                fold=fold,
            )
        return Surroundings(stored, similar, hits)

    def similar(
        self,
        doc_id: str,
        *,
        radius: int | None = None,
        min_similarity: float | None = None,
        limit: int | None = 20,
        fold: bool = False,
        combined: Combined | None = None,
    ) -> SimilarResult:
        """Documents that match one of the index, with `combined` by their metadata too; with `fold` one of each cluster
        of marked ones, and none of its own.

        Raises UnknownDocumentError or UsageError.
        """
        with self._engine.snapshot() as snapshot:
            stored = self._get(snapshot, [doc_id])[0]
            return self._similar(
                snapshot,
                stored,
                radius=radius,
                min_similarity=min_similarity,
                limit=limit,
                fold=fold,
                combined=combined,
            )[0]

    def similar_to(
        self,
        text: str,
        *,
        title: str = "",
        metadata: Mapping[str, Any] | None = None,
        radius: int | None = None,
        min_similarity: float | None = None,
        limit: int | None = 20,
        fold: bool = False,
        combined: Combined | None = None,
    ) -> SimilarResult:
        """Documents that match a text that is not in the index. Raises UsageError, or DocumentError for no text.

        `metadata` count for recipes that weigh fields, and with `combined`.
        """
        document = Document(PASTED, text, title, metadata or {})
        try:
            check_contents(document)
        except DocumentError as error:
            raise DocumentError(f"The text cannot be compared: {error}.") from None
        with self._engine.snapshot() as snapshot:
            return self._similar(
                snapshot,
                document,
                radius=radius,
                min_similarity=min_similarity,
                limit=limit,
                fold=fold,
                combined=combined,
            )[0]

    @overload
    def compare(self, ids: tuple[str, str], *, matrix: Literal[False] = False) -> Comparison: ...
    @overload
    def compare(self, ids: Sequence[str], *, matrix: bool = False) -> Comparison | Matrix: ...
    def compare(self, ids: Sequence[str], *, matrix: bool = False) -> Comparison | Matrix:
        """Two documents in detail; several, or with `matrix`, by every measure.

        Raises UnknownDocumentError or UsageError.
        """
        with self._engine.snapshot() as snapshot:
            documents = [stored.document for stored in self._get(snapshot, ids)]
            comparer = self._comparers(snapshot)(documents)
        return _compared(comparer, documents, matrix=matrix)

    def warm(self) -> None:
        """Load what the first search and the first document would have to wait for."""
        self._rarity.idf("")
        self.search("雷同", size=1)

    def _similar(
        self,
        snapshot: Snapshot,
        asking: Document | StoredDocument,
        *,
        radius: int | None,
        min_similarity: float | None = None,
        limit: int | None,
        fold: bool,
        combined: Combined | None = None,
    ) -> tuple[SimilarResult, tuple[Match, ...]]:
        """The result, and all matches, which it may hold the best of only."""
        check_settings(radius=radius, min_similarity=min_similarity, limit=limit)
        stored = asking if isinstance(asking, StoredDocument) else None
        document = asking.document if isinstance(asking, StoredDocument) else asking
        finder = self._finder(snapshot, radius=radius, min_similarity=min_similarity, combined=combined)
        found = finder.find(self._preparer.entries([document]))[0]
        told = similar_result(
            found,
            id=stored.document.id if stored else None,
            radius=self._engine.recipe.radius if radius is None else radius,
            limit=limit,
            fold=fold,
            cluster=stored.cluster if stored else None,
        )
        return told, found.matches


def compare_documents(
    documents: Sequence[Document],
    *,
    preparer: Preparer,
    boilerplate: Boilerplate | None = None,
    matrix: bool = False,
) -> Comparison | Matrix:
    """Two documents in detail; several, or with `matrix`, by every measure. They need not be in an index."""
    return _compared(Comparer(preparer, boilerplate or Boilerplate.empty()), documents, matrix=matrix)


def _compared(comparer: Comparer, documents: Sequence[Document], *, matrix: bool) -> Comparison | Matrix:
    return comparer.two(*documents) if len(documents) == 2 and not matrix else comparer.matrix(documents)


def open_index(
    locator: str | Path, *, create: bool = False, recipe: Recipe | None = None, signer: Signer | None = None
) -> Index:
    """Open an index; with `create` it is made where there is none. Raises EngineError, RecipeError or UsageError.

    `signer` signs each request to a hosted OpenSearch: method, URL and body to the headers that let it in.
    """
    if not isinstance(locator, str | Path):
        raise UsageError(f"{locator!r:.60} names no index: give a folder or http(s)://host:port/index as a text.")
    if recipe is not None:
        check_recipe_kind(recipe)
    if create:
        return Index(open_or_create(str(locator), recipe=recipe, signer=signer))
    with closed_on_error(open_engine(str(locator), signer=signer)) as engine:
        if recipe is not None:
            check_recipe(engine, recipe)
    return Index(engine)
