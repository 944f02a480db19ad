"""The reference's law of sharing: section 5 of docs/semantics.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TypeAlias

from reference_text import Array, Fate, Member, Object, Scalar, Text, Value

LEAST_ROOM = 32
LEAST_ELEMENT = 64
SMALL_COST = 80
WAY_PART = 8  # of a room, which the way to the collection has at least
COLUMN_LENGTH = 4
COLUMN_GROUPS = 16
ROW_LENGTH = 3

# Rooms and charges inside sharing are counted in sixteenths of a byte: then
# every share of section 5 is an integer, and every comparison exact.
UNIT = 16
UNBOUNDED = 1 << 80

# Tokens that still lead from here to the named collection; None is any line.
Way: TypeAlias = Sequence[bytes | None]


@dataclass(frozen=True)
class Law:
    """What there is to know beside a value and its room."""

    max_record_bytes: int = 0
    aligns_columns: bool = False  # in views, not in what is retained


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
    value: Value | None,
    room: int,
    law: Law,
    way: Way = (),
    *,
    is_element: bool = False,
) -> Value | None:
    """Return K(v, b): what is kept of a value that has this room.

    Args:
        value: what there is of it; None if that is nothing.
        room: bytes.
        law: see Law.
        way: see Way; empty if nothing below is on it.
        is_element: it is in an array.

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
    if is_element and room < min(LEAST_ELEMENT, law.max_record_bytes or LEAST_ELEMENT):
        return None
    if isinstance(value, Array):
        kept: Array | Object = _keep_array(value, room, law, way)
    else:
        kept = _keep_object(value, room, law, way)
    return kept if kept.shown else None


def _keep_array(array: Array, room: int, law: Law, way: Way) -> Array:
    cap = law.max_record_bytes
    part = UNIT // 2 if array.keep == "ends" else UNIT  # of the room, for a share
    if cap:
        share = min(room * part - 2 * UNIT, cap * UNIT)
    else:
        share = max(room * part // 4, min(room * part - 2 * UNIT, 400 * UNIT))
    wants = [_wanted(e) for e in array.elements]
    charges = [min(want, share) + UNIT for want in wants]
    count = len(charges)
    first, last = count, 0  # how many count at either end
    closed = array.closed or UNIT + sum(charges) > room * UNIT
    if closed and array.keep == "head":
        first = _count(charges, (room - 1) * UNIT)
    elif closed and array.keep == "tail":
        first, last = 0, _count(charges[::-1], (room - 1) * UNIT)
    elif closed:
        half = (room - 1) * UNIT // 2
        first = _count(charges[: array.gap], half)
        rest = charges[first if array.gap is None else array.gap :]
        last = _count(rest[::-1], half)

    level = share // UNIT
    if not closed:
        best = _level(wants, (room - 1 - count) * UNIT)
        level = max(level, min(best, cap) if cap else best)
    elements = tuple(
        keep(
            array.elements[at],
            level,
            law,
            _rest(way, array.index(at)),
            is_element=True,
        )
        for at in (*range(first), *range(count - last, count))
    )
    gap = first if closed and array.keep == "ends" else array.gap
    return replace(array, elements=elements, closed=closed, gap=gap)


def _count(charges: Sequence[int], room: int) -> int:
    """Return how many of the first charges are within a room together."""
    return sum(charged <= room for charged in accumulate(charges))


def _keep_object(obj: Object, room: int, law: Law, way: Way) -> Object:
    costs = {
        at: (len(m.key) + 4) * UNIT + _wanted(m.value)
        for at, m in enumerate(obj.members)
        if m.fate is Fate.COUNTED
    }
    first = _large_on_the_way(obj, costs, way)
    least = max((room - 1) // WAY_PART, min((room - 1) // 2, 400)) * UNIT
    if first is None and law.aligns_columns:
        first = _header(obj, costs)
        least = (room - 1) * 3 // 4 * UNIT
    first_room, charge = {}, 0
    if first is not None:
        charge = min(costs.pop(first), least)
        rest = (room - 1) * UNIT - sum(costs.values())
        if obj.small_closed or obj.large_closed:
            rest = 0
        first_room = {first: max(rest, least) // UNIT}

    r = (room - 1) * UNIT - charge  # for all the others
    share = max((room * UNIT - charge) // 16, min(r // 2, 96 * UNIT))
    rooms = _rooms_of_members(obj, costs, r, share)
    kept = _keep_members(obj, rooms | first_room, law, way)
    if law.aligns_columns:
        kept = _align_columns(obj, kept, share // UNIT, law)
    return kept


def _rooms_of_members(
    obj: Object, costs: dict[int, int], r: int, share: int
) -> dict[int, int]:
    """Return the rooms of the members that count, their keys included.

    Args:
        obj: the object.
        costs: of the members that may count, by their place, in sixteenths.
        r: sixteenths that they may take together.
        share: of a large one.
    """
    small = {at: cost for at, cost in costs.items() if cost <= SMALL_COST * UNIT}
    large = {at: cost for at, cost in costs.items() if at not in small}
    small_sum = sum(small.values())
    large_sum = sum(min(cost, share) for cost in large.values())
    open_ = not (obj.small_closed or obj.large_closed)
    if open_ and small_sum + large_sum <= r:
        level = max(share // UNIT, _level(list(large.values()), r - small_sum))
        return dict.fromkeys(small, UNBOUNDED) | dict.fromkeys(large, level)

    reserve = max(0, min(r // 2, r - 192 * UNIT))
    small_room = large_room = 0
    if not obj.large_closed:
        small_room = r - large_sum
    if not obj.small_closed:
        large_room = r - small_sum
    small_room = max(r - reserve, small_room)
    large_room = max(reserve, large_room)

    rooms: dict[int, int] = {}
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
    return rooms


def _rest(way: Way, token: bytes) -> Way:
    """Return what is left of the way behind this key or index."""
    return way[1:] if way and way[0] in (None, token) else ()


def _large_on_the_way(obj: Object, costs: dict[int, int], way: Way) -> int | None:
    """Return the place of the large member that leads to the collection."""
    for at, cost in costs.items():
        if way and obj.members[at].key == way[0] and cost > SMALL_COST * UNIT:
            return at
    return None


def _header(obj: Object, costs: dict[int, int]) -> int | None:
    """Return the place of the large array that is the header of a sibling's rows."""
    arrays = {
        at: m.value for at, m in enumerate(obj.members) if isinstance(m.value, Array)
    }
    rows = {
        at: array.elements[0].total
        for at, array in arrays.items()
        if array.elements and isinstance(array.elements[0], Array)
    }
    length = next((n for n in rows.values() if n >= ROW_LENGTH), None)
    for at, array in arrays.items():
        if array.total == length and not rows.get(at):
            return at if costs.get(at, 0) > SMALL_COST * UNIT else None
    return None


def _keep_members(obj: Object, rooms: dict[int, int], law: Law, way: Way) -> Object:
    """Keep the members that count; the others close their class."""
    members = list(obj.members)
    small_closed, large_closed = obj.small_closed, obj.large_closed
    for at, m in enumerate(members):
        if at in rooms:
            inner = rooms[at] - len(m.key) - 4
            members[at] = Member(m.key, keep(m.value, inner, law, _rest(way, m.key)))
        elif m.fate is Fate.COUNTED:
            members[at] = Member(m.key, None, Fate.DROPPED)
            if _wanted(m.value) <= (SMALL_COST - len(m.key) - 4) * UNIT:
                small_closed = True
            else:
                large_closed = True
    return Object(tuple(members), small_closed, large_closed)


def _align_columns(before: Object, kept: Object, share: int, law: Law) -> Object:
    """Keep the same number of elements of sibling arrays of one total."""
    groups: dict[int, list[int]] = {}
    for at, m in enumerate(before.members):
        if isinstance(m.value, Array) and _is_column(m.value):
            groups.setdefault(m.value.total, []).append(at)
    members = list(kept.members)
    for group in list(groups.values())[:COLUMN_GROUPS]:
        if len(group) < 2:
            continue
        sizes = []
        for at in group:
            value = members[at].value
            if members[at].fate is Fate.DROPPED:
                inner = share - len(members[at].key) - 4
                value = keep(before.members[at].value, inner, law)
            sizes.append(_ends(value))
        head, tail = map(min, zip(*sizes, strict=True))
        for at in group:
            value = members[at].value
            if isinstance(value, Array):
                value = _with_ends(value, head, tail)
                members[at] = Member(members[at].key, value)
    return replace(kept, members=tuple(members))


def _ends(value: Value | None) -> tuple[int, int]:
    """Return how many elements are kept at the head and at the tail."""
    if not isinstance(value, Array):
        return 0, 0
    if len(value.shown) == value.total:
        return value.total, value.total
    head, tail = map(len, value.parts)
    return (0, 0) if value.keep == "ends" and head == 0 else (head, tail)


def _with_ends(array: Array, head: int, tail: int) -> Array | None:
    """Keep no more elements than so many at the head and at the tail."""
    if _ends(array) == (0, 0):
        return None
    head = 0 if array.keep == "tail" else max(1, head)
    tail = {"head": 0, "tail": max(1, tail), "ends": tail}[array.keep]
    shown = array.shown
    if head + tail >= len(shown):
        return array
    elements = shown[:head] + shown[len(shown) - tail :]
    return replace(array, elements=elements, closed=True, gap=head)


def _is_column(array: Array) -> bool:
    at = -1 if array.keep == "tail" else 0
    first = array.elements[at] if array.elements else None
    return array.total >= COLUMN_LENGTH and isinstance(first, Scalar | Text)
