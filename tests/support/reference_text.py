"""The reference's reading: JSON text into a tree, and the rules about strings.

Sections 2 (squeezed forms), 3 (atoms) and 6 (cut points) of docs/semantics.md,
written for the eye and not for speed. The input is assumed to be valid JSON.
"""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

ATOM_HEAD = 48
LONG_ATOM = 2048
CLUSTER = 64

_ATOM = re.compile(r"[a-z][a-z0-9+.-]*://|data:|[A-Za-z0-9+/_=.:-]{40}")
_ESCAPES = {
    **{chr(code): f"\\u{code:04x}" for code in (*range(0x20), *range(0xD800, 0xE000))},
    **dict(zip('"\\\b\f\n\r\t', ("\\" + c for c in '"\\bfnrt'), strict=True)),
}
_ESCAPED = re.compile('[\x00-\x1f"\\\\\ud800-\udfff]')


def squeeze(text: str) -> bytes:
    """Return the body that a string of this value has in squeezed form."""
    return _ESCAPED.sub(lambda m: _ESCAPES[m.group()], text).encode()


def is_atom(text: str) -> bool:
    """Tell whether a shortened form of this string would be worthless."""
    head = text[:ATOM_HEAD]
    return all("!" <= c <= "~" for c in head) and _ATOM.match(text) is not None


def _is_regional(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _extends(char: str) -> bool:
    """Tell whether this character always belongs to the one before it."""
    return (
        unicodedata.category(char).startswith("M")
        or char == "\u200d"
        or "\U0001f3fb" <= char <= "\U0001f3ff"  # skin tones
        or "\U000e0020" <= char <= "\U000e007f"  # tags
        or "\u1160" <= char <= "\u11ff"  # Hangul vowels, trailing consonants
    )


def cut_points(text: str) -> list[int]:
    """Return where this text may be cut, in characters, both ends included."""
    points = [0]
    regionals = 0  # regional indicators that end directly before `at`
    for at in range(1, len(text)):
        before, char = text[at - 1], text[at]
        regionals = regionals + 1 if _is_regional(before) else 0
        joined = (
            before == "\u200d"
            or _extends(char)
            or (_is_regional(char) and regionals % 2 == 1)
            or (before, char) == ("\r", "\n")
        )
        if not joined or at - points[-1] == CLUSTER:
            points.append(at)
    if text:
        points.append(len(text))
    return points


class String:
    """A string of the document, as its value and as its squeezed body."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.body = squeeze(text)

    @cached_property
    def is_atom(self) -> bool:
        """Whether it is an atom: kept whole or left out."""
        return is_atom(self.text)

    @cached_property
    def _cuts(self) -> tuple[list[int], list[int]]:
        """The cut points, in characters and in bytes of the body."""
        chars = cut_points(self.text)
        sizes = [0]
        for start, end in pairwise(chars):
            sizes.append(sizes[-1] + len(squeeze(self.text[start:end])))
        return chars, sizes

    def prefix_by_chars(self, limit: int) -> int:
        """Return the characters of the longest prefix of at most as many."""
        chars, _ = self._cuts
        return chars[bisect_right(chars, limit) - 1]

    def prefix_by_bytes(self, limit: int) -> int:
        """Return the characters of the longest prefix whose body fits."""
        chars, sizes = self._cuts
        return chars[bisect_right(sizes, max(limit, 0)) - 1]


class Fate(Enum):
    """What has become of a member of an object."""

    COUNTED = "it has a part in the sharing, though it may be left with nothing"
    DROPPED = "its class was closed before it"
    WEIGHTLESS = "left out before sharing: a long atom or a capped one"


@dataclass(frozen=True)
class Scalar:
    """A number or a literal, as written."""

    written: bytes
    given_up = False
    has_place = False

    @property
    def size(self) -> int:
        """The bytes of its squeezed form."""
        return len(self.written)


@dataclass(frozen=True)
class Text:
    """A string, or the first `chars` characters of it."""

    string: String
    chars: int
    given_up: bool = False  # by sharing, not by a cap

    @property
    def total(self) -> int:
        """How many characters it had."""
        return len(self.string.text)

    @cached_property
    def body(self) -> bytes:
        """The squeezed form without its quotes."""
        if self.chars == self.total:
            return self.string.body
        return squeeze(self.string.text[: self.chars])

    @property
    def size(self) -> int:
        """The bytes of its squeezed form."""
        return len(self.body) + 2

    @property
    def has_place(self) -> bool:
        """Whether anything is missing."""
        return self.chars < self.total


def _there(value: Value | None) -> Value:
    assert value is not None
    return value


@dataclass(frozen=True)
class Array:
    """An array, or the list of lines of JSON Lines.

    `elements` are those that have a part in the sharing; None is one of which
    nothing is kept. It hides those between it and the gap.
    """

    elements: tuple[Value | None, ...]
    total: int
    closed: bool = False  # sharing dropped some of its elements
    keep: str = "head"
    gap: int | None = None  # "ends": how many of the elements stand before it

    @cached_property
    def parts(self) -> tuple[tuple[Value, ...], tuple[Value, ...]]:
        """The elements that are kept, before and after those that are not."""
        nothing = [at for at, e in enumerate(self.elements) if e is None]
        count = len(self.elements)
        gap = {"head": count, "tail": 0, "ends": self.gap}[self.keep]
        if gap is None:  # one opens where nothing is kept
            before = nothing[0] if nothing else count
            after = nothing[-1] + 1 if nothing else count
        else:
            before = min([gap, *nothing])
            after = max([gap, *(at + 1 for at in nothing)])
        parts = self.elements[:before], self.elements[after:]
        return tuple(map(_there, parts[0])), tuple(map(_there, parts[1]))

    def index(self, at: int) -> bytes:
        """Return where an element stood in the document, as a token."""
        gap = {"head": None, "tail": 0, "ends": self.gap}[self.keep]
        if gap is not None and at >= gap:
            at += self.total - len(self.elements)
        return b"%d" % at

    @cached_property
    def shown(self) -> tuple[Value, ...]:
        """The elements that are kept."""
        return self.parts[0] + self.parts[1]

    @cached_property
    def size(self) -> int:
        """The bytes of its squeezed form."""
        return max(2, 1 + sum(e.size + 1 for e in self.shown))

    @cached_property
    def given_up(self) -> bool:
        """Whether sharing took anything away, here or below."""
        return self.closed or any(e is None or e.given_up for e in self.elements)

    @cached_property
    def has_place(self) -> bool:
        """Whether anything is missing, here or below."""
        return len(self.shown) < self.total or any(e.has_place for e in self.shown)


@dataclass(frozen=True)
class Member:
    """A member of an object: the body of its key, and what is left of it."""

    key: bytes
    value: Value | None  # None: nothing is kept
    fate: Fate = Fate.COUNTED


@dataclass(frozen=True)
class Object:
    """An object; `members` are all that it had, in order."""

    members: tuple[Member, ...]
    small_closed: bool = False
    large_closed: bool = False

    @cached_property
    def shown(self) -> tuple[tuple[bytes, Value], ...]:
        """The members that are kept."""
        return tuple((m.key, m.value) for m in self.members if m.value is not None)

    @cached_property
    def missing(self) -> tuple[bytes, ...]:
        """The keys of the members that are left out."""
        return tuple(m.key for m in self.members if m.value is None)

    @cached_property
    def size(self) -> int:
        """The bytes of its squeezed form."""
        return max(2, 1 + sum(len(key) + 4 + v.size for key, v in self.shown))

    @cached_property
    def given_up(self) -> bool:
        """Whether sharing took anything away, here or below."""
        return any(
            m.fate is not Fate.WEIGHTLESS and (m.value is None or m.value.given_up)
            for m in self.members
        )

    @cached_property
    def has_place(self) -> bool:
        """Whether anything is missing, here or below."""
        return bool(self.missing) or any(v.has_place for _, v in self.shown)


Value: TypeAlias = Scalar | Text | Array | Object


_SPACE = re.compile(r"[ \t\n\r]*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_SCALAR = re.compile(r"[^ \t\n\r,\]}]+")


class _Reader:
    """A recursive reader of valid JSON text."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0

    def peek(self) -> str:
        """Skip white space and return the next character, "" at the end."""
        match = _SPACE.match(self.source, self.at)
        assert match is not None
        self.at = match.end()
        return self.source[self.at : self.at + 1]

    def skip(self, char: str) -> bool:
        """Go past this character if it is the next."""
        found = self.peek() == char
        self.at += found
        return found

    def string(self) -> str:
        match = _STRING.match(self.source, self.at)
        assert match is not None, "not valid JSON"
        self.at = match.end()
        return str(json.loads(match.group()))

    def value(self) -> Value:
        char = self.peek()
        if char == '"':
            text = self.string()
            return Text(String(text), len(text))
        if self.skip("["):
            elements: list[Value] = []
            while not self.skip("]"):
                elements.append(self.value())
                self.skip(",")
            return Array(tuple(elements), len(elements))
        if self.skip("{"):
            members: list[Member] = []
            while not self.skip("}"):
                key = squeeze(self.string())
                self.skip(":")
                members.append(Member(key, self.value()))
                self.skip(",")
            return Object(tuple(members))
        match = _SCALAR.match(self.source, self.at)
        assert match is not None, "not valid JSON"
        self.at = match.end()
        return Scalar(match.group().encode())


def parse(data: bytes, *, multi: bool = False) -> Value:
    """Return the tree of a document.

    Args:
        data: valid JSON text, in UTF-8, perhaps with a byte order mark.
        multi: it is JSON Lines; its root is the array of its lines.

    Returns:
        The root, with nothing left out.
    """
    reader = _Reader(data.decode().removeprefix("\ufeff"))
    if not multi:
        return reader.value()
    lines: list[Value] = []
    while reader.peek():
        lines.append(reader.value())
    return Array(tuple(lines), len(lines))


def squeezed(value: Value) -> bytes:
    """Return the squeezed form of what is still there of a value."""
    if isinstance(value, Scalar):
        return value.written
    if isinstance(value, Text):
        return b'"' + value.body + b'"'
    if isinstance(value, Array):
        return b"[" + b",".join(map(squeezed, value.shown)) + b"]"
    members = (b'"' + key + b'":' + squeezed(v) for key, v in value.shown)
    return b"{" + b",".join(members) + b"}"
