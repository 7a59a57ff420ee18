"""Copies as people make them: words replaced, sentences moved, paragraphs cut, a header put in front."""

import re
from collections.abc import Sequence
from random import Random
from typing import Final, Literal, get_args

from leitong.indexer.fingerprint.normalise import HAN, char_class

Edit = Literal["words replaced", "sentences moved", "paragraphs cut", "header added"]
EDITS: Final[tuple[Edit, ...]] = get_args(Edit)

_HAN: Final = char_class(HAN)
_WORD: Final = re.compile(rf"[{_HAN}]{{2}}|[{_HAN}]|(?:(?![{_HAN}])[^\W_])+")
_SENTENCE: Final = re.compile(r"[^。！？!?；;\n]*(?:[。！？!?；;\n]+|$)")


def words(text: str) -> list[str]:
    """Words in order: runs of letters, and Chinese characters two by two."""
    return _WORD.findall(text)


def edit(text: str, kind: Edit, rate: float, *, foreign: Sequence[str], header: str, random: Random) -> str | None:
    """The text with about so much of it edited, 0…1 of its characters; None where it is too short for that edit.

    `foreign` are words to put in place of others, `header` what a header is made of; neither may be empty.
    """
    amount = max(1, round(rate * len(text)))
    match kind:
        case "words replaced":
            return _replaced(text, amount, foreign, random)
        case "sentences moved":
            return _moved(text, amount, random)
        case "paragraphs cut":
            return _cut(text, amount, random)
        case "header added":
            return f"{(header * (amount // len(header) + 1))[:amount]}\n{text}"


def _replaced(text: str, amount: int, foreign: Sequence[str], random: Random) -> str | None:
    found = list(_WORD.finditer(text))
    if not found:
        return None
    random.shuffle(found)
    chosen: list[re.Match[str]] = []
    while found and amount > 0:
        chosen.append(found.pop())
        amount -= len(chosen[-1].group())
    parts: list[str] = []
    end = 0
    for word in sorted(chosen, key=lambda one: one.start()):
        parts += [text[end : word.start()], random.choice(foreign)]
        end = word.end()
    return "".join([*parts, text[end:]])


def _moved(text: str, amount: int, random: Random) -> str | None:
    sentences = [sentence for sentence in _SENTENCE.findall(text) if sentence]
    if len(sentences) < 2:
        return None
    order = list(range(len(sentences)))
    random.shuffle(order)
    moving: list[int] = []
    while len(order) > 1 and amount > 0:
        moving.append(order.pop())
        amount -= len(sentences[moving[-1]])
    staying = [number for number in range(len(sentences)) if number not in set(moving)]
    for number in moving:
        places = [place for place in range(len(staying) + 1) if not _at_home(staying, place, number)]
        staying.insert(random.choice(places or [0]), number)
    return "".join(sentences[number] for number in staying)


def _at_home(staying: Sequence[int], place: int, number: int) -> bool:
    """Whether the sentence would stand again between its old neighbours."""
    before = staying[place - 1] if place else -1
    after = staying[place] if place < len(staying) else number + 1
    return before < number < after


def _cut(text: str, amount: int, random: Random) -> str | None:
    if amount >= len(text):
        return None
    starts = [0]
    for sentence in _SENTENCE.findall(text):
        starts.append(starts[-1] + len(sentence))
    possible = [start for start in starts if start + amount <= len(text)]
    start = random.choice(possible)
    rest = text[:start] + text[start + amount :]
    return rest if rest.strip() else None
