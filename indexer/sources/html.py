"""What does a web page say? Its title and its text, without markup, scripts and links through its site."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_SILENT: Final = frozenset(
    ("head", "script", "style", "noscript", "template", "iframe", "noframes", "object", "svg", "math", "rt", "rp")
)
"""Not shown as text; `rt` and `rp` are the pronunciation above Chinese and Japanese words."""
_BLOCKS: Final = frozenset(
    (
        *("address", "article", "aside", "blockquote", "body", "br", "button", "caption", "center", "dd", "details"),
        *("dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3"),
        *("h4", "h5", "h6", "header", "hgroup", "hr", "legend", "li", "main", "menu", "nav", "ol", "optgroup"),
        *("option", "p", "pre", "search", "section", "select", "summary", "table", "tbody", "textarea", "tfoot"),
        *("thead", "tr", "ul"),
    )
)
_CELLS: Final = frozenset(("td", "th"))
_UNCOUNTED: Final = _SILENT | frozenset(
    (
        *("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track"),
        *("wbr", "html", "body", "title", "textarea", "p", "li", "dd", "dt", "option", "optgroup"),
        *("table", "caption", "colgroup", "thead", "tbody", "tfoot", "tr", "td", "th"),
    )
)
"""Tags that open nothing, that end by themselves, or whose ends a parser does not look for above them."""
_LETTERING: Final = frozenset(
    ("a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u")
)
"""Tags that say nothing of the text. Each that is not closed is opened anew in every paragraph."""
_NAVIGATION: Final = "nav, [role=navigation]"
_LINKED: Final = 0.5
"""Share of the letters of a navigation that are links; what is not so, an element that nobody closed, is text."""
_DEEPEST: Final = 512
"""Elements within each other, as in browsers."""
_FEW_TAGS: Final = 5_000
_TAG: Final = re.compile(r"""<(/?)([a-zA-Z][^\s<>/]*+)(?:[^<>"']|"[^"]*"|'[^']*')*+>""")


@dataclass(frozen=True, slots=True)
class Page:
    """Title and text; the title is empty where the page has none."""

    title: str
    text: str


def read_page(html: str) -> Page:
    """Take a page apart. Any text is HTML: this never fails."""
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(_not_too_deep(html))
    title = tree.css_first("head > title") or tree.css_first("title:not(svg title)")
    top = tree.body or tree.root
    return Page(
        "" if title is None else " ".join(title.text().split()),
        _Lines(_navigations(tree)).of(top) or _Lines(frozenset()).of(top),
    )


def _navigations(tree: "LexborHTMLParser") -> frozenset[int]:
    """The elements that hold links to other pages of the site and hardly anything else; of those inside each other the
    outermost."""
    outermost: set[int] = set()
    found: set[int] = set()
    for node in tree.css(_NAVIGATION):
        above = node.parent
        while above is not None and above.mem_id not in outermost:
            above = above.parent
        if above is None:
            outermost.add(node.mem_id)
            links = sum(len("".join(link.text().split())) for link in node.css("a"))
            if links >= _LINKED * len("".join(node.text().split())):
                found.add(node.mem_id)
    return frozenset(found)


def _not_too_deep(html: str) -> str:
    """A page whose tags lie too deep without those that do and without those of lettering.

    A parser looks at all elements above a tag, so a page of tags that are never closed would take it hours, and all
    memory. The text between them stays, and the ends of its lines.
    """
    if html.count("<") <= _FEW_TAGS:
        return html
    depth = lettering = 0
    too_deep = False
    opened: Counter[str] = Counter()
    dropped: Counter[str] = Counter()

    def kept(tag: re.Match[str]) -> str:
        nonlocal depth, lettering, too_deep
        closing, name = tag[1], tag[2].lower()
        if name in _LETTERING:
            if opened[name] or not closing:
                opened[name] += -1 if closing else 1
                lettering += -1 if closing else 1
                too_deep |= lettering > _DEEPEST
            return ""
        if name in _UNCOUNTED or (closing and not opened[name] and not dropped[name]):
            return tag[0]
        if dropped[name] if closing else depth >= _DEEPEST:
            dropped[name] += -1 if closing else 1
            too_deep = True
            return "<br>" if name in _BLOCKS else ""
        opened[name] += -1 if closing else 1
        depth += -1 if closing else 1
        return tag[0]

    less = _TAG.sub(kept, html)
    return less if too_deep else html


class _Lines:
    """Collects text: blocks begin and end lines, blanks within a line are one, as a browser shows it."""

    def __init__(self, left_out: frozenset[int]) -> None:
        self._left_out = left_out
        self._lines: list[str] = []
        self._line: list[str] = []
        self._preformatted = 0

    def of(self, top: "LexborNode | None") -> str:
        # No recursion: pages nest thousands of elements deep.
        node = top
        while node is not None:
            inner = None
            if node.is_text_node:
                self._add(node.text_content or "")
            elif node.is_element_node and node.tag not in _SILENT and node.mem_id not in self._left_out:
                self._open(node.tag or "")
                inner = node.child
                if inner is None:
                    self._close(node.tag or "")
            if inner is not None:
                node = inner
                continue
            while node is not None and node.mem_id != _id(top) and node.next is None:
                node = node.parent
                if node is not None:
                    self._close(node.tag or "")
            node = None if node is None or node.mem_id == _id(top) else node.next
        self._break()
        return "\n".join(self._lines)

    def _add(self, text: str) -> None:
        if not self._preformatted:
            self._line.append(text)
            return
        first, *rest = text.split("\n")
        self._line.append(first)
        for line in rest:
            self._break()
            self._line.append(line)

    def _open(self, tag: str) -> None:
        if tag in _BLOCKS:
            self._break()
            self._preformatted += tag == "pre"
        elif tag in _CELLS:
            self._line.append(" ")

    def _close(self, tag: str) -> None:
        if tag in _BLOCKS:
            self._break()
            self._preformatted -= tag == "pre"

    def _break(self) -> None:
        line = "".join(self._line)
        line = line.rstrip() if self._preformatted else " ".join(line.split())
        if line:
            self._lines.append(line)
        self._line = []


def _id(node: "LexborNode | None") -> int:
    return -1 if node is None else node.mem_id
