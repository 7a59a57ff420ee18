"""A report as pages that open offline: numbers and pictures first, then the clusters, so many on a page.

`index.html` runs no script. The pages of clusters have one, which sets two texts beside each other, and so has the page
that searches them; each is named by its hash in the page's policy, and nothing else can run. Texts travel as JSON.
"""

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import astuple, dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import numpy as np
from jinja2 import Environment

from leitong.indexer.documents import Kind
from leitong.indexer.duplicates.clusters import Cluster
from leitong.indexer.duplicates.found import Member, Report
from leitong.indexer.plain import plain, written_id
from leitong.reports.charts import Bar, bars
from leitong.reports.templating import environment

FOLDER: Final = "pages"
"""Where a report's other pages lie."""
_LISTED: Final = 200
_MEMBERS: Final = 100
_EXCERPT: Final = 160
_PICTURE_WIDTH: Final = 360.0
"""About what a column of three has on a usual screen."""
_PAGE_CHARACTERS: Final = 400_000
_ENTRY_CHARACTERS: Final = 500
"""What a document takes on a page beside its text."""
_PAGES_LINKED: Final = 50
_SOURCES: Final = 20


@dataclass(frozen=True)
class Shown:
    """A document as a page shows it, its id as inside a JSON string; `key` is the place of its text."""

    id: str
    title: str
    excerpt: str
    more: bool
    source: str | None
    date: str | None
    characters: int
    similarity: float | None
    distance: int | None
    kind: Kind | None
    new: bool
    key: int


@dataclass(frozen=True)
class Group:
    """A cluster on its page; `key` is the place of its representative's text."""

    number: int
    size: int
    title: str
    weakest: float
    direct: int
    members: tuple[Shown, ...]
    hidden: int
    key: int


@dataclass(frozen=True)
class Findable:
    """A cluster on the page that finds clusters: its parts are in the order in which the script of that page has them.

    `words` are the ids and sources of its first documents, `page` is where it stands.
    """

    number: int
    size: int
    title: str
    words: str
    weakest: float
    page: str


@dataclass(frozen=True)
class Row:
    """A cluster in a list, and on which page it is."""

    number: int
    size: int
    title: str
    weakest: float
    direct: int
    page: str
    new: int


@dataclass(frozen=True)
class Copied:
    """Documents of one source in clusters that one of another source, or the same, stands for."""

    here: str
    there: str
    count: int


def write(folder: Path, report: Report, summary: dict[str, Any], since: frozenset[str] | None) -> None:
    """Write all pages into a folder. Members of a cluster beyond a limit are counted, and stand in the other files."""
    writer = _Writer(folder, environment(), report, summary, since)
    writer.clusters()
    writer.search()
    writer.index()


class _Writer:
    """Writes the pages, and remembers what the first of them lists."""

    def __init__(
        self,
        folder: Path,
        environment: Environment,
        report: Report,
        summary: dict[str, Any],
        since: frozenset[str] | None,
    ) -> None:
        self._folder = folder
        self._environment = environment
        self._report = report
        self._summary = summary
        self._since = since
        self._rows: list[Row] = []
        self._findable: list[Findable] = []
        self._sources: Counter[tuple[str, str]] = Counter()
        self._pages = 0

    def clusters(self) -> None:
        """Pages of clusters, the largest first; a page ends when it is long enough to open quickly."""
        groups: list[Group] = []
        texts: list[str] = []
        for cluster in self._report.clusters:
            members = self._report.members(cluster)
            groups.append(self._group(cluster, members, texts))
            if sum(map(len, texts)) + _ENTRY_CHARACTERS * len(texts) >= _PAGE_CHARACTERS:
                self._page(groups, texts, last=cluster.number == len(self._report.clusters))
                groups, texts = [], []
        if groups:
            self._page(groups, texts, last=True)

    def search(self) -> None:
        """The page that finds clusters."""
        if self._findable:
            clusters = _inert([astuple(cluster) for cluster in self._findable])
            self._render(f"{FOLDER}/search.html", "search.html", script="search.js", clusters=clusters)

    def index(self) -> None:
        """The first page."""
        report = self._report
        tenths = np.minimum(9, (report.pairs.column("similarity") * 10).astype(np.int64))
        sizes = Counter(min(len(cluster.members), 10) for cluster in report.clusters)
        pictures = [
            _picture("Similarity of pairs 相似度", Counter(tenths.tolist()), _tenths),
            _picture("Distance in bits 海明距离", Counter(report.pairs.column("distance").tolist()), str),
            _picture("Documents in a cluster 组的大小", sizes, _size),
        ]
        sources = [Copied(here, there, count) for (here, there), count in self._sources.most_common(_SOURCES)]
        self._render(
            "index.html",
            "report.html",
            rows=self._rows,
            hidden=len(report.clusters) - len(self._rows),
            pages_shown=[_name(number + 1) for number in range(min(self._pages, _PAGES_LINKED))],
            more_pages=max(0, self._pages - _PAGES_LINKED),
            pictures=[picture for picture in pictures if picture],
            sources=sources,
            more_sources=len(self._sources) - len(sources),
        )

    def _group(self, cluster: Cluster, members: list[Member], texts: list[str]) -> Group:
        members.sort(key=lambda member: member.id != cluster.representative)
        first = members[0]
        title = _cut(first.title) or _excerpt(first.text) or written_id(first.id)
        page = _name(self._pages + 1)
        new = [member.id for member in members if self._since is not None and member.id not in self._since]
        if cluster.number <= _LISTED:
            size = len(members)
            row = Row(cluster.number, size, title, cluster.weakest, cluster.direct, page, len(new))
            self._rows.append(row)
        words = " ".join(dict.fromkeys(word for one in members[:_MEMBERS] for word in (one.id, one.source or "")))
        weakest = round(cluster.weakest, 4)
        self._findable.append(
            Findable(
                number=cluster.number,
                size=len(members),
                title=plain(title),
                words=plain(words),
                weakest=weakest,
                page=page.removeprefix(f"{FOLDER}/"),
            )
        )
        for member in members[1:]:
            if first.source and member.source:
                self._sources[first.source, member.source] += 1
        begin = len(texts)
        texts += [plain(f"{member.title}\n{member.text}") for member in members[:_MEMBERS]]
        shown = tuple(
            _shown(member, new=member.id in new, key=key) for key, member in enumerate(members[:_MEMBERS], begin)
        )
        hidden = len(members) - len(shown)
        return Group(cluster.number, len(members), title, weakest, cluster.direct, shown, hidden, begin)

    def _page(self, groups: list[Group], texts: list[str], *, last: bool) -> None:
        self._pages += 1
        near = (self._pages - 1 if self._pages > 1 else 0, 0 if last else self._pages + 1)
        before, after = (_name(number).removeprefix(f"{FOLDER}/") if number else "" for number in near)
        self._render(
            _name(self._pages),
            "clusters.html",
            script="diff.js",
            groups=groups,
            texts=_inert(texts),
            before=before,
            after=after,
        )

    def _render(self, name: str, template: str, *, script: str = "", **values: Any) -> None:
        content = files("leitong.reports").joinpath("templates", script).read_text("utf-8") if script else ""
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        page = self._environment.get_template(template).render(
            summary=self._summary, script=content, script_hash=digest, **values
        )
        path = self._folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(page, encoding="utf-8", errors="backslashreplace", newline="\n")


def _shown(member: Member, *, new: bool, key: int) -> Shown:
    return Shown(
        id=written_id(member.id),
        title=_cut(member.title),
        excerpt=_excerpt(member.text),
        more=len(member.text) > _EXCERPT,
        source=member.source,
        date=member.date,
        characters=member.characters,
        similarity=member.similarity,
        distance=member.distance,
        kind=member.kind,
        new=new,
        key=key,
    )


def _name(number: int) -> str:
    return f"{FOLDER}/clusters-{number:05}.html"


def _cut(title: str) -> str:
    """A title of pages without end would hide what else there is."""
    return title if len(title) <= _EXCERPT else f"{title[:_EXCERPT]}…"


def _excerpt(text: str) -> str:
    return " ".join(text[: _EXCERPT * 2].split())[:_EXCERPT]


def _inert(value: Any) -> str:
    """JSON inside a page: no character of it can end the element, or begin another one."""
    text = json.dumps(value, ensure_ascii=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _picture(title: str, counts: Counter[int], label: Callable[[int], str]) -> str:
    rows = [Bar(label(key), counts[key]) for key in sorted(counts)]
    return bars(rows, title=title, width=_PICTURE_WIDTH) if counts else ""


def _tenths(tenth: int) -> str:
    return f"{tenth * 10}–{tenth * 10 + 10} %"


def _size(size: int) -> str:
    return f"{size}" if size < 10 else "10+"
