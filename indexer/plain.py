"""How is a text from somewhere else written, so that a screen or a page shows it and never obeys it? And a number of
things, a value, a word of a shell?"""

import json
import re
import shlex
from typing import Any, Final

STEERING: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u202a-\u202e\u2066-\u2069\ufff9-\ufffb\ud800-\udfff]|\r(?!\n)"
)
"""Characters that steer a screen, those that turn writing round, and halves of characters. Not line ends and tabs."""
_PICTURES: Final = "\u2190-\u2bff\U0001f000-\U0001faff"
"""Arrows, signs and emoji: what joins two of them, or chooses how one looks, is seen."""
_IGNORED: Final = (
    "\xad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f\u2060-\u2065\u206a-\u206f\u3164\ufe00-\ufe0e\ufeff"
    "\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Unicode's Default_Ignorable_Code_Point, shown as nothing, without those that steer and those of pictures."""
_UNSEEN: Final = re.compile(
    rf"{STEERING.pattern}|[^\S \u3000]|^ | $|[{_IGNORED}]"
    rf"|(?<![{_PICTURES}\ufe0f])\u200d|\u200d(?![{_PICTURES}])|(?<![\u2190-\u2bff])\ufe0f"
)


def plain(text: str) -> str:
    """The text with � for each character that steers."""
    return STEERING.sub("\ufffd", text)


def by_numbers(text: str) -> str:
    """JSON with each character that steers as its number."""
    return STEERING.sub(_number, text)


def counted(number: int, noun: str) -> str:
    """`1 document`, `1,200 documents`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def written_id(doc_id: str) -> str:
    """An id on one line as inside a JSON string, so that two ids never look the same for what nobody sees in them.
    Blanks but the usual ones, blanks at the ends, what is shown as nothing, and what steers are written as numbers."""
    return _UNSEEN.sub(_number, json.dumps(doc_id, ensure_ascii=False)[1:-1])


def written_value(value: Any) -> str:
    """A value of metadata: a text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def shell_word(text: str) -> str:
    """The text as it can be pasted into a shell; where something of it is not seen, as bash and zsh read `$'…'`."""
    if not _UNSEEN.search(text):
        return shlex.quote(text)
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"$'{_UNSEEN.sub(_point, escaped)}'"


def _point(found: re.Match[str]) -> str:
    return "".join(f"\\U{ord(character):08x}" for character in found.group())


def _number(found: re.Match[str]) -> str:
    units = found.group().encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))
