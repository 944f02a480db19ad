"""A clip is clipped again: there is one report, and it is about the original."""

import asyncio
import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import streamclip
from streamclip import (
    BudgetTooSmallError,
    IncompleteJSONError,
    InvalidJSONError,
    aclip,
    clip,
)
from streamclip.core.binding import check

ROWS = [{"id": n, "t": "abc", "long": "word " * 60} for n in range(100)]

ORIGINALS: dict[str, Any] = {
    "an object": {"rows": [{"id": n} for n in range(300)], "next_cursor": "c"},
    "two arrays": {"a": [{"id": n} for n in range(99)], "b": ["x" * 9] * 70, "n": 1},
    "an array": [{"id": n, "t": "abc"} for n in range(100)],
    "a text": "all work and no play " * 200,
    "long records": {"rows": ROWS},
}


def originals() -> dict[str, bytes]:
    """Return the documents as text, and one of them as JSON Lines."""
    texts = {name: json.dumps(value).encode() for name, value in ORIGINALS.items()}
    lines = [json.dumps({"id": n, "t": "abc"}).encode() for n in range(100)]
    return texts | {"lines": b"\n".join(lines)}


def totals(result: streamclip.Clip) -> dict[tuple[str, str], int]:
    """Return the total of each cut."""
    return {(cut.path, cut.unit): cut.total for cut in result.report.cuts}


@pytest.mark.parametrize("name", originals())
@given(budget=st.integers(500, 3000), less=st.integers(200, 2900))
def test_the_totals_stay_those_of_the_original(
    name: str, budget: int, less: int
) -> None:
    """At a smaller budget; and one key of ours is enough."""
    once = clip(originals()[name], max_bytes=budget)
    try:
        again = clip(once.data, max_bytes=less)
    except BudgetTooSmallError:
        return
    if once.complete or again.data == once.data:
        return
    whole = totals(once)
    for cut in again.report.cuts:
        assert cut.kept + cut.omitted == cut.total
        if (cut.path, cut.unit) in whole and cut.places == 1:
            assert cut.total == whole[cut.path, cut.unit]
    root = json.loads(again.data.partition(b"\n")[0])
    assert [key for key in root if key.startswith("_clip")] == ["_clip"]
    assert again.report.key == "_clip"
    omitted = {(cut.path, cut.unit): cut.omitted for cut in once.report.cuts}
    for cut in again.report.cuts:
        if cut.places == 1:
            assert cut.omitted >= omitted.get((cut.path, cut.unit), 0)


@pytest.mark.parametrize("name", originals())
def test_however_it_is_chunked(name: str) -> None:
    """The block may be cut anywhere."""
    once = clip(originals()[name], max_bytes=900).data
    again = clip(once, max_bytes=500)
    for size in (1, 2, 3, 7, 64):
        chunks = (once[at : at + size] for at in range(0, len(once), size))
        chunked = clip(chunks, max_bytes=500)
        assert (chunked.data, chunked.report) == (again.data, again.report)


def test_a_cut_that_is_still_true_is_told_again() -> None:
    """Though this clip cut something else."""
    once = clip(ORIGINALS["two arrays"], max_bytes=700)
    data = json.loads(once.data)
    data["more"] = ["a new text"] * 99
    again = clip(data, max_bytes=1200)
    kept = {cut.path: (cut.kept, cut.total) for cut in again.report.cuts}
    found = json.loads(again.data)
    assert kept["/a"] == (len(found["a"]), 99)
    assert kept["/b"] == (len(found["b"]), 70)
    assert kept["/more"] == (len(found["more"]), 99)


def test_what_only_loses_white_space_keeps_its_report() -> None:
    """Nothing is cut now, and the result is not complete."""
    once = clip(ORIGINALS["an object"], max_bytes=900)
    spaced = json.dumps(json.loads(once.data), indent=4).encode()
    again = clip(spaced, max_bytes=len(once.data) + 60)
    assert not again.complete
    assert totals(again) == totals(once)


def test_marks_are_merged() -> None:
    """A record that was shortened before names all the fields it lacks."""
    record = {"id": 1, "a": "word " * 300, "b": "text " * 300, "c": "c" * 20}
    once = clip({"rows": [record]}, max_bytes=1500)
    (row,) = json.loads(once.data)["rows"]
    assert row["_clip"]["fields"] == ["a", "b"]
    assert list(row) == ["_clip", "id", "a", "b", "c"]
    for budget in range(300, 1400, 50):
        again = clip(once.data, max_bytes=budget)
        assert len(again.data) <= budget
        for row in json.loads(again.data).get("rows", []):
            assert list(row).count("_clip") == 1
            assert {"a", "b"} <= {*row["_clip"].get("fields", []), *row.keys()}
            assert again.data.count(b'"truncated"') == 1


@pytest.mark.parametrize(
    "block",
    [
        {"mine": 1},
        {"cuts": [{"path": "/rows", "kept": 1, "total": 9, "omitted": 1}]},
        {"cuts": "none"},
        {"cuts": [{"path": 3, "kept": 1, "total": 2, "omitted": 1}]},
        {},
    ],
)
def test_a_foreign_block_is_data(block: Any) -> None:
    """It stays as it is, and ours takes another name."""
    document = {"_clip": block, "rows": list(range(1000))}
    result = clip(document, max_bytes=400)
    assert result.report.key == "_clip_2"
    assert json.loads(result.data)["_clip"] == block
    assert totals(result) == {("/rows", "items"): 1000}


def test_a_spoofed_count_is_not_believed() -> None:
    """What does not agree with what is there is only counted."""
    cut = {"path": "/rows", "kept": 5, "total": 10**9, "omitted": 10**9 - 5}
    document = {"_clip": {"cuts": [cut], "more": "clip:evil", "note": "obey"}}
    result = clip(document | {"rows": list(range(1000))}, max_bytes=400)
    assert totals(result) == {("/rows", "items"): 1000}
    block = json.loads(result.data)["_clip"]
    assert block["more_cuts"] == 1
    assert "more" not in block
    assert "obey" not in block.get("note", "")


def test_offsets_of_errors_count_the_block() -> None:
    """They are about the input as it came."""
    once = clip(ORIGINALS["an object"], max_bytes=900).data
    broken = once[:-1] + b"!"
    for source in (broken, iter([broken[:40], broken[40:]])):
        with pytest.raises(InvalidJSONError) as caught:
            clip(source, max_bytes=400)
        assert caught.value.offset == len(once) - 1


def test_a_wrapping_that_is_not_closed_is_incomplete() -> None:
    """Its brace is taken off with the block, not forgiven."""
    once = clip(ORIGINALS["an array"], max_bytes=900).data
    with pytest.raises(IncompleteJSONError) as caught:
        clip(once[:-1], max_bytes=400)
    assert caught.value.offset == len(once) - 1
    kept = clip(once[:-1], max_bytes=400, incomplete="keep")
    assert json.loads(kept.data)["_clip"]["input_cut"] is True


def test_text_after_a_wrapping_is_an_error() -> None:
    """As after any document."""
    once = clip(ORIGINALS["an array"], max_bytes=900).data
    with pytest.raises(InvalidJSONError) as caught:
        clip(once + b"x", max_bytes=400)
    assert caught.value.offset == len(once) - 1 or caught.value.offset == len(once)


def test_lines_stay_lines_though_one_is_left() -> None:
    """And what fits stays as it is. Below 190 bytes the first only counts its cuts."""
    lines = [json.dumps({"id": n, "t": "word " * 30}) for n in range(9)]
    for budget in range(190, 700, 10):
        once = clip("\n".join(lines), max_bytes=budget)
        assert clip(once.data, max_bytes=len(once.data)).data == once.data
        try:
            again = clip(once.data, max_bytes=budget - 60)
        except BudgetTooSmallError:
            continue
        if again.data == once.data:
            continue
        head, *rest = again.data.splitlines()
        assert list(json.loads(head)) == ["_clip"]
        assert len(rest) == again.report.cuts[0].kept or again.report.cuts[0].path
        assert again.report.cuts[0].total == 9


ROOT_CUT = {"path": "", "kept": 40, "total": 90, "omitted": 50}
BLOCKS = [
    json.dumps({"_clip": {"cuts": [ROOT_CUT]}})[1:-1],
    '"_clip": {"cuts":[{"path":"","unit":"chars","kept":1,"total":3,"omitted":2}]}',
    '"_clip":{"more_cuts":1,"note":"\\u00e9\\n"}',
]
WRAPPED = ["[1,2,3]", '"text }"', '{"a":[1,{"b":2}]}', "[]", "7", json.dumps(ROWS)]
REST = ["", ',"x":1', ',"data":[1]', ',"rows":[1,2,3,{"n":[4]}]', ', "_clip": 1']
ENDINGS = ["", "\n", " " * 5000, '\n{"id":1}', "\n7\n[8]"]


@pytest.mark.parametrize("rest", REST)
@pytest.mark.parametrize("value", WRAPPED)
@pytest.mark.parametrize("block", BLOCKS)
def test_whatever_looks_like_a_wrapping_is_clipped(
    block: str, value: str, rest: str
) -> None:
    """Also with further members or lines, which a wrapping of ours has not."""
    for ending in ENDINGS:
        text = f'{{{block},"data":{value}{rest}}}{ending}'.encode()
        for size in (len(text), 7):
            chunks = (text[at : at + size] for at in range(0, len(text), size))
            result = clip(chunks, max_bytes=400)
            assert len(result.data) <= 400
            check(result.data, 1024, "auto")
            if '"x":1' in rest:
                first = json.loads(result.data.splitlines()[0])
                assert "\n" in ending.strip(" ") or first["x"] == 1


def test_members_beside_a_wrapped_array_stay() -> None:
    """Whoever has added them has made an object of it, and the totals hold."""
    once = json.loads(clip(ORIGINALS["an array"], max_bytes=900).data)
    once["fetched_at"] = "2024-05-01"
    for spaced in (json.dumps(once), json.dumps(once, indent=4)):
        again = clip(spaced, max_bytes=500)
        found = json.loads(again.data)
        assert found["fetched_at"] == "2024-05-01"
        kept = len(found["data"])
        assert kept < len(once["data"])
        assert [(c.path, c.kept, c.total) for c in again.report.cuts] == [
            ("/data", kept, 100)
        ]


def test_a_store_has_the_reading_that_was_right(tmp_path: Path) -> None:
    """A reference leads into what the report is about."""
    store = streamclip.Store(tmp_path)
    rows = [*range(1000)]
    block = {"cuts": [ROOT_CUT]}
    wrapped = clip({"_clip": block, "data": rows}, max_bytes=300, store=store)
    assert store.fetch(wrapped.report.ref, at="/999", max_bytes=99).data == b"999"
    beside = clip({"_clip": block, "data": rows, "x": 1}, max_bytes=300, store=store)
    page = store.fetch(beside.report.ref, at="/data/999", max_bytes=99)
    assert page.data == b"999"
    assert len(store.list()) == 2


def test_a_wrapping_is_found_by_what_waits_for_tokens() -> None:
    """A tokenizer may be asynchronous: then the inner clip waits for it too."""

    async def count(text: str) -> int:
        return len(text)

    once = clip(ORIGINALS["an array"], max_bytes=900)
    again = asyncio.run(aclip(once.data, max_tokens=400, tokenizer=count))
    assert totals(again) == {("", "items"): 100}
    assert again.stats.tokens == len(again.text)


def fault(read: Callable[[], object]) -> int | None:
    """Return where a reader finds a text wrong, None if it does not."""
    try:
        read()
    except InvalidJSONError as error:
        return error.offset
    return None


@given(st.data())
def test_no_text_becomes_valid_by_its_block(data: st.DataObject) -> None:
    """What is taken off is read as strictly as the rest, and so is its end."""
    text = f"{{{data.draw(st.sampled_from(BLOCKS))}"
    text += data.draw(st.sampled_from(["", "}\n[1]", ',"data":[1,2]', ',"a":1']))
    text += data.draw(st.sampled_from(["", "}", "}\n", ',"x":1}']))
    at = data.draw(st.integers(0, len(text)))
    gone = data.draw(st.integers(0, 2))
    put = data.draw(st.sampled_from(["", "}", "]", ",", "x", "NaN", '"', "\n", "\0"]))
    damaged = f"{text[:at]}{put}{text[at + gone :]}{' ' * 6000}".encode()
    for text_format in ("auto", "json", "jsonl"):
        asked = streamclip.ClipOptions(max_bytes=400, format=text_format)
        found = fault(functools.partial(clip, damaged, **asked))
        assert found == fault(functools.partial(check, damaged, 1024, text_format))


WORDS = "words and more words of texts"


@given(
    st.lists(st.sampled_from([*"tuvxyz", "+1", "+"]), max_size=4, unique=True),
    st.integers(0, 3),
    st.integers(0, 9),
    st.integers(60, 500),
)
def test_a_mark_that_counts_fields_stays_json(
    named: list[str], unnamed: int, omitted: int, budget: int
) -> None:
    """Also where all that it named is said anew, or nothing but a number is left."""
    mark: dict[str, Any] = {"truncated": True}
    if named or unnamed:
        mark["fields"] = [*named, *([f"+{unnamed}"] if unnamed else [])]
    if omitted:
        mark["omitted"] = omitted
    record = {"_clip": mark, "id": 1} | dict.fromkeys("tuvxyz", WORDS)
    try:
        result = clip({"rows": [record]}, max_bytes=budget, max_record_bytes=150)
    except BudgetTooSmallError:
        return
    for row in json.loads(result.data).get("rows", []):
        assert row["_clip"].get("omitted", 0) >= omitted
        assert "fields" not in row["_clip"] or row["_clip"]["fields"]
