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
import re
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
from pathlib import Path
from typing import Any, TypeAlias

import orjson

from streamclip.errors import InvalidJSONError

__all__ = [
    "Chunk",
    "Default",
    "aencode_records",
    "aopen_chunks",
    "dump",
    "encode_chunk",
    "encode_records",
    "head_hint",
    "is_value",
    "open_chunks",
    "path_hint",
    "run_in_thread",
]

READ_BYTES = 256 * 1024  # one read of a file
SLICE_CHARS = 64 * 1024  # of a str that is encoded, or of one read of a text file
BATCH_BYTES = 64 * 1024  # records are small: this many bytes of them travel together

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
            f"{_name(source)} is asynchronous: use aclip() or aclip_records()"
        )
    if isinstance(source, Iterator):
        return _each(source)
    if default is not None:
        return _each((dump(source, default),))
    if isinstance(source, Iterable) and not isinstance(source, Set):
        return _each(source)
    raise TypeError(
        f"cannot read JSON from {_name(source)}: pass JSON text (bytes or str), "
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


def encode_records(records: Iterable[Any], default: Default = None) -> Iterator[bytes]:
    """Write Python objects one by one as the chunks of one JSON array.

    Args:
        records: The objects. Only those of one chunk are looked at together.
        default: Called by orjson for a value that it cannot write.

    Returns:
        An iterator of chunks of about 64 KiB.

    Raises:
        TypeError: The argument is no iterable of objects but a text, a file or
            a mapping, or orjson cannot write a record.

    >>> list(encode_records({"id": i} for i in range(3)))
    [b'[{"id":0},{"id":1},{"id":2}]']
    """
    text = isinstance(records, (str, Mapping, *BUFFERS))
    if text or not isinstance(records, Iterable) or hasattr(records, "read"):
        hint = (
            "use aclip_records()"
            if isinstance(records, AsyncIterable)
            else "use clip() for JSON text, files and single values"
        )
        raise TypeError(f"records come one by one, not as {_name(records)}: {hint}")
    return _write_records(records, default)


async def aencode_records(
    records: AsyncIterable[Any] | Iterable[Any], default: Default = None
) -> AsyncGenerator[bytes, None]:
    """Write objects that arrive asynchronously as the chunks of one JSON array.

    Args:
        records: The objects; a plain iterable is drained in a thread.
        default: Called by orjson for a value that it cannot write.

    Yields:
        Chunks of about 64 KiB.

    Raises:
        TypeError: See `encode_records`.
    """
    if isinstance(records, AsyncIterable):
        writer = _RecordWriter(default)
        async for record in records:
            if batch := writer.add(record):
                yield batch
        yield writer.end()
        return
    chunks = encode_records(records, default)
    while (chunk := await run_in_thread(next, chunks, None)) is not None:
        yield chunk


PATH = re.compile(
    r"(?i)(~|\.{1,2})?[/\\] | [a-z]:[\\/] | [^\[{\"]*\.(json|jsonl|ndjson|geojson)(\.gz)?$",
    re.VERBOSE,
)


def path_hint(text: str) -> str | None:
    """Say what a text that is not JSON may be: the name of a file, or a URL.

    Args:
        text: The text that was given as a source.

    Returns:
        A clause for the error, or None if the text looks like neither.

    >>> path_hint("results/orders.json")
    'this str looks like a path, but no such file exists'
    >>> path_hint('{"a": tru}')
    """
    if len(text) > 4096 or "\n" in text:
        return None
    if re.match(r"(?i)[a-z][a-z0-9+.-]*://", text):
        return "this str is a URL: fetch it, and pass what came"
    with contextlib.suppress(OSError, ValueError):
        if text and Path(text).is_file():
            return "this str names a file: pass a pathlib.Path to read it"
    if PATH.match(text):
        return "this str looks like a path, but no such file exists"
    return None


UTF_16 = "it is UTF-16: pass open(path, encoding='{}')"
UTF_32 = "it is UTF-32: pass open(path, encoding='{}')"

# The longer ones first: the mark of UTF-32 begins like that of UTF-16.
MAGIC = {
    b"```": "it begins with a Markdown fence",
    b"data:": "it looks like server-sent events",
    b"{'": "it looks like a Python repr: use json.dumps",
    b"\x1f\x8b": "it is compressed with gzip: pass gzip.open(path)",
    b"\x28\xb5\x2f\xfd": "it is compressed with zstd: decompress it first",
    b"PK\x03\x04": "it is a zip archive: pass a file from zipfile.ZipFile(path).open(name)",
    b"\xff\xfe\0\0": UTF_32.format("utf-32"),
    b"\0\0\xfe\xff": UTF_32.format("utf-32"),
    b"\xff\xfe": UTF_16.format("utf-16"),
    b"\xfe\xff": UTF_16.format("utf-16"),
    b"<": "it looks like HTML or XML",
}

# Which of the first bytes of a text that begins with ASCII are zero.
ZEROS = {
    (False, True, True, True): UTF_32.format("utf-32-le"),
    (True, True, True, False): UTF_32.format("utf-32-be"),
    (False, True, False): UTF_16.format("utf-16-le"),
    (True, False): UTF_16.format("utf-16-be"),
}


def head_hint(head: bytes) -> str | None:
    r"""Say what an input that is not JSON is, by its first four bytes.

    Args:
        head: The beginning of the input, at least 4 bytes if there are so many.

    Returns:
        A clause for the error, or None if the bytes are of no known kind.

    >>> head_hint(b"<!DOCTYPE html>")
    'it looks like HTML or XML'
    >>> head_hint(b'{\0"\0')
    "it is UTF-16: pass open(path, encoding='utf-16-le')"
    >>> head_hint(b'{"a"')
    """
    for magic, hint in MAGIC.items():
        if head.startswith(magic):
            return hint
    # Without a mark: JSON begins with ASCII, so the zeros tell (RFC 4627, 3).
    zeros = tuple(byte == 0 for byte in head)
    return next((ZEROS[n] for n in ZEROS if zeros[: len(n)] == n), None)


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
            f"a chunk must be bytes or str, not {_name(piece)}: for records that "
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
                f"the read of {_name(file)} is asynchronous: use aclip(), which "
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


def _name(value: object) -> str:
    return f"{type(value).__name__!r}"


class _RecordWriter:
    """Collect written records until they are worth a chunk."""

    def __init__(self, default: Default) -> None:
        self._default = default
        self._parts: list[bytes] = []
        self._size = 0
        self._count = 0
        self._sign = b"["

    def add(self, record: Any) -> bytes | None:
        try:
            data = dump(record, self._default)
        except TypeError as error:
            raise TypeError(
                f"record {self._count} (the first is 0): {error}"
            ) from error
        self._count += 1
        self._parts.append(data)
        self._size += len(data) + 1
        return self._flush() if self._size >= BATCH_BYTES else None

    def end(self) -> bytes:
        return (self._flush() if self._parts or not self._count else b"") + b"]"

    def _flush(self) -> bytes:
        batch = self._sign + b",".join(self._parts)
        self._sign = b","
        self._parts.clear()
        self._size = 0
        return batch


def _write_records(records: Iterable[Any], default: Default) -> Iterator[bytes]:
    writer = _RecordWriter(default)
    for record in records:
        if batch := writer.add(record):
            yield batch
    yield writer.end()


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
