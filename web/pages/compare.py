"""`/compare` and `/api/compare`: two texts side by side, and why they match."""

from typing import Final

from starlette.responses import Response

from leitong.indexer import answers
from leitong.indexer.documents import StoredDocument
from leitong.indexer.duplicates.comparing.compare import Comparison
from leitong.indexer.errors import DocumentError, UnknownDocumentError
from leitong.indexer.library import Index
from leitong.web.pages.document import likeness, nearness
from leitong.web.sidebyside import rows
from leitong.web.site import Site, Visit, answer

_MOST_CHARACTERS: Final = 200_000


async def compare(site: Site, visit: Visit) -> Response:
    """Without two ids a form that asks for them."""
    asked = visit.asked(strict=False)
    if not (asked.text("a") and asked.text("b")):
        return site.render("compare_form.html", visit, a=asked.text("a"), b=asked.text("b"))
    a, b = asked.doc_id("a"), asked.doc_id("b")
    (one, other), found = await site.pool.ask(lambda index: _compared(index, a, b))
    return site.render(
        "compare.html",
        visit,
        one=one.document,
        other=other.document,
        found=found,
        rows=rows(found.diff),
        likeness=likeness,
        nearness=nearness,
    )


async def api_compare(site: Site, visit: Visit) -> Response:
    """The same as `leitong compare A B --json`."""
    asked = visit.asked(strict=True)
    a, b = asked.doc_id("a"), asked.doc_id("b")
    _, found = await site.pool.ask(lambda index: _compared(index, a, b))
    return answer(answers.compared(found))


def _compared(index: Index, a: str, b: str) -> tuple[tuple[StoredDocument, StoredDocument], Comparison]:
    there = index.documents([a, b])
    for doc_id in (a, b):
        if doc_id not in there:
            raise UnknownDocumentError(doc_id, "the index")
    for doc_id in (a, b):
        if len(there[doc_id].document.text) > _MOST_CHARACTERS:
            raise DocumentError(
                f"{doc_id!r} has more than {_MOST_CHARACTERS:,} characters, too many to compare on a page. Use the "
                "command: leitong compare A B."
            )
    return (there[a], there[b]), index.compare((a, b))
