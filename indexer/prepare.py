"""What is computed of a document before it is stored: fingerprint, digest, and the words it is found by."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.documents import Document, Entry, StoredDocument
from leitong.indexer.fingerprint import signs
from leitong.indexer.fingerprint.emphasis import Context
from leitong.indexer.fingerprint.hamming import Fingerprints, unpack
from leitong.indexer.fingerprint.normalise import Folded, normalise_all
from leitong.indexer.fingerprint.numbering import told, unnumbered
from leitong.indexer.fingerprint.numbers import Numbers
from leitong.indexer.fingerprint.recipe import Recipe
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
from leitong.indexer.fingerprint.simhash import Fingerprinter
from leitong.indexer.fingerprint.terms import Terms, term_hashes, terms
from leitong.indexer.forms import SearchForms, search_form, search_words

_CACHED_CHARACTERS: Final = 60_000
"""Of texts that are short enough together for the processor's cache."""
_HEADING: Final = 200
NAMED: Final = 4
"""Of one text in so many it is learned which terms are common."""


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
        sizes = np.array([len(part) for part in parts], dtype=np.int64).reshape(-1, 4)
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


@dataclass(frozen=True, slots=True)
class Text:
    """What a passage is compared by: its shingles, the words of its title (as in `Outlines`), its letters where it is
    short, its units (hashes and spans, in order) and how many of them are its title, its digest, its numbers, the first
    letters of its title, and what it is found by. Numbering (see `numbering`) is in its shingles, digest and keys only.

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
    all_told = told(folded, [(cut.units, cut.spans) for cut in cuts])
    return [
        Text(
            shingles=cut.shingles,
            title=cut.title,
            letters=own,
            units=says.units,
            spans=says.spans,
            titled=cut.titled,
            digest=_digest(cut.units, text),
            numbers=says.numbers,
            heading=_heading(unnumbered(title)),
            ways=_ways(own, _heading(title)),
        )
        for cut, says, own, text, title in zip(cuts, all_told, short, folded, titles, strict=True)
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


@dataclass(frozen=True, slots=True)
class Prepared:
    """What was computed of some passages, in few large values: those travel between processes much faster than many
    small ones. The keys of passage i end before key_ends[i]; `outlines` where they were asked for.
    """

    fingerprints: Fingerprints
    features: NDArray[np.int64]
    digests: list[str]
    title_tokens: list[str]
    tokens: list[str]
    keys: NDArray[np.uint64]
    key_ends: NDArray[np.int64]
    outlines: Outlines | None = None

    def entries(self, documents: Sequence[Document]) -> list[Entry]:
        """The entries of the documents whose passages these are."""
        ends = self.key_ends.tolist()
        columns = zip(
            documents,
            unpack(self.fingerprints),
            self.features.tolist(),
            self.digests,
            self.title_tokens,
            self.tokens,
            pairwise([0, *ends]),
            strict=True,
        )
        keys = self.keys.tolist()
        return [
            Entry(
                StoredDocument(document, fingerprint, features, digest, cluster=document.id),
                title_tokens,
                tokens,
                tuple(keys[start:end]),
            )
            for document, fingerprint, features, digest, title_tokens, tokens, (start, end) in columns
        ]


@dataclass(frozen=True, slots=True)
class _Sketched:
    """Digest and sketch of a text, and the other ways to it; where its outline is wanted the sets of that too."""

    digest: str
    sketch: Shingles
    ways: Shingles
    outline: tuple[Shingles, ...] = ()


def _sketched(texts: Sequence[Folded], titles: Sequence[Folded], *, outlined: bool) -> Iterator[_Sketched]:
    """Of each text; its outline costs half as much again."""
    folded = [text.text for text in texts]
    ways = [_ways(letters(text), _heading(title.text)) for text, title in zip(folded, titles, strict=True)]
    if outlined:
        cuts = _cuts(folded, [title.text for title in titles])
        for text, more, cut in zip(folded, ways, cuts, strict=True):
            outline = cut.shingles, cut.title, more, _named(cut.shingles, cut.units)
            yield _Sketched(_digest(cut.units, text), sketch(cut.shingles), more, outline)
        return
    for some in together(list(map(len, folded)), _CACHED_CHARACTERS):
        group = folded[some]
        found = units(group)
        for text, more, hashes, few in zip(group, ways[some], found.of_each(), sketches(runs(found)), strict=True):
            yield _Sketched(_digest(hashes, text), few, more)


def _keys(found: Sequence[_Sketched]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """What each text is found by, and where each one's end: its sketch, the other ways to it, and its digest."""
    own = np.array([_digest_key(one.digest) for one in found], dtype=np.uint64)
    parts = [part for place, one in enumerate(found) for part in (one.sketch, one.ways, own[place : place + 1])]
    sizes = np.array([len(one.sketch) + len(one.ways) + 1 for one in found], dtype=np.int64)
    return np.concatenate([own[:0], *parts]), np.cumsum(sizes)


def _digest_key(digest: str) -> int:
    """The key by which a text is found by its equals and by no others, even if nothing else of it is rare."""
    return int(digest[:16], 16)


class Preparer:
    """Turns documents into entries by one recipe, the same on every path: bulk, single, query."""

    def __init__(self, recipe: Recipe) -> None:
        self.fingerprinter = Fingerprinter(recipe)
        self._forms = SearchForms(self.fingerprinter.segmenter)

    def prepare(self, passages: Sequence[Passage], *, outlined: bool = False) -> Prepared:
        """What is computed of each passage, in order; with `outlined` also what is learned from."""
        script = self.fingerprinter.recipe.script
        folded = normalise_all([passage.whole for passage in passages], script=script)
        titles = normalise_all([passage.title for passage in passages], script=script)
        words = self.fingerprinter.find_words(folded)
        contexts = [passage.context for passage in passages]
        batch = self.fingerprinter.fingerprints(words, folded, contexts=contexts)
        tokens = self._forms.write(words, folded)
        title_tokens = self._forms.write(self.fingerprinter.find_words(titles), titles)
        found = list(_sketched(folded, titles, outlined=outlined))
        keys, key_ends = _keys(found)
        return Prepared(
            fingerprints=batch.fingerprints,
            features=batch.features,
            digests=[one.digest for one in found],
            title_tokens=title_tokens,
            tokens=tokens,
            keys=keys,
            key_ends=key_ends,
            outlines=Outlines.of([part for one in found for part in one.outline]) if outlined else None,
        )

    def passage(self, document: Document) -> Passage:
        """What the recipe computes with."""
        return Passage.of(document, fields=self.fingerprinter.recipe.value_fields)

    def entries(self, documents: Sequence[Document]) -> list[Entry]:
        """Entries of a batch, in order."""
        return self.prepare(list(map(self.passage, documents))).entries(documents)

    def query_words(self, text: str) -> list[str]:
        """Words of a question, in order, by which documents are found."""
        folded = self.fingerprinter.recipe.normalise(text)
        return [form for form in map(search_form, self.search_words(folded)) if form]

    def search_words(self, text: str) -> list[str]:
        """The words of a normalised text by which a search finds it, as they stand there; see `search_form`."""
        return search_words(text, self.fingerprinter.segmenter)

    def is_part(self, word: str) -> bool:
        """Whether a word of a question has to be looked for inside longer words as well."""
        return self.fingerprinter.segmenter.is_part(word) or signs.is_one_letter(word)
