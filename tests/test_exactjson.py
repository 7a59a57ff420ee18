"""JSON keeps every digit of a whole number; everything else is as orjson has it."""

import json
import math

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from leitong.indexer.exactjson import dumps, loads

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12)


@given(values)
@example(2**64)
@example(-(2**63) - 1)
@example({"a": [10**300, 1e300, 0.1], "雷": "同"})
def test_what_is_written_is_read(value: object) -> None:
    again = loads(dumps(value))
    assert again == value
    assert json.dumps(again) == json.dumps(value)


@given(values)
def test_read_as_by_pythons_own_package(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False).encode()
    assert json.dumps(loads(text)) == json.dumps(json.loads(text))


@pytest.mark.parametrize("bad", [{1, 2}, [2**70, {1}], [2**70, "\ud800"], [2**70, math.nan], [2**70, object()]])
def test_what_json_cannot_say(bad: object) -> None:
    with pytest.raises(TypeError):
        dumps(bad)


@pytest.mark.parametrize("inner", [1, 2**70])
def test_depth_has_one_limit(inner: object) -> None:
    for depth, fine in ((250, True), (256, False), (5_000, False)):
        value = inner
        for _ in range(depth):
            value = [value]
        if fine:
            assert loads(dumps(value)) == value
        else:
            with pytest.raises(TypeError, match="Recursion limit"):
                dumps(value)


@pytest.mark.parametrize("text", [b"[1e400]", b"9" * 309, b"{", b"\xff", b"[" * 5_000])
def test_what_is_no_json(text: bytes) -> None:
    with pytest.raises(orjson.JSONDecodeError):
        loads(text)
