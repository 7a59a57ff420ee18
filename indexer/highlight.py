"""Where in the original text do the words of a question stand?

Documents are found by normalised words; people read the text as it was written. The text is cut as it stands, and a
piece is marked when its normalised form is one of the words, or when a shorter word inside it is.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from leitong.indexer.fingerprint.normalise import PLAIN, normalise
from leitong.indexer.fingerprint.segment import BLANKLESS_RUN, WITHOUT_BLANKS
from leitong.indexer.fingerprint.signs import SIGNS
from leitong.indexer.forms import search_form

SNIPPET_CHARACTERS: Final = 120
_SCANNED_CHARACTERS: Final = 50_000
_WORD: Final = 20
"""A longer run of letters is no word that should stand whole."""
_PART: Final = 12
"""A longer word stands by itself."""
_INK: Final = re.compile(r"\S")
_UNIT: Final = re.compile(rf"(?P<plain>[{PLAIN}]+)(?![\u0300-\u036f])|\S[\u0300-\u036f{SIGNS}]*|\s+")
"""A run of letters that keep their places, or one letter with its accents or signs."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of a text and the marked spans in it, as (start, end) of the piece.

    `follows` something of the text that is left out; there is `more` behind it.
    """

    text: str
    marks: tuple[tuple[int, int], ...]
    follows: bool = False
    more: bool = False

    def marked(
        self,
        before: str = "<em>",
        after: str = "</em>",
        escape: Callable[[str], str] = lambda text: text,
        left_out: str = "",
    ) -> str:
        """The text with something before and after each mark; everything else goes through `escape`.

        `left_out` stands where something of the text does not.
        """
        out: list[str] = [left_out] if self.follows else []
        end = 0
        for start, stop in self.marks:
            out += [escape(self.text[end:start]), before, escape(self.text[start:stop]), after]
            end = stop
        return "".join([*out, escape(self.text[end:]), left_out if self.more else ""])


def snippet(
    text: str,
    words: frozenset[str],
    *,
    cut: Callable[[str], Sequence[str]],
    fold: Callable[[str], str] = normalise,
    parts: frozenset[str] = frozenset(),
) -> Snippet:
    """The piece of the text, about SNIPPET_CHARACTERS long, that holds most of the words, with all of them marked.

    A text that is no longer is given whole, and the end of one that is with what stands before it.

    Only the first 50,000 characters are looked at; `fold` normalises them and `cut` makes words of that. `parts` are
    marked inside longer words too, however short they are.
    """
    whole, text = text, text[:_SCANNED_CHARACTERS]
    marks = find(text, words, cut=cut, fold=fold, parts=parts)
    start = _best_start(marks)
    if start > 0:  # begin a little before the first mark, at the beginning of a sentence if one is near
        begin = max(0, start - SNIPPET_CHARACTERS // 4)
        sentence = re.search(r"[。！？!?\n]\s*|\.\s+", text[begin:start])
        start = begin + sentence.end() if sentence else _word_start(text, begin, start)
    end = start + SNIPPET_CHARACTERS
    if end > len(text):
        start, end = _word_before(text, max(0, len(text) - SNIPPET_CHARACTERS)), len(text)
    piece = re.sub(r"\s", " ", text[start:end])
    inside = [(a - start, b - start) for a, b in marks if a >= start and b <= end]
    follows, more = _INK.search(whole, 0, start), _INK.search(whole, end)
    return Snippet(piece, tuple(inside), follows=follows is not None, more=more is not None)


def find(
    text: str,
    words: frozenset[str],
    *,
    cut: Callable[[str], Sequence[str]],
    fold: Callable[[str], str] = normalise,
    parts: frozenset[str] = frozenset(),
) -> list[tuple[int, int]]:
    """Spans of the text that are one of the words, in order, overlapping ones joined."""
    if not words:
        return []
    pieces: list[str] = []
    origin: list[int] = []
    for unit in _UNIT.finditer(text):
        folded = fold(unit.group())
        pieces.append(folded)
        if unit["plain"]:
            origin += range(unit.start(), unit.end())
            continue
        origin += [unit.start()] * (len(folded) - 1) + [unit.start()] if folded else []
    folded_text = "".join(pieces)
    origin.append(len(text))
    spans: list[tuple[int, int]] = []
    place, before = 0, ""
    for word in cut(folded_text):
        found = _next(folded_text, word, place, before)
        if found < 0:
            continue
        place, before = found, word
        for start, end in _inside(word, words, parts):
            spans.append((origin[place + start], _end(origin, place + end)))
    return _joined(spans)


def _next(text: str, word: str, place: int, before: str) -> int:
    """Where a word stands, after the word before it, which stands at `place`; less than 0 when nowhere.

    Neighbouring characters overlap: each such word begins inside the one before it and ends behind it.
    """
    end = place + len(before)
    overlaps = BLANKLESS_RUN.fullmatch(before) or (len(before) > 2 and word.startswith(before[1:]))
    if text.startswith(word, end) and not overlaps:
        return end
    for start in range(max(place, end - len(word)) + 1, end):
        if text.startswith(word, start):
            return start
    return text.find(word, end)


def _word_start(text: str, begin: int, limit: int) -> int:
    """The first place from `begin` on that is not in the middle of a word of letters, blanks left out; `limit` at the
    latest."""
    while 0 < begin < limit and _within_word(text, begin):
        begin += 1
    while begin < limit and text[begin].isspace():
        begin += 1
    return begin


def _word_before(text: str, place: int) -> int:
    """Where the word of letters begins that a place is in the middle of; not far before it."""
    start = place
    while start > 0 and place - start < _WORD and _within_word(text, start):
        start -= 1
    return place if start and _within_word(text, start) else start


def _within_word(text: str, place: int) -> bool:
    return text[place - 1].isascii() and text[place - 1].isalnum() and text[place].isalnum()


def _inside(word: str, words: frozenset[str], parts: frozenset[str]) -> list[tuple[int, int]]:
    if search_form(word) in words:
        return [(0, len(word))]
    spans = [(found.start(), found.end()) for part in parts for found in re.finditer(re.escape(part), word)]
    if len(word) < 3 or word.isascii():
        return spans
    inner = (place for place in range(1, len(word)) if WITHOUT_BLANKS.search(word[place - 1 : place + 1]))
    edges = [0, *inner, len(word)]
    return spans + [
        (start, end)
        for place, start in enumerate(edges, 1)
        for end in edges[place : place + _PART]
        if 2 <= end - start <= _PART and word[start:end] in words
    ]


def _end(origin: list[int], place: int) -> int:
    """Where the character before `place` ends in the original."""
    start = origin[place - 1]
    while place < len(origin) - 1 and origin[place] == start:
        place += 1
    return origin[place]


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return out


def _best_start(marks: list[tuple[int, int]]) -> int:
    best, best_covered, last = 0, 0, 0
    for first, (start, _) in enumerate(marks):
        last = max(last, first)
        while last < len(marks) and marks[last][1] <= start + SNIPPET_CHARACTERS * 3 // 4:
            last += 1
        if last - first > best_covered:
            best, best_covered = start, last - first
    return best
