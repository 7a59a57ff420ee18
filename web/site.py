"""What every page needs: the index, the templates, and whoever is asking."""

import functools
import hashlib
import hmac
import logging
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import Any, Final
from urllib.parse import quote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from leitong.indexer.duplicates.policy.kept import Known
from leitong.indexer.errors import (
    DocumentError,
    EngineError,
    ForbiddenError,
    LeitongError,
    RecipeError,
    UnknownDocumentError,
)
from leitong.indexer.exactjson import dumps_any
from leitong.indexer.plain import plain
from leitong.web import language, shown
from leitong.web.asking import Asked
from leitong.web.guard import TooLargeError
from leitong.web.job import Job
from leitong.web.language import Language
from leitong.web.metrics import Metrics
from leitong.web.pool import BusyError, Pool
from leitong.web.settings import Settings

COOKIE: Final = "leitong"
STATIC: Final = ("leitong.css", "leitong.js", "seal.svg")
_LOG: Final = logging.getLogger("leitong.web")
_AGAIN: Final = {"retry-after": "5"}


@dataclass(frozen=True)
class Visit:
    """A request: what is asked, in which language, and whether its sender may write."""

    request: Request
    language: Language
    may_write: bool

    @property
    def path(self) -> str:
        """The path of the address, as it was written."""
        return self.request.url.path

    def asked(self, *, strict: bool) -> Asked:
        """The query of the address."""
        return Asked(self.request.query_params, strict)

    def say(self, name: str, **values: object) -> str:
        """A sentence in the visitor's language."""
        return language.say(self.language, name, **values)

    def link(self, path: str, **parameters: object) -> str:
        """An address on this site, in the language that the visitor chose in the address, if he did."""
        pairs = _pairs(parameters)
        wanted = self.request.query_params.get("lang")
        if wanted in language.LANGUAGES:
            pairs.append(("lang", wanted))
        return f"{path}?{_encoded(pairs)}" if pairs else path

    def here(self, **changes: object) -> str:
        """This address with other values of some parameters; None takes one out."""
        kept = [(name, value) for name, value in self.request.query_params.multi_items() if name not in changes]
        kept += _pairs(changes)
        return f"{self.path}?{_encoded(kept)}" if kept else self.path


class Site:
    """One index as a web site."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.metrics = Metrics()
        self.job = Job(settings.locator)
        self.known: Known | None = None
        self.outdated: Known | None = None
        self.pool = Pool(settings.locator, threads=settings.threads, waiting=settings.waiting, seconds=settings.seconds)

    @cached_property
    def assets(self) -> Mapping[str, bytes]:
        """The files a page asks for, by name."""
        folder = files("leitong.web") / "static"
        return {name: (folder / name).read_bytes() for name in STATIC}

    def asset(self, name: str) -> str:
        """The address of such a file; it changes with the file, so that browsers may keep it."""
        return f"/static/{name}?v={hashlib.blake2b(self.assets[name], digest_size=6).hexdigest()}"

    def visit(self, request: Request) -> Visit:
        """Who is asking."""
        wanted = request.query_params.get("lang")
        chosen = language.chosen(wanted, request.headers.get("accept-language", ""))
        return Visit(request, chosen, self._may_write(request))

    def session(self) -> str:
        """What the cookie of somebody who has shown the token holds."""
        return hmac.new((self.settings.token or "").encode(), b"leitong session", hashlib.sha256).hexdigest()

    def is_token(self, shown_token: str) -> bool:
        """Whether this is the token."""
        ours = self.settings.token
        return ours is not None and hmac.compare_digest(shown_token.encode("utf-8", "replace"), ours.encode())

    def _may_write(self, request: Request) -> bool:
        if self.settings.token is None:
            return False
        scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self.is_token(bearer.strip())
        cookie = request.cookies.get(COOKIE, "")
        return hmac.compare_digest(cookie.encode("utf-8", "replace"), self.session().encode())

    def render(self, template: str, visit: Visit, *, status: int = 200, **values: Any) -> HTMLResponse:
        """A page in the visitor's language."""
        content = self._environment.get_template(template).render(visit=visit, t=visit.say, site=self, **values)
        headers = {"vary": "Accept-Language, Cookie", "content-language": language.TAGS[visit.language]}
        return HTMLResponse(content, status_code=status, headers=headers)

    def page(self, handler: "Handler") -> Callable[[Request], Awaitable[Response]]:
        """An endpoint that answers with a page, errors too."""

        @functools.wraps(handler)
        async def endpoint(request: Request) -> Response:
            request.scope["leitong.route"] = request.scope["route"].path
            visit = self.visit(request)
            try:
                return await handler(self, visit)
            except (TooLargeError, HTTPException):
                raise
            except Exception as error:
                return self.failed(visit, error)

        return endpoint

    def api(self, handler: "Handler") -> Callable[[Request], Awaitable[Response]]:
        """An endpoint that answers in JSON, errors too."""

        @functools.wraps(handler)
        async def endpoint(request: Request) -> Response:
            request.scope["leitong.route"] = request.scope["route"].path
            try:
                return await handler(self, self.visit(request))
            except (TooLargeError, HTTPException):
                raise
            except Exception as error:
                status, sentence = _explained(error)
                return answer({"error": sentence}, status=status)

        return endpoint

    def failed(self, visit: Visit, error: Exception) -> Response:
        """The page for an error."""
        status, sentence = _explained(error)
        return self.error_page(visit, status, sentence if status in (400, 422) else "")

    def error_page(self, visit: Visit, status: int, detail: str = "") -> Response:
        """A plain page that says what is wrong and what to do."""
        known = status if status in (400, 403, 404, 405, 413, 422, 503) else 500
        response = self.render("error.html", visit, status=status, known=known, detail=detail)
        response.headers.update(_AGAIN if status == 503 else {})
        return response

    @cached_property
    def _environment(self) -> Environment:
        environment = Environment(
            loader=PackageLoader("leitong.web"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        environment.filters |= {
            "shown": shown.shown,
            "plain": plain,
            "marked": shown.marked,
            "one_line": shown.one_line,
            "identity": shown.identity,
        }
        environment.globals |= {
            "asset": self.asset,
            "language_of": shown.language_of,
            "lines": shown.lines,
            "LANGUAGES": language.LANGUAGES,
            "TAGS": language.TAGS,
            "NAMES": language.NAMES,
        }
        return environment

    async def close(self) -> None:
        """Give back what is held."""
        await self.job.stop()
        self.pool.close()


Handler = Callable[[Site, Visit], Awaitable[Response]]


def answer(value: object, *, status: int = 200) -> Response:
    """A JSON value as an answer."""
    headers = _AGAIN if status == 503 else {}
    return Response(dumps_any(value), status_code=status, media_type="application/json", headers=headers)


def _explained(error: Exception) -> tuple[int, str]:
    """Status and sentence for an error; what concerns only whoever runs this goes to the log."""
    match error:
        case UnknownDocumentError():
            return 404, f"There is no document with the id {error.doc_id!r}. Ids are case-sensitive."
        case ForbiddenError():  # waiting does not help
            _LOG.error("%s", error)
            return 500, "The index does not let this page do that. Whoever runs it finds the reason in its log."
        case EngineError() | RecipeError():
            _LOG.error("%s", error)
            return (
                503,
                "The index does not answer now. Try again in a moment; the log of this page has the reason.",
            )
        case DocumentError():
            return 422, str(error)
        case LeitongError():
            return 400, str(error)
        case BusyError():
            _LOG.warning("%s", error)
            return 503, "Too much is asked at once, or this takes too long. Try again in a moment."
        case _:
            _LOG.error("%s: %s", type(error).__name__, error, exc_info=bool(os.environ.get("LEITONG_DEBUG")))
            return 500, "Something went wrong here. Whoever runs this page finds more in its log."


def _pairs(parameters: Mapping[str, object]) -> list[tuple[str, str]]:
    """Names and values, one pair for each value of a list; what is empty is left out."""
    pairs: list[tuple[str, str]] = []
    for name, value in parameters.items():
        values = value if isinstance(value, list | tuple) else [value]
        pairs += [(name, str(one)) for one in values if one not in (None, "", False)]
    return pairs


def _encoded(pairs: list[tuple[str, str]]) -> str:
    return urlencode(pairs, quote_via=quote, errors="replace")
