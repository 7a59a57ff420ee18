"""Which words of a document stand where they count more: in its title, or in a sentence that a signpost opens?

A mark is made of pieces of the document: every word of a piece has the mark, wherever else it stands.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import Final

from leitong.indexer.fingerprint.normalise import normalise

_SENTENCE: Final = re.compile(r"(?:[^。！？；!?;\n.]|\.(?!\s|$))+")
_BEFORE: Final = r"[\s“”‘’\"'「『（(《\[—…,，、]*"


@dataclass(frozen=True, slots=True)
class Context:
    """What is known of a text beside its words: its title, which stands in the text too, and values of short fields."""

    title: str = ""
    values: tuple[str, ...] = ()


PLAIN: Final = Context()


@dataclass(frozen=True)
class Signposts:
    """Expressions that announce what matters: "综上所述", "in conclusion". All are normalised."""

    expressions: frozenset[str]

    @cached_property
    def _anywhere(self) -> re.Pattern[str]:
        longest_first = sorted(self.expressions, key=lambda one: (-len(one), one))
        return re.compile("|".join(map(_whole, longest_first)) or r"(?!)")

    @cached_property
    def _opening(self) -> re.Pattern[str]:
        return re.compile(f"{_BEFORE}(?:{self._anywhere.pattern})")

    def pieces(self, text: str) -> Iterator[str]:
        """Every signpost of a normalised text, and every sentence that opens with one."""
        for sentence in _SENTENCE.findall(text):
            if self._opening.match(sentence):
                yield sentence
            else:
                yield from self._anywhere.findall(sentence)


def _whole(expression: str) -> str:
    """The expression; where it is written in letters, not inside a longer word."""
    return rf"\b{re.escape(expression)}\b" if expression.isascii() else re.escape(expression)


def signposts(more: Sequence[str] = ()) -> Signposts:
    """The shipped lists, Chinese and English, and further expressions."""
    found = set(map(normalise, more))
    for name in ("zh", "en"):
        resource = files("leitong.indexer.fingerprint") / "data" / f"signposts-{name}.txt"
        found.update(map(normalise, resource.read_text(encoding="utf-8").split("\n")))
    return Signposts(frozenset(found - {""}))
