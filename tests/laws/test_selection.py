"""`fields` and `drop`: what is deselected is as if it were not in the input."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents import sample, samples
from streamclip import Clip, Clipper, clip

ROWS = {
    "rows": [
        {"id": n, "title": f"No. {n}", "blob": "x" * 30, "tags": [{"id": 1, "k": 2}]}
        for n in range(200)
    ],
    "blob": {"a": [1, 2, 3]},
    "total": 200,
}
DATA = json.dumps(ROWS).encode()
NAMES = [
    "id",
    "a",
    "b",
    "t",
    "v",
    "key",
    "name",
    "",
    "*",
    "~",
    "汉字",
    "\n",
    "k0",
    "k1",
]


class Pairs(list[tuple[str, Any]]):
    """An object, with its duplicate keys."""


def removed(value: Any, fields: list[str] | None, drop: list[str] | None) -> Any:
    """Return a value without what is deselected; an array is an array of records."""

    def inner(value: Any, element: bool, within: bool) -> Any:
        if isinstance(value, Pairs):
            record = element and not within
            return Pairs(
                (key, inner(below, False, within or record))
                for key, below in value
                if key not in (drop or ())
                and not (record and fields and key not in fields)
            )
        if isinstance(value, list):
            return [inner(below, True, within) for below in value]
        return value

    return inner(value, False, False)


class Number(str):
    """A number as it is written."""

    __slots__ = ()


def read(text: str) -> Any:
    """Parse JSON without losing anything that counts."""
    return json.loads(
        text,
        object_pairs_hook=Pairs,
        parse_int=Number,
        parse_float=Number,
        parse_constant=Number,
    )


def write(value: Any) -> str:
    """Write what `read` has read, squeezed."""
    if isinstance(value, Pairs):
        return "{" + ",".join(f"{write(k)}:{write(v)}" for k, v in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(write, value)) + "]"
    return str(value) if isinstance(value, Number) else json.dumps(value)


def fed(data: bytes, step: int, **options: Any) -> Clip:
    """Clip a document that arrives in pieces."""
    with Clipper(**options) as clipper:
        for at in range(0, len(data), step):
            clipper.feed(data[at : at + step])
        return clipper.finish()


def outcome(data: bytes, step: int, **options: Any) -> Any:
    """Return what a detached clip has and tells, or its error."""
    try:
        result = fed(data, step, report="detached", **options)
    except ValueError as error:
        return type(error), getattr(error, "unit", None)
    text = result.text
    if options.get("format") != "jsonl":
        # What fits is not squeezed: nothing was changed in it.
        text = write(read(text)) if result.complete else text
    elif result.complete:
        text = "\n".join(write(read(line)) for line in text.splitlines() if line)
    return text, result.complete, result.report.cuts, result.report.total_is


names = st.none() | st.lists(st.sampled_from(NAMES), min_size=1, max_size=4)


@given(samples, names, names, st.integers(1, 3000), st.integers(1, 60))
def test_it_is_the_clip_of_the_document_without_them(
    of: Any, fields: list[str] | None, drop: list[str] | None, budget: int, step: int
) -> None:
    """At any budget, however the input is chunked."""
    check_removed_by_hand(of, fields, drop, budget, step)


@pytest.mark.parametrize("seed", range(40))
def test_larger_documents_are_clipped_the_same(seed: int) -> None:
    """Also those of which most is only counted."""
    random = Random(seed)
    of = sample(random)
    while of.multi:
        of = sample(random)
    copies = random.choice([1, 20, 60])  # past 64 KiB, which is always retained
    line = "".join(of.data.decode().split("\n"))
    kind = random.choice(["array", "map"])
    if kind == "array":
        text = "[" + ",".join([line] * copies) + "]"
    else:
        text = "{" + ",".join(f'"k{n}":{line}' for n in range(copies)) + "}"
    fields = random.choice([None, random.sample(NAMES, 3)])
    drop = random.sample(NAMES, 3)
    budget = random.choice([300, 2000, 20_000])
    for asked in ((fields, drop), (None, drop), (fields, None)):
        by_hand = write(removed(read(text), *asked)).encode()
        ours = outcome(
            text.encode(), 977, max_bytes=budget, fields=asked[0], drop=asked[1]
        )
        assert ours == outcome(by_hand, 1009, max_bytes=budget)


def check_removed_by_hand(
    of: Any, fields: list[str] | None, drop: list[str] | None, budget: int, step: int
) -> None:
    """Compare the two ways."""
    text = of.data.decode()
    options: dict[str, Any] = {"max_bytes": budget, "format": "json"}
    if of.multi:
        options["format"] = "jsonl"
        lines = removed([read(x) for x in text.splitlines() if x], fields, drop)
        by_hand = "\n".join(map(write, lines))
    else:
        by_hand = write(removed(read(text), fields, drop))
    ours = outcome(of.data, step, **options, fields=fields, drop=drop)
    assert ours == outcome(by_hand.encode(), 1000, **options)


def all_objects(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the objects of a value, outermost first."""
    if isinstance(value, dict):
        yield value
    for below in value.values() if isinstance(value, dict) else value:
        if isinstance(below, (dict, list)):
            yield from all_objects(below)


@pytest.mark.parametrize("budget", [300, 1000, 5000, 100_000])
def test_dropped_names_are_nowhere(budget: int) -> None:
    """Scalars, strings and containers, also in records in records."""
    result = clip(DATA, max_bytes=budget, drop=["blob", "k"])
    found = json.loads(result.data)
    found.pop("_clip")
    assert not any({"blob", "k"} & set(x) for x in all_objects(found))
    assert found["rows"][0] == {"id": 0, "title": "No. 0", "tags": [{"id": 1}]}
    assert len(result.data) <= budget


def test_fields_are_those_of_records_only() -> None:
    """What is in them stays, and so does what is beside the records."""
    found = json.loads(clip(DATA, max_bytes=50_000, fields=["tags"]).data)
    assert found["rows"] == [{"tags": [{"id": 1, "k": 2}]}] * 200
    assert found["blob"] == ROWS["blob"]


def test_a_record_is_an_element_and_in_no_other_record() -> None:
    """Through arrays of arrays, but not the root, nor a map's values."""
    value = {"a": 1, "b": {"a": 1}, "c": [[{"a": 1, "b": [{"c": 1}]}], {"a": 1}]}
    found = json.loads(clip(value, max_bytes=500, fields=["b"]).data)
    del found["_clip"]
    assert found == {"a": 1, "b": {"a": 1}, "c": [[{"b": [{"c": 1}]}], {}]}


def test_lines_are_records() -> None:
    """Once it is said that the input has lines; the root object is none."""
    data = b'{"a":1,"b":2}\n{"b":[3]}\n'
    result = clip(data, max_bytes=90, fields=["a"], format="jsonl")
    assert result.text.split("\n")[1:] == ['{"a":1}', "{}"]
    assert json.loads(result.data.split(b"\n")[0])["_clip"]["selection"]
    whole = b'{"a":1,"b":2}'
    assert clip(whole, max_bytes=90, fields=["a"]).data == whole
    assert clip(whole, max_bytes=20, fields=["a"], format="jsonl").data == b'{"a":1}'


@pytest.mark.parametrize("step", [1, 7, 1000])
def test_lines_have_to_be_announced(step: int) -> None:
    """The first of them was taken for the root; `drop` does not mind."""
    data = b'{"a":1,"b":2}\n{"b":3}\n'
    with pytest.raises(ValueError, match='pass format="jsonl"'):
        fed(data, step, max_bytes=1000, fields=["a"])
    dropped = fed(data, step, max_bytes=1000, drop=["b"], report="detached")
    assert dropped.data == b'{"a":1}\n{}'


def test_a_selection_is_no_cut() -> None:
    """The clip is complete, and the data says what was asked for."""
    result = clip(DATA, max_bytes=100_000, fields=["id", "title"], drop=["blob"])
    asked = {"fields": ["id", "title"], "drop": ["blob"]}
    assert result.complete
    assert not result.report.cuts
    assert result.report.selection == asked
    assert result.report.to_dict()["selection"] == asked
    assert json.loads(result.data)["_clip"] == {"selection": asked}
    assert result.data.startswith(b'{"_clip":{"selection":')
    assert result.stats.bytes_saved == 0


def test_it_is_told_beside_the_cuts() -> None:
    """Totals are those of what is selected."""
    result = clip(DATA, max_bytes=600, fields=["id"])
    block = json.loads(result.data)["_clip"]
    assert block["selection"] == {"fields": ["id"]}
    assert {cut.path: cut.total for cut in result.report.cuts} == {"/rows": 200}
    kept = json.loads(result.data)["rows"]
    assert all(set(row) == {"id"} for row in kept)


@pytest.mark.parametrize("form", ["siblings", "detached"])
def test_other_forms_tell_it_in_the_report_only(form: Any) -> None:
    """Whether something was cut or not."""
    for budget in (600, 100_000):
        result = clip(DATA, max_bytes=budget, drop=["blob"], report=form)
        assert b"selection" not in result.data
        assert result.report.selection == {"drop": ["blob"]}


def test_what_has_nothing_deselected_comes_back_unchanged() -> None:
    """White space included, and nothing is told."""
    data = b'{ "rows": [ {"id": 1} ] }\n'
    result = clip(data, max_bytes=100, fields=["id"], drop=["blob"])
    assert (result.data, result.complete) == (data, True)
    assert result.report.selection is None
    assert clip(DATA, max_bytes=500, drop=["absent"]).report.selection is None
    # a name twice counts once, and no names are no selection
    assert clip(DATA, max_bytes=500, drop=["blob"] * 2).report.selection == {
        "drop": ["blob"]
    }
    assert clip(data, max_bytes=100, drop=[]).data == data


def test_all_that_is_selected_comes_before_saying_so() -> None:
    """The data is whole as soon as it fits, and never less with a larger budget."""
    value = [{"a": n, "b": n} for n in range(3)]
    whole = '[{"a":0},{"a":1},{"a":2}]'
    told = f'{{"_clip":{{"selection":{{"fields":["a"]}}}},"data":{whole}}}'
    for budget in range(len(whole), len(told)):
        result = clip(value, max_bytes=budget, fields=["a"])
        assert (result.text, result.complete) == (whole, True)
        assert result.report.selection == {"fields": ["a"]}
    assert clip(value, max_bytes=len(told), fields=["a"]).text == told
    assert clip(value, max_chars=len(told), fields=["a"]).text == told


def test_an_object_without_members_stays() -> None:
    """It is what was asked for, unlike one that was cut to nothing."""
    value = {"a": {"x": 1}, "b": [{"x": 1}, {"x": {"y": 2}}], "x": 1}
    found = clip(value, max_bytes=100, drop=["x"], report="detached")
    assert found.data == b'{"a":{},"b":[{},{}]}'
    root = clip({"x": [1, 2]}, max_bytes=100, drop=["x"])
    assert root.data == b'{"_clip":{"selection":{"drop":["x"]}}}'
    assert clip({"x": 1}, max_bytes=5, drop=["x"]).data == b"{}"


def test_names_are_compared_as_values() -> None:
    """However a key is written; they are no pointers."""
    data = rb'{"\u0061\/b":1,"a":2,"\ud83d\ude00":3,"\ud800":4,"":5}'
    drop = ["a/b", "😀", "\ud800", ""]
    found = clip(data, max_bytes=200, drop=drop)
    assert json.loads(found.data)["a"] == 2
    assert json.loads(found.data)["_clip"]["selection"]["drop"] == drop
    assert clip(data, max_bytes=60, drop=drop).data == b'{"a":2}'
    assert clip(data, max_bytes=200, drop=["/a"]).data == data


@pytest.mark.parametrize("tag", ["drop", "fields"])
def test_totals_of_maps_that_are_cut_are_exact(tag: str) -> None:
    """Of members past the room only those that are selected are counted."""
    # of both classes, so that the object takes no more of either
    members = {f"k{n}": "word " * (12 + n % 2 * 18) for n in range(50_000)}
    odd = [f"k{n}" for n in range(1, 50_000, 500)]
    if tag == "drop":
        value: Any = members
        result = clip(value, max_bytes=1000, drop=odd)
        path = ""
    else:
        value = [members]
        result = clip(value, max_bytes=1000, fields=[*members][::25])
        odd = [name for n, name in enumerate(members) if n % 25]
        path = "/*"
    totals = {cut.path: cut.total for cut in result.report.cuts}
    assert totals[path] == 50_000 - len(odd)


def test_the_selection_of_a_small_budget_goes_before_the_lines() -> None:
    """And after the cursor and the note."""
    value = {"rows": [{"id": n, "x": 1} for n in range(500)], "next_cursor": "c"}
    seen = []
    for budget in range(110, 700, 3):
        result = clip(value, max_bytes=budget, drop=["x"])
        block = json.loads(result.data).get("_clip", {})
        parts = ("cuts", "selection", "cursor_gap", "note")
        seen.append(tuple(part for part in parts if part in block))
        assert "cuts" in block or "selection" not in block
    assert ("cuts", "selection", "cursor_gap", "note") in seen
    # a long one is not given a room that the data needs
    many = clip(value, max_bytes=600, drop=["x", *map(str, range(100))])
    assert "selection" not in json.loads(many.data)["_clip"]
    assert "cuts" in json.loads(many.data)["_clip"]


def test_more_budget_never_keeps_fewer_records() -> None:
    """Also where only a larger budget sees that something is deselected."""
    value = [{"id": n, "pad": "y" * 40} for n in range(2500)]
    value[1500]["blob"] = 1
    data = json.dumps(value)
    counts = []
    for budget in [*range(200, 2000, 90), *range(14_000, 40_000, 1300)]:
        result = clip(data, max_bytes=budget, drop=["blob"], max_record_bytes=100)
        counts.append(len(json.loads(result.data)["data"]))
    assert counts == sorted(counts)


def test_input_that_ends_early_is_selected_too() -> None:
    """What was deselected is not taken for something missing."""
    cut = b'{"rows":[{"id":1,"blob":"x"},{"id":2,"blob":"yyy'
    result = clip(cut, max_bytes=300, drop=["blob"], incomplete="keep")
    found = json.loads(result.data)
    assert found["rows"] == [{"id": 1}]
    assert found["_clip"]["selection"] == {"drop": ["blob"]}
    assert found["_clip"]["input_cut"] is True


def test_reading_enough_selects() -> None:
    """The totals are minima of what is selected."""
    result = clip(DATA, max_bytes=500, fields=["id"], read="enough")
    assert result.report.selection == {"fields": ["id"]}


@pytest.mark.parametrize("option", ["fields", "drop"])
def test_names_are_a_list_of_texts(option: str) -> None:
    """A text alone is a mistake that would be hard to find."""
    for wrong in ("id,title", {"id": 1}, [1], [b"id"], 7):
        with pytest.raises(TypeError, match=option):
            clip(b"[]", max_bytes=100, **{option: wrong})


def test_no_fields_at_all_are_refused() -> None:
    """Every record would be empty."""
    with pytest.raises(ValueError, match="at least one"):
        clip(b"[]", max_bytes=100, fields=[])
