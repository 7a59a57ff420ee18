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
    def _inside(self) -> tuple[re.Pattern[str], ...]:
        """Two patterns: expressions in letters, of which most sentences have no first one, and all others.

        An alternation of nothing but texts is searched by their first characters, many times as fast.
        """
        in_letters = sorted(filter(str.isascii, self.expressions), key=_longest_first)
        others = sorted(self.expressions.difference(in_letters), key=_longest_first)
        firsts = "".join(map(re.escape, sorted({one[0] for one in in_letters})))
        letters = rf"\b(?=[{firsts}])(?:{_any(in_letters)})\b" if in_letters else r"(?!)"
        return re.compile(_any(others) or r"(?!)"), re.compile(letters)

    @cached_property
    def _opening(self) -> re.Pattern[str]:
        return re.compile("|".join(f"{_BEFORE}(?:{one.pattern})" for one in self._inside))

    def pieces(self, text: str) -> Iterator[str]:
        """Every signpost of a normalised text, and every sentence that opens with one."""
        for sentence in _SENTENCE.findall(text):
            found = [one for pattern in self._inside for one in pattern.findall(sentence)]
            if found and self._opening.match(sentence):
                yield sentence
            else:
                yield from found


def _longest_first(expression: str) -> tuple[int, str]:
    return -len(expression), expression


def _any(expressions: Sequence[str]) -> str:
    return "|".join(map(re.escape, expressions))


def signposts(more: Sequence[str] = (), *, script: str = "") -> Signposts:
    """The shipped lists, Chinese and English, and further expressions."""
    found = {*more}
    for name in ("zh", "en"):
        resource = files("leitong.indexer.fingerprint") / "data" / f"signposts-{name}.txt"
        found.update(resource.read_text(encoding="utf-8").split("\n"))
    return Signposts(frozenset({normalise(one, script=script) for one in found} - {""}))
