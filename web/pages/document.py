"""`/document`, `/api/document` and `/api/similar`: one document, and what is around it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from starlette.responses import Response

from leitong.indexer import answers
from leitong.indexer.documents import Match
from leitong.indexer.fingerprint.blocks import MAX_RADIUS
from leitong.indexer.highlight import snippet
from leitong.indexer.plain import written_value
from leitong.web import shown
from leitong.web.asking import MAX_LIMIT
from leitong.web.site import Site, Visit, answer

LIMIT: Final = 30
KINDS: Final = ("exact", "near", "partial")
_VALUE_CHARACTERS: Final = 500
_FIELDS: Final = 60


async def document(site: Site, visit: Visit) -> Response:
    """The text, its metadata, and similar documents by their kinds."""
    asked = visit.asked(strict=False)
    doc_id = asked.doc_id()
    radius = asked.radius(MAX_RADIUS)
    limit = asked.number("limit", LIMIT, least=1, most=MAX_LIMIT)
    fold = asked.flag("fold")
    around = await site.pool.ask(lambda index: index.surroundings(doc_id, radius=radius, limit=limit, fold=fold))
    text = around.stored.document.text
    places = shown.parts(text)
    part = asked.number("part", 1, least=1, most=len(places))
    first, last = places[part - 1]
    return site.render(
        "document.html",
        visit,
        stored=around.stored,
        document=around.stored.document,
        text=text[first:last],
        part=part,
        parts=len(places),
        fields=fields(around.stored.document.metadata),
        hidden_fields=max(0, len(around.stored.document.metadata) - _FIELDS),
        similar=around.similar,
        groups=grouped(around.similar.matches),
        related=[
            (hit.stored.document, snippet(hit.stored.document.text, frozenset(), cut=list)) for hit in around.related
        ],
        limit=limit,
        fold=fold,
        marks=bool(around.stored.duplicate_of) or any(match.duplicate_of for match in around.similar.matches),
        max_radius=MAX_RADIUS,
        max_limit=MAX_LIMIT,
        likeness=likeness,
        nearness=nearness,
    )


async def api_document(site: Site, visit: Visit) -> Response:
    """The same as `leitong get --json`."""
    doc_id = visit.asked(strict=True).doc_id()
    stored, info = await site.pool.ask(lambda index: (index.get(doc_id), index.info()))
    return answer(answers.document(stored, bits=info.recipe.bits))


async def api_similar(site: Site, visit: Visit) -> Response:
    """The same as `leitong similar ID --json`."""
    asked = visit.asked(strict=True)
    doc_id, radius, least = asked.doc_id(), asked.radius(MAX_RADIUS), asked.share("min_similarity")
    limit = asked.number("limit", 20, least=1, most=MAX_LIMIT)
    fold = asked.flag("fold")
    found = await site.pool.ask(
        lambda index: index.similar(doc_id, radius=radius, min_similarity=least, limit=limit, fold=fold)
    )
    return answer(answers.similar(found))


def grouped(matches: Sequence[Match]) -> list[tuple[str, list[Match]]]:
    """Matches by kind, the strongest kind first."""
    groups = [(kind, [match for match in matches if match.kind == kind]) for kind in KINDS]
    return [(kind, found) for kind, found in groups if found]


def likeness(similarity: float) -> str:
    """The name of the sentence for a similarity."""
    for least, name in ((0.995, "same"), (0.9, "most"), (0.7, "much"), (0.5, "half")):
        if similarity >= least:
            return f"likeness_{name}"
    return "likeness_some"


def nearness(distance: int) -> str:
    """The name of the sentence for a distance."""
    for most, name in ((0, "equal"), (3, "near"), (10, "close"), (20, "apart")):
        if distance <= most:
            return f"nearness_{name}"
    return "nearness_far"


def fields(metadata: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Metadata as names and texts, long ones cut."""
    return [
        (shown.one_line(str(name)), shown.one_line(_text(value), _VALUE_CHARACTERS))
        for name, value in list(metadata.items())[:_FIELDS]
    ]


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_text, value[:100]))
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {_text(inner)}" for name, inner in list(value.items())[:100])
    return written_value(value)
