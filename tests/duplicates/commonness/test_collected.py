"""What is learned from is kept while documents are indexed: the same is learned as from the index, and less is read."""

import tempfile
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from leitong.indexer.documents import Document, StoredDocument
from leitong.indexer.duplicates.commonness import collected as module
from leitong.indexer.duplicates.commonness.boilerplate import Boilerplate
from leitong.indexer.duplicates.commonness.collected import Collected, Digests
from leitong.indexer.duplicates.commonness.learn import Learning, learn, load
from leitong.indexer.engines.embedded import EmbeddedEngine
from leitong.indexer.engines.embedded.snapshot import EmbeddedSnapshot
from leitong.indexer.fingerprint.simhash import Fingerprinter
from leitong.indexer.library import Index
from leitong.indexer.passages import Outlines, Passage, outlines
from leitong.indexer.pipeline import IndexOptions
from leitong.indexer.prepare import Preparer
from leitong.indexer.sources.given import Given
from tests.duplicates.collection import DOCUMENTS, WORDS, make, put
from tests.duplicates.drawn import FOOTER, article

PREPARER = Preparer(WORDS)
MANY = [*DOCUMENTS, *(Document(f"{number:02}", article(number) + FOOTER, f"标题 {number}") for number in range(30))]


def collect(into: Collected, documents: list[Document]) -> Collected:
    """As a run does."""
    prepared = PREPARER.prepare([Passage.of(document) for document in documents], outlined=into.wanted)
    if prepared.outlines is not None:
        into.add(prepared.digests, prepared.outlines)
    return into


def digests_of(documents: list[Document]) -> Digests:
    digests = [entry.stored.digest for entry in PREPARER.entries(documents)]
    return np.array([[int(one[:16], 16), int(one[16:], 16)] for one in digests], dtype=np.uint64)


def collecting(engine: EmbeddedEngine) -> Collected:
    """What a run into the index collects."""
    with Learning(engine) as learning:
        return Collected(wanted=learning.collected.wanted)


def told(outlines: Outlines) -> tuple[list[int], list[list[int]]]:
    return outlines.values.tolist(), outlines.sizes.tolist()


def same(one: Boilerplate, other: Boilerplate) -> bool:
    return (
        (one.documents, one.sampled) == (other.documents, other.sampled)
        and np.array_equal(one.shingles, other.shingles)
        and np.array_equal(one.groups, other.groups)
    )


def test_what_was_collected_is_given_back() -> None:
    with Collected(wanted=True) as kept:
        collect(collect(kept, MANY[:9]), MANY[9:30])
        for some in (MANY[:30], MANY[:30][::-1]):
            found, which = kept.take(digests_of(some))
            assert told(found) == told(outlines([Passage.of(document) for document in some]))
            assert which.all()
        found, which = kept.take(digests_of([*MANY[30:], MANY[3]]))
        assert told(found) == told(outlines([Passage.of(MANY[3])]))
        assert which.tolist() == [False] * len(MANY[30:]) + [True]
        assert kept.count(digests_of(MANY)) == 30
        collect(kept, MANY[30:])
        assert kept.count(digests_of(MANY)) == len(MANY)


def test_the_first_of_equal_texts_is_kept() -> None:
    one, other = Document("1", "同样的字", "标题"), Document("2", "标题同样的字")
    with collect(Collected(wanted=True), [one, other]) as kept:
        assert kept.count(digests_of([one, other])) == 2
        assert told(kept.take(digests_of([one, other]))[0]) == told(outlines(2 * [Passage.of(one)]))


def learning_from(engine: EmbeddedEngine, documents: list[Document], *, begun: bool = False) -> Learning:
    """As if a run had written these documents."""
    learning = Learning(engine)
    collect(learning.collected, documents)
    if begun:
        learning.begin()
    return learning


@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize("part", [0, 1, 20, len(MANY)])
def test_the_same_is_learned_whatever_was_collected(tmp_path: Path, part: int, begun: bool) -> None:
    engine = make(tmp_path / "index", MANY, recipe=WORDS)
    some = Random(part).sample(MANY, part)
    with engine.snapshot() as snapshot:
        plain = learn(snapshot)
        assert len(plain.shingles), "there is boilerplate to learn"
        with learning_from(engine, some, begun=begun) as learning:
            assert same(learn(snapshot, learning=learning), plain)
        with learning_from(engine, some, begun=begun) as learning:
            assert same(learn(snapshot, sample=10, learning=learning), learn(snapshot, sample=10))


def test_what_was_deleted_or_changed_since_is_not_learned(tmp_path: Path) -> None:
    engine = make(tmp_path / "index", MANY, recipe=WORDS)
    with learning_from(engine, MANY, begun=True) as learning:
        with engine.writer() as writer:
            writer.delete([document.id for document in MANY[20:30]])
        put(engine, [Document(document.id, article(int(document.id) + 100)) for document in MANY[30:]])
        with engine.snapshot() as snapshot:
            assert same(learn(snapshot, learning=learning), learn(snapshot))


def test_what_was_learned_before_the_last_commit_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = make(tmp_path / "index", MANY, recipe=WORDS)
    with learning_from(engine, MANY, begun=True) as learning, engine.snapshot() as snapshot:
        plain = learn(snapshot)
        monkeypatch.setattr("leitong.indexer.duplicates.commonness.learn._read_all", None)
        assert same(learn(snapshot, learning=learning), plain)


@pytest.mark.parametrize("before", [0, 12], ids=["at once", "later"])
def test_a_run_learns_what_it_would_from_its_index(
    tmp_path: Path, before: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = EmbeddedEngine.create(tmp_path / "index", recipe=WORDS, recipe_id=Fingerprinter(WORDS).id)
    read: list[int] = []
    documents = EmbeddedSnapshot.documents

    def counted(self: EmbeddedSnapshot, refs: NDArray[Any]) -> list[StoredDocument]:
        read.append(len(refs))
        return documents(self, refs)

    monkeypatch.setattr(EmbeddedSnapshot, "documents", counted)
    with Index(engine) as index:
        for some in filter(None, (MANY[-before:] if before else [], MANY[: len(MANY) - before])):
            index.index([Given(some)], options=IndexOptions(rejects=tmp_path / "rejects.jsonl"))
        assert sum(read) == before, "no document of the run is read again"
        with engine.snapshot() as snapshot:
            assert same(load(engine), learn(snapshot))


def test_nothing_is_collected_where_much_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = make(tmp_path / "index", MANY, recipe=WORDS)
    assert collecting(engine).wanted
    with engine.snapshot() as snapshot:
        engine.write_note("boilerplate.npz", learn(snapshot).to_bytes())
    assert collecting(engine).wanted
    monkeypatch.setattr("leitong.indexer.duplicates.commonness.learn._FEW", len(MANY))
    assert not collecting(engine).wanted
    with collect(collecting(engine), MANY) as kept:
        assert kept.count(digests_of(MANY)) == 0


def test_the_file_does_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_BYTES", 10_000)
    with Collected(wanted=True) as kept:
        collect(kept, MANY[:30])
        assert not kept.wanted
        collect(kept, MANY[30:])
        assert kept.count(digests_of(MANY)) == 30


def test_a_place_that_cannot_be_written_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "absent"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "absent"))
    with collect(Collected(wanted=True), MANY) as kept:
        assert not kept.wanted
        assert not kept.take(digests_of(MANY))[1].any()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a full disk as a file is a thing of Linux")
def test_nor_is_a_full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("/dev/full").open("r+b", buffering=0) as full:
        monkeypatch.setattr(tempfile, "TemporaryFile", lambda **options: full)
        with collect(Collected(wanted=True), MANY) as kept:
            assert not kept.wanted
            assert not kept.take(digests_of(MANY))[1].any()


@pytest.mark.parametrize("begun", [False, True])
def test_what_cannot_be_read_again_is_read_from_the_index(tmp_path: Path, begun: bool) -> None:
    engine = make(tmp_path / "index", MANY, recipe=WORDS)
    with learning_from(engine, MANY) as learning, engine.snapshot() as snapshot:
        kept = learning.collected
        assert kept._file is not None
        kept._file.truncate(2_000)
        assert not kept.take(digests_of(MANY))[1].all()
        if begun:
            learning.begin()
        assert same(learn(snapshot, learning=learning), learn(snapshot))
