"""How is a text from somewhere else shown, so that it can do nothing but be read?"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

from markupsafe import Markup, escape

from leitong.indexer.highlight import Snippet
from leitong.indexer.plain import STEERING, written_id

PART_CHARACTERS: Final = 20_000
"""A longer text is shown in parts."""
_SEARCHED: Final = 400
_HAN: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_KANA: Final = re.compile("[\u3040-\u30ff]")
_HANGUL: Final = re.compile("[\uac00-\ud7af]")


def shown(text: str) -> Markup:
    """A text with everything escaped; characters that steer a screen or turn writing round show their number."""
    out: list[str] = []
    end = 0
    for found in STEERING.finditer(text):
        out += [escape(text[end : found.start()]), _number(found.group())]
        end = found.end()
    return Markup("".join([*out, escape(text[end:])]))


def marked(snippet: Snippet) -> Markup:
    """A snippet with its words marked, and … where something is left out."""
    return Markup(snippet.marked("<mark>", "</mark>", lambda piece: str(shown(piece)), "…"))


def one_line(text: str, most: int = 300) -> str:
    """The beginning of a text as one line, for titles and lists."""
    line = " ".join(text[: most * 4].split())
    return line if len(line) <= most else line[: most - 1] + "…"


def identity(doc_id: str, most: int = 300) -> str:
    """An id for a line that names a document: no two of that length look the same."""
    line = written_id(doc_id)
    return line if len(line) <= most else line[: most - 1] + "…"


def language_of(text: str) -> str | None:
    """The language a browser should choose letters for: Chinese, Japanese or Korean; None for any other."""
    start = text[:2000]
    han, kana, hangul = (len(letters.findall(start)) for letters in (_HAN, _KANA, _HANGUL))
    letters = sum(map(str.isalpha, start))
    if hangul * 5 > letters:
        return "ko"
    if kana * 10 > letters:
        return "ja"
    return "zh" if han * 5 > letters else None


def parts(text: str) -> list[tuple[int, int]]:
    """Where the parts of a text begin and end: at ends of lines or sentences where some are near."""
    places = list(_ends(text))
    return list(zip([0, *places[:-1]], places, strict=True))


def lines(text: str) -> Sequence[str]:
    """The lines that are not blank."""
    return [line.rstrip() for line in re.split(r"\r\n?|\n|\u2028|\u2029", text) if line.strip()]


def _ends(text: str) -> Iterator[int]:
    start = 0
    while len(text) - start > PART_CHARACTERS:
        end = start + PART_CHARACTERS
        for sign in ("\n", "。", ". "):
            place = text.rfind(sign, end - _SEARCHED, end)
            if place >= 0:
                end = place + len(sign)
                break
        else:
            while end < len(text) and unicodedata.combining(text[end]):
                end += 1
        yield end
        start = end
    yield len(text)


def _number(character: str) -> str:
    return f'<span class="control">U+{ord(character):04X}</span>'
