"""The numbers in the README: their tables can be read, their picture is there.

They are measured by `make bench-report`; here only the writing of it is tested.
"""

import itertools
import re
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import report
from picture import LINE, Dot, drawn, spread

CELL = re.compile(r"([\d,]+|\d+\.\d+)( GB/s| µs| MB)?|")
SVG = "{http://www.w3.org/2000/svg}"


def between_markers(text: str) -> str:
    """Return what the report has written into a text."""
    assert text.count(report.BEGIN) == text.count(report.END) == 1
    return text.partition(report.BEGIN)[2].partition(report.END)[0]


def tables(part: str) -> list[list[list[str]]]:
    """Return the cells of the tables of a text, without the rules."""
    found = []
    for block in re.findall(r"(?:^\|.*\n)+", part, re.MULTILINE):
        head, rule, *rows = (line.strip("|").split("|") for line in block.splitlines())
        assert all(set(cell) <= set("-:") for cell in rule)
        found.append([[cell.strip() for cell in row] for row in (head, *rows)])
    return found


def assert_readable(part: str) -> None:
    """Three tables of figures, and the picture between them."""
    found = tables(part)
    assert len(found) == 3
    for head, *rows in found:
        assert rows
        for row in rows:
            assert len(row) == len(head)
            assert row[0]
            assert all(CELL.fullmatch(cell) for cell in row[1:])
    assert "](docs/bench.svg)" in part


def dots_in(picture: str) -> int:
    """Return how many contenders a picture shows."""
    return len(ElementTree.fromstring(picture).findall(f"{SVG}circle"))


def test_the_readme_has_tables_that_can_be_read_and_their_picture() -> None:
    """Each contender of the first table has a dot."""
    part = between_markers(report.README.read_text(encoding="utf-8"))
    assert_readable(part)
    picture = report.PICTURE.read_text(encoding="utf-8")
    assert dots_in(picture) == len(tables(part)[0]) - 1


def measured(who: str, seconds: float) -> list[dict[str, Any]]:
    """Return what pytest-benchmark writes of a contender."""
    suites = [("clip", "rows 50 MB"), ("clip", "lines 50 MB"), ("small", "cut")]
    return [
        {
            "stats": {"min": seconds},
            "extra_info": {"suite": suite, "job": job, "who": who, "bytes": 5e7},
        }
        for suite, job in suites
    ]


def test_what_is_measured_is_written_as_ratios() -> None:
    """Twice as slow is 2.0; what was not measured stays empty."""
    results = {"benchmarks": [*measured("clip", 0.05), *measured("orjson", 0.1)]}
    figure = {"seconds": 0.05, "before": 1.8e7, "peak": 1.9e7, "bytes": 50_000_000}
    processes = [
        {"who": "clip", **figure},
        {"who": "clip, scalar", **figure, "seconds": 0.075},
        {"who": "orjson", **figure, "seconds": 1.0, "peak": 4.4e8},
    ]
    part = report.readme_part(report.read(results), processes, "A machine.")
    text = report.replaced(f"before\n{report.BEGIN}old{report.END}\nafter", part)
    assert text.startswith("before\n")
    assert text.endswith("\nafter")
    assert_readable(between_markers(text))
    assert tables(part) == [
        [
            ["rows", "50 MB", "peak memory at 50 MB"],
            ["streamclip", "1.00 GB/s", "19 MB"],
            ["streamclip, scalar", "1.5", "19 MB"],
            ["orjson", "20", "440 MB"],
        ],
        [["", "streamclip", "orjson"], ["lines 50 MB", "1.00 GB/s", "2.0"]],
        [["", "streamclip", "orjson"], ["cut", "1.00 GB/s", "2.0"]],
    ]


def test_without_markers_nothing_is_written() -> None:
    """A README that lost one of them is not overwritten."""
    with pytest.raises(ValueError, match="markers"):
        report.replaced(f"{report.BEGIN} and no end", "new")


@given(
    st.lists(
        st.builds(
            Dot,
            st.text("<&é x", max_size=9),
            st.floats(1, 10_000),
            st.floats(0.1, 50_000),
            st.booleans(),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_a_picture_is_well_formed_whatever_was_measured(dots: list[Dot]) -> None:
    """One dot for each, inside of the picture."""
    root = ElementTree.fromstring(drawn(dots, "<title> & more"))
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    circles = root.findall(f"{SVG}circle")
    assert len(circles) == len(dots)
    for circle in circles:
        assert 0 < float(circle.attrib["cx"]) < width
        assert 0 < float(circle.attrib["cy"]) < height


@given(st.lists(st.floats(0, 300), max_size=10).map(sorted))
def test_labels_do_not_overlap(heights: list[float]) -> None:
    """They keep their order, a line apart, and none is too low."""
    places = spread(heights, 300)
    assert len(places) == len(heights)
    assert all(place <= 300 for place in places)
    for upper, lower in itertools.pairwise(places):
        assert lower - upper >= LINE - 1e-6
