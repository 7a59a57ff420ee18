"""What the papers compare with: I-Match, sampled shingles, Single-Pass clustering. For the experiments only."""

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from typing import Final

import numba
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from leitong.indexer.documents import Document
from leitong.indexer.duplicates.pairing import Places
from leitong.indexer.fingerprint.idf import IdfTable
from leitong.indexer.fingerprint.recipe import Recipe
from leitong.indexer.fingerprint.simhash import Fingerprinter
from leitong.indexer.passages import Passage, read_all

_SAMPLE: Final = 16
"""One shingle in so many is kept."""


def i_match(documents: Sequence[Document], recipe: Recipe, table: IdfTable, *, keep: tuple[float, float]) -> Places:
    """Pairs with an equal I-Match value, shape (n, 2). (Chowdhury et al. 2002.)

    The distinct words of a document are ordered by idf; the share of them from `keep[0]` to `keep[1]` of the range of
    idf, 0 the most common, is hashed together.
    """
    maker = Fingerprinter(recipe)
    groups: dict[bytes, list[int]] = defaultdict(list)
    for place, document in enumerate(documents):
        rarity = {word: table.idf(word) for word in maker.weights(document.passage)}
        if not rarity:
            continue
        low, high = min(rarity.values()), max(rarity.values())
        ends = [low + (high - low) * share for share in keep]
        kept = sorted(word for word, idf in rarity.items() if ends[0] <= idf <= ends[1])
        groups[hashlib.blake2b("\0".join(kept).encode(), digest_size=16).digest()].append(place)
    return _rows([pair for group in groups.values() for pair in combinations(group, 2)])


def sampled_shingles(documents: Sequence[Document], thresholds: Sequence[float]) -> dict[float, Places]:
    """Pairs whose sampled shingles have at least this resemblance, shape (n, 2). (Broder et al. 1997: mod m.)"""
    texts = read_all([Passage.of(one) for one in documents])
    kept = [text.shingles[text.shingles % np.uint64(_SAMPLE) == 0] for text in texts]
    sizes = np.array([len(one) for one in kept])
    _, columns = np.unique(np.concatenate(kept), return_inverse=True)
    rows = np.repeat(np.arange(len(kept)), sizes)
    table = sparse.csr_matrix(
        (np.ones(len(rows), dtype=np.int32), (rows, columns)), shape=(len(kept), columns.max() + 1)
    )
    common = sparse.triu(table @ table.T, k=1).tocoo()
    jaccard = common.data / (sizes[common.row] + sizes[common.col] - common.data)
    pairs = np.stack([common.row, common.col], axis=1).astype(np.int64)
    return {least: pairs[jaccard >= least] for least in thresholds}


def single_pass(values: NDArray[np.uint64], radius: int) -> int:
    """How many clusters are left when each begins as its own and similar ones are merged until nothing merges."""
    return int(_merged(values, radius))


@numba.njit(cache=True)
def _merged(values: NDArray[np.uint64], radius: int) -> int:
    clusters = values.copy()
    count = len(clusters)
    while True:
        kept = 0
        for place in range(count):
            merged = False
            for other in range(kept):
                difference = clusters[other] ^ clusters[place]
                bits = 0
                while difference and bits <= radius:
                    difference &= difference - np.uint64(1)
                    bits += 1
                if bits <= radius:
                    merged = True
                    break
            if not merged:
                clusters[kept] = clusters[place]
                kept += 1
        if kept == count:
            return count
        count = kept


def _rows(pairs: Sequence[tuple[int, int]]) -> Places:
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)
