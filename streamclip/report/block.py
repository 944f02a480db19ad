"""The report as a block in the data.

The core has set room aside for it. Which of its lines are shown, and what else
beside them, is decided here by the bytes and characters that are really left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, islice

from streamclip.core.binding import Fitted
from streamclip.options.options import Limits
from streamclip.report.values import (
    Cut,
    Page,
    cuts_of,
    in_order,
    json_text,
    line_of,
)
from streamclip.report.wording import (
    Style,
    flags_of,
    note_text,
    selection_member,
    sibling_note,
    sibling_total,
)

__all__ = ["Room", "finished_text", "with_cuts", "with_root_cut", "write_block"]

LINES_MAX = 12  # shown when there is room; the core sets room aside for 8


def finished_text(fitted: Fitted, style: Style, limits: Limits) -> bytes:
    """Put the report into the data.

    Args:
        fitted: What the core came to.
        style: How the report is written.
        limits: What the whole is measured against.

    Returns:
        The text, within the limits.
    """
    said = style.is_always or style.is_selected
    if style.form == "detached" or (fitted.complete and not said):
        return fitted.data
    if style.form == "siblings":
        return _with_siblings(fitted, style)
    has_cuts = fitted.first is not None
    if style.page:
        # The slice tells that of the root; the note is still about it.
        fitted = _without_root_cut(fitted, style.page)
    selection = selection_member(style) if style.is_selected else b""
    if fitted.complete and not style.is_always:
        # All that was asked for comes before saying that it was asked for.
        text = _join(fitted, style, write_block(fitted, style, selection, 0))
        return text if limits.hold(text) else fitted.data
    note = ending = cursor = b""
    if style.note and (has_cuts or not style.page):
        note = b',"note":' + json_text(note_text(style, fitted.first))
    if fitted.gap:
        cursor = b',"cursor_gap":' + fitted.gap
    if fitted.lines:
        all_of_it = selection + cursor + note
        text = _join(fitted, style, write_block(fitted, style, all_of_it, LINES_MAX))
        if limits.hold(text):
            return text
    fits = Room(fitted, style, limits).count_before
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
    return _join(fitted, style, write_block(fitted, style, ending, max(count, 0)))


class Room:
    """What the budgets leave for the report, and how many lines fit in it."""

    def __init__(self, fitted: Fitted, style: Style, limits: Limits) -> None:
        around = len(_join(fitted, style, b"{}")) - len(fitted.data)
        self._flags = b"".join(flags_of(style))
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


def write_block(fitted: Fitted, style: Style, ending: bytes, count: int) -> bytes:
    """Write the value of the report with its first `count` lines."""
    parts = []
    if count:
        parts += [b',"cuts":[', b",".join(fitted.lines[:count]), b"]"]
    told = min(count, len(fitted.lines))
    parts.append(_more(len(fitted.lines) - told + fitted.untold + style.unlisted))
    parts += flags_of(style)
    parts.append(ending)
    return b"{" + b"".join(parts)[1:] + b"}"


def _join(fitted: Fitted, style: Style, block: bytes) -> bytes:
    data = fitted.data
    member = json_text(style.key) + b":" + block
    if style.jsonl:
        return b"{" + member + b"}\n" + data
    if not fitted.root_is_object:
        return b"{" + member + b',"data":' + data + b"}"
    return b"{" + member + (b"}" if data == b"{}" else b"," + data[1:])


def _with_siblings(fitted: Fitted, style: Style) -> bytes:
    """Tell a cut of the root array, beside which no other member stands."""
    path = style.page.path if style.page else ""
    if fitted.root_is_object:
        return fitted.data
    root = next((cut for cut in cuts_of(fitted.lines) if cut.path == path), None)
    if root is None:
        return fitted.data
    told = json_text(sibling_total(style))
    told += b':%d,"omitted":%d' % (root.total, root.omitted)
    if note := sibling_note(style):
        told += b',"note":' + note
    if style.jsonl:
        return b"{" + told + b"}\n" + fitted.data
    return b'{"data":' + fitted.data + b"," + told + b"}"


def with_cuts(fitted: Fitted, cuts: Sequence[Cut]) -> Fitted:
    """Put these cuts, in the report's order, in the place of the core's."""
    first = (cuts[0].unit, cuts[0].kept, cuts[0].total) if cuts else None
    return fitted._replace(lines=[line_of(cut) for cut in cuts], first=first)


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
    return with_cuts(fitted, in_order(cuts))


def _without_root_cut(fitted: Fitted, page: Page) -> Fitted:
    cuts = cuts_of(fitted.lines)
    lines = [
        line
        for cut, line in zip(cuts, fitted.lines, strict=True)
        if not page.is_about(cut)
    ]
    return fitted._replace(lines=lines)
