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
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from leitong.indexer import pipeline
from leitong.indexer import related as relating
from leitong.indexer.asked import check_keep, check_settings
from leitong.indexer.documents import Document, LabelledPair, Match, StoredDocument, check_limits
from leitong.indexer.duplicates import calibrate as calibrating
from leitong.indexer.duplicates import evaluate as evaluating
from leitong.indexer.duplicates import merge as merging
from leitong.indexer.duplicates import report as reporting
from leitong.indexer.duplicates.boilerplate import Boilerplate
from leitong.indexer.duplicates.check import MIN_SIMILARITY
from leitong.indexer.duplicates.clusters import Keep, Shape
from leitong.indexer.duplicates.combined import Combined
from leitong.indexer.duplicates.compare import Comparer, Comparison, Matrix
from leitong.indexer.duplicates.decisions import NOTE as DECISIONS_NOTE
from leitong.indexer.duplicates.decisions import Decisions
from leitong.indexer.duplicates.dedupe import Policy, ReportedCluster
from leitong.indexer.duplicates.dedupe import Step as DedupeStep
from leitong.indexer.duplicates.dedupe import dedupe as acting
from leitong.indexer.duplicates.find import Finder
from leitong.indexer.duplicates.found import Pair, Report
from leitong.indexer.duplicates.kept import MAX_PAIRS, KeptReport, Known
from leitong.indexer.duplicates.kept import NOTE as REPORT_NOTE
from leitong.indexer.duplicates.learn import Memory, current, load
from leitong.indexer.duplicates.marks import release
from leitong.indexer.duplicates.settled import settled
from leitong.indexer.engines.base import Engine, IndexInfo, Snapshot
from leitong.indexer.engines.open import check_recipe, open_engine, open_or_create
from leitong.indexer.engines.server.credentials import Signer
from leitong.indexer.errors import DocumentError, StorageError, UnknownDocumentError, UsageError
from leitong.indexer.fingerprint.idf import IdfTable, jieba_table
from leitong.indexer.fingerprint.recipe import Recipe
from leitong.indexer.prepare import Preparer
from leitong.indexer.query import FieldIs
from leitong.indexer.search import SearchResult, search
from leitong.indexer.similar import SimilarResult, Surroundings
from leitong.indexer.similar import result as similar_result
from leitong.indexer.sources.base import Source
from leitong.indexer.sources.given import Given

_DOCUMENTS_AT_ONCE: Final = 500
PASTED: Final = ""
"""The id of a text that is not in the index."""


class Index:
    """An opened index. Use it in a `with` statement, from one thread."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._memory = Memory()

    def info(self) -> IndexInfo:
        """The state of the index."""
        return self._engine.info()

    def index(
        self,
        sources: Iterable[Source],
        *,
        options: pipeline.IndexOptions,
        watch: Callable[[pipeline.Progress], None] = lambda progress: None,
    ) -> pipeline.Progress:
        """Index every record of the sources; see `pipeline.index`. Learns what is boilerplate at the end."""
        check_recipe(self._engine)
        outcome = pipeline.index(self._engine, sources, options=options, watch=watch)
        with self._engine.snapshot() as snapshot:
            current(self._engine, snapshot)
        return outcome

    def add(self, documents: Iterable[Document]) -> int:
        """Add documents, each in place of the one with the same id; returns how many.

        Raises DocumentError for the first one that breaks a limit; nothing is added then.
        """
        checked = list(documents)
        for document in checked:
            try:
                check_limits(document)
            except DocumentError as error:
                raise DocumentError(f"Document {document.id[:60]!r} cannot be added: {error}.") from None
        with tempfile.TemporaryDirectory() as folder:
            options = pipeline.IndexOptions(rejects=Path(folder) / "rejects.jsonl")
            outcome = self.index([Given(checked)], options=options)
        if outcome.rejected:
            raise DocumentError("Two of the documents have the same id; the first of them was added.")
        return outcome.indexed

    def get(self, doc_id: str) -> StoredDocument:
        """One document. Raises UnknownDocumentError."""
        with self._engine.snapshot() as snapshot:
            return self._get(snapshot, [doc_id])[0]

    def delete(self, ids: Sequence[str]) -> int:
        """Remove documents; returns how many of them were there."""
        wanted = list(dict.fromkeys(ids))
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
        with self._engine.snapshot() as snapshot:
            finder = self._finder(snapshot, radius=None, min_similarity=None) if count else None
            return search(
                snapshot,
                text,
                preparer=self._preparer,
                finder=finder,
                size=size,
                start=start,
                filters=filters,
                fold=fold,
                count_values=facets,
            )

    def duplicate_counts(self, ids: Sequence[str]) -> dict[str, int]:
        """How many other documents match each of these; ids that are not there are left out."""
        with self._engine.snapshot() as snapshot:
            documents = [stored.document for stored in snapshot.get(ids) if stored]
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
            similar, matches = self._similar(snapshot, stored, radius, None, limit, fold)
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
            return self._similar(snapshot, stored, radius, min_similarity, limit, fold, combined)[0]

    def similar_to(
        self,
        text: str,
        *,
        title: str = "",
        radius: int | None = None,
        min_similarity: float | None = None,
        limit: int | None = 20,
        fold: bool = False,
    ) -> SimilarResult:
        """Documents that match a text that is not in the index. Raises UsageError."""
        with self._engine.snapshot() as snapshot:
            document = Document(PASTED, text, title)
            return self._similar(snapshot, document, radius, min_similarity, limit, fold)[0]

    def compare(self, ids: Sequence[str], *, matrix: bool = False) -> Comparison | Matrix:
        """Two documents in detail; several, or with `matrix`, by every measure.

        Raises UnknownDocumentError or UsageError.
        """
        with self._engine.snapshot() as snapshot:
            documents = [stored.document for stored in self._get(snapshot, ids)]
        return compare_documents(
            documents, preparer=self._preparer, boilerplate=load(self._engine, self._memory), matrix=matrix
        )

    def report(
        self,
        *,
        radius: int | None = None,
        min_similarity: float | None = None,
        shape: Shape = "connected",
        keep: Keep = "first",
        date_field: str | None = None,
        source_field: str = "source",
        combined: Combined | None = None,
        part: int = 0,
        parts: int = 1,
        work: Path | None = None,
        resume: bool = False,
        watch: Callable[[reporting.Step], None] = lambda step: None,
    ) -> Report:
        """All pairs and clusters of the index; see `report.Settings`. Raises UsageError."""
        check_settings(radius, min_similarity, None)
        check_keep(keep, date_field)
        if not 0 <= part < parts:
            raise UsageError(f"--partition {part + 1}/{parts} is none: it takes I/N, I from 1 to N.")
        settings = reporting.Settings(
            radius=radius,
            min_similarity=min_similarity,
            shape=shape,
            keep=keep,
            date_field=date_field,
            source_field=source_field,
            combined=combined,
            part=part,
            parts=parts,
        )
        with self._engine.snapshot() as snapshot:
            return reporting.report(self._engine, snapshot, settings=settings, work=work, resume=resume, watch=watch)

    def evaluate(
        self,
        pairs: Sequence[LabelledPair],
        *,
        radius: int | None = None,
        min_similarity: float | None = None,
        mistakes: int = 10,
        watch: Callable[[reporting.Step], None] = lambda step: None,
    ) -> evaluating.Evaluation:
        """Precision, recall and F1 against labelled pairs. Raises UnknownDocumentError or UsageError."""
        check_settings(radius, min_similarity, None)
        with self._engine.snapshot() as snapshot:
            return evaluating.evaluate(
                snapshot,
                self._finder(snapshot, radius=0, min_similarity=0.0),
                self._preparer,
                pairs,
                radius=self._engine.recipe.radius if radius is None else radius,
                min_similarity=MIN_SIMILARITY if min_similarity is None else min_similarity,
                mistakes=mistakes,
                watch=watch,
            )

    def calibrate(
        self,
        *,
        radius: int | None = None,
        min_similarity: float | None = None,
        sample: int = calibrating.SAMPLE,
        seed: int = 1,
        watch: Callable[[reporting.Step], None] = lambda step: None,
    ) -> calibrating.Calibration:
        """Edit a sample of the documents and compare: what distance and similarity mean here. Raises UsageError."""
        check_settings(radius, min_similarity, None)
        with self._engine.snapshot() as snapshot:
            return calibrating.calibrate(
                snapshot,
                self._finder(snapshot, radius=0, min_similarity=0.0),
                self._preparer,
                radius=self._engine.recipe.radius if radius is None else radius,
                min_similarity=MIN_SIMILARITY if min_similarity is None else min_similarity,
                sample=sample,
                seed=seed,
                watch=watch,
            )

    def keep_report(self, found: Report) -> bool:
        """Keep a report beside the index, for `known_duplicates`; False where it is too large or may not be written."""
        if len(found.pairs) > MAX_PAIRS:
            return False
        members = list(dict.fromkeys(doc_id for pair in found.pairs for doc_id in (pair.a, pair.b)))
        stored = (
            one
            for start in range(0, len(members), _DOCUMENTS_AT_ONCE)
            for one in self.documents(members[start : start + _DOCUMENTS_AT_ONCE]).values()
        )
        try:
            self._engine.write_note(REPORT_NOTE, KeptReport.of(found, stored).to_bytes())
        except StorageError:
            return False
        return True

    def known_duplicates(self, before: Known | None = None) -> Known | None:
        """The report kept beside the index with all decisions; `before` is given back where nothing has changed."""
        notes = self._engine.read_note(REPORT_NOTE), self._engine.read_note(DECISIONS_NOTE)
        return Known.of(notes, before)

    def decide(self, change: Callable[[Decisions], Decisions]) -> Decisions:
        """Change what was decided about duplicates. One at a time: whoever writes last has the word."""
        decisions = change(Decisions.from_bytes(self._engine.read_note(DECISIONS_NOTE)))
        self._engine.write_note(DECISIONS_NOTE, decisions.to_bytes())
        return decisions

    def merge(
        self,
        parts: merging.Parts,
        *,
        shape: Shape = "connected",
        keep: Keep = "first",
        date_field: str | None = None,
        source_field: str = "source",
        watch: Callable[[reporting.Step], None] = lambda step: None,
    ) -> Report:
        """The report whose parts several machines made. Raises UsageError."""
        begun = time.monotonic()
        check_keep(keep, date_field)
        settings = reporting.Settings(shape=shape, keep=keep, date_field=date_field, source_field=source_field)
        with self._engine.snapshot() as snapshot:
            return merging.merge(
                snapshot,
                parts,
                settings=settings,
                watch=lambda done, total: watch(reporting.Step("describe", done, total)),
                begun=begun,
            )

    def dedupe(
        self,
        clusters: Iterable[ReportedCluster],
        *,
        policy: Policy,
        act: bool,
        pairs: Callable[[], Iterable[Pair]] | None = None,
    ) -> Iterator[DedupeStep]:
        """What becomes of the documents of a report's clusters that are not kept; without `act` what would become.

        Decisions beside the index come before the policy; `pairs` reads the report's, see `settled`. Read it to its
        end: that is when it is committed. Raises UsageError.
        """
        if not policy.undo:
            clusters = settled(clusters, Decisions.from_bytes(self._engine.read_note(DECISIONS_NOTE)), pairs=pairs)
        with ExitStack() as stack:
            writer = stack.enter_context(self._engine.writer()) if act else None
            done: list[str] = []
            with self._engine.snapshot() as snapshot:
                alike = Comparer(self._preparer, load(self._engine)).alike
                steps = acting(snapshot, clusters, policy=policy, preparer=self._preparer, alike=alike, writer=writer)
                for step in steps:
                    if step.fate == "done":
                        done.append(step.id)
                    yield step
            if writer is not None:
                writer.commit()
                release(self._engine, writer, done, preparer=lambda: self._preparer)

    def documents(self, ids: Sequence[str]) -> dict[str, StoredDocument]:
        """Those of the documents that are there."""
        with self._engine.snapshot() as snapshot:
            return {stored.document.id: stored for stored in snapshot.get(ids) if stored}

    def warm(self) -> None:
        """Load what the first search and the first document would have to wait for."""
        self._rarity.idf("")
        self.search("雷同", size=1)

    def close(self) -> None:
        """Give back what is held."""
        self._engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @cached_property
    def _preparer(self) -> Preparer:
        return Preparer(self._engine.recipe)

    @cached_property
    def _rarity(self) -> IdfTable:
        return self._engine.recipe.idf or jieba_table()

    def _finder(
        self,
        snapshot: Snapshot,
        *,
        radius: int | None,
        min_similarity: float | None,
        combined: Combined | None = None,
    ) -> Finder:
        return Finder(
            snapshot,
            current(self._engine, snapshot, self._memory),
            bits=self._engine.recipe.bits,
            radius=self._engine.recipe.radius if radius is None else radius,
            min_similarity=MIN_SIMILARITY if min_similarity is None else min_similarity,
            combined=combined,
        )

    def _similar(
        self,
        snapshot: Snapshot,
        asking: Document | StoredDocument,
        radius: int | None,
        min_similarity: float | None,
        limit: int | None,
        fold: bool,
        combined: Combined | None = None,
    ) -> tuple[SimilarResult, tuple[Match, ...]]:
        """The result, and all matches, which it may hold the best of only."""
        check_settings(radius, min_similarity, limit)
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

    def _get(self, snapshot: Snapshot, ids: Sequence[str]) -> list[StoredDocument]:
        stored: list[StoredDocument] = []
        for doc_id, one in zip(ids, snapshot.get(ids), strict=True):
            if one is None:
                raise UnknownDocumentError(doc_id, self._engine.locator)
            stored.append(one)
        return stored


def compare_documents(
    documents: Sequence[Document],
    *,
    preparer: Preparer,
    boilerplate: Boilerplate | None = None,
    matrix: bool = False,
) -> Comparison | Matrix:
    """Two documents in detail; several, or with `matrix`, by every measure. They need not be in an index."""
    comparer = Comparer(preparer, boilerplate or Boilerplate.empty())
    return comparer.two(*documents) if len(documents) == 2 and not matrix else comparer.matrix(documents)


def open_index(
    locator: str | Path, *, create: bool = False, recipe: Recipe | None = None, signer: Signer | None = None
) -> Index:
    """Open an index; with `create` it is made where there is none. Raises EngineError, RecipeError or UsageError.

    `signer` signs each request to a hosted OpenSearch: method, URL and body to the headers that let it in.
    """
    if create:
        return Index(open_or_create(str(locator), recipe=recipe, signer=signer))
    engine = open_engine(str(locator), signer=signer)
    if recipe is not None:
        check_recipe(engine, recipe)
    return Index(engine)
