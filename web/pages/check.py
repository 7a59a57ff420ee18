"""`/check`, `/api/check`, `/api/add`: is this text already there? And put it there, for those who may."""

import asyncio
import json
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, Final

from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import ClientDisconnect
from starlette.responses import RedirectResponse, Response

from leitong.indexer import answers
from leitong.indexer.documents import Document, Reject, check_limits
from leitong.indexer.errors import DocumentError, UsageError
from leitong.indexer.sources.files import TEXT_ENDINGS, read_file
from leitong.web.asking import MAX_LIMIT
from leitong.web.pages.document import grouped, likeness, nearness
from leitong.web.site import Site, Visit, answer

_LIMIT: Final = 50
_PLACEHOLDER: Final = "text"
_NAME: Final = re.compile(r"[^\w. ()-]+")


@dataclass(frozen=True)
class Sent:
    """What a form or a program sent."""

    id: str
    title: str
    text: str


async def check(site: Site, visit: Visit) -> Response:
    """The form; after it was sent, what was found with it."""
    if visit.request.method != "POST":
        return _form(site, visit, Sent("", "", ""))
    sent = await _from_form(visit, site.settings.max_body)
    if not sent.text.strip():
        return _form(site, visit, sent, status=422, problem="check_empty")
    _require(sent)
    found = await site.pool.ask(lambda index: index.similar_to(sent.text, title=sent.title, limit=_LIMIT))
    return _form(site, visit, sent, found=found)


async def add(site: Site, visit: Visit) -> Response:
    """Add what was checked, and show it."""
    _may_write(visit)
    sent = await _from_form(visit, site.settings.max_body)
    if not sent.id.strip():
        return _form(site, visit, sent, status=422, problem="add_needs_id")
    document = Document(sent.id.strip(), sent.text, sent.title)
    if await site.pool.ask(lambda index: index.documents([document.id])):
        return _form(site, visit, sent, status=422, problem="add_id_taken")
    await site.pool.ask(lambda index: index.add([document]))
    return RedirectResponse(visit.link("/document", id=document.id), status_code=303)


async def api_check(site: Site, visit: Visit) -> Response:
    """The same as `leitong similar --text FILE --json`; the text comes as `{"text", "title"}` or as plain text."""
    asked = visit.asked(strict=True)
    limit, fold = asked.number("limit", 20, least=1, most=MAX_LIMIT), asked.flag("fold")
    sent = await _from_program(visit)
    _require(sent)
    found = await site.pool.ask(lambda index: index.similar_to(sent.text, title=sent.title, limit=limit, fold=fold))
    return answer(answers.similar(found))


async def api_add(site: Site, visit: Visit) -> Response:
    """Add a document: `{"id", "text", "title", "metadata"}`. One that is there is replaced."""
    _may_write(visit)
    value = await read_json(visit, takes=("id", "text", "title", "metadata"))
    metadata = value.get("metadata", {})
    if not isinstance(metadata, dict):
        raise UsageError("metadata must be a JSON object.")
    document = Document(_text(value, "id"), _text(value, "text"), _text(value, "title"), metadata)
    return answer({"indexed": await site.pool.ask(lambda index: index.add([document]))})


def _form(site: Site, visit: Visit, sent: Sent, *, status: int = 200, problem: str = "", found: Any = None) -> Response:
    return site.render(
        "check.html",
        visit,
        status=status,
        sent=sent,
        problem=problem,
        found=found,
        groups=grouped(found.matches) if found else [],
        endings=",".join(TEXT_ENDINGS),
        likeness=likeness,
        nearness=nearness,
    )


def _may_write(visit: Visit) -> None:
    if not visit.may_write:
        raise HTTPException(403, "Writing needs `leitong serve --write` and its token.")


def _require(sent: Sent) -> None:
    check_limits(Document(sent.id or _PLACEHOLDER, sent.text, sent.title))


async def _from_form(visit: Visit, most: int) -> Sent:
    try:
        form = await visit.request.form(max_files=1, max_fields=8, max_part_size=most)
    except (MultiPartException, HTTPException, ClientDisconnect) as error:
        raise UsageError("The form did not arrive whole. Send it again.") from error
    try:
        file = form.get("file")
        if isinstance(file, UploadFile) and file.filename:
            read = await asyncio.to_thread(_read_upload, file)
            return Sent(_field(form, "id"), _field(form, "title") or read.title, read.text)
        return Sent(_field(form, "id"), _field(form, "title"), _field(form, "text").replace("\r\n", "\n"))
    finally:
        await form.close()


def _field(form: FormData, name: str) -> str:
    value = form.get(name, "")
    return value if isinstance(value, str) else ""


def _read_upload(file: UploadFile) -> Document:
    """The text of a file that was sent, read as any file that is indexed."""
    name = _NAME.sub("_", PurePath(file.filename or "").name)[-100:]
    if PurePath(name).suffix.lower() not in TEXT_ENDINGS:
        raise DocumentError(f"The file must be one of {', '.join(TEXT_ENDINGS)}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"file{PurePath(name).suffix.lower()}"
        path.write_bytes(file.file.read())
        record = read_file(path, id=_PLACEHOLDER, source=name)
    if isinstance(record, Reject):
        raise DocumentError(f"{name}: {record.reason}")
    return record


async def _from_program(visit: Visit) -> Sent:
    if visit.request.headers.get("content-type", "").partition(";")[0].strip() == "text/plain":
        try:
            return Sent("", "", (await visit.request.body()).decode())
        except UnicodeDecodeError:
            raise UsageError("The text is not UTF-8.") from None
    value = await read_json(visit, takes=("text", "title"))
    return Sent("", _text(value, "title"), _text(value, "text"))


async def read_json(visit: Visit, *, takes: Sequence[str]) -> dict[str, Any]:
    """The JSON object a program sent. Raises UsageError for anything else, and for a key that is not taken here."""
    try:
        value = json.loads(await visit.request.body())
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise UsageError("The body must be a JSON object; a text to check may also come as text/plain.")
    unknown = next((name for name in value if name not in takes), None)
    if unknown is not None:
        other = " Other fields of a document go into metadata." if "metadata" in takes else ""
        raise UsageError(f"The body holds {unknown[:60]!r}, and only {', '.join(takes)} are taken here.{other}")
    return value


def _text(value: dict[str, Any], name: str) -> str:
    text = value.get(name, "")
    if not isinstance(text, str):
        raise UsageError(f"{name} must be a string.")
    return text
