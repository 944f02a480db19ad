"""Finding values in a stored document without reading all of it.

A document is read by ranges. Where its index has a border, a search begins there;
what lies between is read once, by a seeker, and kept nowhere.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from streamclip.core.binding import Border, Found, Seeker
from streamclip.store.index import Index

__all__ = [
    "Collector",
    "Document",
    "Place",
    "Reading",
    "Run",
    "embedded_document",
    "in_memory",
    "runs",
    "texts_of",
]

FIRST_READ_BYTES = 64 * 1024  # then as much as was read so far
MOST_READ_BYTES = 1 << 20
EMBEDDED_MAX = 64 << 20  # bytes of a string that is read as a document
RUN_BYTES = 64 * 1024
ALL = 2**64 - 1
NO_INDEX = Index([])

Sink = Callable[[bytes], object]


class Place(NamedTuple):
    """A value in a document.

    `numbers` are those of a border: its line, and the child at each level on the
    way. `first` is its first byte, which tells what it is; b"" is the list of lines.
    """

    numbers: tuple[int, ...]
    first: bytes

    @property
    def unit(self) -> str:
        """What it consists of; "" for a number or literal."""
        return {b"": "items", b"[": "items", b"{": "members", b'"': "chars"}.get(
            self.first, ""
        )


class Document:
    """A document that is read by ranges.

    Args:
        read: Returns the bytes from one offset to another.
        size: How many bytes there are.
        index: Where reading can begin.
        jsonl: Whether it is JSON Lines.
        max_depth: Levels of nesting that it may have.
    """

    def __init__(
        self,
        read: Callable[[int, int], bytes],
        size: int,
        index: Index,
        *,
        jsonl: bool,
        max_depth: int,
    ) -> None:
        self._read = read
        self._last = memoryview(b"")  # what was read last, and where it begins
        self._last_offset = 0
        self.size = size
        self.index = index
        self.jsonl = jsonl
        self.max_depth = max_depth

    def read(self, start: int, size: int) -> memoryview:
        """Return bytes from an offset on: at least one, unless it is the end."""
        at = start - self._last_offset
        if not 0 <= at < len(self._last):
            end = min(start + size, self.size)
            self._last = memoryview(self._read(start, end) if start < end else b"")
            self._last_offset, at = start, 0
        return self._last[at : at + size]

    def find(self, pointer: str) -> tuple[Reading, Place] | None:
        """Go to a value.

        Args:
            pointer: Its JSON Pointer; in JSON Lines the first token is the line.

        Returns:
            A reading that has just begun it, and what it is; None if there is no
            such value.
        """
        tokens = tokens_of(pointer)
        if tokens is None:
            return None
        reading = Reading(self)
        place = Place((), b"")
        for token in tokens if self.jsonl else ["0", *tokens]:
            found = reading.enter(place, token)
            if found is None:
                return None
            place = found
        return reading, place


def tokens_of(pointer: str) -> list[str] | None:
    """Split a JSON Pointer (RFC 6901); None if it is none.

    >>> tokens_of("/a~1b/0"), tokens_of(""), tokens_of("a")
    (['a/b', '0'], [], None)
    """
    if (pointer and not pointer.startswith("/")) or re.search("~(?![01])", pointer):
        return None
    return [t.replace("~1", "/").replace("~0", "~") for t in pointer.split("/")[1:]]


class Collector:
    """Bytes that come in pieces, of which too many are not wanted.

    Args:
        most: More than so many are too many.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._parts: list[bytes] = []
        self._size = 0

    def take(self, piece: bytes) -> None:
        """Take the next piece."""
        self._parts.append(piece)
        self._size += len(piece)

    def wants_more(self) -> bool:
        """Tell whether what has come is not yet too much."""
        return self._size <= self._most

    def data(self) -> bytes:
        """Return all that has come."""
        return b"".join(self._parts)


class Reading:
    """A way through a document, from one found place to the next.

    Args:
        document: The document, which is begun.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        text_format = "jsonl" if document.jsonl else "json"
        self._seeker = Seeker(document.max_depth, text_format)
        self._begin = 0  # from where on all was read
        self._held = b""  # read, and not yet handed on
        self.offset = 0

    def _go(self, border: Border | None) -> None:
        """Go on from a border, if that is a way forward."""
        if border is not None and border.offset > self.offset:
            self._seeker.go(border)
            self.offset = self._begin = border.offset

    def enter(self, parent: Place, token: str) -> Place | None:
        """Go to a child of a container that has just begun."""
        if parent.unit == "items":
            if not re.fullmatch("0|[1-9][0-9]{0,17}", token):
                return None
            found = self.go_to(parent, int(token))
        elif parent.unit == "members":
            found = self._find_key(parent, token)
        else:
            return None
        if found is None or found.is_end:
            return None
        return Place((*parent.numbers, found.number), self._byte_at(found.at))

    def _byte_at(self, offset: int) -> bytes:
        return bytes(self._document.read(offset, 1))

    def restart(self, border: Border) -> None:
        """Go back to a border that was passed."""
        self._seeker.go(border)
        self.offset = self._begin = border.offset
        self._held = b""

    def go_to(self, parent: Place, number: int) -> Found | None:
        """Go to the child of a container, which has begun, by its number.

        Returns:
            What was found: the child, or the end; None if the input ends first.
        """
        self._go(self._document.index.before(parent.numbers, number))
        self._seeker.look_for_number(len(parent.numbers), number)
        return self._run()

    def _find_key(self, parent: Place, token: str) -> Found | None:
        level = len(parent.numbers)
        key = token.encode("utf-8", "surrogatepass")
        self._seeker.look_for_key(level, key)
        for first, last in self._document.index.large_children(parent.numbers):
            if first < self.offset:
                continue
            found = self._run(first)
            if found is not None:
                return found
            self._go(last)
            self._seeker.look_for_key(level, key)
        return self._run()

    def total(self, parent: Place) -> int:
        """Count all children of a container that has begun and not ended."""
        level = len(parent.numbers)
        self._go(self._document.index.last_in(parent.numbers))
        self._seeker.look_for_number(level, ALL)
        found = self._run()
        return self._seeker.count(level) if found is None else found.number

    def next(self, level: int, sink: Sink | None = None) -> Found | None:
        """Go to the next child at a level, or its end."""
        self._seeker.look_for_next(level)
        return self._run(sink=sink)

    def on_to(
        self,
        level: int,
        number: int,
        sink: Sink,
        wanted: Callable[[], bool] | None = None,
    ) -> Found | None:
        """Go on to a child at the level where one is at hand, as long as wanted."""
        self._seeker.look_for_number(level, number)
        return self._run(sink=sink, wanted=wanted)

    def count(self, level: int) -> int:
        """Tell how many children have begun at an open level."""
        return self._seeker.count(level)

    def go_to_char(self, text: Place, number: int) -> Found | None:
        """Go to a character of a string that has just begun."""
        border = self._document.index.before(text.numbers, number)
        self._go(border)
        self._seeker.look_for_character(number)
        return self._run()

    def more_chars(
        self, sink: Sink, wanted: Callable[[], bool], end: int = ALL
    ) -> Found | None:
        """Go on in a string up to a character, as long as more of it is wanted."""
        self._seeker.look_for_character(end)
        return self._run(sink=sink, wanted=wanted)

    @property
    def chars(self) -> int:
        """How many characters of the string at hand were read."""
        return self._seeker.chars

    def all_chars(self, text: Place) -> int:
        """Count all characters of a string that has begun and not ended."""
        self._go(self._document.index.last_in(text.numbers))
        self._seeker.look_for_character(ALL)
        found = self._run()
        return self._seeker.chars if found is None else found.number

    def take_back(self, offset: int) -> None:
        """Have the next sink get what was read from an offset on."""
        self._held = self.text(offset, self.offset)

    def text(self, start: int, end: int) -> bytes:
        """Return the bytes from one offset to another."""
        parts = []
        while start < end:
            part = bytes(self._document.read(start, end - start))
            parts.append(part)
            start += len(part)
        return b"".join(parts)

    def _run(
        self,
        limit: int | None = None,
        sink: Sink | None = None,
        wanted: Callable[[], bool] | None = None,
    ) -> Found | None:
        """Read on until something is found; None at the limit or the end.

        Args:
            limit: Where to stop.
            sink: Gets what is read, but no comma or key behind what it has.
            wanted: Tells between two reads whether to go on.
        """
        while True:
            size = max(FIRST_READ_BYTES, self.offset - self._begin)
            size = min(size, MOST_READ_BYTES)
            if limit is not None:
                size = min(size, limit - self.offset)
            if size <= 0:
                return None
            chunk = self._document.read(self.offset, size)
            if not chunk:
                if sink:
                    self._hand_on(b"", self.offset, sink)
                return None
            taken, found = self._seeker.feed(chunk)
            self.offset += taken
            if sink:
                whole = self._seeker.whole if found is None else found.last
                self._hand_on(bytes(chunk[:taken]), whole, sink)
            if found is not None:
                return found
            if wanted and not wanted():
                return None

    def _hand_on(self, piece: bytes, whole: int, sink: Sink) -> None:
        data = self._held + piece
        ready = len(data) - (self.offset - whole)
        if ready > 0:
            sink(data[:ready])
            data = data[ready:]
        self._held = data


def embedded_document(reading: Reading, max_depth: int) -> Document | None:
    """Read the JSON in a string that has just begun.

    Returns:
        It as a document of its own; None if it is too large, or none.
    """
    body = Collector(EMBEDDED_MAX)
    if reading.more_chars(body.take, body.wants_more) is None:
        return None
    try:
        data = json.loads(b'"' + body.data() + b'"').encode()
    except UnicodeEncodeError:  # a lone surrogate
        return None
    seeker = Seeker(max_depth, "auto")
    seeker.note_borders()
    try:
        seeker.feed(data)
    except ValueError:
        return None
    jsonl = seeker.count(0) > 1
    return in_memory(data, Index(seeker.borders()), jsonl=jsonl, max_depth=max_depth)


def in_memory(
    data: bytes, index: Index = NO_INDEX, *, jsonl: bool, max_depth: int
) -> Document:
    """Read a document that is in memory."""

    def read(start: int, end: int) -> bytes:
        return data[start:end]

    return Document(read, len(data), index, jsonl=jsonl, max_depth=max_depth)


@dataclasses.dataclass(frozen=True, slots=True)
class Run:
    """Some elements of an array, or lines, that follow each other: their text."""

    first: int
    count: int
    text: bytes


def runs(reading: Reading, parent: Place) -> Iterator[Run]:
    """Go through an array, or lines, that has just begun, some elements at a time."""
    level = len(parent.numbers)
    step = 1
    found = reading.next(level)
    while found is not None and not found.is_end:
        first = found.number
        parts: list[bytes] = []
        reading.take_back(found.at)
        found = reading.on_to(level, first + step, parts.append)
        end = reading.count(level) if found is None else found.number
        text = b"".join(parts)
        yield Run(first, end - first, text)
        step = 2 * step if len(text) < RUN_BYTES else max(1, step // 2)


def texts_of(run: Run, *, lines: bool) -> list[bytes]:
    """Return the text of each element of a run."""
    data = run.text if lines else b"[" + run.text + b"]"
    document = in_memory(data, jsonl=lines, max_depth=1 << 20)
    found = document.find("")
    assert found is not None
    reading, place = found
    texts = []
    child = reading.next(len(place.numbers))
    while child is not None and not child.is_end:
        parts: list[bytes] = []
        reading.take_back(child.at)
        child = reading.next(len(place.numbers), parts.append)
        texts.append(b"".join(parts))
    return texts
