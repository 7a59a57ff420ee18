"""For people with their own bulk code: their actions, with our fields added.

from elasticsearch.helpers import bulk        # or streaming_bulk, parallel_bulk; opensearchpy.helpers as well
from leitong.indexer import fingerprinted

bulk(client, fingerprinted(actions, text_fields=["body"], title_field="headline"))

The index was attached once (`leitong attach`, it may be empty then), with the same fields and recipe. Actions are those
that the helpers of both clients take; what is not a document with a text passes as it is.
"""

import asyncio
import uuid
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson

from leitong.indexer import exactjson
from leitong.indexer.asked import check_recipe_kind, checked_fields
from leitong.indexer.documents import Document, check_limits
from leitong.indexer.engines.server import stored
from leitong.indexer.engines.server.theirs import OURS, holds
from leitong.indexer.errors import DocumentError, UsageError
from leitong.indexer.fingerprint.blocks import block_count
from leitong.indexer.fingerprint.recipe import DEFAULT, Recipe, load
from leitong.indexer.prepare import Preparer
from leitong.mappings import attached

Action = Any
"""An action of a bulk helper: a dict, or the JSON of a document."""
_BATCH_ACTIONS: Final = 256
_BATCH_CHARACTERS: Final = 1_000_000
_UNKNOWN: Final = "-"


def fingerprinted(
    actions: Iterable[Action],
    *,
    text_fields: Sequence[str],
    title_field: str | None = None,
    recipe: Recipe | str = DEFAULT,
) -> Iterator[Action]:
    """The same actions in the same order, with `leitong` in every document that has a text; nothing else is changed.

    A partial update that holds all of the fields gets a fingerprint; one that holds some of them takes the fingerprint
    back, since it cannot know the whole text: `leitong attach` gives a new one. Works in batches of 256. Raises
    UsageError or RecipeError.
    """
    adder = _Adder(text_fields, title_field, recipe)
    for action in _several(actions):
        if adder.take(action):
            yield from adder.give()
    yield from adder.give()


async def fingerprinted_async(
    actions: Iterable[Action] | AsyncIterable[Action],
    *,
    text_fields: Sequence[str],
    title_field: str | None = None,
    recipe: Recipe | str = DEFAULT,
) -> AsyncIterator[Action]:
    """The same for `async_bulk` and `async_streaming_bulk`; fingerprints are made in a thread beside the loop."""
    adder = _Adder(text_fields, title_field, recipe)
    async for action in _each(actions):
        if adder.take(action):
            for one in await asyncio.to_thread(adder.give):
                yield one
    for one in await asyncio.to_thread(adder.give):
        yield one


async def _each(actions: Iterable[Action] | AsyncIterable[Action]) -> AsyncIterator[Action]:
    if isinstance(actions, AsyncIterable):
        async for action in actions:
            yield action
    else:
        for action in _several(actions):
            yield action


@dataclass(frozen=True, slots=True)
class _Given:
    """A document of an action; `partial` where it is the part of one that an update changes."""

    id: str
    source: Mapping[str, Any]
    partial: bool = False


def _several(actions: Iterable[Action]) -> Iterable[Action]:
    """The actions. Raises UsageError for a single one, whose fields would be taken for actions."""
    if isinstance(actions, str | bytes | Mapping) or not isinstance(actions, Iterable):
        raise UsageError(f"{actions!r:.60} is no list of actions: put it into a list.")
    return actions


class _Adder:
    """Actions on their way, and the documents among them whose fingerprints are made together."""

    def __init__(self, text_fields: Sequence[str], title_field: str | None, recipe: Recipe | str) -> None:
        self._fields = checked_fields(text_fields, title_field)
        chosen_recipe = load(recipe) if isinstance(recipe, str) else recipe
        check_recipe_kind(chosen_recipe)
        self._preparer = Preparer(chosen_recipe)
        chosen = self._preparer.fingerprinter
        self._bits, self._recipe_id = chosen.recipe.bits, chosen.id
        self._nothing = dict.fromkeys(attached(blocks=block_count(self._bits))[OURS]["properties"])
        self._actions: list[Action] = []
        self._characters = 0

    def take(self, action: Action) -> bool:
        """Keep an action; True when it is time to give. Raises UsageError for what is none."""
        if not isinstance(action, str | bytes | Mapping):
            raise UsageError(f"{action!r:.60} is no action of a bulk helper: give dicts, or JSON of documents.")
        self._actions.append(action)
        self._characters += len(action) if isinstance(action, str | bytes) else _length(action)
        return len(self._actions) >= _BATCH_ACTIONS or self._characters >= _BATCH_CHARACTERS

    def give(self) -> list[Action]:
        """All of them, with our fields."""
        taken, self._actions, self._characters = self._actions, [], 0
        documents: list[Document] = []
        for action in taken:
            documents += (document for document in map(self._document, _documents(action)) if document)
        entries = self._preparer.entries(documents)
        ours = (stored.fields(entry, bits=self._bits, recipe_id=self._recipe_id) for entry in entries)
        return [self._added(action, ours) for action in taken]

    def _document(self, given: _Given) -> Document | None:
        """The document to make a fingerprint of; None where there is none."""
        if given.partial and not all(holds(given.source, name) for name in self._fields.names):
            return None
        try:
            self._fields.check(given.source)
            found = self._fields.document(_UNKNOWN, given.source)
            check_limits(Document(_UNKNOWN, found.text, found.title))
        except DocumentError:
            return None
        return Document(given.id or uuid.uuid4().hex, found.text, found.title)

    def _added(self, action: Action, ours: Iterator[dict[str, Any]]) -> Action:
        if isinstance(action, str | bytes):
            return self._spliced(action, ours)
        body = action.get("_source", action)
        if isinstance(body, str | bytes):
            return {**action, "_source": self._spliced(body, ours)}
        if not isinstance(body, Mapping):
            return action
        if _kind(action) == "update":
            body = {**body, **{key: self._with(body[key], ours, partial=key == "doc") for key in _parts(body)}}
        elif _kind(action) != "delete":
            body = self._with(body, ours, partial=False)
        return {**action, "_source": body} if "_source" in action else body

    def _with(self, source: Mapping[str, Any], ours: Iterator[dict[str, Any]], *, partial: bool) -> Mapping[str, Any]:
        if self._document(_Given(_UNKNOWN, source, partial)) is not None:
            return {**source, OURS: {**self._nothing, **next(ours)} if partial else next(ours)}
        if partial and any(holds(source, name) for name in self._fields.names):
            return {**source, OURS: self._nothing}
        return {key: value for key, value in source.items() if key != OURS} if OURS in source else source

    def _spliced(self, text: str | bytes, ours: Iterator[dict[str, Any]]) -> str | bytes:
        """JSON keeps what it is, letter for letter; ours comes before the last brace."""
        source = _parsed(text)
        if source is None or self._document(_Given(_UNKNOWN, source)) is None:
            return text
        if OURS in source:
            added = exactjson.dumps_as_written({**exactjson.loads_as_written(text), OURS: next(ours)})
        else:
            whole = text.encode() if isinstance(text, str) else text
            added = whole.rstrip()[:-1] + b"," + orjson.dumps({OURS: next(ours)})[1:]
        return added.decode() if isinstance(text, str) else added


def _documents(action: Action) -> list[_Given]:
    """Documents of an action."""
    if isinstance(action, str | bytes):
        source = _parsed(action)
        return [] if source is None else [_Given("", source)]
    doc_id, kind = str(action.get("_id", "")), _kind(action)
    body = action.get("_source", action)
    if isinstance(body, str | bytes):
        source = _parsed(body)
        return [] if source is None or kind == "update" else [_Given(doc_id, source)]
    if not isinstance(body, Mapping):
        return []
    if kind == "update":
        return [_Given(doc_id, body[key], key == "doc") for key in _parts(body)]
    return [] if kind == "delete" else [_Given(doc_id, body)]


def _parts(body: Mapping[str, Any]) -> list[str]:
    """Where an update has documents."""
    return [key for key in ("doc", "upsert") if isinstance(body.get(key), Mapping)]


def _kind(action: Mapping[str, Any]) -> str:
    return str(action.get("_op_type", "index"))


def _parsed(text: str | bytes) -> Mapping[str, Any] | None:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) and value else None


def _length(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(map(_length, value.values()))
    return sum(map(_length, value)) if isinstance(value, list) else 0
