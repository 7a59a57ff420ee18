"""What counts as a date where the oldest document is kept."""

import pytest

from leitong.indexer.duplicates.found import metadata_value, moment


def test_dates_in_order() -> None:
    dates = ["1999", "2001-02", "2001-2-3", "2001/02/04", "2001-02-04T10:00:00", "2001-02-04T10:00:00-08:00", "2002"]
    moments = [moment(date) for date in dates]
    assert None not in moments
    assert moments == sorted(moments)  # type: ignore[type-var]


@pytest.mark.parametrize("date", [None, "", "yesterday", "2001-13-01", "nan", "inf"])
def test_what_is_no_date(date: str | None) -> None:
    assert moment(date) is None


def test_a_number_counts_as_it_is() -> None:
    assert (moment("1700000000"), moment("-3.5")) == (1_700_000_000.0, -3.5)


def test_values_of_metadata() -> None:
    metadata = {"a": {"b": 3}, "c.d": "x", "list": [1], "none": None}
    assert metadata_value(metadata, "a.b") == "3"
    assert metadata_value(metadata, "c.d") == "x"
    assert (
        metadata_value(metadata, "list") is metadata_value(metadata, "none") is metadata_value(metadata, "no") is None
    )
    assert metadata_value(metadata, None) is None
