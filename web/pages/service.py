"""`/healthz`, `/metrics`, `/static/…`: for machines."""

import contextlib
from typing import Final

from starlette.exceptions import HTTPException
from starlette.responses import Response

from leitong.indexer.errors import LeitongError
from leitong.web.metrics import CONTENT_TYPE
from leitong.web.pool import BusyError
from leitong.web.site import Site, Visit, answer

_TYPES: Final = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}


async def healthz(site: Site, visit: Visit) -> Response:
    """Whether the index answers: 200, or 503 with a sentence."""
    info = await site.pool.ask(lambda index: index.info())
    return answer({"status": "ok", "documents": info.documents})


async def metrics(site: Site, visit: Visit) -> Response:
    """For Prometheus; an index that does not answer is a figure too."""
    documents: int | None = None
    with contextlib.suppress(LeitongError, BusyError):
        documents = (await site.pool.ask(lambda index: index.info())).documents
    return Response(site.metrics.text(waiting=site.pool.asked, documents=documents), media_type=CONTENT_TYPE)


async def static(site: Site, visit: Visit) -> Response:
    """A stylesheet, script or picture. Its address names its content, so a browser may keep it."""
    name = visit.request.path_params["name"]
    content = site.assets.get(name)
    if content is None:
        raise HTTPException(404)
    fresh = visit.request.url.query and site.asset(name).endswith(visit.request.url.query)
    headers = {"cache-control": "public, max-age=31536000, immutable" if fresh else "no-cache"}
    return Response(content, media_type=_TYPES[name.rpartition(".")[2]], headers=headers)
