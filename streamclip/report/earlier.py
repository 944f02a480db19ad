"""Clips of clips: the block that an earlier clip put first.

Its counts are about the document that it was made of, so they are worth more
than what can be counted now. It is taken off the stream before the core sees
it, and what it says is put into the new report, where that is still true: where
its `kept` equals what is there. Its `more` and its note are never copied.

    {"_clip":BLOCK,"rows":[…]}        -> {"rows":[…]}
    {"_clip":BLOCK,"data":[…]}        -> […]      if it is about a root array
    {"_clip":BLOCK} and further lines -> the lines

Whether `data` is the last member only the end of the stream tells. So such a
stream is read in both ways, by two Clippers, until one of them is wrong.
"""

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any

import orjson

from streamclip.report.values import UNIT_ORDER, Cut, in_order

__all__ = ["Earlier", "Opening", "begins_with_block", "merge_cuts"]

# A block is short; what is longer is not looked into.
HEAD_BYTES = 16 * 1024
GLANCE_BYTES = 64  # nearly always enough to see that there is none
HELD_BYTES = 4 * 1024

SPACE = rb"[ \t\r\n]*"
START = re.compile(
    SPACE + rb"\{" + SPACE + rb'"_clip"' + SPACE + rb":" + SPACE + rb"\{"
)
# What may yet become that.
PART = re.compile(
    SPACE
    + rb"(\{"
    + SPACE
    + rb'("(_(c(l(i(p("'
    + SPACE
    + rb"(:"
    + SPACE
    + rb")?)?)?)?)?)?)?)?)?"
)
DATA_PART = r'\s*("(d(a(t(a("\s*)?)?)?)?)?)?'

OUR_KEYS = {
    "cuts",
    "more_cuts",
    "input_cut",
    "total_is",
    "cursor_gap",
    "selection",
    "warning",
    "more",
    "note",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Earlier:
    """What an earlier clip said of the document that it was made of.

    Args:
        cuts: Its cuts, as far as they were told.
        at_least: Whether its totals were minima.
        input_cut: Whether its input had ended early.
        unlisted: How many cuts it counted without telling them.
    """

    cuts: tuple[Cut, ...]
    at_least: bool
    input_cut: bool
    unlisted: int

    def below(self, path: str) -> Earlier:
        """Return the same of a document that is only a part of another."""
        cuts = (dataclasses.replace(cut, path=path + cut.path) for cut in self.cuts)
        return dataclasses.replace(self, cuts=tuple(cuts))


def begins_with_block(document: bytes) -> bool:
    """Tell whether a whole document seems to begin with a block."""
    return START.match(document) is not None


def _may_begin(text: bytes) -> bool:
    """Tell whether a stream that begins so may begin with a block."""
    return (START.match(text) or PART.fullmatch(text)) is not None


class Opening:
    """The beginning of a stream, held back until it is known what it is.

    Args:
        text_format: "auto", "json" or "jsonl".
        unwrap: Whether a wrapping is taken off too; else it is only told.
    """

    def __init__(self, text_format: str, *, unwrap: bool = False) -> None:
        self._head = b""
        self._decided = False
        self._may_be_lines = text_format != "json"
        self._unwrap = unwrap
        self._unwrapped = False
        self._held = b""  # the end of the stream so far, if it may be the wrapping's
        self.wraps = False  # whether it may be a wrapping, which is left on
        self.earlier: Earlier | None = None
        self.removed = 0  # bytes that were taken off
        self.took_line = False  # and whether they were a line of JSON Lines

    def pass_on(self, chunk: bytes | memoryview) -> list[bytes | memoryview]:
        """Take a chunk, and return what may go on to the core."""
        if self._decided:
            return [self._without_end(chunk)] if self._unwrapped else [chunk]
        if not self._head and not _may_begin(bytes(chunk[:GLANCE_BYTES])):
            self._decided = True
            return [chunk]
        room = HEAD_BYTES - len(self._head)
        view = memoryview(chunk)  # the rest of it may be all of a large document
        head, rest = self._head + bytes(view[:room]), view[room:]
        self._head = head
        if START.match(head):
            if not self._take_off() and len(head) < HEAD_BYTES:
                return []
        elif PART.fullmatch(head) and len(head) < HEAD_BYTES:
            return []
        self._decided = True
        return [*self.pass_on(self._head), *self.pass_on(rest)]

    def end(self) -> list[bytes | memoryview]:
        """Return what was held back, now that the stream has ended."""
        if not self._decided:
            return [self._head]
        # The wrapping's brace is no part of what it wraps.
        return [self._held[1:] if self._held[:1] == b"}" else self._held]

    @property
    def held(self) -> bytes:
        """What has come, as long as it is not known what it is."""
        return b"" if self._decided else self._head

    @property
    def is_unclosed(self) -> bool:
        """Whether a wrapping was taken off that has not ended."""
        return self._unwrapped and self._held[:1] != b"}"

    def _take_off(self) -> bool:
        """Take the block off the head if it is whole; False: more is needed."""
        text = self._head.decode("utf-8", "surrogateescape")
        start = text.index("{", text.index('"_clip"'))
        try:
            block, end = json.JSONDecoder().raw_decode(text, start)
        except (ValueError, RecursionError):
            return False
        rest = text[end:].lstrip(" \t\r\n")
        sign, rest = rest[:1], rest[1:]
        member = re.match(r'\s*"data"\s*:', rest)
        if not rest.strip() or (not member and re.fullmatch(DATA_PART, rest)):
            return False
        is_member = sign == "," and rest.lstrip(" \t\r\n")[:1] == '"'
        is_line = sign == "}" and re.match(r"[ \t\r]*\n", rest) is not None
        earlier = _earlier(block) if _is_strict(text[start:end]) else None
        if earlier is None or not (is_member or (is_line and self._may_be_lines)):
            return True
        self.earlier = earlier
        about_root = any(not c.path and c.unit != "members" for c in earlier.cuts)
        if is_member and member and about_root and self._unwrap:
            self._unwrapped = True
            rest = rest[member.end() :]
        elif is_member:
            rest = "{" + rest
            if member and about_root:
                self.wraps = True
                self.earlier = earlier.below("/data")
        else:
            self.took_line = True
        before = len(self._head)
        self._head = rest.encode("utf-8", "surrogateescape")
        self.removed = before - len(self._head)
        return True

    def _without_end(self, chunk: bytes | memoryview) -> bytes:
        """Hold back a brace with nothing but white space behind it."""
        joined = self._held + bytes(chunk)
        body = joined.rstrip(b" \t\r\n")
        at = len(joined)
        if body.endswith(b"}") and len(joined) - len(body) < HELD_BYTES:
            at = len(body) - 1
        self._held = joined[at:]
        return joined[:at]


def _is_strict(text: str) -> bool:
    """Tell whether a text is JSON to others than Python, which reads more."""
    try:
        orjson.loads(text.encode("utf-8", "surrogateescape"))
    except ValueError:
        return False
    return True


def _earlier(block: Any) -> Earlier | None:
    """Read a block; None if it is none of ours."""
    if not isinstance(block, dict) or not block or not block.keys() <= OUR_KEYS:
        return None
    lines = block.get("cuts", [])
    if not isinstance(lines, list):
        return None
    try:
        cuts = tuple(_cut(line) for line in lines)
    except (AttributeError, TypeError, KeyError, ValueError):
        return None
    unlisted = block.get("more_cuts", 0)
    input_cut = block.get("input_cut") is True
    if type(unlisted) is not int or not (cuts or unlisted > 0 or input_cut):
        return None
    return Earlier(cuts, block.get("total_is") == "at_least", input_cut, unlisted)


def _cut(line: dict[str, Any]) -> Cut:
    names = tuple(map(str, line.get("names", ())))
    known = {key: value for key, value in line.items() if key != "names"}
    cut = Cut(**{"unit": "items", **known}, names=names)
    counts = (cut.kept, cut.total, cut.omitted, cut.places)
    if not isinstance(cut.path, str) or not all(type(c) is int for c in counts):
        raise TypeError
    if cut.kept + cut.omitted != cut.total or cut.unit not in UNIT_ORDER:
        raise ValueError
    return cut


def merge_cuts(
    cuts: tuple[Cut, ...], earlier: Earlier, document: Any
) -> tuple[tuple[Cut, ...], int]:
    """Put what an earlier clip said into the cuts of this one.

    Args:
        cuts: The cuts of this clip, counted in what the earlier one had kept.
        earlier: What that one said.
        document: This clip's data as JSON values; JSON Lines as a list.

    Returns:
        The cuts, in the report's order, and how many of the earlier ones are
        not true any more and could not be brought up to date.
    """
    merged = {(cut.path, cut.unit): cut for cut in cuts}
    lost = 0
    for old in earlier.cuts:
        new = merged.get((old.path, old.unit))
        if new is None:
            if _is_there(document, old):
                merged[old.path, old.unit] = old
            else:
                lost += 1
        elif new.places == old.places == 1 and new.total == old.kept:
            merged[old.path, old.unit] = dataclasses.replace(
                new, total=old.total, omitted=old.total - new.kept, names=()
            )
        else:
            lost += 1
    return in_order(merged.values()), lost


def _is_there(document: Any, cut: Cut) -> bool:
    """Tell whether what the cut kept is all still here, and no more of it."""
    sizes = [
        _size(value)
        for value in _places([document], cut.path.split("/")[1:])
        if _unit(value) == cut.unit
    ]
    if cut.places == 1:
        return cut.kept in sizes
    return len(sizes) == cut.places and sum(sizes) == cut.kept


def _places(values: list[Any], tokens: list[str]) -> list[Any]:
    for token in tokens:
        below: list[Any] = []
        key = token.replace("~2", "*").replace("~1", "/").replace("~0", "~")
        for value in values:
            if token == "*" and isinstance(value, (list, dict)):
                below += value.values() if isinstance(value, dict) else value
            elif isinstance(value, dict) and key in value:
                below.append(value[key])
        values = below
    return values


def _unit(value: Any) -> str:
    if isinstance(value, str):
        return "chars"
    return "members" if isinstance(value, dict) else "items"


def _size(value: Any) -> int:
    if isinstance(value, dict):
        return len(value) - ("_clip" in value)  # a mark is no member of its own
    return len(value) if isinstance(value, (str, list)) else -1
