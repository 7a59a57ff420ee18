"""The application: which address leads where."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from leitong.web.guard import Guard, TooLargeError
from leitong.web.pages import access, check, compare, document, duplicates, programs, search, service
from leitong.web.settings import Settings
from leitong.web.site import Site, answer


def routes(site: Site) -> list[Route]:
    """Every address."""
    page, api = site.page, site.api
    return [
        Route("/", page(search.home)),
        Route("/search", page(search.search)),
        Route("/document", page(document.document)),
        Route("/compare", page(compare.compare)),
        Route("/check", page(check.check), methods=["GET", "POST"]),
        Route("/add", page(check.add), methods=["POST"]),
        Route("/duplicates", page(duplicates.duplicates)),
        Route("/duplicates/start", page(duplicates.start), methods=["POST"]),
        Route("/duplicates/decide", page(duplicates.decide), methods=["POST"]),
        Route("/duplicates/clusters.csv", page(duplicates.export)),
        Route("/duplicates/clusters.jsonl", page(duplicates.export)),
        Route("/access", page(access.access), methods=["GET", "POST"]),
        Route("/api", page(programs.api)),
        Route("/api/openapi.json", api(programs.api_openapi)),
        Route("/api/search", api(search.api_search)),
        Route("/api/counts", api(search.api_counts)),
        Route("/api/document", api(document.api_document)),
        Route("/api/similar", api(document.api_similar)),
        Route("/api/compare", api(compare.api_compare)),
        Route("/api/clusters", api(duplicates.api_clusters)),
        Route("/api/decide", api(duplicates.api_decide), methods=["POST"]),
        Route("/api/check", api(check.api_check), methods=["POST"]),
        Route("/api/add", api(check.api_add), methods=["POST"]),
        Route("/healthz", api(service.healthz)),
        Route("/metrics", api(service.metrics)),
        Route("/static/{name}", page(service.static)),
    ]


def build(settings: Settings) -> ASGIApp:
    """The page of one index, ready for an ASGI server."""
    site = Site(settings)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await site.pool.warm()
        try:
            yield
        finally:
            await site.close()

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        if request.url.path.startswith("/api/"):
            return answer({"error": str(error.detail)}, status=error.status_code)
        return site.error_page(site.visit(request), error.status_code)

    async def too_large(request: Request, error: Exception) -> Response:
        return PlainTextResponse(f"{error}\n", status_code=413)

    handlers: dict[Any, Any] = {HTTPException: refused, TooLargeError: too_large}
    app = Starlette(routes=routes(site), exception_handlers=handlers, lifespan=lifespan)
    return Guard(app, settings, site.metrics)
