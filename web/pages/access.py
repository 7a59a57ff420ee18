"""`/access`: who shows the token may write."""

from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from leitong.web.site import COOKIE, Site, Visit


async def access(site: Site, visit: Visit) -> Response:
    """A form for the token; shown again where it was wrong."""
    if site.settings.token is None:
        raise HTTPException(404)
    if visit.request.method != "POST":
        return site.render("access.html", visit, wrong=False)
    form = await visit.request.form(max_files=0, max_fields=4, max_part_size=10_000)
    token = form.get("token")
    if form.get("leave"):
        gone = RedirectResponse(visit.link("/access"), status_code=303)
        gone.delete_cookie(COOKIE)
        return gone
    if not isinstance(token, str) or not site.is_token(token.strip()):
        return site.render("access.html", visit, status=403, wrong=True)
    welcome = RedirectResponse(visit.link("/access"), status_code=303)
    # A server in front may encrypt, and the browser says so: the guard has compared this with the name it asked for.
    secure = visit.request.headers.get("origin", "").startswith("https://")
    welcome.set_cookie(COOKIE, site.session(), httponly=True, samesite="strict", secure=secure)
    return welcome
