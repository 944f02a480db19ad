"""Write Python objects that come one by one as the chunks of one JSON array."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Iterable, Iterator, Mapping
from typing import Any

from streamclip.intake.sources import BUFFERS, Default, dump, run_in_thread, type_name

__all__ = ["aencode_records", "encode_records"]

BATCH_BYTES = 64 * 1024  # records are small: this many bytes of them travel together


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
        raise TypeError(f"records come one by one, not as {type_name(records)}: {hint}")
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
