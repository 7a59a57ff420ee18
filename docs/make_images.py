"""Makes the pictures of the documentation from real runs: `.venv/bin/python docs/make_images.py`.

The terminal picture is what `leitong` writes to a terminal; lines wider than it are cut, and so is the end of the diff.
The page of the report and the search page are taken with chromium where it is installed.
"""

import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
from html import escape
from itertools import groupby
from pathlib import Path
from shlex import join
from urllib.parse import urlencode

from rich.cells import cell_len
from rich.console import Console
from rich.style import Style
from rich.text import Text

IMAGES = Path(__file__).parent / "images"
LEITONG = Path(sys.executable).with_name("leitong")
OLD = "行政法规/全国年节及纪念日放假办法(2013-12-11).md"
NEW = "行政法规/全国年节及纪念日放假办法(2024-11-10).md"
COLUMNS = 104

CELL, LINE, MARGIN = 9.0, 22.0, 16.0
FONTS = "Menlo, Consolas, 'DejaVu Sans Mono', 'Noto Sans Mono CJK SC', 'PingFang SC', 'Microsoft YaHei', monospace"
COLOURS = {1: "#e06c75", 2: "#98c379", 3: "#e5c07b"}


def run(folder: Path, *command: str) -> list[str]:
    """A prompt with the command, and what the command wrote to a terminal, colours included."""
    reader, terminal = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if not key.startswith("LEITONG_")}
    process = subprocess.Popen(
        [LEITONG, *command],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        stderr=terminal,
        env=environment | {"COLUMNS": "200"},
    )
    os.close(terminal)
    written = bytearray()
    while True:
        try:
            part = os.read(reader, 1 << 16)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        written += part
    os.close(reader)
    if process.wait():
        sys.exit(f"leitong {join(command)} failed:\n{written.decode()}")
    return [f"\x1b[32m$\x1b[0m leitong {join(command)}", *written.decode().replace("\r", "").splitlines()]


def picture(name: str, lines: list[str]) -> None:
    """Write lines as an SVG. Every run of wide or narrow characters gets its place, whatever font a reader has."""
    console = Console(width=COLUMNS, force_terminal=True)
    width, height = COLUMNS * CELL + 2 * MARGIN, len(lines) * LINE + 2 * MARGIN
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}">',
        f'<rect width="{width:g}" height="{height:g}" rx="8" fill="#23272e"/>',
        f'<g font-family="{FONTS}" font-size="15" fill="#d7dae0">',
    ]
    for row, line in enumerate(lines):
        text = Text.from_ansi(line)
        text.truncate(COLUMNS, overflow="ellipsis")
        cell = 0
        for segment in text.render(console):
            for (_, blank), run_ in groupby(segment.text, key=lambda letter: (cell_len(letter), letter == " ")):
                piece = "".join(run_)
                cells = cell_len(piece)
                place = f'x="{MARGIN + cell * CELL:g}" y="{MARGIN + row * LINE + 16:g}" textLength="{cells * CELL:g}"'
                size = ' font-size="16.5"' if cells > len(piece) else ""
                if not blank:
                    out.append(f"<text {place}{size}{look(segment.style)}>{escape(piece)}</text>")
                cell += cells
    (IMAGES / f"{name}.svg").write_text("\n".join([*out, "</g>", "</svg>", ""]), encoding="utf-8")


def look(style: Style | None) -> str:
    """A style as attributes."""
    if style is None:
        return ""
    colour = COLOURS.get(style.color.number or 0) if style.color else "#8b919c" if style.dim else None
    return (f' fill="{colour}"' if colour else "") + (' font-weight="bold"' if style.bold else "")


def screenshot(name: str, address: str, *, width: int = 1000, height: int = 900) -> None:
    """A page as chromium shows it, where chromium is; scripts have a few seconds to finish."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        print(f"no chromium: {name}.png stays as it is")
        return
    options = ("--headless", "--no-sandbox", "--hide-scrollbars", "--virtual-time-budget=10000")
    size, target = f"--window-size={width},{height}", IMAGES / f"{name}.png"
    subprocess.run([browser, *options, size, f"--screenshot={target}", address], check=True, capture_output=True)


def search_page(folder: Path) -> None:
    """The search page in Chinese, two texts side by side in English."""
    command = [LEITONG, "serve", "--index", "leitong-demo", "--port", "0"]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        found = re.search(r"http://\S+", server.stderr.readline())
        assert found is not None, "leitong serve said nothing of an address"
        address = found[0]
        screenshot("web-search", f"{address}search?{urlencode({'q': '办法', 'lang': 'zh'})}", height=560)
        old_and_new = urlencode({"a": OLD, "b": NEW, "lang": "en"})
        screenshot("web-compare", f"{address}compare?{old_and_new}", height=760)
        server.terminate()


def main() -> None:
    """All pictures."""
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(folder, "demo")
        index = ("--index", "leitong-demo")
        found = run(folder, "search", "放假办法", "--size", "2", *index)
        similar = run(folder, "similar", OLD, *index)
        compared = run(folder, "compare", OLD, NEW, *index)
        picture("similar", [*found, "", *similar, "", *compared[:22]])
        screenshot("report", (folder / "leitong-demo" / "report" / "index.html").resolve().as_uri())
        search_page(folder)


if __name__ == "__main__":
    main()
