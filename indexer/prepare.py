"""What is computed of a document before it is stored: fingerprint, digest, and the words it is found by."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.documents import Document, Entry, StoredDocument
from leitong.indexer.fingerprint.hamming import Fingerprints, unpack
from leitong.indexer.fingerprint.marks import Context
from leitong.indexer.fingerprint.normalise import Folded, normalise_all
from leitong.indexer.fingerprint.numbers import Numbers, numbers
from leitong.indexer.fingerprint.recipe import Recipe
from leitong.indexer.fingerprint.shingles import Shingles, distinct, runs, sketch, sketches, units
from leitong.indexer.fingerprint.short import Letters, all_letters, letters, short_keys
from leitong.indexer.fingerprint.simhash import Fingerprinter
from leitong.indexer.fingerprint.terms import Terms, term_hashes, terms
from leitong.indexer.forms import SearchForms, search_form

_CACHED_CHARACTERS: Final = 60_000
_HEADING: Final = 200
NAMED: Final = 4
"""Of one text in so many it is learned which terms are common."""


@dataclass(frozen=True, slots=True)
class Outline:
    """What is common to many passages is learned from this: shingles, the words of the title, the letters of a short
    text, the terms of some texts.

    `title` holds a hash of each unit of the title and of each two neighbouring ones, sorted and distinct; none where
    there is no title. `named` holds the terms of one text in NAMED, without counts: enough to tell which are common.
    """

    shingles: Shingles
    title: Shingles
    letters: Letters
    named: Shingles


@dataclass(frozen=True, slots=True)
class Outlines:
    """The outlines of some passages as two arrays: they travel, and are kept, at the cost of copying bytes.

    `values` holds shingles, title, letters and terms of one passage after the other, `sizes` how many of each; shape
    (n, 4).
    """

    values: NDArray[np.uint64]
    sizes: NDArray[np.int64]

    @classmethod
    def of(cls, outlines: Sequence[Outline]) -> "Outlines":
        """These, in order."""
        parts = [part for one in outlines for part in (one.shingles, one.title, one.letters, one.named)]
        sizes = np.array([len(part) for part in parts], dtype=np.int64).reshape(-1, 4)
        return cls(np.concatenate([np.empty(0, dtype=np.uint64), *parts]), sizes)

    def of_each(self) -> Iterator[Outline]:
        """The outline of each passage, in order."""
        end = 0
        for size in self.sizes.tolist():
            parts: list[NDArray[np.uint64]] = []
            for part in size:
                parts.append(self.values[end : end + part])
                end += part
            yield Outline(*parts)


@dataclass(frozen=True, slots=True)
class Text(Outline):
    """What a passage is compared by: its outline, its terms, its digest, its numbers, the first letters of its title.

    The digest is equal for passages of the same words and characters in the same order, whatever their punctuation,
    width, case and white space.
    """

    terms: Terms
    digest: str
    numbers: Numbers
    heading: Letters

    @property
    def keys(self) -> Shingles:
        """What the text is found by where fingerprints do not find it; the same numbers are stored with it."""
        return np.concatenate([sketch(self.shingles), short_keys(self.letters)])


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
    return [
        Text(
            shingles=outline.shingles,
            title=outline.title,
            letters=outline.letters,
            named=outline.named,
            terms=terms(hashes),
            digest=_digest(hashes, text),
            numbers=numbers(text),
            heading=all_letters(title)[:_HEADING],
        )
        for (outline, hashes), text, title in zip(_outlined(folded, titles), folded, titles, strict=True)
    ]


def outlines(passages: Sequence[Passage], *, script: str = "") -> list[Outline]:
    """The outline of each passage, in order: half of the cost of reading it."""
    return [outline for outline, _ in _outlined(*_folded(passages, script))]


def _folded(passages: Sequence[Passage], script: str) -> tuple[list[str], list[str]]:
    """Passages and titles, normalised."""
    folded = normalise_all([passage.whole for passage in passages], script=script)
    titles = normalise_all([passage.title for passage in passages], script=script)
    return [text.text for text in folded], [title.text for title in titles]


def _outlined(folded: Sequence[str], titles: Sequence[str]) -> Iterator[tuple[Outline, NDArray[np.uint64]]]:
    """The outline of each normalised passage, and the hashes of its units."""
    words = iter(units(titles).of_each())
    for group in _groups(folded):
        found = units(group)
        for text, hashes, values in zip(group, found.of_each(), runs(found).of_each(), strict=True):
            shingles = distinct(values)
            outline = Outline(shingles, _title_words(next(words)), letters(text), _named(shingles, hashes))
            yield outline, hashes


def _named(shingles: Shingles, hashes: NDArray[np.uint64]) -> Shingles:
    """The terms of a text, of one text in NAMED; near copies are mostly chosen together."""
    if not len(shingles) or int(shingles[0]) % NAMED:
        return np.empty(0, dtype=np.uint64)
    return term_hashes(terms(hashes))


def _groups(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Texts that are short enough together for the processor's cache."""
    start = size = 0
    for place, text in enumerate(texts):
        if size and size + len(text) > _CACHED_CHARACTERS:
            yield texts[start:place]
            start, size = place, 0
        size += len(text)
    if texts:
        yield texts[start:]


def _digest(hashes: NDArray[np.uint64], folded: str) -> str:
    """128 bits of a text's units; of what else it holds where there are none."""
    content = hashes.tobytes() if len(hashes) else " ".join(folded.split()).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _title_words(units: NDArray[np.uint64]) -> Shingles:
    pairs = units[:-1] * np.uint64(31) + units[1:]
    return distinct(np.concatenate([units, pairs]))


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
    """Digest and keys of a text, and its outline where that is wanted."""

    digest: str
    keys: NDArray[np.uint64]
    outline: Outline | None


def _sketched(texts: Sequence[Folded], titles: Sequence[Folded], *, outlined: bool) -> Iterator[_Sketched]:
    """Of each text; its outline costs half as much again."""
    folded = [text.text for text in texts]
    if outlined:
        for text, (outline, hashes) in zip(folded, _outlined(folded, [title.text for title in titles]), strict=True):
            digest = _digest(hashes, text)
            yield _Sketched(digest, _keys(digest, sketch(outline.shingles), outline.letters), outline)
        return
    for group in _groups(folded):
        found = units(group)
        for text, hashes, few in zip(group, found.of_each(), sketches(runs(found)), strict=True):
            digest = _digest(hashes, text)
            yield _Sketched(digest, _keys(digest, few, letters(text)), None)


def _keys(digest: str, sketched: Shingles, found: Letters) -> NDArray[np.uint64]:
    """What a text is found by: its sketch, its letters where it is short, and its digest."""
    own = np.array([_digest_key(digest)], dtype=np.uint64)
    return np.concatenate([sketched, short_keys(found), own] if len(found) else [sketched, own])


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
        tokens = self._forms.write(words)
        title_tokens = self._forms.write(self.fingerprinter.find_words(titles))
        found = list(_sketched(folded, titles, outlined=outlined))
        return Prepared(
            fingerprints=batch.fingerprints,
            features=batch.features,
            digests=[one.digest for one in found],
            title_tokens=title_tokens,
            tokens=tokens,
            keys=np.concatenate([np.empty(0, dtype=np.uint64), *(one.keys for one in found)]),
            key_ends=np.cumsum([len(one.keys) for one in found], dtype=np.int64),
            outlines=Outlines.of([one.outline for one in found if one.outline]) if outlined else None,
        )

    def passage(self, document: Document) -> Passage:
        """What the recipe computes with."""
        return Passage.of(document, fields=self.fingerprinter.recipe.value_fields)

    def entries(self, documents: Sequence[Document]) -> list[Entry]:
        """Entries of a batch, in order."""
        return self.prepare(list(map(self.passage, documents))).entries(documents)

    def query_words(self, text: str) -> list[str]:
        """Words of a question, in order, by which documents are found."""
        return [form for form in map(search_form, self.fingerprinter.cut(text)) if form]

    def is_part(self, word: str) -> bool:
        """Whether a word of a question has to be looked for inside longer words as well."""
        return self.fingerprinter.segmenter.is_part(word)
