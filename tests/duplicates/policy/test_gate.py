"""Originals and duplicates while documents pass, in one run and over several."""

from pathlib import Path

import pytest

from leitong.indexer.documents import Document, StoredDocument
from leitong.indexer.duplicates.policy.decisions import NOTE, Decisions
from leitong.indexer.duplicates.policy.gate import Gate
from leitong.indexer.duplicates.policy.marks import marked
from leitong.indexer.engines.embedded import EmbeddedEngine
from leitong.indexer.prepare import Preparer
from tests.duplicates.collection import DOCUMENTS, NEWS, STORY, WORDS, make

DAYS = ("昨天", "今天", "明天")
BY_ID = {document.id: document for document in DOCUMENTS}


@pytest.fixture
def engine(tmp_path: Path) -> EmbeddedEngine:
    return make(tmp_path / "index", [], recipe=WORDS)


def run(engine: EmbeddedEngine, *batches: list[Document], mark: bool = False, radius: int = 3) -> dict[str, str | None]:
    """Pass batches without a commit in between, then store what is to be stored; id to the original's id."""
    preparer = Preparer(engine.recipe)
    answers: dict[str, str | None] = {}
    with engine.writer() as writer, Gate(engine, mark=mark, radius=radius, min_similarity=None) as gate:
        for batch in batches:
            entries = preparer.entries(batch)
            for entry, original in zip(entries, gate.originals(entries), strict=True):
                answers[entry.stored.document.id] = original.document.id if original else None
                if original is None:
                    writer.put([entry])
                elif mark:
                    writer.put([marked(entry, original)])
    return answers


def stored(engine: EmbeddedEngine, *ids: str) -> list[StoredDocument | None]:
    with engine.snapshot() as snapshot:
        return snapshot.get(list(ids))


def test_duplicates_inside_one_batch_and_one_run(engine: EmbeddedEngine) -> None:
    wanted = {"news": None, "story": None, "news-copy": "news", "news-edited": "news", "story-edited": "story"}
    assert run(engine, [BY_ID[one] for one in wanted]) == wanted
    other = make(Path(engine.locator).parent / "other", [], recipe=WORDS)
    assert run(other, *[[BY_ID[one]] for one in wanted]) == wanted, "one by one"
    with other.snapshot() as snapshot:
        assert snapshot.count == 2


def test_the_collection_in_one_run(engine: EmbeddedEngine) -> None:
    answers = run(engine, list(DOCUMENTS))
    assert {one for one, original in answers.items() if original is None} == {
        *("news", "story", "rights", "rights-ja", "poem", "dots-1", "dots-3", "stop-1")
    }


def test_against_what_is_committed(tmp_path: Path) -> None:
    engine = make(tmp_path / "index", [BY_ID["news"], BY_ID["story"]], recipe=WORDS)
    assert run(engine, [BY_ID["news-copy"], BY_ID["poem"]]) == {"news-copy": "news", "poem": None}


def test_a_document_is_no_duplicate_of_itself(tmp_path: Path) -> None:
    engine = make(tmp_path / "index", [BY_ID["news"]], recipe=WORDS)
    assert run(engine, [BY_ID["news"]]) == {"news": None}


@pytest.mark.parametrize("mark", [False, True])
def test_a_replaced_text_counts_no_more(tmp_path: Path, mark: bool) -> None:
    """`a` told the news and now tells a story: the news that come after it repeat nothing."""
    engine = make(tmp_path / "index", [Document("a", NEWS)], recipe=WORDS)
    assert run(engine, [Document("a", STORY)], [Document("b", NEWS), Document("c", STORY)], mark=mark) == {
        "a": None,
        "b": None,
        "c": "a",
    }


def test_a_text_replaced_by_a_marked_duplicate_counts_no_more(tmp_path: Path) -> None:
    engine = make(tmp_path / "index", [Document("a", NEWS), Document("s", STORY)], recipe=WORDS)
    assert run(engine, [Document("a", STORY)], [Document("b", NEWS)], mark=True) == {"a": "s", "b": None}


def test_a_copy_is_repeated_where_its_original_is_replaced_in_the_same_batch(tmp_path: Path) -> None:
    engine = make(tmp_path / "index", [], recipe=WORDS)
    assert run(engine, [Document("a", NEWS), Document("copy", NEWS)], mark=True) == {"a": None, "copy": "a"}
    assert run(engine, [Document("a", STORY), Document("b", NEWS)], mark=True) == {"a": None, "b": "copy"}


def test_marking_does_not_depend_on_when_it_was_committed(tmp_path: Path) -> None:
    """C repeats B, which repeats A: with a commit after B, or an interruption, the answer is the same."""
    half = len(NEWS) // 2
    a, b = Document("a", NEWS[:half]), Document("b", NEWS + STORY)
    c = Document("c", STORY)
    assert make(tmp_path / "0", [], recipe=WORDS)
    answers = []
    for name, runs in (("one", [[[a], [b], [c]]]), ("two", [[[a], [b]], [[c]]]), ("three", [[[a]], [[b]], [[c]]])):
        engine = make(tmp_path / name, [], recipe=WORDS)
        found: dict[str, str | None] = {}
        for batches in runs:
            found |= run(engine, *batches, mark=True)
        answers.append(found)
        clusters = [one.cluster for one in stored(engine, "a", "b", "c") if one]
        assert clusters == ["a", "a", "a"]
        assert [one.duplicate_of for one in stored(engine, "a", "b", "c") if one] == [None, "a", "b"]
    assert answers == [{"a": None, "b": "a", "c": "b"}] * 3


@pytest.mark.parametrize("batches", [1, 3], ids=["on their way", "committed"])
def test_every_copy_names_the_original(engine: EmbeddedEngine, batches: int) -> None:
    """Each differs from the original in one word, and from some other copy in none."""
    copies = [Document(f"copy-{number}", NEWS.replace("。", f"。{DAYS[number % 3]}", 1)) for number in range(9)]
    answers: dict[str, str | None] = {}
    for some in [[BY_ID["news"], *copies]] if batches == 1 else [[BY_ID["news"]], copies[:3], copies[3:]]:
        answers |= run(engine, some, mark=True)
    assert answers == {"news": None, **{one.id: "news" for one in copies}}


@pytest.mark.parametrize("mark", [False, True])
def test_nobody_repeats_what_he_is_apart_from(engine: EmbeddedEngine, mark: bool) -> None:
    engine.write_note(NOTE, Decisions().parting("b", "a").to_bytes())
    wanted = {"a": None, "b": None, "c": "a"}
    assert run(engine, [Document(name, NEWS) for name in wanted], mark=mark) == wanted
    assert run(engine, [Document("b", NEWS)], mark=mark) == {"b": None}, "nor a copy that stands behind it"


@pytest.mark.parametrize("mark", [False, True])
def test_who_is_to_be_kept_repeats_nothing(engine: EmbeddedEngine, mark: bool) -> None:
    engine.write_note(NOTE, Decisions().keeping("b", of="a").to_bytes())
    wanted = {"a": None, "b": None, "c": "a"}
    assert run(engine, [Document(name, NEWS) for name in wanted], mark=mark) == wanted
    assert run(engine, [Document("b", NEWS)], mark=mark) == {"b": None}


def test_marking_again_makes_no_circle(engine: EmbeddedEngine) -> None:
    documents = [BY_ID["news"], BY_ID["news-copy"]]
    wanted = {"news": None, "news-copy": "news"}
    assert run(engine, documents, mark=True) == run(engine, documents, mark=True) == wanted


def test_after_a_commit_the_engine_is_asked(engine: EmbeddedEngine) -> None:
    preparer = Preparer(engine.recipe)
    with engine.writer() as writer, Gate(engine, mark=False, radius=3, min_similarity=None) as gate:
        first = preparer.entries([BY_ID["news"]])
        assert gate.originals(first) == [None]
        writer.put(first)
        writer.commit()
        gate.committed()
        (original,) = gate.originals(preparer.entries([BY_ID["news-copy"]]))
        assert original is not None and original.document == BY_ID["news"]


def test_more_than_fit_at_first(engine: EmbeddedEngine) -> None:
    """The room for fingerprints on their way grows."""
    documents = [
        Document(f"{number}", f"{number} {number * 7919} {number * 104729} {number * 15485863}")
        for number in range(600)
    ]
    answers = run(engine, documents, [Document("again", documents[599].text)], radius=0)
    assert answers["again"] == "599"


def test_stop_words_and_punctuation(engine: EmbeddedEngine) -> None:
    wanted = {"dots-1": None, "dots-2": "dots-1", "dots-3": None, "stop-1": None, "stop-2": "stop-1"}
    assert run(engine, [BY_ID[one] for one in wanted]) == wanted
