"""How does a record (a JSON object, a row) become a document?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from leitong.indexer.documents import MAX_ID_BYTES, Document, Reject, check_limits
from leitong.indexer.errors import DocumentError
from leitong.indexer.fields import Fields, Path, at, heads, locate
from leitong.indexer.sources.base import FieldNames, Record, listing, printable
from leitong.indexer.sources.ids import ContentIds

_UNNAMED: Final = "-"


class RecordReader:
    """Makes the documents of one source. It changes only by what it has seen."""

    def __init__(self, *, source: str, fields: FieldNames, ids: ContentIds) -> None:
        self._source = source
        self._fields = fields
        self._ids = ids
        self._records = 0
        self.line = 0
        self._unseen = {name for name in (fields.title, *(fields.metadata or ())) if name is not None}
        self._example: Sequence[str] = ()

    def read(self, record: Fields, *, line: int, raw: Callable[[], str]) -> Record:
        """The document of a record, or why there is none. `raw` gives the record as it stood in the source."""
        self._records += 1
        self.line = line
        if self._unseen:
            self._unseen = {name for name in self._unseen if locate(record, name) is None}
            self._example = self._example or tuple(record)
        id: str | None = None
        try:
            id_path, id = self._id(record)
            title_path, title = self._title(record)
            text_path, text = self._text(record)
            used = [path for path in (id_path, title_path, text_path) if path is not None]
            document = Document(_UNNAMED if id is None else id, text, title, self._metadata(record, used))
            if id == "":
                raise DocumentError("the id is empty; give every record an id, or leave the field out to have one made")
            if not text.strip():
                raise DocumentError("there is no text; name the field that holds it with --text-field")
            check_limits(document)
        except DocumentError as error:
            return self.reject(str(error), line=line, raw=raw(), id=id)
        return document if id is not None else replace(document, id=self._ids.next_id(title=title, text=text))

    def reject(self, reason: str, *, line: int, raw: str, id: str | None = None) -> Reject:
        """A record that is no document."""
        if id is not None and len(id.encode("utf-8", "backslashreplace")) > MAX_ID_BYTES:
            id = None
        return Reject(self._source, line, reason, raw, None if id is None else printable(id))

    def lacking(self, columns: Sequence[str]) -> str | None:
        """Why no row of a table with these columns can be a document; None when it can."""
        for option, name, names in (
            ("--id-field", self._fields.id, self._fields.id_names),
            ("--text-field", self._fields.text or "text", self._fields.text_names),
        ):
            if name is not None and not any(head in columns for wanted in names for head in heads(wanted)):
                return f"no column is named {name!r}, it has {listing(columns)}; name the right one with {option}"
        return None

    @property
    def remarks(self) -> tuple[str, ...]:
        """Fields that were asked for by name and that no record had."""
        if not self._records:
            return ()
        have = listing(self._example)
        return tuple(
            f"No record of {self._source} has a field {name!r} ({option}). The first record has {have}."
            for name, option in (
                (self._fields.title, "--title-field"),
                *((name, "--metadata-field") for name in self._fields.metadata or ()),
            )
            if name in self._unseen
        )

    def _id(self, record: Fields) -> tuple[Path | None, str | None]:
        path, value = _pick(record, self._fields.id_names)
        if isinstance(value, str):
            return path, value
        if value is None:
            if self._fields.id is not None:
                raise DocumentError(_missing(record, self._fields.id, path, "--id-field"))
            return path, None
        if isinstance(value, int) and not isinstance(value, bool):
            return path, str(value)
        hint = "write it as a text"
        if isinstance(value, Mapping) and value and path is not None:
            inner = f"{'.'.join(path)}.{next(iter(value))}"
            hint = f"name a field inside it, such as --id-field '{inner}'"
        raise DocumentError(f"the id is {_kind(value)}, not a text or a whole number; {hint}")

    def _title(self, record: Fields) -> tuple[Path | None, str]:
        path, value = _pick(record, self._fields.title_names)
        if isinstance(value, str):
            return path, value
        if value is None:
            return path, ""
        if isinstance(value, int | float) and not isinstance(value, bool):
            return path, str(value)
        if isinstance(value, list) and all(isinstance(part, str) for part in value):
            return path, " ".join(value)
        raise DocumentError(f"the title is {_kind(value)}, not a text; name another field with --title-field")

    def _text(self, record: Fields) -> tuple[Path | None, str]:
        path, value = _pick(record, self._fields.text_names)
        if isinstance(value, str):
            return path, value
        if value is None:
            raise DocumentError(_missing(record, self._fields.text or "text", path, "--text-field"))
        if isinstance(value, list):
            other = next((part for part in value if not isinstance(part, str)), None)
            if all(isinstance(part, str) for part in value):
                return path, "\n".join(value)
            raise DocumentError(f"the text is a list that holds {_kind(other)}, not only texts")
        raise DocumentError(f"the text is {_kind(value)}, not a text; name another field with --text-field")

    def _metadata(self, record: Fields, used: Sequence[Path]) -> dict[str, Any]:
        names = self._fields.metadata
        if names is None:
            metadata = _without(record, used)
        else:
            found = ((name, locate(record, name)) for name in names)
            metadata = {name: at(record, path) for name, path in found if path is not None}
        inner = metadata.get("metadata")
        if isinstance(inner, Mapping):
            del metadata["metadata"]
            metadata = {**inner, **metadata}
        return metadata


def _pick(record: Fields, names: Sequence[str]) -> tuple[Path | None, Any]:
    """The first of these fields that is not null; else one that is there and null; else nothing."""
    null: Path | None = None
    for name in names:
        path = locate(record, name)
        if path is not None:
            value = at(record, path)
            if value is not None:
                return path, value
            null = null or path
    return null, None


def _without(record: Fields, paths: Sequence[Path]) -> dict[str, Any]:
    """A copy that lacks these fields, and objects that hold nothing else."""
    gone = {path[0] for path in paths if len(path) == 1}
    kept = {key: value for key, value in record.items() if key not in gone}
    for head in {path[0] for path in paths if len(path) > 1} & kept.keys():
        inner = _without(kept[head], [path[1:] for path in paths if len(path) > 1 and path[0] == head])
        if inner:
            kept[head] = inner
        else:
            del kept[head]
    return kept


def _missing(record: Fields, name: str, path: Path | None, option: str) -> str:
    if path is not None:
        return f"the field {'.'.join(path)!r} is null; fill it, or name another field with {option}"
    if not record:
        return f"there is no field {name!r}: the record has no fields at all"
    return f"there is no field {name!r}; the record has {listing(tuple(record))}; name the right one with {option}"


def _kind(value: object) -> str:
    """What JSON calls it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int):
        return "a number"
    if isinstance(value, float):
        return f"a number that is not whole ({value!r})"
    if isinstance(value, str):
        return "a text"
    return "an object" if isinstance(value, Mapping) else "a list"
