"""Making the result of an input that has ended.

The core has what is retained of it. Here it is decided what the report has to say,
the text is made that is within every budget, and with a store the whole input is
safe before the text that refers to it leaves.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

from streamclip._binding import BOM, Core, Fitted, Texts, TooSmall
from streamclip.block import finished_text, with_root_cut
from streamclip.budget import Made, Missed, TextAt, meet, within
from streamclip.cursors import KEYS, cursor_gap, parsed
from streamclip.embedded import STRINGS_MAX, with_embedded
from streamclip.errors import BudgetTooSmallError, IncompleteJSONError
from streamclip.measures import Measure, Steps
from streamclip.merge import Earlier, merge_cuts
from streamclip.options import BYTES_PER_TOKEN, Limits, Options, Writer
from streamclip.report import NOTHING_CUT, Cut, Page, Report, cuts_of, line_of
from streamclip.words import WARNING, Style, selection_text

__all__ = ["Ended", "as_it_came"]

CURSOR_KEYS = Texts(key.encode() for key in KEYS)
EARLIER_LINES = 8  # of an earlier clip, that room is set aside for


@dataclasses.dataclass
class Ended:
    """An input that has ended.

    Args:
        core: What is retained of it.
        options: The budgets, and how to report.
        clip_text: Clips a text inside the document by such options.
        read: Bytes of input.
        verbatim: The input as it came, if it may be the result.
        earlier: The report of an earlier clip, which was taken off.
        took_line: Whether that was a line of JSON Lines.
        is_unclosed: Whether what that wrapped was not closed.
        is_marked: Whether somebody else had cut the input, and said so.
        measure: Counts tokens, if there is a budget of them.
        page: What the input is a part of, if it is.
        writer: Stores the input, if it is to be stored.
    """

    core: Core
    options: Options
    clip_text: Callable[[Options, str], tuple[str, tuple[Cut, ...]]]
    read: int
    verbatim: bytearray | None
    earlier: Earlier | None
    took_line: bool
    is_unclosed: bool
    is_marked: bool
    measure: Measure | None
    page: Page | None
    writer: Writer | None

    def result(self) -> Steps[tuple[Made, int | None]]:
        """Make the text of the result, and tell its tokens if they count.

        Raises:
            BudgetTooSmallError: Nothing useful fits.
            IncompleteJSONError: Nothing whole has arrived.
        """
        whole = self._whole()
        tokens = None
        if whole is not None and self.measure is not None:
            limit = self.options.max_tokens or 0
            tokens = yield from within(self.measure, whole.decode(), limit)
            whole = whole if tokens is not None else None
        if whole is not None and not self.options.has_caps:
            part = self.page.slice_of(self.page.count) if self.page else None
            return Made(whole, NOTHING_CUT, True, True, False, part), tokens
        style = self._style()
        made, tokens = yield from self._met(style, whole)
        if self.writer is not None and made.is_cut:
            cut = style.cut_short
            if not self.writer.commit(jsonl=self.core.is_jsonl, cut=cut):
                style = style._replace(more="", warning=WARNING)
                made, tokens = yield from self._met(style, whole)
        return made, tokens

    def _met(self, style: Style, whole: bytes | None) -> Steps[tuple[Made, int | None]]:
        """Make the best text that is within every budget, and tell its tokens."""
        at = functools.partial(self._make, style, whole)
        if self.measure is None:
            made = at(self.options.max_bytes)
            if isinstance(made, TooSmall):
                raise self._too_small(made)
            return made, None
        top, limit = self.options.budget_bytes, self.options.max_tokens or 0
        made = at(top)
        if isinstance(made, TooSmall):
            raise (yield from self._refused(at, made))
        met = yield from meet(self.measure, limit, at, top, made)
        if isinstance(met, Missed):
            raise BudgetTooSmallError(met.tokens, "tokens")
        return met.made, met.tokens

    def _refused(self, at: TextAt, least: TooSmall) -> Steps[Exception]:
        """Return the error for a budget of tokens whose bytes hold no text."""
        error = self._too_small(least)
        if not isinstance(error, BudgetTooSmallError) or error.unit != "tokens":
            return error
        made = at(least.bytes) if least.bytes is not None else least
        if self.measure is None or isinstance(made, TooSmall):
            return error
        found = yield from self.measure.up_to(made.data.decode())
        return BudgetTooSmallError(max(error.needed, found.tokens), "tokens")

    def _make(
        self, style: Style, whole: bytes | None, max_bytes: int | None
    ) -> Made | TooSmall:
        """Make the best text within a number of bytes, and within max_chars.

        Args:
            style: How the report is written.
            whole: The input as it came, if that may be the result.
            max_bytes: The number.
        """
        core, page = self.core, self.page
        limits = Limits(max_bytes, self.options.max_chars)
        fitted = core.fit(style.words, limits.max_bytes, limits.max_chars)
        if isinstance(fitted, TooSmall):
            return fitted
        is_all = fitted.room == self.options.room
        is_cut = bool(fitted.lines or fitted.untold)
        if self.writer is not None and not is_cut:
            style = style._replace(more="")  # nothing will be stored
        if self.options.embedded:
            strings = core.cut_strings(STRINGS_MAX)
            fitted = with_embedded(fitted, strings, self._clip_text)
        part = None
        if page is not None:
            kept = _kept(core, fitted, page)
            part = page.slice_of(kept)
            fitted = with_root_cut(fitted, page, kept)
            style = style._replace(slice=part)
        complete = fitted.complete and not (page and page.is_partial)
        if complete and whole is not None:
            return Made(whole, NOTHING_CUT, True, is_all, False, part)
        if self.earlier is not None:
            fitted, lost = _merged(fitted, style, self.earlier)
            style = style._replace(unlisted=style.unlisted + lost)
            complete = complete and not fitted.lines and not style.unlisted
        complete = complete and not self.is_marked
        report = _report(fitted, style, self._selection())
        data = finished_text(fitted, style, limits, report)
        return Made(data, report, complete, is_all, is_cut, part)

    def _selection(self) -> dict[str, Any] | None:
        """Return what was selected, if anything was."""
        selection = self.options.selection if self.core.has_deselected else {}
        found: dict[str, Any] = {**selection}
        if self.page and self.page.where is not None:
            found["where"] = self.page.where
        return found or None

    def _clip_text(
        self, text: str, max_bytes: int, whole: bool
    ) -> tuple[str, tuple[Cut, ...]]:
        """Clip a text inside the document, by the same options."""
        options = dataclasses.replace(
            self.options,
            max_bytes=max_bytes,
            max_chars=None,
            max_tokens=None,
            profile=None,
            collection=None,
            format="auto",
            read="all",
            report="detached" if self.options.report == "detached" else "inline",
            store=None,
            incomplete="error" if whole else "keep",
        )
        return self.clip_text(options, text)

    def _whole(self) -> bytes | None:
        """Return the input as it came, if that may be the result."""
        core = self.core
        if self.verbatim is None or core.is_cut_short or core.has_deselected:
            return None
        if self.is_marked or (self.page and self.page.is_partial):
            return None
        documents = core.documents + self.took_line
        lines = documents if core.is_jsonl else None
        return as_it_came(bytes(self.verbatim), lines, self.options)

    def _style(self) -> Style:
        """Decide how the report is written."""
        core, options, earlier = self.core, self.options, self.earlier
        cut_short = core.is_cut_short or self.is_unclosed or self.is_marked
        style = Style(
            form=options.report,
            key="_clip",
            note=options.note,
            lang=options.lang,
            jsonl=core.is_jsonl,
            cut_short=cut_short and not core.is_stopped,
            at_least=cut_short,
            has_cursors=core.has_key(CURSOR_KEYS),
            is_always=earlier is not None or cut_short,
            earlier_bytes=0,
            unlisted=0,
            selection=selection_text(options, self.page),
            is_selected=core.has_deselected,
        )
        if self.writer is not None and options.store is not None:
            style = style._replace(more=self.writer.ref, tool=options.store.tool or "")
        if self.page is not None:
            style = _page_style(style, self.page)
        if earlier is not None:
            lines = b",".join(line_of(cut) for cut in earlier.cuts[:EARLIER_LINES])
            style = style._replace(earlier_bytes=len(lines), unlisted=earlier.unlisted)
        number = 1
        while core.key_is_taken(style.words):
            # one more, as a person would count; doubled against a spiteful input
            number += 1 if number < 16 else number
            style = style._replace(key=f"_clip_{number}")
        return style

    def _too_small(self, least: TooSmall) -> Exception:
        """Return the error for budgets that nothing is within."""
        core, options = self.core, self.options
        if least.bytes is None and core.is_cut_short and not core.is_stopped:
            return IncompleteJSONError("nothing whole has arrived", self.read, None)
        # Where nothing can be shortened only the whole input will do: of one that is
        # not read to its end, more than was taken of it, wherever its chunks end.
        whole = core.offset + 1 if core.is_stopped else self.read
        size = whole if least.bytes is None else least.bytes
        chars = whole if least.chars is None else least.chars
        if options.max_bytes is not None and size > options.max_bytes:
            return BudgetTooSmallError(size, "bytes")
        if options.max_chars is not None and chars > options.max_chars:
            return BudgetTooSmallError(chars, "chars")
        if options.max_tokens is not None and size > options.budget_bytes:
            return BudgetTooSmallError(-(-size // BYTES_PER_TOKEN), "tokens")
        return BudgetTooSmallError(whole, "string_chars")


def _page_style(style: Style, page: Page) -> Style:
    return style._replace(
        page=page,
        more=page.ref,
        tool=page.tool,
        has_cursors=False,
        is_always=page.is_partial,
        is_selected=style.is_selected or page.where is not None,
        at_least=style.at_least or page.is_cut,
        cut_short=style.cut_short or page.is_cut,
    )


def _kept(core: Core, fitted: Fitted, page: Page) -> int:
    """Return how much of what was fed of the page's value is kept, from its start."""
    if page.unit == "members":
        return core.leading
    for cut in cuts_of(fitted.lines):
        if page.is_about(cut):
            return cut.kept
    return page.count


def _merged(fitted: Fitted, style: Style, earlier: Earlier) -> tuple[Fitted, int]:
    """Put the cuts of an earlier clip in, and count those that cannot be."""
    texts = fitted.data.split(b"\n") if style.jsonl else [fitted.data]
    values = [parsed(text) for text in texts]
    document = values if style.jsonl else values[0]
    cuts, lost = merge_cuts(cuts_of(fitted.lines), earlier, document)
    return fitted._replace(lines=[line_of(cut) for cut in cuts]), lost


def _report(fitted: Fitted, style: Style, selection: dict[str, Any] | None) -> Report:
    cuts = cuts_of(fitted.lines)
    arrays = [cut.path for cut in cuts if cut.unit == "items"]
    gap = None
    if arrays and style.has_cursors and not style.jsonl:
        gap = cursor_gap(fitted.data, arrays)
    return Report(
        cuts=cuts,
        total_is="at_least" if style.at_least else "exact",
        input_cut=style.cut_short,
        key=style.key,
        cursor_gap=gap,
        selection=selection,
        ref=style.more or None,
        warning=style.warning or None,
    )


def as_it_came(source: bytes, lines: int | None, options: Options) -> bytes | None:
    """Return a whole input as a result, if it may be one.

    Args:
        source: The input; a byte order mark is taken off.
        lines: How many documents it has if it is JSON Lines: each has to have a
            line of its own. Else None.
        options: The budgets; whether tokens are within theirs is not told here.
    """
    data = source.removeprefix(BOM)
    if lines is not None and _lines_with_text(data) != lines:
        return None
    return data if _is_within(data, options) else None


def _lines_with_text(data: bytes) -> int:
    return sum(bool(line.strip()) for line in data.split(b"\n"))


def _is_within(data: bytes, options: Options) -> bool:
    """Tell whether a text is within the budgets of bytes and characters."""
    if options.max_bytes is not None and len(data) > options.max_bytes:
        return False
    if options.max_chars is None or len(data) <= options.max_chars:
        return True
    return len(data.decode()) <= options.max_chars
