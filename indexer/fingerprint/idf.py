"""How rare is a word? A frozen table of document frequencies: a fingerprint never depends on what came later."""

import gzip
import hashlib
import math
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Final

from leitong.indexer.errors import RecipeError

HEADER: Final = "leitong-idf 1"
"""What a table begins with."""
MIN_DOCUMENTS: Final = 2
"""A word of a single document says nothing about the language; leaving it out keeps a table small."""


@dataclass(frozen=True)
class IdfTable:
    """Document frequencies of a corpus.

    `documents` is the number of documents counted, `frequencies` the number of them that hold each word. A word that
    is not in the table counts as held by one document.
    """

    documents: int
    frequencies: Mapping[str, int]

    def idf(self, word: str) -> float:
        """ln((N + 1) / (df + 1)) + 1: never below 1, so that no word is lost."""
        return math.log((self.documents + 1) / (self.frequencies.get(word, 1) + 1)) + 1.0

    @cached_property
    def id(self) -> str:
        """Hexadecimal name of the table's content."""
        return hashlib.blake2b(self._body().encode(), digest_size=8).hexdigest()

    def _body(self) -> str:
        rows = (f"{word}\t{count}\n" for word, count in sorted(self.frequencies.items()))
        return f"{HEADER}\t{self.documents}\n" + "".join(rows)

    def packed(self) -> bytes:
        """The table as gzipped text: a header line, then word, tab, document frequency."""
        return gzip.compress(self._body().encode(), mtime=0)

    def save(self, path: Path) -> None:
        """Write the packed table."""
        path.write_bytes(self.packed())

    @classmethod
    def load(cls, path: Path) -> "IdfTable":
        """Read a table. Raises RecipeError when the file is missing or not such a table."""
        try:
            header, *rows = gzip.decompress(path.read_bytes()).decode().removesuffix("\n").split("\n")
            kind, documents = header.split("\t")
            if kind != HEADER:
                raise ValueError(header)
            pairs = (row.split("\t") for row in rows)
            return cls(int(documents), {word: int(count) for word, count in pairs})
        except FileNotFoundError:
            raise RecipeError(
                f"There is no idf table {path}. Make one with `leitong recipe train CORPUS`, or name the built-in one: "
                'idf = "jieba".'
            ) from None
        except (OSError, EOFError, ValueError, zlib.error) as error:
            raise RecipeError(
                f"{path} is not an idf table ({error}). Make one with `leitong recipe train CORPUS`."
            ) from error

    @classmethod
    def learn(cls, documents: Iterable[Iterable[str]]) -> "IdfTable":
        """Count in how many documents each word stands."""
        counts: Counter[str] = Counter()
        total = 0
        for words in documents:
            counts.update({word for word in words if any(map(str.isalnum, word))})
            total += 1
        return cls(total, {word: count for word, count in counts.items() if count >= MIN_DOCUMENTS})


@cache
def jieba_table() -> IdfTable:
    """The table that the package jieba carries, its idf values turned back into frequencies of 10,000,000 documents."""
    import importlib.util

    spec = importlib.util.find_spec("jieba")
    if spec is None or spec.origin is None:
        raise RecipeError("The package jieba carries the idf table 'jieba', and it is not installed: pip install jieba")
    path = Path(spec.origin).parent / "analyse" / "idf.txt"
    total = 10_000_000
    frequencies: dict[str, int] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        word, _, value = line.rpartition(" ")
        frequencies[word.lower()] = max(1, round(total / math.exp(float(value))))
    return IdfTable(total, frequencies)
