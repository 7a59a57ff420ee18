"""A small collection of real texts with known duplicates, and indexes made of documents without much ado."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from leitong.indexer.documents import Document
from leitong.indexer.engines.embedded import EmbeddedEngine
from leitong.indexer.fingerprint.recipe import Recipe
from leitong.indexer.fingerprint.simhash import Fingerprinter
from leitong.indexer.prepare import Preparer
from tests.fingerprint.texts import TEXTS

WORDS: Final = Recipe(name="words", segmenter="words", stop_words=())
"""Quick to build, and good enough where the words do not matter."""
STANDARD: Final = Recipe(name="standard")

NEWS: Final = TEXTS["news"] + "市场普遍预计，央行年内仍有进一步降准的空间，货币政策将继续保持稳健。"
STORY: Final = (
    "The old lighthouse keeper climbed the narrow stairs every evening at dusk, trimmed the wick, and lit the great "
    "lamp. Ships far out on the dark water saw its steady beam and altered their course to avoid the hidden reef. In "
    "forty years he had never missed a single night, not even during the storm that took half of the harbour wall."
)
DOCUMENTS: Final = (
    Document("news", NEWS, "央行宣布降准"),
    Document("news-copy", NEWS.replace("，", ", ").replace("。", "."), "央行宣布降准"),
    Document("news-short", NEWS[: len(NEWS) // 3], "央行宣布降准"),
    Document(
        "news-long",
        NEWS + "另据报道，" + TEXTS["mixed"] + TEXTS["en"] + TEXTS["ru"] + TEXTS["th"] + TEXTS["ar"],
        "财经要闻",
    ),
    Document("news-edited", NEWS.replace("中国人民银行", "央行").replace("约一万亿元", "超过一万亿元"), "央行降准"),
    Document("story", STORY),
    Document("story-edited", STORY.replace("forty", "thirty").replace("great lamp", "lamp")),
    Document("rights", TEXTS["zh"]),
    Document("rights-ja", TEXTS["ja"]),
    Document("poem", TEXTS["poem"]),
    Document("dots-1", "……！"),
    Document("dots-2", "……！"),
    Document("dots-3", "。。。？"),
    Document("stop-1", "的的的的的的的了"),
    Document("stop-2", "的的的，的的的的了"),
)


def make(path: Path, documents: Iterable[Document], *, recipe: Recipe = STANDARD, parts: int = 1) -> EmbeddedEngine:
    """An index of the documents; in several parts, each committed (each becomes a segment)."""
    engine = EmbeddedEngine.create(path, recipe=recipe, recipe_id=Fingerprinter(recipe).id)
    return put(engine, documents, parts=parts)


def put(engine: EmbeddedEngine, documents: Iterable[Document], *, parts: int = 1) -> EmbeddedEngine:
    """Add documents as they are."""
    all_ = list(documents)
    preparer = Preparer(engine.recipe)
    for part in range(parts):
        some: Sequence[Document] = all_[part::parts]
        with engine.writer() as writer:
            writer.put(preparer.entries(some))
    return engine
