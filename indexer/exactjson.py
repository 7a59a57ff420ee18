"""JSON in which whole numbers keep every digit.

orjson is fast and knows 64 bits only: it refuses to write a larger number, and reads one as a float. Python's own
package is asked where there is such a number, and only there.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

import orjson

_MOST_DEPTH: Final = 254
"""orjson's limit; Python's own package would go deeper than it can read again."""
_SAFE_DIGITS: Final = 18
_TOO_LARGE: Final = 10**308
"""A number of so many digits could not be read again."""
_BEYOND: Final = float(1 << 63)
"""A float of at least this may have been a whole number of more than 64 bits."""


def dumps(value: Any, *, default: Callable[[Any], Any] | None = None) -> bytes:
    """The value as JSON in UTF-8. Raises TypeError for what JSON cannot say, lone surrogates among it."""
    try:
        return orjson.dumps(value, default=default)
    except TypeError as error:
        if "64-bit" not in str(error):
            raise
    for inner, depth in _inside(value):
        if depth > _MOST_DEPTH:
            raise TypeError("Recursion limit reached")
        if isinstance(inner, int) and abs(inner) >= _TOO_LARGE:
            raise TypeError("a whole number of more than 308 digits")
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=default)
        return text.encode()
    except ValueError as error:
        raise TypeError(str(error)) from None


def dumps_any(value: Any) -> bytes:
    """The same of a value that may hold halves of characters, which become escapes: an answer, whatever was asked."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace")


def not_finite(value: Any) -> float | None:
    """A float in the value that is infinity or no number; JSON cannot say it, and `dumps` may write null instead."""
    return next((one for one, _ in _inside(value) if isinstance(one, float) and not math.isfinite(one)), None)


def loads(data: bytes | str) -> Any:
    """The value of JSON. Raises orjson.JSONDecodeError; a whole number may have 308 digits."""
    value = orjson.loads(data)
    if not _may_be_rounded(value):
        return value
    try:
        return json.loads(data)
    except RecursionError:
        return value  # nested deeper than anything that is stored


class Number:
    """A number as it was written, because 64 bits do not hold it."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    @property
    def is_whole(self) -> bool:
        """Whether it is digits only."""
        return self.text.lstrip("-").isdigit()


def loads_as_written(data: bytes | str) -> Any:
    """The value, with a `Number` where 64 bits do not hold one. Raises ValueError for what is no JSON."""
    return json.loads(data, parse_float=_float, parse_int=_whole)


def dumps_as_written(value: Any) -> bytes:
    """JSON of a value that was read so, every number digit for digit. Raises TypeError for what JSON cannot say."""
    return orjson.dumps(value, default=_fragment)


def inexact(value: Any, path: str = "") -> tuple[str, str] | None:
    """Where a value that was read so holds a number that becomes another one as a 64-bit float, and the number."""
    if isinstance(value, Number):
        return None if value.is_whole else (path, value.text)
    if isinstance(value, Mapping):
        inner: Iterator[tuple[str, Any]] = ((f"{path}.{key}" if path else key, one) for key, one in value.items())
    elif isinstance(value, list):
        inner = ((path, one) for one in value)
    else:
        return None
    return next((found for name, one in inner if (found := inexact(one, name))), None)


def _float(text: str) -> Any:
    value = float(text)
    return value if Decimal(repr(value)) == Decimal(text) else Number(text)


def _whole(text: str) -> Any:
    return int(text) if len(text) <= _SAFE_DIGITS else Number(text)


def _fragment(value: Any) -> orjson.Fragment:
    if not isinstance(value, Number):
        raise TypeError(f"Type is not JSON serializable: {type(value).__name__}")
    return orjson.Fragment(value.text)


def _may_be_rounded(value: Any) -> bool:
    """Of what orjson has read; every document that is read goes through here."""
    waiting = [value]
    for one in waiting:
        kind = type(one)
        if kind is float:
            if not -_BEYOND < one < _BEYOND:
                return True
        elif kind is dict:
            waiting.extend(one.values())
        elif kind is list:
            waiting.extend(one)
    return False


def _inside(value: Any) -> Iterator[tuple[Any, int]]:
    """The value and all values in it, with the depth they stand at."""
    waiting = [(value, 0)]
    while waiting:
        value, depth = waiting.pop()
        yield value, depth
        if isinstance(value, Mapping):
            waiting += ((inner, depth + 1) for inner in value.values())
        elif isinstance(value, list | tuple):
            waiting += ((inner, depth + 1) for inner in value)
