"""More budget never keeps fewer records, and a clip clipped again stays as it is."""

from __future__ import annotations

import json
from collections.abc import Iterable
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents import Sample, sample, samples
from streamclip import BudgetTooSmallError, clip
from test_validity import Value, asked, data_of, difference, read

UNITS = ("max_bytes", "max_chars")
FORMS = ("inline", "detached")


def assert_never_less(
    data: bytes,
    options: dict[str, Any],
    unit: str,
    budgets: Iterable[int],
    *,
    multi: bool = False,
) -> int:
    """Clip at rising budgets: each result has all that the one before had.

    Returns:
        How many different results there were.
    """
    whole = read(data, multi=multi)
    seen: list[Value] = []
    for budget in budgets:
        try:
            result = clip(data, **options, **{unit: budget})
        except BudgetTooSmallError:
            assert not seen, f"{budget} is too small, but less was enough"
            continue
        kept = data_of(result, whole, multi=multi, form=options["report"])
        if seen:
            reason = difference(seen[-1], kept)
            assert reason is None, f"at {budget} {reason}"
        if not seen or seen[-1] != kept:
            seen.append(kept)
    return len(seen)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("seed", range(6))
def test_every_budget_keeps_what_the_one_below_kept(
    seed: int, unit: str, form: str
) -> None:
    """All budgets in a row, of a seeded document from nothing to the whole."""
    random = Random(seed)
    of = sample(random)
    while not 200 < len(of.data) < 1500:
        of = sample(random)
    options = asked(of) | {"report": form}
    budgets = range(1, len(of.data) + 60)
    different = assert_never_less(of.data, options, unit, budgets, multi=of.multi)
    assert different >= 1


def test_budgets_of_rows_give_ever_more_of_them() -> None:
    """One after the other, none left out on the way."""
    rows = {"page": 1, "rows": [{"id": n, "t": "x" * (n % 7)} for n in range(60)]}
    data = json.dumps(rows, separators=(",", ":")).encode()
    for unit in UNITS:
        for form in FORMS:
            budgets = range(1, len(data) + 1)
            different = assert_never_less(data, {"report": form}, unit, budgets)
            assert different > 30


@given(
    samples,
    st.sampled_from(UNITS),
    st.sampled_from(FORMS),
    st.booleans() | st.just("a note of mine"),
    st.integers(1, 600),
)
def test_consecutive_budgets_of_generated_documents(
    of: Sample, unit: str, form: str, note: bool | str, start: int
) -> None:
    """Wherever one begins to look; then with ever larger steps."""
    options = asked(of) | {"report": form, "note": note}
    budgets = [*range(start, start + 8), start + 16, start + 64, start + 4000]
    assert_never_less(of.data, options, unit, budgets, multi=of.multi)


def test_budgets_over_the_least_room_keep_the_law() -> None:
    """From 16 KiB on the budget decides how much is retained, too."""
    random = Random(11)
    rows = [
        {"id": n, "text": "words " * random.randrange(60), "tags": [n] * (n % 9)}
        for n in range(1500)
    ]
    long = "a text that is longer than all the rest " * 1000
    data = json.dumps({"rows": rows, "long": long, "next": "c9"}).encode()
    assert len(data) > 300_000
    for unit in UNITS:
        budgets = [*range(15_000, 18_000, 211), *range(30_000, 200_000, 17_001)]
        assert assert_never_less(data, {"report": "inline"}, unit, budgets) > 20


def test_a_tighter_second_budget_never_keeps_more() -> None:
    """Of two budgets each holds, so less of one cannot give more."""
    data = json.dumps(
        {"rows": ["汉字 and words " * (n % 5) for n in range(40)]}
    ).encode()
    whole = read(data)
    before: Value = None
    for chars in range(100, 900, 7):
        result = clip(data, max_bytes=700, max_chars=chars)
        kept = data_of(result, whole, multi=False, form="inline")
        if before is not None:
            assert difference(before, kept) is None
        before = kept


# Once more


def assert_stays(data: bytes, options: dict[str, Any]) -> None:
    """Clip, and clip what came at the same budget: nothing changes."""
    try:
        once = clip(data, **options)
    except BudgetTooSmallError:
        return
    again = clip(once.data, **options)
    assert again.data == once.data
    assert again.complete
    assert clip(iter([once.data]), **options).data == once.data


@given(samples, st.sampled_from(UNITS), st.integers(20, 700))
def test_a_clip_clipped_again_is_the_same(of: Sample, unit: str, budget: int) -> None:
    """At the same budget, in the same form."""
    options = asked(of) | {"max_items": None, "max_string_chars": None, unit: budget}
    for form in ("inline", "siblings", "detached"):
        assert_stays(of.data, options | {"report": form})


@given(samples, st.integers(20, 700), st.integers(0, 5))
def test_a_detached_clip_of_a_detached_clip_is_the_smaller_clip(
    of: Sample, budget: int, less: int
) -> None:
    """Through a larger budget one comes to a part of what the document gives."""
    options = asked(of) | {"report": "detached"}
    try:
        small = clip(of.data, **options, max_bytes=budget)
        large = clip(of.data, **options, max_bytes=budget + less * 100)
    except BudgetTooSmallError:
        return
    kept, kept_large = (
        data_of(one, read(of.data, multi=of.multi), multi=of.multi, form="detached")
        for one in (small, large)
    )
    assert difference(kept, kept_large) is None


def test_a_clip_clipped_again_at_less_keeps_the_original_totals() -> None:
    """Its report is merged into the new one: there is one, and it is true."""
    rows = {"rows": [{"id": n, "t": "abc"} for n in range(100)]}
    once = clip(rows, max_bytes=1000)
    again = clip(once.data, max_bytes=500)
    found = json.loads(again.data)
    assert [key for key in found if key.startswith("_clip")] == ["_clip"]
    (cut,) = again.report.cuts
    assert (cut.path, cut.kept, cut.total) == ("/rows", len(found["rows"]), 100)


# Stats


@given(samples, st.integers(20, 700))
def test_stats_count_the_bytes(of: Sample, budget: int) -> None:
    """Those read, those of the result, and those that went without loss."""
    try:
        result = clip(of.data, **asked(of), max_bytes=budget)
    except BudgetTooSmallError:
        return
    stats = result.stats
    assert stats.bytes_read == len(of.data)
    assert stats.bytes_out == len(result.data)
    expected = len(of.data) - len(result.data) if result.complete else 0
    assert stats.bytes_saved == expected
    assert stats.seconds >= 0


def test_stats_of_chunks_and_of_text_count_bytes_too() -> None:
    """Not characters; a byte order mark is read, and saved."""
    text = '{"名": "值" }'
    size = len(text.encode())
    for source in (text, iter([text]), iter(text), iter([text.encode()])):
        stats = clip(source, max_bytes=1000).stats
        assert (stats.bytes_read, stats.bytes_out) == (size, size)
    stats = clip(b"\xef\xbb\xbf" + text.encode(), max_bytes=size - 1).stats
    assert (stats.bytes_read, stats.bytes_saved) == (size + 3, 5)
