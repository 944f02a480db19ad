"""Which elements remain: the first, the last, or both ends."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents import Sample, sample, samples
from native import AUTO, CoreError, Native
from reference import Document, Words
from streamclip import BudgetTooSmallError, clip, clip_records

ROWS = [{"id": n, "name": f"No. {n}", "tags": ["a"] * (n % 4)} for n in range(400)]
MODES = ("head", "tail", "ends")
WORDS = Words(inline=False)


def rows_of(result: Any) -> list[Any]:
    """Return the rows of a clip of an object with `rows`."""
    return list(json.loads(result.data)["rows"])


def test_tail_keeps_the_last_records_whole() -> None:
    """And none of the others; the gap is before them."""
    result = clip({"rows": ROWS, "next": "c2"}, max_bytes=900, keep="tail")
    rows = rows_of(result)
    assert rows == ROWS[-len(rows) :]
    cut = result.report.cuts[0]
    assert (cut.kept, cut.total, cut.gap_at) == (len(rows), 400, 0)
    assert cut.to_dict()["gap_at"] == 0
    assert json.loads(result.data)["next"] == "c2"


def test_ends_keeps_the_first_and_the_last_records_whole() -> None:
    """As many at either side as half of the room has place for."""
    result = clip({"rows": ROWS}, max_bytes=1500, keep="ends")
    rows = rows_of(result)
    cut = result.report.cuts[0]
    assert cut.gap_at is not None
    assert rows[: cut.gap_at] == ROWS[: cut.gap_at]
    assert rows[cut.gap_at :] == ROWS[cut.gap_at - len(rows) :]
    assert abs(2 * cut.gap_at - cut.kept) <= 2
    assert json.loads(result.data)["_clip"]["cuts"][0]["gap_at"] == cut.gap_at


def test_head_is_the_default_and_tells_no_gap() -> None:
    """A report of head has no new word in it."""
    result = clip({"rows": ROWS}, max_bytes=900)
    assert result.report.cuts[0].gap_at is None
    assert b"gap_at" not in result.data
    assert result.data == clip({"rows": ROWS}, max_bytes=900, keep="head").data


@pytest.mark.parametrize("keep", ["tail", "ends"])
def test_what_fits_is_the_same_whatever_is_kept(keep: Any) -> None:
    """Nothing is omitted, so there is no gap."""
    data = json.dumps(ROWS[:9]).encode()
    result = clip(data, max_bytes=len(data), keep=keep)
    assert (result.data, result.complete) == (data, True)
    squeezed = json.dumps(ROWS[:9], separators=(",", ":")).encode()
    assert clip(data, max_bytes=len(squeezed), keep=keep).data == squeezed


@pytest.mark.parametrize(
    ("keep", "most", "expected", "gap"),
    [
        ("tail", 3, [97, 98, 99], 0),
        ("ends", 4, [0, 1, 98, 99], 2),
        ("ends", 5, [0, 1, 2, 98, 99], 3),
        ("ends", 1, [0], 1),
        ("head", 2, [0, 1], None),
    ],
)
@pytest.mark.parametrize("lines", [False, True])
def test_max_items_leaves_those_that_are_kept(
    keep: Any, most: int, expected: list[int], gap: int | None, lines: bool
) -> None:
    """The last, or the first half and the last, also of lines."""
    numbers = range(100)
    data = "\n".join(map(str, numbers)) if lines else json.dumps(list(numbers))
    result = clip(iter([data]), max_bytes=4000, max_items=most, keep=keep)
    if lines:
        first, *rest = map(json.loads, result.text.splitlines())
        assert rest == expected
        assert first["_clip"]["cuts"][0].get("gap_at") == gap
    else:
        assert json.loads(result.data)["data"] == expected
    cut = result.report.cuts[0]
    assert (cut.kept, cut.total, cut.gap_at) == (len(expected), 100, gap)


def test_the_cap_shares_no_room() -> None:
    """Elements that the cap takes are no reason to shorten those it leaves."""
    rows = [{"n": n, "text": "word " * 300} for n in range(50)]
    for keep in ("tail", "ends"):
        result = clip(rows, max_bytes=4000, max_items=2, keep=keep)  # type: ignore[arg-type]
        kept = json.loads(result.data)["data"]
        assert kept == (rows[-2:] if keep == "tail" else [rows[0], rows[-1]])
        assert [cut.unit for cut in result.report.cuts] == ["items"]


def test_lines_keep_their_last() -> None:
    """A log is read from its end."""
    data = "".join(json.dumps(row) + "\n" for row in ROWS)
    result = clip(iter([data]), max_bytes=900, keep="tail", report="detached")
    kept = [json.loads(line) for line in result.text.splitlines()]
    assert kept == ROWS[-len(kept) :]
    assert result.report.cuts[0].gap_at == 0


def test_columns_stay_aligned_at_both_ends() -> None:
    """The same rows of every column."""
    columns = {"id": list(range(300)), "name": [f"name {n}" for n in range(300)]}
    for keep in ("tail", "ends"):
        result = clip(columns, max_bytes=900, keep=keep)  # type: ignore[arg-type]
        kept = json.loads(result.data)
        assert kept["name"] == [f"name {n}" for n in kept["id"]]
        assert kept["id"][-1] == 299
        assert (kept["id"][0] == 0) == (keep == "ends")
        assert all(cut.gap_at is not None for cut in result.report.cuts)


def test_a_gap_is_told_if_all_places_have_the_same() -> None:
    """Else the line has none: it would be true of some only."""
    rows = [{"tags": list(range(8))} for _ in range(3)]
    same = clip(rows, max_bytes=900, max_items=4, keep="ends").report.cuts
    assert [(cut.path, cut.places, cut.gap_at) for cut in same] == [("/*/tags", 3, 2)]
    lists = [["word " * 400, *range(9)], [1, 2, 3, "word " * 400, "word " * 400]]
    several = clip(lists * 3, max_bytes=1500, keep="ends").report.cuts
    assert {cut.gap_at for cut in several if cut.path == "/*"} <= {None, 0, 1, 2, 3}


def test_an_unknown_word_is_refused() -> None:
    """With those that exist."""
    with pytest.raises(ValueError, match="keep is one of head, tail, ends"):
        clip(ROWS, max_bytes=900, keep="middle")  # type: ignore[arg-type]


# Laws


@given(samples, st.integers(104, 600), st.lists(st.floats(0, 1), max_size=3))
def test_what_is_kept_of_what_is_kept_is_kept_of_the_whole(
    of: Sample, room: int, parts: list[float]
) -> None:
    """K(K(v, b'), b) = K(v, b), in every mode."""
    document = Document.read(of.data, of.options, multi=of.multi)
    rooms = sorted({room, *(int(room * part) for part in parts)}, reverse=True)
    for larger, smaller in pairwise(rooms):
        through = document.keep(larger, smaller)
        direct = document.keep(smaller)
        assert (through and through.size) == (direct and direct.size)


def cut_short(of: Sample, data: bytes, room: int, slack: int, step: int) -> Native:
    """Let the core read a document that ends early."""
    core = Native(of.options, room=room, slack=slack, text_format=AUTO)
    core.feed(data[at : at + step] for at in range(0, len(data), step))
    core.finish(keep_incomplete=True)
    return core


def looks(
    of: Sample, data: bytes, room: int, slack: int, step: int
) -> list[tuple[bytes, list[bytes]]] | str:
    """Read it, and look at several rooms; or say why that is not possible.

    How many members an object had is not compared: where one that takes no more
    ends in the middle of a key, the kernel has counted it.
    """
    try:
        core = cut_short(of, data, room, slack, step)
    except CoreError as error:
        return str(error)
    views = [core.view(WORDS, room // part) for part in (1, 2, 3, 5)]
    return [
        (view.data, [line for line in view.lines if WORDS.members not in line])
        for view in views
    ]


@pytest.mark.parametrize("keep", ["tail", "ends"])
@pytest.mark.parametrize("seed", range(8))
def test_an_early_end_comes_to_the_same_however_it_was_read(
    keep: str, seed: int
) -> None:
    """When the tree was compacted makes no difference, nor do the chunks."""
    random = Random(seed)
    for _ in range(25):
        of = sample(random)
        of = replace(of, options=replace(of.options, keep=keep))
        data = of.data[: random.randrange(1, len(of.data) + 1)] if of.data else b"["
        room = max(104, random.randrange(104, len(data) + 200))
        once = looks(of, data, room, 1 << 20, 1 << 20)
        for slack, step in ((0, 1 << 20), (0, 1), (room // 2, 7)):
            assert looks(of, data, room, slack, step) == once, (of, room, slack, step)


@pytest.mark.parametrize("keep", ["tail", "ends"])
def test_the_record_that_was_cut_off_is_left_out(keep: Any) -> None:
    """It is counted, and those before it are whole."""
    data = json.dumps(ROWS)
    data = data[: data.index('"No. 299"')]
    result = clip(iter([data]), max_bytes=900, keep=keep, incomplete="keep")
    kept = json.loads(result.data)["data"]
    assert kept[-1] == ROWS[298]
    assert result.report.cuts[0].total == 300
    assert result.report.input_cut


@pytest.mark.parametrize("keep", MODES)
@pytest.mark.parametrize("seed", range(4))
def test_more_budget_never_keeps_less(keep: Any, seed: int) -> None:
    """Of the rows of a document with long ones among them."""
    random = Random(seed)
    rows = [{"id": n, "t": "w " * random.choice([1, 5, 300])} for n in range(60)]
    before: dict[int, int] = {}
    for budget in range(60, 6000, 37):
        try:
            result = clip(rows, max_bytes=budget, keep=keep, report="detached")
        except BudgetTooSmallError:
            assert not before
            continue
        kept = {row["id"]: len(row.get("t", "")) for row in json.loads(result.data)}
        assert all(kept.get(n, -1) >= size for n, size in before.items())
        before = kept


# Memory

SCRIPT = """
import re, sys
from streamclip import clip_records
rows = ({"id": n, "text": "some words " * (n % 9)} for n in range(int(sys.argv[1])))
result = clip_records(rows, max_bytes=4000, keep=sys.argv[2])
assert '"id":%d,' % (int(sys.argv[1]) - 1) in result.text
print(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1])
"""


@pytest.mark.slow
@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="peaks are read from /proc"
)
@pytest.mark.parametrize("keep", ["tail", "ends"])
def test_a_million_rows_take_no_more_memory_than_ten_thousand(keep: str) -> None:
    """At most 2 MB more, though every one of them may be the last."""
    peaks = [
        int(
            subprocess.run(
                [sys.executable, "-c", SCRIPT, str(count), keep],
                check=True,
                capture_output=True,
                text=True,
                timeout=500,
            ).stdout
        )
        for count in (10_000, 1_000_000)
    ]
    assert peaks[1] - peaks[0] <= 2048


def test_records_one_by_one_keep_their_last() -> None:
    """A cursor is drained, and its end is what remains."""
    result = clip_records(iter(ROWS), max_bytes=600, keep="tail")
    kept = json.loads(result.data)["data"]
    assert kept == ROWS[-len(kept) :]
