"""What is computed of a document before it is stored: fingerprint, digest, and the words it is found by."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.documents import Document, Entry, StoredDocument
from leitong.indexer.fingerprint import signs
from leitong.indexer.fingerprint.hamming import Fingerprints, unpack
from leitong.indexer.fingerprint.normalise import normalise_all
from leitong.indexer.fingerprint.recipe import Recipe
from leitong.indexer.fingerprint.simhash import Fingerprinter
from leitong.indexer.forms import SearchForms, search_form, search_words
from leitong.indexer.passages import Outlines, Passage, Sketched, sketched


@dataclass(frozen=True, slots=True)
class Prepared:
    """What was computed of some passages, in few large values: those travel between processes much faster than many
    small ones. The keys of passage i end before key_ends[i]; `outlines` where they were asked for.
    """

    fingerprints: Fingerprints
    features: NDArray[np.int64]
    digests: list[str]
    title_tokens: list[bytes]
    tokens: list[bytes]
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
        return [
            Entry(
                StoredDocument(document, fingerprint, features, digest, cluster=document.id),
                title_tokens,
                tokens,
                self.keys[start:end],
            )
            for document, fingerprint, features, digest, title_tokens, tokens, (start, end) in columns
        ]


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
        found = list(sketched(folded, titles, outlined=outlined))
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


def _keys(found: Sequence[Sketched]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """What each text is found by, and where each one's end: its sketch, the other ways to it, and its digest."""
    own = np.array([_digest_key(one.digest) for one in found], dtype=np.uint64)
    parts = [part for place, one in enumerate(found) for part in (one.sketch, one.ways, own[place : place + 1])]
    sizes = np.array([len(one.sketch) + len(one.ways) + 1 for one in found], dtype=np.int64)
    return np.concatenate([own[:0], *parts]), np.cumsum(sizes)


def _digest_key(digest: str) -> int:
    """The key by which a text is found by its equals and by no others, even if nothing else of it is rare."""
    return int(digest[:16], 16)
