"""Values of databases and tables as JSON values, so that any of them may be metadata."""

import base64
import math
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from typing import Any


def to_json(value: Any) -> Any:
    """The JSON value for a Python value.

    Dates and times become ISO text, durations seconds, bytes their text or else base64, decimals text, so that no digit
    is lost; sequences become lists; keys become text. What is not a number is how tables mark a missing one, and null.
    Raises ValueError for infinity.
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        if math.isinf(value):
            raise ValueError("infinity")
        return None if math.isnan(value) else value
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, bytes | bytearray | memoryview):
        return _bytes(bytes(value))
    if isinstance(value, Mapping):
        return {str(key): to_json(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [to_json(inner) for inner in value]
    return str(value)


def _bytes(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return base64.b64encode(value).decode()
