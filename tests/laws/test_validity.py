"""A clip is valid, within every budget, and a sub-document of its input."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from random import Random
from typing import Any, NoReturn, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents import Sample, sample, samples
from streamclip import BudgetTooSmallError, Clip, clip

FORMS = ("inline", "siblings", "detached")


class Number(str):
    """A number as it is written."""

    __slots__ = ()


class Pairs(list[tuple[str, Any]]):
    """An object: its members in order, duplicate keys too."""


Value: TypeAlias = "Number | str | bool | list[Value] | Pairs | None"


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


DECODER = json.JSONDecoder(
    parse_int=Number,
    parse_float=Number,
    parse_constant=_refuse,
    object_pairs_hook=Pairs,
)
SPACE = " \t\r\n"


def documents_in(data: bytes) -> list[Value]:
    """Read strict UTF-8 and strict JSON, one document after the other."""
    text, at, found = data.decode(), 0, []
    while at < len(text):
        if text[at] in SPACE:
            at += 1
            continue
        value, at = DECODER.raw_decode(text, at)
        found.append(value)
    return found


def read(data: bytes, *, multi: bool = False) -> Value:
    """Read one document, or the list of the lines of JSON Lines."""
    found = documents_in(data.removeprefix(b"\xef\xbb\xbf"))
    if multi:
        return found
    (value,) = found
    return value


def data_of(result: Clip, whole: Value, *, multi: bool, form: str) -> Value:
    """Return what a clip has of its document, all that the report added taken out.

    Args:
        result: The clip.
        whole: The document it is of.
        multi: Whether that is JSON Lines.
        form: The form of the report. Siblings within objects stay.
    """
    if result.complete or form == "detached":
        return read(result.data, multi=multi)
    found = read(result.data, multi=multi)
    if multi:
        for line in result.data.splitlines():
            json.loads(line)
    if form == "siblings":
        if multi:
            added = any(cut.path == "" for cut in result.report.cuts)
            return found[1:] if added else found
        if not isinstance(whole, Pairs) and isinstance(found, Pairs):
            return found[0][1]
        return found
    key = result.report.key
    if multi:
        (member,) = found[0]
        assert member[0] == key
        return [without_marks(line, key) for line in found[1:]]
    assert isinstance(found, Pairs)
    assert found[0][0] == key, "the report is the first member"
    if isinstance(whole, Pairs):
        return without_marks(Pairs(found[1:]), key)
    assert [name for name, _ in found] == [key, "data"]
    return without_marks(found[1][1], key)


def without_marks(value: Value, key: str) -> Value:
    """Return a value with the marks of its shortened records taken out."""
    if isinstance(value, Pairs):
        at = 1 if value and value[0][0] == key else 0
        assert all(name != key for name, _ in value[at:]), "a mark is the first member"
        return Pairs((name, without_marks(part, key)) for name, part in value[at:])
    if isinstance(value, list):
        return [without_marks(part, key) for part in value]
    return value


def difference(kept: Value, whole: Value, *, siblings: bool = False) -> str | None:
    """Say why a value is no sub-document of another, or None if it is one."""
    if isinstance(kept, (bool, type(None), Number)):
        same = type(kept) is type(whole) and kept == whole
        return None if same else f"{kept!r} instead of {whole!r}"
    if isinstance(kept, str):
        if type(whole) is not str or not whole.startswith(kept):
            return f"{kept!r} is no prefix of {whole!r}"
        return "nothing of a text" if whole and not kept else None
    if type(kept) is not type(whole):
        return f"{kept!r} instead of {whole!r}"
    if whole and not kept:
        return "an empty stub"
    if isinstance(kept, Pairs):
        return _difference_of_members(kept, whole, siblings=siblings)
    if len(kept) > len(whole):
        return "more elements than there were"
    reasons = (
        difference(part, of, siblings=siblings)
        for part, of in zip(kept, whole, strict=False)
    )
    return next((reason for reason in reasons if reason), None)


def _difference_of_members(kept: Pairs, whole: Pairs, *, siblings: bool) -> str | None:
    """Match members in order, each with the first that it may be a part of."""
    at = 0
    owner: str | None = None  # the key of the array that stands before
    keys = Counter(name for name, _ in kept)
    had = Counter(name for name, _ in whole)
    for name, part in kept:
        if keys[name] > max(1, had[name]):
            return f"the key {name!r} stands {keys[name]} times instead of {had[name]}"
        reason = f"no member {name!r}"
        start = at
        while at < len(whole):
            of_name, of = whole[at]
            at += 1
            if of_name == name:
                reason = difference(part, of, siblings=siblings)
                if reason is None:
                    break
        if reason is None:
            is_array = isinstance(part, list) and not isinstance(part, Pairs)
            owner = name if is_array else None
        elif siblings and owner is not None and _is_sibling(owner, name):
            at = start
        else:
            return reason
    return None


def _is_sibling(owner: str, name: str) -> bool:
    """Tell whether a key may be one that was added after an array."""
    words = ("total", "omitted", "note")
    return name in words or any(name.rstrip("_") == f"{owner}_{w}" for w in words)


def assert_lawful(
    result: Clip, data: bytes, options: dict[str, Any], *, multi: bool = False
) -> None:
    """Hold a clip against laws 1 and 2."""
    form = options.get("report", "inline")
    if (most := options.get("max_bytes")) is not None:
        assert len(result.data) <= most
    if (most := options.get("max_chars")) is not None:
        assert len(result.text) <= most
    whole = read(data, multi=multi)
    kept = data_of(result, whole, multi=multi, form=form)
    reason = difference(kept, whole, siblings=form == "siblings")
    assert reason is None, reason
    if result.complete:
        assert kept == whole


def clip_or_size(data: bytes, **options: Any) -> Clip | BudgetTooSmallError:
    """Clip, or return the error that says what is needed."""
    try:
        return clip(data, **options)
    except BudgetTooSmallError as error:
        return error


def clip_or_what_is_needed(data: bytes, options: dict[str, Any]) -> Clip:
    """Clip, and if the budget is too small with the budget that is needed."""
    for _ in range(3):  # each of two budgets can be raised, and once more
        result = clip_or_size(data, **options)
        if isinstance(result, Clip):
            return result
        name = f"max_{result.unit}"
        assert result.needed > options[name], "what is needed is there already"
        options = {**options, name: result.needed}
    raise AssertionError(f"what is needed is not enough: {options}")


def asked(of: Sample) -> dict[str, Any]:
    """Return the options of a sample as clip() takes them."""
    own = of.options
    keys = [json.loads(b'"' + token + b'"') for token in own.collection]
    tokens = [key.replace("~", "~0").replace("/", "~1") for key in keys]
    return {
        "max_items": own.max_items or None,
        "max_string_chars": own.max_string_chars or None,
        "max_record_bytes": own.max_record_bytes or None,
        "collection": "".join("/" + t for t in tokens) or None,
        "format": "jsonl" if of.multi else "json",
    }


SMALL = (
    '{"note":"订单已发货，预计三天内送达。请注意查收！😀👨‍👩‍👧"}',
    '[{"id":1,"t":"ab"},{"id":2,"t":"cd"},{"id":3,"t":"ef"},{"id":4,"t":"gh"}]',
    '{"rows":[1.10,1E+2,9007199254740993,-0,0.0,1e-7,100,200,300,400],"next":"c2"}',
    '{"a":"x","a":"y","a":[1,2,3,4,5,6,7,8],"a":[1,2,3,4,5,6,7,8]}',
    '{"a":[],"b":{},"c":"","d":[[],[{}],[""]],"e":[[1,2,3],[4,5,6],[7,8,9]]}',
    '{"total":7,"truncated":false,"_meta":{"omitted":0},"r":["one","two","three"]}',
    '"a long text that is the whole document, é 汉 😀, and goes on and on"',
    "12345678901234567890.12345678901234567890e+1234567890",
    '{"u":"https://example.org/' + "p/" * 30 + '","t":"short","k":"' + "w " * 40 + '"}',
    '{"_clip":{"cuts":[]},"x":{"_clip_2":[1,2,3]},"l":["aaaa","bbbb","cccc","dddd"]}',
    '[[["deep",["deeper",["deepest, and longer than the others by far"]]]]]',
    '{"\\ud83d\\ude00":"\\ud83d","\\u0000":"\\u0000\\u001f\\\\","\\/":"\\/\\/\\/"}',
    '{"a":1}\n{"a":2}\n{"a":3}\n["four",4]\n"five"\n6\n{"a":"seven seven seven"}\n',
)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("text", SMALL)
def test_every_budget_gives_a_lawful_clip_or_says_what_is_needed(
    text: str, form: str
) -> None:
    """From 1 up, in bytes and in characters: no silent overrun anywhere."""
    data = text.encode()
    multi = "\n" in text
    for unit in ("max_bytes", "max_chars"):
        for budget in range(1, len(data) + 3):
            options: dict[str, Any] = {unit: budget, "report": form}
            result = clip_or_size(data, **options)
            if isinstance(result, BudgetTooSmallError):
                assert result.needed > budget
                assert result.unit == unit.removeprefix("max_")
                options[unit] = result.needed
                result = clip(data, **options)
            assert_lawful(result, data, options, multi=multi)


@pytest.mark.parametrize("text", SMALL)
def test_both_budgets_hold_together(text: str) -> None:
    """Whichever of the two is the tighter one."""
    data = text.encode()
    for budget in range(1, len(data) + 2, 3):
        for other in (budget // 2 + 1, budget, budget * 2):
            options = {"max_bytes": budget, "max_chars": other}
            result = clip_or_what_is_needed(data, options)
            if len(result.data) <= budget and len(result.text) <= other:
                assert_lawful(result, data, options, multi="\n" in text)


@pytest.mark.parametrize("text", SMALL)
def test_what_is_needed_is_the_least(text: str) -> None:
    """One byte less than the size that the error names is too small again."""
    data = text.encode()
    with pytest.raises(BudgetTooSmallError) as caught:
        clip(data, max_bytes=1)
    if caught.value.needed > 1:
        with pytest.raises(BudgetTooSmallError):
            clip(data, max_bytes=caught.value.needed - 1)


@given(
    samples,
    st.sampled_from(FORMS),
    st.integers(1, 800),
    st.none() | st.integers(1, 800),
    st.booleans() | st.just("note: é汉"),
)
def test_generated_documents_give_lawful_clips(
    of: Sample, form: str, max_bytes: int, max_chars: int | None, note: bool | str
) -> None:
    """With caps, named collections, shares and notes, in every form."""
    options = asked(of) | {"report": form, "max_bytes": max_bytes, "note": note}
    options |= {"max_chars": max_chars}
    result = clip_or_size(of.data, **options)
    if isinstance(result, BudgetTooSmallError):
        assert result.needed > options[f"max_{result.unit}"]
        return
    assert_lawful(result, of.data, options, multi=of.multi)


@given(samples, st.sampled_from(FORMS), st.sampled_from(["max_bytes", "max_chars"]))
def test_what_is_needed_works_when_it_is_given(
    of: Sample, form: str, unit: str
) -> None:
    """For any document: ask for 1, then for what the error names."""
    own = asked(of) | {"max_items": None, "max_string_chars": None}
    clip_or_what_is_needed(of.data, own | {"report": form, unit: 1})


@pytest.mark.parametrize("seed", range(8))
def test_seeded_documents_give_lawful_clips(seed: int) -> None:
    """A few thousand bytes each, at budgets over their whole range."""
    random = Random(seed)
    for _ in range(12):
        of = sample(random)
        for form in FORMS:
            unit = random.choice(["max_bytes", "max_chars"])
            options = asked(of) | {"report": form}
            options[unit] = random.randrange(1, len(of.data) + 100)
            try:
                result = clip(of.data, **options)
            except BudgetTooSmallError:
                continue
            assert_lawful(result, of.data, options, multi=of.multi)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ('["' + "A" * 60 + '"]', {"max_string_chars": 5}),
        ('{"a":"' + "A" * 60 + '"}', {"max_string_chars": 5}),
        ('"https://example.org/a"', {"max_string_chars": 5, "max_items": 1}),
        ('{"a":"e\u0301\u0301\u0301"}', {"max_string_chars": 1}),
    ],
)
def test_what_caps_leave_nothing_of_is_not_blamed_on_the_budget(
    text: str, options: dict[str, Any]
) -> None:
    """An error that asks for less than there is would help nobody."""
    result = clip_or_size(text.encode(), max_bytes=10_000, **options)
    if isinstance(result, BudgetTooSmallError):
        assert result.unit == "string_chars"
        options["max_string_chars"] = result.needed
        result = clip(text, max_bytes=10_000, **options)
    assert_lawful(result, text.encode(), {"max_bytes": 10_000})


def test_a_cut_never_breaks_a_character() -> None:
    """At no budget is there half of a Chinese character, or its replacement."""
    data = ('{"note":"' + "订单已发货，请查收。" * 20 + '"}').encode()
    seen = set()
    for budget in range(1, len(data) + 1):
        for unit in ("max_bytes", "max_chars"):
            try:
                result = clip(data, **{unit: budget})
            except BudgetTooSmallError:
                continue
            assert "\ufffd" not in result.text
            assert "\ufffd" not in json.dumps(json.loads(result.text))
            seen.add(len(json.loads(result.text)["note"]))
    assert len(seen) > 100  # it was cut at most of its characters


def test_input_that_fits_is_returned_as_it_came() -> None:
    """White space, escapes and all; only a byte order mark goes."""
    data = b' {"a" : "\\u0041\\/" ,\r\n "b":[ ] }\n'
    for source in (data, b"\xef\xbb\xbf" + data):
        result = clip(source, max_bytes=len(data))
        assert (result.data, result.complete) == (data, True)
        assert clip(iter([source]), max_bytes=len(data)).data == data


def test_what_fits_without_its_white_space_is_complete() -> None:
    """One byte less than the input is room enough for all of it, squeezed."""
    data = b'{ "a" : "\\u0041\\/\\u00e9\\u0001\\ud83d" , "n" : [ 1.10 , 1E+2 ] }'
    squeezed = '{"a":"A/é\\u0001\\ud83d","n":[1.10,1E+2]}'.encode()
    for budget in range(len(squeezed), len(data)):
        result = clip(data, max_bytes=budget)
        assert (result.data, result.complete) == (squeezed, True)
        assert not result.report.cuts
    assert not clip(data, max_bytes=len(squeezed) - 1, report="detached").complete


def _shapes(depth: int) -> Iterator[str]:
    yield from ("1", '"ab"', "null")
    if depth:
        inner = list(_shapes(depth - 1))
        yield "[]"
        yield "{}"
        for one, two in pairwise(inner):
            yield f"[{one},{two},{one}]"
            yield f'{{"a":{one},"b":{two}}}'


def test_small_shapes_at_every_room_leave_no_stub() -> None:
    """Whatever nests in what, `[]` and `{}` are only where they were."""
    for text in _shapes(3):
        data = text.encode()
        for budget in range(1, len(data) + 1):
            options = {"max_bytes": budget, "report": "detached"}
            try:
                result = clip(data, **options)
            except BudgetTooSmallError:
                continue
            assert_lawful(result, data, options)
