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

The core, which is handed these names, finds the cursor (csrc/report/cursors.c).

A cursor that points behind the last *kept* item skips nothing and is not named:
so Stripe's `has_more`, whose next page starts after the id of an item.
"""

__all__ = ["ABOUT_THE_PAGE", "KEYS", "LINK", "OBJECT"]

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

LINK = "href"  # a member of an object that makes it a cursor
OBJECT = "LastEvaluatedKey"  # a cursor that is an object as it is
