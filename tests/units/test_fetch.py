"""Pages: every element exactly once, whatever the budget, and true slices."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from documents import Members, Sample, quoted, sample, samples
from stored import loads, pointers, values_of
from streamclip import (
    BudgetTooSmallError,
    Clip,
    ReferenceNotFoundError,
    Store,
    clip,
)
from streamclip.options.options import Options
from streamclip.store.document import in_memory
from streamclip.store.index import Index
from streamclip.store.pages import Request, fetch_page
from test_index import borders_of

ROWS = [
    {"id": n, "status": ["open", "done"][n % 2], "name": "é" * n} for n in range(60)
]
DOCUMENT = {"rows": ROWS, "text": "some words " * 400, "next": "c2", "n": 1.50}


some = st.integers(0, 10**6)


def one_of(of: Sample, which: int) -> tuple[str, Any]:
    """Choose a value of a sample."""
    everything = list(pointers(values_of(of)))
    return everything[which % len(everything)]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return a store of its own."""
    return Store(tmp_path / "store")


def stored(store: Store, source: Any, **options: Any) -> str:
    """Clip a source so that it is stored, and return its reference."""
    ref = clip(source, **{"max_bytes": 200, **options}, store=store).report.ref
    assert ref is not None
    return ref


def page_of(of: Sample, at: str, start: int, **asked: Any) -> Clip:
    """Fetch a page of a sample, with an index that has many borders."""
    data = of.data
    where = asked.pop("where", None)
    index = Index(borders_of(data, of.multi, 24, 100))
    document = in_memory(data, index, jsonl=of.multi, max_depth=1024)
    request = Request(
        "clip:0123456789ab", at, start, asked.pop("count", None), where, ""
    )
    return fetch_page(document, request, Options(**asked), is_cut=False)


def content(page: Clip, *, lines: bool = False) -> Any:
    """Return what a page has of the value, without its block."""
    assert page.slice is not None
    values = [loads(line) for line in page.text.split("\n") if line.strip()]
    if page.complete:
        return values if lines else loads(page.text)
    root = values[0]
    assert root.pop(page.report.key)["slice"] == page.slice.to_dict()
    if lines:
        return values[1:]
    return root["data"] if [*root] == ["data"] else root


def is_part(kept: Any, whole: Any, key: str) -> bool:
    """Tell whether a value is another one, or a sub-document of it."""
    if isinstance(whole, dict) and isinstance(kept, dict):
        return all(
            (k == key and k not in whole) or (k in whole and is_part(v, whole[k], key))
            for k, v in kept.items()
        )
    if isinstance(whole, list) and isinstance(kept, list):
        return len(kept) <= len(whole) and all(
            is_part(a, b, key) for a, b in zip(kept, whole, strict=False)
        )
    if isinstance(whole, str) and isinstance(kept, str):
        return whole.startswith(kept)
    return json.dumps(kept) == json.dumps(whole)


def pages(of: Sample, at: str, budget: int) -> Iterator[Clip]:
    """Page through a value from its start to its end."""
    start: int | None = 0
    while start is not None:
        needed = budget
        try:
            page = page_of(of, at, start, max_bytes=budget, report="detached")
        except BudgetTooSmallError as error:
            needed = error.needed
        if needed > budget:
            page = page_of(of, at, start, max_bytes=needed, report="detached")
        assert page.slice is not None
        assert page.slice.start == start
        assert page.slice.next is None or page.slice.next > start
        yield page
        start = page.slice.next


def check_pages(of: Sample, at: str, value: Any, budget: int) -> None:
    """Put the pages of a value together and compare."""
    gathered: list[Any] = []
    for page in pages(of, at, budget):
        assert page.slice is not None
        got = page.text.split("\n") if of.multi and not at else loads(page.text)
        if of.multi and not at:
            got = [loads(line) for line in got if line.strip()]
        members = [*got.items()] if isinstance(got, dict) else got
        if isinstance(value, (list, dict)):
            assert page.slice.kept == len(members)
        gathered += [members] if not isinstance(value, (list, dict)) else members
        assert page.slice.total == len(value) if isinstance(value, list) else True
    if isinstance(value, str):
        assert "".join(gathered) == value
    elif isinstance(value, dict):
        assert [key for key, _ in gathered] == [*value]
        assert all(is_part(inner, value[key], "") for key, inner in gathered)
    elif isinstance(value, list):
        assert len(gathered) == len(value)
        assert is_part(gathered, value, "")
    else:
        assert gathered == [value]


def has_twins(of: Sample) -> bool:
    """Tell whether an object has a key twice."""
    twins = []

    def hook(pairs: list[tuple[str, Any]]) -> None:
        twins.append(len(pairs) != len({key for key, _ in pairs}))

    for tree in of.trees:
        json.loads(Sample([tree]).data, object_pairs_hook=hook)
    return any(twins)


# The first page of all its members is told to need less than one of the first.
LEAST = Members([('"id"', [['"汉汉汉汉汉汉汉汉汉汉"']] * 3), ('"more"', ["0"] * 8)])


@given(samples, st.integers(40, 500), some)
@example(Sample([LEAST]), 40, 0)
def test_pages_have_every_element_once(of: Sample, budget: int, which: int) -> None:
    """Of arrays, objects, lines and text, however little fits at a time."""
    if has_twins(of):
        return
    at, value = one_of(of, which)
    if len(json.dumps(value)) < 60 * budget:
        check_pages(of, at, value, budget)


@pytest.mark.parametrize("seed", range(10))
def test_pages_of_a_large_document_have_every_element_once(seed: int) -> None:
    """The same for documents with all that makes JSON hard."""
    of = sample(Random(seed))
    if not has_twins(of):
        value = values_of(of)
        check_pages(of, "", value, 700)


@given(samples, some)
def test_what_fits_comes_as_it_is(of: Sample, which: int) -> None:
    """A value that fits is the text that stands in the document."""
    at, value = one_of(of, which)
    page = page_of(of, at, 0, max_bytes=1 << 26)
    assert page.complete
    assert page.data.strip() in of.data
    if at or not of.multi:
        assert loads(page.data) == value
    assert page.slice is not None
    assert page.slice.next is None


@given(samples, st.integers(200, 900), st.integers(0, 5), some)
def test_a_page_is_within_its_budget_and_says_what_it_is(
    of: Sample, budget: int, start: int, which: int
) -> None:
    """The slice in the data is the one of the page, and the cuts add up."""
    at, value = one_of(of, which)
    if not isinstance(value, (list, dict, str)):
        start = 0
    try:
        page = page_of(of, at, start, max_bytes=budget)
    except BudgetTooSmallError:
        return
    assert len(page.data) <= budget
    assert page.slice is not None
    assert page.complete == (not page.report.cuts)
    kept = content(page, lines=of.multi and not at)
    if isinstance(value, (list, str)) and page.slice.kept:
        assert len(kept) == page.slice.kept
        assert page.slice.total == len(value)
        assert is_part(kept, value[start:], page.report.key)
    for cut in page.report.cuts:
        assert cut.kept + cut.omitted == cut.total


def test_a_page_goes_on_where_the_clip_ended(store: Store) -> None:
    """The clip tells how many it has; a page begins there."""
    result = clip(DOCUMENT, max_bytes=900, store=store)
    kept = len(json.loads(result.data)["rows"])
    assert result.report.ref is not None
    page = store.fetch(result.report.ref, at="/rows", start=kept, max_bytes=900)
    assert page.slice is not None
    assert content(page) == ROWS[kept : kept + page.slice.kept]
    assert page.slice.next == kept + page.slice.kept
    assert page.report.ref == f"{result.report.ref}#/rows"


def test_count_limits_a_page(store: Store) -> None:
    """It has no more than were asked for, and says where to go on."""
    page = store.fetch(
        stored(store, DOCUMENT), at="/rows", start=10, count=3, max_bytes=9000
    )
    assert content(page) == ROWS[10:13]
    assert page.slice is not None
    assert page.slice.to_dict() == {
        "at": "/rows",
        "start": 10,
        "kept": 3,
        "total": 60,
        "next": 13,
    }


@pytest.mark.parametrize(("start", "kept"), [(58, 2), (60, 0), (1000, 0)])
def test_the_last_page_has_no_next(store: Store, start: int, kept: int) -> None:
    """Nor has one behind the end, which is empty."""
    ref = stored(store, DOCUMENT)
    page = store.fetch(ref, at="/rows", start=start, max_bytes=900)
    assert content(page) == ROWS[start:]
    assert page.slice is not None
    assert (page.slice.kept, page.slice.total, page.slice.next) == (kept, 60, None)


def test_marks_lead_to_the_record(store: Store) -> None:
    """A record shortened in a clip or in a page has its own reference."""
    rows = [{"id": n, "text": f"{n} " * 400} for n in range(30)]
    result = clip({"rows": rows}, max_bytes=2000, store=store)
    marked = json.loads(result.data)["rows"]
    assert marked
    assert result.report.ref is not None
    page = store.fetch(result.report.ref, at="/rows", start=17, max_bytes=2000)
    marked += content(page)
    for row in marked:
        more = row["_clip"]["more"]
        assert more == f"{result.report.ref}#/rows/{row['id']}"
        assert loads(store.fetch(more, max_bytes=5000).data) == rows[row["id"]]


@pytest.mark.parametrize("keep", ["tail", "ends"])
def test_marks_count_from_the_start_of_the_document(store: Store, keep: Any) -> None:
    """Whichever records were kept."""
    rows = [{"id": n, "text": f"{n} " * 400} for n in range(30)]
    lines = "\n".join(json.dumps(row) for row in rows)
    for source in ({"a/b": {"~": rows}}, rows, lines):
        result = clip(source, max_bytes=4000, store=store, keep=keep)
        found = [n for n in marks_in(loads_any(result)) if "more" in n]
        assert len(found) >= 1
        for mark in found:
            record = loads(store.fetch(mark["more"], max_bytes=9000).data)
            assert record == rows[record["id"]]
            assert mark["more"].endswith(f"/{record['id']}")


def loads_any(result: Clip) -> Any:
    """Read a clip, or lines."""
    lines = result.text.split("\n")
    return [json.loads(line) for line in lines]


def marks_in(value: Any) -> Iterator[Any]:
    """Yield the marks of shortened records."""
    if isinstance(value, dict):
        if value.get("_clip", {}).get("truncated"):
            yield value["_clip"]
        for member in value.values():
            yield from marks_in(member)
    elif isinstance(value, list):
        for element in value:
            yield from marks_in(element)


def test_one_record_comes_whole_if_it_fits(store: Store) -> None:
    """Byte for byte, with no report."""
    data = b'{"rows": [ {"id" : 1.50, "n": 9007199254740993}, 2 ], "t": "' + b"x " * 300
    ref = stored(store, data + b'"}')
    page = store.fetch(ref, at="/rows/0", max_bytes=200)
    assert page.data == b'{"id" : 1.50, "n": 9007199254740993}'
    assert page.complete
    assert store.fetch(ref, at="/rows/0/id", max_bytes=200).data == b"1.50"
    assert store.fetch(ref, at="/t", max_bytes=2000).data == b'"' + b"x " * 300 + b'"'


def test_text_is_paged_by_characters(store: Store) -> None:
    """Also base64, which a clip would leave out."""
    texts = {"words": "一二三 four 😀 " * 200, "blob": "QUJD" * 3000}
    ref = stored(store, texts)
    for key, text in texts.items():
        start, parts = 0, []
        while start is not None:
            page = store.fetch(ref, at=f"/{key}", start=start, max_bytes=500)
            assert page.slice is not None
            assert page.slice.total == len(text)
            parts.append(content(page))
            start = page.slice.next
        assert "".join(parts) == text


def test_maps_are_paged_by_members(store: Store) -> None:
    """In their order; small ones do not jump the queue."""
    versions = {
        f"1.{n}": {"big": "x " * (n % 5 * 40)} if n % 3 else n for n in range(90)
    }
    ref = stored(store, {"versions": versions})
    start, found = 0, {}
    while start is not None:
        page = store.fetch(ref, at="/versions", start=start, max_bytes=700)
        assert page.slice is not None
        got = content(page)
        assert [*got] == [*versions][start : start + page.slice.kept]
        found |= got
        start = page.slice.next
    assert [*found] == [*versions]


def test_lines_are_paged_as_lines(store: Store) -> None:
    """JSON Lines stay JSON Lines, and their first token is the line."""
    ref = stored(store, "\n".join(json.dumps(row) for row in ROWS))
    page = store.fetch(ref, start=50, max_bytes=1500)
    block, *lines = page.text.split("\n")
    assert page.slice is not None
    assert json.loads(block)["_clip"]["slice"] == page.slice.to_dict()
    assert [json.loads(line) for line in lines] == ROWS[50 : 50 + len(lines)]
    assert json.loads(store.fetch(ref, at="/7/id", max_bytes=100).data) == 7


def test_json_in_a_string_is_entered_behind_a_sign(store: Store) -> None:
    """As the report writes it: PATH#INNER."""
    inner = {"rows": ROWS, "a#b": {"x": "y"}}
    text = {"type": "text", "text": json.dumps(inner)}
    ref = stored(store, {"content": [text]}, max_bytes=300)
    page = store.fetch(ref, at="/content/0/text#/rows", start=20, max_bytes=900)
    assert page.slice is not None
    assert content(page) == ROWS[20 : 20 + page.slice.kept]
    assert page.report.cuts[0].path == "/content/0/text#/rows"
    again = store.fetch(f"{ref}#/content/0/text#/a#b/x", max_bytes=100)
    assert again.data == b'"y"'


@pytest.mark.parametrize("lines", [False, True])
def test_where_finds_records_and_counts_them_all(store: Store, lines: bool) -> None:
    """The slice counts what matches; marks lead to where it stands."""
    rows = [{"id": n, "ok": n % 3 == 0, "one": 1, "n": None} for n in range(300)]
    rows[150]["text"] = "long " * 2000
    source = "\n".join(json.dumps(r) for r in rows) if lines else {"rows": rows}
    ref, at = stored(store, source), "" if lines else "/rows"
    matching = [row for row in rows if row["ok"]]
    page = store.fetch(ref, at=at, start=50, where={"ok": True}, max_bytes=900)
    assert page.slice is not None
    assert (page.slice.total, page.slice.next) == (100, 50 + page.slice.kept)
    assert page.report.selection == {"where": {"ok": True}}
    first, *rest = (
        [json.loads(line) for line in page.text.split("\n")[1:]]
        if lines
        else content(page)
    )
    assert rest == matching[51 : 51 + len(rest)]
    assert first["_clip"]["more"] == f"{ref}#{at}/150"
    none = store.fetch(ref, at=at, where={"one": True}, max_bytes=900)
    assert none.slice is not None
    assert (none.slice.kept, none.slice.total, none.slice.next) == (0, 0, None)
    everything = store.fetch(ref, at=at, where={"n": None, "one": 1}, max_bytes=900)
    assert everything.slice is not None
    assert everything.slice.total == 300


def test_where_needs_records(store: Store) -> None:
    """Of an object or a text it makes no sense."""
    with pytest.raises(ValueError, match="where needs an array"):
        store.fetch(stored(store, DOCUMENT), where={"id": 1}, max_bytes=500)


@given(
    st.dictionaries(st.text(max_size=3), st.integers() | st.text(max_size=5)),
    st.dictionaries(st.text(max_size=3), st.booleans() | st.integers(0, 1), min_size=1),
)
def test_where_compares_values_and_not_types_of_python(
    record: dict[str, Any], where: dict[str, Any]
) -> None:
    """True is not 1."""
    of = Sample([[json.dumps(record), json.dumps(where)]])
    page = page_of(of, "", 0, where=where, max_bytes=9000)
    assert page.slice is not None
    same = where.items() <= record.items() and all(
        type(record[key]) is type(value) for key, value in where.items()
    )
    assert page.slice.total == 1 + same


def test_input_that_ended_early_is_paged_as_far_as_it_came(store: Store) -> None:
    """And the totals are minima."""
    text = json.dumps({"rows": ROWS})[:-200]
    ref = stored(store, text, incomplete="keep")
    page = store.fetch(ref, at="/rows", start=50, max_bytes=5000)
    assert page.report.input_cut
    assert page.report.total_is == "at_least"
    got = content(page)
    assert got == ROWS[50 : 50 + len(got)]
    assert len(got) >= 7


def test_reports_can_be_told_otherwise(store: Store) -> None:
    """Beside the data, or not in it."""
    ref = stored(store, DOCUMENT)
    plain = store.fetch(ref, at="/rows", start=5, max_bytes=600, report="detached")
    assert plain.slice is not None
    assert json.loads(plain.data) == ROWS[5 : 5 + plain.slice.kept]
    beside = store.fetch(ref, at="/rows", start=5, max_bytes=600, report="siblings")
    root = json.loads(beside.data)
    assert (root["total"], root["omitted"]) == (60, 60 - len(root["data"]))


def test_fields_select_members_of_a_page(store: Store) -> None:
    """The selection of a clip, for a page."""
    page = store.fetch(
        stored(store, DOCUMENT), at="/rows", fields=["id"], start=3, max_bytes=500
    )
    got = content(page)
    assert got == [{"id": n} for n in range(3, 3 + len(got))]


@pytest.mark.parametrize(
    ("at", "says"),
    [
        ("/rowz", 'there is no \'rowz\' in it, which has the members "rows", "text"'),
        ("/rows/60", "there is no '60' in /rows, which has 60 items: 0 to 59"),
        ("/rows/-1", "0 to 59"),
        ("/rows/01", "0 to 59"),
        ("/next/x", "'x' in /next, which is no container"),
        ("rows", "begins with '/'"),
        ("/rows/0/id~", "begins with '/'|there is no"),
    ],
)
def test_a_pointer_that_leads_nowhere_is_explained(
    store: Store, at: str, says: str
) -> None:
    """The error tells what is there instead."""
    with pytest.raises(ReferenceNotFoundError, match=says):
        store.fetch(stored(store, DOCUMENT), at=at, max_bytes=500)


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"start": -1, "max_bytes": 500}, ValueError),
        ({"count": 0, "max_bytes": 500}, ValueError),
        ({"keep": "tail", "max_bytes": 500}, TypeError),
        ({"max_byte": 500}, TypeError),
        ({}, TypeError),
    ],
)
def test_wrong_arguments_are_refused(
    store: Store, asked: dict[str, Any], error: type[Exception]
) -> None:
    """Those that make no sense for a page, too."""
    with pytest.raises(error):
        store.fetch(stored(store, DOCUMENT), **asked)


def test_keys_of_any_kind_are_found(store: Store) -> None:
    """However they are written."""
    keys = ["a/b", "~", "*", "", "😀", '"\\', "\ud83d", "é" * 50]
    pairs = ",".join(f"{json.dumps(k)}:{n}" for n, k in enumerate(keys))
    plain = ",".join(f"{quoted(k)}:{n}" for n, k in enumerate(keys))
    for text in (pairs, plain):
        ref = stored(store, f'{{{text},"rows":{json.dumps(ROWS)}}}')
        for number, key in enumerate(keys):
            token = key.replace("~", "~0").replace("/", "~1")
            found = store.fetch(ref, at=f"/{token}", max_bytes=100)
            assert json.loads(found.data) == number
