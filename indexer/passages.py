"""What of a document is compared with others, what is it found by, and what is learned from it?"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.documents import Document
from leitong.indexer.fingerprint.emphasis import Context
from leitong.indexer.fingerprint.normalise import Folded, normalise_all
from leitong.indexer.fingerprint.numbering import unnumbered, without_numbering
from leitong.indexer.fingerprint.numbers import Numbers
from leitong.indexer.fingerprint.shingles import (
    Shingles,
    runs,
    shingle_sets,
    sketch,
    sketches,
    units,
    words_and_pairs,
)
from leitong.indexer.fingerprint.short import Letters, all_letters, letters, short_keys
from leitong.indexer.fingerprint.spelling import Spelling, spellings
from leitong.indexer.fingerprint.terms import Terms, term_hashes, terms

_CACHED_CHARACTERS: Final = 60_000
"""Of texts that are short enough together for the processor's cache."""
_HEADING: Final = 200
PARTS: Final = 4
"""Sets of an outline."""
NAMED: Final = 4
"""Of one text in so many it is learned which terms are common."""


@dataclass(frozen=True, slots=True)
class Passage:
    """The part of a document that is computed with: its title, the whole of title and text, values of short fields."""

    title: str
    whole: str
    values: tuple[str, ...] = ()

    @classmethod
    def of(cls, document: Document, *, fields: Sequence[str] = ()) -> "Passage":
        """The passage of a document; `fields` are a recipe's `value_fields`."""
        return cls(document.title, document.passage, field_values(document.metadata, fields) if fields else ())

    @property
    def context(self) -> Context:
        """What the weights of its words may depend on."""
        return Context(self.title, self.values)

    def __reduce__(self) -> tuple[Any, ...]:
        """Many travel to other processes; what a dataclass does for that takes half as long again."""
        return Passage, (self.title, self.whole, self.values)


@dataclass(frozen=True, slots=True)
class Text:
    """What a passage is compared by: its shingles, the words of its title (as in `Outlines`), its letters where it is
    short, its units (hashes and spans, in order) and how many of them are its title, its digest, its numbers, the first
    letters of its title, how it is spelled, and what it is found by. Numbering (see `numbering`) is in its shingles,
    digest, spelling and keys only.

    The digest is equal for passages of the same words and characters in the same order, whatever their punctuation,
    width, case and white space.
    """

    shingles: Shingles
    title: Shingles
    letters: Letters
    units: NDArray[np.uint64]
    spans: NDArray[np.uint8]
    titled: int
    digest: str
    numbers: Numbers
    heading: Letters
    spelling: Spelling
    ways: Shingles

    @property
    def keys(self) -> Shingles:
        """What the text is found by where fingerprints do not find it; the same numbers are stored with it."""
        return np.concatenate([sketch(self.shingles), self.ways])

    @property
    def terms(self) -> Terms:
        """What the text names; few texts are asked."""
        return terms(self.units)


@dataclass(frozen=True, slots=True)
class Sketched:
    """Digest and sketch of a text, and the other ways to it; where its outline is wanted the sets of that too."""

    digest: str
    sketch: Shingles
    ways: Shingles
    outline: tuple[Shingles, ...] = ()


@dataclass(frozen=True, slots=True)
class Outlines:
    """What is common to many passages is learned from this: of each passage four sets of sorted distinct hashes.

    shingles    of the passage
    title       each unit of the title and each two neighbouring ones; none where there is no title
    ways        what the text is found by beside its sketch, see `_ways`
    named       the terms of one text in NAMED, without counts: enough to tell which are common

    `values` holds the four of one passage after those of the other, `sizes` how many of each; shape (n, 4). So they
    travel, and are kept, at the cost of copying bytes.
    """

    values: NDArray[np.uint64]
    sizes: NDArray[np.int64]

    @classmethod
    def of(cls, parts: Sequence[Shingles]) -> "Outlines":
        """Of four sets for each passage."""
        sizes = np.array([len(part) for part in parts], dtype=np.int64).reshape(-1, PARTS)
        return cls(np.concatenate([np.empty(0, dtype=np.uint64), *parts]), sizes)

    @classmethod
    def join(cls, some: Sequence["Outlines"]) -> "Outlines":
        """One after the other."""
        return cls(np.concatenate([one.values for one in some]), np.concatenate([one.sizes for one in some]))

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def lengths(self) -> list[int]:
        """How many values each passage has."""
        lengths: list[int] = self.sizes.sum(axis=1).tolist()
        return lengths

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where the values of each passage begin."""
        whole = self.sizes.sum(axis=1)
        starts: NDArray[np.int64] = np.cumsum(whole) - whole
        return starts

    def take(self, places: NDArray[np.int64]) -> "Outlines":
        """Those of some passages."""
        starts, ends = self.starts[places], (self.starts + self.sizes.sum(axis=1))[places]
        parts = [self.values[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
        return Outlines(np.concatenate([self.values[:0], *parts]), self.sizes[places])


def field_values(metadata: Mapping[str, Any], fields: Sequence[str]) -> tuple[str, ...]:
    """The values of these fields, or of all where one is `*`: of lists their items, of null and objects none."""
    names = sorted(metadata) if "*" in fields else fields
    values = (metadata.get(name) for name in names)
    items = (item for value in values for item in (value if isinstance(value, list) else [value]))
    texts = (str(item).strip() for item in items if item is not None and not isinstance(item, dict | list))
    return tuple(text for text in texts if text)


def read(passage: str, *, title: str = "", script: str = "") -> Text:
    """What a passage is compared by; the title, where there is one, stands in the passage too.

    `script` is the recipe's.
    """
    return read_all([Passage(title, passage)], script=script)[0]


def read_all(passages: Sequence[Passage], *, script: str = "") -> list[Text]:
    """What each passage is compared by, in order: a third of the cost of one by one."""
    folded, titles = _folded(passages, script)
    cuts = list(_cuts(folded, titles))
    short = map(letters, folded)
    units_of = [(cut.units, cut.spans) for cut in cuts]
    plain, spelled = without_numbering(folded, units_of), spellings(folded, units_of)
    return [
        Text(
            shingles=cut.shingles,
            title=cut.title,
            letters=own,
            units=bare.units,
            spans=bare.spans,
            titled=cut.titled,
            digest=_digest(cut.units, text),
            numbers=bare.numbers,
            heading=_heading(unnumbered(title)),
            spelling=spelling,
            ways=_ways(own, _heading(title)),
        )
        for cut, bare, spelling, own, text, title in zip(cuts, plain, spelled, short, folded, titles, strict=True)
    ]


def outlines(passages: Sequence[Passage], *, script: str = "") -> Outlines:
    """The outlines of passages, in order: half of the cost of reading them."""
    folded, titles = _folded(passages, script)
    parts: list[Shingles] = []
    for cut, text, title in zip(_cuts(folded, titles), folded, titles, strict=True):
        ways = _ways(letters(text), _heading(title))
        parts += (cut.shingles, cut.title, ways, _named(cut.shingles, cut.units))
    return Outlines.of(parts)


def _folded(passages: Sequence[Passage], script: str) -> tuple[list[str], list[str]]:
    """Passages and titles, normalised."""
    folded = normalise_all([passage.whole for passage in passages], script=script)
    titles = normalise_all([passage.title for passage in passages], script=script)
    return [text.text for text in folded], [title.text for title in titles]


@dataclass(frozen=True, slots=True)
class _Cut:
    """Of a normalised passage its shingles and units, and of its title without numbering the words and their number."""

    shingles: Shingles
    title: Shingles
    units: NDArray[np.uint64]
    spans: NDArray[np.uint8]
    titled: int


def _cuts(folded: Sequence[str], titles: Sequence[str]) -> Iterator[_Cut]:
    """Of each normalised passage."""
    titled = units(list(map(unnumbered, titles)))
    words = iter(zip(words_and_pairs(titled), np.diff(titled.bounds).tolist(), strict=True))
    for some in together(list(map(len, folded)), _CACHED_CHARACTERS):
        group = folded[some]
        found = units(group)
        sets = zip(shingle_sets(found), islice(words, len(group)), pairwise(found.bounds.tolist()), strict=True)
        for shingles, (title, count), (start, end) in sets:
            yield _Cut(shingles, title, found.hashes[start:end], found.spans[start:end], count)


def _heading(title: str) -> Letters:
    """The first letters of a normalised title."""
    return all_letters(title)[:_HEADING]


def _ways(found: Letters, heading: Letters) -> Shingles:
    """What a text is found by beside its sketch, sorted: its letters where it is short, and its title.

    The sketch of a page that is nearly all form holds nothing rare; few pages have its title.
    """
    keys = short_keys(found)
    if not len(heading):
        return keys
    digest = hashlib.blake2b(heading.astype("<u8").tobytes(), digest_size=8, person=b"title").digest()
    title = np.array([int.from_bytes(digest)], dtype=np.uint64)
    return np.sort(np.concatenate([keys, title])) if len(keys) else title


def _named(shingles: Shingles, hashes: NDArray[np.uint64]) -> Shingles:
    """The terms of a text, of one text in NAMED; near copies are mostly chosen together."""
    if not len(shingles) or int(shingles[0]) % NAMED:
        return np.empty(0, dtype=np.uint64)
    return term_hashes(terms(hashes))


def together(sizes: Sequence[int], most: int) -> Iterator[slice]:
    """Neighbours that have at most so much together, or are one."""
    start = sum_ = 0
    for place, size in enumerate(sizes):
        if place > start and sum_ + size > most:
            yield slice(start, place)
            start, sum_ = place, 0
        sum_ += size
    if sizes:
        yield slice(start, len(sizes))


def _digest(hashes: NDArray[np.uint64], folded: str) -> str:
    """128 bits of a text's units; of what else it holds where there are none."""
    content = hashes.data if len(hashes) else " ".join(folded.split()).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def sketched(texts: Sequence[Folded], titles: Sequence[Folded], *, outlined: bool) -> Iterator[Sketched]:
    """Of each text; its outline costs half as much again."""
    folded = [text.text for text in texts]
    ways = [_ways(letters(text), _heading(title.text)) for text, title in zip(folded, titles, strict=True)]
    if outlined:
        cuts = _cuts(folded, [title.text for title in titles])
        for text, more, cut in zip(folded, ways, cuts, strict=True):
            outline = cut.shingles, cut.title, more, _named(cut.shingles, cut.units)
            yield Sketched(_digest(cut.units, text), sketch(cut.shingles), more, outline)
        return
    for some in together(list(map(len, folded)), _CACHED_CHARACTERS):
        group = folded[some]
        found = units(group)
        for text, more, hashes, few in zip(group, ways[some], found.of_each(), sketches(runs(found)), strict=True):
            yield Sketched(_digest(hashes, text), few, more)
