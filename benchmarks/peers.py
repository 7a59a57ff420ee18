"""Scores of the peers for pairs of texts: the higher, the more alike. Each peer is tried in several ways.

A peer scores every labelled pair: nothing is lost in its candidate stage, which favours it.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.features import Features, idf

Scores = NDArray[np.float64]
Pairs = Sequence[tuple[str, str]]

_PERMUTATIONS: Final = 256
_PUBLISHED_PERMUTATIONS: Final = 250
_PUBLISHED_NGRAM: Final = 5
_OWN: Final = re.compile(r"[\w\u4e00-\u9fcc]+")
_NOT_A_WORD: Final = re.compile(r"\W")


@dataclass(frozen=True)
class Tried:
    """A peer, the way it was tried, and its score for each pair."""

    peer: str
    version: str
    way: str
    scores: Scores


def each(pairs: Pairs, score: Callable[[str, str], float]) -> Scores:
    return np.array([score(a, b) for a, b in pairs])


def containment(jaccard: Scores, pairs: Pairs, sizes: Mapping[str, int]) -> Scores:
    """The share of the smaller set that stands in the larger, from Jaccard and the sizes."""
    smaller = each(pairs, lambda a, b: min(sizes[a], sizes[b]))
    both = each(pairs, lambda a, b: sizes[a] + sizes[b])
    return np.minimum(1.0, jaccard * both / (1 + jaccard) / np.maximum(1, smaller))


def datasketch_minhash(features: Mapping[str, Features], pairs: Pairs) -> Iterator[Tried]:
    from datasketch import MinHash

    named = version("datasketch")
    for way, documents in features.items():
        made = {}
        for doc_id, found in documents.items():
            made[doc_id] = MinHash(num_perm=_PERMUTATIONS)
            made[doc_id].update_batch([feature.encode() for feature in set(found)])
        jaccard = each(pairs, lambda a, b, m=made: m[a].jaccard(m[b]))  # type: ignore[misc]
        yield Tried("datasketch MinHash", named, f"{way}, {_PERMUTATIONS} permutations", jaccard)
        sizes = {doc_id: len(set(found)) for doc_id, found in documents.items()}
        share = containment(jaccard, pairs, sizes)
        yield Tried("datasketch MinHash, containment", named, f"{way}, {_PERMUTATIONS} permutations, set sizes", share)


def gaoya_minhash(features: Mapping[str, Features], pairs: Pairs) -> Iterator[Tried]:
    """The index's own estimate; bands of one hash, so that every pair with anything in common gets one."""
    from gaoya.minhash import MinHashStringIndex

    for way, documents in features.items():
        index = MinHashStringIndex(
            hash_size=32,
            jaccard_threshold=0.001,
            num_bands=_PERMUTATIONS,
            band_size=1,
            analyzer=lambda text: text.split("\n"),
        )
        texts = {doc_id: "\n".join(found) for doc_id, found in documents.items()}
        numbers = {doc_id: number for number, doc_id in enumerate(texts)}
        for doc_id, number in numbers.items():
            index.insert_document(number, texts[doc_id])
        asked = {a: dict(index.query(texts[a], return_similarity=True)) for a, _ in pairs}
        scores = each(pairs, lambda a, b, s=asked, n=numbers: s[a].get(n[b], 0.0))  # type: ignore[misc]
        yield Tried("gaoya MinHash", version("gaoya"), f"{way}, {_PERMUTATIONS} hashes of 32 bits", scores)


def text_dedup_minhash(texts: Mapping[str, str], features: Mapping[str, Features], pairs: Pairs) -> Iterator[Tried]:
    """text-dedup's published MinHash, rebuilt: 250 permutations, 5-grams, SHA-1 of 32 bits, a x + b mod 2^61 - 1."""
    published = {doc_id: _joined(_NOT_A_WORD.split(text.lower()), _PUBLISHED_NGRAM) for doc_id, text in texts.items()}
    ways: dict[str, Features] = {"its own cut (\\W), runs of 5": published, **features}
    random = np.random.RandomState(42)
    prime, most = np.uint64((1 << 61) - 1), np.uint64((1 << 32) - 1)
    a = random.randint(1, int(prime), size=_PUBLISHED_PERMUTATIONS, dtype=np.uint64)
    b = random.randint(0, int(prime), size=_PUBLISHED_PERMUTATIONS, dtype=np.uint64)
    for way, documents in ways.items():
        made = {}
        for doc_id, found in documents.items():
            least = np.full(_PUBLISHED_PERMUTATIONS, most)
            hashes = np.array([_sha1(feature) for feature in set(found)], dtype=np.uint64)
            for start in range(0, len(hashes), 4096):
                part = (hashes[start : start + 4096, None] * a + b) % prime & most
                least = np.minimum(least, part.min(axis=0))
            made[doc_id] = least
        scores = each(pairs, lambda one, other, m=made: float((m[one] == m[other]).mean()))  # type: ignore[misc]
        yield Tried("text-dedup MinHash, rebuilt", "0.4.0", f"{way}, {_PUBLISHED_PERMUTATIONS} permutations", scores)


def text_dedup_simhash(texts: Mapping[str, str], features: Mapping[str, Features], pairs: Pairs) -> Iterator[Tried]:
    """text-dedup's published SimHash, rebuilt: distinct 3-grams of the text as it is, XXH3, 64 bits, no weights."""
    import xxhash

    published = {
        doc_id: [text.lower()[start : start + 3] for start in range(max(1, len(text) - 2))]
        for doc_id, text in texts.items()
    }
    for way, documents in {"its own cut, runs of 3 characters": published, **features}.items():
        made = {}
        for doc_id, found in documents.items():
            octets = b"".join(xxhash.xxh3_64_digest(feature.encode()) for feature in sorted(set(found)))
            bits = np.unpackbits(np.frombuffer(octets, dtype=np.uint8).reshape(-1, 8), axis=1)
            made[doc_id] = bits.sum(axis=0) * 2 >= len(bits)
        scores = each(pairs, lambda a, b, m=made: -float((m[a] != m[b]).sum()))  # type: ignore[misc]
        yield Tried("text-dedup SimHash, rebuilt", "0.4.0", f"{way}, 64 bits", scores)


def simhash_1e0ng(texts: Mapping[str, str], features: Mapping[str, Features], pairs: Pairs) -> Iterator[Tried]:
    from simhash import Simhash

    rarity = idf(list(features["words"].values()))
    ways: dict[str, dict[str, object]] = {
        "its own cut, runs of 4 characters": {doc_id: _slid(text) for doc_id, text in texts.items()},
        **{f"{way}, counted": _counted(documents) for way, documents in features.items()},
        "words, tf·idf": {
            doc_id: {word: count * rarity[word] for word, count in Counter(found).items()}
            for doc_id, found in features["words"].items()
        },
    }
    for way, documents in ways.items():
        for bits in (64, 128):
            made = {doc_id: Simhash(value, f=bits) for doc_id, value in documents.items()}
            scores = each(pairs, lambda a, b, m=made: -float(m[a].distance(m[b])))  # type: ignore[misc]
            yield Tried("1e0ng/simhash", version("simhash"), f"{way}, {bits} bits", scores)


def _counted(documents: Features) -> dict[str, object]:
    """Counts as floats: with numpy 2 the package fails on whole weights over 255."""
    return {
        doc_id: {feature: float(count) for feature, count in Counter(found).items()}
        for doc_id, found in documents.items()
    }


def _slid(text: str) -> dict[str, float]:
    """What the package makes of a text by itself: letters in lower case, every run of four."""
    plain = "".join(_OWN.findall(text.lower()))
    runs = Counter(plain[start : start + 4] for start in range(max(1, len(plain) - 3)))
    return {run: float(count) for run, count in runs.items()}


def _joined(tokens: Sequence[str], size: int) -> list[str]:
    """Runs of tokens; texts of fewer than five tokens have none, as published."""
    if len(tokens) < _PUBLISHED_NGRAM:
        return []
    return [" ".join(tokens[start : start + size]) for start in range(len(tokens) - size + 1)]


def _sha1(feature: str) -> int:
    return int.from_bytes(hashlib.sha1(feature.encode(), usedforsecurity=False).digest()[:4], "little")
