"""Indexing for the tests of the pipeline: real files, real folders, real processes."""

import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from leitong.indexer.documents import StoredDocument
from leitong.indexer.engines.embedded import EmbeddedEngine
from leitong.indexer.engines.open import open_or_create
from leitong.indexer.fingerprint.recipe import Recipe
from leitong.indexer.pipeline import IndexOptions, Progress, index
from leitong.indexer.sources.open import open_sources
from tests.fingerprint.texts import TEXTS

WORDS: Final = Recipe(name="words", segmenter="words")
SCRIPT: Final = """
import sys
from dataclasses import replace
from pathlib import Path
from leitong.indexer import pipeline, workers
from leitong.indexer.engines.open import open_or_create
from leitong.indexer.fingerprint.recipe import Recipe
from leitong.indexer.sources.open import open_sources

if __name__ == "__main__":
    folder, file, count, commit, resume = sys.argv[1:]
    workers._ALONE = 0  # the other processes start at once
    pipeline._COMMIT_DOCUMENTS = int(commit)  # a commit now and then, as of a collection a hundred times as large
    engine = open_or_create(folder, recipe=Recipe(name="words", segmenter="words"))
    options = pipeline.IndexOptions(rejects=Path(folder + ".rejects"), workers=int(count), resume=resume == "resume")
    def watch(progress):
        print(progress.indexed + progress.unchanged, flush=True)
    pipeline.index(engine, open_sources([file]), options=options, watch=watch)
    print("done", flush=True)
"""


def write(path: Path, records: Iterable[Any]) -> Path:
    """A file of JSON lines; a text is written as it is."""
    lines = (one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in records)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", errors="surrogatepass")
    return path


def records(count: int) -> list[dict[str, Any]]:
    """Documents of some length, all different."""
    pool = [text for text in TEXTS.values() if len(text) > 30]
    return [
        {
            "id": f"doc-{number:05}",
            "title": f"标题 {number}",
            "text": f"{pool[number % len(pool)]}第{number}号。{pool[(number // 7) % len(pool)]} number {number * 7919}",
            "source": number % 3,
        }
        for number in range(count)
    ]


def run(
    folder: Path, *files: Path, options: IndexOptions | None = None, recipe: Recipe = WORDS, **settings: Any
) -> Progress:
    """Index files into a folder; the rejects go beside it."""
    options = replace(options or IndexOptions(rejects=rejects_of(folder)), **settings)
    return index(
        open_or_create(str(folder), recipe=recipe), open_sources([str(file) for file in files]), options=options
    )


def rejects_of(folder: Path) -> Path:
    """Where `run` puts rejected records."""
    return folder.with_name(folder.name + ".rejects")


def rejects(folder: Path) -> list[dict[str, Any]]:
    """What was rejected."""
    path = rejects_of(folder)
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def everything(folder: Path) -> dict[str, StoredDocument]:
    """All documents of an index by id, found by reading every row, each once."""
    with EmbeddedEngine.open(folder).snapshot() as snapshot:
        found = [stored for rows in snapshot.rows() for stored in snapshot.documents(rows.refs)]
        assert len(found) == snapshot.count
        by_id = {stored.document.id: stored for stored in found}
        assert len(by_id) == len(found), "nothing is doubled"
        assert list(by_id.values()) == snapshot.get(list(by_id))
    return by_id


def start(folder: Path, file: Path, *, workers: int, commit: int, resume: bool = False) -> "subprocess.Popen[str]":
    """A process of its own that indexes, and prints how far it is."""
    arguments: Sequence[str] = [str(folder), str(file), str(workers), str(commit), "resume" if resume else "anew"]
    script = folder.with_name("script.py")  # worker processes import it again, so it must be a file
    script.write_text(SCRIPT, encoding="utf-8")
    return subprocess.Popen([sys.executable, str(script), *arguments], stdout=subprocess.PIPE, text=True)
