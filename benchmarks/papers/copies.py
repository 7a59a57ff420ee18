"""Copies of documents by the one procedure of all experiments, so that nobody chooses the edits to suit a result.

Each sentence is dropped and each word replaced with some probability, by a random word of the same part of speech that
stands in the topic's documents; pairs of neighbouring sentences are swapped; one sentence of boilerplate is put before
the text and one behind it. In titles words are replaced likewise.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Final

import rjieba

from leitong.indexer.documents import Document

COPIES: Final = 4
_SENTENCE: Final = re.compile(r"[^。！？!?；;\n]*(?:[。！？!?；;\n]+|$)")
_BOILERPLATE: Final = tuple(
    (Path(__file__).with_name("boilerplate.txt")).read_text(encoding="utf-8").strip().split("\n")
)
_cutter: Final = rjieba.Jieba()


@dataclass(frozen=True, slots=True)
class Setting:
    """How much is edited: probabilities of a sentence and of a word, and swaps of neighbouring sentences."""

    name: str
    drop: float
    replace: float
    swaps: int


USUAL: Final = Setting("usual", 0.10, 0.05, 1)
HARD: Final = Setting("harder", 0.20, 0.10, 3)


@dataclass(frozen=True, slots=True)
class Grouped:
    """A document and the number of the seed, or topic, that it belongs to; -1 for one that was only mixed in."""

    document: Document
    group: int


def sentences(text: str) -> list[str]:
    """The sentences of a text, each with what ends it; together they are the text."""
    return [one for one in _SENTENCE.findall(text) if one]


class Copier:
    """Makes copies of the documents of one topic."""

    def __init__(self, topic: Iterable[Document], setting: Setting, random: Random) -> None:
        self._setting = setting
        self._random = random
        self._words: dict[str, list[str]] = defaultdict(list)
        for document in topic:
            for word, tag in _cutter.tag(document.text):
                if any(map(str.isalnum, word)):
                    self._words[tag].append(word)

    def copies(self, seed: Document) -> list[Document]:
        """The document itself and its copies."""
        made = [self._copy(seed, number) for number in range(1, COPIES + 1)]
        return [seed, *made]

    def _copy(self, seed: Document, number: int) -> Document:
        random = self._random
        kept = [one for one in sentences(seed.text) if random.random() >= self._setting.drop]
        changed = [self._replaced(one) for one in kept]
        for _ in range(self._setting.swaps if len(changed) > 1 else 0):
            at = random.randrange(len(changed) - 1)
            changed[at], changed[at + 1] = changed[at + 1], changed[at]
        before, after = random.choice(_BOILERPLATE), random.choice(_BOILERPLATE)
        text = f"{before}\n{''.join(changed)}\n{after}"
        return replace(seed, id=f"{seed.id}#{number}", text=text, title=self._replaced(seed.title))

    def _replaced(self, text: str) -> str:
        return "".join(self._other(word, tag) for word, tag in _cutter.tag(text))

    def _other(self, word: str, tag: str) -> str:
        if not any(map(str.isalnum, word)) or self._random.random() >= self._setting.replace:
            return word
        return self._random.choice(self._words[tag]) if self._words[tag] else word


def with_copies(topics: Sequence[Sequence[Document]], seeds: int, setting: Setting, *, seed: int) -> list[Grouped]:
    """So many seeds of each topic, each with its copies; their groups are numbered over all topics."""
    random = Random(seed)
    out: list[Grouped] = []
    group = 0
    for topic in topics:
        copier = Copier(topic, setting, random)
        for document in random.sample(list(topic), seeds):
            out += [Grouped(one, group) for one in copier.copies(document)]
            group += 1
    return out
