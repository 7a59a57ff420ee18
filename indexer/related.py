"""Which documents are about the same, without saying the same? Those that share the words a document is about."""

from collections import Counter
from collections.abc import Collection
from typing import Final

from leitong.indexer.documents import Document
from leitong.indexer.engines.base import Hit, Snapshot
from leitong.indexer.fingerprint import signs
from leitong.indexer.fingerprint.idf import IdfTable
from leitong.indexer.forms import cut_otherwise, search_form
from leitong.indexer.prepare import Preparer
from leitong.indexer.query import Query

_WORDS: Final = 10
_NEEDED: Final = 3
_READ_CHARACTERS: Final = 20_000
_TITLE_WEIGHT: Final = 3


def related(
    snapshot: Snapshot,
    document: Document,
    *,
    preparer: Preparer,
    rarity: IdfTable,
    without: Collection[str],
    size: int,
    fold: bool = False,
) -> tuple[Hit, ...]:
    """The best hits of a search for the document's heaviest words, those in `without` and itself left out.

    With `fold` the best of each cluster only.
    """
    query = Query(loose=topic(document, preparer=preparer, rarity=rarity), least=_NEEDED)
    if len(query.loose) < _NEEDED:
        return ()
    left_out = {*without, document.id}
    hits = snapshot.search(query, size=size + len(left_out), fold=fold).hits
    return tuple(hit for hit in hits if hit.stored.document.id not in left_out)[:size]


def topic(document: Document, *, preparer: Preparer, rarity: IdfTable) -> tuple[str, ...]:
    """The words with the highest count times rarity, those of the title counted thrice; numbers are no topic."""
    weights = _weights(document.text[:_READ_CHARACTERS], preparer)
    for word, weight in _weights(document.title, preparer).items():
        weights[word] = weights.get(word, 0.0) + _TITLE_WEIGHT * weight
    heavy = {
        word: min(weight, 10.0) * rarity.idf(word)
        for word, weight in weights.items()
        if len(word) > 1 and not word.isdecimal() and search_form(word)
    }
    ordered = sorted(heavy, key=lambda word: (-heavy[word], word))
    return tuple(dict.fromkeys(search_form(word) for word in ordered[:_WORDS]))


def _weights(text: str, preparer: Preparer) -> dict[str, float]:
    """The weight of each word that is a feature; of words with signs, which are none, their count."""
    folded = preparer.fingerprinter.recipe.normalise(text)
    if not cut_otherwise(folded, preparer.fingerprinter.segmenter):
        return preparer.fingerprinter.weights(text)
    pieces = list(signs.parted(folded))
    weights = preparer.fingerprinter.weights(" ".join(piece for piece, signed in pieces if not signed))
    signed = Counter(search_form(word) for piece, signed in pieces if signed for word in signs.words(piece))
    return weights | {word: float(count) for word, count in signed.items()}
