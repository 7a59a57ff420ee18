"""From texts to fingerprints, in batches.

SimHash (Charikar 2002): a feature x with weight w(x) and hash h(x) votes +w(x) for each bit that is 1 in h(x) and
-w(x) for each that is 0; a bit of the fingerprint is 1 where the votes are above 0 (or not below, by the tie rule).
Here the texts of a batch are counted and summed together.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.fingerprint import kernels
from leitong.indexer.fingerprint.emphasis import PLAIN, Context, signposts
from leitong.indexer.fingerprint.hamming import Fingerprints, unpack, words_of
from leitong.indexer.fingerprint.normalise import Folded, normalise_all
from leitong.indexer.fingerprint.recipe import Recipe
from leitong.indexer.fingerprint.vocabulary import FoundWords, Vocabulary
from leitong.indexer.fingerprint.weights import SCALE, FeatureBatch, Ingredients, Need, build_factors

_PASSAGE: Final = (  # every script, width and kind of word that a segmenter may treat in its own way
    "雷同：指说的、写的或做的跟别人一样。Near-duplicate detection finds documents that say the same thing, even when "
    "a headline, a date (2026年11月21日) or a few words differ. 中华人民共和国国家标准 GB/T 7714-2015 "
    "规定了参考文献的著录规则，"
    "他来到了网易杭研大厦，买了三台 iPhone15_Pro 手机和 C++ 编程书；价格是 1,299.50 元。"
    "用户可以在 Elasticsearch 或者 OpenSearch "
    "里建立全文索引。Ｆｕｌｌｗｉｄｔｈ ｆｏｒｍｓ，繁體中文與简体中文，日本語のテキスト、Ελληνικά, кириллица, العربية."
)


@dataclass(frozen=True)
class FingerprintBatch:
    """Fingerprints of a batch of texts.

    `fingerprints` has shape (n, words of 64 bits); `features` says how many distinct words each text had: a text
    with none has the fingerprint 0, which means nothing.
    """

    fingerprints: Fingerprints
    features: NDArray[np.int64]


class Fingerprinter:
    """Makes fingerprints by one recipe. Not for use by several threads at once."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.segmenter = recipe.build_segmenter()
        self.factors = build_factors(
            recipe.weights, Ingredients(recipe.idf, recipe.constants, tagger=recipe.build_tagger)
        )
        self.needs = frozenset(need for factor in self.factors for need in factor.needs)
        self._signposts = signposts(recipe.more_signposts, script=recipe.script)
        self._vocabulary = Vocabulary(recipe, self.factors)

    @cached_property
    def id(self) -> str:
        """Sixteen hexadecimal digits that change when anything about the fingerprints changes.

        Made from the settings, the stop words, the idf table and the words of a fixed passage rather than from version
        numbers: an upgrade of a segmenter that changes nothing keeps the id.
        """
        settings = self.recipe.settings()
        for name_only in ("name", "radius"):
            del settings[name_only]
        settings["stop_set"] = sorted(self.recipe.stop_set)
        settings["passage"] = self.cut(_PASSAGE)
        if "signpost" in self.recipe.weights:
            settings["signposts"] = sorted(self._signposts.expressions)
        if "part_of_speech" in self.recipe.weights:  # a dictionary's tags are no settings
            settings["passage_weights"] = self.weights(_PASSAGE)
        text = json.dumps(settings, ensure_ascii=True, sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()

    def cut(self, text: str) -> list[str]:
        """Words of one text, punctuation included."""
        return self.segmenter.cut(self.recipe.normalise(text))

    def batch(self, texts: Sequence[str], *, contexts: Sequence[Context] = ()) -> FingerprintBatch:
        """Fingerprints of many texts, each with its context where they are given; a few hundred at a time is best."""
        folded = normalise_all(texts, script=self.recipe.script)
        return self.fingerprints(self.find_words(folded), folded, contexts=contexts)

    def find_words(self, texts: Sequence[Folded]) -> FoundWords:
        """The words of texts that are normalised already."""
        if self._vocabulary.full:
            self._vocabulary = Vocabulary(self.recipe, self.factors)
        cut, covers = self.segmenter.cut, self.segmenter.covers
        parts: list[str] = []
        sizes = [np.empty(0, dtype=np.int32)]
        for text, plain in texts:
            words = cut(text, plain=plain)
            sizes.append(kernels.lengths(words))
            parts.append(text if plain and covers else "".join(words))
        ends = np.cumsum([len(one) for one in sizes[1:]], dtype=np.int64)
        return self._vocabulary.find("".join(parts), np.concatenate(sizes), ends)

    def fingerprints(
        self, words: FoundWords, texts: Sequence[Folded], *, contexts: Sequence[Context] = ()
    ) -> FingerprintBatch:
        """Fingerprints of normalised texts, whose words were found, each with its context where they are given."""
        features = self._features(words, texts, contexts)
        return FingerprintBatch(self._vote(features), features.sizes())

    def one(self, text: str, context: Context = PLAIN) -> int:
        """Fingerprint of one text as an integer."""
        return unpack(self.batch([text], contexts=[context]).fingerprints)[0]

    def votes(self, text: str, context: Context = PLAIN) -> NDArray[np.float64]:
        """The sums V of one text before they become bits, most significant first; shape (bits,)."""
        folded = [Folded(self.recipe.normalise(text), False)]
        features = self._features(self.find_words(folded), folded, [context])
        sums: NDArray[np.float64] = self._sums(features)[0]
        return sums

    def weights(self, text: str, context: Context = PLAIN) -> dict[str, float]:
        """Each feature of one text with its weight, heaviest first."""
        folded = [Folded(self.recipe.normalise(text), False)]
        words = self.find_words(folded)
        features = self._features(words, folded, [context])
        name_of = dict(zip(words.rows.tolist(), words.words(np.arange(len(words.rows))), strict=True))
        values = list(map(self.recipe.normalise, context.values))
        name_of |= dict(zip(self._vocabulary.rows(values).tolist(), values, strict=True))
        weights: dict[str, float] = {}
        for row, weight in zip(features.rows.tolist(), (self._weigh(features) / SCALE).tolist(), strict=True):
            weights[name_of[row]] = weights.get(name_of[row], 0.0) + weight
        return dict(sorted(weights.items(), key=lambda item: (-item[1], item[0])))

    def _features(self, words: FoundWords, texts: Sequence[Folded], contexts: Sequence[Context]) -> "_Features":
        found = _Features(*kernels.count_rows(words.rows, words.ends, self._vocabulary.features), {})
        return self._informed(found, texts, contexts) if self.needs else found

    def _informed(self, found: "_Features", texts: Sequence[Folded], contexts: Sequence[Context]) -> "_Features":
        """The same features, with what the factors need to know of them."""
        contexts = contexts or [PLAIN] * len(texts)
        facts: dict[Need, NDArray[np.float64]] = {}
        if Need.FIELDS in self.needs:
            found, facts[Need.FIELDS] = self._with_values(found, contexts)
        if Need.TITLE in self.needs:
            facts[Need.TITLE] = self._marked(found, ([self.recipe.normalise(context.title)] for context in contexts))
        if Need.SIGNPOSTS in self.needs:
            facts[Need.SIGNPOSTS] = self._marked(found, (self._signposts.pieces(text.text) for text in texts))
        if Need.LENGTHS in self.needs:
            facts[Need.LENGTHS] = self._vocabulary.lengths[found.rows]
        return _Features(found.rows, found.counts, found.ends, facts)

    def _with_values(self, found: "_Features", contexts: Sequence[Context]) -> tuple["_Features", NDArray[np.float64]]:
        """The values of each document's fields as further features after its words; 1 for these, 0 for those."""
        values = self._vocabulary.rows([self.recipe.normalise(value) for one in contexts for value in one.values])
        features = values >= 0
        owners = np.repeat(np.arange(len(contexts)), [len(one.values) for one in contexts])[features]
        sizes = np.bincount(owners, minlength=len(contexts))
        places = found.ends[owners]
        rows = np.insert(found.rows, places, values[features])
        marks = np.insert(np.zeros(len(found.rows)), places, 1.0)
        return _Features(rows, np.insert(found.counts, places, 1.0), found.ends + np.cumsum(sizes), {}), marks

    def _marked(self, found: "_Features", pieces: Iterable[Iterable[str]]) -> NDArray[np.float64]:
        """1 for each feature that stands in a piece of its document, else 0."""
        marks = np.zeros(len(found.rows))
        start = 0
        for end, of_document in zip(found.ends.tolist(), pieces, strict=True):
            rows = self._vocabulary.rows([word for piece in of_document for word in self.segmenter.cut(piece)])
            marks[start:end] = np.isin(found.rows[start:end], rows)
            start = end
        return marks

    def _weigh(self, features: "_Features") -> NDArray[np.float64]:
        weights = self._vocabulary.weights[features.rows]
        batch = FeatureBatch(np.concatenate([[0], features.ends]), features.counts, features.facts)
        for factor in self.factors:
            if (part := factor.in_document(batch)) is not None:
                weights *= part
        return np.rint(weights * SCALE)

    def _sums(self, features: "_Features") -> NDArray[np.float64]:
        weights = self._weigh(features)
        return kernels.vote(features.rows, weights, features.ends, self._vocabulary.hashes, self.recipe.bits)

    def _vote(self, features: "_Features") -> Fingerprints:
        return decide(self._sums(features), features.sizes(), tie=self.recipe.tie)


@dataclass(frozen=True)
class _Features:
    """Distinct words of a batch: row in the vocabulary, count, where each document ends, and what factors need."""

    rows: NDArray[np.int64]
    counts: NDArray[np.float64]
    ends: NDArray[np.int64]
    facts: Mapping[Need, NDArray[np.float64]]

    def sizes(self) -> NDArray[np.int64]:
        return np.diff(self.ends, prepend=0)


def decide(sums: NDArray[np.float64], features: NDArray[np.int64], *, tie: str) -> Fingerprints:
    """Fingerprints from sums of shape (n, bits) by the tie rule; 0 where there are no features."""
    bits: NDArray[np.bool_] = sums >= 0 if tie == "one" else sums > 0
    bits[features == 0] = False
    width = words_of(bits.shape[1]) * 64
    padded = np.zeros((len(bits), width), dtype=np.bool_)
    padded[:, width - bits.shape[1] :] = bits
    return np.packbits(padded, axis=1).view(">u8").astype(np.uint64)
