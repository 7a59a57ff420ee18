"""What counts as a date where the oldest document is kept."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leitong.indexer.duplicates.dates import Dates, moment, oldest
from leitong.indexer.duplicates.found import metadata_value


def test_dates_in_order() -> None:
    dates = ["1999", "2001-02", "2001-2-3", "2001/02/04", "2001-02-04T10:00:00", "2001-02-04T10:00:00-08:00", "2002"]
    moments = [moment(date) for date in dates]
    assert None not in moments
    assert moments == sorted(moments)  # type: ignore[type-var]


DAY = datetime(2018, 10, 24, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    "date",
    [
        *(
            "2018-10-24",
            "2018/10/24",
            "2018.10.24",
            "2018年10月24日",
            "２０１８年１０月２４日",
            "20181024",
            " 2018-10-24 ",
        ),
        *(
            "2018-10-24T00:00:00Z",
            "2018-10-24T08:00+08:00",
            "2018年10月24日 8:00 +08:00",
            "20181024T000000",
            "2018-W43-3",
        ),
        *("1540339200", "1540339200.0", "1540339200000", "1.5403392e12", "1540339200000000", "1540339200000000000"),
    ],
)
def test_ways_to_write_a_day(date: str) -> None:
    assert moment(date) == DAY


@pytest.mark.parametrize(
    ("date", "seconds"),
    [("9:05", 32_700), ("09时05分", 32_700), ("9点", 32_400), ("09:05:07.5", 32_707.5), ("9时5分7秒", 32_707)],
)
def test_times_of_a_day(date: str, seconds: float) -> None:
    assert moment(f"2018年10月24日{date}") == moment(f"2018.10.24 {date}") == DAY + seconds


@pytest.mark.parametrize(
    "date",
    [
        *(None, "", "yesterday", "2001-13-01", "2019.13", "nan", "inf", "2019-01-02 or so", "2019 10:30", "1e30"),
        *("43397", "43397.5", "17828", "0", "-1", "181024", "201813", "194912", "99999999"),
        *("24.10.2017", "10.24.2017", "3.4.2017", "10/24/2017", "2017-24-10", "0042"),
    ],
)
def test_what_is_no_date(date: str | None) -> None:
    """Nor is what might be one day or another; a spreadsheet's days were taken for seconds of 1970."""
    assert moment(date) is None


def test_a_number_counts_as_it_is() -> None:
    assert (moment("1700000000"), moment("-1500000000.5")) == (1_700_000_000.0, -1_500_000_000.5)


@pytest.mark.parametrize("date", ["201810", "201810.0", "2018-10", "2018年10月", "201810010000", "20181001"])
def test_months_are_no_seconds(date: str) -> None:
    """202611 was the third of January 1970, and so the oldest of all."""
    assert moment(date) == datetime(2018, 10, 1, tzinfo=UTC).timestamp()


@given(st.datetimes(min_value=datetime(1970, 5, 1), max_value=datetime(2286, 1, 1)))
def test_every_moment_reads_as_itself(when: datetime) -> None:
    when = when.replace(microsecond=0, tzinfo=UTC)
    seconds = int(when.timestamp())
    assert moment(when.isoformat()) == moment(f"{when:%Y%m%d%H%M%S}") == seconds
    if when.year != 1976:  # its milliseconds may be a day and a time
        assert moment(str(seconds * 1_000)) == seconds
    if seconds >= 10**8:  # shorter ones may be days
        assert moment(str(seconds)) == seconds


@given(st.text(alphabet="0123456789年月日.-/:T eE+", max_size=24))
def test_anything_has_a_moment_or_none(date: str) -> None:
    when = moment(date)
    assert when is None or abs(when) < 1e11


def test_a_document_without_a_date_is_never_the_oldest() -> None:
    dates = {"a": None, "b": "24.10.2017", "c": "2020年1月2日", "d": "2018年10月24日", "e": "1540339200000"}
    assert oldest(dates) == "d", "of equal ones the first"
    assert oldest({"a": None, "b": "24.10.2017"}) is None


def test_what_cannot_be_read_is_counted() -> None:
    assert Dates.of(["2019", None, " ", "24.10.2017", "?"]) == Dates(5, 4, "24.10.2017")
    assert Dates.of([None]) + Dates.of(["?", "2019"]) == Dates(3, 2, "?")


def test_values_of_metadata() -> None:
    metadata = {"a": {"b": 3}, "c.d": "x", "list": [1], "none": None}
    assert metadata_value(metadata, "a.b") == "3"
    assert metadata_value(metadata, "c.d") == "x"
    assert (
        metadata_value(metadata, "list") is metadata_value(metadata, "none") is metadata_value(metadata, "no") is None
    )
    assert metadata_value(metadata, None) is None
