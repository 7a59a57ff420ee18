"""`leitong index` against fingerprinting the same documents, and the memory it takes."""

import gzip
import os
import subprocess
import sys
import tempfile
import threading
import time
from itertools import islice
from pathlib import Path
from statistics import median

from benchmarks.measure import SCALE_DOCUMENTS, Figure, Options, finish, options, paired, pinned, ratio, scale_file
from leitong.indexer.documents import Document
from leitong.indexer.fingerprint.recipe import load
from leitong.indexer.sources.open import open_sources
from leitong.indexer.workers import fingerprint_all

_WORKERS = 2
_ONLY_FINGERPRINTS = "--only-fingerprints"
_SCRIPT = Path(sys.executable).parent / "leitong"


class Memory(threading.Thread):
    """The largest sum of memory (PSS: what is shared counts once) of a process and all below it."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._pid = pid
        self.done = threading.Event()
        self.peak = 0
        self.samples = 0

    def run(self) -> None:
        """Sample until told to stop."""
        while not self.done.wait(0.2):
            self.peak = max(self.peak, sum(map(_pss, _tree(self._pid))))
            self.samples += 1


def _tree(pid: int) -> list[int]:
    found, waiting = [], [pid]
    while waiting:
        one = waiting.pop()
        found.append(one)
        try:
            for task in Path(f"/proc/{one}/task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
        except OSError:
            continue
    return found


def _pss(pid: int) -> int:
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:  # it ended meanwhile
        pass
    return 0


def timed(command: list[str]) -> tuple[float, int]:
    """Seconds and peak bytes of a command."""
    begun = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=_environment()) as process:
        memory = Memory(process.pid)
        memory.start()
        _, said = process.communicate()
        taken = time.perf_counter() - begun
        memory.done.set()
        memory.join()
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed: {said.decode()}")
    return taken, memory.peak


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("LEITONG_")}


def part_of(source: Path, folder: Path, scale: float) -> Path:
    """The collection, or a part of it spread evenly over it."""
    if scale >= 1:
        return source
    step = max(1, round(1 / scale))
    path = folder / "part.jsonl.gz"
    with gzip.open(source) as file, gzip.open(path, "wb", compresslevel=1) as out:
        out.writelines(islice(file, 0, None, step))
    return path


def measure(chosen: Options) -> None:
    """Measure and write the result."""
    with tempfile.TemporaryDirectory() as name, pinned(2):
        folder = Path(name)
        source = part_of(scale_file(), folder, chosen.scale)
        peaks: list[int] = []
        sizes: list[int] = []

        def index() -> float:
            target = folder / f"index-{len(peaks)}"
            seconds, peak = timed([str(_SCRIPT), "index", str(source), "-i", str(target), "--workers", str(_WORKERS)])
            peaks.append(peak)
            sizes.append(sum(path.stat().st_size for path in target.rglob("*") if path.is_file()))
            return seconds

        def fingerprints() -> float:
            return timed([sys.executable, "-m", "benchmarks.index", _ONLY_FINGERPRINTS, str(source)])[0]

        taken = paired({"fingerprints": fingerprints, "index": index}, repetitions=3)
    finish(
        "index",
        [
            Figure(
                "index, time against fingerprints alone", ratio(taken["index"], taken["fingerprints"]), 2.0, False, "x"
            ),
            Figure("index, peak memory of all processes", max(peaks) / 1e9, 1.5, False, "GB"),
        ],
        {
            "documents": round(SCALE_DOCUMENTS * min(1.0, chosen.scale)),
            "documents_a_second": round(SCALE_DOCUMENTS * min(1.0, chosen.scale) / median(taken["index"]), 1),
            "seconds": taken,
            "peak_bytes": peaks,
            "index_bytes": sizes[-1],
            "workers": _WORKERS,
        },
        chosen,
    )


def only_fingerprints(source: str) -> None:
    """What `index` is measured against: the same source, read the same way."""
    documents = (one for opened in open_sources([source]) for one in opened if isinstance(one, Document))
    for _ in fingerprint_all(documents, recipe=load("standard"), workers=_WORKERS):
        pass


if __name__ == "__main__":
    if sys.argv[1:2] == [_ONLY_FINGERPRINTS]:
        only_fingerprints(sys.argv[2])
    else:
        measure(options(__doc__))
