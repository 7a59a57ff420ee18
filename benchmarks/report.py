"""A report of the large collection, from a built embedded index to the finished files: its time and its memory.

Where chromium is installed, the pages are opened in it, each three times; a page's time is the median, from the address
to the second frame drawn after everything has loaded.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmarks.measure import SCALE_DOCUMENTS, Figure, Options, finish, options, pinned, scale_documents, scale_file
from leitong.indexer.library import open_index
from leitong.indexer.pipeline import IndexOptions
from leitong.indexer.sources.open import open_sources

_LEITONG = Path(sys.executable).with_name("leitong")
_WATCHED = 0.2


def resident(pid: int) -> int:
    """Bytes of memory of a process and of those it started."""
    total = 0
    try:
        total += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (OSError, IndexError):
        return total
    return total + sum(resident(int(child)) for child in children)


def fill(index: Path, chosen: Options, folder: Path) -> int:
    """Index all documents, or the part that was asked for; returns how many."""
    with open_index(index, create=True) as opened:
        if chosen.scale < 1:
            return opened.add(scale_documents(max(1_000, int(SCALE_DOCUMENTS * chosen.scale))))
        sources = open_sources([str(scale_file())])
        return opened.index(sources, options=IndexOptions(rejects=folder / "rejects.jsonl", workers=2)).indexed


def openings(report: Path) -> dict[str, float]:
    """Seconds that each page takes to open, by its name; nothing where there is no chromium."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        print("no chromium: the pages are not opened")
        return {}
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=browser, args=["--no-sandbox"])

        def opened(path: Path) -> float:
            page = chromium.new_page()
            begun = time.perf_counter()
            page.goto(path.as_uri(), wait_until="load")
            page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
            seconds = time.perf_counter() - begun
            page.close()
            return seconds

        return {path.name: median(opened(path) for _ in range(3)) for path in sorted(report.rglob("*.html"))}


def measure(chosen: Options) -> None:
    """Measure and write the result."""
    with tempfile.TemporaryDirectory() as name, pinned(2):
        folder = Path(name)
        documents = fill(folder / "index", chosen, folder)
        command = [str(_LEITONG), "report", "-i", str(folder / "index"), "-o", str(folder / "report"), "--json"]
        most = 0
        begun = time.perf_counter()
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            while process.poll() is None:
                most = max(most, resident(process.pid))
                time.sleep(_WATCHED)
            seconds = time.perf_counter() - begun
            assert process.stdout is not None
            summary = json.loads(process.stdout.read())
        del summary["index"]
        written = sum(path.stat().st_size for path in (folder / "report").rglob("*") if path.is_file())
        largest = max((path.stat().st_size for path in (folder / "report").rglob("*.html")), default=0)
        pages = openings(folder / "report")
    figures = [
        Figure("report of the large collection", seconds, 120, False, "s"),
        Figure("report of the large collection: memory of all its processes", most / 1e9, 2, False, "GB"),
    ]
    if pages:
        figures.append(
            Figure("report of the large collection: its slowest page opens", max(pages.values()), 1, False, "s")
        )
    details = {
        "documents": documents,
        "bytes_written": written,
        "largest_page": largest,
        "pages": pages,
        "summary": summary,
    }
    finish("report", figures, details, chosen)


if __name__ == "__main__":
    measure(options(__doc__))
