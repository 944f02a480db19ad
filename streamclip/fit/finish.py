"""Making the result of an input that has ended.

The core has what is retained of it. Here it is decided what the report has to say,
the text is made that is within every budget, and with a store the whole input is
safe before the text that refers to it leaves.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Callable
from typing import Any

from streamclip.core.binding import (
    BOM,
    Core,
    Fitted,
    Texts,
    TooSmall,
    check,
    clip_at_once,
)
from streamclip.errors import (
    BudgetTooSmallError,
    IncompleteJSONError,
    InvalidJSONError,
)
from streamclip.fit.search import Made, Missed, TextAt, meet, within
from streamclip.options.options import (
    BYTES_PER_TOKEN,
    Limits,
    Options,
    Writer,
    squeezed,
)
from streamclip.report.block import finished_text, with_cuts, with_root_cut
from streamclip.report.earlier import Earlier, merge_cuts
from streamclip.report.embedded import STRINGS_MAX, with_embedded
from streamclip.report.guard import guarded, lines_with_text
from streamclip.report.values import (
    Cut,
    Page,
    Report,
    cuts_of,
    json_value,
    line_of,
    nothing_cut,
)
from streamclip.report.wording import WARNING, Style, selection_text
from streamclip.tokens.measures import Measure, Steps

__all__ = ["Ended", "clipped_at_once", "unchanged"]

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
            return Made(whole, nothing_cut, True, True, False, part), tokens
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
        is_cut, own = bool(fitted.lines or fitted.untold), fitted.lines
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
            return Made(whole, nothing_cut, True, is_all, False, part)
        if self.earlier is not None:
            fitted, lost = _merged(fitted, style, self.earlier)
            style = style._replace(unlisted=style.unlisted + lost)
            complete = complete and not fitted.lines and not style.unlisted
        may_tell_others = self.earlier is not None or self.options.embedded
        if may_tell_others and (others := _other_arrays(own, fitted.lines)):
            fitted = fitted._replace(gap=core.cursor_gap(Texts(others)))
        complete = complete and not self.is_marked
        report = functools.partial(_report, fitted, style, self.selection())
        data = finished_text(fitted, style, limits)
        return Made(data, report, complete, is_all, is_cut, part)

    def selection(self) -> dict[str, Any] | None:
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
        return _as_it_came(bytes(self.verbatim), lines, self.options)

    def _style(self) -> Style:
        """Decide how the report is written."""
        core, options, earlier = self.core, self.options, self.earlier
        cut_short = core.is_cut_short or self.is_unclosed or self.is_marked
        style = _plain_style(options.report, options.note, options.lang)._replace(
            jsonl=core.is_jsonl,
            cut_short=cut_short and not core.is_stopped,
            at_least=cut_short,
            is_always=earlier is not None or cut_short,
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


def unchanged(source: bytes, options: Options) -> bytes | None:
    """Return a document in memory as it came; None if it may not be the result."""
    try:
        documents = check(source, options.max_depth, options.format)
    except InvalidJSONError:
        return None  # what to do about it is decided where all is known
    is_jsonl = documents != 1 or options.format == "jsonl"
    return _as_it_came(source, documents if is_jsonl else None, options)


def clipped_at_once(source: bytes, options: Options) -> Made | None:
    """Make the result of a document in memory, which does not fit, in one call.

    Args:
        source: The document.
        options: Such as are `in_one_call`.

    Returns:
        The result; None if it takes several calls, or is an error.
    """
    style = _plain_style(options.report, options.note, options.lang)
    most, max_chars = options.budget_bytes, options.max_chars
    fitted = clip_at_once(options.core, style.words, source, most, max_chars)
    if fitted is None:
        return None
    report = functools.partial(_report, fitted, style, None)
    limits = Limits(most, max_chars)
    data = finished_text(fitted, style, limits)
    guarded(data, limits, options.max_depth, is_jsonl=False)
    return Made(data, report, fitted.complete, False, not fitted.complete, None)


@functools.lru_cache(maxsize=16)
def _plain_style(form: str, note: bool | str, lang: str) -> Style:
    """Return how the report of a complete JSON document is written."""
    return Style(
        form=form,
        key="_clip",
        note=note,
        lang=lang,
        jsonl=False,
        cut_short=False,
        at_least=False,
        is_always=False,
        earlier_bytes=0,
        unlisted=0,
        selection=b"",
        is_selected=False,
    )


def _page_style(style: Style, page: Page) -> Style:
    return style._replace(
        page=page,
        more=page.ref,
        tool=page.tool,
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
    values = [_parsed(text) for text in texts]
    document = values if style.jsonl else values[0]
    cuts, lost = merge_cuts(cuts_of(fitted.lines), earlier, document)
    return with_cuts(fitted, cuts), lost


def _other_arrays(own: list[bytes], lines: list[bytes]) -> list[bytes]:
    """Return the paths of arrays that lost elements elsewhere than in the core.

    Args:
        own: What the core has told.
        lines: What is told in the end.
    """
    known = {cut.path for cut in cuts_of(own) if cut.unit == "items"}
    cuts = cuts_of(lines)
    paths = {cut.path for cut in cuts if cut.unit == "items"} - known
    return sorted(map(squeezed, paths))


def _parsed(data: bytes) -> Any:
    """Read JSON, numbers as the texts they are; None if it is nested too deeply.

    orjson takes no lone surrogates, and Python's own no integer of more than
    4,300 digits.
    """
    try:
        return json.loads(data, parse_int=str, parse_float=str)
    except RecursionError:
        return None


def _report(fitted: Fitted, style: Style, selection: dict[str, Any] | None) -> Report:
    """Read the report from what it was written with, when somebody asks for it."""
    return Report(
        cuts=cuts_of(fitted.lines),
        total_is="at_least" if style.at_least else "exact",
        input_cut=style.cut_short,
        key=style.key,
        cursor_gap=json_value(fitted.gap) if fitted.gap else None,
        selection=selection,
        ref=style.more or None,
        warning=style.warning or None,
        more_cuts=fitted.untold + style.unlisted,
    )


def _as_it_came(source: bytes, lines: int | None, options: Options) -> bytes | None:
    """Return a whole input as a result, if it may be one.

    Args:
        source: The input; a byte order mark is taken off.
        lines: How many documents it has if it is JSON Lines: each has to have a
            line of its own. Else None.
        options: The budgets; whether tokens are within theirs is not told here.
    """
    data = source.removeprefix(BOM)
    if lines is not None and lines_with_text(data) != lines:
        return None
    return data if options.limits.hold(data) else None
