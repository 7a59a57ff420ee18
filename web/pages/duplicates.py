"""`/duplicates`, `/api/clusters`, `/api/decide`: the clusters of the last report, and what people decide about them."""

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response, StreamingResponse

from leitong.indexer import answers
from leitong.indexer.duplicates.policy.decisions import DECISIONS, DecidedCluster, Decisions
from leitong.indexer.duplicates.policy.kept import Known
from leitong.indexer.errors import UsageError
from leitong.reports.tables import harmless
from leitong.web.asking import Asked
from leitong.web.pages.check import read_json
from leitong.web.pages.document import KINDS
from leitong.web.site import Site, Visit, answer

SIZE: Final = 20
_MAX_SIZE: Final = 200
_MAX_START: Final = 10_000_000
_MEMBERS: Final = 12
_MAX_MEMBERS: Final = 2_000
_SOURCES: Final = 8
_AT_ONCE: Final = 20_000
"""In an index of at most so many documents the first visit starts the comparison; in a larger one a person does."""
_BINS: Final = ((2, 2), (3, 3), (4, 5), (6, 10), (11, 30), (31, 100), (101, 0))
SORTS: Final = ("size", "similarity", "title")
STATES: Final = ("open", "decided")


@dataclass(frozen=True)
class Choice:
    """Which clusters are wanted, in which order."""

    sort: str
    kind: str
    state: str
    source: str
    words: str
    least: int

    @classmethod
    def of(cls, asked: Asked) -> "Choice":
        """From an address."""
        return cls(
            sort=asked.one_of("sort", SORTS) or "size",
            kind=asked.one_of("kind", KINDS),
            state=asked.one_of("state", STATES),
            source=asked.text("source"),
            words=asked.text("q").strip().lower(),
            least=asked.number("least", 2, least=2, most=1_000_000),
        )

    def of_known(self, known: Known) -> list[DecidedCluster]:
        """The clusters that fit."""
        members = known.report.members

        def fits(cluster: DecidedCluster) -> bool:
            return (
                len(cluster.members) >= self.least
                and (not self.kind or self.kind in cluster.kinds)
                and (not self.state or bool(cluster.kept) == (self.state == "decided"))
                and (not self.source or any(m in members and members[m].source == self.source for m in cluster.members))
                and (not self.words or any(self.words in _title(known, m).lower() for m in cluster.members))
            )

        keys: dict[str, Callable[[DecidedCluster], Any]] = {
            "size": lambda cluster: -len(cluster.members),
            "similarity": lambda cluster: -cluster.similarity,
            "title": lambda cluster: _title(known, cluster.representative),
        }
        return sorted(filter(fits, known.clusters), key=keys[self.sort])


async def duplicates(site: Site, visit: Visit) -> Response:
    """The clusters, or how far the comparison is, or the button that starts it."""
    asked = visit.asked(strict=False)
    choice = Choice.of(asked)
    known, documents = await _known(site)
    if known is None and site.job.progress.state == "idle" and site.job.progress.kept and documents <= _AT_ONCE:
        site.job.start()
    found = choice.of_known(known) if known else []
    size = asked.number("size", SIZE, least=1, most=_MAX_SIZE)
    start = asked.number("start", 0, least=0, most=_MAX_START)
    most = asked.number("members", _MEMBERS, least=1, most=_MAX_MEMBERS)
    shown = found[start : start + size]
    changed = await _changed(site, known, [member for cluster in shown for member in cluster.members[:most]])
    response = site.render(
        "duplicates.html",
        visit,
        known=known,
        documents=documents,
        stale=known is not None and known.report.documents != documents,
        progress=site.job.progress,
        changed=changed,
        may_start=_may_start(site, visit, known, documents),
        choice=choice,
        found=found,
        shown=shown,
        start=start,
        size=size,
        most=most,
        max_members=_MAX_MEMBERS,
        sizes=_sizes(known) if known else [],
        sources=_bars(known.sources()) if known else [],
        sorts=SORTS,
        kinds=KINDS,
        states=STATES,
        decided=sum(bool(cluster.kept) for cluster in known.clusters) if known else 0,
    )
    if site.job.progress.state == "running":
        response.headers["refresh"] = "2"
    return response


async def start(site: Site, visit: Visit) -> Response:
    """Compare every document with every other again."""
    known, documents = await _known(site)
    if not _may_start(site, visit, known, documents):
        raise HTTPException(403, "The report is up to date; making it again needs the token.")
    site.job.start()
    return RedirectResponse(visit.link("/duplicates"), status_code=303)


async def decide(site: Site, visit: Visit) -> Response:
    """Decide, and back to where the cluster was."""
    if not visit.may_write:
        raise HTTPException(403)
    asked = visit.asked(strict=True)  # in the address: a browser changes the line ends of what stands in a form
    await _decide(site, asked.text("decision"), asked.text("id"), asked.ids("other"))
    back = asked.text("back")
    return RedirectResponse(back if back.startswith("/duplicates") else "/duplicates", status_code=303)


async def export(site: Site, visit: Visit) -> Response:
    """All clusters with the decisions, a row for each member."""
    known, _ = await _known(site)
    if known is None:
        raise HTTPException(404, "There is no report yet.")
    choice = Choice.of(visit.asked(strict=False))
    found = choice.of_known(known)
    kind = visit.path.rpartition(".")[2]
    lines = _csv(known, found) if kind == "csv" else _jsonl(found)
    media = "text/csv; charset=utf-8" if kind == "csv" else "application/jsonl"
    headers = {"content-disposition": f'attachment; filename="clusters.{kind}"'}
    return StreamingResponse(lines, media_type=media, headers=headers)


async def api_clusters(site: Site, visit: Visit) -> Response:
    """The clusters of the last report, as lines of `clusters.jsonl`, with what was decided."""
    asked = visit.asked(strict=True)
    choice = Choice.of(asked)
    size = asked.number("size", SIZE, least=1, most=_MAX_SIZE)
    first = asked.number("start", 0, least=0, most=_MAX_START)
    known, documents = await _known(site)
    found = choice.of_known(known) if known else []
    progress = site.job.progress
    return answer(
        {
            "made": known.report.made.isoformat() if known else None,
            "documents": known.report.documents if known else documents,
            "running": progress.state == "running",
            "total": len(found),
            "clusters": [
                _line(number, cluster) for number, cluster in enumerate(found[first : first + size], first + 1)
            ],
        }
    )


async def api_decide(site: Site, visit: Visit) -> Response:
    """`{"decision": "keep" | "apart" | "forget", "id", "others"}`; others may be left out."""
    if not visit.may_write:
        raise HTTPException(403, "Writing needs `leitong serve --write` and its token.")
    value = await read_json(visit, takes=("decision", "id", "others"))
    others = value.get("others", [])
    if not isinstance(others, list) or not all(isinstance(one, str) for one in others):
        raise UsageError("others must be a list of ids.")
    decisions = await _decide(site, str(value.get("decision", "")), str(value.get("id", "")), others)
    return answer(answers.decided(decisions))


async def _known(site: Site) -> tuple[Known | None, int]:
    before = site.known
    known, info = await site.pool.ask(lambda index: (index.known_duplicates(before), index.info()))
    site.known = known
    return known, info.documents


async def _changed(site: Site, known: Known | None, ids: Sequence[str]) -> frozenset[str]:
    """Which of the documents say something else since the comparison, or are gone; then it may be made anew."""
    if known is None:
        return frozenset()
    changed = await site.pool.ask(lambda index: index.changed_since(known, ids))
    if changed:
        site.outdated = known
    return changed


def _may_start(site: Site, visit: Visit, known: Known | None, documents: int) -> bool:
    return visit.may_write or known is None or known.report.documents != documents or known is site.outdated


async def _decide(site: Site, decision: str, doc_id: str, others: Sequence[str]) -> Decisions:
    known, _ = await _known(site)
    chosen = next((one for one in DECISIONS if one == decision), None)
    if chosen is None:
        raise UsageError(f"A decision is keep, apart or forget, not {decision[:20]!r}.")
    return await site.pool.ask(lambda index: index.decide_on(chosen, doc_id, others=others, known=known))


def _title(known: Known, doc_id: str) -> str:
    member = known.report.members.get(doc_id)
    return member.title if member else doc_id


def _sizes(known: Known) -> list[tuple[str, int, float]]:
    """Clusters by their sizes: a label, how many, and their share of the most frequent size."""
    sizes = [len(cluster.members) for cluster in known.clusters]
    counts: Counter[str] = Counter()
    for least, most in _BINS:
        label = f"{least}" if least == most else f"{least}–{most}" if most else f"{least}+"
        counts[label] = sum(least <= size <= (most or size) for size in sizes)
    highest = max(counts.values(), default=0) or 1
    return [(label, count, count / highest) for label, count in counts.items() if count]


def _bars(counts: Counter[str]) -> list[tuple[str, int, float]]:
    highest = max(counts.values(), default=0) or 1
    return [(label, count, count / highest) for label, count in counts.most_common(_SOURCES)]


def _line(number: int, cluster: DecidedCluster) -> dict[str, Any]:
    return {
        "cluster": number,
        "representative": cluster.representative,
        "members": list(cluster.members),
        "decided": bool(cluster.kept),
    }


def _jsonl(clusters: Sequence[DecidedCluster]) -> Iterator[bytes | str]:
    for number, cluster in enumerate(clusters, 1):
        yield orjson.dumps(_line(number, cluster)) + b"\n"


def _csv(known: Known, clusters: Sequence[DecidedCluster]) -> Iterator[bytes | str]:
    yield "cluster,representative,member,decision,title,source\r\n"
    for number, cluster in enumerate(clusters, 1):
        out = io.StringIO()
        writer = csv.writer(out)
        for member in cluster.members:
            told = known.report.members.get(member)
            decision = "" if not cluster.kept else "keep" if member in cluster.kept else "duplicate"
            cells = (cluster.representative, member, decision, told.title if told else "", told.source if told else "")
            writer.writerow([number, *map(harmless, cells)])
        yield out.getvalue()
