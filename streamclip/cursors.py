"""Pagination cursors: which one would skip what was left out.

A page of 20 items and the cursor of the next page; 5 items fit. Whoever follows
the cursor never sees the other 15, and nothing tells. So the report names it.

The names are those of the APIs themselves:

    GraphQL, Relay        pageInfo.endCursor
    Slack                 response_metadata.next_cursor
    Google                nextPageToken
    AWS                   NextToken, NextMarker, Marker, ContinuationToken,
                          NextContinuationToken, LastEvaluatedKey, PaginationToken
    OData                 @odata.nextLink
    JSON:API, GitHub      links.next, next, next_url
    Elasticsearch         _scroll_id, pit_id
    Kubernetes            metadata.continue

A cursor that points behind the last *kept* item skips nothing and is not named:
so Stripe's `has_more`, whose next page starts after the id of an item.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import orjson

__all__ = ["KEYS", "cursor_gap"]

KEYS = frozenset(
    {
        "@nextLink",
        "@odata.nextLink",
        "ContinuationToken",
        "LastEvaluatedKey",
        "Marker",
        "NextContinuationToken",
        "NextMarker",
        "NextToken",
        "PaginationToken",
        "_scroll_id",
        "continuation",
        "continuationToken",
        "continuation_token",
        "continue",
        "cursor",
        "endCursor",
        "end_cursor",
        "next",
        "nextCursor",
        "nextLink",
        "nextMarker",
        "nextPage",
        "nextPageToken",
        "nextToken",
        "next_cursor",
        "next_link",
        "next_marker",
        "next_page",
        "next_page_token",
        "next_token",
        "next_url",
        "odata.nextLink",
        "pit_id",
        "scroll_id",
    }
)

# Objects that are about the page that stands beside them.
ABOUT_THE_PAGE = frozenset(
    {
        "_links",
        "cursor",
        "cursors",
        "links",
        "meta",
        "metadata",
        "page",
        "pageInfo",
        "page_info",
        "pagination",
        "paging",
        "response_metadata",
    }
)


def cursor_gap(data: bytes, cut_arrays: Iterable[str]) -> str | None:
    """Find the cursor that was kept though its page was cut.

    Args:
        data: The clipped document, not JSON Lines.
        cut_arrays: Paths of arrays that lost elements, as reports write them.

    Returns:
        The cursor's JSON Pointer, or None.

    >>> cursor_gap(b'{"items":[1,2],"page":{"nextCursor":"c20"}}', ["/items"])
    '/page/nextCursor'
    >>> cursor_gap(b'{"items":[1,2],"page":{"nextCursor":null}}', ["/items"])
    """
    cuts = list(cut_arrays)
    try:
        document = orjson.loads(data)
    except orjson.JSONDecodeError:  # a lone surrogate, or very deep
        document = parsed(data)
    for path, about in _cursors(document):
        if any(cut == about or cut.startswith(about + "/") for cut in cuts):
            return path
    return None


def parsed(data: bytes) -> Any:
    """Read JSON, numbers as the texts they are; None if it is nested too deeply.

    orjson takes no lone surrogates, and Python's own no integer of more than
    4,300 digits.
    """
    try:
        return json.loads(data, parse_int=str, parse_float=str)
    except RecursionError:
        return None


def _cursors(document: Any) -> Iterator[tuple[str, str]]:
    """Yield each cursor's pointer, and that of the value whose page it ends.

    Only objects inside objects are searched: what is in an array is no page's.
    """
    # values to search, their pointers, and what cursors in them are about
    waiting: list[tuple[Any, str, str]] = [(document, "", "")]
    for value, path, about in waiting:
        if not isinstance(value, dict):
            continue
        for key, member in value.items():
            if key in KEYS and _leads_on(key, member):
                yield f"{path}/{_token(key)}", about
            if isinstance(member, dict):
                here = f"{path}/{_token(key)}"
                below = about if key in ABOUT_THE_PAGE else here
                waiting.append((member, here, below))


def _leads_on(key: str, value: Any) -> bool:
    """Tell whether there is a next page: a token, a URL, a key, a page number."""
    if isinstance(value, dict):
        return bool(value) if key == "LastEvaluatedKey" else "href" in value
    if isinstance(value, str):
        return value not in ("", "0")
    return isinstance(value, int) and not isinstance(value, bool) and value != 0


def _token(key: str) -> str:
    if key == "*":
        return "~2"
    return key.replace("~", "~0").replace("/", "~1")
