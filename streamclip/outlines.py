"""Outlines: the shape of a large document, to be read before any of it.

The document is read once, as a stream. Runs of small values are parsed by orjson
and counted into a tree of shapes; what is too large for that is entered. The tree
is bounded: in names, in levels, in examples.

    {"rows": [{"id": 7}, {"id": 8, "note": "late"}]}

    object  fields  rows   array 2  of  object  fields  id     number 7 to 8
                                                        note   string, in 1
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import Any

import orjson

from streamclip._binding import BOM, Border, Found
from streamclip.clip import clip
from streamclip.clipper import Clip
from streamclip.document import NO_INDEX, Document, Place, Reading
from streamclip.errors import IncompleteJSONError
from streamclip.sources import Chunk, open_chunks

__all__ = ["outline"]

RUN_BYTES = 64 * 1024  # parsed at once; a value that is larger is entered
WINDOW_BYTES = 4 << 20  # of the stream, to go back in
NO_END = 2**62
BORDER_LEVELS = 11  # of containers that can be entered

FIELDS_MAX = 48  # an object of more, or one of several with more, is a map
LEVELS_MAX = 12
NODES_MAX = 2000
STEP_MAX = 4096
VALUES_MAX = 6  # different short values that are told
VALUE_CHARS = 40
KEYS_TOLD = 3
MAX_DEPTH = 1024


def outline(source: Any, *, max_bytes: int = 4000) -> Clip:
    """Tell the shape of a document within a budget.

    Args:
        source: What `clip` takes: JSON text, an `os.PathLike`, an open file, an
            iterator of chunks such as `store.read(ref)`, or a JSON value.
        max_bytes: Budget in bytes.

    Returns:
        A clip of the shape, an object: `kind`; for containers about how many `bytes`
        they have, and `items` or `members`, summed over all of them; `of`, the shape
        of all elements together; `fields`, those of members by name, or, of maps,
        some `keys` and `each`, that of all members; for scalars the `range`, of
        strings that of their lengths in `chars`, and the `values`, or a few as
        `examples`. What not every record has tells `in` how many it is.

    Raises:
        InvalidJSONError: The source is not valid JSON.
        IncompleteJSONError: It ended early.
        BudgetTooSmallError: Not even the least shape fits.

    >>> rows = [{"id": n, "ok": n % 2 == 0} for n in range(100)]
    >>> print(outline(rows).text)  # doctest: +NORMALIZE_WHITESPACE
    {"kind":"array","bytes":2041,"items":100,"of":{"kind":"object","bytes":1940,"fields":{"id":{"kind":"number","range":[0,99],"examples":[0,1,2]},"ok":{"kind":"boolean"}}}}
    """
    with contextlib.closing(open_chunks(source)) as chunks:
        root = _Walker(_Window(chunks)).shape()
    told = root.told(examples=True)
    if len(_dump(told)) > max_bytes:
        told = root.told(examples=False)
    return clip(_dump(told), max_bytes=max_bytes)


def _dump(value: Any) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError:  # a lone surrogate
        return json.dumps(value, separators=(",", ":")).encode()


class _Window:
    """The end of a stream as far as it was read."""

    def __init__(self, chunks: Iterator[Chunk]) -> None:
        self._chunks = chunks
        self._data = bytearray()
        self._start = 0
        while len(self._data) < len(BOM) and self._more():
            pass
        if self._data.startswith(BOM):
            del self._data[: len(BOM)]

    def _more(self) -> bool:
        chunk = next(self._chunks, None)
        if chunk is not None:
            self._data += chunk
        return chunk is not None

    def read(self, start: int, end: int) -> bytes:
        """Return the bytes from one offset to another, or up to the end."""
        while self._start + len(self._data) < end and self._more():
            extra = len(self._data) - WINDOW_BYTES
            if extra > WINDOW_BYTES:  # rarely: it moves all that stays
                extra = min(extra, start - self._start)
                del self._data[:extra]
                self._start += extra
        return bytes(self._data[start - self._start : end - self._start])


class _Walker:
    """The way through the stream."""

    def __init__(self, window: _Window) -> None:
        document = Document(
            window.read, NO_END, NO_INDEX, jsonl=True, max_depth=MAX_DEPTH
        )
        self._reading = Reading(document)
        self._limit = _Limit()
        self._step = 32  # elements that are parsed at once

    def shape(self) -> _Shape:
        """Go through all of it."""
        lines = _Shape(self._limit, 0)
        lines.add_kind("lines")
        self._enter(Place((), b""), 0, lines)
        lines.bytes = self._reading.offset
        if lines.items == 0:
            raise IncompleteJSONError("the input is empty", 0, None)
        if lines.items == 1 and lines.of is not None:
            return lines.of
        return lines

    def _enter(self, place: Place, objects: int, shape: _Shape) -> None:
        """Count the children of a container that has begun."""
        level = len(place.numbers)
        if place.unit == "members":
            objects |= 1 << level
        found = self._reading.next(level)
        while found is not None and not found.is_end:
            if place.unit == "members":
                found = self._take_member(place, objects, shape, found)
            else:
                found = self._take_run(place, objects, shape, found)
        if found is None and level > 0:
            raise self._incomplete()

    def _incomplete(self) -> IncompleteJSONError:
        return IncompleteJSONError(
            "the input ended before the document did", self._reading.offset, None
        )

    def _take_run(
        self, place: Place, objects: int, shape: _Shape, found: Found
    ) -> Found | None:
        """Count the next elements, as many as are parsed at once."""
        level = len(place.numbers)
        step = self._step if level else 1  # lines are no elements of an array
        text, after = self._text(level, found, step)
        while text is None and step > 1:
            step = self._step = max(1, step // 8)
            self._again(place, objects, found)
            text, after = self._text(level, found, step)
        if text is None:
            shape.items += 1
            return self._take_large(place, objects, shape.element(), found)
        if len(text) < RUN_BYTES // 4:
            self._step = min(2 * self._step, STEP_MAX)
        try:
            elements = _parsed(b"[" + text + b"]")
        except ValueError:  # every byte was right, and some are missing
            raise self._incomplete() from None
        for value in elements:
            shape.items += 1
            shape.element().add(value)
        return after

    def _take_member(
        self, place: Place, objects: int, shape: _Shape, found: Found
    ) -> Found | None:
        """Count one member."""
        raw = self._reading.text(found.begin, found.at)
        key: str = json.loads(raw.rstrip(b" \t\r\n:"))
        member = shape.field(key)
        shape.members += 1
        text, after = self._text(len(place.numbers), found, 1)
        if text is None:
            return self._take_large(place, objects, member, found)
        member.add(_parsed(text))
        return after

    def _text(
        self, level: int, found: Found, step: int
    ) -> tuple[bytes | None, Found | None]:
        """Read some children; None if that is too much to be parsed at once."""
        parts: list[bytes] = []
        size = 0

        def take(piece: bytes) -> None:
            nonlocal size
            size += len(piece)
            parts.append(piece)

        reading = self._reading
        reading.take_back(found.at)
        after = reading.on_to(
            level, found.number + step, take, lambda: size <= RUN_BYTES
        )
        if after is None and (size > RUN_BYTES or level > 0):
            return None, None
        return b"".join(parts), after

    def _again(self, place: Place, objects: int, found: Found) -> None:
        """Go back to a child that was found."""
        numbers = (*place.numbers, found.number)
        self._reading.restart(Border(found.begin, numbers, objects, text=False))
        self._reading.next(len(place.numbers))

    def _take_large(
        self, place: Place, objects: int, shape: _Shape, found: Found
    ) -> Found | None:
        """Enter a child that is too large to be parsed."""
        self._again(place, objects, found)
        first = self._reading.text(found.at, found.at + 1)
        child = Place((*place.numbers, found.number), first)
        if child.unit == "chars":
            shape.add_text(self._reading.all_chars(child), None)
        elif child.unit:
            shape.add_kind("array" if child.unit == "items" else "object")
            if len(child.numbers) <= BORDER_LEVELS:
                self._enter(child, objects, shape)
        after = self._reading.next(len(place.numbers))
        end = self._reading.offset if after is None else after.last
        if child.unit in ("items", "members"):
            shape.bytes += end - found.at
        return after


def _parsed(text: bytes) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return json.loads(text)  # it has a lone surrogate, or numbers that are large


class _Limit:
    """How many shapes there are."""

    def __init__(self) -> None:
        self.nodes = 0


class _Shape:
    """What is known of all values in one place."""

    def __init__(self, limit: _Limit, level: int) -> None:
        limit.nodes += 1
        self._limit = limit
        self._level = level
        self.kinds: dict[str, int] = {}
        self.bytes = 0
        self.items = 0
        self.members = 0
        self.of: _Shape | None = None
        self._fields: dict[str, _Shape] = {}
        self._is_map = False
        self._members_of: _Shape | None = None
        self._keys: list[str] = []
        self._low: Any = None
        self._high: Any = None
        self._chars = (0, 0)
        self._values: list[Any] = []
        self._has_others = False

    def add_kind(self, kind: str) -> None:
        """Count a value of a kind."""
        self.kinds[kind] = self.kinds.get(kind, 0) + 1

    def element(self) -> _Shape:
        """Return the shape of all elements."""
        if self.of is None:
            self.of = _Shape(self._limit, self._level + 1)
        return self.of

    def field(self, key: str) -> _Shape:
        """Return the shape of the members with a key."""
        found = self._fields.get(key)
        if found is not None:
            return found
        if self._is_map:
            return self.member()
        if len(self._fields) >= FIELDS_MAX or self._is_bounded():
            return self._become_map()
        self._fields[key] = _Shape(self._limit, self._level + 1)
        return self._fields[key]

    def member(self) -> _Shape:
        """Return the shape of all members of a map."""
        if self._members_of is None:
            self._members_of = _Shape(self._limit, self._level + 1)
        return self._members_of

    def _become_map(self) -> _Shape:
        """Put the shapes of all members together: their names are data."""
        self._is_map = True
        self._keys = [*self._fields][:KEYS_TOLD]
        for shape in self._fields.values():
            self.member().merge(shape)
        self._fields = {}
        return self.member()

    def merge(self, other: _Shape) -> None:
        """Count what another shape has counted."""
        if "string" in other.kinds:
            mine = self._chars if "string" in self.kinds else other._chars
            low, high = zip(mine, other._chars, strict=True)
            self._chars = (min(low), max(high))
        for kind, count in other.kinds.items():
            self.kinds[kind] = self.kinds.get(kind, 0) + count
        self.bytes += other.bytes
        self.items += other.items
        self.members += other.members
        for number in (other._low, other._high):
            if number is not None:
                self._widen(number)
        for value in other._values:
            self._add_value(value)
        self._has_others |= other._has_others
        if other.of is not None:
            self.element().merge(other.of)
        if other._members_of is not None:
            if not self._is_map:
                self._become_map()
            self.member().merge(other._members_of)
        for key, shape in other._fields.items():
            self.field(key).merge(shape)

    def _is_bounded(self) -> bool:
        return self._limit.nodes >= NODES_MAX or self._level >= LEVELS_MAX

    def add(self, value: Any) -> None:
        """Count a value, and all in it."""
        if isinstance(value, str):
            self.add_text(len(value), value)
        elif isinstance(value, bool):
            self.add_kind("boolean")
        elif value is None:
            self.add_kind("null")
        elif isinstance(value, (int, float)):
            self.add_kind("number")
            self._widen(value)
            self._add_value(value)
        else:
            self._add_container(value)

    def _widen(self, number: float) -> None:
        self._low = number if self._low is None else min(self._low, number)
        self._high = number if self._high is None else max(self._high, number)

    def _add_container(self, value: Any) -> None:
        self.add_kind("array" if isinstance(value, list) else "object")
        self.bytes += len(_dump(value))
        too_deep = self._level > LEVELS_MAX or self._limit.nodes > 2 * NODES_MAX
        if isinstance(value, list):
            self.items += len(value)
            for element in [] if too_deep else value:
                self.element().add(element)
            return
        self.members += len(value)
        for key, member in {} if too_deep else value.items():
            self.field(key).add(member)

    def add_text(self, chars: int, text: str | None) -> None:
        """Count a string, which is None if it is too long to be told."""
        low, high = self._chars if "string" in self.kinds else (chars, chars)
        self._chars = (min(low, chars), max(high, chars))
        self.add_kind("string")
        if text is not None and chars <= VALUE_CHARS:
            self._add_value(text)
        else:
            self._has_others = True

    def _add_value(self, value: Any) -> None:
        if value in self._values:
            return
        if len(self._values) < VALUES_MAX:
            self._values.append(value)
        else:
            self._has_others = True

    @property
    def count(self) -> int:
        """How many values there are."""
        return sum(self.kinds.values())

    def told(self, *, examples: bool, among: int | None = None) -> dict[str, Any]:
        """Return it as JSON values; `among` is how many records there are."""
        kinds = [*self.kinds]
        found: dict[str, Any] = {"kind": kinds[0] if len(kinds) == 1 else kinds}
        if among is not None and self.count != among:
            found["in"] = self.count
        if self.bytes:
            found["bytes"] = self.bytes
        if "array" in self.kinds or "lines" in self.kinds:
            found["items"] = self.items
        if "object" in self.kinds and (self.kinds["object"] == 1 or self._is_map):
            found["members"] = self.members
        if self._low is not None:
            found["range"] = [self._low, self._high]
        if "string" in self.kinds:
            low, high = self._chars
            found["chars"] = low if low == high else [low, high]
        if examples and self._values:
            some = self._values[:3] if self._has_others else self._values
            found["examples" if self._has_others else "values"] = some
        if self._fields:
            records = self.kinds.get("object", 0)
            found["fields"] = {
                key: shape.told(examples=examples, among=records)
                for key, shape in self._fields.items()
            }
        if self._members_of is not None:
            if examples:
                found["keys"] = self._keys
            found["each"] = self._members_of.told(examples=examples)
        if self.of is not None:
            found["of"] = self.of.told(examples=examples)
        return found
