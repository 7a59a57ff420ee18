"""What is found of texts that are known to be versions of each other, and of short texts with an edit.

No labels by people are needed: two versions of one page or article are duplicates, an edited copy is one. So these tell
recall only, but for abstracts of papers, of which no two are; for precision see benchmarks/readings.py.
"""

import csv
import gzip
import json
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any, Final

from benchmarks.measure import scale_records
from benchmarks.readings import MSDOCS, SEED, reported
from leitong.indexer.documents import Document
from leitong.indexer.fingerprint.normalise import normalise
from leitong.indexer.fingerprint.short import letters
from leitong.indexer.library import open_index

WIKI: Final = "wiki-versions-en"
CSL: Final = "csl-sample"
SHORT_TEXTS: Final = 50_000
SIZES: Final = ((5, 8), (9, 19), (20, 39), (40, 60))
_EDITED: Final = 1_000
_CUT: Final = re.compile(r"[。！？\n]+")

Run = Callable[..., str]
"""Runs `leitong` with some arguments, returns what it printed."""


def msdocs(folder: Path, run: Run) -> dict[str, Any]:
    """Pages of a documentation in two versions, those of Jaccard at least .8."""
    with (folder / MSDOCS / "pairs_beta_v1.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    close = [
        (f"{MSDOCS}/{row['id_beta']}", f"{MSDOCS}/{row['id_v1']}") for row in rows if float(row["jaccard5"]) >= 0.8
    ]
    records = [record for record in scale_records() if record["id"].startswith(MSDOCS)]
    return _recall(MSDOCS, records, {"Jaccard ≥ .8": close}, run)


def wiki(folder: Path, run: Run) -> dict[str, Any]:
    """Revisions of one article, by the Jaccard of their runs of five characters."""
    with gzip.open(folder / WIKI / "docs.jsonl.gz") as file:
        records = list(map(json.loads, file))
    articles: dict[str, list[tuple[str, set[int]]]] = {}
    for record in records:
        text = normalise(record["text"])
        runs = {hash(text[start : start + 5]) for start in range(len(text) - 4)}
        articles.setdefault(str(record["cluster"]), []).append((record["id"], runs))
    pairs: dict[str, list[tuple[str, str]]] = {"Jaccard ≥ .8": [], "Jaccard ≥ .5": []}
    for revisions in articles.values():
        for (a, one), (b, other) in combinations(revisions, 2):
            jaccard = len(one & other) / max(1, len(one | other))
            for least, name in ((0.8, "Jaccard ≥ .8"), (0.5, "Jaccard ≥ .5")):
                if jaccard >= least:
                    pairs[name].append((a, b))
    return _recall(WIKI, records, pairs, run)


def abstracts(folder: Path) -> dict[str, Any]:
    """Abstracts of papers, each about something else: what a default report finds there is a mistake."""
    with gzip.open(folder / CSL / "docs.jsonl.gz") as file:
        documents = [Document(one["id"], one["text"], one.get("title") or "") for one in map(json.loads, file)]
    return {"name": CSL, "documents": len(documents), "pairs": len(reported(documents))}


def _recall(
    name: str, records: Sequence[dict[str, Any]], groups: dict[str, list[tuple[str, str]]], run: Run
) -> dict[str, Any]:
    """Recall of each group of pairs with default settings, through the command line."""
    with tempfile.TemporaryDirectory() as folder:
        source, index, labels = (str(Path(folder) / part) for part in ("docs.jsonl", "index", "pairs.tsv"))
        lines = (json.dumps({key: one[key] for key in ("id", "title", "text") if key in one}) for one in records)
        Path(source).write_text("\n".join(lines), encoding="utf-8")
        run("index", source, "-i", index)
        found = {}
        for group, pairs in groups.items():
            rows = "".join(f"{a}\t{b}\tcopy\n" for a, b in pairs)
            Path(labels).write_text(f"id_a\tid_b\tlabel\n{rows}", encoding="utf-8")
            answer = json.loads(run("evaluate", labels, "-i", index, "--mistakes", "0", "--json"))
            found[group] = {"pairs": len(pairs), "recall": answer["result"]["recall"]}
    return {"name": name, "documents": len(records), "groups": found}


def short_texts() -> dict[str, Any]:
    """Titles and sentences of 5 to 60 letters; some have a copy with one letter in twenty replaced.

    `others` are matches that nobody planted: nearly the same titles, or mistakes; a sample is there to be read.
    """
    random = Random(SEED)
    texts = _some_short_texts(random)
    documents = [Document(f"t{number}", text) for number, text in enumerate(texts)]
    planted: dict[str, list[tuple[str, str]]] = {}
    for least, most in SIZES:
        fitting = [one for one in documents if least <= len(letters(normalise(one.text))) <= most]
        chosen = random.sample(fitting, min(_EDITED, len(fitting)))
        documents += [Document(f"{one.id}-edited", _edited(one.text, texts, random)) for one in chosen]
        planted[f"{least}–{most}"] = [(one.id, f"{one.id}-edited") for one in chosen]
    with tempfile.TemporaryDirectory() as folder, open_index(Path(folder) / "index", create=True) as index:
        index.add(documents)
        begun = time.perf_counter()
        found = list(index.report().pairs)
        seconds = time.perf_counter() - begun
    pairs = {(pair.a, pair.b) for pair in found}
    first = {pair.b: pair.a for pair in found if pair.kind == "exact"}  # other pairs name the first of equal texts
    others = sorted(pair for pair in pairs if not any(one.endswith("-edited") for one in pair))
    texts_by_id = {one.id: one.text for one in documents}
    return {
        "documents": len(documents),
        "seconds": round(seconds, 1),
        "recall": {name: round(mean(_told(pair, pairs, first) for pair in some), 4) for name, some in planted.items()},
        "others": len(others),
        "others_equal": sum(pair[1] in first for pair in others),
        "sample": [[texts_by_id[a], texts_by_id[b]] for a, b in random.sample(others, min(50, len(others)))],
    }


def _told(pair: tuple[str, str], pairs: set[tuple[str, str]], first: dict[str, str]) -> bool:
    """Whether a report has the pair, or the pair of the first texts that these two are equal to."""
    a, b = sorted(first.get(one, one) for one in pair)
    return a == b or (a, b) in pairs


def _some_short_texts(random: Random) -> list[str]:
    """Distinct titles and first sentences, spread over the collection."""
    found = dict.fromkeys(text for record in scale_records() for text in _parts(record))
    return random.sample(list(found), min(SHORT_TEXTS, len(found)))


def _parts(record: dict[str, Any]) -> Iterator[str]:
    for text in (record.get("title") or "", next(iter(_CUT.split(record["text"].strip())), "")):
        if SIZES[0][0] <= len(letters(normalise(text))) <= SIZES[-1][1]:
            yield text.strip()


def _edited(text: str, foreign: Sequence[str], random: Random) -> str:
    """One letter in twenty, at least one, replaced by a letter of some other text; digits stay."""
    places = [place for place, letter in enumerate(text) if letter.isalpha()]
    changed = list(text)
    for place in random.sample(places, min(len(places), max(1, len(places) // 20))):
        letter = text[place]
        while letter == text[place]:
            letter = random.choice([one for one in random.choice(foreign) if one.isalpha()] or ["某"])
        changed[place] = letter
    return "".join(changed)
