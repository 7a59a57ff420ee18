"""The page of something that was measured: numbers, pictures, tables, pairs of texts to read. One file, no script."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from markupsafe import Markup

from leitong.indexer.documents import Document
from leitong.indexer.errors import UsageError
from leitong.indexer.files import check_output as check_file
from leitong.indexer.files import replace_file
from leitong.indexer.plain import written_id
from leitong.reports.charts import BEGINNING
from leitong.reports.templating import environment

_EXCERPT: Final = 600
_BEGINNING: Final = (
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="generator" content="Leitong">'
)
"""What a page begins with."""


@dataclass(frozen=True)
class Table:
    """A table; `now` is the row of the settings in use, `words` say how to read it."""

    title: str
    words: str
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    now: int | None = None


@dataclass(frozen=True, slots=True)
class Side:
    """One text of a pair, cut."""

    id: str
    title: str
    text: str

    @classmethod
    def of(cls, document: Document) -> "Side":
        """The beginning of a document."""
        rest = "…" if len(document.text) > _EXCERPT else ""
        return cls(written_id(document.id), document.title, document.text[:_EXCERPT] + rest)


@dataclass(frozen=True)
class TextPair:
    """Two texts to read, and what is said of them."""

    words: str
    sides: tuple[Side, Side]


@dataclass(frozen=True)
class TextPairs:
    """Pairs under one heading."""

    title: str
    pairs: tuple[TextPair, ...]


@dataclass(frozen=True)
class Page:
    """A page, from top to bottom: title, sentences, numbers with their words, pictures (SVG), tables, pairs, notes."""

    title: str
    lead: tuple[str, ...]
    numbers: tuple[tuple[str, str], ...]
    pictures: tuple[str, ...]
    tables: tuple[Table, ...]
    pairs: tuple[TextPairs, ...] = ()
    notes: tuple[str, ...] = ()

    def html(self) -> str:
        """The page as one file that opens offline."""
        return (
            environment()
            .get_template("measured.html")
            .render(
                beginning=Markup(_BEGINNING),
                title=self.title,
                lead=self.lead,
                numbers=self.numbers,
                pictures=[Markup(picture) for picture in self.pictures],
                tables=self.tables,
                pairs=self.pairs,
                notes=self.notes,
            )
        )


def check_output(path: Path) -> None:
    """Raise UsageError for a file that is neither a page nor a picture, or would replace another one than such, and
    StorageError where none can be written."""
    if path.suffix not in (".html", ".svg"):
        raise UsageError(f"-o takes a file ending in .html (the page) or .svg (its first picture), not {path}.")
    if path.suffix == ".svg":
        check_file(path, "write", kind="picture of `leitong evaluate` or `calibrate`", beginning=BEGINNING.encode())
    else:
        check_file(path, "write", kind="page of `leitong evaluate` or `calibrate`", beginning=_BEGINNING.encode())


def write(path: Path, page: Page) -> None:
    """Write the page, or its first picture to a file ending in .svg. Raises StorageError."""
    content = page.pictures[0] if path.suffix == ".svg" else page.html()
    replace_file(path, content.encode("utf-8", "backslashreplace"))


def percent(share: float | None) -> str:
    """A share as people read it; a dash for None."""
    return "–" if share is None else f"{share * 100:.1f} %"


def texts(title: str, pairs: Sequence[TextPair]) -> TextPairs:
    """Pairs under a heading that counts them."""
    return TextPairs(f"{title} ({len(pairs):,})" if pairs else title, tuple(pairs))


def shares(values: Sequence[float], bins: int) -> tuple[float, ...]:
    """Which part of some values 0…1 stands in each of so many equal bins, for a histogram."""
    counts = [0] * bins
    for value in values:
        counts[min(bins - 1, int(value * bins))] += 1
    return tuple(count / max(1, len(values)) for count in counts)
