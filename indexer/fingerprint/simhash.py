"""From texts to fingerprints, in batches.

SimHash (Charikar 2002): a feature x with weight w(x) and hash h(x) votes +w(x) for each bit that is 1 in h(x) and
-w(x) for each that is 0; a bit of the fingerprint is 1 where the votes are above 0 (or not below, by the tie rule).
Here the votes of a batch are one sparse matrix of weights times a matrix of +1 and -1.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from leitong.indexer.fingerprint.hamming import Fingerprints, unpack, words_of
from leitong.indexer.fingerprint.hashing import hash_words
from leitong.indexer.fingerprint.normalise import Folded, normalise, normalise_all
from leitong.indexer.fingerprint.recipe import Recipe
from leitong.indexer.fingerprint.weights import SCALE, FeatureBatch, build_factors

_VOCABULARY_LIMIT: Final = 400_000
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


class _Vocabulary(dict[str, int]):
    """Word to row, with the row's hash and weight; grows by being asked. Row -1 is a word that is no feature."""

    def __init__(self, fingerprinter: "Fingerprinter") -> None:
        super().__init__()
        self._recipe = fingerprinter.recipe
        self._factors = fingerprinter.factors
        self._fresh: list[str] = []
        self._rows = 0
        self._hashes: Fingerprints = np.empty((1024, words_of(self._recipe.bits)), dtype=np.uint64)
        self._weights: NDArray[np.float64] = np.empty(1024)

    def __missing__(self, word: str) -> int:
        row = -1
        if word not in self._recipe.stop_set and any(map(str.isalnum, word)):
            row = self._rows + len(self._fresh)
            self._fresh.append(word)
        self[word] = row
        return row

    def rows(self) -> tuple[Fingerprints, NDArray[np.float64]]:
        """Hash and weight of every row so far."""
        if self._fresh:
            recipe = self._recipe
            start, self._rows = self._rows, self._rows + len(self._fresh)
            if self._rows > len(self._weights):
                room = 2 * self._rows
                self._hashes = np.resize(self._hashes, (room, self._hashes.shape[1]))
                self._weights = np.resize(self._weights, room)
            hashes = hash_words(self._fresh, family=recipe.hash, seed=recipe.seed, bits=recipe.bits)
            self._hashes[start : self._rows] = hashes
            weights = np.ones(len(self._fresh))
            for factor in self._factors:
                weights *= np.array([factor.of_word(word) for word in self._fresh])
            self._weights[start : self._rows] = weights
            self._fresh = []
        return self._hashes[: self._rows], self._weights[: self._rows]


class Fingerprinter:
    """Makes fingerprints by one recipe. Not for use by several threads at once."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.segmenter = recipe.build_segmenter()
        self.factors = build_factors(recipe.weights, table=recipe.idf)
        self._vocabulary = _Vocabulary(self)

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
        text = json.dumps(settings, ensure_ascii=True, sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()

    def cut(self, text: str) -> list[str]:
        """Words of one text, punctuation included."""
        return self.segmenter.cut(normalise(text))

    def batch(self, texts: Sequence[str]) -> FingerprintBatch:
        """Fingerprints of many texts; a few hundred at a time is best."""
        return self.batch_of_folded(normalise_all(texts))

    def batch_of_folded(self, texts: Iterable[Folded], *, keep: list[list[str]] | None = None) -> FingerprintBatch:
        """The same for texts that are normalised already. The words of each, as they were cut, are added to `keep`."""
        if len(self._vocabulary) > _VOCABULARY_LIMIT:
            self._vocabulary = _Vocabulary(self)
        cut = self.segmenter.cut
        rows: list[NDArray[np.int64]] = []
        for text, plain in texts:
            words = cut(text, plain=plain)
            rows.append(self._rows_of(words))  # at once, while the words are in the processor's cache
            if keep is not None:
                keep.append(words)
        features = _Features.of(rows)
        return FingerprintBatch(self._vote(features), features.sizes())

    def one(self, text: str) -> int:
        """Fingerprint of one text as an integer."""
        return unpack(self.batch([text]).fingerprints)[0]

    def votes(self, text: str) -> NDArray[np.float64]:
        """The sums V of one text before they become bits, most significant first; shape (bits,)."""
        sums: NDArray[np.float64] = self._sums(_Features.of([self._rows_of(self.cut(text))]))[0]
        return sums

    def weights(self, text: str) -> dict[str, float]:
        """Each feature of one text with its weight, heaviest first."""
        words = self.cut(text)
        features = _Features.of([self._rows_of(words)])
        name_of = {self._vocabulary[word]: word for word in words}
        names = [name_of[row] for row in features.rows.tolist()]
        weights = (self._weigh(features) / SCALE).tolist()
        return dict(sorted(zip(names, weights, strict=True), key=lambda item: (-item[1], item[0])))

    def _rows_of(self, words: list[str]) -> NDArray[np.int64]:
        """The vocabulary's row of each word."""
        return np.fromiter(map(self._vocabulary.__getitem__, words), dtype=np.int64, count=len(words))

    def _weigh(self, features: "_Features") -> NDArray[np.float64]:
        weights = self._vocabulary.rows()[1][features.rows]
        batch = FeatureBatch(np.concatenate([[0], features.ends]), features.counts)
        for factor in self.factors:
            if (part := factor.in_document(batch)) is not None:
                weights *= part
        return np.rint(weights * SCALE)

    def _sums(self, features: "_Features") -> NDArray[np.float64]:
        weights = self._weigh(features)
        used, columns = np.unique(features.rows, return_inverse=True)
        hashes = self._vocabulary.rows()[0][used]
        signs = _signs(hashes, self.recipe.bits)
        starts = np.concatenate([[0], features.ends])
        matrix = csr_array((weights, columns, starts), shape=(len(features.ends), len(used)))
        sums: NDArray[np.float64] = matrix @ signs
        return sums

    def _vote(self, features: "_Features") -> Fingerprints:
        sums = self._sums(features)
        bits = sums >= 0 if self.recipe.tie == "one" else sums > 0
        bits[features.sizes() == 0] = False
        return _from_bits(bits)


@dataclass(frozen=True)
class _Features:
    """Distinct words of a batch: row in the vocabulary, count, and where each document ends."""

    rows: NDArray[np.int64]
    counts: NDArray[np.float64]
    ends: NDArray[np.int64]

    @classmethod
    def of(cls, documents: Sequence[NDArray[np.int64]]) -> "_Features":
        """From the row of each word of each document; -1 is no feature."""
        if not documents:
            return cls(np.empty(0, dtype=np.int64), np.empty(0), np.empty(0, dtype=np.int64))
        rows = np.concatenate(documents) + 1  # 0 is no feature
        row_bits = int(rows.max(initial=0)).bit_length()
        narrow = len(documents) << row_bits < 1 << 32  # half the memory, half the time
        bits: type[np.unsignedinteger[Any]] = np.uint32 if narrow else np.uint64
        places = np.arange(0, len(documents) << row_bits, 1 << row_bits).astype(bits)
        keys = np.repeat(places, [len(one) for one in documents]) + rows.astype(bits)
        keys.sort()
        first = np.flatnonzero(np.diff(keys, prepend=~bits(0)))
        keys, counts = keys[first], np.diff(first, append=len(keys))
        rows = (keys & bits((1 << row_bits) - 1)).astype(np.int64) - 1
        known = np.flatnonzero(rows >= 0)
        ends = np.cumsum(np.bincount(keys[known] >> bits(row_bits), minlength=len(documents)))
        return cls(rows[known], counts[known].astype(np.float64), ends)

    def sizes(self) -> NDArray[np.int64]:
        return np.diff(self.ends, prepend=0)


def _signs(hashes: Fingerprints, bits: int) -> NDArray[np.float64]:
    """+1 and -1 for the bits of each hash, most significant first; shape (n, bits)."""
    octets = hashes.astype(">u8").view(np.uint8).reshape(len(hashes), hashes.shape[1] * 8)[:, -(bits // 8) :]
    signs: NDArray[np.float64] = np.unpackbits(octets, axis=1).astype(np.float64) * 2 - 1
    return signs


def _from_bits(bits: NDArray[np.bool_]) -> Fingerprints:
    octets = np.packbits(bits, axis=1)
    width = words_of(bits.shape[1]) * 8
    padded = np.zeros((len(octets), width), dtype=np.uint8)
    padded[:, width - octets.shape[1] :] = octets
    return padded.view(">u8").astype(np.uint64)
