"""Two places that get the same commands and have to print the same."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cli.running import Ran, here

OWN = {"index", "took_ms", "seconds", "score", "engine", "engine_version", "size_bytes", "created", "format"}
"""What differs between engines and between runs."""
PROGRESS = re.compile(
    r"^(?:indexing: [\d,]+ documents?\b.*|[^:\n]+: [\d,]+ of [\d,]+(?:, about .*)?|learning what .*|joining fing.*)\n",
    re.MULTILINE,
)
"""A line that comes every ten seconds."""


@dataclass(frozen=True)
class Side:
    """One of the two indexes that get the same commands."""

    cwd: Path
    locator: str

    def __call__(self, *args: str) -> Ran:
        return here(*args, "--index", self.locator, cwd=self.cwd)

    def told(self, text: str) -> str:
        """What was printed, without the index's name and what time and scores make of it."""
        text = PROGRESS.sub("", text.replace(self.locator, "INDEX"))
        return re.sub(r"[\d.,]+ (s|ms|a second)\b", "TIME", text)


@dataclass(frozen=True)
class Both:
    """The same commands on a folder and on a server."""

    folder: Side
    server: Side

    def json(self, *args: str) -> Any:
        """The answer, which is the same of both."""
        here_, there = self.folder(*args, "--json"), self.server(*args, "--json")
        assert (here_.code, plain(here_.json)) == (there.code, plain(there.json))
        assert self.folder.told(here_.err) == self.server.told(there.err)
        return there.json

    def text(self, *args: str) -> str:
        """What is printed for people, the same of both."""
        here_, there = self.folder(*args), self.server(*args)
        assert here_.code == there.code
        assert self.folder.told(here_.out) == self.server.told(there.out)
        assert self.folder.told(here_.err) == self.server.told(there.err)
        return there.out + there.err


def plain(value: Any) -> Any:
    """An answer without what is the engine's own; hits, whose ranking is so too, by their ids."""
    if isinstance(value, dict):
        kept = {key: plain(inner) for key, inner in value.items() if key not in OWN}
        if "hits" in kept:
            kept["hits"].sort(key=lambda hit: hit["id"])
        return kept
    return [plain(inner) for inner in value] if isinstance(value, list) else value
