"""The report is true: counts, paths, places, and where it stands in the data."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from documents import Sample, sample, samples
from streamclip import BudgetTooSmallError, Clip, Cut, clip
from streamclip.core.binding import Fitted
from streamclip.options.options import Options
from streamclip.report.block import Room, write_block
from streamclip.report.wording import Style
from test_validity import Pairs, Value, asked, data_of, read

Path = tuple[str | None, ...]  # None: a position in an array
ROWS = [{"id": n, "name": f"row {n}"} for n in range(40)]
STYLE = Style(
    form="inline",
    key="_clip",
    note=True,
    lang="en",
    jsonl=False,
    cut_short=False,
    at_least=False,
    is_always=True,
    earlier_bytes=0,
    unlisted=0,
    selection=b"",
    is_selected=False,
)


class Place(NamedTuple):
    """Where something was left out."""

    path: Path
    unit: str
    kept: int
    total: int


def places_of(kept: Value, whole: Value, path: Path = ()) -> Iterator[Place]:
    """Compare a clip with its document, and yield every place that was cut.

    Objects must not have duplicate keys: which of them is left is not told.
    """
    if isinstance(whole, Pairs):
        assert isinstance(kept, Pairs)
        if len(kept) < len(whole):
            yield Place(path, "members", len(kept), len(whole))
        values = dict(whole)
        for name, part in kept:
            yield from places_of(part, values[name], (*path, name))
    elif isinstance(whole, list):
        assert isinstance(kept, list)
        if len(kept) < len(whole):
            yield Place(path, "items", len(kept), len(whole))
        for part, of in zip(kept, whole, strict=False):
            yield from places_of(part, of, (*path, None))
    elif type(whole) is str and kept != whole:
        assert isinstance(kept, str)
        yield Place(path, "chars", len(kept), len(whole))


def matches(pattern: str, path: Path) -> bool:
    """Tell whether a pattern of the report matches a place of the document."""
    tokens = pattern.split("/")[1:]
    return len(tokens) == len(path) and all(
        token == "*"
        or token.replace("~2", "*").replace("~1", "/").replace("~0", "~") == name
        for token, name in zip(tokens, path, strict=True)
    )


def assert_true(result: Clip, kept: Value, whole: Value) -> None:
    """Hold the report against what is in fact not there, place by place."""
    cuts = result.report.cuts
    places = list(places_of(kept, whole))
    assert result.complete == (not cuts) == (not places)
    sums: dict[Cut, list[int]] = {cut: [0, 0, 0] for cut in cuts}
    assert len(sums) == len(cuts), "no two entries are the same"
    for place in places:
        found = [
            c for c in cuts if c.unit == place.unit and matches(c.path, place.path)
        ]
        assert len(found) == 1, f"{place} is matched by {found}"
        told = sums[found[0]]
        told[0] += place.kept
        told[1] += place.total
        told[2] += 1
    for cut, told in sums.items():
        assert [cut.kept, cut.total, cut.places] == told
        assert cut.kept + cut.omitted == cut.total
        if cut.names:
            assert cut.unit == "members"
            assert len(cut.names) == cut.omitted // cut.places


def assert_in_order(cuts: tuple[Cut, ...]) -> None:
    """Text last, sums over elements later; then most omitted, path, items first."""
    units = ["items", "members", "chars"]
    order = [
        (
            c.unit == "chars",
            "/*/" in c.path + "/",
            -c.omitted,
            c.path.encode(),
            units.index(c.unit),
        )
        for c in cuts
    ]
    assert order == sorted(order)


def block_of(result: Clip, *, multi: bool = False) -> dict[str, Any]:
    """Return the report in the data, which is its first member or line."""
    text = result.text.splitlines()[0] if multi else result.text
    found = json.loads(text)
    assert next(iter(found)) == result.report.key
    return found[result.report.key]


def assert_told(result: Clip, block: dict[str, Any]) -> None:
    """The data tells the first of the cuts, and counts the others."""
    told = block.get("cuts", [])
    cuts = [cut.to_dict() for cut in result.report.cuts]
    assert told == cuts[: len(told)]
    assert block.get("more_cuts", 0) == len(cuts) - len(told)


def has_duplicates(value: Value) -> bool:
    """Tell whether an object somewhere has one key twice."""
    if isinstance(value, Pairs):
        if len({name for name, _ in value}) < len(value):
            return True
        return any(has_duplicates(part) for _, part in value)
    return isinstance(value, list) and any(map(has_duplicates, value))


def check_report(of: Sample, options: dict[str, Any]) -> None:
    """Clip a sample, and hold its report against its document."""
    whole = read(of.data, multi=of.multi)
    try:
        result = clip(of.data, **options)
    except BudgetTooSmallError:
        return
    kept = data_of(result, whole, multi=of.multi, form=options["report"])
    assert_true(result, kept, whole)
    assert_in_order(result.report.cuts)
    assert result.report.total_is == "exact"
    if options["report"] == "inline" and not result.complete:
        assert_told(result, block_of(result, multi=of.multi))


@given(samples, st.sampled_from(["inline", "detached"]), st.integers(20, 700))
def test_generated_documents_have_true_reports(
    of: Sample, form: str, budget: int
) -> None:
    """Every cut place is matched by one entry, and the sums are right."""
    assume(not has_duplicates(read(of.data, multi=of.multi)))
    check_report(of, asked(of) | {"report": form, "max_bytes": budget})


@pytest.mark.parametrize("seed", range(10))
def test_seeded_documents_have_true_reports(seed: int) -> None:
    """Larger ones: maps in arrays in maps, with many keys or few."""
    random = Random(seed)
    checked = 0
    for _ in range(60):
        of = sample(random)
        if has_duplicates(read(of.data, multi=of.multi)):
            continue
        checked += 1
        for form in ("inline", "detached"):
            options = asked(of) | {"report": form}
            options["max_bytes"] = random.randrange(60, len(of.data) + 100)
            check_report(of, options)
    assert checked > 10


def test_keys_are_written_so_that_no_two_paths_are_one() -> None:
    """Of a key `*`, of slashes and tildes, beside each other and in rows."""
    long = "many words " * 30
    odd = {"*": long, "/": long, "~": long, "~1": long, "~2": long, "": long}
    for value in (
        odd,
        [odd],
        {"rows": [odd, odd]},
        {"*": {"*": [[long]], "a": [long]}},
    ):
        data = json.dumps(value).encode()
        for budget in range(300, len(data), 150):
            result = clip(data, max_bytes=budget, report="detached")
            assert_true(result, read(result.data), read(data))
    found = {c.path for c in clip(odd, max_bytes=900, report="detached").report.cuts}
    assert found == {"/~2", "/~1", "/~0", "/~01", "/~02", "/"}


def test_as_many_rows_as_fit_differ_from_one_more() -> None:
    """Complete and without a report, or with one: never alike."""
    fitting = json.dumps(ROWS).encode()
    whole = clip(fitting, max_bytes=len(fitting))
    assert (whole.data, whole.complete, whole.report.cuts) == (fitting, True, ())
    more = json.dumps([*ROWS, ROWS[0]]).encode()
    budget = len(clip(more, max_bytes=len(more) - 1).data)  # squeezed, complete
    cut = clip(more, max_bytes=budget - 1)
    assert not cut.complete
    assert block_of(cut)["cuts"][0]["total"] == 41


def test_the_report_is_the_first_member_of_the_root() -> None:
    """Before the data, so that a later cut of the tail leaves it."""
    result = clip({"before": 1, "rows": ROWS, "next": "c2"}, max_bytes=600)
    assert result.data.startswith(b'{"_clip":{"cuts":[{"path":"/rows","kept":')
    assert list(json.loads(result.data)) == ["_clip", "before", "rows", "next"]
    (told,) = block_of(result)["cuts"]
    assert told["total"] == 40
    assert told["kept"] == len(json.loads(result.data)["rows"]) > 0


def test_a_root_that_is_no_object_is_wrapped() -> None:
    """Beside an array or a text there is no other place."""
    rows = json.loads(clip(ROWS, max_bytes=500).data)
    assert list(rows) == ["_clip", "data"]
    assert rows["data"] == ROWS[: len(rows["data"])]
    assert rows["_clip"]["cuts"][0]["path"] == ""
    text = json.loads(clip('"' + "word " * 100 + '"', max_bytes=300).data)
    assert list(text) == ["_clip", "data"]
    assert ("word " * 100).startswith(text["data"])
    assert text["_clip"]["cuts"][0]["unit"] == "chars"


def test_json_lines_stay_json_lines() -> None:
    """The report is the first of them."""
    data = "\n".join(json.dumps(row) for row in ROWS)
    result = clip(data, max_bytes=500)
    lines = [json.loads(line) for line in result.text.splitlines()]
    assert list(lines[0]) == ["_clip"]
    assert lines[1:] == ROWS[: len(lines) - 1]
    (told,) = lines[0]["_clip"]["cuts"]
    assert told["path"] == ""
    assert (told["kept"], told["total"]) == (len(lines) - 1, 40)


def shortened() -> list[dict[str, Any]]:
    """Return records of which each has a long text and much that is small."""
    return [
        {"id": n, "detail": f"{n} " + "and more words " * 100, "tags": ["a", "b"]}
        for n in range(6)
    ]


@pytest.mark.parametrize("multi", [False, True])
def test_a_shortened_record_begins_with_a_mark(multi: bool) -> None:
    """It names the fields that are not whole; whole records have none."""
    rows = [{"id": -1, "detail": "short", "tags": []}, *shortened()]
    data = "\n".join(map(json.dumps, rows)) if multi else json.dumps({"rows": rows})
    result = clip(data, max_bytes=2500, max_record_bytes=400)
    if multi:
        found = [json.loads(line) for line in result.text.splitlines()][1:]
    else:
        found = json.loads(result.data)["rows"]
    assert found[0] == rows[0]
    assert len(found) > 2
    for row in found[1:]:
        assert next(iter(row)) == "_clip"
        assert row["_clip"] == {"truncated": True, "fields": ["detail"]}


def test_a_mark_names_what_is_missing() -> None:
    """Up to four members; more are only counted, and so are further fields."""
    blob = "Q" * 3000
    few = {"id": 1, "a": blob, "b": blob, "t": "text " * 200}
    many = {"id": 2, **{f"m{n}": blob for n in range(5)}, "t": "text " * 200}
    wide = {"id": 3, **{f"t{n}": "text " * 100 for n in range(7)}}
    options: dict[str, Any] = {"max_bytes": 4000, "max_record_bytes": 1000}
    found = json.loads(clip([few, many, wide], **options).data)["data"]
    marks = [row["_clip"] for row in found]
    assert marks[0] == {"truncated": True, "fields": ["a", "b", "t"]}
    assert marks[1] == {"truncated": True, "fields": ["t"], "omitted": 5}
    assert marks[2]["fields"] == ["t0", "t1", "t2", "t3", "+3"]


def test_of_nested_records_only_the_outermost_is_marked() -> None:
    """The inner cut is in the list of cuts all the same."""
    rows = [{"id": n, "sub": [{"text": "words " * 100}]} for n in range(3)]
    result = clip(rows, max_bytes=1500, max_record_bytes=400)
    found = json.loads(result.data)["data"]
    assert found[0]["_clip"] == {"truncated": True, "fields": ["sub"]}
    assert list(found[0]["sub"][0]) == ["text"]
    assert any(cut.path == "/*/sub/*/text" for cut in result.report.cuts)


def test_marks_stand_where_something_is_missing_and_nowhere_else() -> None:
    """For seeded documents: in the outermost records that are not whole."""
    random = Random(3)
    marks = 0
    for _ in range(300):
        of = sample(random)
        whole = read(of.data, multi=of.multi)
        if has_duplicates(whole):
            continue
        budget = random.randrange(100, len(of.data) + 200)
        try:
            result = clip(of.data, **asked(of), max_bytes=budget)
        except BudgetTooSmallError:
            continue
        if result.complete:
            continue
        found = read(result.data, multi=of.multi)
        if of.multi:
            found = found[1:]
        elif isinstance(whole, Pairs):
            found = Pairs(found[1:])
        else:
            found = found[1][1]
        marks += _count_marks(found, whole, result.report.key)
    assert marks > 50


def _count_marks(found: Value, whole: Value, key: str, *, marked: bool = False) -> int:
    """Check the marks of a value; `marked` if it stands in a marked record."""
    count = 0
    if isinstance(found, Pairs):
        values = dict(whole)
        for name, part in found:
            if name != key:
                count += _count_marks(part, values[name], key, marked=marked)
    elif isinstance(found, list):
        for part, of in zip(found, whole, strict=False):
            within = marked
            if isinstance(part, Pairs):
                has_mark = bool(part) and part[0][0] == key
                plain = Pairs(part[1:]) if has_mark else part
                assert has_mark == (not marked and not _is_same(plain, of))
                count += has_mark
                within = marked or has_mark
                if has_mark:
                    _check_mark(dict(part[0][1]), plain, of)
                part = plain
            count += _count_marks(part, of, key, marked=within)
    return count


def _is_same(kept: Value, whole: Value) -> bool:
    return kept == whole and not list(places_of(kept, whole))


def _check_mark(mark: dict[str, Value], kept: Pairs, whole: Pairs) -> None:
    there = dict(kept)
    missing = [name for name, _ in whole if name not in there]
    lengths = [len(json.dumps(n, ensure_ascii=False).encode()) - 2 for n in missing]
    named = len(missing) <= 4 and all(length <= 64 for length in lengths)
    fields: list[Value] = [
        name
        for name, value in whole
        if (named if name not in there else not _is_same(there[name], value))
    ]
    if len(fields) > 4:
        fields[4:] = [f"+{len(fields) - 4}"]
    expected: dict[str, Value] = {"truncated": True}
    if fields:
        expected["fields"] = fields
    if missing and not named:
        expected["omitted"] = str(len(missing))
    assert mark == expected
    assert list(mark) == list(expected)


@pytest.mark.parametrize(
    "foreign",
    [
        {"_clip": "mine", "rows": ROWS},
        {"rows": [{"_clip": 1}, *ROWS]},
        {"rows": ROWS, "last": {"deep": [{"_clip": None}]}},
        {"\u005fclip": [], "rows": ROWS},
    ],
)
def test_a_foreign_clip_member_makes_ours_another(foreign: dict[str, Any]) -> None:
    """Wherever it stands; and what it was stays."""
    result = clip(foreign, max_bytes=700)
    assert result.report.key == "_clip_2"
    assert result.data.startswith(b'{"_clip_2":{')
    assert b'"_clip":' in result.data
    taken = {"_clip": 1, "_clip_2": 2, "rows": ROWS}
    assert clip(taken, max_bytes=700).report.key == "_clip_3"
    assert clip(taken, max_bytes=700, report="detached").data.startswith(b'{"_clip":1')


def test_marks_use_the_same_key_as_the_report() -> None:
    """A record with a `_clip` of its own is marked by `_clip_2`."""
    rows = [{"_clip": n, **row} for n, row in enumerate(shortened())]
    result = clip({"rows": rows}, max_bytes=2500, max_record_bytes=400)
    first = json.loads(result.data)["rows"][0]
    assert list(first)[:2] == ["_clip_2", "_clip"]


@pytest.mark.parametrize("form", ["inline", "siblings", "detached"])
def test_what_is_the_users_own_is_not_touched(form: str) -> None:
    """Members with such names mean what they meant."""
    own = {"total": 40, "truncated": False, "_meta": {"omitted": 0}, "note": "mine"}
    result = clip(own | {"rows": ROWS}, max_bytes=700, report=form)
    assert not result.complete
    found = json.loads(result.data)
    assert {name: found[name] for name in own} == own
    assert len(read(result.data)) == len(found), "no key stands twice"


def several() -> dict[str, Any]:
    """Return a document with cuts of every unit."""
    return {
        "long_name_of_rows": ROWS,
        "others": [n * 1000 for n in range(100)],
        "text": "many words " * 100,
        "deep": {"within": {"it": ["some words"] * 50}, "map": dict.fromkeys("abc", 1)},
        "versions": {f"1.0.{n}": {"size": n, "hash": "f" * 30} for n in range(40)},
    }


@pytest.mark.parametrize("unit", ["max_bytes", "max_chars"])
def test_the_report_gives_up_its_note_first_and_its_counts_last(unit: str) -> None:
    """As budgets fall: a note, then fewer cuts, then only their number."""
    data = json.dumps(several()).encode()
    forms: dict[str, list[int]] = defaultdict(list)
    budget = 3500
    while True:
        try:
            result = clip(data, **{unit: budget})
        except BudgetTooSmallError:
            break
        block = block_of(result)
        assert_told(result, block)
        told = len(block.get("cuts", ()))
        if "note" in block:
            assert told, "a note stands only beside a cut"
            assert list(block)[-1] == "note"
            forms["note"].append(budget)
        elif told:
            forms["cuts"].append(budget)
        else:
            assert block == {"more_cuts": len(result.report.cuts)}
            forms["count"].append(budget)
        if told < len(result.report.cuts):
            forms["more"].append(budget)
        budget -= 1
    assert max(forms["count"]) < min(forms["cuts"]) < min(forms["note"])
    assert forms["more"]


def test_a_report_leaves_as_much_room_as_the_data_need() -> None:
    """The block is paid from the budget, which is all but used."""
    data = json.dumps({"rows": ROWS * 20}).encode()
    for budget in range(500, 3000, 50):
        spare = budget - len(clip(data, max_bytes=budget).data)
        assert 0 <= spare < 100


def test_more_than_sixteen_keys_are_one_entry() -> None:
    """Of a map of many cut values no key is named."""
    many = {f"id-{n}": {"text": "words " * 40} for n in range(30)}
    result = clip({"map": many}, max_bytes=4000, report="detached")
    assert_true(result, read(result.data), read(json.dumps({"map": many}).encode()))
    assert any(cut.path == "/map/*/text" for cut in result.report.cuts)


def test_the_few_members_that_are_missing_are_named() -> None:
    """If they are the same everywhere, and at most four."""
    rows = [{"id": n, "blob": "Q" * 3000, "ref": "R" * 3000} for n in range(3)]
    (cut,) = clip(rows, max_bytes=1000, report="detached").report.cuts
    assert (cut.path, cut.unit, cut.places) == ("/*", "members", 3)
    assert cut.names == ("blob", "ref")
    assert cut.to_dict()["names"] == ["blob", "ref"]


# Siblings


def test_siblings_stand_beside_the_array() -> None:
    """After it, under the plain names if these are free."""
    result = clip({"rows": ROWS, "next": "c2"}, max_bytes=500, report="siblings")
    found = json.loads(result.data)
    assert list(found) == ["rows", "total", "omitted", "note", "next"]
    assert found["total"] == 40
    assert found["omitted"] == 40 - len(found["rows"])


@pytest.mark.parametrize("taken", ["total", "omitted", "note"])
def test_siblings_have_longer_names_if_one_is_taken(taken: str) -> None:
    """Wherever the member with the name stands, also after the array."""
    for own in ({taken: "x", "rows": ROWS}, {"rows": ROWS, taken: "x"}):
        result = clip(own, max_bytes=500, report="siblings")
        found = json.loads(result.data)
        assert found[taken] == "x"
        assert found["rows_total"] == 40
        assert found["rows_omitted"] == 40 - len(found["rows"])
        assert len(read(result.data)) == len(found) == 4


def test_several_cut_arrays_of_one_object_have_longer_names() -> None:
    """Else one could not tell whose total it is."""
    result = clip({"a": ROWS, "b": ROWS[:30]}, max_bytes=600, report="siblings")
    found = json.loads(result.data)
    for name, total in (("a", 40), ("b", 30)):
        assert found[f"{name}_total"] == total
        assert found[f"{name}_omitted"] == total - len(found[name])
    assert "total" not in found


@pytest.mark.parametrize(
    "text",
    [
        {"total": 1, "rows_total": 2, "rows_total_": 3, "rows": ROWS},
        {"total": 1, "rows": ROWS, "rows_omitted": 2, "rows_omitted_": 3},
        {
            "total": 1,
            "rows_total": 2,
            "rows_total_": 3,
            "rows_total__": 4,
            "rows": ROWS,
        },
        f'{{"rows":{json.dumps(ROWS)},"rows":{json.dumps(ROWS)}}}',
        f'{{"a":{json.dumps(ROWS)},"a_total":{json.dumps(ROWS)}}}',
    ],
    ids=["total_", "omitted_", "total__", "rows twice", "a and a_total"],
)
def test_siblings_never_make_a_duplicate_key(text: Any) -> None:
    """Whatever names are taken, and whatever the arrays are called."""
    result = clip(text, max_bytes=500, report="siblings")
    assert not result.complete
    names = [name for name, _ in read(result.data) if name != "rows"]
    assert len(set(names)) == len(names)


def test_siblings_of_a_root_array_wrap_it() -> None:
    """There is no object to stand in; JSON Lines get a first line."""
    found = json.loads(clip(ROWS, max_bytes=500, report="siblings").data)
    assert list(found) == ["data", "total", "omitted", "note"]
    assert found["total"] == 40
    data = "\n".join(map(json.dumps, ROWS))
    lines = clip(data, max_bytes=500, report="siblings").text.splitlines()
    assert json.loads(lines[0])["total"] == 40
    assert json.loads(lines[0])["omitted"] == 40 - len(lines[1:])


def test_siblings_stand_in_every_object_that_has_a_cut_array() -> None:
    """Also in records, which have no marks in this form."""
    rows = [{"id": n, "values": list(range(500))} for n in range(2)]
    found = json.loads(clip({"rows": rows}, max_bytes=900, report="siblings").data)
    assert "_clip" not in json.dumps(found)
    for row in found["rows"]:
        assert list(row)[:4] == ["id", "values", "total", "omitted"]
        assert row["total"] == 500
        assert row["omitted"] == 500 - len(row["values"])


# Detached


def test_detached_adds_nothing() -> None:
    """No key, no wrapping, no mark; what is missing is told beside the data."""
    for value in ({"rows": ROWS}, ROWS, {"rows": shortened()}, "words " * 100):
        data = json.dumps(value).encode()
        result = clip(data, max_bytes=350, report="detached")
        assert result.report.cuts
        assert_true(result, read(result.data), read(data))
        for added in (b"_clip", b"total", b"omitted", b"note", b'"data":'):
            assert added not in result.data


# The note


def test_the_note_tells_the_most_important_cut() -> None:
    """In English or in Chinese."""
    result = clip({"rows": ROWS}, max_bytes=900)
    cut = result.report.cuts[0]
    note = f"{cut.omitted} of 40 items are not shown here; they exist."
    assert block_of(result)["note"] == note
    chinese = block_of(clip({"rows": ROWS}, max_bytes=900, lang="zh"))["note"]
    assert chinese.startswith("共 40 项，此处未显示 ")


def test_the_note_may_be_left_out_or_given() -> None:
    """A text of the caller's stands as it is."""
    assert "note" not in block_of(clip({"rows": ROWS}, max_bytes=900, note=False))
    own = 'ask "me" for the rest: 问我'
    assert block_of(clip({"rows": ROWS}, max_bytes=900, note=own))["note"] == own
    options: dict[str, Any] = {"max_bytes": 900, "report": "siblings"}
    assert json.loads(clip({"rows": ROWS}, note=own, **options).data)["note"] == own
    assert "note" not in json.loads(clip({"rows": ROWS}, note=False, **options).data)


def test_no_note_is_longer_than_the_budget_allows() -> None:
    """A long one costs the records nothing that it does not get."""
    for budget in range(300, 1500, 25):
        result = clip({"rows": ROWS}, max_bytes=budget, note="long words " * 60)
        assert len(result.data) <= budget


# The report as a value


def test_the_report_as_a_dict_is_json() -> None:
    """With all that the data could tell."""
    report = clip({"rows": ROWS}, max_bytes=600).report
    found = json.loads(json.dumps(report.to_dict()))
    assert found["cuts"] == [cut.to_dict() for cut in report.cuts]
    assert found["total_is"] == "exact"
    assert (found["input_cut"], found["key"]) == (False, "_clip")


def test_caps_are_told_though_the_document_fits() -> None:
    """What max_items and max_string_chars take away is a cut like others."""
    result = clip({"rows": ROWS, "t": "é" * 50}, max_bytes=9000, max_items=3)
    assert [(c.path, c.kept, c.total) for c in result.report.cuts] == [("/rows", 3, 40)]
    result = clip({"t": "é" * 50}, max_bytes=9000, max_string_chars=20)
    (cut,) = result.report.cuts
    assert (cut.path, cut.unit, cut.kept, cut.total) == ("/t", "chars", 20, 50)


def test_totals_are_minima_when_reading_stopped_early() -> None:
    """And the data say so."""
    data = iter([b"[", *[b'{"some":"row"},'] * 100_000, b"1]"])
    result = clip(data, max_bytes=500, read="enough")
    assert result.report.total_is == "at_least"
    assert block_of(result)["total_is"] == "at_least"
    assert not result.complete
    assert result.report.cuts[0].total < 100_000


@given(
    st.lists(st.text("ab\u6c49", max_size=9), max_size=15),
    st.booleans(),
    st.sampled_from([b"", b',"note":"n"', ',"note":"\u6c49"'.encode()]),
    st.integers(-5, 200),
    st.integers(-5, 200),
)
def test_as_many_lines_are_told_as_fit(
    texts: list[str], cut_short: bool, ending: bytes, spare: int, chars: int
) -> None:
    """What is reckoned with is what is written."""
    lines = [json.dumps(text, ensure_ascii=False).encode() for text in texts]
    style = STYLE._replace(cut_short=cut_short)
    fitted = Fitted(0, False, False, False, True, b'{"a":1}', 7, lines, 0, None, b"")
    frame = len(b'"_clip":,')
    options = Options(max_bytes=20 + frame + spare, max_chars=20 + frame + chars)
    expected = -1
    for count in range(min(len(lines), 12) + 1):
        block = write_block(fitted, style, ending, count)
        if len(block) <= 13 + spare and len(block.decode()) <= 13 + chars:
            expected = count
    assert Room(fitted, style, options).count_before(ending) == expected


def test_a_note_without_lines_is_true() -> None:
    """A path too long to be told is no early end, and an early end is told."""
    data = json.dumps({"k" * 5000: [*range(5000)]})
    told = json.loads(clip(data, max_bytes=8000).data)["_clip"]
    assert told["more_cuts"] == 1
    assert told["note"] == "Some parts are not shown here, but exist."
    data = clip(b'{"a":1,', max_bytes=200, incomplete="keep").data
    assert json.loads(data)["_clip"]["note"].startswith("The input ended early")
