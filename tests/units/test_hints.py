"""An error says what the input probably is, and what to do about it."""

import json
import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import streamclip
from streamclip import InvalidJSONError, clip
from streamclip.errors.hints import HEAD_BYTES, fault_hint, head_hint

# What is wrong, and a word of what is said.
FAULTS = [
    (json.dumps([1, math.nan]), "allow_nan=False"),
    (json.dumps({"a": math.inf}), "allow_nan=False"),
    (json.dumps([-math.inf], indent=1), "allow_nan=False"),
    ("[0.5, nan]", "allow_nan=False"),
    ("[inf]", "allow_nan=False"),
    ("[1,2,]", "trailing commas"),
    ('{"a":1,\n}', "trailing commas"),
    ('{"a": 1, // the first\n"b": 2}', "comments"),
    ("/* of 2024 */ {}", "comments"),
    ('{"a": 1 # the first\n}', "comments"),
    ("[1]\n// the end", "comments"),
    (str([1, {"a": "b"}]), "double quotes"),
    (str({"a": "b"}), "Python repr"),
    (json.dumps({"ok": 1})[:-1] + ', "all": True}', "Python repr"),
    ("[False]", "Python repr"),
    ("[None]", "Python repr"),
    ('{"a": undefined}', "undefined"),
    ("{a: 1}", "JavaScript"),
    ('{"a": 1, $b : 2}', "JavaScript"),
    ('{"a":1}{"a":2}', "jq -c"),
    ("[1] [2]", "jq -c"),
    ('{"a": 1 "b": 2}', "comma"),
    ("[[1] [2]]", "comma"),
    ('{"a" 1}', "colon"),
    ("id,name\n1,x\n", "csv.DictReader reads"),
    ('"id","the name"\r\n1,"x, y"\r\n', "csv.DictReader reads"),
    ("2024,7\n2025,8\n", "csv.DictReader reads"),
    (",a,b\n0,1,2\n", "csv.DictReader reads"),
    ("id,name\n", "csv.DictReader reads"),
    ("id\tname\n1\tx\n", "delimiter="),
]
NO_FAULTS = [
    "Here you are: 1, 2\n{}",
    "# Orders\n",
    "no",
    "id,name",
    "[1,,2]",
    '{"a":}',
    '{"a":1]',
    "[Nano]",
    "[Trueish]",
    "2024-05-01",
    "[1] 2",
    "[tru]",
    "[01]",
    "[1.2.3]",
    "[1x]",
    '["\\x"]',
    '["\n//"]',
]


def error_of(source: object) -> InvalidJSONError:
    """Clip what is wrong."""
    with pytest.raises(InvalidJSONError) as caught:
        clip(source, max_bytes=500)
    return caught.value


@pytest.mark.parametrize(("text", "word"), FAULTS)
def test_a_known_mistake_is_named(text: str, word: str) -> None:
    """Wherever it stands in the document, and however that is given."""
    for source in (text, text.encode(), iter([text])):
        error = error_of(source)
        assert word in str(error.hint)
        assert str(error).endswith(f"({error.hint})")
    if text[0] == "[" and "after the document" not in error.reason:
        deep = "[" + "[1,2],\n" * 9999 + text
        assert error_of(deep).hint == error_of(text).hint


@pytest.mark.parametrize("text", NO_FAULTS)
def test_no_mistake_is_guessed(text: str) -> None:
    """No hint is better than a wrong one."""
    assert error_of(text).hint is None


@pytest.mark.parametrize(("text", "word"), FAULTS)
def test_a_hint_may_be_missing_but_is_no_other(text: str, word: str) -> None:
    """A chunk may end in the middle of a mistake; the rest of the error stays."""
    whole = error_of(text)
    for size in range(1, len(text)):
        chunks = (text[at : at + size] for at in range(0, len(text), size))
        error = error_of(chunks)
        assert (error.reason, error.offset) == (whole.reason, whole.offset)
        # of an opening quote or a name alone, less is known
        assert error.hint in (None, whole.hint) or word in (
            "Python repr",
            "csv.DictReader reads",
        )


def test_what_is_read_for_its_shape_has_hints_too() -> None:
    """They come from the place that all errors of the core come from."""
    with pytest.raises(InvalidJSONError, match="trailing commas"):
        streamclip.outline(b"[1,]")


@given(
    st.binary(max_size=40),
    st.binary(min_size=1, max_size=40),
    st.sampled_from(["token", "word", "trailing"]),
)
def test_any_bytes_may_be_asked_about(before: bytes, after: bytes, kind: str) -> None:
    """Whatever stands there."""
    fault_hint(before, after, kind)
    head_hint(before + after)


@pytest.mark.parametrize("unit", [b'"', b'"",', b"a,", b"a\t", b"a", b" ", b",\n"])
def test_a_long_head_is_soon_looked_through(unit: bytes) -> None:
    """No pattern goes back and forth in it."""
    head = (unit * HEAD_BYTES)[:HEAD_BYTES]
    begin = time.process_time()
    for end in (b"", b"\n", b"\n{", b"{\n"):
        head_hint(head[: -len(end) or None] + end)
    assert time.process_time() - begin < 0.5
