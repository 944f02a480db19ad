"""The report as values: what was left out, and which part of a value a page has.

The core writes its cuts as lines of JSON, which are read and written here too.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from typing import Any

import orjson

__all__ = [
    "UNIT_ORDER",
    "Cut",
    "Page",
    "Report",
    "Slice",
    "cuts_of",
    "in_order",
    "json_text",
    "json_value",
    "line_of",
    "nothing_cut",
]


@dataclasses.dataclass(frozen=True, slots=True)
class Cut:
    """All places of one path and unit where something was left out.

    Args:
        path: JSON Pointer into the original document, each position below a
            collection written `*` (a literal key `*` is `~2`).
        unit: What is counted: "items", "members" or "chars" (code points).
        kept: How many of them are in the clip, summed over all places.
        total: How many there were.
        omitted: `total - kept`.
        places: How many places there are.
        names: The keys of the omitted members, if they are few and the same in
            all places.
        gap_at: How many of the kept items stand before the omitted ones: 0 if
            the last were kept. None if all of them do (`keep="head"`), or not
            the same number in all places.
    """

    path: str
    unit: str
    kept: int
    total: int
    omitted: int
    places: int = 1
    names: tuple[str, ...] = ()
    gap_at: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the cut as it is written into the data."""
        found: dict[str, Any] = {"path": self.path}
        if self.unit != "items":
            found["unit"] = self.unit
        found |= {"kept": self.kept, "total": self.total, "omitted": self.omitted}
        if self.places > 1:
            found["places"] = self.places
        if self.gap_at is not None:
            found["gap_at"] = self.gap_at
        if self.names:
            found["names"] = list(self.names)
        return found


@dataclasses.dataclass(frozen=True, slots=True)
class Report:
    """What was left out of a clip. It is always there, also when it is empty.

    Args:
        cuts: Most important first: of elements and members before those of
            text, most omitted first. Empty if nothing was left out.
        total_is: "exact", or "at_least" if the input was not seen to its end.
        input_cut: Whether the input itself ended before the document did.
        key: The key under which the report stands in the data.
        cursor_gap: JSON Pointer of a pagination cursor that was kept though its
            page was cut: following it skips what was left out.
        ref: What `Store.fetch` gets the rest by, if there is a store and something
            was left out.
        warning: What else went wrong: None, or that a store has failed.
        selection: The options `fields` and `drop`, as far as they were given,
            if a member was deselected, and the `where` of a page; else None. That is not a cut. A member
            in a part that was only counted is not seen.
        more_cuts: How many cuts are not in `cuts`: their paths are longer than
            4,096 bytes, or are more, together, than is retained of the document;
            or an earlier clip counted them.
    """

    cuts: tuple[Cut, ...] = ()
    total_is: str = "exact"
    input_cut: bool = False
    key: str = "_clip"
    cursor_gap: str | None = None
    ref: str | None = None
    selection: dict[str, Any] | None = None
    warning: str | None = None
    more_cuts: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON values.

        >>> Report((Cut("/rows", "items", 12, 40, 28),)).to_dict()["cuts"]
        [{'path': '/rows', 'kept': 12, 'total': 40, 'omitted': 28}]
        """
        return {
            "cuts": [cut.to_dict() for cut in self.cuts],
            "total_is": self.total_is,
            "input_cut": self.input_cut,
            "cursor_gap": self.cursor_gap,
            "ref": self.ref,
            "key": self.key,
            "selection": self.selection,
            "warning": self.warning,
            "more_cuts": self.more_cuts,
        }


NOTHING_CUT = Report()


def nothing_cut() -> Report:
    """Return the report on a document of which nothing was left out."""
    return NOTHING_CUT


@dataclasses.dataclass(frozen=True, slots=True)
class Slice:
    """Which part of a stored value a page has.

    Args:
        at: JSON Pointer of the value.
        start: The first element, member or character of it that is in the page.
        kept: How many of them are.
        total: How many the value has; with `where`, how many match.
        next: Where to go on, None at the end.
    """

    at: str
    start: int
    kept: int
    total: int
    next: int | None

    def to_dict(self) -> dict[str, Any]:
        """Return it as it is written into the data."""
        return dataclasses.asdict(self)


@dataclasses.dataclass(frozen=True, slots=True)
class Page:
    """What a clip of a part of a stored value has to know of the whole.

    Args:
        ref: What the value is fetched by, with its pointer.
        at: That pointer.
        unit: What it consists of: "items", "members", "chars", or "" for a
            number or literal.
        start: The first of them that was fed.
        count: How many were.
        total: How many there are.
        where: The condition that all that count fulfil.
        is_cut: Whether the document that it is of ended early.
        tool: The name of the tool that fetches, or "".
    """

    ref: str
    at: str
    unit: str = ""
    start: int = 0
    count: int = 1
    total: int = 1
    where: dict[str, Any] | None = dataclasses.field(default=None, compare=False)
    is_cut: bool = False
    tool: str = ""

    @property
    def is_partial(self) -> bool:
        """Whether it is less than the value."""
        return self.count < self.total or self.where is not None

    @property
    def path(self) -> str:
        """`at` as the report writes paths, in which `*` is no key."""
        return "/".join("~2" if t == "*" else t for t in self.at.split("/"))

    def is_about(self, cut: Cut) -> bool:
        """Tell whether a cut is that of the value itself."""
        return cut.path == self.path and cut.unit == self.unit

    def slice_of(self, kept: int) -> Slice:
        """Return what it comes to if so much of it is kept."""
        end = self.start + kept
        following = end if end < self.total else None
        return Slice(self.at, self.start, kept, self.total, following)


def cuts_of(lines: list[bytes]) -> tuple[Cut, ...]:
    """Read the lines that the core has written."""
    return tuple(map(_cut_of, lines))


def _cut_of(line: bytes) -> Cut:
    told = json_value(line)
    return Cut(
        told["path"],
        told.get("unit", "items"),
        told["kept"],
        told["total"],
        told["omitted"],
        told.get("places", 1),
        tuple(told.get("names", ())),
        told.get("gap_at"),
    )


UNIT_ORDER = {"items": 0, "members": 1, "chars": 2}


def in_order(cuts: Iterable[Cut]) -> tuple[Cut, ...]:
    """Sort cuts as the core does (docs/semantics.md, section 8)."""
    return tuple(
        sorted(
            cuts,
            key=lambda cut: (
                cut.unit == "chars",
                "/*/" in cut.path + "/",
                -cut.omitted,
                cut.path.encode("utf-8", "surrogatepass"),
                UNIT_ORDER[cut.unit],
            ),
        )
    )


def line_of(cut: Cut) -> bytes:
    """Write a cut as the core writes it."""
    return json_text(cut.to_dict())


def json_value(text: bytes) -> Any:
    """Read what the core has written of the report."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:  # a lone surrogate in a key
        return json.loads(text)


def json_text(value: Any) -> bytes:
    """Write a value of the report as JSON."""
    try:
        return orjson.dumps(value)
    except TypeError:  # a lone surrogate, which has to stay an escape
        return json.dumps(value, separators=(",", ":")).encode()
