"""Bad input is an error at the first byte that is wrong, and never a guess."""

from __future__ import annotations

import codecs
import itertools
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from documents import Sample, samples
from streamclip import (
    BudgetTooSmallError,
    Clip,
    Clipper,
    IncompleteJSONError,
    InvalidJSONError,
    clip,
    clip_records,
)
from streamclip.intake.sources import open_chunks
from test_validity import Value, difference, documents_in, without_marks

MARK = b"\xef\xbb\xbf"
SPACE = b" \t\r\n"
NUMBER = re.compile(rb"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
NUMBER_BEGUN = re.compile(
    rb"-?((0|[1-9][0-9]*)(\.([0-9]+([eE]([+-]?[0-9]*)?)?)?|[eE]([+-]?[0-9]*)?)?)?"
)


class WrongByteError(Exception):
    """A byte that cannot stand where it does."""


class EarlyEndError(Exception):
    """The input ends inside the document."""


class Oracle:
    """Read a document one byte after the other, by the grammar of RFC 8259."""

    def __init__(self, data: bytes, *, max_depth: int = 1024) -> None:
        self.data = data
        self.at = 0
        self.left = max_depth

    def peek(self) -> int:
        """Return the next byte."""
        if self.at == len(self.data):
            raise EarlyEndError
        return self.data[self.at]

    def take(self, allowed: bytes) -> int:
        """Take one of the allowed bytes."""
        byte = self.peek()
        if byte not in allowed:
            raise WrongByteError(self.at)
        self.at += 1
        return byte

    def space(self) -> bytes:
        """Take white space."""
        start = self.at
        while self.at < len(self.data) and self.data[self.at] in SPACE:
            self.at += 1
        return self.data[start : self.at]

    def value(self) -> None:
        """Take a value."""
        self.space()
        byte = self.peek()
        if byte in b"[{":
            if not self.left:
                raise WrongByteError(self.at)
            self.left -= 1
            self.container(b"]" if byte in b"[" else b"}")
            self.left += 1
        elif byte in b'"':
            self.string()
        elif byte in b"-0123456789":
            begun = NUMBER_BEGUN.match(self.data, self.at)
            assert begun
            self.at = begun.end()
            if not NUMBER.fullmatch(begun[0]):
                self.peek()
                raise WrongByteError(self.at)
        else:
            words = [w for w in (b"true", b"false", b"null") if w[0] == byte]
            for part in words[0] if words else b"":
                self.take(bytes([part]))
            if not words:
                raise WrongByteError(self.at)

    def container(self, end: bytes) -> None:
        """Take an array or an object."""
        self.at += 1
        self.space()
        if self.peek() in end:
            self.at += 1
            return
        while True:
            if end == b"}":
                self.space()
                self.string()
                self.space()
                self.take(b":")
            self.value()
            self.space()
            if self.take(b"," + end) in end:
                return

    def string(self) -> None:
        """Take a string."""
        self.take(b'"')
        while (byte := self.peek()) not in b'"':
            if byte < 0x20:
                raise WrongByteError(self.at)
            if byte >= 0x80:
                self.sequence()
                continue
            self.at += 1
            if byte in b"\\" and self.take(b'"\\/bfnrtu') in b"u":
                for _ in range(4):
                    self.take(b"0123456789abcdefABCDEF")
        self.at += 1

    def sequence(self) -> None:
        """Take one character of UTF-8, as Python's decoder does.

        That one waits for the third byte of a surrogate before it refuses it.
        """
        if re.compile(rb"\xed[\xa0-\xbf]").match(self.data, self.at):
            raise WrongByteError(self.at)
        decoder = codecs.getincrementaldecoder("utf-8")()
        for at in range(self.at, len(self.data)):
            try:
                if decoder.decode(self.data[at : at + 1]):
                    self.at = at + 1
                    return
            except UnicodeDecodeError:
                raise WrongByteError(self.at) from None
        raise EarlyEndError

    def document(self, *, lines: bool) -> None:
        """Take a whole document, or several on lines of their own."""
        start = self.data[: len(MARK)]
        if MARK.startswith(start):
            self.at = len(start)
        elif start[0] == MARK[0]:
            raise WrongByteError(0)
        self.value()
        while True:
            space = self.space()
            if self.at == len(self.data):
                return
            if not lines or not set(space) & set(b"\r\n"):
                raise WrongByteError(self.at)
            self.value()


def verdict(data: bytes, *, lines: bool = False, max_depth: int = 1024) -> object:
    """Return None if data are valid, "early", or the first wrong byte."""
    try:
        Oracle(data, max_depth=max_depth).document(lines=lines)
    except WrongByteError as error:
        return error.args[0]
    except EarlyEndError:
        return "early"
    return None


def found(data: bytes, **options: Any) -> object:
    """Return the same of clip(), through both of its ways."""
    answers = []
    for source in (data, iter([data])):
        try:
            clip(source, **{"max_bytes": 1 << 24, **options})
            answers.append(None)
        except IncompleteJSONError as error:
            at_end = error.offset == len(data)
            answers.append("early" if at_end else f"early at {error.offset}")
        except InvalidJSONError as error:
            answers.append(error.offset)
    assert answers[0] == answers[1]
    return answers[0]


def assert_judged(data: bytes) -> None:
    """Hold clip() against the oracle, and both against json and orjson."""
    expected = verdict(data)
    assert found(data, format="json") == expected
    assert found(data) == verdict(data, lines=True)
    if not data.startswith(MARK[:1]):
        # What is not retained is read by another machine.
        wrapped = b"[0,[" + data + b"]]"
        assert found(wrapped, format="json", max_items=1) == verdict(wrapped)
    assert (expected is None) == is_valid_for_json(data)
    if not re.search(rb"\\u[dD][89a-fA-F]", data) and len(data) < 2000:
        assert (expected is None) == is_valid_for_orjson(data)


def _refuse(name: str) -> NoReturn:
    raise ValueError(name)


def is_valid_for_json(data: bytes) -> bool:
    """Ask Python's json, made strict."""
    try:
        text = data.removeprefix(MARK).decode()
        json.loads(text, parse_constant=_refuse, parse_int=str)
    except ValueError:
        return False
    return True


def is_valid_for_orjson(data: bytes) -> bool:
    """Ask orjson, which is strict but for lone surrogates."""
    try:
        orjson.loads(data.removeprefix(MARK))
    except ValueError:
        return False
    return True


PIECES = [
    *(b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b" ", b"\n", b"\r", b"\0"),
    *(b"0", b"1", b"-", b"+", b".", b"e", b"E", b"true", b"fals", b"n", b"NaN"),
    *(b'"a"', b'{"a":1}', b"[1,2]", b"\\u12", b"\\ud83d", b"u", b"/", b"\x7f", b"\x1f"),
    *(b"\xc3", b"\xa9", b"\xe6\xb1\x89", b"\xf0\x9f\x98\x80", b"\xff", b"\xed\xa0"),
    MARK,
]


@pytest.mark.parametrize("length", [0, 1, 2, 3])
def test_every_short_sequence_of_pieces_is_judged_rightly(length: int) -> None:
    """Also those that are valid."""
    valid = 0
    step = 7 if length == 3 else 1  # enough of the 64,000
    for pieces in itertools.islice(
        itertools.product(PIECES, repeat=length), 0, None, step
    ):
        data = b"".join(pieces)
        assert found(data, format="json") == verdict(data), data
        valid += verdict(data) is None
    assert valid >= (0, 4, 20, 20)[length]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join))
@example(b"\xef\xbb")
@example(b"\xef\xbbx")
@example(b"\xef\xbb\xbf")
@example(b"\xef\xbb\xbe1")
def test_sequences_of_pieces_are_judged_rightly(data: bytes) -> None:
    """Longer ones, which are hardly ever valid."""
    assert_judged(data)


MUTATIONS = st.lists(
    st.tuples(
        st.sampled_from(["delete", "insert", "replace", "truncate"]),
        st.integers(0, 1 << 16),
        st.sampled_from(PIECES) | st.binary(min_size=1, max_size=1),
    ),
    min_size=1,
    max_size=2,
)


def mutated(data: bytes, mutations: list[tuple[str, int, bytes]]) -> bytes:
    """Change bytes of a document."""
    for kind, place, piece in mutations:
        at = place % (len(data) + 1)
        rest = data[at + 1 :] if kind in ("delete", "replace") else data[at:]
        if kind == "truncate":
            data = data[:at]
        else:
            data = data[:at] + (b"" if kind == "delete" else piece) + rest
    return data


@given(samples, MUTATIONS)
def test_changed_documents_are_judged_rightly(
    of: Sample, mutations: list[tuple[str, int, bytes]]
) -> None:
    """One or two changes of a valid one, anywhere."""
    assert_judged(mutated(of.data, mutations))


RICH = (
    b'{"a":[1.5,-2e+10,true,null,"x\\u00e9\\n\\ud83d\\ude00 \xe6\xb1\x89\xf0\x9f\x98\x80"],'
    b' "b" : {"c":{},"d":[]} , "e":0}'
)


def test_every_change_of_one_byte_is_judged_rightly() -> None:
    """Each byte of a rich document left out, doubled, or made another."""
    for at in range(len(RICH)):
        assert_judged(RICH[:at])
        assert_judged(RICH[:at] + RICH[at + 1 :])
        for byte in b'{}[],:"\\0a \n-.e\x00\x1f\x80\xc3\xed\xf4\xff':
            assert_judged(RICH[:at] + bytes([byte]) + RICH[at:])
            assert_judged(RICH[:at] + bytes([byte]) + RICH[at + 1 :])


def test_every_sequence_of_utf8_is_judged_as_python_does() -> None:
    """All pairs of bytes, and the borders of the longer sequences."""
    borders = [0x22, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC3, 0xFF]
    pairs = itertools.product(range(0x80, 0x100), range(256))
    triples = itertools.product(range(0xE0, 0x100), borders, borders, borders)
    for sequence in itertools.chain(pairs, triples):
        data = b'"' + bytes(sequence) + b'"'
        with Clipper(max_bytes=100, format="json") as clipper:
            try:
                clipper.feed(data)
                offset = None
            except InvalidJSONError as error:
                offset = error.offset
        expected = verdict(data)
        assert offset == (None if expected == "early" else expected), data


def error_of(source: Any, **options: Any) -> InvalidJSONError:
    """Return the error that clip() raises."""
    with pytest.raises(InvalidJSONError) as caught:
        clip(source, **{"max_bytes": 1000, **options})
    return caught.value


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ("NaN", 0),
        ("[NaN]", 1),
        ("[nan]", 2),
        ("Infinity", 0),
        ("-Infinity", 1),
        ("[1,-NaN]", 4),
        ("[1,]", 3),
        ('{"a":1,}', 7),
        ("{'a':1}", 1),
        ("{a:1}", 1),
        ("[1] // no", 4),
        ("/* no */ 1", 0),
        ("[0x10]", 2),
        ("[01]", 2),
        ("[.5]", 1),
        ("[+1]", 1),
        ("[1.]", 3),
        ('"a\tb"', 2),
        ('"\\v"', 2),
        ('"\\u12G4"', 5),
        ("\0", 0),
        ('{"a":1}\0', 7),
        ('"\0"', 1),
        ("[1]\ufeff", 3),
        ("[1]\xa0", 3),
        ('{"a":1}x', 7),
        ("[]]", 2),
        ("1 2", 2),
        ("[1}", 2),
        ('{"a"}', 4),
        ('{"a":1 "b":2}', 7),
        ("\x0c1", 0),
    ],
)
def test_what_others_accept_is_an_error_here(text: str, offset: int) -> None:
    """At the byte that no JSON could have there."""
    data = text.encode()
    assert error_of(data).offset == offset
    assert type(error_of(data)) is InvalidJSONError


@pytest.mark.parametrize(
    "text", ['"\\ud83d"', '"\\ude00x"', '"\\ud83d\\u0041"', '"\x7f"']
)
def test_what_is_odd_but_valid_is_accepted(text: str) -> None:
    """Lone surrogates as escapes, and DEL."""
    assert clip(text, max_bytes=100).text == text


def test_a_byte_order_mark_goes_but_offsets_count_it() -> None:
    """Once, at the very beginning."""
    assert clip(MARK + b"[1]", max_bytes=3).data == b"[1]"
    assert error_of(MARK + b"[x]").offset == 4
    assert error_of(MARK + MARK + b"[1]").offset == 3
    assert error_of(b" " + MARK + b"[1]").offset == 1
    assert error_of(MARK).offset == 3
    assert isinstance(error_of(MARK), IncompleteJSONError)


@pytest.mark.parametrize(
    "encoding",
    ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"],
)
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("text", ['{"a": 1}', "[1,2]", '"汉字"', "123"])
def test_other_encodings_of_unicode_are_named(
    text: str, mark: str, encoding: str, tmp_path: Path
) -> None:
    """With and without a mark; and what the error says to do helps."""
    has_mark = bool(mark) or encoding in ("utf-16", "utf-32")
    data = (mark if encoding[-1] == "e" else "").encode(encoding) + text.encode(
        encoding
    )
    error = error_of(data)
    assert error.offset < 4
    assert encoding[:6].upper() in str(error)
    named = re.search(r"encoding='([^']+)'", str(error))
    assert named
    assert named[1] == (encoding[:6] if has_mark else encoding)
    path = tmp_path / "a.json"
    path.write_bytes(data)
    with path.open(encoding=named[1]) as file:
        assert clip(file, max_bytes=100).text == text


def test_empty_input_is_incomplete() -> None:
    """So is white space; an empty JSON Lines file has no lines."""
    for data in (b"", b" ", b"\n\n", b" \t\r\n "):
        for source in (data, data.decode(), iter([data]), iter([])):
            for text_format in ("auto", "json"):
                length = len(data) if isinstance(source, (bytes, str)) else None
                error = error_of(source, format=text_format)
                assert isinstance(error, IncompleteJSONError)
                assert length is None or error.offset == length
    assert isinstance(error_of(b"", incomplete="keep"), IncompleteJSONError)


# Depth


def test_depth_is_limited_at_the_right_place() -> None:
    """The first bracket too many is the wrong byte."""
    for opening, inside in (("[", ""), ('{"a":', "1"), ('[{"k":', "[]")):
        for limit in (1, 2, 3, 1024):
            text = opening * 2000 + inside
            assert found(text.encode(), max_depth=limit) == verdict_at(text, limit)
    assert error_of(b"[" * 100_000).offset == 1024
    assert error_of(b'{"a":' * 100_000).offset == 1024 * 5
    assert error_of(b"[[]]", max_depth=1).offset == 1
    assert clip(b"[[]]", max_depth=2, max_bytes=10).complete


def verdict_at(text: str, limit: int) -> int:
    """Return where bracket number limit + 1 is."""
    places = (at for at, char in enumerate(text) if char in "[{")
    return next(itertools.islice(places, limit, None))


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_great_depth_is_accepted_if_it_is_allowed(opening: str, closing: str) -> None:
    """As it came, cut, kept as far as it arrived, and when it is not retained."""
    deep = opening * 100_000 + "1" + closing * 100_000
    data = deep.encode()
    options: dict[str, Any] = {"max_depth": 200_000}
    assert clip(data, max_bytes=len(data), **options).data == data
    assert clip(iter([data]), max_bytes=len(data), **options).data == data
    assert clip(b" " + data, max_bytes=len(data), **options).data == data
    for form in ("inline", "siblings", "detached"):
        with pytest.raises(BudgetTooSmallError):
            clip(data, max_bytes=1000, report=form, **options)
    rows = b'[{"id":1},{"id":2,"deep":' + data + b'},{"id":3}]'
    result = clip(rows, max_bytes=150, note=False, **options)
    assert b'{"id":1}' in result.data
    early = opening.encode() * 100_000 + b'"some words of text'
    result = clip(early, max_bytes=len(data) + 500, incomplete="keep", **options)
    assert result.report.input_cut
    assert result.data.count(b"some words of text") == 1


def test_great_breadth_and_depth_together_are_accepted() -> None:
    """Rows that nest deeply, many of them, in little room."""
    row = b"[" * 900 + b"]" * 900
    data = b"[" + b",".join([row] * 1000) + b"]"
    result = clip(data, max_bytes=10_000)
    (cut,) = result.report.cuts
    assert (cut.total, cut.kept) == (1000, 5)


# Input that ends early


TEXTS = (
    '{"a":1,"b":[1.10,true,null,{"c":"text é 汉 😀"}],"d":{"e":{},"f":[]},"g":""}',
    '[{"id":1,"t":"one two"},{"id":2,"t":"three \\ud83d\\ude00 four"},{"id":3}]',
    '{"u":"https://example.org/x","k":"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop"}',
    '[[[1,2],[3,4]],[["a b","c"],[]],[[{}]]]',
    '{"a":1}\n{"b":[2,3]}\n"some words"\n45\n[true,false]\n',
    '"a text alone, é 汉 😀 and on"',
    "-12.5e+10",
    "[false]",
)


def kept_of(result: Clip, whole: list[Value]) -> list[Value]:
    """Return the documents of a clip without what the report added."""
    values = documents_in(result.data)
    if result.complete:
        return values
    key = result.report.key
    if len(whole) > 1 and len(values[0]) == 1 and len(values) > 1:
        return [without_marks(value, key) for value in values[1:]]
    (value,) = values
    if isinstance(whole[0], (list, str)) and type(value) is not type(whole[0]):
        return [without_marks(dict(value)["data"], key)]
    if isinstance(value, list) and value and value[0][0] == key:
        return [without_marks(type(value)(value[1:]), key)]
    return [without_marks(value, key)]


def kept_or_error(early: bytes, form: Any) -> Clip | IncompleteJSONError:
    """Return what is kept of input that ended early, or why it is nothing."""
    try:
        return clip(early, max_bytes=1000, incomplete="keep", report=form)
    except IncompleteJSONError as error:
        return error


@pytest.mark.parametrize("form", ["inline", "detached"])
@pytest.mark.parametrize("text", TEXTS)
def test_input_that_ends_anywhere_is_an_error_or_kept(text: str, form: str) -> None:
    """Every prefix: an error at its length, or a clip of what arrived."""
    data = text.encode()
    whole = documents_in(data)
    for size in range(len(data)):
        early = data[:size]
        if verdict(early, lines=True) is None:
            assert clip(early, max_bytes=1000).complete
            continue
        error = error_of(early)
        assert type(error) is IncompleteJSONError
        assert error.offset == size
        result = kept_or_error(early, form)
        if isinstance(result, IncompleteJSONError):
            assert result.offset == size
            assert "nothing whole" in str(result) or not early.strip()
            continue
        report = result.report
        assert not result.complete
        assert (report.input_cut, report.total_is) == (True, "at_least")
        if form == "inline":
            assert b'"input_cut":true' in result.data
            assert b'"total_is":"at_least"' in result.data
            kept = kept_of(result, whole)
        else:
            kept = documents_in(result.data)
        for part, of in zip(kept, whole, strict=False):
            if part not in ([], {}):
                assert difference(part, of) is None


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ('{"a":1,"b":2', {"a": 1}),  # the number may go on
        ('{"a":1,"b":2 ', {"a": 1, "b": 2}),
        ('{"a":1,"b":tru', {"a": 1}),
        ('{"a":1,"b":true', {"a": 1, "b": True}),
        ('{"a":1,"b":-', {"a": 1}),
        ('{"a":1,"b', {"a": 1}),
        ('{"a":1,"b"', {"a": 1}),
        ('{"a":1,"b":', {"a": 1}),
        ('{"a":1,', {"a": 1}),
        ('{"a":1,"b":"some wor', {"a": 1, "b": "some wor"}),
        ('{"a":1,"b":"some wor\\u00', {"a": 1, "b": "some wor"}),
        ('{"a":1,"b":"it is \\ud83d', {"a": 1, "b": "it is "}),
        ('{"a":1,"b":"https:', {"a": 1}),  # it may be an atom
        ('{"a":1,"b":"ABC', {"a": 1}),
        ('{"a":1,"b":"ABC"', {"a": 1, "b": "ABC"}),
        ('{"a":1,"b":[', {"a": 1}),
        ('{"a":1,"b":[]', {"a": 1, "b": []}),
        ('{"a":1,"b":{"c":[1,2,', {"a": 1, "b": {"c": [1, 2]}}),
        ('{"r":[{"i":1},{"i":2,"t":"x"', {"r": [{"i": 1}]}),
        ('{"r":[{"i":1},{"i":2}', {"r": [{"i": 1}, {"i": 2}]}),
        ('{"r":[{"i":1,"t":"a b', {"r": [{"i": 1, "t": "a b"}]}),
        ('{"r":[{"i":1},"some te', {"r": [{"i": 1}, "some te"]}),
        ('{"r":[[1],[2,[3],[4', {"r": [[1]]}),
    ],
)
def test_what_arrived_is_closed(text: str, data: Any) -> None:
    """docs/semantics.md, section 10, case by case."""
    options: dict[str, Any] = {"max_bytes": 500, "incomplete": "keep"}
    assert json.loads(clip(text, report="detached", **options).data) == data
    inline = json.loads(clip(text, **options).data)
    assert inline.pop("_clip")["input_cut"] is True
    assert inline == data


def test_what_was_counted_is_told() -> None:
    """An element left out because it was not finished is in the total."""
    text = '{"r":[{"i":1},{"i":2},{"i":3,"t":"x'
    (cut,) = clip(text, max_bytes=500, incomplete="keep").report.cuts
    assert (cut.path, cut.kept, cut.total, cut.omitted) == ("/r", 2, 3, 1)
    rows = "[" + '{"row":1},' * 5000 + '{"row":'
    (cut,) = clip(rows, max_bytes=500, incomplete="keep").report.cuts
    assert cut.total == 5001


@pytest.mark.parametrize(
    "text", ["", " ", "[[", '{"a":[', '[{"a":1', '"abc', "tru", "1."]
)
def test_nothing_whole_is_an_error_even_if_what_arrived_is_kept(text: str) -> None:
    """There is nothing to show."""
    error = error_of(text, incomplete="keep")
    assert type(error) is IncompleteJSONError
    assert error.offset == len(text)


@pytest.mark.parametrize("text", ["[", "{", '{"a":', "[["])
def test_a_container_of_which_nothing_arrived_is_not_shown_as_empty(text: str) -> None:
    """It is not known to be empty."""
    assert type(error_of(text, incomplete="keep")) is IncompleteJSONError


def test_what_arrived_is_kept_only_of_what_is_valid() -> None:
    """A wrong byte is an error all the same."""
    assert error_of(b'{"a":1,x', incomplete="keep").offset == 7
    assert error_of(b'"\xff', incomplete="keep").offset == 1


def test_a_whole_document_is_not_called_early() -> None:
    """Asking to keep what arrived changes nothing for it."""
    result = clip(b'{"a":[1,2]}', max_bytes=50, incomplete="keep")
    assert result.complete
    assert (result.report.input_cut, result.report.total_is) == (False, "exact")


# Sources that go wrong


def open_files() -> int:
    """Count the files that this process has open."""
    directory = Path("/proc/self/fd")
    if not directory.exists():
        pytest.skip("open files cannot be counted here")
    return len(list(directory.iterdir()))


@pytest.mark.skipif(sys.platform == "win32", reason="open files cannot be changed")
@pytest.mark.parametrize("how", ["shrinks", "disappears"])
def test_a_file_that_goes_while_it_is_read(how: str, tmp_path: Path) -> None:
    """One that shrinks ends early; one without a name can be read to its end."""
    path = tmp_path / "rows.json"
    data = b"[" + b",".join([b'{"some":"row"}'] * 100_000) + b"]"
    path.write_bytes(data)
    before = open_files()
    chunks = open_chunks(path)
    with Clipper(max_bytes=500) as clipper:
        first = bytes(next(chunks))
        clipper.feed(first)
        if how == "shrinks":
            os.truncate(path, 10)
        else:
            path.unlink()
        for chunk in chunks:
            clipper.feed(chunk)
        if how == "shrinks":
            with pytest.raises(IncompleteJSONError) as caught:
                clipper.finish()
            assert caught.value.offset == len(first)
        else:
            assert clipper.finish().report.cuts[0].total == 100_000
    assert open_files() == before


def test_a_file_is_closed_whatever_happens(tmp_path: Path) -> None:
    """Also if its first bytes are wrong, or reading stops early."""
    before = open_files()
    path = tmp_path / "a.json"
    for data, read in (
        (b"[x", "all"),
        (b"[1", "all"),
        (b"[" + b"1," * 10**6, "enough"),
    ):
        path.write_bytes(data)
        try:
            clip(path, max_bytes=100, read=read)
        except InvalidJSONError:
            assert read == "all"
        assert open_files() == before
    with pytest.raises(FileNotFoundError):
        clip(tmp_path / "no such file", max_bytes=100)
    with pytest.raises(IsADirectoryError):
        clip(tmp_path, max_bytes=100)
    assert open_files() == before


class OwnError(Exception):
    """Something that only the caller knows."""


def test_an_iterator_that_raises_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own exception comes through, and the clipper is closed."""
    closed = []
    close = Clipper.close
    monkeypatch.setattr(Clipper, "close", lambda self: (closed.append(1), close(self)))
    own = OwnError("no more")

    def chunks() -> Iterator[bytes]:
        yield b'{"a":[1,2,'
        raise own

    for options in ({}, {"incomplete": "keep"}, {"read": "enough"}):
        closed.clear()
        with pytest.raises(OwnError) as caught:
            clip(chunks(), max_bytes=100, **options)
        assert caught.value is own
        assert closed

    def records() -> Iterator[dict[str, int]]:
        yield {"a": 1}
        raise own

    with pytest.raises(OwnError):
        clip_records(records(), max_bytes=100)


def test_a_clipper_is_closed_after_an_error() -> None:
    """It cannot go on with what comes after a wrong byte."""
    with Clipper(max_bytes=100) as clipper:
        with pytest.raises(InvalidJSONError):
            clipper.feed(b"[x")
        for call in (lambda: clipper.feed(b"1"), clipper.finish):
            with pytest.raises(ValueError, match="closed"):
                call()
        clipper.close()


def test_a_text_file_of_another_encoding(tmp_path: Path) -> None:
    """The decoder's own error comes through; a right encoding is read."""
    path = tmp_path / "a.json"
    path.write_text('{"名":"值"}', encoding="gb18030")
    with path.open(encoding="gb18030") as file:
        assert clip(file, max_bytes=100).text == '{"名":"值"}'
    with path.open(encoding="ascii") as file, pytest.raises(UnicodeDecodeError):
        clip(file, max_bytes=100)
    with path.open(encoding="utf-8") as file:
        assert error_of(file).offset == 2
    assert error_of(path).reason.startswith("malformed UTF-8")


def test_a_path_given_as_text_is_said_to_be_one(tmp_path: Path) -> None:
    """Whether the file exists or not."""
    path = tmp_path / "a.json"
    assert "pass a pathlib.Path" not in str(error_of(str(path)))
    assert "looks like a path" in str(error_of(str(path)))
    path.write_text("[1]")
    assert "this str names a file: pass a pathlib.Path" in str(error_of(str(path)))
    assert clip(path, max_bytes=10).data == b"[1]"
    assert "URL" in str(error_of("https://example.org/a.json"))


def test_values_in_memory_are_written_first() -> None:
    """A dict is no text; what orjson cannot write is its TypeError."""
    assert clip({"a": (1, None)}, max_bytes=50).data == b'{"a":[1,null]}'
    with pytest.raises(TypeError):
        clip({"a": object()}, max_bytes=50)
    with pytest.raises(TypeError, match="cannot read JSON"):
        clip(object(), max_bytes=50)
    with pytest.raises(TypeError, match="chunk must be bytes or str"):
        clip(iter([b"[", 1]), max_bytes=50)


def test_text_with_a_lone_surrogate_is_an_error() -> None:
    """It has no UTF-8 form; the offset counts bytes."""
    assert error_of('["é\ud800"]').offset == 4
    assert error_of(iter(["[", '"汉', "\udc00"])).offset == 5


def test_endless_input_is_read_as_far_as_it_takes() -> None:
    """With read="enough" an iterator without an end is no problem."""
    for row in (b'{"some":"row"},', b'"x",', b"1,", b"[[]],"):
        endless = itertools.chain([b"["], itertools.repeat(row))
        result = clip(endless, max_bytes=300, read="enough")
        assert result.report.total_is == "at_least"
        assert len(result.data) <= 300
        assert not result.complete
    text = itertools.chain(['{"a":"'], itertools.repeat("words " * 100))
    assert len(clip(text, max_bytes=300, read="enough").data) > 200
    lines = itertools.repeat(b'{"a":1}\n')
    assert clip(lines, max_bytes=300, read="enough").report.cuts[0].path == ""
    keys = itertools.chain([b"{"], (b'"k%d":"v",' % n for n in itertools.count()))
    assert clip(keys, max_bytes=300, read="enough").report.cuts[0].unit == "members"


def test_endless_white_space_is_the_callers_to_stop() -> None:
    """Nothing is given up there; what was read of it takes no memory."""
    with Clipper(max_bytes=10) as clipper:
        for _ in range(1000):
            assert clipper.feed(b" " * 10_000)
        clipper.feed(b"[1]")
        assert clipper.finish().data == b"[1]"
