"""`/api` and `/api/openapi.json`: what programs can ask for."""

from starlette.responses import Response

from leitong.web.openapi import openapi
from leitong.web.site import Site, Visit, answer


async def api(site: Site, visit: Visit) -> Response:
    """A page about every address, made from the OpenAPI document."""
    return site.render("api.html", visit, document=openapi())


async def api_openapi(site: Site, visit: Visit) -> Response:
    """The OpenAPI document."""
    return answer(openapi())
