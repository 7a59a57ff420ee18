"""Documents from Parquet files; needs the package pyarrow.

Where a group of rows is damaged, the other groups are read.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from leitong.indexer import exactjson
from leitong.indexer.errors import DocumentError, MissingExtraError
from leitong.indexer.fields import at, locate
from leitong.indexer.sources.base import FieldNames, Record, explain, printable
from leitong.indexer.sources.encoding import decode
from leitong.indexer.sources.ids import ContentIds
from leitong.indexer.sources.jsonvalues import to_json
from leitong.indexer.sources.recordsource import RecordSource, column_names

if TYPE_CHECKING:
    import pyarrow
    import pyarrow.parquet

_BATCH_BYTES: Final = 8_000_000
_BATCH_ROWS: Final = 1000


class ParquetFile(RecordSource):
    """A Parquet file, read a few rows at a time. `line` of a reject is the row, from 1."""

    def __init__(self, path: Path, *, fields: FieldNames, ids: ContentIds) -> None:
        """Raises MissingExtraError when pyarrow is not installed."""
        try:
            import pyarrow.parquet  # noqa: F401
        except ImportError:
            raise MissingExtraError("Reading Parquet", "parquet") from None
        super().__init__(printable(str(path)), fields=fields, ids=ids)
        self.size: int | None = path.stat().st_size
        self.position = 0
        self._path = path
        self._fields = fields

    def __iter__(self) -> Iterator[Record]:
        """Each row."""
        import pyarrow
        import pyarrow.parquet

        try:
            with self._path.open("rb") as raw:
                if not self.size:
                    yield self._reject("it is empty")
                    return
                file = pyarrow.parquet.ParquetFile(raw, buffer_size=1 << 20)
                lacking = self._records.lacking(file.schema_arrow.names)
                if lacking is not None or file.metadata.num_rows == 0:
                    yield self._reject(lacking or "the file has no rows")
                    return
                yield from self._rows(file)
        except OSError as error:  # before ArrowException: pyarrow's own input errors are OSErrors too
            yield self._reject(f"the file cannot be read ({_first_line(explain(error))})")
        except (pyarrow.ArrowException, UnicodeDecodeError) as error:
            yield self._reject(f"this is no Parquet file, or a damaged one ({_first_line(error)}); get the file anew")
        finally:
            self.position = self.size or 0

    def _rows(self, file: "pyarrow.parquet.ParquetFile") -> Iterator[Record]:
        """All groups of rows at once, as small ones are read much faster so; one by one where one is damaged."""
        import pyarrow

        row = 0
        try:
            for record in self._some(file, None, 0):
                row += 1
                yield record
        except (OSError, pyarrow.ArrowException, UnicodeDecodeError):
            yield from self._each_group(file, row)

    def _each_group(self, file: "pyarrow.parquet.ParquetFile", given: int) -> Iterator[Record]:
        """The rows after those `given`; of a group that is damaged those before the damage, and a reject."""
        import pyarrow

        end = 0
        for group in range(file.metadata.num_row_groups):
            start, end = end, end + file.metadata.row_group(group).num_rows
            if end <= given:
                continue
            row = start
            try:
                for record in self._some(file, [group], start):
                    row += 1
                    if row > given:
                        yield record
            except (OSError, pyarrow.ArrowException, UnicodeDecodeError) as error:
                line = max(row, given) + 1
                rows = f"rows {line} to {end}" if line < end else f"row {end}"
                yield self._reject(f"the file is damaged in {rows} ({_first_line(error)}); get it anew", line=line)

    def _some(self, file: "pyarrow.parquet.ParquetFile", groups: list[int] | None, before: int) -> Iterator[Record]:
        """The rows of these groups, of all where none are named; `before` rows come first in the file."""
        size: int = file.metadata.num_rows
        columns, at_once = self._columns(file), _rows_at_once(file.metadata)
        for batch in file.iter_batches(batch_size=at_once, row_groups=groups, columns=columns):
            names: list[str] = batch.schema.names
            told_apart = batch.rename_columns(column_names(names)) if len({*names}) < len(names) else batch
            yield from self._batch(told_apart, before)
            before += batch.num_rows
            self.position = (self.size or 0) * before // max(1, size)

    def _columns(self, file: "pyarrow.parquet.ParquetFile") -> list[str] | None:
        """The columns that are needed; None for all of them."""
        fields = self._fields
        if fields.metadata is None:
            return None
        names: list[str] = file.schema_arrow.names
        wanted = {*fields.id_names, *fields.title_names, *fields.text_names, *fields.metadata}
        return [name for name in names if any(each == name or each.startswith(f"{name}.") for each in wanted)]

    def _batch(self, batch: "pyarrow.RecordBatch", before: int) -> Iterator[Record]:
        import pyarrow

        try:
            rows: list[dict[str, Any] | Exception] = _plain(batch).to_pylist()
        except (pyarrow.ArrowException, ValueError, OverflowError, LookupError):
            rows = [_one(batch.slice(place, 1)) for place in range(batch.num_rows)]
        for line, values in enumerate(rows, before + 1):
            if isinstance(values, Exception):
                reason = f"a value of the row cannot be read ({_first_line(values)})"
                yield self._reject(reason, line=line, raw=_shown(batch.slice(line - before - 1, 1)))
                continue
            try:
                self._decode(values)
                record = {name: _value(name, value) for name, value in values.items()}
            except DocumentError as error:
                yield self._reject(str(error), line=line, raw=_shown(batch.slice(line - before - 1, 1)))
                continue
            yield self._records.read(record, line=line, raw=partial(_json, record))

    def _decode(self, values: dict[str, Any]) -> None:
        """Title and text of columns that hold bytes, in whatever encoding. Raises DocumentError for what is no text."""
        for name in (*self._fields.title_names, *self._fields.text_names):
            path = locate(values, name)
            if path is not None and isinstance(value := at(values, path), bytes):
                try:
                    at(values, path[:-1])[path[-1]] = _text(value)
                except DocumentError as error:
                    raise DocumentError(f"the column {name!r} holds bytes that are no text: {error}") from None


def _value(name: str, value: Any) -> Any:
    try:
        return to_json(value)
    except ValueError:
        reason = f"the field {name!r} holds infinity, which JSON cannot say; write another number, or null"
        raise DocumentError(reason) from None


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return decode(value)


def _json(record: dict[str, Any]) -> str:
    return exactjson.dumps(record).decode()


def _rows_at_once(metadata: "pyarrow.parquet.FileMetaData") -> int:
    """As many rows as make a few megabytes on average."""
    size: int = sum(metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))
    rows: int = metadata.num_rows
    return max(1, min(_BATCH_ROWS, _BATCH_BYTES * rows // max(1, size)))


def _plain(batch: "pyarrow.RecordBatch") -> "pyarrow.RecordBatch":
    """Times in microseconds and UTC: Python has no nanoseconds, and may have no list of time zones."""
    import pyarrow

    schema = pyarrow.schema([field.with_type(_plain_type(field.type)) for field in batch.schema])
    if schema.types == batch.schema.types:
        return batch
    columns = [
        column.cast(field.type, safe=False) if column.type != field.type else column
        for column, field in zip(batch.columns, schema, strict=True)
    ]
    return pyarrow.RecordBatch.from_arrays(columns, schema=schema)


def _plain_type(kind: "pyarrow.DataType") -> "pyarrow.DataType":
    import pyarrow

    types = pyarrow.types
    if types.is_timestamp(kind):
        return pyarrow.timestamp("us", tz=kind.tz and "UTC")
    if types.is_time64(kind):
        return pyarrow.time64("us")
    if types.is_duration(kind):
        return pyarrow.duration("us")
    if types.is_struct(kind):
        return pyarrow.struct([field.with_type(_plain_type(field.type)) for field in kind.fields])
    if types.is_list(kind):
        return pyarrow.list_(kind.value_field.with_type(_plain_type(kind.value_type)))
    return kind


def _one(row: "pyarrow.RecordBatch") -> dict[str, Any] | Exception:
    import pyarrow

    try:
        values: dict[str, Any] = _plain(row).to_pylist()[0]
    except (pyarrow.ArrowException, ValueError, OverflowError, LookupError) as error:
        return error
    return values


def _shown(row: "pyarrow.RecordBatch") -> str:
    """As much of a row as can be read, as JSON."""
    import pyarrow

    values: dict[str, Any] = {}
    for name, column in zip(row.schema.names, row.columns, strict=True):
        try:
            values[name] = to_json(column.to_pylist()[0])
        except (pyarrow.ArrowException, ValueError, OverflowError, LookupError):
            try:
                values[name] = to_json(column.cast(pyarrow.binary()).to_pylist()[0].decode("utf-8", "backslashreplace"))
            except (pyarrow.ArrowException, ValueError, AttributeError):
                values[name] = str(column)
    return _json(values)


def _first_line(error: Exception | str) -> str:
    return str(error).partition("\n")[0].rstrip(".")
