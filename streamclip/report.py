"""The report: what was left out, as values and as JSON in the data.

The core measures and writes the lines of the report with the words it is given
here; which of them are shown, and what stands around them, is decided here.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Callable, Iterable
from itertools import accumulate, islice
from typing import Any, NamedTuple

import orjson

from streamclip._binding import Fitted, Words
from streamclip.options import Limits, Options

__all__ = [
    "UNIT_ORDER",
    "Cut",
    "Page",
    "Report",
    "Slice",
    "Style",
    "finished_text",
    "in_order",
]

LINES_MAX = 12  # shown when there is room; the core sets room aside for 8
MORE_DIGITS = 5  # set aside for the number of lines that are not shown
CURSOR_PATH_BYTES = 14  # set aside for the path of a pagination cursor


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
    """

    cuts: tuple[Cut, ...] = ()
    total_is: str = "exact"
    input_cut: bool = False
    key: str = "_clip"
    cursor_gap: str | None = None
    ref: str | None = None
    selection: dict[str, Any] | None = None
    warning: str | None = None

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
        }


NOTHING_CUT = Report()


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
    try:
        told = orjson.loads(line)
    except orjson.JSONDecodeError:  # a lone surrogate in a key
        told = json.loads(line)
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
    try:
        return orjson.dumps(cut.to_dict())
    except TypeError:  # a lone surrogate in a key
        return json.dumps(cut.to_dict(), separators=(",", ":")).encode()


UNITS = {
    "en": {"items": "items", "members": "members", "chars": "characters"},
    "zh": {"items": "项", "members": "个成员", "chars": "个字符"},
}
NOTES = {
    "en": "{omitted} of {total} {unit} are not shown here; they exist.",
    "zh": "共 {total} {unit}，此处未显示 {omitted} {unit}；它们存在。",
}
AT_LEAST_NOTES = {
    "en": "At least {omitted} more {unit} exist that are not shown here.",
    "zh": "至少还有 {omitted} {unit}未在此显示。",
}
PLAIN_NOTES = {
    "en": "The input ended early; there may be more.",
    "zh": "输入提前结束，可能还有更多。",
}
TOOL_NOTES = {
    "en": " Call {tool} with `more` to get them.",
    "zh": "要取得它们，请用 `more` 调用 {tool}。",
}
WARNING = "the rest could not be stored"
SIBLING_NOTES = {
    "en": "Not all elements are shown here; the others exist.",
    "zh": "此处未显示全部元素；其余元素存在。",
}


def note_text(style: Style, cuts: tuple[Cut, ...]) -> str:
    """Return the sentence for the reader, about the most important cut."""
    if isinstance(style.note, str):
        return style.note
    if not cuts:
        return PLAIN_NOTES[style.lang]
    cut = cuts[0]
    return _note_template(style).format(
        omitted=cut.omitted, total=cut.total, unit=UNITS[style.lang][cut.unit]
    )


def _note_template(style: Style) -> str:
    template = (AT_LEAST_NOTES if style.at_least else NOTES)[style.lang]
    if not style.tool or not style.more:
        return template
    # A name is no template.
    name = style.tool.replace("{", "{{").replace("}", "}}")
    return template + TOOL_NOTES[style.lang].replace("{tool}", name)


class Style(NamedTuple):
    """All that decides how a report is written, beside the cuts."""

    form: str
    key: str
    note: bool | str
    lang: str
    jsonl: bool
    cut_short: bool
    at_least: bool
    has_cursors: bool
    is_always: bool  # there is a block even if nothing was cut
    earlier_bytes: int  # set aside for the lines of an earlier clip
    unlisted: int  # its cuts that were not told, or could not be kept
    selection: bytes  # as JSON, empty if there is none
    is_selected: bool  # a member was deselected
    more: str = ""  # what the rest is fetched by
    tool: str = ""  # and the tool that does it
    page: Page | None = None
    slice: Slice | None = None  # of the page, once it is known
    warning: str = ""

    @property
    def words(self) -> Words:
        """The words for the core."""
        return _words(self)


def _json(value: Any) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError:  # a lone surrogate, which has to stay an escape
        return json.dumps(value, separators=(",", ":")).encode()


@functools.lru_cache(maxsize=64)
def _words(style: Style) -> Words:
    key = _json(style.key)
    note = _note_words(style)
    frame = b"".join([key, b':{"cuts":[]', *_flags(style), b"},"])
    frame += b"9" * style.earlier_bytes
    frame += (
        b',"cursor_gap":""' + b"9" * CURSOR_PATH_BYTES if style.has_cursors else b""
    )
    wrap = b"{}\n" if style.jsonl else b'{"data":}'
    selection = _selection(style)
    siblings_wrap = b'{"data":,"total_at_least":,"omitted":,"note":}' + _sibling_note(
        style
    )
    inline = style.form == "inline"
    path = style.page.path if style.page else ""
    pointer = "" if "#" in style.more else "#"
    return Words(
        style.form,
        mark=key + b':{"truncated":true',
        mark_fields=b',"fields":',
        mark_omitted=b',"omitted":',
        mark_more=_open(b',"more":', style.more + pointer) if style.more else b"",
        mark_end=b"}",
        path=_open(b'{"path":', path),
        members=b',"unit":"members"',
        chars=b',"unit":"chars"',
        kept=b',"kept":',
        total=b',"total":',
        omitted=b',"omitted":',
        places=b',"places":',
        gap_at=b',"gap_at":',
        names=b',"names":',
        line_end=b"}",
        always=style.is_always,
        frame_bytes=len(frame) if inline else 0,
        wrap_bytes=len(wrap) if inline else len(siblings_wrap) + 40,
        more_bytes=len(b',"more_cuts":') + MORE_DIGITS,
        **note,
        selection_bytes=len(selection),
        selection_chars=len(selection.decode()),
        sibling_total=_json(_sibling_total(style)),
        sibling_omitted=b'"omitted"',
        sibling_note=b'"note"',
        sibling_text=_sibling_note(style),
    )


def _open(member: bytes, text: str) -> bytes:
    """Write a member whose value, a string, goes on."""
    return member + _json(text)[:-1]


def _note_words(style: Style) -> dict[str, int | tuple[int, ...]]:
    """Measure the note: its fixed part, its numbers, and its words for units."""
    if not style.note:
        return {}
    frame = b',"note":'
    if isinstance(style.note, str):
        note = frame + _json(style.note)
        return {"note_bytes": len(note), "note_chars": len(note.decode())}
    template = _note_template(style)
    fixed = frame + _json(template.format(omitted="", total="", unit=""))
    plain = frame + _json(PLAIN_NOTES[style.lang])
    times = template.count("{unit}")
    units = UNITS[style.lang].values()
    return {
        "note_bytes": max(len(fixed), len(plain)),
        "note_chars": max(len(fixed.decode()), len(plain.decode())),
        "note_numbers": 1 if style.at_least else 2,
        "note_unit_bytes": tuple(len(unit.encode()) * times for unit in units),
        "note_unit_chars": tuple(len(unit) * times for unit in units),
    }


def _sibling_total(style: Style) -> str:
    return "total_at_least" if style.at_least else "total"


def _sibling_note(style: Style) -> bytes:
    if isinstance(style.note, str):
        return _json(style.note)
    return _json(SIBLING_NOTES[style.lang]) if style.note else b""


def _flags(style: Style) -> list[bytes]:
    flags = []
    if style.cut_short:
        flags.append(b',"input_cut":true')
    if style.at_least:
        flags.append(b',"total_is":"at_least"')
    if style.warning:
        flags.append(b',"warning":' + _json(style.warning))
    if style.page:
        told = style.slice or style.page.slice_of(style.page.count)
        flags.append(b',"slice":' + _json(told.to_dict()))
        if style.slice is None:  # `next` may yet be a number
            flags.append(b"9" * len(str(style.page.total)))
    if style.more:
        flags.append(b',"more":' + _json(style.more))
    return flags


def _selection(style: Style) -> bytes:
    return style.selection and b',"selection":' + style.selection


def selection_text(options: Options, page: Page | None) -> bytes:
    """Return what is selected as JSON; nothing if everything is."""
    parts = [
        _json(what) + b":[" + b",".join(map(_json, names)) + b"]"
        for what, names in options.selection.items()
    ]
    if page and page.where is not None:
        parts.append(b'"where":' + _json(page.where))
    return b"{" + b",".join(parts) + b"}" if parts else b""


def with_root_cut(fitted: Fitted, page: Page, kept: int) -> Fitted:
    """Tell of the page's value what is missing in all of it, not in what was fed.

    Args:
        fitted: What the core came to.
        page: What it was fed.
        kept: How much of that it has kept.
    """
    cuts = [cut for cut in cuts_of(fitted.lines) if not page.is_about(cut)]
    if kept < page.total and page.unit:
        omitted = page.total - kept
        cuts.append(Cut(page.path, page.unit, kept, page.total, omitted))
    return fitted._replace(lines=[line_of(cut) for cut in in_order(cuts)])


def _without_root_cut(fitted: Fitted, page: Page) -> Fitted:
    cuts = cuts_of(fitted.lines)
    lines = [
        line
        for cut, line in zip(cuts, fitted.lines, strict=True)
        if not page.is_about(cut)
    ]
    return fitted._replace(lines=lines)


def finished_text(
    fitted: Fitted, style: Style, limits: Limits, report: Report
) -> bytes:
    """Put the report into the data.

    Args:
        fitted: What the core came to.
        style: How the report is written.
        limits: What the whole is measured against.
        report: What it says.

    Returns:
        The text, within the limits.
    """
    said = style.is_always or style.is_selected
    if style.form == "detached" or (fitted.complete and not said):
        return fitted.data
    if style.form == "siblings":
        return _with_siblings(fitted, style, report)
    if style.page:
        fitted = _without_root_cut(fitted, style.page)  # the slice tells it
    fits = _Room(fitted, style, limits).count_before
    selection = _selection(style) if style.is_selected else b""
    if fitted.complete and not style.is_always:
        # All that was asked for comes before saying that it was asked for.
        if fits(selection) < 0:
            return fitted.data
        return _join(fitted, style, _block(fitted, style, selection, 0))
    note = ending = cursor = b""
    if style.note and (report.cuts or not style.page):
        note = b',"note":' + _json(note_text(style, report.cuts))
    if report.cursor_gap is not None:
        cursor = b',"cursor_gap":' + _json(report.cursor_gap)
    whole = selection + cursor + note
    if fits(whole) == min(LINES_MAX, len(fitted.lines)) > 0:
        return _join(fitted, style, _block(fitted, style, whole, LINES_MAX))
    # The selection goes after the cursor and the note. It stays where room was
    # set aside for it, or where it costs no line.
    with_selection = fits(selection)
    has_line = with_selection >= min(1, len(fitted.lines))
    if has_line and (fitted.selection or with_selection == fits(b"")):
        ending = selection
    if cursor and fits(ending + cursor) >= 1:
        ending += cursor
    count, with_note = fits(ending), fits(ending + note)
    # The note is the first to go: it stays only where it costs no line or room
    # was set aside for it, and where a line is beside it if there is any.
    has_line = with_note > 0 or (not fitted.lines and with_note == 0)
    if has_line and (fitted.note or with_note == count):
        ending, count = ending + note, with_note
    return _join(fitted, style, _block(fitted, style, ending, max(count, 0)))


class _Room:
    """What the budgets leave for the report, and how many lines fit in it."""

    def __init__(self, fitted: Fitted, style: Style, limits: Limits) -> None:
        around = len(_join(fitted, style, b"{}")) - len(fitted.data)
        self._flags = b"".join(_flags(style))
        shown = fitted.lines[:LINES_MAX]
        self._hidden = len(fitted.lines) + fitted.untold + style.unlisted
        # for each budget: what is left, how to measure, the lines' lengths so far
        self._budgets: list[tuple[int, Callable[[bytes], int], list[int]]] = []
        if limits.max_bytes is not None:
            left = limits.max_bytes - len(fitted.data) - around
            self._budgets.append((left, len, _lengths(shown, len)))
        if limits.max_chars is not None:
            left = limits.max_chars - fitted.chars - around
            self._budgets.append((left, _chars, _lengths(shown, _chars)))
        self._most = len(shown)

    def count_before(self, ending: bytes) -> int:
        """Return the most lines that fit before the ending, -1 if not even none do."""
        for count in range(self._most, -1, -1):
            rest = _more(self._hidden - count) + self._flags + ending
            for left, measure, lengths in self._budgets:
                if max(0, lengths[count] + measure(rest)) > left:
                    break
            else:
                return count
        return -1


def _chars(text: bytes) -> int:
    return len(text.decode())


def _lengths(lines: list[bytes], measure: Callable[[bytes], int]) -> list[int]:
    """Return what the first lines take in the block, by their number.

    Every member brings its comma, so the first has one too many.
    """
    frame = len(b',"cuts":[]') - 2
    lengths = accumulate((measure(line) + 1 for line in lines), initial=frame)
    return [-1, *islice(lengths, 1, None)]


def _more(count: int) -> bytes:
    return b',"more_cuts":%d' % count if count else b""


def _block(fitted: Fitted, style: Style, ending: bytes, count: int) -> bytes:
    """Write the value of the report with its first `count` lines."""
    parts = []
    if count:
        parts += [b',"cuts":[', b",".join(fitted.lines[:count]), b"]"]
    told = min(count, len(fitted.lines))
    parts.append(_more(len(fitted.lines) - told + fitted.untold + style.unlisted))
    parts += _flags(style)
    parts.append(ending)
    return b"{" + b"".join(parts)[1:] + b"}"


def _join(fitted: Fitted, style: Style, block: bytes) -> bytes:
    data = fitted.data
    member = _json(style.key) + b":" + block
    if style.jsonl:
        return b"{" + member + b"}\n" + data
    if not fitted.root_is_object:
        return b"{" + member + b',"data":' + data + b"}"
    return b"{" + member + (b"}" if data == b"{}" else b"," + data[1:])


def _with_siblings(fitted: Fitted, style: Style, report: Report) -> bytes:
    """Tell a cut of the root array, beside which no other member stands."""
    path = style.page.path if style.page else ""
    root = next((cut for cut in report.cuts if cut.path == path), None)
    if fitted.root_is_object or root is None:
        return fitted.data
    told = _json(_sibling_total(style))
    told += b':%d,"omitted":%d' % (root.total, root.omitted)
    if note := _sibling_note(style):
        told += b',"note":' + note
    if style.jsonl:
        return b"{" + told + b"}\n" + fitted.data
    return b'{"data":' + fitted.data + b"," + told + b"}"
