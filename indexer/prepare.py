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
from leitong.indexer.fingerprint.short import Letters, letters, short_keys
from leitong.indexer.fingerprint.simhash import Fingerprinter

MAX_WORD: Final = 255
"""Characters of a word that are searched; the whitespace analyzer of the servers cuts there as well."""
_CACHE_LIMIT: Final = 400_000
_CACHED_CHARACTERS: Final = 60_000


@dataclass(frozen=True, slots=True)
class Text:
    """What a passage is compared by: its shingles, its digest, the words of its title, its numbers, and the letters
    of a short text.

    `title` holds a hash of each unit of the title and of each two neighbouring ones, sorted and distinct; none where
    there is no title. The digest is equal for passages of the same words and characters in the same order, whatever
    their punctuation, width, case and white space.
    """

    shingles: Shingles
    digest: str
    title: Shingles
    numbers: Numbers
    letters: Letters

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
    folded = [text for text, _ in normalise_all([passage.whole for passage in passages])]
    titles = units([normalise(passage.title) for passage in passages]).of_each()
    texts: list[Text] = []
    for group in _groups(folded):
        found = units(group)
        for text, hashes, values in zip(group, found.of_each(), runs(found).of_each(), strict=True):
            title = _title_words(titles[len(texts)])
            texts.append(Text(distinct(values), _digest(hashes, text), title, numbers(text), letters(text)))
    return texts


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
    return np.unique(np.concatenate([units, pairs]))


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


class _SearchForms(dict[str, str]):
    """Word to what a search finds it by, with a blank after it; nothing for punctuation.

    `inner` holds, for words that have shorter ones inside them, those as well; a word is there once it was asked for.
    """

    def __init__(self, fingerprinter: Fingerprinter) -> None:
        super().__init__()
        self._subwords = fingerprinter.segmenter.subwords
        self.inner: dict[str, str] = {}

    def __missing__(self, word: str) -> str:
        parts = self._subwords(word) if len(word) <= MAX_WORD else []
        if inner := "".join(f"{form} " for form in map(search_form, parts) if form):
            self.inner[word] = inner
        form = search_form(word)
        self[word] = form and form + " "
        return self[word]


def search_form(word: str) -> str:
    """The word as it is stored and asked for: without blanks, cut where the servers cut; "" for punctuation."""
    return "".join(word[:MAX_WORD].split()) if any(map(str.isalnum, word)) else ""


class Preparer:
    """Turns documents into entries by one recipe, the same on every path: bulk, single, query."""

    def __init__(self, recipe: Recipe) -> None:
        self.fingerprinter = Fingerprinter(recipe)
        self._forms = _SearchForms(self.fingerprinter)

    def prepare(self, passages: Sequence[Passage]) -> list[Prepared]:
        """What is computed of each passage, in order."""
        folded = normalise_all([passage.whole for passage in passages])
        cut: list[list[str]] = []
        contexts = [passage.context for passage in passages]
        batch = self.fingerprinter.batch_of_folded(folded, contexts=contexts, keep=cut)
        fingerprints, features = unpack(batch.fingerprints), batch.features.tolist()
        return [
            Prepared(
                fingerprint=fingerprint,
                features=count,
                digest=digest,
                title_tokens=self.tokens(self.fingerprinter.cut(passage.title)) if passage.title else "",
                tokens=self.tokens(words),
                keys=keys,
            )
            for passage, fingerprint, count, words, (digest, keys) in zip(
                passages, fingerprints, features, cut, _digests_and_keys(folded), strict=True
            )
        ]

    def passage(self, document: Document) -> Passage:
        """What the recipe computes with."""
        return Passage.of(document, fields=self.fingerprinter.recipe.value_fields)

    def entries(self, documents: Sequence[Document]) -> list[Entry]:
        """Entries of a batch, in order."""
        prepared = self.prepare(list(map(self.passage, documents)))
        return [one.entry(document) for one, document in zip(prepared, documents, strict=True)]

    def tokens(self, words: Sequence[str]) -> str:
        """What the `tokens` field holds for these words: all of them in order, then the shorter words inside them.

        The shorter words stand apart, so that words that follow each other in the text do so in the field: a phrase
        is found wherever it stands.
        """
        if len(self._forms) > _CACHE_LIMIT:
            self._forms = _SearchForms(self.fingerprinter)
        forms = "".join(map(self._forms.__getitem__, words))
        inner = self._forms.inner
        return forms + "".join(map(inner.__getitem__, filter(inner.__contains__, words)))

    def query_words(self, text: str) -> list[str]:
        """Words of a question, in order, by which documents are found."""
        return [form for form in map(search_form, self.fingerprinter.cut(text)) if form]

    def is_part(self, word: str) -> bool:
        """Whether a word of a question has to be looked for inside longer words as well."""
        return self.fingerprinter.segmenter.is_part(word)
