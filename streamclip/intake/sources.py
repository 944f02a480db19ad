"""Turn whatever holds JSON into chunks of UTF-8 bytes, never all of it at once.

    str, bytes, mmap, …      in memory: encoded in slices, or handed out as it is
    os.PathLike              opened here, read into one buffer, closed here
    an open file             read into one buffer, or by read(n); stays open
    an iterable of chunks    chunk by chunk; its own exceptions come through
    dict, list, dataclass …  written by orjson first

A chunk is `bytes` or a `memoryview` of bytes. A view is good only until the
next chunk is asked for: its memory is used again, or belongs to the caller.
Nothing here knows JSON; the chunks are what arrived, byte for byte.
"""

from __future__ import annotations

import array
import codecs
import contextlib
import dataclasses
import errno
import importlib
import inspect
import io
import mmap
import os
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Callable,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Set,
)
from typing import Any, TypeAlias

import orjson

from streamclip.errors import InvalidJSONError

__all__ = [
    "Chunk",
    "Default",
    "aopen_chunks",
    "dump",
    "encode_chunk",
    "is_value",
    "open_chunks",
    "run_in_thread",
    "type_name",
]

READ_BYTES = 256 * 1024  # one read of a file
SLICE_CHARS = 64 * 1024  # of a str that is encoded, or of one read of a text file

Chunk: TypeAlias = bytes | memoryview
Chunks: TypeAlias = Generator[Chunk, None, None]
Default: TypeAlias = Callable[[Any], Any] | None

BUFFERS = (bytes, bytearray, memoryview, mmap.mmap, array.array)
VALUES = (Mapping, list, tuple, bool, int, float, type(None))


def open_chunks(source: Any, default: Default = None) -> Chunks:
    """Read a source of any kind as chunks of UTF-8 bytes.

    What is opened here is closed when the generator ends or is closed, so wrap
    it in `contextlib.closing`. Files and iterators of the caller stay open.

    Args:
        source: JSON text (`bytes`, `bytearray`, `memoryview`, `mmap`, `array`,
            `str`), an `os.PathLike`, an open binary or text file, an iterable
            of chunks of text, or a JSON value.
        default: Called by orjson for a value that it cannot write.

    Returns:
        A generator of chunks; a view is good until the next one is asked for.

    Raises:
        TypeError: The source, or one of its chunks, is of no kind named above,
            or orjson cannot write it.
        ValueError: A view is not contiguous.
        InvalidJSONError: A `str` holds a lone surrogate.
        OSError: A file cannot be opened or read.

    >>> list(open_chunks({"a": [1, 2]}))
    [b'{"a":[1,2]}']
    >>> list(open_chunks(iter(['{"a"', b":1}"])))
    [b'{"a"', b':1}']
    """
    if isinstance(source, (str, *BUFFERS)):
        return _each((source,))
    if isinstance(source, os.PathLike):
        return _read_path(source)
    if is_value(source):
        return _each((dump(source, default),))
    if callable(getattr(source, "read", None)):
        return _read_file(source)
    if isinstance(source, AsyncIterable):
        raise TypeError(
            f"{type_name(source)} is asynchronous: use aclip() or aclip_records()"
        )
    if isinstance(source, Iterator):
        return _each(source)
    if default is not None:
        return _each((dump(source, default),))
    if isinstance(source, Iterable) and not isinstance(source, Set):
        return _each(source)
    raise TypeError(
        f"cannot read JSON from {type_name(source)}: pass JSON text (bytes or str), "
        "a pathlib.Path, an open file, an iterator of chunks of text, or a JSON "
        "value (dict, list, tuple, dataclass)"
    )


async def aopen_chunks(
    source: Any, default: Default = None
) -> AsyncGenerator[Chunk, None]:
    """Read a source of any kind without blocking the event loop.

    Files and iterators are read in threads, one chunk at a time and not always
    in the same one. Wrap the generator in `contextlib.aclosing`.

    Args:
        source: What `open_chunks` takes, an `AsyncIterable` of chunks of text,
            or a file whose `read` is a coroutine function.
        default: Called by orjson for a value that it cannot write.

    Yields:
        Chunks; a view is good until the next one is asked for.

    Raises:
        TypeError: See `open_chunks`.
        ValueError: See `open_chunks`.
        InvalidJSONError: See `open_chunks`.
        OSError: See `open_chunks`.
    """
    read = getattr(source, "read", None)
    if inspect.iscoroutinefunction(read):
        # Before iteration: by that, files give lines, however long they are.
        source = _AsyncReads(read)
    if isinstance(source, AsyncIterable):
        offset = 0
        async for piece in source:
            for chunk in encode_chunk(piece, offset):
                offset += len(chunk)
                yield chunk
        return
    chunks = open_chunks(source, default)
    try:
        if isinstance(source, (str, *BUFFERS)):
            for chunk in chunks:
                yield chunk
        else:
            while (piece := await run_in_thread(next, chunks, None)) is not None:
                yield piece
    finally:
        # After a cancellation a thread may still be in it, and cannot be
        # stopped: when its read returns, the chunks are dropped, and so closed.
        with contextlib.suppress(ValueError):
            chunks.close()


def _each(pieces: Iterable[object]) -> Chunks:
    offset = 0
    for piece in pieces:
        for chunk in encode_chunk(piece, offset):
            offset += len(chunk)
            yield chunk


def encode_chunk(piece: object, offset: int) -> Chunks:
    """Yield a piece of text as bytes; `offset` is where it starts in the stream."""
    if isinstance(piece, bytes):
        yield piece
    elif isinstance(piece, str):
        yield from _encode_text(piece, offset)
    elif isinstance(piece, BUFFERS):
        view = _view(piece)
        try:
            yield view
        finally:
            # Let go, so that a bytearray can grow and a mmap can be closed. A
            # traceback may still hold on to it: that is no error of its own.
            with contextlib.suppress(BufferError):
                view.release()
    else:
        raise TypeError(
            f"a chunk must be bytes or str, not {type_name(piece)}: for records that "
            "are Python objects use clip_records()"
        )


def _encode_text(text: str, offset: int) -> Iterator[bytes]:
    for start in range(0, len(text), SLICE_CHARS):
        piece = text[start : start + SLICE_CHARS]
        try:
            data = piece.encode()
        except UnicodeEncodeError as error:
            # What stands before it goes first: an earlier error is the one to tell.
            data = piece[: error.start].encode()
            yield data
            raise InvalidJSONError(
                f"the lone surrogate U+{ord(piece[error.start]):04X} has no UTF-8 form",
                offset + len(data),
                "the text was decoded leniently; pass the bytes it came from",
            ) from None
        yield data
        offset += len(data)


def _view(buffer: Any) -> memoryview:
    view = memoryview(buffer)
    if not view.c_contiguous:
        raise ValueError("the memoryview is not contiguous: pass bytes(view)")
    # A view of nothing cannot be cast.
    return view.cast("B") if view.nbytes else memoryview(b"")


def _read_path(path: os.PathLike[Any]) -> Chunks:
    # Read, not mapped: a mapped file that shrinks ends the process.
    with io.FileIO(os.fspath(path)) as file:
        yield from _read_binary(file)


def _read_file(file: Any) -> Chunks:
    if isinstance(file, io.TextIOBase):
        file = _bytes_under(file) or file
    if isinstance(file, (io.RawIOBase, io.BufferedIOBase)):
        return _read_binary(file)
    # Others may pass on the readinto of what they wrap, and so evade their own
    # decoding (codecs.open does); their read is theirs.
    size = SLICE_CHARS if isinstance(file, io.TextIOBase) else READ_BYTES
    return _each(_read(file, size))


def _bytes_under(file: io.TextIOBase) -> Any | None:
    """Return the binary file under a text file if it holds the same text.

    That is so for strict UTF-8 as long as the text file has read nothing ahead:
    then both are at the same position. Reading it is faster, leaves line ends
    as they are, and makes bad UTF-8 an error with an offset.
    """
    if type(file) is not io.TextIOWrapper or file.errors != "strict":
        return None
    if codecs.lookup(file.encoding).name != "utf-8":
        return None
    try:
        return file.buffer if file.tell() == file.buffer.tell() else None
    except (OSError, ValueError):  # a pipe; iterated over; closed; detached
        return None


def _read_binary(file: io.RawIOBase | io.BufferedIOBase) -> Chunks:
    buffer = memoryview(bytearray(READ_BYTES))
    while count := _arrived(file.readinto(buffer)):
        yield buffer[:count]


def _read(file: Any, size: int) -> Iterator[object]:
    while piece := _arrived(file.read(size)):
        if inspect.isawaitable(piece):
            if inspect.iscoroutine(piece):
                piece.close()
            raise TypeError(
                f"the read of {type_name(file)} is asynchronous: use aclip(), which "
                "takes it if it is a coroutine function"
            )
        yield piece


class _AsyncReads(AsyncIterator[Any]):
    """Iterate over an asynchronous file by its read."""

    def __init__(self, read: Callable[[int], Awaitable[Any]]) -> None:
        self._read = read

    async def __anext__(self) -> Any:
        if piece := _arrived(await self._read(READ_BYTES)):
            return piece
        raise StopAsyncIteration


def _arrived(result: Any) -> Any:
    if result is None:
        raise BlockingIOError(
            errno.EAGAIN,
            "the file is in non-blocking mode and has nothing to read yet: set it "
            "to blocking, or feed a Clipper with what arrives",
        )
    return result


def dump(value: Any, default: Default) -> bytes:
    """Write a JSON value as orjson does; any mapping is an object.

    Raises:
        TypeError: orjson cannot write it.
    """
    if isinstance(value, Mapping) and not isinstance(value, dict):
        value = dict(value)
    try:
        return orjson.dumps(value, default=default)
    except TypeError as error:
        if default is None and "not JSON serializable" in str(error):
            raise TypeError(
                f"{error}: pass default=str, or a function of your own"
            ) from error
        raise


def is_value(source: object) -> bool:
    """Tell whether a source is a JSON value, which orjson has to write."""
    if isinstance(source, VALUES):
        return True
    return dataclasses.is_dataclass(source) and not isinstance(source, type)


def type_name(value: object) -> str:
    """Name the type of a source in an error."""
    return f"{type(value).__name__!r}"


async def run_in_thread(function: Callable[..., Any], *args: Any) -> Any:
    """Call a function in a thread: asyncio's, or under trio anyio's.

    A cancellation takes effect at once in both, even if the thread waits for a
    pipe where nothing arrives: else a time-out would not help against that.
    """
    import asyncio  # here: it is slow to import, and only needed here

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        run_sync = importlib.import_module("anyio.to_thread").run_sync
        return await run_sync(function, *args, abandon_on_cancel=True)
    return await asyncio.to_thread(function, *args)
