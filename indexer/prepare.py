"""What is computed of a document before it is stored: fingerprint, digest, and the words it is found by."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from leitong.indexer.documents import Document, Entry, StoredDocument
from leitong.indexer.fingerprint.hamming import unpack
from leitong.indexer.fingerprint.normalise import normalise, normalise_all
from leitong.indexer.fingerprint.recipe import Recipe
from leitong.indexer.fingerprint.shingles import Shingles, shingles, sketch, units
from leitong.indexer.fingerprint.simhash import Fingerprinter

MAX_WORD: Final = 255
"""Characters of a word that are searched; the whitespace analyzer of the servers cuts there as well."""
_CACHE_LIMIT: Final = 400_000


@dataclass(frozen=True, slots=True)
class Text:
    """What a passage is compared by: its shingles, its digest, and the words of its title.

    `title` holds a number for each unit of the title and for each two neighbouring ones; none where there is no title.
    The digest is equal for passages of the same words and characters in the same order, whatever their punctuation,
    width, case and white space.
    """

    shingles: Shingles
    digest: str
    title: frozenset[int] = frozenset()


def read(passage: str, *, title: str = "") -> Text:
    """What a passage is compared by; the title, where there is one, stands in the passage too."""
    return _read(normalise(passage), title)


def _read(folded: str, title: str) -> Text:
    hashes, spans = units(folded)
    content = hashes.tobytes() if len(hashes) else " ".join(folded.split()).encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(content, digest_size=16).hexdigest()
    return Text(shingles(hashes, spans), digest, _title_words(title))


def _title_words(title: str) -> frozenset[int]:
    hashes: list[int] = units(normalise(title))[0].tolist()
    return frozenset(hashes).union(first * 31 + second & (1 << 64) - 1 for first, second in pairwise(hashes))


@dataclass(frozen=True, slots=True)
class Passage:
    """The part of a document that is computed with: its title, and the whole of title and text."""

    title: str
    whole: str

    @classmethod
    def of(cls, document: Document) -> "Passage":
        """The passage of a document."""
        return cls(document.title, document.passage)


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


def _digest_key(digest: str) -> int:
    """The key of a text without a letter: it is found by texts that are equal to it, and by no others."""
    return int(digest[:16], 16)


class _SearchForms(dict[str, str]):
    """Word to what a search finds it by, with a blank after it; nothing for punctuation."""

    def __missing__(self, word: str) -> str:
        form = search_form(word)
        self[word] = form and form + " "
        return self[word]


class _SubwordForms(dict[str, str]):
    """Word to the shorter words inside it, each with a blank after it."""

    def __init__(self, fingerprinter: Fingerprinter) -> None:
        super().__init__()
        self._subwords = fingerprinter.segmenter.subwords

    def __missing__(self, word: str) -> str:
        parts = self._subwords(word) if len(word) <= MAX_WORD else []
        self[word] = "".join(f"{form} " for form in map(search_form, parts) if form)
        return self[word]


def search_form(word: str) -> str:
    """The word as it is stored and asked for: without blanks, cut where the servers cut; "" for punctuation."""
    return "".join(word[:MAX_WORD].split()) if any(map(str.isalnum, word)) else ""


class Preparer:
    """Turns documents into entries by one recipe, the same on every path: bulk, single, query."""

    def __init__(self, recipe: Recipe) -> None:
        self.fingerprinter = Fingerprinter(recipe)
        self._forms = _SearchForms()
        self._subforms = _SubwordForms(self.fingerprinter)

    def prepare(self, passages: Sequence[Passage]) -> list[Prepared]:
        """What is computed of each passage, in order."""
        folded = normalise_all([passage.whole for passage in passages])
        cut: list[list[str]] = []
        batch = self.fingerprinter.batch_of_folded(folded, keep=cut)
        texts = (_read(one.text, "") for one in folded)
        return [
            Prepared(
                fingerprint=fingerprint,
                features=features,
                digest=text.digest,
                title_tokens=self.tokens(self.fingerprinter.cut(passage.title)) if passage.title else "",
                tokens=self.tokens(words),
                keys=tuple(sketch(text.shingles).tolist()) or (_digest_key(text.digest),),
            )
            for passage, fingerprint, features, words, text in zip(
                passages, unpack(batch.fingerprints), batch.features.tolist(), cut, texts, strict=True
            )
        ]

    def entries(self, documents: Sequence[Document]) -> list[Entry]:
        """Entries of a batch, in order."""
        prepared = self.prepare(list(map(Passage.of, documents)))
        return [one.entry(document) for one, document in zip(prepared, documents, strict=True)]

    def tokens(self, words: Sequence[str]) -> str:
        """What the `tokens` field holds for these words: all of them in order, then the shorter words inside them.

        The shorter words stand apart, so that words that follow each other in the text do so in the field: a phrase
        is found wherever it stands.
        """
        for forms in (self._forms, self._subforms):
            if len(forms) > _CACHE_LIMIT:
                forms.clear()
        long = [word for word in words if len(word) > 2]
        return "".join(map(self._forms.__getitem__, words)) + "".join(map(self._subforms.__getitem__, long))

    def query_words(self, text: str) -> list[str]:
        """Words of a question, in order, by which documents are found."""
        return [form for form in map(search_form, self.fingerprinter.cut(text)) if form]
