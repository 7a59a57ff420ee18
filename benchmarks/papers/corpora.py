"""Real texts for the experiments: topics of news, and documents that have nothing to do with them.

Real collections hold duplicates that nobody labelled, and an experiment that counts them as mistakes measures nothing.
So a document is taken only when at most a fifth of its sentences stand in a document taken before it. That asks none of
the methods that are compared.
"""

import gzip
import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

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
    """Takes documents that hardly share a sentence with those taken before, and are no mere snippets."""

    def __init__(self) -> None:
        self._holders: dict[str, set[int]] = defaultdict(set)
        self._sizes: list[int] = []

    def take(self, document: Document) -> bool:
        """Whether the document is taken."""
        plain = ("".join(filter(str.isalnum, normalise(one))) for one in sentences(document.text))
        found = {one for one in plain if len(one) >= _SENTENCE_LETTERS}
        if len(found) < _LEAST_SENTENCES or sum(map(len, found)) < _LEAST_LETTERS:
            return False
        shared = Counter(holder for one in found for holder in self._holders[one])
        if any(count > _SHARED * min(len(found), self._sizes[holder]) for holder, count in shared.items()):
            return False
        for one in found:
            self._holders[one].add(len(self._sizes))
        self._sizes.append(len(found))
        return True
