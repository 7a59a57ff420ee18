"""The search page over the large collection: how long a reader waits, alone and among fifty."""

import gzip
import http.client
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import median, quantiles
from urllib.parse import quote

from benchmarks.index import part_of
from benchmarks.measure import SCALE_DOCUMENTS, Figure, Options, finish, options, scale_file
from leitong.indexer import open_index
from leitong.indexer.documents import Document
from leitong.indexer.fingerprint.recipe import load
from leitong.indexer.prepare import Preparer

_SCRIPT = Path(sys.executable).parent / "leitong"
_ASKED = 200
_READERS = 50
_SECONDS = 30.0
_STEP = 20


@dataclass(frozen=True)
class Served:
    """A page that is served: host and port, and its process."""

    address: str
    pid: int

    def cpu_seconds(self) -> float:
        """What the process has used of the processor until now."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def served(index: Path) -> Iterator[Served]:
    """`leitong serve` as a process."""
    command = [str(_SCRIPT), "serve", "--index", str(index), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        found = re.search(r"http://([\d.:]+)/", process.stderr.readline())
        if found is None:
            raise SystemExit("leitong serve did not start")
        try:
            yield Served(found[1], process.pid)
        finally:
            process.terminate()


class Reader:
    """One browser: a connection that is kept open."""

    def __init__(self, address: str) -> None:
        self._connection = http.client.HTTPConnection(address, timeout=60)

    def ask(self, path: str) -> tuple[int, bytes]:
        """Status and body of a page."""
        self._connection.request("GET", path)
        reply = self._connection.getresponse()
        return reply.status, reply.read()

    def milliseconds(self, path: str) -> float:
        """How long a page takes; one that fails ends the benchmark."""
        begun = time.perf_counter()
        status, _ = self.ask(path)
        taken = 1000 * (time.perf_counter() - begun)
        if status != 200:
            raise SystemExit(f"{path} answered {status}")
        return taken


def pages(count: int, source: Path) -> tuple[list[str], list[str]]:
    """Addresses of searches and of documents of a source, chosen by chance but always the same.

    Searches are for one to three words of a title, each of two characters or more.
    """
    chance = random.Random(20_261_121)
    preparer = Preparer(load("standard"))
    with gzip.open(source) as file:
        lines = chance.sample(list(islice(file, 0, None, _STEP)) if source == scale_file() else list(file), count)
    documents = [Document(one["id"], one["text"], one.get("title") or "") for one in map(json.loads, lines)]
    searches = []
    for document in documents:
        words = [word for word in preparer.query_words(document.title or document.text[:100]) if len(word) > 1]
        asked = " ".join(chance.sample(words or ["中国"], min(len(words) or 1, chance.choice((1, 2, 2, 3)))))
        searches.append(f"/search?q={quote(asked)}")
    return searches, [f"/document?id={quote(document.id, safe='')}" for document in documents]


def crowd(address: str, paths: Sequence[str], seconds: float) -> tuple[int, int, list[float]]:
    """Fifty readers for some time: pages read, pages that failed, milliseconds of each."""
    read: list[float] = []
    failed: list[str] = []
    until = time.monotonic() + seconds

    def reading(number: int) -> None:
        reader, chance = Reader(address), random.Random(number)
        while time.monotonic() < until:
            begun = time.perf_counter()
            try:
                status, _ = reader.ask(chance.choice(paths))
            except OSError as error:
                failed.append(str(error))
                reader = Reader(address)
                continue
            if status != 200:
                failed.append(str(status))
            read.append(1000 * (time.perf_counter() - begun))

    readers = [threading.Thread(target=reading, args=(number,)) for number in range(_READERS)]
    for one in readers:
        one.start()
    for one in readers:
        one.join()
    return len(read), len(failed), read


def first_page(reader: Reader) -> int:
    """Bytes of the first page and of everything it asks for."""
    status, page = reader.ask("/")
    assert status == 200
    parts = set(re.findall(r'(?:src|href)="(/static/[^"]+)"', page.decode()))
    return len(page) + sum(len(reader.ask(part)[1]) for part in parts)


@dataclass(frozen=True)
class Waits:
    """Milliseconds of each page, and the processor's share of them on average."""

    taken: list[float]
    cpu: float

    @property
    def p95(self) -> float:
        """So long or shorter in 95 of 100 cases."""
        return quantiles(self.taken, n=20)[-1]

    def told(self) -> dict[str, float]:
        """For the result."""
        return {"median": round(median(self.taken), 1), "p95": round(self.p95, 1), "cpu": round(self.cpu, 1)}


def waits(site: Served, paths: Sequence[str]) -> Waits:
    """Ask for pages one after another."""
    reader = Reader(site.address)
    reader.milliseconds(paths[0])
    before = site.cpu_seconds()
    taken = [reader.milliseconds(path) for path in paths]
    return Waits(taken, 1000 * (site.cpu_seconds() - before) / len(paths))


def measure(chosen: Options) -> None:
    """Measure and write the result."""
    if chosen.index is not None:
        with open_index(chosen.index) as opened:
            size = opened.info().documents
        measure_index(chosen.index, scale_file(), size, chosen)
        return
    with tempfile.TemporaryDirectory() as name:
        index = Path(name) / "index"
        source = part_of(scale_file(), Path(name), chosen.scale)
        command = [str(_SCRIPT), "index", str(source), "-i", str(index), "--json"]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
        measure_index(index, source, json.loads(done.stdout)["indexed"], chosen)


def measure_index(index: Path, source: Path, size: int, chosen: Options) -> None:
    """Measure the pages of an index of so many documents."""
    searches, documents = pages(max(20, int(_ASKED * min(1.0, chosen.scale * 4))), source)
    with served(index) as site:
        reader = Reader(site.address)
        there = [path for path in documents if reader.ask(path)[0] == 200]
        for path in searches[:20]:
            reader.ask(path)
        search, document = waits(site, searches), waits(site, there)
        counts = waits(site, [f"/api/counts?{path.partition('?')[2]}" for path in there])
        needed = first_page(Reader(site.address))
        seconds = max(3.0, _SECONDS * min(1.0, chosen.scale * 4))
        read, failed, taken = crowd(site.address, [*searches, *there], seconds)
    finish(
        "web",
        [
            Figure("search page, 95th percentile", search.p95, 60.0, False, "ms"),
            Figure("document page, 95th percentile", document.p95, 80.0, False, "ms"),
            Figure("50 readers at once, pages that failed", failed, 0, False, ""),
            Figure("first page with all it needs", needed / 1000, 60.0, False, "kB"),
        ],
        {
            "documents": size,
            "of": SCALE_DOCUMENTS,
            "search_ms": search.told(),
            "document_ms": document.told(),
            "count_of_one_hit_ms": counts.told(),
            "searches": len(searches),
            "documents_read": len(there),
            "crowd": {
                "readers": _READERS,
                "seconds": seconds,
                "pages": read,
                "failed": failed,
                "median_ms": round(median(taken), 1),
                "p95_ms": round(quantiles(taken, n=20)[-1], 1),
            },
        },
        chosen,
    )


if __name__ == "__main__":
    measure(options(__doc__, takes_index=True))
