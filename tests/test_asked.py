"""What a program may not give to a call is said in a sentence, and changes nothing."""

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from leitong.indexer import Document, FieldIs, Index, LeitongError, fingerprinted, open_index
from leitong.indexer.attaching import attach
from leitong.indexer.attachruns import AttachOptions
from leitong.indexer.duplicates.policy.dedupe import Policy
from leitong.indexer.errors import DocumentError, StorageError, UsageError

BRIDGE = "港珠澳大桥今天正式通车运营，大桥全长五十五公里。"
Call = Callable[[Any], object]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with open_index(tmp_path_factory.mktemp("asked") / "index", create=True) as opened:
        opened.add([Document("a", BRIDGE), Document("b", BRIDGE + "！")])
        yield opened


DOCUMENTS: dict[str, tuple[Any, str]] = {
    "text": (Document("x", 5), "the text is 5, not a text"),  # type: ignore[arg-type]
    "bytes": (Document("x", b"abc"), "the text is b'abc', not a text"),  # type: ignore[arg-type]
    "title": (Document("x", "abc", None), "the title is None, not a text"),  # type: ignore[arg-type]
    "id": (Document(5, "abc"), "Document '5' cannot be added: the id is 5, not a text"),  # type: ignore[arg-type]
    "metadata": (Document("x", "abc", "", [1]), r"the metadata are \[1\], not a dict"),  # type: ignore[arg-type]
    "digits": (Document("x", "abc", "", {"n": 10**400}), "a whole number of more than 308 digits"),
    "not a number": (Document("x", "abc", "", {"n": math.nan}), "the metadata hold nan, which JSON cannot say"),
    "infinity": (Document("x", "abc", "", {"a": [{"n": -math.inf}]}), "the metadata hold -inf, which JSON cannot say"),
    "infinity and digits": (Document("x", "abc", "", {"a": 2**70, "n": math.inf}), "cannot be written as JSON"),
    "no document": ({"id": "x", "text": "abc"}, "is not a Document"),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_is_no_document_is_not_added(index: Index, name: str) -> None:
    document, reason = DOCUMENTS[name]
    with pytest.raises(LeitongError, match=reason):
        index.add([Document("fine", BRIDGE), document])
    assert index.info().documents == 2


def test_a_whole_number_that_can_be_written_can_be_read(index: Index) -> None:
    index.add([Document("digits", "abc def", "", {"n": 10**308 - 1})])
    assert index.get("digits").document.metadata == {"n": 10**308 - 1}
    index.delete(["digits"])


WRONG: dict[str, tuple[Call, str]] = {
    "add a text": (lambda index: index.add("abc"), "'a' is not a Document"),
    "add one document": (lambda index: index.add(Document("x", BRIDGE)), "is no list"),
    "add nothing": (lambda index: index.add(None), "None is no list"),
    "get a number": (lambda index: index.get(5), "5 is not an id"),
    "similar to a number": (lambda index: index.similar(5), "5 is not an id"),
    "surroundings of None": (lambda index: index.surroundings(None), "None is not an id"),
    "delete numbers": (lambda index: index.delete([5]), "5 is not an id"),
    "delete a number": (lambda index: index.delete(5), "5 is no list"),
    "compare numbers": (lambda index: index.compare([5, 6]), "5 is not an id"),
    "delete half a character": (lambda index: index.delete(["\ud800"]), "The id holds bytes that are no characters"),
    "similar to half a character": (
        lambda index: index.similar("a\udc80"),
        "The id holds bytes that are no characters",
    ),
    "search by half a character": (
        lambda index: index.search("大桥", filters=[FieldIs("a", "\ud800")]),
        "The filter holds bytes that are no characters",
    ),
    "documents of a text": (lambda index: index.documents("ab"), "'ab' is one text and no list of ids"),
    "counts of numbers": (lambda index: index.duplicate_counts([5]), "5 is not an id"),
    "search a number": (lambda index: index.search(5), "The question is 5, not a text"),
    "search by a text": (lambda index: index.search("大桥", filters=["a=b"]), "'a=b' is not a filter, such as FieldIs"),
    "size as a text": (lambda index: index.search("大桥", size="1"), "size must be a whole number, not '1'"),
    "from half": (lambda index: index.search("大桥", start=0.5), "start must be a whole number, not 0.5"),
    "radius as a text": (lambda index: index.similar("a", radius="3"), "radius must be a whole number, not '3'"),
    "half a radius": (lambda index: index.similar("a", radius=2.5), "radius must be a whole number, not 2.5"),
    "similarity as a text": (lambda index: index.similar("a", min_similarity="1"), "min_similarity must be 0 to 1"),
    "limit as a text": (lambda index: index.similar("a", limit="5"), "limit must be a whole number"),
    "shape": (lambda index: index.report(shape="ring"), "shape takes connected, star; 'ring' is none of them"),
    "keep": (lambda index: index.report(keep="best"), "keep takes first, oldest, longest, central; 'best' is none"),
    "part": (lambda index: index.report(part="0", parts=2), "part must be a whole number"),
    "score": (lambda index: index.report(combined="keywords"), "'keywords' is no score"),
    "no labels": (lambda index: index.evaluate([]), "There are no labelled pairs"),
    "decide a word": (lambda index: index.decide("keep"), "'keep' is no function"),
    "decide nothing": (lambda index: index.decide(lambda decisions: None), "None is not Decisions"),
    "merge a list": (lambda index: index.merge([]), r"\[\] is not the Parts of a report"),
    "keep no report": (lambda index: index.keep_report(None), "None is not a Report"),
    "dedupe by a word": (lambda index: index.dedupe([], policy="mark", act=False), "'mark' is not a Policy"),
    "dedupe otherwise": (
        lambda index: index.dedupe([], policy=Policy("merge"), act=False),
        "action takes mark, delete; 'merge' is none of them",
    ),
    "dedupe and keep all": (
        lambda index: index.dedupe([], policy=Policy("mark", keep="all"), act=False),
        "keep takes first, oldest, longest, central; 'all' is none of them",
    ),
    "dedupe and keep a list": (
        lambda index: index.dedupe([], policy=Policy("mark", keep=[]), act=False),
        r"keep takes first, oldest, longest, central; \[\] is none of them",
    ),
    "dedupe too alike": (
        lambda index: index.dedupe([], policy=Policy("mark", min_similarity=2), act=False),
        "min_similarity must be 0 to 1, not 2",
    ),
    "dedupe clusters of ids": (
        lambda index: list(index.dedupe([["a", "b"]], policy=Policy("mark"), act=True)),
        r"\['a', 'b'\] is not a ReportedCluster",
    ),
    "dedupe nothing": (lambda index: list(index.dedupe(None, policy=Policy("mark"), act=True)), "None is no list"),
    "labels as tuples": (lambda index: index.evaluate([("a", "b", True)]), "is not a LabelledPair"),
    "sample as a text": (lambda index: index.calibrate(sample="50"), "sample must be a whole number"),
    "no locator": (lambda index: open_index(None), "None names no index"),  # type: ignore[arg-type]
    "NUL in a name": (lambda index: open_index("a\0b", create=True), "it holds a NUL character"),
    "half a character in a name": (lambda index: open_index("a\ud800", create=True), "is no UTF-8"),
    "a name that the terminal does not understand": (
        lambda index: open_index("索引".encode().decode("ascii", "surrogateescape")),
        "Set the terminal to UTF-8",
    ),
    "recipe by its name": (lambda index: open_index("new", create=True, recipe="words"), "is not a Recipe: get one"),
    "index without options": (lambda index: index.index([], options=None), "None is not an IndexOptions"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_argument_is_refused_in_a_sentence(index: Index, name: str) -> None:
    call, reason = WRONG[name]
    with pytest.raises(UsageError, match=reason):
        call(index)
    assert index.info().documents == 2


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda index: index.similar_to(5), "The text cannot be compared: the text is 5, not a text"),
        (lambda index: index.similar_to("abc", title=None), "the title is None, not a text"),
        (lambda index: index.similar_to("abc\ud800"), "the text holds a lone surrogate"),
        (lambda index: index.similar_to("abc", metadata={"n": math.nan}), "the metadata hold nan"),
        (lambda index: index.similar_to("abc", metadata="x"), "the metadata are 'x', not a dict"),
    ],
)
def test_what_is_no_text_is_compared_with_nothing(index: Index, call: Call, reason: str) -> None:
    with pytest.raises(DocumentError, match=reason):
        call(index)


ACTION = {"_index": "news", "_id": "1", "body": BRIDGE}


@pytest.mark.parametrize(
    ("actions", "fields", "title", "reason"),
    [
        (ACTION, ["body"], None, "is no list of actions"),
        (None, ["body"], None, "None is no list of actions"),
        ([ACTION], [5], None, "5 is not the name of a field"),
        ([ACTION], ["body"], ["headline"], "The name of the title_field is .'headline'., not a text"),
    ],
)
def test_what_is_no_action_gets_no_fingerprint(actions: Any, fields: Any, title: Any, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        list(fingerprinted(actions, text_fields=fields, title_field=title))


def test_ids_may_come_from_anywhere(index: Index) -> None:
    assert list(index.documents(doc_id for doc_id in ("a", "none", "b"))) == ["a", "b"]  # type: ignore[arg-type]
    assert index.duplicate_counts({"a": 1}) == {"a": 1}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "call",
    [
        lambda index: index.search("大桥"),
        lambda index: index.similar("a"),
        lambda index: index.similar_to(BRIDGE),
        lambda index: index.get("a"),
        lambda index: index.add([Document("c", BRIDGE)]),
        lambda index: index.delete(["a"]),
        lambda index: index.report(),
        lambda index: index.info(),
        lambda index: index.decisions(),
    ],
)
def test_an_index_that_is_closed_answers_nothing(tmp_path: Path, call: Call) -> None:
    with open_index(tmp_path / "index", create=True) as opened:
        opened.add([Document("a", BRIDGE)])
    opened.close()
    assert opened.locator == str(tmp_path / "index")
    with pytest.raises(UsageError, match=r"The index .* has been closed\. Open it again with open_index"):
        call(opened)


@pytest.mark.parametrize("create", [False, True])
def test_a_name_that_is_too_long_is_said(tmp_path: Path, create: bool) -> None:
    with pytest.raises(StorageError, match=r"File name too long. Choose a shorter name"):
        open_index(tmp_path / ("x" * 300), create=create)


@pytest.mark.parametrize("action", [5, None, ["body"]])
def test_what_is_no_action(action: object) -> None:
    with pytest.raises(UsageError, match="is no action of a bulk helper"):
        list(fingerprinted([{"body": BRIDGE}, action], text_fields=["body"]))
    with pytest.raises(UsageError, match="5 is not a Recipe"):
        list(fingerprinted([], text_fields=["body"], recipe=5))  # type: ignore[arg-type]


@pytest.mark.parametrize("source", [None, [1], 5])
def test_a_source_that_is_no_document_passes_as_it_is(source: object) -> None:
    action = {"_op_type": "index", "_id": "1", "_source": source}
    assert list(fingerprinted([action], text_fields=["body"])) == [action]


@pytest.mark.parametrize(
    ("text", "title", "said"),
    [
        ("body", None, "a list of names"),
        ([""], None, "has no name"),
        (["body"], "", "has no name"),
        (["body", "body"], None, "'body' is named twice"),
        (["body"], "body", "'body' is named twice"),
        (["leitong"], None, "a field of ours"),
        (["body"], "leitong.tokens", "a field of ours"),
    ],
)
def test_fields_that_hold_no_text_of_the_owner(text: Any, title: str | None, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        list(fingerprinted([{"body": BRIDGE}], text_fields=text, title_field=title))
    options = AttachOptions(rejects=Path("rejects.jsonl"))
    with pytest.raises(UsageError, match=said):
        attach("http://127.0.0.1:9/theirs", text_fields=text, title_field=title, options=options)
