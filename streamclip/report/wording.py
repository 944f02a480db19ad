"""The words of the report: what the core writes it with, and the room for them.

The core sets aside, before it fits anything, what stands around the lines of the
report. How much that is is measured here, of the words that are written later.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

from streamclip.core.binding import Texts, Words
from streamclip.options.options import Options
from streamclip.report import cursors
from streamclip.report.values import Page, Slice, json_text

__all__ = [
    "WARNING",
    "Style",
    "flags_of",
    "note_text",
    "selection_member",
    "selection_text",
    "sibling_note",
    "sibling_total",
]

MORE_DIGITS = 5  # set aside for the number of lines that are not shown
CURSOR_PATH_BYTES = 14  # set aside for the path of a pagination cursor
CURSOR_KEYS = Texts(key.encode() for key in cursors.KEYS)
PAGE_KEYS = Texts(key.encode() for key in cursors.ABOUT_THE_PAGE)
NO_KEYS = Texts(())
NUMBER_DIGITS = 20  # set aside for a number of 64 bits beside an array

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
# Where no line is told.
ENDED_NOTES = {
    "en": "The input ended early; there may be more.",
    "zh": "输入提前结束，可能还有更多。",
}
UNTOLD_NOTES = {
    "en": "Some parts are not shown here, but exist.",
    "zh": "部分内容此处未显示，但存在。",
}
TOOL_NOTES = {
    "en": " Call {tool} with `more` to get them.",
    "zh": "要取得它们，请用 `more` 调用 {tool}。",
}
PAGE_TOOL_NOTES = {
    "en": " Call {tool} with `more`, and slice.next as start, to go on.",
    "zh": "要继续，请用 `more` 调用 {tool}，start 取 slice.next。",
}
WARNING = "the rest could not be stored"
SIBLING_NOTES = {
    "en": "Not all elements are shown here; the others exist.",
    "zh": "此处未显示全部元素；其余元素存在。",
}


class Style(NamedTuple):
    """All that decides how a report is written, beside the cuts."""

    form: str
    key: str
    note: bool | str
    lang: str
    jsonl: bool
    cut_short: bool
    at_least: bool
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


def note_text(style: Style, first: tuple[str, int, int] | None) -> str:
    """Return the sentence for the reader.

    Args:
        style: How the report is written.
        first: Unit, kept and total of the most important cut, if there is any.
    """
    if isinstance(style.note, str):
        return style.note
    if first is None:
        return (ENDED_NOTES if style.cut_short else UNTOLD_NOTES)[style.lang]
    unit, kept, total = first
    return _note_template(style).format(
        omitted=total - kept, total=total, unit=UNITS[style.lang][unit]
    )


def _note_template(style: Style) -> str:
    template = (AT_LEAST_NOTES if style.at_least else NOTES)[style.lang]
    if not style.tool or not style.more:
        return template
    # A name is no template.
    name = style.tool.replace("{", "{{").replace("}", "}}")
    notes = PAGE_TOOL_NOTES if style.page else TOOL_NOTES
    return template + notes[style.lang].replace("{tool}", name)


@functools.lru_cache(maxsize=64)
def _words(style: Style) -> Words:
    key = json_text(style.key)
    note = _note_words(style)
    frame = b"".join([key, b':{"cuts":[]', *flags_of(style), b"},"])
    frame += b"9" * style.earlier_bytes
    wrap = b"{}\n" if style.jsonl else b'{"data":}'
    selection = selection_member(style)
    siblings = b'{"data":,"total_at_least":,"omitted":,"note":}' + sibling_note(style)
    siblings += b"9" * (2 * NUMBER_DIGITS)  # the total, and what is omitted
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
        wrap_bytes=len(wrap) if inline else len(siblings),
        more_bytes=len(b',"more_cuts":') + MORE_DIGITS,
        cursor_keys=NO_KEYS if style.page else CURSOR_KEYS,
        page_keys=PAGE_KEYS,
        cursor_link=cursors.LINK.encode(),
        cursor_object=cursors.OBJECT.encode(),
        cursor_bytes=len(b',"cursor_gap":""') + CURSOR_PATH_BYTES if inline else 0,
        **note,
        selection_bytes=len(selection),
        selection_chars=len(selection.decode()),
        sibling_total=json_text(sibling_total(style)),
        sibling_omitted=b'"omitted"',
        sibling_note=b'"note"',
        sibling_text=sibling_note(style),
    )


def _open(member: bytes, text: str) -> bytes:
    """Write a member whose value, a string, goes on."""
    return member + json_text(text)[:-1]


def _note_words(style: Style) -> dict[str, int | tuple[int, ...]]:
    """Measure the note: its fixed part, its numbers, and its words for units."""
    if not style.note:
        return {}
    frame = b',"note":'
    if isinstance(style.note, str):
        note = frame + json_text(style.note)
        return {"note_bytes": len(note), "note_chars": len(note.decode())}
    template = _note_template(style)
    fixed = frame + json_text(template.format(omitted="", total="", unit=""))
    plain = frame + json_text(note_text(style, None))
    times = template.count("{unit}")
    units = UNITS[style.lang].values()
    return {
        "note_bytes": max(len(fixed), len(plain)),
        "note_chars": max(len(fixed.decode()), len(plain.decode())),
        "note_numbers": 1 if style.at_least else 2,
        "note_unit_bytes": tuple(len(unit.encode()) * times for unit in units),
        "note_unit_chars": tuple(len(unit) * times for unit in units),
    }


def sibling_total(style: Style) -> str:
    """Return the key of the total beside an array."""
    return "total_at_least" if style.at_least else "total"


def sibling_note(style: Style) -> bytes:
    """Return the note beside an array as JSON, empty if there is none."""
    if isinstance(style.note, str):
        return json_text(style.note)
    return json_text(SIBLING_NOTES[style.lang]) if style.note else b""


def flags_of(style: Style) -> list[bytes]:
    """Return the members of the block that come behind its cuts, each with a comma."""
    flags = []
    if style.cut_short:
        flags.append(b',"input_cut":true')
    if style.at_least:
        flags.append(b',"total_is":"at_least"')
    if style.warning:
        flags.append(b',"warning":' + json_text(style.warning))
    if style.page:
        told = style.slice or style.page.slice_of(style.page.count)
        flags.append(b',"slice":' + json_text(told.to_dict()))
        if style.slice is None:  # `next` may yet be a number
            flags.append(b"9" * len(str(style.page.total)))
    if style.more:
        flags.append(b',"more":' + json_text(style.more))
    return flags


def selection_member(style: Style) -> bytes:
    """Return the member that tells what is selected, empty if everything is."""
    return style.selection and b',"selection":' + style.selection


def selection_text(options: Options, page: Page | None) -> bytes:
    """Return what is selected as JSON; nothing if everything is."""
    parts = [
        json_text(what) + b":[" + b",".join(map(json_text, names)) + b"]"
        for what, names in options.selection.items()
    ]
    if page and page.where is not None:
        parts.append(b'"where":' + json_text(page.where))
    return b"{" + b",".join(parts) + b"}" if parts else b""
