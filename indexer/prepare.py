"""What is computed of a document before it is stored: fingerprint, digest, and the words it is found by."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.documents import Document, Entry, StoredDocument
from leitong.indexer.fingerprint.hamming import unpack
from leitong.indexer.fingerprint.marks import Context
from leitong.indexer.fingerprint.normalise import Folded, normalise, normalise_all
from leitong.indexer.fingerprint.numbers import Numbers, numbers
from leitong.indexer.fingerprint.recipe import Recipe
from leitong.indexer.fingerprint.shingles import Shingles, distinct, runs, sketch, sketches, units
from leitong.indexer.fingerprint.short import Letters, all_letters, letters, short_keys
from leitong.indexer.fingerprint.simhash import Fingerprinter
from leitong.indexer.forms import SearchForms, search_form

_CACHED_CHARACTERS: Final = 60_000
_HEADING: Final = 200


@dataclass(frozen=True, slots=True)
class Outline:
    """What is common to many passages is learned from this: shingles, the words of the title, the letters of a short
    text.

    `title` holds a hash of each unit of the title and of each two neighbouring ones, sorted and distinct; none where
    there is no title.
    """

    shingles: Shingles
    title: Shingles
    letters: Letters


@dataclass(frozen=True, slots=True)
class Text(Outline):
    """What a passage is compared by: its outline, its digest, its numbers, and the first letters of its title.

    The digest is equal for passages of the same words and characters in the same order, whatever their punctuation,
    width, case and white space.
    """

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


def read(passage: str, *, title: str = "") -> Text:
    """What a passage is compared by; the title, where there is one, stands in the passage too."""
    return read_all([Passage(title, passage)])[0]


def read_all(passages: Sequence[Passage]) -> list[Text]:
    """What each passage is compared by, in order: a third of the cost of one by one."""
    return [
        Text(
            shingles=outline.shingles,
            title=outline.title,
            letters=outline.letters,
            digest=_digest(hashes, text),
            numbers=numbers(text),
            heading=all_letters(title)[:_HEADING],
        )
        for outline, hashes, text, title in _outlined(passages)
    ]


def outlines(passages: Sequence[Passage]) -> list[Outline]:
    """The outline of each passage, in order: half of the cost of reading it."""
    return [outline for outline, _, _, _ in _outlined(passages)]


def _outlined(passages: Sequence[Passage]) -> Iterator[tuple[Outline, NDArray[np.uint64], str, str]]:
    """The outline of each passage, the hashes of its units, the text they were made of, and its title normalised."""
    folded = [text for text, _ in normalise_all([passage.whole for passage in passages])]
    titles = [normalise(passage.title) for passage in passages]
    words = iter(units(titles).of_each())
    title = iter(titles)
    for group in _groups(folded):
        found = units(group)
        for text, hashes, values in zip(group, found.of_each(), runs(found).of_each(), strict=True):
            yield Outline(distinct(values), _title_words(next(words)), letters(text)), hashes, text, next(title)


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
    """What was computed of a passage; the fields are those of `Entry` and `StoredDocument`."""

    fingerprint: int
    features: int
    digest: str
    title_tokens: str
    tokens: str
    keys: tuple[int, ...]

    def entry(self, document: Document) -> Entry:
        """The entry of the document whose passage this is."""
        stored = StoredDocument(document, self.fingerprint, self.features, self.digest, cluster=document.id)
        return Entry(stored, self.title_tokens, self.tokens, self.keys)


def _digests_and_keys(texts: Sequence[Folded]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Digest and sketch of each text."""
    for group in _groups([folded.text for folded in texts]):
        found = units(group)
        for text, hashes, keys in zip(group, found.of_each(), sketches(runs(found)), strict=True):
            digest = _digest(hashes, text)
            yield digest, (*keys, *short_keys(letters(text)).tolist()) or (_digest_key(digest),)


def _digest_key(digest: str) -> int:
    """The key of a text without a letter: it is found by texts that are equal to it, and by no others."""
    return int(digest[:16], 16)


class Preparer:
    """Turns documents into entries by one recipe, the same on every path: bulk, single, query."""

    def __init__(self, recipe: Recipe) -> None:
        self.fingerprinter = Fingerprinter(recipe)
        self._forms = SearchForms(self.fingerprinter.segmenter)

    def prepare(self, passages: Sequence[Passage]) -> list[Prepared]:
        """What is computed of each passage, in order."""
        folded = normalise_all([passage.whole for passage in passages])
        words = self.fingerprinter.find_words(folded)
        contexts = [passage.context for passage in passages]
        batch = self.fingerprinter.fingerprints(words, folded, contexts=contexts)
        tokens = self._forms.write(words)
        titles = normalise_all([passage.title for passage in passages])
        title_tokens = self._forms.write(self.fingerprinter.find_words(titles))
        columns = zip(
            unpack(batch.fingerprints),
            batch.features.tolist(),
            title_tokens,
            tokens,
            _digests_and_keys(folded),
            strict=True,
        )
        return [
            Prepared(fingerprint, features, digest, title, text, keys)
            for fingerprint, features, title, text, (digest, keys) in columns
        ]

    def passage(self, document: Document) -> Passage:
        """What the recipe computes with."""
        return Passage.of(document, fields=self.fingerprinter.recipe.value_fields)

    def entries(self, documents: Sequence[Document]) -> list[Entry]:
        """Entries of a batch, in order."""
        prepared = self.prepare(list(map(self.passage, documents)))
        return [one.entry(document) for one, document in zip(prepared, documents, strict=True)]

    def query_words(self, text: str) -> list[str]:
        """Words of a question, in order, by which documents are found."""
        return [form for form in map(search_form, self.fingerprinter.cut(text)) if form]

    def is_part(self, word: str) -> bool:
        """Whether a word of a question has to be looked for inside longer words as well."""
        return self.fingerprinter.segmenter.is_part(word)
