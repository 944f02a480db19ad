"""Text is cut before a line break, JSON as JSON, code fences and HTML never."""

from __future__ import annotations

import json
import re
from bisect import bisect_right

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import reference_text
from conversations import MARKDOWN, PLAIN, tokenizer
from streamclip import clip
from streamclip.context.clips import is_clip_of
from streamclip.context.texts import is_json, line_ends, shortened
from streamclip.core.binding import text_prefix
from streamclip.options.options import MAX_TOKENS, squeezed
from streamclip.tokens.counting import counter

BREAK = re.compile(r"\r\n|\r|\n")
LETTERS = 'ab汉\r\n\x00"\\ \u0301\u200d👩🏽🇩🇪한ᅡ\U000e0041\ud83d\ude00'


@given(st.text(alphabet=LETTERS, max_size=200))
@example("🇩🇪🇫🇷" * 3)
@example("e" + "\u0301" * 200)
@example("\r\n" * 40)
@example("\ud83d\ude00\u200d" * 30)
def test_characters_stay_together_as_in_a_clip(text: str) -> None:
    """The core tells where, whatever has to be escaped for it."""
    points = reference_text.cut_points(text)
    body = squeezed(text)
    for most in range(len(text) + 1):
        want = points[bisect_right(points, most) - 1]
        assert text_prefix(body, most) == want


@given(st.text(alphabet=LETTERS.replace("\r\n", ""), max_size=200))
@example("  e" + "\u0301" * 200)
@example(" \u0301a\u0301b")
def test_a_line_is_cut_as_late_as_fits(text: str) -> None:
    """Never inside a cluster, and behind something to read."""
    blank = len(text) - len(text.lstrip())
    points = [at for at in reference_text.cut_points(text) if at > blank]
    for room in range(1, len(text)):
        fitting = [at for at in points if at <= room]
        kept = shortened(text, room, len)
        assert kept == (text[: fitting[-1]] if fitting else None)


@given(PLAIN, st.integers(1, 60))
@example("a\r\nb", 3)
@example("\n\n  \nabc\n", 7)
def test_plain_text_is_cut_before_a_line_break(text: str, room: int) -> None:
    """As late as fits; inside a line only if the first is too long."""
    if len(text) <= room or is_json(text):
        return
    kept = shortened(text, room, len)
    ends = list(line_ends(text))
    if kept is None:
        first = text[: ends[0]] if ends else ""
        assert first[: text_prefix(squeezed(first), room)].strip() == ""
        return
    assert text.startswith(kept)
    assert kept.strip()
    assert len(kept) <= room
    fitting = [end for end in ends if end <= room]
    if fitting:
        assert len(kept) == fitting[-1]
        assert BREAK.match(text, len(kept))
    else:
        assert len(kept) == text_prefix(squeezed(text[: ends[0]]), room)


@settings(max_examples=200)
@given(MARKDOWN, st.integers(1, 60))
@example("```python\nx = 1\n```\nafter", 12)
@example("````\n```\n````\nafter", 10)
@example("- ```\n  x\n  ```\n- b", 9)
def test_a_code_fence_is_kept_whole_or_not_at_all(text: str, room: int) -> None:
    """And so is a block of HTML, as a parser of Markdown finds them."""
    kept = shortened(text, room, len) if len(text) > room else text
    if kept is None or kept == text:
        return
    lines = kept.count("\n") + 1
    for block in MarkdownIt().parse(text):
        if block.type in ("fence", "html_block") and block.map:
            begin, end = block.map
            assert not begin < lines < end


@pytest.mark.parametrize(
    "text",
    [
        "<!doctype html>\n<html>\n<body>" + "<p>text</p>\n" * 20,
        "<table>\n" + "<tr><td>1</td></tr>\n" * 20 + "</table>",
        "<!-- a comment\n" + "that goes on\n" * 20 + "-->",
        "```json\n" + '{"a": 1}\n' * 20 + "```",
        "~~~\n" + "text\n" * 20,
        "> ```\n" + "> text\n" * 20 + "> ```",
    ],
)
def test_html_and_fences_that_do_not_fit_are_left_out(text: str) -> None:
    """At any room below their size."""
    assert {shortened(text, room, len) for room in range(len(text))} == {None}


def test_a_line_of_backticks_takes_time_in_proportion() -> None:
    """As no fence can begin with more of them behind it."""
    assert len(list(line_ends("`" * 300_000 + "x`\nafter"))) == 2


def test_what_stands_before_html_may_stay() -> None:
    """And a sign that only looks like a tag is none."""
    text = "if a <b and c> d\nsecond <br>\nthird\n"
    assert list(line_ends("List<String> x\nif a < b and c > d\n")) == [14, 33]
    assert list(line_ends("first\n" + text)) == [5]
    assert list(line_ends("# title\nx <img src=''>\ny")) == [7]


@given(st.integers(2, 60), st.integers(10, 200))
def test_json_stays_json(rows: int, room: int) -> None:
    """The first rows with a report that counts them, all of them, or none."""
    records = [{"id": n, "名": "值" * n} for n in range(rows)]
    text = json.dumps(records)
    count = counter("o200k_base")
    if count(text) <= room:
        return
    kept = shortened(text, room, count)
    if kept is None:
        return
    assert count(kept) <= room
    value = json.loads(kept)
    if value == records:
        return
    assert list(value) == ["_clip", "data"]
    for row, record in zip(value["data"], records, strict=False):
        row.pop("_clip", None)
        assert row["id"] == record["id"]
        assert str(record["名"]).startswith(row.get("名", ""))
    for cut in value["_clip"].get("cuts", []):
        if cut["path"] == "":
            assert (cut["kept"], cut["total"]) == (len(value["data"]), rows)


def test_lines_of_json_stay_lines_of_json() -> None:
    """With the report in a line of its own."""
    text = "\n".join(f'{{"id":{n},"text":"a record"}}' for n in range(60))
    kept = shortened(text, 120, counter("cl100k_base"))
    assert kept is not None
    lines = [json.loads(line) for line in kept.splitlines()]
    assert "_clip" in lines[0]
    assert len(lines) > 2


def test_json_is_clipped_in_a_room_that_no_clip_may_have() -> None:
    """It may have as much as any clip, and nobody asked for more."""
    text = json.dumps([{"id": n, "text": "a record"} for n in range(200)])

    def count(text: str) -> int:
        return 10_000 * len(text)

    kept = shortened(text, 30_000_000, count)
    assert kept == clip(text, max_chars=MAX_TOKENS // 10_000).text


def test_json_that_feigns_to_be_a_clip_is_clipped() -> None:
    """Whoever wrote a retrieved text can stop no request with it."""
    cut = {"path": "", "kept": 3, "total": 9, "omitted": 6}
    text = json.dumps({"_clip": {"cuts": [cut]}, "data": [1, 2, 3], "more": "x" * 99})
    assert is_json(text)
    kept = shortened(text, 100, len)
    assert kept is not None
    assert len(kept) <= 100
    assert is_clip_of(kept, text)
    assert shortened(text, 20, len) is None


@pytest.mark.parametrize("name", ["o200k_base", "sentencepiece"])
def test_a_large_text_costs_little_more_than_what_is_kept(name: str) -> None:
    """It is not counted again and again on the way."""
    counted = 0
    count = counter(tokenizer(name))

    def watched(text: str) -> int:
        nonlocal counted
        counted += len(text)
        return count(text)

    for text in ("a line of it\n" * 100_000, "word " * 200_000):
        counted = 0
        kept = shortened(text, 2000, watched)
        assert kept is not None
        assert 1900 < count(kept) <= 2000
        assert counted < 30 * len(kept)
