"""A clip is told from a text that says what the other one did not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from streamclip import BudgetTooSmallError, clip
from streamclip.context.clips import TOKEN, is_clip_of
from streamclip.context.texts import is_json

KEYS = ["a", "b", "_clip", "_clip_2", "data", "cuts"]
SCALARS = ["1", "1.10", "1E+2", "-0", "true", "null", '""', '"_clip"', '"http://a"']
WORDS = st.integers(1, 60).map(lambda n: f'"\\u00e9 \\ud800 {"a word " * n}"')


def containers(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Generate arrays and objects as text; keys may come twice."""
    member = st.builds('"{}" : {}'.format, st.sampled_from(KEYS), inner)
    return st.one_of(
        st.lists(inner, max_size=9).map(lambda found: f"[{', '.join(found)}]"),
        st.lists(member, max_size=6).map(lambda found: f"{{{', '.join(found)}}}"),
    )


DOCUMENTS = containers(
    st.recursive(st.sampled_from(SCALARS) | WORDS, containers, max_leaves=30)
)
ROWS: dict[str, Any] = {
    "total": 90,
    "rows": [{"id": n, "tags": ["a", n], "text": "word " * n} for n in range(90)],
    "next": None,
}
SHORT = ROWS | {"rows": ROWS["rows"][:9]}


@given(st.lists(DOCUMENTS, min_size=1, max_size=6), st.integers(30, 900), st.booleans())
@example(['{"a":1,"a":"' + "word " * 60 + '"}'], 99, False)
@example(['{"_clip":[1]}', "[2]", "[3]"] * 9, 60, False)
def test_what_clip_returns_is_a_clip(
    documents: list[str], budget: int, again: bool
) -> None:
    """Of JSON and of lines, with any keys, and of a clip too."""
    text = "\n".join(documents)
    try:
        if again:
            text = clip(text, max_bytes=2 * budget).text
        kept = clip(text, max_bytes=budget).text
    except BudgetTooSmallError:
        return
    assert is_clip_of(kept, text)


@pytest.mark.parametrize("budget", [400, 900, 2000])
@pytest.mark.parametrize("wrapped", [False, True])
def test_a_change_of_any_value_is_found(budget: int, wrapped: bool) -> None:
    """And of any key, outside the report and the marks."""
    text = json.dumps([ROWS, SHORT] if wrapped else ROWS)
    kept = clip(text, max_bytes=budget).text
    assert is_clip_of(kept, text)
    at = json.JSONDecoder().raw_decode(kept, kept.index("{", 1))[1]
    changes = 0
    while found := TOKEN.search(kept, at):
        at = found.end()
        if found[0] == '"_clip"':
            at = kept.index("}", at)
            continue
        for other in ("7.0", '"other"'):
            changed = kept[: found.start()] + other + kept[at:]
            if is_json(changed):
                assert not is_clip_of(changed, text)
                changes += 1
    assert changes > 9


REPORT = '"_clip":{"more_cuts":1}'


@pytest.mark.parametrize(
    ("part", "whole"),
    [
        ('{"a":[1]}', '{"a":[1,2]}'),
        ('{"_clip":{"mine":1},"a":[1]}', '{"a":[1,2]}'),
        (f'{{{REPORT},"a":[2]}}', '{"a":[1,2]}'),
        (f'{{{REPORT},"a":[1,2,3]}}', '{"a":[1,2]}'),
        (f'{{{REPORT},"a":[]}}', '{"a":[1,2]}'),
        (f'{{{REPORT},"a":{{}}}}', '{"a":{"b":1}}'),
        (f'{{{REPORT},"a":{{}}}}', '{"a":[]}'),
        (f'{{{REPORT},"a":""}}', '{"a":"b"}'),
        (f'{{{REPORT},"a":1}}', '{"a":"1"}'),
        (f'{{{REPORT},"a":1}}', '{"a":12}'),
        (f'{{{REPORT},"a":1.1}}', '{"a":1.10}'),
        (f'{{{REPORT},"b":1,"a":1}}', '{"a":1,"b":1,"c":1}'),
        (f'{{{REPORT},"a":1,"a":1}}', '{"a":1,"b":1}'),
        (f'{{{REPORT},"data":[2]}}', "[1,2]"),
        (f'{{{REPORT},"data":[1],"more":2}}', "[1,2]"),
        (f"{{{REPORT}}}\n[2]", "[1]\n[2]"),
        (f'{{{REPORT},"a":1}}\n[1]', "[1]\n[2]"),
        (f'{{{REPORT},"a":1}}\n[2]', '{"a":1,"b":1}\n[2]'),
        (f'{{{REPORT},"a":1}}\n[2]', '{"a":1,"b":1}'),
        (f"{{{REPORT}}}", "[1]\n[2]"),
    ],
)
def test_what_is_no_clip_is_told_from_one(part: str, whole: str) -> None:
    """Nothing is missing without a report, nothing else is there."""
    assert not is_clip_of(part, whole)


def test_the_value_tells_which_of_several_members_is_meant() -> None:
    """As an earlier one of its key may be left out."""
    whole = '{"a":[1,2],"a":[3,4],"b":1}'
    assert is_clip_of(f'{{{REPORT},"a":[3]}}', whole)
    assert is_clip_of(f'{{{REPORT},"a":[1],"a":[3]}}', whole)
    assert not is_clip_of(f'{{{REPORT},"a":[3],"a":[1]}}', whole)


def test_of_a_record_that_was_marked_the_mark_may_be_left() -> None:
    """A clip of a clip takes it for a member, and says in it what is missing."""
    mark = '"_clip":{"truncated":true,"fields":["a"]}'
    whole = f'{{"rows":[{{{mark},"a":"begun"}}]}}'
    assert is_clip_of(f'{{{REPORT},"rows":[{{{mark}}}]}}', whole)
    assert not is_clip_of(f'{{{REPORT},"rows":[{{}}]}}', whole)


def test_it_goes_as_deep_as_a_clip() -> None:
    """A document may have more levels than Python has frames."""
    text = '{"a":' * 1000 + f'"{"word " * 2000}"' + "}" * 1000
    kept = clip(text, max_bytes=9000).text
    assert is_clip_of(kept, text)
    assert not is_clip_of(kept.replace('"word ', '"work '), text)
