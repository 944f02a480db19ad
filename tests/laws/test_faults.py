"""Faults that users of other tools report, each with the right result.

Special tokens in a text are in test_token_budgets.py, calls and their results in
a conversation in test_context_messages.py. References into a store are left until
there is a store.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from streamclip import BudgetTooSmallError, Clip, clip

EMOJI = "👨‍👩‍👧‍👦 e\u0301 🇨🇭🇳🇴 👍🏽 中文 ❤️ 🏴󠁧󠁢󠁳󠁣󠁴󠁿 한글 "
CLUSTERS = [
    *("👨‍👩‍👧‍👦", " ", "e\u0301", " ", "🇨🇭", "🇳🇴", " ", "👍🏽", " ", "中", "文", " "),
    *("❤️", " ", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", " ", "한", "글", " "),
]


def minified(value: Any) -> str:
    """Write a value without white space, characters as themselves."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def rows(count: int) -> list[dict[str, Any]]:
    """Make rows of one width."""
    return [{"id": 1000 + at, "name": f"row {1000 + at}"} for at in range(count)]


def least(source: str, **options: Any) -> int:
    """Return the smallest budget that gives a clip."""
    with pytest.raises(BudgetTooSmallError) as caught:
        clip(source, max_bytes=1, **options)
    return caught.value.needed


def test_a_fat_record_does_not_push_the_others_out() -> None:
    """It is shortened and marked; what follows it is whole."""
    fat = "A" + "lorem ipsum " * 2500
    for blob in (fat, "A" * 30_000):
        source = minified([{"id": 1, "blob": blob}, {"id": 2}, {"id": 3}])
        result = clip(source, max_bytes=800)
        first, *others = json.loads(result.data)["data"]
        assert first.pop("_clip") == {"truncated": True, "fields": ["blob"]}
        assert first.pop("id") == 1
        # Text is shortened; what is no text is worthless in part, and left out.
        if blob is fat:
            assert len(first["blob"]) > 100
            assert blob.startswith(first["blob"])
        else:
            assert first == {}
        assert others == [{"id": 2}, {"id": 3}]


def test_the_counts_stand_before_the_rows() -> None:
    """A reader of 164 of 276 rows knows of the others before it sees the first."""
    result = clip(minified({"rows": rows(276), "status": "ok"}), max_bytes=5_500)
    data = json.loads(result.data)
    kept = len(data["rows"])
    assert 100 < kept < 276
    cut = {"path": "/rows", "kept": kept, "total": 276, "omitted": 276 - kept}
    assert list(data) == ["_clip", "rows", "status"]
    assert data["_clip"]["cuts"] == [cut]
    assert str(276 - kept) in data["_clip"]["note"]
    assert result.text.index('"total":276') < result.text.index('"id":1000')


@given(st.integers(10, 300))
@example(40)
def test_rows_that_just_fit_differ_from_one_row_more(count: int) -> None:
    """Exactly as many as fit come without a report, one more brings it."""
    budget = len(minified({"rows": rows(count)}))
    whole = clip(minified({"rows": rows(count)}), max_bytes=budget)
    assert whole.complete
    assert whole.report.cuts == ()
    assert "_clip" not in whole.text
    more = clip(minified({"rows": rows(count + 1)}), max_bytes=budget)
    assert not more.complete
    (cut,) = json.loads(more.data)["_clip"]["cuts"]
    assert cut["total"] == count + 1
    assert cut["kept"] == len(json.loads(more.data)["rows"]) <= count


@given(st.integers(400, 2_000))
def test_elements_keep_their_type_and_the_user_s_total_is_the_user_s(
    budget: int,
) -> None:
    """No sentinel among the strings; our count stands beside theirs."""
    slugs = [f"a-post-about-number-{at}" for at in range(120)]
    result = clip(minified({"total": 4711, "slugs": slugs}), max_bytes=budget)
    data = json.loads(result.data)
    kept = len(data["slugs"])
    assert 0 < kept < 120
    assert data["slugs"] == slugs[:kept]
    assert data["total"] == 4711
    (cut,) = data["_clip"]["cuts"]
    assert (cut["path"], cut["kept"], cut["total"]) == ("/slugs", kept, 120)


def test_siblings_leave_the_user_s_total_alone_too() -> None:
    """The name is taken, so ours is another."""
    slugs = [f"a-post-about-number-{at}" for at in range(120)]
    source = minified({"total": 4711, "slugs": slugs})
    data = json.loads(clip(source, max_bytes=600, report="siblings").data)
    assert data["total"] == 4711
    assert data["slugs_total"] == 120
    assert data["slugs_omitted"] == 120 - len(data["slugs"])


def test_a_cursor_that_skips_is_kept_and_named() -> None:
    """Of 20 items 5 are kept; page 2 begins after the twentieth."""
    items = [{"id": at, "text": f"{at:02} " + "words " * 9} for at in range(20)]
    source = minified({"items": items, "page": {"nextCursor": "c20"}})
    results = [clip(source, max_bytes=budget) for budget in range(500, 900, 10)]
    found = [json.loads(result.data) for result in results]
    assert 5 in [len(data["items"]) for data in found]
    for result, data in zip(results, found, strict=True):
        assert data["items"] == items[: len(data["items"])]
        assert data["page"] == {"nextCursor": "c20"}
        assert data["_clip"]["cursor_gap"] == "/page/nextCursor"
        assert result.report.cursor_gap == "/page/nextCursor"


def test_a_detached_report_adds_no_key() -> None:
    """What a schema forbids to add is not there; what it requires is."""
    orders = [{"id": at, "city": "Zürich", "note": "x y " * 9} for at in range(300)]
    source = minified({"orders": orders, "count": 300})
    for budget in range(100, 3_000, 50):
        result = clip(source, max_bytes=budget, report="detached")
        data = json.loads(result.data)
        assert len(result.data) <= budget
        assert list(data) == ["orders", "count"]
        (kept,) = [cut.kept for cut in result.report.cuts if cut.path == "/orders"]
        assert len(data["orders"]) == kept
        for order in data["orders"]:
            assert set(order) <= {"id", "city", "note"}
        if budget > 500:
            assert data["orders"] == orders[:kept]


@pytest.mark.parametrize("escaped", [False, True])
@pytest.mark.parametrize("report", ["inline", "detached"])
def test_clusters_are_whole_at_every_budget(report: Any, *, escaped: bool) -> None:
    """Cut between them only, also where the input writes them as escapes."""
    text = EMOJI * 4
    source = json.dumps({"id": 7, "text": text}, ensure_ascii=escaped)
    ends = ["".join((CLUSTERS * 4)[:n]) for n in range(len(CLUSTERS) * 4 + 1)]
    assert ends[-1] == text
    kept = set()
    for budget in range(least(source, report=report), len(source.encode()) + 1):
        data = json.loads(clip(source, max_bytes=budget, report=report).data)
        assert data["id"] == 7
        kept.add(data.get("text", ""))
    assert kept <= set(ends)
    assert len(kept) > len(CLUSTERS)


def test_a_lone_surrogate_is_kept_as_it_is_at_every_budget() -> None:
    """It stays an escape, and the output is well-formed UTF-8."""
    source = r'{"id":7,"text":"' + r"cut \ud83d here \ud83d\ude00 " * 20 + '"}'
    text = json.loads(source)["text"]
    for budget in range(least(source), len(source)):
        result = clip(source, max_bytes=budget)
        assert len(result.data) <= budget
        assert result.data.decode() == result.text
        found = json.loads(result.data).get("text", "")
        assert text.startswith(found)
        assert result.text.count(r"\ud83d") == found.count("\ud83d"), "not the pair"


@given(
    st.lists(
        st.from_regex(
            r"-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,9})?([eE][+-]?[0-9]{1,3})?",
            fullmatch=True,
        ),
        min_size=1,
        max_size=60,
    ),
    st.integers(90, 600),
)
@example(["9007199254740993", "1.10", "1E+2"], 600)
def test_numbers_come_out_as_they_were_written(numbers: list[str], budget: int) -> None:
    """Digit for digit, and those that are kept are the first."""
    result = clip('{ "n": [' + ", ".join(numbers) + "] }", max_bytes=budget)
    data = json.loads(result.data, parse_int=str, parse_float=str)
    kept = data["n"]
    assert kept == numbers[: len(kept)]
    assert result.complete == (len(kept) == len(numbers))


def test_the_three_numbers_that_others_change() -> None:
    """Past 2**53, a last zero, an exponent with its sign."""
    source = '{"id":9007199254740993,"p":1.10,"e":1E+2,"text":"' + "so on " * 99 + '"}'
    for budget in range(least(source), 650, 7):
        text = clip(source, max_bytes=budget).text
        if budget >= 250:
            assert '"id":9007199254740993,"p":1.10,"e":1E+2,' in text


@given(st.text("中文字符你好🙂é", min_size=40, max_size=200))
def test_escapes_are_undone_before_anything_is_left_out(text: str) -> None:
    """Written plainly it fits, so it is complete."""
    source = json.dumps({"text": text}, indent=2)
    plain = minified({"text": text})
    result = clip(source, max_bytes=len(plain.encode()))
    assert result.complete
    assert result.report.cuts == ()
    assert result.text == plain
    assert result.stats.bytes_saved == len(source) - len(result.data)


def cut_again(source: str, budgets: list[int]) -> Clip:
    """Clip a document, its clip, and so on."""
    result = clip(source, max_bytes=budgets[0])
    for budget in budgets[1:]:
        result = clip(result.data, max_bytes=budget)
        assert len(result.data) <= budget
    return result


@given(
    st.integers(60, 400),
    st.lists(st.integers(300, 1_900), min_size=2, max_size=4, unique=True),
)
def test_what_is_cut_again_counts_from_the_original(
    count: int, budgets: list[int]
) -> None:
    """The total stays, and kept is what is there."""
    found = rows(count)
    result = cut_again(minified(found), sorted(budgets, reverse=True))
    data = json.loads(result.data)
    kept = len(data["data"])
    assert data["data"] == found[:kept]
    cut = {"path": "", "kept": kept, "total": count, "omitted": count - kept}
    assert data["_clip"]["cuts"] == [cut]
    assert "_clip" not in minified(data["data"]), "no report within the data"


@given(st.integers(200, 1_200))
def test_the_report_is_within_the_budget(budget: int) -> None:
    """It is paid for before it is written, the caller's own note too."""
    source = minified({"rows": rows(200), "text": "words " * 500})
    for options in ({}, {"note": "Ask for less. " * 4}, {"lang": "zh"}):
        result = clip(source, max_bytes=budget, **options)
        assert len(result.data) <= budget
        assert "_clip" in json.loads(result.data)
