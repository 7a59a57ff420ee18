"""`/` and `/search`, `/api/search` and `/api/counts`: what was asked, and the hits."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

from starlette.responses import Response

from leitong.indexer import answers
from leitong.indexer.query import FieldIs
from leitong.web.asking import MAX_SIZE, MAX_START, Asked
from leitong.web.site import Site, Visit, answer

SIZE: Final = 10
_PAGES_AROUND: Final = 3
_DATES: Final = ("date", "published", "publish_date", "published_at", "pubdate", "time", "created", "year", "日期")
_DATE_CHARACTERS: Final = 25


async def home(site: Site, visit: Visit) -> Response:
    """The first page: a box to search in."""
    info = await site.pool.ask(lambda index: index.info())
    return site.render("home.html", visit, info=info)


async def search(site: Site, visit: Visit) -> Response:
    """Hits of a query. Their duplicates are counted by a script afterwards, so that nobody waits for it."""
    asked = visit.asked(strict=False)
    query, filters, fold = asked.text("q"), asked.filters(), asked.flag("fold")
    size, start = _window(asked)
    found = await site.pool.ask(
        lambda index: index.search(query, size=size, start=start, filters=filters, fold=fold, count=False, facets=True)
    )
    return site.render(
        "search.html",
        visit,
        query=query,
        found=found,
        fold=fold,
        start=start,
        size=size,
        filters=_chosen(visit, filters),
        facets=[facet for facet in found.facets or () if facet.field not in {one.field for one in filters}],
        pages=_pages(found.total, start, size),
        date_of=date_of,
        adding=lambda field, value: visit.here(filter=[*_written(filters), f"{field}={value}"], start=None),
    )


async def api_search(site: Site, visit: Visit) -> Response:
    """The same as `leitong search --json`; `count=0` leaves the duplicates out, which is faster."""
    asked = visit.asked(strict=True)
    query, filters, fold = asked.text("q"), asked.filters(), asked.flag("fold")
    count, facets = asked.text("count") != "0", asked.flag("facets")
    size, start = _window(asked)
    found = await site.pool.ask(
        lambda index: index.search(
            query, size=size, start=start, filters=filters, fold=fold, count=count, facets=facets
        )
    )
    return answer(answers.searched(found))


async def api_counts(site: Site, visit: Visit) -> Response:
    """How many similar documents each of some documents has. Each is asked for by itself: pages come in between."""
    ids = visit.asked(strict=True).ids()
    counts: dict[str, int] = {}
    for doc_id in ids:
        counts |= await site.pool.ask(lambda index, one=doc_id: index.duplicate_counts([one]))  # type: ignore[misc]
        await asyncio.sleep(0)
    return answer({"counts": counts})


def date_of(metadata: Mapping[str, Any]) -> str:
    """The date of a document, where its metadata have one under a usual name."""
    by_name = {name.lower(): value for name, value in metadata.items()}
    for name in _DATES:
        value = by_name.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and 0 < len(str(value)) <= _DATE_CHARACTERS:
            return str(value)
    return ""


def _window(asked: Asked) -> tuple[int, int]:
    size = asked.number("size", SIZE, least=1, most=MAX_SIZE)
    return size, asked.number("start", 0, least=0, most=MAX_START)


def _written(filters: Sequence[FieldIs]) -> list[str]:
    return [f"{one.field}={one.value}" for one in filters]


def _chosen(visit: Visit, filters: Sequence[FieldIs]) -> list[tuple[FieldIs, str]]:
    """The filters, and the address without each."""
    return [
        (one, visit.here(filter=_written([other for other in filters if other != one]), start=None)) for one in filters
    ]


def _pages(total: int, start: int, size: int) -> list[tuple[int, int]]:
    """Numbers of pages around this one and where each starts."""
    here = start // size
    last = min(max(0, total - 1), MAX_START) // size
    first = max(0, min(here - _PAGES_AROUND, last - 2 * _PAGES_AROUND))
    return [(page + 1, page * size) for page in range(first, min(last, first + 2 * _PAGES_AROUND) + 1)]
