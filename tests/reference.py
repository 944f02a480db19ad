"""docs/semantics.md written a second time: plain Python over the whole document.

    document = Document.read(data, options)
    view = view_at(document, room, retained_room)
    view.data, view.lines, view.data_with_marks(words)
    found = fit(document, Limits(max_bytes=2000), words, retained_room)

This file has sections 4 (caps), 5 (sharing) and 7 (finding a room); the text
rules are in reference_text.py, lines and marks in reference_report.py. Nothing
here streams, and nothing is fast. The native core reads the document
once and must come to the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TypeAlias

from reference_report import Line, Words, lines_of, marked
from reference_text import (
    LONG_ATOM,
    Array,
    Fate,
    Member,
    Object,
    Scalar,
    Text,
    Value,
    parse,
    squeezed,
)

__all__ = [
    "Document",
    "Fitted",
    "Limits",
    "Line",
    "Need",
    "Options",
    "View",
    "Words",
    "fit",
    "keep",
    "parse",
    "view_at",
]

LEAST_ROOM = 32
SMALL_COST = 80
BITS = 29  # of the grid on which a room is searched
LISTED_LINES = 8
NOTE_ROOM = 400

# Rooms and charges inside sharing are counted in sixteenths of a byte: then
# every share of section 5 is an integer, and every comparison exact.
UNIT = 16
UNBOUNDED = 1 << 80

Way: TypeAlias = Sequence[bytes | None] | None  # a token None is any line


@dataclass(frozen=True)
class Options:
    """What a caller may ask for; zero and empty are "not asked"."""

    max_items: int = 0
    max_string_chars: int = 0
    max_record_bytes: int = 0
    collection: tuple[bytes, ...] = ()  # reference tokens, as squeezed bodies


# --- Section 4: before sharing


def _is_capped_out(limit: int, text: Text) -> bool:
    """Tell whether a cap on characters leaves nothing of a string."""
    if not limit or text.total <= limit:
        return False
    return text.string.is_atom or text.string.prefix_by_chars(limit) == 0


def _is_long_atom(text: Text) -> bool:
    return text.string.is_atom and text.size > LONG_ATOM


def _leave_out(value: Value | None, options: Options, *, atoms: bool) -> Value | None:
    """Apply the caps or, if asked for, leave out the long atoms instead.

    Returns:
        What is left; None if that is nothing though there was something.
    """
    max_items = 0 if atoms else options.max_items
    max_chars = 0 if atoms else options.max_string_chars
    is_out = _is_long_atom if atoms else partial(_is_capped_out, max_chars)
    inner = partial(_leave_out, options=options, atoms=atoms)

    if isinstance(value, Text):
        if is_out(value):
            return None
        if max_chars and value.total > max_chars:
            return replace(value, chars=value.string.prefix_by_chars(max_chars))
        return value
    if isinstance(value, Array):
        elements: list[Value | None] = []
        closed = value.closed
        for element in value.elements[: max_items or None]:
            if isinstance(element, Text) and is_out(element):
                closed = True
                break
            elements.append(inner(element))
        return Array(tuple(elements), value.total, closed)
    if isinstance(value, Object):
        members = tuple(
            Member(m.key, None, Fate.WEIGHTLESS)
            if isinstance(m.value, Text) and is_out(m.value)
            else Member(m.key, inner(m.value), m.fate)
            for m in value.members
        )
        if members and all(m.fate is Fate.WEIGHTLESS for m in members):
            return None
        return Object(members)
    return value


# --- Section 5: sharing


def _wanted(value: Value | None) -> int:
    """Return s(v): the room it wants, in sixteenths."""
    if value is None or value.given_up:
        return UNBOUNDED
    return value.size * UNIT


def _level(wants: Sequence[int], room: int) -> int:
    """Return the largest whole level L with `sum(min(want, L)) <= room`."""
    wants = sorted(wants)
    for at, want in enumerate(wants):
        others = len(wants) - at
        if want * others > room:  # from here on all are cut to one level
            return room // others // UNIT
        room -= want
    return UNBOUNDED // UNIT


def keep(
    value: Value | None, room: int, options: Options, way: Way = None
) -> Value | None:
    """Return K(v, b): what is kept of a value that has this room.

    Args:
        value: what there is of it; None if that is nothing.
        room: bytes.
        options: see Options; only max_record_bytes plays a part.
        way: tokens that still lead from here to the named collection.

    Returns:
        A sub-document of at most so many bytes, or None: nothing.
    """
    if value is None or (not value.given_up and value.size <= room):
        return value
    if room < LEAST_ROOM or isinstance(value, Scalar):
        return None
    if isinstance(value, Text):
        if value.string.is_atom:
            return None
        chars = min(value.chars, value.string.prefix_by_bytes(room - 2))
        return Text(value.string, chars, given_up=True) if chars else None
    if isinstance(value, Array):
        kept: Array | Object = _keep_array(value, room, options, way)
    else:
        kept = _keep_object(value, room, options, way)
    return kept if kept.shown else None


def _keep_array(array: Array, room: int, options: Options, way: Way) -> Array:
    cap = options.max_record_bytes
    if cap:
        share = min(room - 2, cap) * UNIT
    else:
        share = max(room * UNIT // 4, min(room - 2, 400) * UNIT)
    wants = [_wanted(e) for e in array.elements]
    count, charged = 0, UNIT
    for want in wants:
        charged += min(want, share) + UNIT
        if charged > room * UNIT:
            break
        count += 1
    closed = array.closed or count < len(wants)
    level = share // UNIT
    if not closed:
        best = _level(wants, (room - 1 - len(wants)) * UNIT)
        level = max(level, min(best, cap) if cap else best)
    elements = tuple(
        keep(
            e, level, options, way[1:] if way and way[0] in (None, b"%d" % at) else None
        )
        for at, e in enumerate(array.elements[:count])
    )
    return Array(elements, array.total, closed)


def _keep_object(obj: Object, room: int, options: Options, way: Way) -> Object:
    costs = {
        at: (len(m.key) + 4) * UNIT + _wanted(m.value)
        for at, m in enumerate(obj.members)
        if m.fate is Fate.COUNTED
    }
    named = _large_on_the_way(obj, costs, way)
    least = (room - 1) // 8 * UNIT  # what the way to the collection has at least
    named_cost = costs.pop(named, 0)
    charge = min(named_cost, least)
    r = (room - 1) * UNIT - charge
    share = max((room * UNIT - charge) // 16, min(r // 2, 96 * UNIT))
    small = {at: cost for at, cost in costs.items() if cost <= SMALL_COST * UNIT}
    large = {at: cost for at, cost in costs.items() if at not in small}
    named_room = {}
    if named is not None:
        rest = (room - 1) * UNIT - sum(costs.values())
        if obj.small_closed or obj.large_closed:
            rest = 0
        named_room = {named: max(rest, least) // UNIT}

    small_sum = sum(small.values())
    large_sum = sum(min(cost, share) for cost in large.values())
    open_ = not (obj.small_closed or obj.large_closed)
    if open_ and small_sum + large_sum <= r:
        level = max(share // UNIT, _level(list(large.values()), r - small_sum))
        rooms = dict.fromkeys(small, UNBOUNDED) | dict.fromkeys(large, level)
        return _keep_members(obj, rooms | named_room, options, way)

    reserve = max(0, min(r // 2, r - 192 * UNIT))
    small_room = large_room = 0
    if not obj.large_closed:
        small_room = r - large_sum
    if not obj.small_closed:
        large_room = r - small_sum
    small_room = max(r - reserve, small_room)
    large_room = max(reserve, large_room)

    rooms = {}
    charged = 0
    for at, cost in small.items():
        charged += cost
        if charged > small_room:
            break
        rooms[at] = UNBOUNDED
    charged = 0
    limit = min(share, large_room)  # the first of them always counts
    for at, cost in large.items():
        charged += min(cost, limit)
        if charged > large_room:
            break
        rooms[at] = limit // UNIT
        limit = share
    kept = _keep_members(obj, rooms | named_room, options, way)
    return replace(
        kept,
        small_closed=obj.small_closed or not small.keys() <= rooms.keys(),
        large_closed=obj.large_closed or not large.keys() <= rooms.keys(),
    )


def _is_on_the_way(member: Member, way: Way) -> bool:
    return bool(way) and member.key == way[0]


def _large_on_the_way(obj: Object, costs: dict[int, int], way: Way) -> int | None:
    """Return the position of the large member that leads to the collection."""
    for at, cost in costs.items():
        large = cost > SMALL_COST * UNIT
        if large and _is_on_the_way(obj.members[at], way):
            return at
    return None


def _keep_members(
    obj: Object, rooms: dict[int, int], options: Options, way: Way
) -> Object:
    """Keep the members that count, each with its room, its key included."""
    members = list(obj.members)
    for at, m in enumerate(members):
        if at in rooms:
            rest = way[1:] if way and _is_on_the_way(m, way) else None
            value = keep(m.value, rooms[at] - len(m.key) - 4, options, rest)
            members[at] = Member(m.key, value)
        elif m.fate is Fate.COUNTED:
            members[at] = Member(m.key, None, Fate.DROPPED)
    return replace(obj, members=tuple(members))


# --- Sections 4.3 and 7: views, and finding a room


@dataclass(frozen=True)
class Document:
    """A document as it is before sharing."""

    capped: Value | None
    stripped: Value | None  # without long atoms
    options: Options = field(default_factory=Options)
    multi: bool = False

    @classmethod
    def read(
        cls, data: bytes, options: Options | None = None, *, multi: bool = False
    ) -> Document:
        """Parse a document and apply the caps."""
        options = options or Options()
        capped = _leave_out(parse(data, multi=multi), options, atoms=False)
        return cls(capped, _leave_out(capped, options, atoms=True), options, multi)

    def keep(self, *rooms: int) -> Value | None:
        """Return K(D, b), or with more rooms K(K(D, b), ...)."""
        value = self.capped
        if value is not None and value.size > min(rooms):
            value = self.stripped
        # In JSON Lines the pointer leads through each line.
        way = (*((None,) if self.multi else ()), *self.options.collection)
        for room in rooms:
            value = keep(value, room, self.options, way)
        return value


@dataclass(frozen=True)
class View:
    """What is kept at one room, written out."""

    root: Value | None
    room: int
    multi: bool = False

    @property
    def complete(self) -> bool:
        """Whether nothing was left out."""
        return self.root is not None and not self.root.has_place

    @cached_property
    def lines(self) -> list[Line]:
        """What was left out."""
        return [] if self.root is None else lines_of(self.root)

    @cached_property
    def data(self) -> bytes:
        """The squeezed form; of JSON Lines, without a line break at the end."""
        return b"" if self.root is None else self._join(squeezed)

    def data_with_marks(self, words: Words) -> bytes:
        """Return the data with a mark in every shortened record."""
        if self.root is None:
            return b""
        return self._join(partial(marked, words=words, is_element=self.multi))

    def _join(self, write: Callable[[Value], bytes]) -> bytes:
        assert self.root is not None
        if self.multi:
            assert isinstance(self.root, Array)
            return b"\n".join(map(write, self.root.shown))
        return write(self.root)


@dataclass(frozen=True)
class Limits:
    """What a finished text may measure."""

    max_bytes: int | None = None
    max_chars: int | None = None

    def allow(self, need: Need) -> bool:
        """Tell whether a text of this need is within the limits."""
        fits = self.max_bytes is None or need.size <= self.max_bytes
        return fits and (self.max_chars is None or need.chars <= self.max_chars)


@dataclass(frozen=True)
class Need:
    """What a finished text measures, or would."""

    size: int
    chars: int


@dataclass(frozen=True)
class Fitted:
    """The view found for a document."""

    view: View
    need: Need
    fits: bool  # else nothing does, and this is the least text there is
    counted_only: bool = False  # the report has no lines


def need_of(view: View, words: Words, *, counted_only: bool = False) -> Need:
    """Measure the text of a view, with what its room reserves for the report."""
    if view.complete or not words.inline:
        return Need(len(view.data), len(view.data.decode()))
    data = view.data_with_marks(words)
    texts = [] if counted_only else listed(view, words)
    lines = b",".join(texts)
    block = words.frame_bytes
    if view.multi or not isinstance(view.root, Object):
        block += words.wrap_bytes
    if len(texts) < len(view.lines):
        block += words.more_bytes
    need = Need(
        block + len(lines) + len(data),
        block + len(lines.decode()) + len(data.decode()),
    )
    if view.room >= NOTE_ROOM and not counted_only:
        need = Need(need.size + words.note_bytes, need.chars + words.note_chars)
    return need


def listed(view: View, words: Words) -> list[bytes]:
    """Return the lines that the room of a view reserves bytes for."""
    texts: list[bytes] = []
    left = max(160, view.room // 5)
    for line in view.lines[:LISTED_LINES]:
        text = line.text(words)
        left -= len(text) + (1 if texts else 0)
        if left < 0:
            break
        texts.append(text)
    return texts


def view_at(document: Document, room: int, retained_room: int) -> View:
    """Return what a document is at one room, of what the retained room holds.

    That is K(K(D, R), d), which is K(D, d) for d <= R and K(D, R) for d > R;
    test_reference.py checks both.
    """
    return View(document.keep(min(room, retained_room)), room, document.multi)


def fit(
    document: Document, limits: Limits, words: Words, retained_room: int
) -> Fitted | None:
    """Find the largest room whose text fits, on the grid of section 7.

    Returns:
        What is shown and what it needs; None if at no room anything is kept.
    """
    found = view_at(document, retained_room, retained_room)
    if found.root is not None and limits.allow(need_of(found, words)):
        return Fitted(found, need_of(found, words), fits=True)

    document = replace(document, capped=document.stripped)
    room = 0
    for bit in range(BITS, -1, -1):
        tried = view_at(document, room + (1 << bit), retained_room)
        if tried.room <= retained_room and (
            tried.root is None or limits.allow(need_of(tried, words))
        ):
            room = tried.room
    found = view_at(document, room, retained_room)
    if found.root is not None:
        return Fitted(found, need_of(found, words), fits=True)

    found = view_at(document, room + 1, retained_room)
    if found.root is None:
        return None
    need = need_of(found, words, counted_only=True)
    return Fitted(found, need, fits=limits.allow(need), counted_only=True)
