"""JSON inside strings is clipped as JSON, and stays a string."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamclip import BudgetTooSmallError, Clip, clip

ORDERS = [{"id": n, "名": f"客户 {n}", "note": 'say "hi"\\'} for n in range(400)]
INNER = {"orders": ORDERS, "total": 400, "next_cursor": "c"}


def result_of(*texts: str) -> dict[str, Any]:
    """Return what a tool's call answers with such texts."""
    content = [{"type": "text", "text": text} for text in texts]
    return {"content": content, "isError": False}


def texts_of(result: Clip) -> list[str]:
    """Return the texts of such an answer."""
    return [block.get("text", "") for block in json.loads(result.data)["content"]]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("budget", [500, 1000, 2000, 9000])
def test_a_text_block_holds_a_clip(indent: int | None, budget: int) -> None:
    """With exact counts, inside and in the report."""
    document = result_of(json.dumps(INNER, ensure_ascii=False, indent=indent))
    result = clip(document, max_bytes=budget, embedded=True)
    assert len(result.data) <= budget
    (text,) = texts_of(result)
    inner = json.loads(text)
    (told,) = inner["_clip"]["cuts"]
    kept = len(inner["orders"])
    assert (told["path"], told["kept"], told["total"]) == ("/orders", kept, 400)
    assert inner["orders"] == ORDERS[:kept]
    (cut,) = result.report.cuts
    assert (cut.path, cut.kept, cut.total) == ("/content/*/text#/orders", kept, 400)
    assert json.loads(result.data)["_clip"]["cuts"] == [cut.to_dict()]


def test_several_blocks_are_summed() -> None:
    """Each has a clip of its own; the report has one line."""
    text = json.dumps(INNER, ensure_ascii=False)
    result = clip(result_of(text, text), max_bytes=3000, embedded=True)
    kept = [len(json.loads(text)["orders"]) for text in texts_of(result)]
    cut = result.report.cuts[0]
    assert (cut.kept, cut.total, cut.places) == (sum(kept), 800, 2)


@given(
    st.sampled_from(["[1,2", "{x}", "[not json]", "{", "[]x", '{"a":"\\ud800']),
    st.integers(300, 900),
)
def test_what_only_looks_like_json_stays_a_prefix(begin: str, budget: int) -> None:
    """As without the option."""
    document = result_of(begin + " words and more words" * 90)
    plain = clip(document, max_bytes=budget)
    assert clip(document, max_bytes=budget, embedded=True).data == plain.data


def test_what_fits_is_left_as_it_came() -> None:
    """Also when something else is cut."""
    text = json.dumps({"a": [1, 2, 3]}, indent=4)
    document = result_of(text) | {"rows": ["some words"] * 500}
    result = clip(document, max_bytes=900, embedded=True)
    assert texts_of(result) == [text]


@given(st.integers(1, 1500), st.sampled_from(["max_bytes", "max_chars"]))
def test_every_budget_holds(budget: int, unit: str) -> None:
    """In both units; and a text that holds no whole element stays a prefix."""
    document = result_of(json.dumps(INNER, ensure_ascii=False), "plain " * 50)
    try:
        result = clip(document, embedded=True, **{unit: budget})  # type: ignore[misc]
    except BudgetTooSmallError:
        return
    size = len(result.data) if unit == "max_bytes" else len(result.text)
    assert size <= budget
    json.loads(result.data)
    for cut in result.report.cuts:
        assert cut.kept + cut.omitted == cut.total


def test_strings_inside_strings_inside_strings() -> None:
    """The same, level by level."""
    middle = json.dumps({"body": json.dumps(INNER), "status": 200})
    result = clip(result_of(middle), max_bytes=3000, embedded=True)
    body = json.loads(json.loads(texts_of(result)[0])["body"])
    assert body["_clip"]["cuts"][0]["total"] == 400
    assert result.report.cuts[0].path == "/content/*/text#/body#/orders"


def test_the_rest_of_a_very_long_text_is_not_counted() -> None:
    """What is beyond the retained room has not been seen: totals are minima."""
    text = json.dumps({"orders": ORDERS * 60}, ensure_ascii=False)
    assert len(text) > 1 << 20
    result = clip(result_of(text), max_bytes=2000, embedded=True)
    inner = json.loads(texts_of(result)[0])
    assert inner["_clip"]["total_is"] == "at_least"
    assert inner["_clip"]["cuts"][0]["total"] < 24_000


def test_a_detached_report_adds_nothing_inside_either() -> None:
    """The inner clip has no block."""
    document = result_of(json.dumps(INNER))
    result = clip(document, max_bytes=1500, embedded=True, report="detached")
    assert b"_clip" not in result.data
    assert result.report.cuts[0].path == "/content/*/text#/orders"
