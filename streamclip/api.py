"""Clip JSON to a budget: the functions that people call.

sources.py turns what they pass into bytes, and a Clipper does the rest.
"""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import AsyncGenerator, AsyncIterable, Iterable
from typing import TYPE_CHECKING, Any

from streamclip.clipper import Clip, Clipper, Stats
from streamclip.errors import InvalidJSONError
from streamclip.errors.hints import path_hint
from streamclip.fit.finish import clipped_at_once, unchanged
from streamclip.intake.records import aencode_records, encode_records
from streamclip.intake.sources import (
    BUFFERS,
    Chunk,
    aopen_chunks,
    dump,
    is_value,
    open_chunks,
    run_in_thread,
)
from streamclip.options.options import ClipOptions, Options, checked
from streamclip.report.earlier import begins_with_block
from streamclip.report.values import NOTHING_CUT

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["aclip", "aclip_records", "clip", "clip_records"]

ONCE_BYTES = 2 << 20  # clipped in one call, in which Ctrl-C is not heard
ONCE_CHARS = ONCE_BYTES // 4
LOOP_BYTES = 1 << 20  # in memory and larger: clipped in a thread by aclip


def _as_bytes(source: Any, options: Options) -> bytes | None:
    """Return a source that is in memory as the bytes it stands for, if cheap."""
    if isinstance(source, bytes):
        return source
    if is_value(source):
        return dump(source, options.default)
    if isinstance(source, str) and len(source) <= max(options.budget_bytes, ONCE_CHARS):
        with contextlib.suppress(UnicodeEncodeError):
            return source.encode()
    return None


def _at_once(source: bytes, options: Options) -> Clip | None:
    """Clip a document in one call of the core; None if it takes more."""
    started = time.perf_counter()
    size = len(source)
    if size <= options.most_unchanged:
        data = unchanged(source, options)
        if data is not None:
            seconds = time.perf_counter() - started
            stats = Stats(size, len(data), size - len(data), seconds)
            return Clip(data, True, NOTHING_CUT, stats)
    if not options.in_one_call or begins_with_block(source):
        return None
    made = clipped_at_once(source, options)
    if made is None:
        return None
    saved = size - len(made.data) if made.complete else 0
    stats = Stats(size, len(made.data), saved, time.perf_counter() - started)
    return Clip(made.data, made.complete, made.report, stats)


def clip(source: Any, **options: Unpack[ClipOptions]) -> Clip:
    """Clip a JSON document to a budget.

    Args:
        source: JSON text (`bytes`, `str`, …), an `os.PathLike`, an open file, an
            iterator of chunks, or a JSON value. Nothing is read as a whole.
        options: See `ClipOptions`; a budget, such as `max_tokens`, is needed.

    Returns:
        The clip: valid JSON, within every budget, that says what it lacks.

    Raises:
        TypeError: No budget is given, or the source is of no such kind.
        ValueError: An option is out of its range; or there are `fields`, and the
            source is JSON Lines without `format="jsonl"`.
        InvalidJSONError: The source is not valid JSON.
        IncompleteJSONError: It ended early.
        BudgetTooSmallError: Nothing useful fits.
        ImportError: Tokens are to be counted, and the extra `tokens` is missing.

    What the source itself raises, or a function that counts tokens, comes through
    as it is.

    >>> orders = {"orders": [{"id": n, "sum": 1.5} for n in range(200)], "of": 200}
    >>> result = clip(orders, max_bytes=200, note=False)
    >>> print(result.text)  # doctest: +NORMALIZE_WHITESPACE
    {"_clip":{"cuts":[{"path":"/orders","kept":5,"total":200,"omitted":195}]},"orders":[{"id":0,"sum":1.5},{"id":1,"sum":1.5},{"id":2,"sum":1.5},{"id":3,"sum":1.5},{"id":4,"sum":1.5}],"of":200}
    """
    asked = checked(options)
    data = _as_bytes(source, asked)
    if data is not None and len(data) <= ONCE_BYTES and (made := _at_once(data, asked)):
        return made
    with Clipper._of(asked) as clipper:
        try:
            if data is not None:
                clipper.feed(data)
                return clipper.finish()
            with contextlib.closing(open_chunks(source, asked.default)) as chunks:
                _ = all(clipper.feed(chunk) for chunk in chunks)
            return clipper.finish()
        except InvalidJSONError as error:
            raise _named(error, source) from None


def _named(error: InvalidJSONError, source: Any) -> InvalidJSONError:
    """Say so if a str that is not JSON seems to name a file."""
    hint = path_hint(source) if isinstance(source, str) else None
    return type(error)(error.reason, error.offset, hint) if hint else error


async def aclip(source: Any, **options: Unpack[ClipOptions]) -> Clip:
    """Clip a JSON document to a budget without blocking the event loop.

    Args:
        source: What `clip` takes, or an `AsyncIterable` of chunks.
        options: See `ClipOptions`.

    Returns:
        The clip, as `clip` returns it.

    Raises:
        TypeError: See `clip`; so for all others.
        ValueError: See `clip`.
        InvalidJSONError: See `clip`.
        IncompleteJSONError: See `clip`.
        BudgetTooSmallError: See `clip`.
        ImportError: See `clip`.

    >>> import asyncio
    >>> asyncio.run(aclip(b"[1, 2, 3]", max_bytes=100)).data
    b'[1, 2, 3]'
    """
    asked = checked(options)
    in_memory = isinstance(source, (str, *BUFFERS))
    if in_memory or is_value(source):
        # A function may turn out to be one whose results have to be awaited.
        if asked.max_tokens is not None and callable(asked.tokenizer):
            clipper: Clipper = await run_in_thread(_fed, source, asked)
            with clipper:
                return await clipper._afinish()
        if in_memory and len(source) < LOOP_BYTES and asked.max_tokens is None:
            return clip(source, **options)
        result: Clip = await run_in_thread(functools.partial(clip, source, **options))
        return result
    return await _aclip_chunks(aopen_chunks(source, asked.default), asked)


def _fed(source: Any, options: Options) -> Clipper:
    """Return a clipper that has taken all of a source."""
    clipper = Clipper._of(options, may_await=True)
    try:
        with contextlib.closing(open_chunks(source, options.default)) as chunks:
            _ = all(clipper.feed(chunk) for chunk in chunks)
        return clipper
    except BaseException as error:
        clipper.close()
        if isinstance(error, InvalidJSONError):
            raise _named(error, source) from None
        raise


async def _aclip_chunks(chunks: AsyncGenerator[Chunk, None], options: Options) -> Clip:
    begin = functools.partial(Clipper._of, options, may_await=True)
    # An encoding takes a second to load.
    is_slow = options.max_tokens is not None
    clipper: Clipper = await run_in_thread(begin) if is_slow else begin()
    with clipper:
        async with contextlib.aclosing(chunks):
            async for chunk in chunks:
                if not clipper.feed(chunk):
                    break
        return await clipper._afinish()


def clip_records(records: Iterable[Any], **options: Unpack[ClipOptions]) -> Clip:
    """Clip Python objects that come one by one, as a JSON array.

    They are written by orjson and never held all together: what is past the
    budget is counted, not kept.

    Args:
        records: The objects: a generator, a database cursor, a list.
        options: See `ClipOptions`.

    Returns:
        The clip of the array, as `clip` returns it.

    Raises:
        TypeError: See `clip`; or orjson cannot write a record.
        ValueError: See `clip`.
        BudgetTooSmallError: See `clip`.

    >>> result = clip_records(({"id": n} for n in range(1000)), max_bytes=300)
    >>> result.report.cuts[0].total
    1000
    """
    asked = checked(options)
    with Clipper._of(asked) as clipper:
        chunks = encode_records(records, asked.default)
        _ = all(clipper.feed(chunk) for chunk in chunks)
        return clipper.finish()


async def aclip_records(
    records: AsyncIterable[Any] | Iterable[Any], **options: Unpack[ClipOptions]
) -> Clip:
    """Clip Python objects that come one by one, asynchronously or not.

    Args:
        records: The objects; a plain iterable is drained in a thread.
        options: See `ClipOptions`.

    Returns:
        The clip of the array, as `clip` returns it.

    Raises:
        TypeError: See `clip_records`.
        ValueError: See `clip`.
        BudgetTooSmallError: See `clip`.
    """
    asked = checked(options)
    return await _aclip_chunks(aencode_records(records, asked.default), asked)
