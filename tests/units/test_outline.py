"""Outlines: what they say of a document is so, however large it is."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamclip import IncompleteJSONError, InvalidJSONError, Store, clip, outline
from streamclip.cli.clip import main

KINDS = {bool: "boolean", type(None): "null", int: "number", float: "number"}
KINDS |= {str: "string", list: "array", dict: "object"}

keys = st.sampled_from(["a", "b", "c", "a/b", "é"])
values = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(keys, inner),
    max_leaves=20,
)


def told(source: Any, **options: Any) -> Any:
    """Return the outline of a source."""
    return json.loads(outline(source, **{"max_bytes": 1 << 20, **options}).data)


def check(shape: Any, found: list[Any]) -> None:
    """Compare a shape with all values that it is about."""
    kinds = {KINDS[type(value)] for value in found}
    assert kinds == (
        {shape["kind"]} if isinstance(shape["kind"], str) else {*shape["kind"]}
    )
    lists = [v for v in found if isinstance(v, list)]
    dicts = [v for v in found if isinstance(v, dict)]
    texts = [v for v in found if isinstance(v, str)]
    numbers = [v for v in found if type(v) in (int, float)]
    assert shape.get("items", 0) == sum(map(len, lists))
    if elements := [element for v in lists for element in v]:
        check(shape["of"], elements)
    names = {key for v in dicts for key in v}
    assert shape.get("fields", {}).keys() == names
    for name in names:
        members = [v[name] for v in dicts if name in v]
        field = shape["fields"][name]
        assert field.get("in", len(dicts)) == len(members)
        check(field, members)
    if numbers:
        assert shape["range"] == [min(numbers), max(numbers)]
    if texts:
        sizes = [min(map(len, texts)), max(map(len, texts))]
        assert shape["chars"] == (sizes[0] if sizes[0] == sizes[1] else sizes)
    short = {json.dumps(v) for v in [*numbers, *texts]}
    if "values" in shape:
        assert {json.dumps(v) for v in shape["values"]} == short
    assert {json.dumps(v) for v in shape.get("examples", [])} <= short


@given(values, st.integers(1, 40))
def test_what_an_outline_says_is_so(value: Any, size: int) -> None:
    """Counts, names, ranges and values are those of the document."""
    data = json.dumps(value).encode()
    shape = told(iter([data[at : at + size] for at in range(0, len(data), size)]))
    check(shape, [value])
    assert shape == told(data)


@given(st.lists(values, min_size=2, max_size=6))
def test_lines_are_told_together(lines: list[Any]) -> None:
    """As the elements of an array are."""
    shape = told("\n".join(map(json.dumps, lines)))
    assert (shape["kind"], shape["items"]) == ("lines", len(lines))
    check(shape["of"], lines)


def test_large_values_are_entered() -> None:
    """At any place: what is larger than a read is told all the same."""
    rows = [{"id": n, "text": "word " * (n % 50)} for n in range(3000)]
    value = {
        "one": {"deep": [rows, {"rows": rows, "end": 1}]},
        "text": "é" * 200_000,
        "last": None,
    }
    data = json.dumps(value, ensure_ascii=False).encode()
    shape = told(data)
    check(shape, [value])
    assert shape["bytes"] == len(data)
    rows_shape = shape["fields"]["one"]["fields"]["deep"]["of"]["fields"]["rows"]
    assert rows_shape["bytes"] == len(json.dumps(rows))


def test_maps_are_told_by_their_members() -> None:
    """Names that are data are not listed."""
    value = {f"id-{n}": {"n": n, "s": "ab"} for n in range(500)}
    shape = told(value)
    assert shape["members"] == 500
    assert "fields" not in shape
    assert shape["keys"] == ["id-0", "id-1", "id-2"]
    check(shape["each"], [*value.values()])


def test_an_outline_is_short() -> None:
    """Whatever the document, and it says what it lacks."""
    wide = {f"k{a}": {f"m{b}": [a, b] for b in range(40)} for a in range(40)}
    for budget in (300, 1000, 4000):
        result = outline(wide, max_bytes=budget)
        assert len(result.data) <= budget
        assert json.loads(result.data)["kind"] == "object"
        assert result.complete == (not result.report.cuts)


def test_odd_documents_have_outlines() -> None:
    """Deep ones, empty ones, keys and texts with lone surrogates, large numbers."""
    deep = "[" * 900 + "]" * 900
    assert told(deep)["kind"] == "array"
    assert told("[]") == {"kind": "array", "bytes": 2, "items": 0}
    assert told("0") == {"kind": "number", "range": [0, 0], "values": [0]}
    assert told('\ufeff{"a":1}')["fields"].keys() == {"a"}
    shape = told('{"\\ud800":["\\udfff",' + "9" * 30 + "]}")
    assert [*shape["fields"]] == ["\ud800"]
    assert shape["fields"]["\ud800"]["of"]["kind"] == ["string", "number"]


@pytest.mark.parametrize(
    ("data", "error", "offset"),
    [
        (b'{"a":1,}', InvalidJSONError, 7),
        (b'{"a":[1,2', IncompleteJSONError, 9),
        (b"", IncompleteJSONError, 0),
        (b"[" + b"1," * 200_000 + b"x]", InvalidJSONError, 400_001),
        (b"[" + b'{"a":1},' * 200_000 + b'"\xff"]', InvalidJSONError, 1_600_002),
    ],
)
def test_bad_input_is_an_error(
    data: bytes, error: type[InvalidJSONError], offset: int
) -> None:
    """With the offset of the first wrong byte, however far into the stream."""
    with pytest.raises(error) as caught:
        outline(data)
    assert type(caught.value) is error
    assert caught.value.offset == offset


def test_a_stored_document_has_an_outline(tmp_path: Path) -> None:
    """It is what a reader with a handle reads first."""
    store = Store(tmp_path)
    rows = [{"id": n} for n in range(500)]
    ref = clip({"rows": rows}, max_bytes=300, store=store).report.ref
    assert ref is not None
    assert told(store.read(ref))["fields"]["rows"]["items"] == 500


def test_the_command_tells_the_shape(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Of a file, and of what a reference leads to."""
    file = tmp_path / "rows.json"
    file.write_text(json.dumps([{"id": n} for n in range(500)]))
    store = ["--store", str(tmp_path / "store")]
    assert main(["outline", str(file)]) == 0
    shape = json.loads(capfd.readouterr().out)
    assert shape["items"] == 500
    assert main([str(file), "-b", "300", *store]) == 0
    more = json.loads(capfd.readouterr().out)["_clip"]["more"]
    assert main(["outline", more, *store]) == 0
    assert json.loads(capfd.readouterr().out)["items"] == 500
    file.write_text("[1,")
    assert main(["outline", str(file)]) == 5
    assert main(["outline", str(tmp_path / "none")]) == 2
    assert main(["outline", "clip:000000000000", *store]) == 2


MEASURED = """
import resource, sys, streamclip
def chunks(count):
    yield b'{"rows":['
    for number in range(count):
        yield b'{"id":%d,"text":"%s"},' % (number, b"x" * 900)
    yield b'0],"t":"'
    for number in range(count):
        yield b"y" * 1000
    yield b'"}'
streamclip.outline(chunks(int(sys.argv[1])))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peaks() -> Iterator[int]:
    """Measure the peak of outlines of two and of sixty megabytes, in KB."""
    for count in ("10000", "30000"):
        done = subprocess.run(
            [sys.executable, "-c", MEASURED, count],
            capture_output=True,
            text=True,
            check=True,
        )
        yield int(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in KB on Linux")
def test_memory_does_not_grow_with_the_document() -> None:
    """Three times the document, the same peak."""
    small, large = peaks()
    assert large < small + 4000


@given(st.lists(values, min_size=1, max_size=30), st.sampled_from([None, 1, 4]))
def test_documents_may_have_several_lines(found: list[Any], indent: int | None) -> None:
    """Though lines are parsed many at a time where each is a document."""
    shape = told("\n".join(json.dumps(value, indent=indent) for value in found))
    check(shape["of"] if len(found) > 1 else shape, found)


def test_columns_are_told_as_records_are() -> None:
    """Whatever the records have in common, and wherever they cease to."""
    rows: list[dict[str, Any]] = [{"id": n, "ok": True} for n in range(999)]
    rows += [{"ok": n % 2 == 0, "id": str(n), "late": {"n": n}} for n in range(999)]
    rows += [{"id": [n, None], f"of-{n % 40}": 1.5} for n in range(999)]
    shape = told(rows)
    check(shape, [rows])
    assert shape["of"]["fields"]["ok"] == {"kind": "boolean", "in": 1998}
    assert shape["of"]["bytes"] == sum(
        len(json.dumps(row, separators=(",", ":"))) for row in rows
    )


def test_names_that_come_twice_count_twice() -> None:
    """In an object that is read in parts."""
    members = ",".join(f'"a":{n},"b":[{"0," * 99}0]' for n in range(999))
    shape = told(f"{{{members}}}")
    assert shape["members"] == 2 * 999
    assert shape["fields"]["a"]["range"] == [0, 998]
    assert shape["fields"]["b"]["items"] == 100 * 999


def test_what_is_torn_off_is_incomplete() -> None:
    """Wherever it ends, in lines too: the offset is the length."""
    data = b"\n".join(b'{"id":%d,"t":["x"]}' % n for n in range(300))
    for end in (*range(1, 19), *range(len(data) - 22, len(data))):
        try:
            shape = told(data[:end])
        except IncompleteJSONError as error:
            found = error.offset
        else:
            found = end
            assert shape.get("items", 1) == len(data[:end].splitlines())
        assert found == end
