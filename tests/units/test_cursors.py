"""A cursor that would skip what was left out is named."""

import json
import time
from collections.abc import Iterator
from typing import Any, Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import streamclip
from streamclip.core.binding import Core, Texts, Words
from streamclip.options.options import checked
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


def value_at(document: Any, path: str) -> Any:
    """Return what stands at a path that leads through objects alone."""
    for token in path.split("/")[1:]:
        key = token.replace("~2", "*").replace("~1", "/").replace("~0", "~")
        document = document[key]
    return document


def lost_elements(before: Any, after: Any) -> bool:
    """Tell whether an array in what was kept has fewer elements than it had."""
    if isinstance(before, dict) and isinstance(after, dict):
        return any(lost_elements(before[key], after[key]) for key in after)
    if isinstance(before, list) and isinstance(after, list):
        pairs = zip(before, after, strict=False)
        return len(after) < len(before) or any(lost_elements(*pair) for pair in pairs)
    return False


def first_gap(before: Any, after: Any) -> str | None:
    """Return the first cursor of a clip whose page lost elements."""
    for path, about in cursors_of(after):
        if lost_elements(value_at(before, about), value_at(after, about)):
            return path
    return None


NAMES = st.sampled_from(
    ["next", "page", "cursor", "LastEvaluatedKey", "href", "links", "x", "a/~b", "*"]
)
VALUES = st.recursive(
    st.sampled_from(["", "0", "00", "c", 0, 1, -1, 1.5, None, True])
    | st.integers(3, 40).map(lambda count: [*range(count)]),
    lambda inner: st.dictionaries(NAMES, inner, max_size=5),
    max_leaves=12,
)


# Pages beside each other, so many that their keys are written `*` in the report.
PAGE = st.fixed_dictionaries(
    {},
    optional={
        "rows": st.integers(0, 12).map(lambda count: [*range(count)]),
        "next": st.sampled_from(["", "c"]),
        "page": st.just({"cursor": "d"}),
    },
)
MAPS = st.dictionaries(
    st.sampled_from([*"abcdefghijklmnopqrstuvwxyz", "*", "a/b"]), PAGE, max_size=28
)


@given(
    VALUES | MAPS | st.fixed_dictionaries({"map": MAPS, "next": st.just("e")}),
    st.integers(60, 600),
    st.sampled_from(["inline", "detached"]),
)
@example({"next": "c", "page": [*range(28)]}, 60, "detached")
@example(
    {f"k{n}": {"rows": [*range(99)], "next": f"c{n}"} for n in range(20)}, 900, "inline"
)
def test_it_is_the_first_whose_page_was_cut(
    value: Any, budget: int, report: Literal["inline", "detached"]
) -> None:
    """Of the cursors that the clip has, from the outermost on."""
    before = {"v": value}
    try:
        result = streamclip.clip(before, max_bytes=budget, report=report)
    except streamclip.BudgetTooSmallError:
        return
    after = json.loads(result.data)
    after.pop("_clip", None)
    assert result.report.cursor_gap == first_gap(before, after)


@given(MAPS, st.integers(300, 900), st.integers(150, 600))
def test_an_earlier_clip_that_lost_elements_counts(
    pages: Any, budget: int, smaller: int
) -> None:
    """A cursor that is named again has lost rows in one of the two clips."""
    before = {"v": pages}
    try:
        first = streamclip.clip(before, max_bytes=budget)
        second = streamclip.clip(first.data, max_bytes=min(budget, smaller))
    except streamclip.BudgetTooSmallError:
        return
    after = json.loads(second.data)
    after.pop("_clip", None)
    if second.report.cursor_gap is not None:
        about = dict(cursors_of(after))[second.report.cursor_gap]
        assert lost_elements(value_at(before, about), value_at(after, about))
    # lines that are not told any more are all that may hide one
    elif not json.loads(second.data).get("_clip", {}).get("more_cuts"):
        assert first_gap(before, after) is None


def seconds_for(cursors: int, arrays: int, form: str) -> float:
    """Measure a search through pages that lost nothing.

    Args:
        cursors: How many pages with one there are.
        arrays: How many others lost elements.
        form: How the paths of those begin.
    """
    pages = {f"{n:05}": {"next": f"c{n}"} for n in range(cursors)}
    lost = {f"{n:05}": [1, 2] for n in range(arrays)}
    options = checked({"max_bytes": 16_000_000, "max_items": 1, "report": "detached"})
    core = Core(options.core)
    try:
        core.feed(json.dumps({"pages": pages, "lost": lost}).encode())
        core.finish(keep_incomplete=False)
        words = Words("detached", cursor_keys=Texts([b"next"]))
        begin = time.process_time()
        assert core.fit(words, 16_000_000, None).gap == b""
        paths = Texts(f"{form}/{n}".encode() for n in range(arrays))
        assert core.cursor_gap(paths) == b""
        return time.process_time() - begin
    finally:
        core.close()


@pytest.mark.parametrize("form", ["/lost", "/pages/00000!"])
def test_each_page_is_looked_for_and_not_compared_with_all(form: str) -> None:
    """Sixteen times as many of both take some of sixteen times as long."""
    few = min(seconds_for(4_096, 1_024, form) for _ in range(3))
    many = min(seconds_for(65_536, 16_384, form) for _ in range(2))
    assert many < 16 * 10 * few + 0.05
