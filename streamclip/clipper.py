"""The push form: a document in pieces, its clip at the end.

Everything that clips goes through a Clipper. Bytes go on to the core; what the
core comes to leaves with the report that report.py writes into it.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any

from streamclip._binding import BOM, Core, Fitted, Texts, TooSmall
from streamclip.budget import (
    At,
    Counting,
    Made,
    Measure,
    Missed,
    measure_of,
    meet,
    within,
)
from streamclip.cursors import KEYS, cursor_gap, parsed
from streamclip.embedded import STRINGS_MAX, with_embedded
from streamclip.errors import (
    BudgetTooSmallError,
    ClipperBusyError,
    IncompleteJSONError,
    InvalidJSONError,
)
from streamclip.hints import head_hint
from streamclip.markers import HELD_BYTES, find_marker
from streamclip.merge import Earlier, Opening, merge_cuts
from streamclip.options import (
    BYTES_PER_TOKEN,
    ClipOptions,
    Limits,
    Options,
    checked,
)
from streamclip.report import (
    Cut,
    Report,
    Style,
    cuts_of,
    finished_text,
    line_of,
    selection_text,
)
from streamclip.sources import Chunk, encode_chunk, run_in_thread
from streamclip.tokens import is_async

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

__all__ = ["Clip", "Clipper", "Stats", "is_line_by_line", "is_within"]

CURSOR_KEYS = Texts(key.encode() for key in KEYS)
EARLIER_LINES = 8  # of an earlier clip, that room is set aside for
INCOMPLETE = "the input ended before the document did"
HEAD_BYTES = 4  # enough to tell what an input that is not JSON may be


@dataclasses.dataclass(frozen=True, slots=True)
class Stats:
    """What a clip took.

    Args:
        bytes_read: Bytes of input.
        bytes_out: Bytes of the result.
        bytes_saved: Bytes that went without any loss, as white space and
            escapes; told for a complete result of which nothing was deselected,
            else 0.
        seconds: From the first byte to the result, waiting for input included.
        tokens: Tokens of the result, if there is a budget of tokens.
        tokens_counted: Tokens of all that was counted to meet it.
    """

    bytes_read: int
    bytes_out: int
    bytes_saved: int
    seconds: float
    tokens: int | None = None
    tokens_counted: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class Clip:
    """A document within a budget.

    Args:
        data: UTF-8 JSON, or JSON Lines if the input was.
        complete: Whether nothing was left out.
        report: What was.
        stats: What it took.
    """

    data: bytes
    complete: bool
    report: Report
    stats: Stats

    @property
    def text(self) -> str:
        """The data as a str."""
        return self.data.decode()

    def __str__(self) -> str:
        return self.text


class Clipper:
    """Take a document in pieces as they arrive.

    Use it as a context manager, or call `close`. One thread at a time; after an
    error it is closed.

    Args:
        options: See `ClipOptions`.

    Raises:
        TypeError: No budget is given, or an option does not exist.
        ValueError: An option is out of its range.

    >>> with Clipper(max_bytes=200) as clipper:
    ...     for number in range(100):
    ...         _ = clipper.feed("[" if number == 0 else ",")
    ...         _ = clipper.feed(f'{{"n":{number}}}')
    ...     _ = clipper.feed("]")
    ...     result = clipper.finish()
    >>> result.report.cuts[0].total
    100
    """

    def __init__(self, **options: Unpack[ClipOptions]) -> None:
        self._begin(checked(options), may_await=False)

    def _begin(self, options: Options, may_await: bool) -> None:
        self._options = options
        self._measure: Measure | None = None
        if options.max_tokens is not None:
            self._measure = measure_of(options.tokenizer, may_await)
        self._core: Core | None = Core(options.core)
        self._lock = threading.Lock()
        self._started: float | None = None  # when the first byte came
        self._head = b""
        self._read = 0
        self._opening = Opening() if options.report == "inline" else None
        # with incomplete="keep": the end of what came, if a marker may be in it
        self._end: bytes | None = b"" if options.incomplete == "keep" else None
        self._is_marked = False
        # the input as it came, as long as it may be the result
        self._verbatim: bytearray | None = bytearray()

    @classmethod
    def _of(cls, options: Options, may_await: bool = False) -> Self:
        """Make one from options that are checked already.

        Args:
            options: These.
            may_await: Whether `_afinish` will be called, not `finish`.
        """
        clipper = cls.__new__(cls)
        clipper._begin(options, may_await)
        return clipper

    def feed(self, chunk: Chunk | str) -> bool:
        """Take the next piece of the document.

        Args:
            chunk: Bytes, or text, of any length, cut anywhere.

        Returns:
            Whether more is wanted: False once `read="enough"` has enough.

        Raises:
            InvalidJSONError: A byte cannot belong to a valid document.
            ClipperBusyError: Another thread is inside.
            ValueError: It is closed.
        """
        core = self._enter()
        try:
            wanted = True
            for part in encode_chunk(chunk, self._read):
                if not part:
                    continue
                self._remember(part)
                wanted = self._pass_on(core, part)
            return wanted
        except BaseException as error:
            self._free()
            if isinstance(error, InvalidJSONError):
                raise self._with_hint(error) from None
            raise
        finally:
            self._lock.release()

    def _pass_on(self, core: Core, part: Chunk) -> bool:
        """Feed the core with what the opening of the stream lets through."""
        pieces = self._opening.pass_on(part) if self._opening else [part]
        if self._opening and self._opening.took_line:
            core.expect_lines()
        return self._feed_pieces(core, pieces)

    def _feed_pieces(self, core: Core, pieces: list[Chunk]) -> bool:
        wanted = True
        for piece in pieces:
            if piece:
                for ready in self._before_end(piece):
                    wanted = core.feed(ready)
        return wanted

    def _before_end(self, piece: Chunk) -> list[Chunk]:
        """Hold back the end of what came, if it may have a marker."""
        if self._end is None:
            return [piece]
        if len(piece) >= HELD_BYTES:
            view = memoryview(piece)  # it may be all of a large document
            ready: list[Chunk] = [self._end, view[:-HELD_BYTES]]
            self._end = bytes(view[-HELD_BYTES:])
            return ready
        joined = self._end + piece
        at = max(0, len(joined) - HELD_BYTES)
        self._end = joined[at:]
        return [joined[:at]]

    def _feed_rest(self, core: Core) -> None:
        """Feed what was held back, up to the marker of whoever cut the input."""
        if self._opening:
            self._feed_pieces(core, self._opening.end())
        if self._end is not None:
            marker = find_marker(self._end)
            self._is_marked = marker is not None
            core.feed(self._end[:marker])

    def finish(self) -> Clip:
        """End the document and return its clip. The clipper is closed.

        Raises:
            IncompleteJSONError: The document is not complete.
            BudgetTooSmallError: Nothing useful fits.
            ClipperBusyError: Another thread is inside.
            ValueError: It is closed; or there are `fields`, and it turned out to
                be JSON Lines, which were not announced.
        """
        core = self._enter()
        try:
            steps, count = self._finish(core), None
            while isinstance(found := _advance(steps, count), str):
                count = self._options.tokenizer(found)
            return found
        finally:
            self._free()
            self._lock.release()

    async def _afinish(self) -> Clip:
        """Do what `finish` does, and wait for a tokenizer that takes its time."""
        core = self._enter()
        tokenizer = self._options.tokenizer
        try:
            steps, count = self._finish(core), None
            while isinstance(found := _advance(steps, count), str):
                if is_async(tokenizer):
                    count = tokenizer(found)
                else:
                    count = await run_in_thread(tokenizer, found)
                if inspect.isawaitable(count):
                    count = await count
            return found
        finally:
            self._free()
            self._lock.release()

    def _finish(self, core: Core) -> Counting[Clip]:
        """End the document; the caller counts tokens where that takes a call."""
        try:
            keep_incomplete = self._options.incomplete == "keep"
            self._feed_rest(core)
            core.finish(keep_incomplete=keep_incomplete)
            if self._opening and self._opening.is_unclosed and not keep_incomplete:
                raise IncompleteJSONError(INCOMPLETE, core.offset)
            _check_lines_are_known(core, self._options)
            made, tokens = yield from self._result(core)
        except InvalidJSONError as error:
            raise self._with_hint(error) from None
        data, report, complete = made.data, made.report, made.complete
        lossless = complete and report.selection is None
        saved = self._read - len(data) if lossless else 0
        seconds = time.perf_counter() - self._started if self._started else 0.0
        counted = self._measure.counted if self._measure else 0
        stats = Stats(self._read, len(data), saved, seconds, tokens, counted)
        return Clip(data, complete, report, stats)

    def close(self) -> None:
        """Free what it holds. More calls of `close` do nothing.

        Raises:
            ClipperBusyError: Another thread is inside.
        """
        if not self._lock.acquire(blocking=False):
            raise ClipperBusyError
        self._free()
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # Every call enters, and releases the lock in the end. A context manager of
    # our own would cost more than what it guards.
    def _enter(self) -> Core:
        if not self._lock.acquire(blocking=False):
            raise ClipperBusyError
        if self._core is None:
            self._lock.release()
            raise ValueError("this Clipper is closed")
        return self._core

    def _free(self) -> None:
        if self._core is not None:
            self._core.close()
            self._core = None
            self._verbatim = None

    def _remember(self, part: Chunk) -> None:
        if self._started is None:
            self._started = time.perf_counter()
        if len(self._head) < HEAD_BYTES:
            self._head += bytes(part[: HEAD_BYTES - len(self._head)])
        self._read += len(part)
        if self._verbatim is None:
            return
        if self._read > self._options.budget_bytes + len(BOM):
            self._verbatim = None
        else:
            self._verbatim += part

    def _with_hint(self, error: InvalidJSONError) -> InvalidJSONError:
        """Say what the input may be, and where the error is in all of it."""
        if error.offset < HEAD_BYTES and (hint := head_hint(self._head)):
            return type(error)(error.reason, error.offset, hint)
        if self._opening and self._opening.removed:
            offset = error.offset + self._opening.removed
            return type(error)(error.reason, offset, error.hint)
        return error

    def _result(self, core: Core) -> Counting[tuple[Made, int | None]]:
        """Make the text of the result, and tell its tokens if they count."""
        options, measure = self._options, self._measure
        limit = options.max_tokens or 0
        whole = self._whole(core)
        tokens = None
        if whole is not None and measure is not None:
            tokens = yield from within(measure, whole.decode(), limit)
            whole = whole if tokens is not None else None
        if whole is not None and not options.has_caps:
            return Made(whole, Report(), True, True), tokens
        earlier = self._opening.earlier if self._opening else None
        style = self._style(core, earlier)
        at = functools.partial(self._make, core, style, earlier, whole)
        if measure is None:
            made = at(options.max_bytes)
            if isinstance(made, TooSmall):
                raise self._too_small(core, made)
            return made, None
        top = options.budget_bytes
        made = at(top)
        if isinstance(made, TooSmall):
            raise (yield from self._refused(core, at, made))
        met = yield from meet(measure, limit, at, top, made)
        if isinstance(met, Missed):
            raise BudgetTooSmallError(met.tokens, "tokens")
        return met.made, met.tokens

    def _refused(self, core: Core, at: At, least: TooSmall) -> Counting[Exception]:
        """Return the error for a budget of tokens whose bytes hold no text."""
        error = self._too_small(core, least)
        if not isinstance(error, BudgetTooSmallError) or error.unit != "tokens":
            return error
        made = at(least.bytes) if least.bytes is not None else least
        if self._measure is None or isinstance(made, TooSmall):
            return error
        found = yield from self._measure.up_to(made.data.decode())
        return BudgetTooSmallError(max(error.needed, found.tokens), "tokens")

    def _make(
        self,
        core: Core,
        style: Style,
        earlier: Earlier | None,
        whole: bytes | None,
        max_bytes: int | None,
    ) -> Made | TooSmall:
        """Make the best text within a number of bytes, and within max_chars.

        Args:
            core: It has the tree.
            style: How the report is written.
            earlier: The report of an earlier clip.
            whole: The input as it came, if that may be the result.
            max_bytes: The number.
        """
        options = self._options
        limits = Limits(max_bytes, options.max_chars)
        fitted = core.fit(style.words, limits.max_bytes, limits.max_chars)
        if isinstance(fitted, TooSmall):
            return fitted
        is_all = fitted.room == options.room
        if options.embedded:
            strings = core.cut_strings(STRINGS_MAX)
            fitted = with_embedded(fitted, strings, self._clip_text)
        complete = fitted.complete
        if complete and whole is not None:
            return Made(whole, Report(), True, is_all)
        if earlier is not None:
            fitted, lost = _merged(fitted, style, earlier)
            style = style._replace(unlisted=style.unlisted + lost)
            complete = complete and not fitted.lines and not style.unlisted
        complete = complete and not self._is_marked
        selection = options.selection if core.has_deselected else None
        report = _report(fitted, style, selection)
        data = finished_text(fitted, style, limits, report)
        return Made(data, report, complete, is_all)

    def _clip_text(
        self, text: str, max_bytes: int, whole: bool
    ) -> tuple[str, tuple[Cut, ...]]:
        """Clip a text inside the document, by the same options."""
        options = dataclasses.replace(
            self._options,
            max_bytes=max_bytes,
            max_chars=None,
            max_tokens=None,
            profile=None,
            collection=None,
            format="auto",
            read="all",
            report="detached" if self._options.report == "detached" else "inline",
            incomplete="error" if whole else "keep",
        )
        with Clipper._of(options) as clipper:
            clipper.feed(text)
            result = clipper.finish()
        return result.text, result.report.cuts

    def _whole(self, core: Core) -> bytes | None:
        """Return the input as it came, if that may be the result."""
        if self._verbatim is None or core.is_cut_short or core.has_deselected:
            return None
        if self._is_marked:
            return None
        data = bytes(self._verbatim).removeprefix(BOM)
        documents = core.documents
        if self._opening and self._opening.took_line:
            documents += 1
        if core.is_jsonl and not is_line_by_line(data, documents):
            return None
        return data if is_within(data, self._options) else None

    def _style(self, core: Core, earlier: Earlier | None) -> Style:
        unclosed = self._opening is not None and self._opening.is_unclosed
        cut_short = core.is_cut_short or unclosed or self._is_marked
        style = Style(
            form=self._options.report,
            key="_clip",
            note=self._options.note,
            lang=self._options.lang,
            jsonl=core.is_jsonl,
            cut_short=cut_short and not core.is_stopped,
            at_least=cut_short,
            has_cursors=core.has_key(CURSOR_KEYS),
            is_always=earlier is not None or cut_short,
            earlier_bytes=0,
            unlisted=0,
            selection=selection_text(self._options),
            is_selected=core.has_deselected,
        )
        if earlier is not None:
            lines = b",".join(line_of(cut) for cut in earlier.cuts[:EARLIER_LINES])
            style = style._replace(earlier_bytes=len(lines), unlisted=earlier.unlisted)
        number = 1
        while core.key_is_taken(style.words):
            # one more, as a person would count; doubled against a spiteful input
            number += 1 if number < 16 else number
            style = style._replace(key=f"_clip_{number}")
        return style

    def _too_small(self, core: Core, least: TooSmall) -> Exception:
        options = self._options
        if least.bytes is None and core.is_cut_short and not core.is_stopped:
            return IncompleteJSONError("nothing whole has arrived", self._read, None)
        # Where nothing can be shortened only the whole input will do.
        size = self._read if least.bytes is None else least.bytes
        chars = self._read if least.chars is None else least.chars
        if options.max_bytes is not None and size > options.max_bytes:
            return BudgetTooSmallError(size, "bytes")
        if options.max_chars is not None and chars > options.max_chars:
            return BudgetTooSmallError(chars, "chars")
        if options.max_tokens is not None and size > options.budget_bytes:
            return BudgetTooSmallError(-(-size // BYTES_PER_TOKEN), "tokens")
        return BudgetTooSmallError(self._read, "string_chars")


def _advance(steps: Counting[Clip], count: Any) -> str | Clip:
    """Return the next text of which the tokens are wanted, or in the end the clip."""
    try:
        return steps.send(count)
    except StopIteration as end:
        clip: Clip = end.value
        return clip


def _merged(fitted: Fitted, style: Style, earlier: Earlier) -> tuple[Fitted, int]:
    """Put the cuts of an earlier clip in, and count those that cannot be."""
    texts = fitted.data.split(b"\n") if style.jsonl else [fitted.data]
    values = [parsed(text) for text in texts]
    document = values if style.jsonl else values[0]
    cuts, lost = merge_cuts(cuts_of(fitted.lines), earlier, document)
    return fitted._replace(lines=[line_of(cut) for cut in cuts]), lost


def _check_lines_are_known(core: Core, options: Options) -> None:
    """Refuse lines of which the first was not taken for a record.

    Raises:
        ValueError: There are such.
    """
    if options.fields and options.format == "auto" and core.is_jsonl:
        raise ValueError(
            "the input is JSON Lines, which fields has to know from the start: pass "
            'format="jsonl"'
        )


def _report(
    fitted: Fitted, style: Style, selection: dict[str, list[str]] | None
) -> Report:
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
    )


def is_within(data: bytes, options: Options) -> bool:
    """Tell whether a text is within every budget."""
    if options.max_bytes is not None and len(data) > options.max_bytes:
        return False
    if options.max_chars is None or len(data) <= options.max_chars:
        return True
    return len(data.decode()) <= options.max_chars


def is_line_by_line(data: bytes, documents: int) -> bool:
    """Tell whether each of the documents has a line of its own."""
    return sum(bool(line.strip()) for line in data.split(b"\n")) == documents
