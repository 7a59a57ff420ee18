"""What can programs ask for? Every address under `/api/`, as an OpenAPI document; the page about it is made from it."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any, Final

from leitong.indexer.fingerprint.blocks import MAX_RADIUS
from leitong.web.asking import MAX_IDS, MAX_LIMIT, MAX_SIZE, MAX_START

Schema = Mapping[str, Any]

_TEXT: Final[Schema] = {"type": "string"}
_WHOLE: Final[Schema] = {"type": "integer"}
_SHARE: Final[Schema] = {"type": "number", "minimum": 0, "maximum": 1}
_KIND: Final[Schema] = {"enum": ["exact", "near", "partial", None]}
_OBJECT: Final[Schema] = {"type": "object"}


def _object(optional: Sequence[str] = (), **properties: Schema) -> dict[str, Any]:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _list(items: Schema) -> dict[str, Any]:
    return {"type": "array", "items": items}


_WORDS: Final = _list(_object(word=_TEXT, weight={"type": "number"}))
_MATCH: Final = _object(
    ("duplicate_of",), id=_TEXT, title=_TEXT, distance=_WHOLE, similarity=_SHARE, kind=_KIND, duplicate_of=_TEXT
)
_HIT: Final = _object(
    id=_TEXT, score={"type": "number"}, title=_TEXT, snippet=_TEXT, duplicates={"type": ["integer", "null"]}
)
_FACET: Final = _object(
    field=_TEXT, values=_list(_object(value=_TEXT, count=_WHOLE)), others=_WHOLE, exact={"type": "boolean"}
)
_CHANGE: Final = _object(
    ("text_b", "moved"), where={"enum": ["both", "a", "b"]}, text=_TEXT, text_b=_TEXT, moved=_WHOLE
)
SCHEMAS: Final[Mapping[str, Schema]] = {
    "Search": _object(("facets",), total=_WHOLE, took_ms=_WHOLE, hits=_list(_HIT), facets=_list(_FACET)),
    "Counts": _object(counts={"type": "object", "additionalProperties": _WHOLE}),
    "Document": _object(
        id=_TEXT,
        title=_TEXT,
        text=_TEXT,
        metadata=_OBJECT,
        fingerprint=_TEXT,
        digest=_TEXT,
        cluster=_TEXT,
        duplicate_of={"type": ["string", "null"]},
    ),
    "Similar": _object(
        ("folded",),
        id={"type": ["string", "null"]},
        radius=_WHOLE,
        candidates=_WHOLE,
        total=_WHOLE,
        folded=_WHOLE,
        matches=_list(_MATCH),
    ),
    "Comparison": _object(
        a=_TEXT,
        b=_TEXT,
        distance=_WHOLE,
        bits=_WHOLE,
        similarity=_SHARE,
        share_a=_SHARE,
        share_b=_SHARE,
        kind=_KIND,
        series={"type": "boolean"},
        heaviest_a=_WORDS,
        heaviest_b=_WORDS,
        shared=_WORDS,
        only_a=_WORDS,
        only_b=_WORDS,
        diff=_list(_CHANGE),
    ),
    "Clusters": _object(
        made={"type": ["string", "null"]},
        documents=_WHOLE,
        running={"type": "boolean"},
        total=_WHOLE,
        clusters=_list(
            _object(cluster=_WHOLE, representative=_TEXT, members=_list(_TEXT), decided={"type": "boolean"})
        ),
    ),
    "Decisions": _object(keep=_list(_TEXT), apart=_list(_list(_TEXT))),
    "Added": _object(indexed=_WHOLE),
    "Error": _object(error=_TEXT),
}


def _asked(name: str, means: str, schema: Schema, *, required: bool = False) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": required, "description": means, "schema": schema}


def _numbered(name: str, means: str, least: int, most: int, default: int | None = None) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "integer", "minimum": least, "maximum": most}
    return _asked(name, means, schema if default is None else schema | {"default": default})


_ID: Final = _asked("id", "Id of a document, percent-encoded.", _TEXT, required=True)
_RADIUS: Final = _numbered("radius", "Bits in which a fingerprint may differ; else the recipe's.", 0, MAX_RADIUS)
_LIMIT: Final = _numbered("limit", "Matches to give; `total` counts all.", 1, MAX_LIMIT, 20)
_FOLD: Final = _asked("fold", "1: one of each cluster of marked duplicates.", {"enum": ["0", "1"]})


def _operation(
    summary: str, answers: str, parameters: Sequence[Schema] = (), *, body: Schema | None = None, writes: bool = False
) -> dict[str, Any]:
    def answer(means: str, schema: str) -> dict[str, Any]:
        content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}}
        return {"description": means, "content": content}

    operation: dict[str, Any] = {
        "summary": summary,
        "parameters": list(parameters),
        "responses": {
            "200": answer("The answer.", answers),
            "400": answer("The question is wrong; `error` says how.", "Error"),
            "503": answer("The index does not answer or too much is asked; try again.", "Error"),
        },
    }
    if any(parameter.get("required") for parameter in parameters):
        operation["responses"]["404"] = answer("There is no such document.", "Error")
    if body is not None:
        operation["requestBody"] = {"required": True, "content": body}
    if writes:
        operation["security"] = [{"token": []}]
        operation["responses"]["403"] = answer("Without the token nobody writes.", "Error")
    return operation


def _paths() -> dict[str, Any]:
    checked = {
        "application/json": {"schema": _object(("title",), text=_TEXT, title=_TEXT)},
        "text/plain": {"schema": _TEXT},
    }
    added = {
        "application/json": {
            "schema": _object(("title", "metadata"), id=_TEXT, text=_TEXT, title=_TEXT, metadata=_OBJECT)
        }
    }
    return {
        "/api/search": {
            "get": _operation(
                "Full-text search, as `leitong search --json`.",
                "Search",
                [
                    _asked("q", 'Words, "phrases", -not, field:value; empty for every document.', _TEXT),
                    _numbered("size", "Hits to give.", 1, MAX_SIZE, 10),
                    _numbered("start", "Hits to leave out first.", 0, MAX_START, 0),
                    _asked("filter", "FIELD=VALUE of the metadata; may be repeated.", _list(_TEXT)),
                    _FOLD,
                    _asked("facets", "1: count values of the metadata among all hits.", {"enum": ["0", "1"]}),
                    _asked("count", "0: do not count duplicates (`duplicates` is null); faster.", {"enum": ["0", "1"]}),
                ],
            )
        },
        "/api/counts": {
            "get": _operation(
                "How many similar documents some documents have.",
                "Counts",
                [_asked("id", f"Id of a document; may be repeated, {MAX_IDS} times at most.", _list(_TEXT))],
            )
        },
        "/api/document": {"get": _operation("One document, as `leitong get --json`.", "Document", [_ID])},
        "/api/similar": {
            "get": _operation(
                "Documents that say the same as one, as `leitong similar --json`.",
                "Similar",
                [_ID, _RADIUS, _asked("min_similarity", "Least similarity of a match.", _SHARE), _LIMIT, _FOLD],
            )
        },
        "/api/compare": {
            "get": _operation(
                "Two documents in detail, as `leitong compare --json`.",
                "Comparison",
                [
                    _asked("a", "Id of one document.", _TEXT, required=True),
                    _asked("b", "Id of the other.", _TEXT, required=True),
                ],
            )
        },
        "/api/clusters": {
            "get": _operation(
                "Clusters of the last report, with what was decided and what holds after that.",
                "Clusters",
                [
                    _numbered("size", "Clusters to give.", 1, 200, 20),
                    _numbered("start", "Clusters to leave out first.", 0, 10_000_000, 0),
                    _asked("sort", "What comes first.", {"enum": ["size", "similarity", "title"]}),
                    _asked("kind", "Only clusters with such a pair.", {"enum": ["exact", "near", "partial"]}),
                    _asked("state", "Only clusters that are decided, or not.", {"enum": ["open", "decided"]}),
                    _asked("source", "Only clusters with a document from there.", _TEXT),
                    _asked("q", "Only clusters with this in a title.", _TEXT),
                    _numbered("least", "Documents of a cluster, at least.", 2, 1_000_000, 2),
                ],
            )
        },
        "/api/decide": {
            "post": _operation(
                "Decide on duplicates: keep a document and none of the others, say that it is no duplicate of them, or "
                "forget what was said of it. Without others they are all of its cluster.",
                "Decisions",
                body={
                    "application/json": {
                        "schema": _object(
                            ("others",), decision={"enum": ["keep", "apart", "forget"]}, id=_TEXT, others=_list(_TEXT)
                        )
                    }
                },
                writes=True,
            )
        },
        "/api/check": {
            "post": _operation(
                "Is this text already there? As `leitong similar --text --json`; nothing is kept.",
                "Similar",
                [_LIMIT, _FOLD],
                body=checked,
            )
        },
        "/api/add": {
            "post": _operation(
                "Add a document, in place of the one with the same id.", "Added", body=added, writes=True
            )
        },
    }


def openapi() -> dict[str, Any]:
    """The OpenAPI document."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Leitong 雷同",
            "version": version("leitong"),
            "description": "Search, similar documents and duplicates of one index.",
        },
        "paths": _paths(),
        "components": {
            "schemas": SCHEMAS,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }
