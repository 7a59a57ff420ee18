"""The page of a report: numbers first, then the clusters. It opens offline and runs no script."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from leitong.indexer.documents import StoredDocument
from leitong.indexer.duplicates.clusters import Cluster
from leitong.indexer.duplicates.report import Pair, Report
from leitong.indexer.library import Index

_CLUSTERS: Final = 200
_MEMBERS: Final = 20
_EXCERPT: Final = 160


@dataclass(frozen=True)
class Bar:
    """One bar of a picture; `share` of the longest one, 0 to 100."""

    label: str
    count: int
    share: float


@dataclass(frozen=True)
class Member:
    """A document of a cluster as the page shows it; `pair` is its match with the representative, where there is one."""

    id: str
    title: str
    excerpt: str
    characters: int
    pair: Pair | None


@dataclass(frozen=True)
class Group:
    """A cluster as the page shows it."""

    number: int
    size: int
    members: tuple[Member, ...]
    hidden: int


def page(report: Report, summary: dict[str, Any], *, index: Index) -> str:
    """The page as HTML. Clusters and members beyond a limit are counted, and stand in the other files."""
    shown = report.clusters[:_CLUSTERS]
    wanted = [member for cluster in shown for member in cluster.members[:_MEMBERS]]
    documents = index.documents(wanted)
    pairs = {(pair.a, pair.b): pair for pair in report.pairs}
    environment = Environment(
        loader=PackageLoader("leitong.reports"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    return environment.get_template("report.html").render(
        summary=summary,
        groups=[_group(cluster, documents, pairs) for cluster in shown],
        hidden=len(report.clusters) - len(shown),
        similarities=_bars(Counter(min(9, int(pair.similarity * 10)) for pair in report.pairs), _tenths),
        distances=_bars(Counter(pair.distance for pair in report.pairs), str),
        sizes=_bars(Counter(min(len(cluster.members), 10) for cluster in report.clusters), _size),
    )


def _group(cluster: Cluster, documents: dict[str, StoredDocument], pairs: dict[tuple[str, str], Pair]) -> Group:
    members = []
    for doc_id in cluster.members[:_MEMBERS]:
        stored = documents.get(doc_id)
        first, second = sorted((cluster.representative, doc_id))
        text = stored.document.text if stored else ""
        members.append(
            Member(
                id=doc_id,
                title=stored.document.title if stored else "",
                excerpt=" ".join(text[: _EXCERPT * 2].split())[:_EXCERPT],
                characters=len(text),
                pair=pairs.get((first, second)),
            )
        )
    return Group(cluster.number, len(cluster.members), tuple(members), len(cluster.members) - len(members))


def _bars(counts: Counter[int], label: Callable[[int], str]) -> list[Bar]:
    longest = max(counts.values(), default=1)
    return [Bar(label(key), counts[key], 100 * counts[key] / longest) for key in sorted(counts)]


def _tenths(tenth: int) -> str:
    return f"{tenth * 10}–{tenth * 10 + 10} %"


def _size(size: int) -> str:
    return f"{size}" if size < 10 else "10+"
