"""Records are not cut to scraps, and a table is read by its header."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamclip import BudgetTooSmallError, clip

names = st.text("abcdefgh", min_size=1, max_size=12)


def clipped(document: Any, budget: int) -> Any:
    """Return the data of a clip without report; None if nothing fits."""
    try:
        return json.loads(clip(document, max_bytes=budget, report="detached").data)
    except BudgetTooSmallError:
        return None


@given(
    st.lists(st.dictionaries(names, st.integers(0, 99), min_size=1), min_size=1),
    st.integers(2, 400),
)
def test_a_short_record_is_whole_or_not_there(
    records: list[dict[str, int]], budget: int
) -> None:
    """Of at most 64 bytes there is never half a record."""
    short = [r for r in records if len(json.dumps(r, separators=(",", ":"))) <= 64]
    kept = clipped({"rows": short}, budget)
    assert kept is None or kept["rows"] == short[: len(kept["rows"])]


@pytest.mark.parametrize("budget", range(100, 1_200, 25))
def test_a_shortened_record_has_room_for_more_than_a_scrap(budget: int) -> None:
    """What is kept of one is never for less than 64 bytes of room."""
    record = {f"name{n}": "word" for n in range(30)}
    kept = clipped({"rows": [record] * 30}, budget)
    for row in kept["rows"] if kept else []:
        assert len(row) >= 4


@given(st.integers(3, 30), st.integers(1, 20), st.booleans(), st.integers(50, 3_000))
def test_a_header_is_whole_before_there_is_a_second_row(
    width: int, size: int, header_first: bool, budget: int
) -> None:
    """Wherever it stands, and however wide the rows are."""
    header = [{"name": "n" * size + str(n), "type": "Number"} for n in range(width)]
    table = {"columns": header, "rows": [list(range(width))] * 200}
    if not header_first:
        table = dict(reversed(table.items()))
    kept = clipped(table, budget)
    if kept and len(kept.get("rows", [])) > 1:
        whole = len(json.dumps(header, separators=(",", ":")))
        assert kept["columns"] == header or whole > budget * 0.7


def test_pairs_of_coordinates_have_no_header() -> None:
    """Two numbers are a place on a map, not a row of a table."""
    places = [[n, n + 1] for n in range(200)]
    corner = [{"corner": "word " * 99}, {"corner": "word " * 99}]
    kept = clipped({"coordinates": places, "corners": corner}, 500)
    assert len(kept["coordinates"]) > 15
