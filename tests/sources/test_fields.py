"""Which fields of a record make the document?"""

import json
from typing import Any

import pytest

from tests.sources.reading import Outcome, read

TEXT = "中国人民银行决定下调存款准备金率。"


def record(value: dict[str, Any], **fields: Any) -> Outcome:
    return read("-", stdin=json.dumps(value).encode(), **fields)


def test_usual_names_need_no_options() -> None:
    document = record({"id": "a/1", "title": "央行", "text": TEXT, "date": "2018-10-07", "tags": ["金融"]}).only
    assert (document.id, document.title, document.text) == ("a/1", "央行", TEXT)
    assert document.metadata == {"date": "2018-10-07", "tags": ["金融"]}


@pytest.mark.parametrize(
    ("value", "text", "metadata"),
    [
        ({"id": "1", "content": "a"}, "a", {}),
        ({"id": "1", "body": "a"}, "a", {}),
        ({"id": "1", "body": "b", "content": "a"}, "a", {"body": "b"}),
        ({"id": "1", "content": "b", "text": "a"}, "a", {"content": "b"}),
        ({"id": "1", "content": "b", "text": None}, "b", {"text": None}),
        ({"_id": "1", "text": "a"}, "a", {}),
        ({"id": "1", "_id": "2", "text": "a"}, "a", {"_id": "2"}),
        ({"id": None, "_id": "1", "text": "a"}, "a", {"id": None}),
    ],
)
def test_second_choices_of_the_usual_names(value: dict[str, Any], text: str, metadata: dict[str, Any]) -> None:
    document = record(value).only
    assert (document.id, document.text, document.metadata) == ("1", text, metadata)


def test_a_named_field_excludes_the_usual_ones() -> None:
    document = record({"id": "1", "text": "a", "abstract": "b", "key": 7}, text="abstract", id="key").only
    assert (document.id, document.text) == ("7", "b")
    assert document.metadata == {"id": "1", "text": "a"}


def test_a_dotted_name_reaches_into_objects_and_the_rest_of_the_object_stays() -> None:
    value = {"_id": "1", "_source": {"title": "央行", "text": TEXT, "year": 2018}, "_score": 1.5}
    document = record(value, title="_source.title", text="_source.text").only
    assert (document.title, document.text) == ("央行", TEXT)
    assert document.metadata == {"_source": {"year": 2018}, "_score": 1.5}


def test_an_object_that_held_only_the_text_is_gone() -> None:
    assert record({"id": "1", "a": {"b": {"c": TEXT}}}, text="a.b.c").only.metadata == {}


def test_a_literal_name_with_dots_goes_first() -> None:
    assert record({"id": "1", "a.b": "literal", "a": {"b": "inner"}}, text="a.b").only.text == "literal"


def test_dots_may_be_inside_a_name_on_the_way() -> None:
    assert record({"id": "1", "a.b": {"c": "inner"}}, text="a.b.c").only.text == "inner"


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ({"metadata": {"a": 1}, "b": 2}, {"a": 1, "b": 2}),
        ({"metadata": {"b": 1}, "b": 2}, {"b": 2}),
        ({"metadata": "a text", "b": 2}, {"metadata": "a text", "b": 2}),
        ({"metadata": {"metadata": {"a": 1}}}, {"metadata": {"a": 1}}),
    ],
)
def test_an_object_named_metadata_is_spread(value: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert record({"id": "1", "text": "a", **value}).only.metadata == wanted


def test_named_metadata_leaves_out_the_rest() -> None:
    value = {"id": "1", "text": "a", "x": 1, "y": {"z": 2}, "w": 3}
    assert record(value, metadata=("x", "y.z", "absent")).only.metadata == {"x": 1, "y.z": 2}
    assert record(value, metadata=()).only.metadata == {}


@pytest.mark.parametrize(
    ("text", "wanted"), [(["one", "two"], "one\ntwo"), (["one"], "one"), ("line\r\nline", "line\r\nline")]
)
def test_a_list_of_texts_is_joined_by_newlines(text: object, wanted: str) -> None:
    assert record({"id": "1", "text": text}).only.text == wanted


@pytest.mark.parametrize(
    ("title", "wanted"), [(2018, "2018"), (1.5, "1.5"), (None, ""), ("央行", "央行"), (["a", "b"], "a b")]
)
def test_titles_that_are_taken(title: object, wanted: str) -> None:
    assert record({"id": "1", "text": "a", "title": title}).only.title == wanted


@pytest.mark.parametrize(
    ("id", "wanted"),
    [(7, "7"), (-1, "-1"), (0, "0"), (2**64 - 1, str(2**64 - 1)), (10**30 + 1, str(10**30 + 1)), ("00", "00")],
)
def test_whole_numbers_become_ids(id: object, wanted: str) -> None:
    assert record({"id": id, "text": "a"}).only.id == wanted


@pytest.mark.parametrize("id", ["a\nb", "a/b\\c", "🀄️", "a b", "é" * 256, "\u2028", "<script>"])
def test_strange_ids_are_ids(id: str) -> None:
    assert record({"id": id, "text": "a"}).only.id == id


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({"id": 1.5, "text": "a"}, "the id is a number that is not whole (1.5), not a text"),
        ({"id": True, "text": "a"}, "the id is true or false"),
        ({"id": ["a"], "text": "a"}, "the id is a list"),
        ({"_id": {"$oid": "5f"}, "text": "a"}, "the id is an object, not a text or a whole number; name a field"),
        ({"id": "", "text": "a"}, "the id is empty"),
        ({"id": "x" * 513, "text": "a"}, "the id has 513 bytes"),
        ({"id": "字" * 171, "text": "a"}, "the id has 513 bytes"),
        ({"id": "a\0b", "text": "a"}, "the id holds a NUL"),
        ({"id": "1"}, "there is no field 'text'; the record has 'id'; name the right one with --text-field"),
        ({}, "there is no field 'text': the record has no fields at all"),
        ({"id": "1", "text": None}, "the field 'text' is null"),
        ({"id": "1", "text": ""}, "there is no text"),
        ({"id": "1", "text": " \n\t\u3000"}, "there is no text"),
        ({"id": "1", "text": []}, "there is no text"),
        ({"id": "1", "text": 5}, "the text is a number"),
        ({"id": "1", "text": False}, "the text is true or false"),
        ({"id": "1", "text": {"zh": "a"}}, "the text is an object"),
        ({"id": "1", "text": ["a", 5]}, "the text is a list that holds a number"),
        ({"id": "1", "text": ["a", None]}, "the text is a list that holds null"),
        ({"id": "1", "text": "a\0b"}, "the text holds a NUL"),
        ({"id": "1", "text": "a", "title": True}, "the title is true or false"),
        ({"id": "1", "text": "a", "title": {}}, "the title is an object"),
        ({"id": "1", "text": "字" * 3_333_334}, "the text has 10,000,002 bytes, more than 10,000,000"),
    ],
)  # fmt: skip
def test_records_that_are_no_documents(value: dict[str, Any], reason: str) -> None:
    reject = record(value).reject
    assert reject.reason.startswith(reason)
    assert (reject.source, reject.line) == ("stdin", 1)
    assert json.loads(reject.record) == value


def test_an_object_as_id_names_the_field_inside_that_would_do() -> None:
    reason = record({"_id": {"$oid": "5f"}, "text": "a"}).reject.reason
    assert reason.endswith("--id-field '_id.$oid'")
    assert record({"_id": {"$oid": "5f"}, "text": "a"}, id="_id.$oid").only.id == "5f"


def test_the_longest_text_is_taken() -> None:
    assert len(record({"id": "1", "text": "字" * 3_333_333}).only.text) == 3_333_333


def test_a_reject_carries_its_id_when_it_has_a_usable_one() -> None:
    assert record({"id": "n7", "text": ""}).reject.id == "n7"
    assert record({"text": ""}).reject.id is None
    assert record({"id": "x" * 600, "text": "a"}).reject.id is None


@pytest.mark.parametrize(
    ("option", "reason"),
    [
        ({"text": "abstract"}, "there is no field 'abstract'; the record has 'id', 'text'; name the right one"),
        ({"id": "key"}, "there is no field 'key'; the record has 'id', 'text'; name the right one with --id-field"),
        ({"text": "text.zh"}, "there is no field 'text.zh'; the record has 'id', 'text'"),
    ],
)  # fmt: skip
def test_a_wrong_field_name_is_answered_with_the_right_ones(option: dict[str, str], reason: str) -> None:
    assert record({"id": "1", "text": "a"}, **option).reject.reason.startswith(reason)


def test_many_fields_are_not_all_told() -> None:
    reason = record({f"field{number}": 1 for number in range(40)}).reject.reason
    assert "'field0', 'field1'" in reason
    assert "and 28 more" in reason


def test_a_title_field_that_no_record_has_is_remarked_on_and_loses_nothing() -> None:
    outcome = read("-", stdin=b'{"id":1,"text":"a"}\n{"id":2,"text":"b"}', title="headline", metadata=("text", "date"))
    assert outcome.ids == ["1", "2"]
    assert [remark.partition(".")[0] for remark in outcome.sources[0].remarks] == [
        "No record of stdin has a field 'headline' (--title-field)",
        "No record of stdin has a field 'date' (--metadata-field)",
    ]


def test_a_title_field_that_one_record_has_is_not_remarked_on() -> None:
    outcome = read("-", stdin=b'{"id":1,"text":"a"}\n{"id":2,"text":"b","headline":"x"}', title="headline")
    assert [document.title for document in outcome.documents] == ["", "x"]
    assert not outcome.sources[0].remarks
