"""Real texts for the experiments: topics of news, and documents that have nothing to do with them.

Real collections hold duplicates that nobody labelled, and an experiment that counts them as mistakes measures nothing.
So a document is taken only when of its sentences, and of its runs of ten letters, at most a fifth stand in a document
taken before it. That asks none of the methods that are compared.
"""

import gzip
import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Set
from functools import cache
from pathlib import Path
from typing import Final

import mmh3

from benchmarks.measure import SKIPPED, scale_file
from benchmarks.papers.copies import sentences
from leitong.indexer.documents import Document
from leitong.indexer.fingerprint.normalise import normalise

TOPICS: Final = ("testEdu", "testHealth", "testTech", "testSport", "testFashion")
"""Education, medicine, technology, sport and fashion: what the labelled news has that comes nearest."""
_OTHERS: Final = ("xwlb-items", "lctt-zh")
_MARKS: Final = tuple(source.encode() for source in _OTHERS)
_SENTENCE_LETTERS: Final = 12
_SHARED: Final = 0.2
_RUN: Final = 10
_RUNS_OF: Final = 8
_LEAST_SENTENCES: Final = 5
_LEAST_LETTERS: Final = 150


def data() -> Path:
    """The folder of the real data; the experiment ends with a message where it is absent."""
    folder = Path(os.environ.get("LEITONG_DATA", ""))
    if not os.environ.get("LEITONG_DATA") or not folder.is_dir():
        print("skipped: the real texts are absent; set LEITONG_DATA to their folder", file=sys.stderr)
        raise SystemExit(SKIPPED)
    return folder


@cache
def news() -> tuple[Document, ...]:
    """All documents of the labelled web news."""
    with gzip.open(data() / "zh-webnews-2018" / "docs.jsonl.gz") as file:
        records = map(json.loads, file)
        return tuple(Document(one["id"], one["text"], one.get("title") or "") for one in records)


@cache
def topics() -> tuple[tuple[Document, ...], ...]:
    """The distinct documents of each topic."""
    seen = Distinct()
    return tuple(tuple(one for one in news() if one.id.startswith(f"{topic}/") and seen.take(one)) for topic in TOPICS)


def unrelated(count: int, *, apart_from: Iterable[Document]) -> list[Document]:
    """So many distinct documents of other sources, in turn: a news programme, articles about Linux, entertainment."""
    seen = Distinct()
    for document in apart_from:
        seen.take(document)
    by_source: dict[str, list[Document]] = defaultdict(list)
    for source in _OTHERS:
        by_source[source] = large_collection(source)
    by_source["news"] = [one for one in news() if one.id.split("/")[0] in ("Entertainment", "SportNews")]
    out: list[Document] = []
    for document in _in_turn([iter(some) for some in by_source.values()]):
        if len(out) == count:
            break
        if seen.take(document):
            out.append(document)
    return out


@cache
def _by_source() -> dict[str, list[Document]]:
    found: dict[str, list[Document]] = {source: [] for source in _OTHERS}
    with gzip.open(scale_file()) as file:
        for line in file:
            if any(source in line[:60] for source in _MARKS):  # the id begins with the source
                one = json.loads(line)
                found[one["source"]].append(Document(one["id"], one["text"], one.get("title") or ""))
    return found


def large_collection(source: str) -> list[Document]:
    """The documents of one source of the large collection."""
    return _by_source()[source]


def _in_turn(sources: list[Iterator[Document]]) -> Iterator[Document]:
    while sources:
        for source in list(sources):
            document = next(source, None)
            if document is None:
                sources.remove(source)
            else:
                yield document


class Distinct:
    """Takes documents that hardly share a sentence or a run of letters with those taken before, and are no snippets."""

    def __init__(self) -> None:
        self._sentences = _Shared()
        self._runs = _Shared()

    def take(self, document: Document) -> bool:
        """Whether the document is taken."""
        plain = [_letters(one) for one in sentences(document.text)]
        found = {one for one in plain if len(one) >= _SENTENCE_LETTERS}
        if len(found) < _LEAST_SENTENCES or sum(map(len, found)) < _LEAST_LETTERS:
            return False
        runs = _some_runs("".join(plain))
        if self._sentences.too_many(found) or self._runs.too_many(runs):
            return False
        self._sentences.add(found)
        self._runs.add(runs)
        return True


class _Shared:
    """What each of some documents holds."""

    def __init__(self) -> None:
        self._holders: dict[Hashable, list[int]] = defaultdict(list)
        self._sizes: list[int] = []

    def too_many(self, found: Set[Hashable]) -> bool:
        """Whether one of the documents has more than a fifth of this, or this of it."""
        shared = Counter(holder for one in found for holder in self._holders.get(one, ()))
        return any(count > _SHARED * min(len(found), self._sizes[holder]) for holder, count in shared.items())

    def add(self, found: Set[Hashable]) -> None:
        """Another document."""
        for one in found:
            self._holders[one].append(len(self._sizes))
        self._sizes.append(len(found))


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, normalise(text)))


def _some_runs(letters: str) -> set[Hashable]:
    """One in eight of the distinct runs of ten letters, chosen by their hash."""
    runs = (mmh3.hash(letters[start : start + _RUN], signed=False) for start in range(len(letters) - _RUN + 1))
    return {run for run in runs if run % _RUNS_OF == 0}
