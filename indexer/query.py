"""What did the person ask for? Words, "phrases", -not and field:value, as a small tree that every engine translates.

Nothing a person types is an error: an open quotation mark ends at the end of the line, a lone minus is dropped, and
what only looks like field:value is words.
"""

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from leitong.indexer.errors import UsageError

_PIECE: Final = re.compile(
    r"""(?P<minus>-?)(?:(?P<field>[^\W\d][\w.-]*):(?=\S))?(?:"(?P<phrase>[^"]*)(?:"|$)|(?P<word>\S+))"""
)
MAX_WORDS: Final = 512
"""Words beyond this many are ignored: a whole page pasted into the search box is still a search."""


MAX_WITH_PARTS: Final = 4
"""A longer question looks for whole words only: a part is looked for in every word that the index knows."""


@dataclass(frozen=True, slots=True)
class Words:
    """Words that should be there; a phrase when they must follow each other. `title` asks for the title only."""

    words: tuple[str, ...]
    phrase: bool = False
    title: bool = False


@dataclass(frozen=True, slots=True)
class FieldIs:
    """The metadata field has this value, or holds it in a list; `id` is the document's id."""

    field: str
    value: str


@dataclass(frozen=True, slots=True)
class Query:
    """A full-text question.

    Loose words rank; a document has to hold all of them when there are one or two, else three quarters of them
    (rounded down), unless `least` says how many. Phrases and fields must hold; what is excluded must not. An empty
    query matches every document.
    `parts` are those of all these words that count wherever they stand inside a longer word, phrases apart: 猫 in 熊猫.
    """

    loose: tuple[str, ...] = ()
    required: tuple[Words | FieldIs, ...] = ()
    excluded: tuple[Words | FieldIs, ...] = ()
    parts: frozenset[str] = frozenset()
    least: int | None = None

    def __bool__(self) -> bool:
        """Whether anything is asked for."""
        return self != Query()

    @property
    def needed(self) -> int:
        """How many of the loose words a document has to hold."""
        count = len(self.loose)
        if self.least is not None:
            return min(self.least, count)
        return count if count <= 2 else count * 3 // 4

    @property
    def words(self) -> frozenset[str]:
        """Every word that a highlight should mark."""
        phrases = (word for part in self.required if isinstance(part, Words) for word in part.words)
        return frozenset(self.loose).union(phrases)


class Cutter(Protocol):
    """Makes words of a question the way the documents' words were made."""

    def query_words(self, text: str) -> Sequence[str]:
        """The words, in order."""
        ...

    def is_part(self, word: str) -> bool:
        """Whether the word has to be looked for inside longer words as well."""
        ...


def parse(text: str, *, cutter: Cutter, unknown: Container[FieldIs] = ()) -> Query:
    """Read what a person typed; bytes of the command line that are no text count as `?`.

    What no document has, of `unknown`, is read as words: "注意:大桥" asks for no field.
    """
    text = text.encode("utf-8", "replace").decode()
    loose: dict[str, None] = {}
    required: list[Words | FieldIs] = []
    excluded: list[Words | FieldIs] = []
    for piece in _PIECE.finditer(text):
        part = _part(piece, cutter, unknown)
        if part is None:
            continue
        if piece["minus"]:
            excluded.append(part)
        elif isinstance(part, Words) and not part.phrase and not part.title:
            loose.update(dict.fromkeys(part.words))
        else:
            required.append(part)
    words = tuple(loose)[:MAX_WORDS]
    asked = [part.words for part in (*required, *excluded) if isinstance(part, Words)]
    every = {*words, *(word for some in asked for word in some)}
    parts = filter(cutter.is_part, every) if len(every) <= MAX_WITH_PARTS else ()
    return Query(words, tuple(required), tuple(excluded), frozenset(parts))


def parse_filter(text: str) -> FieldIs:
    """`field=value` or `field:value`, as given to --filter. Raises UsageError for anything else."""
    field, *value = map(str.strip, re.split("[=:]", text, maxsplit=1))
    if not (field and value and value[0]):
        raise UsageError(f"A filter is field=value, for example --filter category=news; {text!r} is not.")
    return FieldIs(field, value[0])


def _part(piece: re.Match[str], cutter: Cutter, unknown: Container[FieldIs]) -> Words | FieldIs | None:
    field, quoted = piece["field"], piece["phrase"] is not None
    value = piece["phrase"] if quoted else piece["word"]
    if field and field != "title" and not value.startswith("//"):
        if not value:
            return None
        if (asked := FieldIs(field, value)) not in unknown:
            return asked
    if field and field != "title":
        value = f"{field}:{value}"
    phrase = quoted or bool(piece["minus"])
    words = tuple(cutter.query_words(value))
    return Words(words, phrase=phrase, title=field == "title") if words else None
