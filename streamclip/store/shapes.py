"""Shapes: what is known of all values in one place of a document.

They are a tree: below the shape of an array that of its elements, below that of an
object one for each name. It is bounded: in names, in levels, in examples.

Values are counted many at a time. So what is done with each is done by functions
of C: the members of records, say, become one column for each name.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain
from typing import Any

import orjson

__all__ = ["Limit", "Shape", "compact"]

FIELDS_MAX = 48  # an object of more, or one of several with more, is a map
LEVELS_MAX = 12
NODES_MAX = 2000
VALUES_MAX = 6  # different short values that are told
VALUE_CHARS = 40
KEYS_TOLD = 3

KINDS: dict[type, str] = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    type(None): "null",
    list: "array",
    dict: "object",
}
TOLD = (str, int, float)  # types of which values are told


def _columns(values: Sequence[Any]) -> dict[type, Any]:
    """Part values by their types, in the order in which these appear."""
    kinds = dict.fromkeys(map(type, values))
    if len(kinds) == 1:
        return dict.fromkeys(kinds, values)
    columns: dict[type, list[Any]] = {kind: [] for kind in kinds}
    for value in values:
        columns[type(value)].append(value)
    return columns


def _compact_bytes(values: Sequence[Any]) -> int:
    """Return how long the values are together, written without white space."""
    try:
        return len(orjson.dumps(values)) - len(values) - 1  # commas and brackets
    except TypeError:
        return sum(len(compact(value)) for value in values)


def compact(value: Any) -> bytes:
    """Write a value without white space."""
    try:
        return orjson.dumps(value)
    except TypeError:  # a lone surrogate, or a number that is large
        return json.dumps(value, separators=(",", ":")).encode()


class Limit:
    """How many shapes there are."""

    def __init__(self) -> None:
        self.nodes = 0


class Shape:
    """What is known of all values in one place."""

    def __init__(self, limit: Limit, level: int) -> None:
        limit.nodes += 1
        self._limit = limit
        self._level = level
        self.kinds: dict[str, int] = {}
        self.bytes = 0
        self.items = 0
        self.members = 0
        self.of: Shape | None = None
        self._fields: dict[str, Shape] = {}
        self._is_map = False
        self._members_of: Shape | None = None
        self._keys: list[str] = []
        self._low: Any = None
        self._high: Any = None
        self._chars: tuple[int, int] | None = None
        self._values: list[Any] = []
        self._has_others = False

    def add_kind(self, kind: str, count: int = 1) -> None:
        """Count values of a kind."""
        self.kinds[kind] = self.kinds.get(kind, 0) + count

    def element(self) -> Shape:
        """Return the shape of all elements."""
        if self.of is None:
            self.of = Shape(self._limit, self._level + 1)
        return self.of

    def field(self, key: str) -> Shape:
        """Return the shape of the members with a key."""
        found = self._fields.get(key)
        if found is not None:
            return found
        if self._is_map:
            return self.member()
        if len(self._fields) >= FIELDS_MAX or self._is_bounded():
            return self._become_map()
        self._fields[key] = Shape(self._limit, self._level + 1)
        return self._fields[key]

    def member(self) -> Shape:
        """Return the shape of all members of a map."""
        if self._members_of is None:
            self._members_of = Shape(self._limit, self._level + 1)
        return self._members_of

    def _become_map(self, *more: str) -> Shape:
        """Put the shapes of all members together: their names are data."""
        self._is_map = True
        self._keys = [*self._fields, *more][:KEYS_TOLD]
        for shape in self._fields.values():
            self.member().merge(shape)
        self._fields = {}
        return self.member()

    def merge(self, other: Shape) -> None:
        """Count what another shape has counted."""
        if other._chars is not None:
            self._widen_chars(*other._chars)
        for kind, count in other.kinds.items():
            self.kinds[kind] = self.kinds.get(kind, 0) + count
        self.bytes += other.bytes
        self.items += other.items
        self.members += other.members
        if other._low is not None:
            self._widen(other._low, other._high)
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

    def add(self, values: Sequence[Any]) -> None:
        """Count values, and all in them."""
        columns: dict[type, Sequence[Any]] = _columns(values)
        told = [self._add_column(kind, columns[kind]) for kind in columns]
        known = {*self._values}
        if self._has_room() and not all(map(known.issuperset, told)):
            self._add_values(values if len(columns) > 1 else told[0])

    def _add_column(self, kind: type, column: Sequence[Any]) -> Sequence[Any]:
        """Count values of one type, and return those that may be told."""
        self.add_kind(KINDS[kind], len(column))
        if kind is str:
            sizes = [*map(len, column)]
            low, high = min(sizes), max(sizes)
            self._widen_chars(low, high)
            if high > VALUE_CHARS and self._has_room():
                return [text for text in column if len(text) <= VALUE_CHARS]
            return column
        if kind in (int, float):
            self._widen(min(column), max(column))
            return column
        if kind is list:
            self.bytes += _compact_bytes(column)
            self.items += sum(map(len, column))
            elements = [*chain.from_iterable(column)]
            if elements and not self._is_too_deep():
                self.element().add(elements)
        elif kind is dict:
            self.bytes += _compact_bytes(column)
            self.members += sum(map(len, column))
            if not self._is_too_deep():
                self.add_members(column)
        return ()

    def add_members(self, records: Sequence[dict[str, Any]]) -> None:
        """Count the values of the members of records, in columns."""
        layouts = dict.fromkeys(map(tuple, records))
        names = dict.fromkeys(chain.from_iterable(layouts))
        new = names.keys() - self._fields.keys()
        if new and not self._is_map:
            count = len(self._fields) + len(new)
            if count > FIELDS_MAX or self._is_bounded():
                self._become_map(*(name for name in names if name in new))
        if self._is_map:
            values = [*chain.from_iterable(map(dict.values, records))]
            if values:
                self.member().add(values)
            return
        if len(layouts) == 1:
            columns = zip(*map(dict.values, records), strict=True)
            for name, column in zip(names, columns, strict=True):
                self.field(name).add(column)
            return
        for name in names:
            self.field(name).add([r[name] for r in records if name in r])

    def _is_too_deep(self) -> bool:
        return self._level > LEVELS_MAX or self._limit.nodes > 2 * NODES_MAX

    def _widen(self, low: float, high: float) -> None:
        self._low = low if self._low is None else min(self._low, low)
        self._high = high if self._high is None else max(self._high, high)

    def _widen_chars(self, low: int, high: int) -> None:
        if self._chars is not None:
            low, high = min(self._chars[0], low), max(self._chars[1], high)
        self._chars = low, high
        if high > VALUE_CHARS:
            self._has_others = True

    def add_long_text(self, chars: int) -> None:
        """Count a string that is too long to be told."""
        self.add_kind("string")
        self._widen_chars(chars, chars)
        self._has_others = True

    def _add_values(self, values: Sequence[Any]) -> None:
        for value in values:
            if type(value) in TOLD and (
                type(value) is not str or len(value) <= VALUE_CHARS
            ):
                self._add_value(value)
                if not self._has_room():
                    break

    def _has_room(self) -> bool:
        """Tell whether there may be more to say of single values."""
        return len(self._values) < VALUES_MAX or not self._has_others

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
        if self._chars is not None:
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
