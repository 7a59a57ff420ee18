"""What does an address ask for? Numbers within their limits; a page forgives what the JSON refuses."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from leitong.indexer.documents import MAX_ID_BYTES
from leitong.indexer.errors import UsageError
from leitong.indexer.query import FieldIs, parse_filter

MAX_SIZE: Final = 50
MAX_START: Final = 10_000
MAX_LIMIT: Final = 1_000
MAX_IDS: Final = 50
_MAX_FILTERS: Final = 16


class Parameters(Protocol):
    """The query of an address, decoded."""

    def get(self, key: str, default: str) -> str:
        """The last value of a name."""
        ...

    def getlist(self, key: str) -> list[str]:
        """All values of a name."""
        ...


@dataclass(frozen=True)
class Asked:
    """The query of an address. `strict`: what is wrong raises UsageError; else the nearest right value is taken."""

    given: Parameters
    strict: bool

    def text(self, name: str) -> str:
        """A text; empty where there is none."""
        return self.given.get(name, "")

    def flag(self, name: str) -> bool:
        """Whether something is switched on."""
        return self.text(name).lower() in ("1", "true", "on", "yes")

    def number(self, name: str, default: int, *, least: int, most: int) -> int:
        """A whole number."""
        return default if (found := self._number(name, least, most)) is None else found

    def radius(self, most: int) -> int | None:
        """The radius; None for the recipe's."""
        return self._number("radius", 0, most)

    def share(self, name: str) -> float | None:
        """A number from 0 to 1."""
        text = self.text(name).strip()
        try:
            value = float(text)
            if 0 <= value <= 1:
                return value
        except ValueError:
            pass
        self._refuse(text, f"{name} must be a number from 0 to 1")
        return None

    def doc_id(self, name: str = "id") -> str:
        """An id that a document can have. Raises UsageError where there is none."""
        value = self.text(name)
        if not value:
            raise UsageError(f"The address needs {name}=, the id of a document.")
        if len(value.encode("utf-8", "replace")) > MAX_ID_BYTES:
            raise UsageError(f"{name} is longer than the {MAX_ID_BYTES} bytes that an id may have.")
        return value

    def one_of(self, name: str, values: Sequence[str]) -> str:
        """One of some words; empty where there is none."""
        text = self.text(name)
        if text not in values:
            self._refuse(text, f"{name} must be one of {', '.join(values)}")
            return ""
        return text

    def ids(self, name: str = "id") -> list[str]:
        """Several ids."""
        values = list(dict.fromkeys(value for value in self.given.getlist(name) if value))
        if len(values) > MAX_IDS and self.strict:
            raise UsageError(f"{len(values)} times {name}= is more than {MAX_IDS} at once.")
        return [value for value in values[:MAX_IDS] if len(value.encode("utf-8", "replace")) <= MAX_ID_BYTES]

    def filters(self) -> Sequence[FieldIs]:
        """What `filter=FIELD=VALUE` asks of the metadata."""
        values = self.given.getlist("filter")
        if len(values) > _MAX_FILTERS and self.strict:
            raise UsageError(f"{len(values)} filters are more than {_MAX_FILTERS} at once.")
        found: list[FieldIs] = []
        for value in values[:_MAX_FILTERS]:
            try:
                found.append(parse_filter(value))
            except UsageError:
                if self.strict:
                    raise
        return found

    def _number(self, name: str, least: int, most: int) -> int | None:
        text = self.text(name).strip()
        digits = text.removeprefix("-")
        if digits.isascii() and digits.isdigit() and len(digits) <= 18:
            value = int(text)
            if least <= value <= most:
                return value
            if not self.strict:
                return max(least, min(most, value))
        self._refuse(text, f"{name} must be a whole number from {least} to {most:,}")
        return None

    def _refuse(self, text: str, sentence: str) -> None:
        if text and self.strict:
            raise UsageError(f"{sentence}, not {text[:60]!r}.")
