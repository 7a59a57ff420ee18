"""Pictures: well-formed, harmless, and each mark where its value is."""

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leitong.reports.charts import Axis, Bar, Curve, Distribution, Line, bars, curves, histogram

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '</title><script>alert(1)</script>&"'
numbers = st.floats(0, 1e9, allow_nan=False)


def titles(picture: str) -> list[str]:
    """What the pointer is shown, mark by mark; the first is the picture's own name."""
    return [one.text or "" for one in ET.fromstring(picture).iter(f"{SVG}title")]


def test_a_bar_is_as_long_as_its_value() -> None:
    picture = bars([Bar("3 bits", 40), Bar("7 bits", 10), Bar("none", 0)], title="Distances 距离")
    assert titles(picture) == ["Distances 距离", "3 bits: 40", "7 bits: 10", "none: 0"]
    first, second, third = (float(one.attrib["width"]) for one in ET.fromstring(picture).iter(f"{SVG}rect"))
    assert first == pytest.approx(4 * second, rel=0.01)
    assert third == 0


def test_a_histogram_names_its_bins() -> None:
    picture = histogram(
        [Distribution("copies", (0.0, 1.0)), Distribution("unrelated", (0.75, 0.25))],
        title="Similarity",
        x=Axis("similarity", percent=True),
        y="share",
        marks=[Line(0.39, "threshold")],
    )
    assert titles(picture) == [
        "Similarity",
        "copies, 50 % to 100 %: 100 %",
        "unrelated, 0 % to 50 %: 75 %",
        "unrelated, 50 % to 100 %: 25 %",
    ]
    assert "threshold" in [one.text for one in ET.fromstring(picture).iter(f"{SVG}text")]


def test_a_curve_goes_through_its_points() -> None:
    line = Curve("F1", ((0, 0.0), (5, 0.5), (10, 1.0)))
    picture = curves([line], title="By radius", x=Axis("radius", 0, 10), y=Axis("F1"))
    assert titles(picture)[2:] == ["F1: 0, 0", "F1: 5, 0.5", "F1: 10, 1"]
    dots = [(float(dot.attrib["cx"]), float(dot.attrib["cy"])) for dot in ET.fromstring(picture).iter(f"{SVG}circle")]
    (x0, y0), (x1, y1), (x2, y2) = dots
    assert x0 < x1 < x2 and y0 > y1 > y2, "up is a smaller number in SVG"
    assert x1 - x0 == pytest.approx(x2 - x1, abs=0.2) and y0 - y1 == pytest.approx(y1 - y2, abs=0.2)


@pytest.mark.parametrize("values", [[], [0.0], [float(10**12)]])
def test_pictures_of_little_or_much_are_well_formed(values: list[float]) -> None:
    ET.fromstring(bars([Bar("x", value) for value in values], title="t"))
    ET.fromstring(histogram([Distribution("x", tuple(values))] if values else [], title="t", x=Axis("x"), y="y"))
    points = tuple((value, value) for value in values)
    ET.fromstring(curves([Curve("x", points)], title="t", x=Axis("x", 0, 0), y=Axis("y", 1, 1)))


@given(low=numbers, wide=numbers)
def test_ticks_stand_on_their_axis(low: float, wide: float) -> None:
    axis = Axis("x", low, low + wide)
    ticks = axis.ticks()
    slack = 1e-6 * max(1.0, axis.high)
    assert len(ticks) <= 12
    assert all(axis.low - slack <= tick <= axis.high + slack for tick in ticks)
    assert ticks == sorted(ticks)


def test_names_are_text_and_nothing_else() -> None:
    pictures = [
        bars([Bar(HOSTILE, 1)], title=HOSTILE),
        histogram([Distribution(HOSTILE, (1.0,))], title="t", x=Axis(HOSTILE), y=HOSTILE, marks=[Line(0, HOSTILE)]),
        curves([Curve(HOSTILE, ((0, 0),))], title="t", x=Axis(HOSTILE), y=Axis(HOSTILE)),
    ]
    for picture in pictures:
        assert "<script" not in picture
        assert HOSTILE in "".join(ET.fromstring(picture).itertext())
