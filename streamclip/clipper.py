"""The push form: a document in pieces, its clip at the end.

Everything that clips goes through a Clipper. Bytes go on to the core; of what the
core comes to, result.py makes the result.
"""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from streamclip.core.binding import BOM, Core
from streamclip.errors import ClipperBusyError, InvalidJSONError
from streamclip.errors.hints import HEAD_BYTES, head_hint
from streamclip.fit.finish import Ended
from streamclip.intake.foreign_cuts import HELD_BYTES, find_marker
from streamclip.intake.sources import Chunk, encode_chunk, run_in_thread
from streamclip.options.options import ClipOptions, Options, Writer, checked
from streamclip.report.earlier import Opening
from streamclip.report.guard import guarded
from streamclip.report.values import Cut, Page, Report, Slice
from streamclip.tokens.counting import is_async
from streamclip.tokens.measures import Measure, Steps, measure_of

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

__all__ = ["Clip", "Clipper", "Stats"]

T = TypeVar("T")


class Stats(NamedTuple):
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
        slice: Of a page that a store has fetched: which part it is; else None.
    """

    data: bytes
    complete: bool
    _report: Report | Callable[[], Report] = dataclasses.field(
        repr=False, compare=False
    )
    stats: Stats
    slice: Slice | None = None

    @property
    def report(self) -> Report:
        """What was left out; read from what was written when it is first asked for."""
        if not isinstance(self._report, Report):
            object.__setattr__(self, "_report", self._report())
        return self._report  # type: ignore[return-value]

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
        ImportError: Tokens are to be counted, and the extra `tokens` is missing.

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

    def _begin(
        self, options: Options, *, may_await: bool, page: Page | None = None
    ) -> None:
        self._options = options
        self._may_await = may_await
        self._page = page
        self._measure: Measure | None = None
        if options.max_tokens is not None:
            self._measure = measure_of(options.tokenizer, may_await)
        self._writer: Writer | None = None
        if options.store is not None:
            self._writer = options.store.writer(options.max_depth, options.format)
        self._core: Core | None = Core(options.core)
        # The calls that are inside, oldest first; the others are refused.
        self._inside: dict[object, None] = {}
        self._is_sound = True  # no call is inside that changes it, or was broken off
        self._started: float | None = None  # when the first byte came
        self._head = b""
        self._read = 0
        merges = options.report == "inline" and page is None
        self._opening = Opening(options.format) if merges else None
        # takes the same input for a wrapping, as long as it may be one
        self._inner: Clipper | None = None
        # with incomplete="keep": the end of what came, if a marker may be in it
        self._end: bytes | None = b"" if options.incomplete == "keep" else None
        self._is_marked = False
        # the input as it came, as long as it may be the result
        self._verbatim: bytearray | None = bytearray()

    @classmethod
    def _of(
        cls, options: Options, *, may_await: bool = False, page: Page | None = None
    ) -> Self:
        """Make one from options that are checked already.

        Args:
            options: These.
            may_await: Whether `_afinish` will be called, not `finish`.
            page: What the document is a part of, if it is.
        """
        clipper = cls.__new__(cls)
        clipper._begin(options, may_await=may_await, page=page)
        return clipper

    @property
    def _is_full(self) -> bool:
        """Whether what may follow in the root could not be kept."""
        return self._core is None or self._core.is_full

    def _expect_number(self, number: int) -> None:
        """Take the root's next child for this one of the page's value."""
        if self._core is not None:
            self._core.expect_number(number)

    def _finish_page(self, page: Page) -> Clip:
        """End the document, which was this page."""
        self._page = page
        return self.finish()

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
        return self._alone(self._feed, chunk)

    def _feed(self, chunk: Chunk | str) -> bool:
        core = self._begin_change()
        try:
            wanted = True
            for part in encode_chunk(chunk, self._read):
                if not part:
                    continue
                self._remember(part)
                wanted = self._pass_on(core, part)
            self._is_sound = True
            return wanted
        except BaseException as error:
            self._free()
            if isinstance(error, InvalidJSONError):
                raise self._with_hint(error) from None
            raise

    def _pass_on(self, core: Core, part: Chunk) -> bool:
        """Feed the core with what the opening of the stream lets through."""
        opening = self._opening
        if opening is None:
            return self._feed_pieces(core, [part])
        held = opening.held
        pieces = opening.pass_on(part)
        if opening.took_line:
            core.expect_lines()
        wanted = self._feed_pieces(core, pieces)
        return self._feed_inner([held, part]) or wanted if opening.wraps else wanted

    def _feed_inner(self, pieces: list[Chunk]) -> bool:
        """Feed the clipper of what is wrapped, as long as it may be right."""
        if self._inner is None:
            self._inner = Clipper._of(self._options, may_await=self._may_await)
            self._inner._opening = Opening(self._options.format, unwrap=True)
        wanted = False
        with contextlib.suppress(InvalidJSONError):  # it is closed, and was wrong
            for piece in pieces if self._inner._core else ():
                wanted = self._inner.feed(piece) or wanted
        return wanted

    def _feed_pieces(self, core: Core, pieces: list[Chunk]) -> bool:
        wanted = True
        for piece in pieces:
            if piece:
                for ready in self._before_end(piece):
                    wanted = self._take(core, ready)
        return wanted

    def _take(self, core: Core, piece: Chunk) -> bool:
        """Hand a piece of the document to the core and to the store."""
        wanted = core.feed(piece)
        if self._writer is not None:
            self._writer.write(piece)
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
            self._take(core, self._end[:marker])

    def finish(self) -> Clip:
        """End the document and return its clip. The clipper is closed.

        Raises:
            IncompleteJSONError: The document is not complete.
            BudgetTooSmallError: Nothing useful fits.
            ClipperBusyError: Another thread is inside.
            ValueError: It is closed; or there are `fields`, and it turned out to
                be JSON Lines, which were not announced.
        """
        return self._alone(self._make_clip)

    def _make_clip(self) -> Clip:
        core = self._begin_change()
        try:
            steps, count = self._finish(core), None
            while isinstance(found := _advance(steps, count), str):
                count = self._options.tokenizer(found)
            return found
        finally:
            self._free()

    async def _afinish(self) -> Clip:
        """Do what `finish` does, and wait for a tokenizer that takes its time."""
        call = object()
        try:
            try:
                self._enter(call)
                return await self._amake_clip()
            finally:
                self._inside.pop(call, None)
        finally:
            self._inside.pop(call, None)

    async def _amake_clip(self) -> Clip:
        core = self._begin_change()
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

    def _finish(self, core: Core) -> Steps[Clip]:
        """End the document; the caller counts tokens where that takes a call."""
        try:
            keep_incomplete = self._options.incomplete == "keep"
            self._feed_rest(core)
            core.finish(keep_incomplete=keep_incomplete)
            if inner := (yield from self._finish_inner()):
                return inner
            _check_lines_are_known(core, self._options)
            ended = self._ended(core)
            made, tokens = yield from ended.result()
        except InvalidJSONError as error:
            raise self._with_hint(error) from None
        asked = self._options
        is_jsonl = core.is_jsonl
        data = guarded(made.data, asked.limits, asked.max_depth, is_jsonl=is_jsonl)
        lossless = made.complete and ended.selection() is None
        saved = self._read - len(data) if lossless else 0
        seconds = time.perf_counter() - self._started if self._started else 0.0
        counted = self._measure.counted if self._measure else 0
        stats = Stats(self._read, len(data), saved, seconds, tokens, counted)
        return Clip(data, made.complete, made.report, stats, made.part)

    def _finish_inner(self) -> Steps[Clip | None]:
        """Clip what is wrapped, if all of the input was a wrapping."""
        inner = self._inner
        if inner is not None and inner._core is not None:
            with contextlib.suppress(InvalidJSONError):
                return (yield from inner._finish(inner._core))
        return None

    def _ended(self, core: Core) -> Ended:
        opening = self._opening
        return Ended(
            core,
            self._options,
            _clip_text,
            read=self._read,
            verbatim=self._verbatim,
            earlier=opening.earlier if opening else None,
            took_line=opening is not None and opening.took_line,
            is_unclosed=opening is not None and opening.is_unclosed,
            is_marked=self._is_marked,
            measure=self._measure,
            page=self._page,
            writer=self._writer,
        )

    def close(self) -> None:
        """Free what it holds. More calls of `close` do nothing.

        Raises:
            ClipperBusyError: Another thread is inside.
        """
        self._alone(self._free)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # An interrupt (Ctrl-C, a timer) may raise an exception between any two steps.
    # So a call is entered by one step inside the `try`, is known by an object of its
    # own, and leaves by one step, whether it had entered or not; the second
    # `finally` is for an interrupt at the beginning of the first.
    def _alone(self, call: Callable[..., T], *args: Any) -> T:
        """Make a call, unless another one is inside."""
        key = object()
        try:
            try:
                self._enter(key)
                return call(*args)
            finally:
                self._inside.pop(key, None)
        finally:
            self._inside.pop(key, None)

    def _enter(self, key: object) -> None:
        self._inside[key] = None
        if next(iter([*self._inside])) is not key:
            raise ClipperBusyError

    def _begin_change(self) -> Core:
        """Return the core; what is broken off before the end is not sound any more."""
        if not self._is_sound:
            self._free()
        if self._core is None:
            raise ValueError("this Clipper is closed")
        self._is_sound = False
        return self._core

    def _free(self) -> None:
        """Free what it holds; again, if that was interrupted."""
        try:
            self._release()
        finally:
            self._release()

    def _release(self) -> None:
        if self._writer is not None:
            self._writer.abort()
            self._writer = None
        if self._inner is not None:
            self._inner._free()
            self._inner = None
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


def _clip_text(options: Options, text: str) -> tuple[str, tuple[Cut, ...]]:
    with Clipper._of(options) as clipper:
        clipper.feed(text)
        result = clipper.finish()
    return result.text, result.report.cuts


def _advance(steps: Steps[Clip], count: Any) -> str | Clip:
    """Return the next text of which the tokens are wanted, or in the end the clip."""
    try:
        return steps.send(count)
    except StopIteration as end:
        clip: Clip = end.value
        return clip


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
