"""What is a Markdown text called? Its first heading, as a reader sees it, or the title that its front matter tells.

A heading is a line after `#`, or one above a line of `=`. Read-me files put badges and links to manuals into it: what
is no text of a page is no title, and the address of a badge would be most of one.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

_ATX: Final = re.compile(r" {0,3}#{1,6}[ \t]+(\S.*?)(?:[ \t]+#+)?[ \t]*")
_ABOVE: Final = re.compile(r" {0,3}([^\s#>|`~].*?)[ \t]*")
_UNDERLINE: Final = re.compile(r" {0,3}={2,}[ \t]*")
_FENCE: Final = re.compile(r" {0,3}(?:```|~~~)")
_FRONT_MATTER: Final = ("---", "+++")
"""What stands before and after front matter: of YAML, of TOML."""
_TITLE: Final = re.compile(r"""title[ ]*[:=][ ]*(["']?)(?P<title>[^\s>|"'].*?)\1""")
_TOP_CHARACTERS: Final = 1 << 16
_TOP_LINES: Final = 40
_LINE_CHARACTERS: Final = 2_000
"""So much of a line is read: no heading is longer."""

_TARGET: Final = r"(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])"
"""Where an image or a link leads: an address, or the name of one that stands elsewhere."""
_IMAGE: Final = re.compile(
    rf"""!\[([^\[\]]*)\]{_TARGET}|<img\b(?:[^<>]*?\balt=["']([^"'<>]*))?[^<>]*>""",
    re.IGNORECASE,
)
_LINK: Final = re.compile(rf"(?<!\\)\[([^\[\]]*)\]{_TARGET}")
_TAG: Final = re.compile(
    r"</?(?:a|b|br|center|code|div|em|font|i|kbd|p|picture|small|source|span|strong|sub|sup)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)


def markdown_title(markdown: str) -> str:
    """The first heading near the top, else the title that front matter tells; empty when there is neither."""
    lines = markdown[:_TOP_CHARACTERS].lstrip().split("\n")
    told = ""
    mark = lines[0].rstrip()
    if mark in _FRONT_MATTER and mark in (tail := [line.rstrip() for line in lines[1:]]):
        front, lines = tail[: tail.index(mark)], lines[tail.index(mark) + 2 :]
        told = next((found["title"] for line in front if (found := _TITLE.fullmatch(line))), "")
    return next(filter(None, map(_read, _headings(lines))), told)


def _headings(lines: Sequence[str]) -> Iterator[str]:
    """The headings near the top, outside of code."""
    fenced = False
    above: re.Match[str] | None = None
    seen = 0
    for line in (line[:_LINE_CHARACTERS] for line in lines):
        seen += bool(line.strip())
        if seen > _TOP_LINES:
            return
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced and (heading := _ATX.fullmatch(line) or (above if _UNDERLINE.fullmatch(line) else None)):
            yield heading[1]
        above = None if fenced else _ABOVE.fullmatch(line)


def _read(heading: str) -> str:
    """What is to be read of a heading: no images, unless there is nothing else, the words of its links, no tags."""
    return _words(_IMAGE.sub("", heading)) or _words(_IMAGE.sub(lambda image: image[1] or image[2] or "", heading))


def _words(heading: str) -> str:
    return " ".join(_TAG.sub("", _LINK.sub(r"\1", heading)).split())
