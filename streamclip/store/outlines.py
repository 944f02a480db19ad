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
from typing import Any, NamedTuple, TypeAlias

import orjson

from streamclip.api import clip
from streamclip.clipper import Clip
from streamclip.core.binding import BOM, Border, Found
from streamclip.errors import IncompleteJSONError
from streamclip.intake.sources import Chunk, open_chunks
from streamclip.store.document import NO_INDEX, Collector, Document, Place, Reading
from streamclip.store.shapes import Limit, Shape, compact

__all__ = ["outline"]

RUN_BYTES = 64 * 1024  # parsed at once; a value that is larger is entered
WINDOW_BYTES = 4 << 20  # of the stream, to go back in
NO_END = 2**62
BORDER_LEVELS = 11  # of containers that can be entered
STEP_MAX = 64 * 1024
MAX_DEPTH = 1024

Children: TypeAlias = "list[Any] | dict[str, Any]"


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
    if len(compact(told)) > max_bytes:
        told = root.told(examples=False)
    return clip(compact(told), max_bytes=max_bytes)


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


class _Run(NamedTuple):
    """Some children of a container that follow each other.

    `children` are None if their text, of `size` bytes, is no JSON by itself; `after`
    is what follows them.
    """

    children: Children | None
    size: int
    after: Found | None


class _Walker:
    """The way through the stream."""

    def __init__(self, window: _Window) -> None:
        document = Document(
            window.read, NO_END, NO_INDEX, jsonl=True, max_depth=MAX_DEPTH
        )
        self._reading = Reading(document)
        self._limit = Limit()

    def shape(self) -> Shape:
        """Go through all of it."""
        lines = Shape(self._limit, 0)
        lines.add_kind("lines")
        self._enter(Place((), b""), 0, lines)
        lines.bytes = self._reading.offset
        if lines.items == 0:
            raise IncompleteJSONError("the input is empty", 0, None)
        if lines.items == 1 and lines.of is not None:
            return lines.of
        return lines

    def _enter(self, place: Place, objects: int, shape: Shape) -> None:
        """Count the children of a container that has begun."""
        level = len(place.numbers)
        if place.unit == "members":
            objects |= 1 << level
        step, most = 1, STEP_MAX  # children that are parsed at once
        found = self._reading.next(level)
        while found is not None and not found.is_end:
            run = self._run(place, found, step)
            if run is not None and run.children is not None:
                _count(shape, run.children)
                if run.size < RUN_BYTES // 2:
                    step = min(2 * step, most)
                found = run.after
                continue
            if run is not None and step == 1:  # every byte was right, some are missing
                raise self._incomplete()
            self._again(place, objects, found)
            if run is not None:
                step = most = 1
            elif step > 1:
                step = max(1, step // 8)
            else:
                found = self._take_large(place, objects, shape, found)
        if found is None and level > 0:
            raise self._incomplete()

    def _incomplete(self) -> IncompleteJSONError:
        return IncompleteJSONError(
            "the input ended before the document did", self._reading.offset, None
        )

    def _run(self, place: Place, found: Found, step: int) -> _Run | None:
        """Read some children; None if that is too much to be parsed at once."""
        level = len(place.numbers)
        is_map = place.unit == "members"
        text = Collector(RUN_BYTES)
        reading = self._reading
        reading.take_back(found.begin if is_map else found.at)
        after = reading.on_to(level, found.number + step, text.take, text.wants_more)
        if after is None and (level > 0 or not text.wants_more()):
            return None
        data = text.data()
        try:
            children = _parsed(place, data, step)
        except RecursionError:
            return None
        if is_map and after and len(children or ()) < after.number - found.number:
            children = None  # a name is there twice
        return _Run(children, len(data), after)

    def _again(self, place: Place, objects: int, found: Found) -> None:
        """Go back to a child that was found."""
        numbers = (*place.numbers, found.number)
        self._reading.restart(Border(found.begin, numbers, objects, text=False))
        self._reading.next(len(place.numbers))

    def _take_large(
        self, place: Place, objects: int, parent: Shape, found: Found
    ) -> Found | None:
        """Enter a child that is too large to be parsed."""
        if place.unit == "members":
            name = self._reading.text(found.begin, found.at)
            parent.members += 1
            shape = parent.field(json.loads(name.rstrip(b" \t\r\n:")))
        else:
            parent.items += 1
            shape = parent.element()
        first = self._reading.text(found.at, found.at + 1)
        child = Place((*place.numbers, found.number), first)
        if child.unit == "chars":
            shape.add_long_text(self._reading.all_chars(child))
        elif child.unit:
            shape.add_kind("array" if child.unit == "items" else "object")
            if len(child.numbers) <= BORDER_LEVELS:
                self._enter(child, objects, shape)
        after = self._reading.next(len(place.numbers))
        end = self._reading.offset if after is None else after.last
        if child.unit in ("items", "members"):
            shape.bytes += end - found.at
        return after


def _parsed(place: Place, text: bytes, step: int) -> Children | None:
    """Parse some children of a container, at most `step`.

    Returns:
        Them, or None if their text is no JSON by itself: the last line is torn off,
        or the lines are documents of more than one line.

    Raises:
        RecursionError: They are too deep.
    """
    if place.unit == "members":
        text = b"{" + text + b"}"
    else:
        if step > 1 and not place.numbers:
            # No JSON is still JSON with a comma more between two of its tokens.
            text = b",".join(line for line in text.split(b"\n") if line.strip())
        text = b"[" + text + b"]"
    try:
        children: Children = orjson.loads(text)
    except orjson.JSONDecodeError:
        try:
            children = json.loads(text)  # a lone surrogate, or numbers that are large
        except ValueError:
            return None
    return children


def _count(shape: Shape, children: Children) -> None:
    """Count the children of a container that has this shape."""
    if isinstance(children, dict):
        shape.members += len(children)
        shape.add_members([children])
    else:
        shape.items += len(children)
        shape.element().add(children)
