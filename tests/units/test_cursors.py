"""A cursor that would skip what was left out is named."""

import json
from collections.abc import Iterator
from typing import Any, Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import streamclip
from streamclip.report.cursors import ABOUT_THE_PAGE, KEYS

# What each API's page looks like: a page of 40 rows in place of ROWS.
ROWS = [{"id": n, "text": "some words that fill the page"} for n in range(40)]

PAGES: dict[str, tuple[Any, str]] = {
    "GraphQL": (
        {"data": {"repository": {"issues": {
            "nodes": ROWS, "pageInfo": {"hasNextPage": True, "endCursor": "Y3Vy"},
        }}}},
        "/data/repository/issues/pageInfo/endCursor",
    ),
    "Slack": (
        {"ok": True, "messages": ROWS, "response_metadata": {"next_cursor": "bmV4dA=="}},
        "/response_metadata/next_cursor",
    ),
    "Google": ({"items": ROWS, "nextPageToken": "CAUQAA"}, "/nextPageToken"),
    "AWS": ({"Reservations": ROWS, "NextToken": "eyJ2"}, "/NextToken"),
    "DynamoDB": (
        {"Items": ROWS, "LastEvaluatedKey": {"id": {"S": "r40"}}},
        "/LastEvaluatedKey",
    ),
    "OData": (
        {"value": ROWS, "@odata.nextLink": "https://example.com/v1?$skip=40"},
        "/@odata.nextLink",
    ),
    "JSON:API": (
        {"data": ROWS, "links": {"next": "https://example.com/rows?page=2"}},
        "/links/next",
    ),
    "Elasticsearch": ({"_scroll_id": "DXF1", "hits": {"hits": ROWS}}, "/_scroll_id"),
    "Kubernetes": (
        {"kind": "List", "metadata": {"continue": "abc"}, "items": ROWS},
        "/metadata/continue",
    ),
    "a plain one": ({"items": ROWS, "page": {"nextCursor": "c40"}}, "/page/nextCursor"),
}  # fmt: skip


@pytest.mark.parametrize("api", PAGES)
def test_the_cursor_of_a_cut_page_is_named(api: str) -> None:
    """Whoever follows it would never see the other rows."""
    page, pointer = PAGES[api]
    result = streamclip.clip(page, max_bytes=900)
    assert result.report.cursor_gap == pointer
    assert json.loads(result.data)["_clip"]["cursor_gap"] == pointer


@pytest.mark.parametrize("api", PAGES)
def test_a_whole_page_has_no_gap(api: str) -> None:
    """Its cursor skips nothing."""
    result = streamclip.clip(PAGES[api][0], max_bytes=10_000)
    assert result.complete
    assert result.report.cursor_gap is None


@pytest.mark.parametrize(
    "page",
    [
        {"items": ROWS, "next_cursor": None},
        {"items": ROWS, "next_cursor": ""},
        {"items": ROWS, "has_more": True},  # the next page starts after an id
        {"items": ROWS, "other": {"next": "x", "few": [1]}},  # of another list
    ],
)
def test_what_leads_nowhere_else_is_not_named(page: dict[str, Any]) -> None:
    """There is no next page, or none of this list."""
    result = streamclip.clip(page, max_bytes=900)
    assert not result.complete
    assert result.report.cursor_gap is None


def test_the_report_never_gives_up_its_last_line_for_it() -> None:
    """A cursor with a long path does not push out what was cut."""
    page: Any = {"items": ROWS, "next": "c"}
    for name in ("a" * 60, "b" * 60):
        page = {name: page}
    for budget in range(300, 1200, 7):
        result = streamclip.clip(page, max_bytes=budget)
        assert len(result.data) <= budget
        assert result.report.cursor_gap is not None
        block = json.loads(result.data)["_clip"]
        assert "cuts" in block or "cursor_gap" not in block


# --- The law, written down a second time


def cursors_of(document: Any) -> Iterator[tuple[str, str]]:
    """Yield each cursor's path, and that of the value whose page it ends."""
    waiting: list[tuple[Any, str, str]] = [(document, "", "")]
    for value, path, about in waiting:
        if not isinstance(value, dict):
            continue
        for key, member in value.items():
            token = key.replace("~", "~0").replace("/", "~1").replace("*", "~2")
            here = f"{path}/{token}"
            if key in KEYS and leads_on(key, member):
                yield here, about
            waiting.append((member, here, about if key in ABOUT_THE_PAGE else here))


def leads_on(key: str, value: Any) -> bool:
    """Tell whether there is a next page: a token, a URL, a key, a page's number."""
    if isinstance(value, dict):
        return bool(value) if key == "LastEvaluatedKey" else "href" in value
    if isinstance(value, str):
        return value not in ("", "0")
    return isinstance(value, int) and not isinstance(value, bool) and value != 0


NAMES = st.sampled_from(
    ["next", "page", "cursor", "LastEvaluatedKey", "href", "links", "x", "a/~b", "*"]
)
VALUES = st.recursive(
    st.sampled_from(["", "0", "00", "c", 0, 1, -1, 1.5, None, True])
    | st.integers(3, 40).map(lambda count: [*range(count)]),
    lambda inner: st.dictionaries(NAMES, inner, max_size=5),
    max_leaves=12,
)


@given(VALUES, st.integers(60, 400), st.sampled_from(["inline", "detached"]))
@example({"next": "c", "page": [*range(28)]}, 60, "detached")
def test_it_is_the_first_whose_page_was_cut(
    value: Any, budget: int, report: Literal["inline", "detached"]
) -> None:
    """Of the cursors that the clip has, from the outermost on."""
    try:
        result = streamclip.clip({"v": value}, max_bytes=budget, report=report)
    except streamclip.BudgetTooSmallError:
        return
    cuts = [cut.path for cut in result.report.cuts if cut.unit == "items"]
    found = [
        path
        for path, about in cursors_of(json.loads(result.data))
        if any(cut == about or cut.startswith(about + "/") for cut in cuts)
    ]
    assert result.report.cursor_gap == next(iter(found), None)
