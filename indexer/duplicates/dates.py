"""Which document is the oldest, and what is said where dates are missing or cannot be understood?"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from leitong.indexer.errors import UsageError

_DIGITS: Final = re.compile(r"(\d+)(?:\.0+)?")
_COMPACT: Final = {4: "%Y", 6: "%Y%m", 8: "%Y%m%d", 12: "%Y%m%d%H%M", 14: "%Y%m%d%H%M%S"}
_YEARS: Final = {6: range(1950, 2100), 12: range(1950, 2100)}
"""Of what has no other reading: six digits may be a day without its century, twelve are milliseconds up to 2001."""
_FEWEST_SECONDS: Final = 1e8
"""Numbers below are no seconds (up to 1973): they are days, a spreadsheet's or others, or say that there is no date."""
_WRITTEN: Final = re.compile(
    r"([12]\d{3})\s?(?:[-./年]\s?(?:(\d{1,2})\s?(?:[-./月]\s?(?:(\d{1,2})\s?日?)?)?)?)?(?:(?:(?<=日)|\s+|T)(\S.*))?"
)
_CLOCK: Final = re.compile(
    r"(\d{1,2})(?:[:时時点點](?:(\d{1,2})(?:[:分](?:(\d{1,2})([.,]\d+)?秒?)?)?)?)?\s?(Z|[-+]\d\d:?\d\d)?"
)
_UNITS: Final = ((1e10, 1.0), (1e13, 1e3), (1e16, 1e6), (1e19, 1e9))
"""Numbers below the first are so many of the second a second. All of them end in the year 2286."""


@dataclass(frozen=True, slots=True)
class Dates:
    """Of how many documents the date was asked for, how many have none that can be read, and one that cannot."""

    documents: int = 0
    unread: int = 0
    example: str | None = None

    @classmethod
    def of(cls, dates: Iterable[str | None]) -> "Dates":
        """Count dates; None where a document has none."""
        found = list(dates)
        unread = [date for date in found if moment(date) is None]
        return cls(len(found), len(unread), next((date for date in unread if date and date.strip()), None))

    def __add__(self, other: "Dates") -> "Dates":
        return Dates(self.documents + other.documents, self.unread + other.unread, self.example or other.example)

    def check(self, field: str | None) -> None:
        """Raise UsageError where there are documents and not one date of them can be read."""
        if self.documents and self.unread == self.documents:
            place = f"the metadata field {field!r}" if field else "the report"
            seen = (
                f"it holds {self.example[:60]!r}, for example" if self.example else "it is missing or empty everywhere"
            )
            raise UsageError(
                f"The oldest cannot be told: no document of a cluster has a date in {place} that can be read ({seen}). "
                "Name another field with --date-field; read are dates that begin with the year, and seconds or "
                "milliseconds since 1970."
            )


def oldest(dates: Mapping[str, str | None]) -> str | None:
    """The id with the earliest date, of equal ones the first; None where no date can be read."""
    known = [(when, doc_id) for doc_id, date in dates.items() if (when := moment(date)) is not None]
    return min(known)[1] if known else None


def moment(date: str | None) -> float | None:
    """A date as seconds since 1970; None for what cannot be read without guessing.

    Read are ISO 8601 and other dates that begin with the year (2019, 2019.1, 201901, 2019/1/2, 2019年1月2日, 20190102),
    with a time or without, and numbers: seconds since 1970 from 10^8 on, from 10^10 on thousandths of them, then
    millionths, billionths. 24.10.2017 is none: 10.24.2017 is written too, and 3.4.2017 could be either. Nor is 43397,
    a spreadsheet's day.
    """
    if date is None:
        return None
    text = unicodedata.normalize("NFKC", date).strip()
    if digits := _DIGITS.fullmatch(text):
        return _of_digits(digits[1])
    if written := _WRITTEN.fullmatch(text):
        return _of_parts(written)
    try:
        return _seconds(datetime.fromisoformat(text))
    except ValueError:
        return _of_number(text)


def _of_digits(digits: str) -> float | None:
    size = len(digits)
    if (form := _COMPACT.get(size)) and int(digits[:4]) in _YEARS.get(size, range(1000, 3000)):
        try:
            return _seconds(datetime.strptime(digits, form))
        except ValueError:
            pass
    return _of_number(digits)


def _of_number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    if abs(number) < _FEWEST_SECONDS:
        return None
    return next((number / unit for limit, unit in _UNITS if abs(number) < limit), None)


def _of_parts(written: re.Match[str]) -> float | None:
    year, month, day, rest = written.groups()
    clock = _CLOCK.fullmatch(rest) if rest and day else None
    if rest and clock is None:
        return None
    text = f"{year}-{int(month or 1):02}-{int(day or 1):02}"
    if clock:
        hour, minute, second, fraction, zone = clock.groups()
        text += f"T{int(hour):02}:{int(minute or 0):02}:{int(second or 0):02}{fraction or ''}{zone or ''}"
    try:
        return _seconds(datetime.fromisoformat(text))
    except ValueError:
        return None


def _seconds(value: datetime) -> float:
    return (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
