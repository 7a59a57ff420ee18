"""How is a text from somewhere else written, so that a screen or a page shows it and never obeys it? And a number of
things?"""

import json
import re
from typing import Final

STEERING: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u202a-\u202e\u2066-\u2069\ufff9-\ufffb\ud800-\udfff]|\r(?!\n)"
)
"""Characters that steer a screen, those that turn writing round, and halves of characters. Not line ends and tabs."""
_UNSEEN: Final = re.compile(rf"{STEERING.pattern}|[^\S \u3000]|^ | $")


def plain(text: str) -> str:
    """The text with � for each character that steers."""
    return STEERING.sub("\ufffd", text)


def counted(number: int, noun: str) -> str:
    """`1 document`, `1,200 documents`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def written_id(doc_id: str) -> str:
    """An id on one line as inside a JSON string, so that two ids never look the same for what nobody sees in them:
    blanks but the usual ones, blanks at the ends, and what steers are written as their numbers."""
    return _UNSEEN.sub(_number, json.dumps(doc_id, ensure_ascii=False)[1:-1])


def _number(found: re.Match[str]) -> str:
    return f"\\u{ord(found.group()):04x}"
