"""What does a web page say? Its title and its text, without markup and scripts."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

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


@dataclass(frozen=True, slots=True)
class Page:
    """Title and text; the title is empty where the page has none."""

    title: str
    text: str


def read_page(html: str) -> Page:
    """Take a page apart. Any text is HTML: this never fails."""
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(html)
    title = tree.css_first("head > title") or tree.css_first("title:not(svg title)")
    return Page("" if title is None else " ".join(title.text().split()), _Lines().of(tree.body or tree.root))


class _Lines:
    """Collects text: blocks begin and end lines, blanks within a line are one, as a browser shows it."""

    def __init__(self) -> None:
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
            elif node.is_element_node and node.tag not in _SILENT:
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
