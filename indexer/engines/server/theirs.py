"""The fields of an index that somebody else made and that was attached: which are the text, which the title.

Names are those of the mapping. A dotted name goes through objects and lists of objects, and is a literal name where a
document has one, as the servers read it themselves.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from leitong.indexer.documents import Document
from leitong.indexer.engines.base import AttachedFields
from leitong.indexer.engines.server.layout import Layout
from leitong.indexer.errors import DocumentError, UsageError
from leitong.indexer.query import FieldIs, Words

OURS: Final = "leitong"
"""The one name in a document that is ours."""
Dropped = Literal["all", "none"]
"""How many documents fit a word that the analyzer drops, such as a stop word."""
_TITLE_BOOST: Final = 2.0
_COUNTED: Final = frozenset(("keyword", "constant_keyword", "boolean", "byte", "short", "integer", "long", "version"))


@dataclass(frozen=True, slots=True)
class TextFields(AttachedFields):
    """Reads the documents by these fields."""

    @property
    def names(self) -> tuple[str, ...]:
        """All of them."""
        return self.text if self.title is None else (*self.text, self.title)

    def document(self, doc_id: str, source: Mapping[str, Any]) -> Document:
        """The document of a source. What is no text in these fields is left out, see `check`."""
        text = "\n".join(part for name in self.text for part in values(source, name) if isinstance(part, str))
        title = (
            "" if self.title is None else " ".join(part for part in values(source, self.title) if isinstance(part, str))
        )
        return Document(doc_id, text, title, _without(source, (*self.names, OURS)))

    def check(self, source: Mapping[str, Any]) -> None:
        """Raise DocumentError where one of the fields holds something that is no text."""
        for name in self.names:
            for value in values(source, name):
                if not isinstance(value, str):
                    raise DocumentError(f"the field {name!r} holds {_kind(value)}, not a text; name another field")


@dataclass(frozen=True, slots=True)
class MappedField:
    """A field as a mapping has it: its definition, and the nested objects it lies in, the outermost first."""

    name: str
    definition: Mapping[str, Any]
    nested: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """Its type."""
        return str(self.definition.get("type", "object"))

    @property
    def searched(self) -> bool:
        """Whether a question about it can be asked."""
        return self.definition.get("index", True) is not False and self.kind not in ("object", "nested", "binary")

    @property
    def exact(self) -> str:
        """Where the whole value stands: a text field may have it in a field below it."""
        if "text" in self.kind:
            for name, inner in self.definition.get("fields", {}).items():
                if inner.get("type") in ("keyword", "wildcard") and inner.get("index", True) is not False:
                    return f"{self.name}.{name}"
        return self.name

    @property
    def places_words(self) -> bool:
        """Whether it knows where in a text a word stands, so that a phrase can be asked for."""
        return self.definition.get("index_options") not in ("docs", "freqs")

    @property
    def counted(self) -> str | None:
        """Where its values are counted, if they lie in columns and not in nested objects."""
        if self.nested or (self.kind not in _COUNTED and self.exact == self.name):
            return None
        definition = self.definition.get("fields", {}).get(self.exact[len(self.name) + 1 :], self.definition)
        return self.exact if definition.get("doc_values", True) is not False else None

    def within(self, query: dict[str, Any]) -> dict[str, Any]:
        """A query about the field, asked where it lies."""
        for path in reversed(self.nested):
            query = {"nested": {"path": path, "query": query}}
        return query


def mapped(properties: Mapping[str, Any], prefix: str = "", nested: tuple[str, ...] = ()) -> Iterator[MappedField]:
    """Every field of a mapping, objects among them."""
    for key, definition in properties.items():
        field = MappedField(prefix + key, definition, nested)
        yield field
        inside = (*nested, field.name) if field.kind == "nested" else nested
        yield from mapped(definition.get("properties", {}), f"{field.name}.", inside)


class TheirLayout(Layout):
    """An attached index. Words are asked for as phrases, since an analyzer may cut a word into letters.

    Whether a character is found inside longer words (`parts`) is its analyzer's choice too.
    """

    def __init__(self, fields: TextFields, properties: Mapping[str, Any], *, several: bool) -> None:
        """Where a name stands for `several` indexes an id is `index/id`: they may have documents of equal ids."""
        self.fields = fields
        self.attached = fields
        self.several = several
        self._mapped = {field.name: field for field in mapped(properties)}

    def full(self, hit: Mapping[str, Any], doc_id: str) -> str:
        return f"{hit['_index']}/{doc_id}" if self.several else doc_id

    def named(self, ids: Sequence[str]) -> dict[str, Any]:
        if not self.several:
            return super().named(ids)
        by_index: dict[str, list[str]] = {}
        for one in ids:
            index, _, doc_id = one.partition("/")
            by_index.setdefault(index, []).append(doc_id)
        should = [
            {"bool": {"filter": [{"term": {"_index": index}}, {"terms": {"_id": some}}]}}
            for index, some in by_index.items()
        ]
        return {"bool": {"should": should, "minimum_should_match": 1}}

    def document(self, hit: Mapping[str, Any]) -> Document:
        return self.fields.document(self.name(hit), hit["_source"])

    def word(self, word: str, *, parts: frozenset[str], boosted: bool) -> dict[str, Any]:
        return self._anywhere(word, boosted=boosted, dropped="all")

    def words(self, words: Words, *, parts: frozenset[str], excluded: bool = False) -> dict[str, Any]:
        dropped: Dropped = "none" if excluded else "all"
        if not words.title:
            return self._anywhere(" ".join(words.words), boosted=False, dropped=dropped)
        if self.fields.title is None:
            return {"match_none": {}}
        return self._phrase(self._searched((self.fields.title,))[0], " ".join(words.words), 1.0, dropped)

    def field(self, part: FieldIs) -> dict[str, Any]:
        field = self._mapped.get(part.field, MappedField(part.field, {"type": "keyword"}))
        by_words = part.field in self.fields.names or field.exact == field.name
        if field.kind in ("text", "match_only_text") and by_words and field.searched:
            return self._phrase(field, part.value, 1.0, dropped="none")
        return field.within({"match": {field.exact: {"query": part.value, "operator": "and", "lenient": True}}})

    def counted(self, field: str) -> str | None:
        mapped = self._mapped.get(field)
        return None if mapped is None else mapped.counted

    def _anywhere(self, text: str, *, boosted: bool, dropped: Dropped) -> dict[str, Any]:
        asked = [
            self._phrase(field, text, _TITLE_BOOST if boosted and field.name == self.fields.title else 1.0, dropped)
            for field in self._searched(self.fields.names)
        ]
        return {"dis_max": {"queries": asked}}

    def _searched(self, names: Sequence[str]) -> list[MappedField]:
        fields = [self._mapped[name] for name in names if name in self._mapped and self._mapped[name].searched]
        if not fields:
            raise UsageError(
                f"The index does not search the field{'s' * (len(names) > 1)} {', '.join(names)}: its mapping has no "
                "index of the words. `similar`, `compare` and `report` work without one."
            )
        return fields

    def _phrase(self, field: MappedField, text: str, boost: float, dropped: Dropped) -> dict[str, Any]:
        asked = {"query": text, "zero_terms_query": dropped, "boost": boost}
        if not field.places_words:
            return field.within({"match": {field.name: {**asked, "operator": "and"}}})
        return field.within({"match_phrase": {field.name: asked}})


def values(source: Any, name: str) -> Iterator[Any]:
    """Every value under a name, null left out."""
    if isinstance(source, list):
        for item in source:
            yield from values(item, name)
    elif isinstance(source, Mapping):
        for place in [*(place for place, letter in enumerate(name) if letter == "."), len(name)]:
            if name[:place] in source:
                inner = source[name[:place]]
                yield from values(inner, name[place + 1 :]) if place < len(name) else _leaves(inner)


def holds(source: Any, name: str) -> bool:
    """Whether the name is there, be it with null."""
    if isinstance(source, list):
        return any(holds(item, name) for item in source)
    if not isinstance(source, Mapping):
        return False
    return any(
        place == len(name) or holds(source[name[:place]], name[place + 1 :])
        for place in [*(place for place, letter in enumerate(name) if letter == "."), len(name)]
        if name[:place] in source
    )


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif value is not None:
        yield value


def _without(source: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """A copy that lacks these fields, and objects that held nothing else."""
    kept: dict[str, Any] = {}
    for key, value in source.items():
        if key in names:
            continue
        inner = [name[len(key) + 1 :] for name in names if name.startswith(f"{key}.")]
        rest = _rest(value, inner) if inner else value
        if rest or rest == value:
            kept[key] = rest
    return kept


def _rest(value: Any, names: Sequence[str]) -> Any:
    if isinstance(value, Mapping):
        return _without(value, names)
    if isinstance(value, list):
        return [rest for item in value if (rest := _rest(item, names)) or rest == item]
    return value


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "true or false"
    return "an object" if isinstance(value, Mapping) else "a number"
