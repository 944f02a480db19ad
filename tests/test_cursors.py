"""A cursor that would skip what was left out is named."""

import json
from typing import Any

import pytest

import streamclip

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
