"""`make bench-accuracy`: Leitong's decisions beside the peers', on the same labelled pairs of real Chinese news.

Every peer is tried in several ways and stands here with the best of them, at its best threshold on these pairs. Leitong
has its default settings, through `leitong index` and `leitong evaluate`.
"""

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from tests.servers import ServerUnavailableError

from benchmarks import accuracy_page, readings
from benchmarks import versions as known
from benchmarks.features import all_features
from benchmarks.measure import RESULTS, SKIPPED
from benchmarks.more_like_this import more_like_this
from benchmarks.peers import (
    Pairs,
    Tried,
    datasketch_minhash,
    gaoya_minhash,
    simhash_1e0ng,
    text_dedup_minhash,
    text_dedup_simhash,
)
from leitong.indexer.documents import LabelledPair
from leitong.indexer.duplicates.accuracy.measure import METHOD, Estimate, Score, Scorer
from leitong.indexer.sources.pairs import read_pairs

_FOLDER: Final = "zh-webnews-2018"
_LABELS: Final = "pairs-dev.tsv"
_DOCUMENTS: Final = "docs.jsonl.gz"
_SERVERS: Final = ("elasticsearch", "opensearch")
_CONFIDENT: Final = ("confidence", "high")


def _estimate(estimate: Estimate | None) -> dict[str, float] | None:
    if estimate is None:
        return None
    return {name: round(getattr(estimate, name), 4) for name in ("value", "low", "high")}


def _values(score: Score) -> dict[str, Any]:
    shares = {name: _estimate(getattr(score, name)) for name in ("precision", "recall", "f1")}
    return {
        "at": round(score.at, 4),
        **shares,
        "right": score.right,
        "false_alarms": score.false,
        "missed": score.missed,
    }


class Labels:
    """Labelled pairs, some of which may be left out."""

    def __init__(self, pairs: Sequence[LabelledPair], which: NDArray[np.bool_]) -> None:
        self._which = which
        chosen = [pair for pair, wanted in zip(pairs, which.tolist(), strict=True) if wanted]
        self._scorer = Scorer([(pair.a, pair.b) for pair in chosen], [pair.duplicate for pair in chosen])

    def best(self, scores: NDArray[np.float64]) -> dict[str, Any]:
        """The result at the best threshold, and what the threshold is worth on pairs it was not fitted to."""
        scores = scores[self._which]
        thresholds = np.unique(scores)
        found = scores >= thresholds[:, None]
        place = self._scorer.best(found)
        fit = self._scorer.cross_fit(thresholds.tolist(), found)
        return {
            **_values(self._scorer.score(float(thresholds[place]), found[place])),
            "cross_fit": fit and round(fit.f1, 4),
        }


def ours(source: Path, labels: Path) -> dict[str, Any]:
    """Leitong, as people run it."""
    with tempfile.TemporaryDirectory() as folder:
        index = str(Path(folder) / "index")
        _leitong("index", str(source), "-i", index)
        answers = {
            "all": _leitong("evaluate", str(labels), "-i", index, "--mistakes", "0", "--json"),
            "confident": _leitong(
                "evaluate", str(labels), "-i", index, "--mistakes", "0", "--filter", "=".join(_CONFIDENT), "--json"
            ),
            "copies": _leitong(
                "evaluate", str(labels), "-i", index, "--mistakes", "0", "--filter", "label=copy", "--json"
            ),
        }
    parsed = {name: json.loads(answer) for name, answer in answers.items()}
    return {
        "name": "Leitong, default settings",
        "version": version("leitong"),
        "way": f"radius {parsed['all']['radius']}, min-similarity {parsed['all']['min_similarity']:g}",
        **{name: answer["result"] for name, answer in parsed.items()},
        "best": {**parsed["all"]["best"], "cross_fit": parsed["all"]["cross_fit"]["f1"]},
        "best_confident": {**parsed["confident"]["best"], "cross_fit": parsed["confident"]["cross_fit"]["f1"]},
    }


def _leitong(*arguments: str) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LEITONG_")}
    script = Path(sys.executable).parent / "leitong"
    return subprocess.run([script, *arguments], env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout


def peers(texts: dict[str, str], pairs: Pairs) -> Iterator[Tried]:
    """Every peer in every way; a server that cannot be had is named and left out."""
    labelled = {doc_id: texts[doc_id] for doc_id in dict.fromkeys(doc_id for pair in pairs for doc_id in pair)}
    features = all_features(labelled)
    yield from datasketch_minhash(features, pairs)
    yield from gaoya_minhash(features, pairs)
    yield from text_dedup_minhash(labelled, features, pairs)
    yield from text_dedup_simhash(labelled, features, pairs)
    yield from simhash_1e0ng(labelled, features, pairs)
    for name in _SERVERS:
        try:
            yield from more_like_this(name, texts, pairs)
        except ServerUnavailableError as error:
            print(f"left out: {error}", file=sys.stderr)


def try_peers(folder: Path) -> dict[str, Any]:
    """The labels, and every peer in every way."""
    labels = read_pairs(folder / _LABELS)
    sure = {(pair.a, pair.b) for pair in read_pairs(folder / _LABELS, filters=[_CONFIDENT]).pairs}
    with gzip.open(folder / _DOCUMENTS) as file:
        texts = {one["id"]: f"{one.get('title') or ''}\n{one['text']}" for one in map(json.loads, file)}
    pairs = [(pair.a, pair.b) for pair in labels.pairs]
    everything = Labels(labels.pairs, np.ones(len(pairs), dtype=np.bool_))
    confident = Labels(labels.pairs, np.array([pair in sure for pair in pairs]))
    tried: list[dict[str, Any]] = []
    for one in peers(texts, pairs):
        result: dict[str, Any] = {
            "name": one.peer,
            "version": one.version,
            "way": one.way,
            "all": everything.best(one.scores),
            "confident": confident.best(one.scores),
        }
        tried.append(result)
        print(f"  {one.peer}, {one.way}: F1 {result['all']['f1']['value']:.3f}", file=sys.stderr, flush=True)
    return {
        "labels": f"{_FOLDER}/{_LABELS}",
        "documents": len(texts),
        "pairs": len(pairs),
        "duplicates": sum(pair.duplicate for pair in labels.pairs),
        "confident_pairs": len(sure),
        "method": METHOD,
        "peers": tried,
    }


def main() -> None:
    """Measure, write the result and the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder for the result")
    parser.add_argument("--ours", action="store_true", help="measure Leitong only; keep the last result of the peers")
    chosen = parser.parse_args()
    folder = Path(os.environ.get("LEITONG_DATA", "")) / _FOLDER
    if not os.environ.get("LEITONG_DATA") or not folder.is_dir():
        print(f"skipped: {_FOLDER} is absent; set LEITONG_DATA to its folder", file=sys.stderr)
        raise SystemExit(SKIPPED)
    path = chosen.results / "accuracy.json"
    short = known.short_texts()
    for one, other in short.pop("sample"):  # to be read; the texts are nobody's to pass on
        print(f"  {one}  |  {other}", file=sys.stderr)
    kept = json.loads(path.read_text(encoding="utf-8")) if chosen.ours else try_peers(folder)
    results = {
        **kept,
        "measured": datetime.now(UTC).isoformat(timespec="seconds"),
        "leitong": ours(folder / _DOCUMENTS, folder / _LABELS),
        "versions": [known.msdocs(folder.parent, _leitong), known.wiki(folder.parent, _leitong)],
        "abstracts": known.abstracts(folder.parent),
        "short": short,
        "readings": readings.verdicts(),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(accuracy_page.write(path), file=sys.stderr)


if __name__ == "__main__":
    main()
