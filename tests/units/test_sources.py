"""Every kind of source becomes the same chunks of bytes, and none is read whole."""

import array
import asyncio
import codecs
import dataclasses
import gzip
import io
import itertools
import mmap
import os
import sys
import tempfile
import threading
import types
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamclip import clip
from streamclip.errors import InvalidJSONError
from streamclip.errors.hints import head_hint, path_hint
from streamclip.intake import records, sources
from streamclip.intake.records import aencode_records, encode_records
from streamclip.intake.sources import (
    aopen_chunks,
    open_chunks,
)

TEXT = '{"名":"值","n":1.10}'
DATA = TEXT.encode()
LARGE = b"[" + b",".join(b"%d" % number for number in range(200_000)) + b"]"


def drain(source: Any, default: Callable[[Any], Any] | None = None) -> bytes:
    """Return all chunks of a source, joined."""
    return b"".join(bytes(chunk) for chunk in open_chunks(source, default))


def adrain(source: Any) -> bytes:
    """Do the same through the asynchronous reader."""

    async def run() -> bytes:
        return b"".join([bytes(chunk) async for chunk in aopen_chunks(source)])

    return asyncio.run(run())


# In memory


@pytest.mark.parametrize(
    "source",
    [
        TEXT,
        DATA,
        bytearray(DATA),
        memoryview(DATA),
        memoryview(b"xx" + DATA)[2:],
        array.array("B", DATA),
        array.array("I", DATA.ljust(24)),
        memoryview(DATA.ljust(24)).cast("B", (4, 6)),
    ],
    ids=lambda source: type(source).__name__,
)
def test_text_in_memory_is_read_as_it_is(source: Any) -> None:
    """Whatever the type and the item size of a buffer, its bytes come out."""
    assert drain(source).rstrip() == DATA
    assert adrain(source).rstrip() == DATA


@pytest.mark.parametrize("source", ["", b"", array.array("I"), memoryview(b"")])
def test_nothing_is_read_from_nothing(source: Any) -> None:
    """An empty buffer cannot be cast, and need not be."""
    assert drain(source) == b""


def test_a_mapped_file_can_be_closed_afterwards(tmp_path: Path) -> None:
    """No view of it is left behind."""
    path = tmp_path / "a.json"
    path.write_bytes(DATA)
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    assert drain(mapped) == DATA
    mapped.close()


def test_a_bytearray_can_grow_afterwards() -> None:
    """Also when reading stopped in the middle, and a view is still held."""
    source = bytearray(DATA)
    chunks = open_chunks(source)
    next(chunks)
    chunks.close()
    source += b" "

    chunks = open_chunks(source)
    held = memoryview(next(chunks))
    chunks.close()
    held.release()
    source += b" "


def test_a_view_with_gaps_is_an_error() -> None:
    """The message says what to pass."""
    with pytest.raises(ValueError, match=r"not contiguous: pass bytes\(view\)"):
        drain(memoryview(DATA)[::2])


def test_bytes_are_not_copied() -> None:
    """The only chunk is the object itself."""
    (chunk,) = open_chunks(DATA)
    assert chunk is DATA


def test_a_long_str_is_encoded_in_slices() -> None:
    """It is never there twice."""
    text = "汉字" * 300_000
    sizes = [len(chunk) for chunk in open_chunks(text)]
    assert max(sizes) <= 4 * sources.SLICE_CHARS
    assert drain(text) == text.encode()


@given(st.lists(st.text() | st.binary()))
def test_chunks_are_joined_whatever_they_are(pieces: list[str | bytes]) -> None:
    """Pieces of str and of bytes may follow each other."""
    whole = b"".join(p.encode() if isinstance(p, str) else p for p in pieces)
    assert drain(iter(pieces)) == whole
    assert drain(piece for piece in pieces) == whole


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_a_lone_surrogate_is_an_error_at_its_byte(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What stands before it comes first, so that an earlier error wins."""
    monkeypatch.setattr(sources, "SLICE_CHARS", size)
    before = '["汉", "'
    for source in (before + '\ud83d"]', iter([before[:3], before[3:], '\ud83d"]'])):
        got: list[Any] = []
        with pytest.raises(InvalidJSONError, match=r"U\+D83D") as caught:
            got.extend(open_chunks(source))
        assert b"".join(got) == before.encode()
        assert caught.value.offset == len(before.encode())


# Paths


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[io.FileIO]:
    """Collect the files that are opened."""
    files: list[io.FileIO] = []

    class Recorded(io.FileIO):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            files.append(self)

    monkeypatch.setattr(io, "FileIO", Recorded)
    return files


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """Write a file of several reads."""
    path = tmp_path / "large.json"
    path.write_bytes(LARGE)
    return path


def test_a_path_is_read_in_pieces_and_closed(
    large: Path, opened: list[io.FileIO]
) -> None:
    """All reads share one buffer."""
    chunks = open_chunks(large)
    first = next(chunks)
    assert isinstance(first, memoryview)
    head = bytes(first)
    second = next(chunks)
    assert isinstance(second, memoryview)
    assert second.obj is first.obj
    assert head + second + b"".join(map(bytes, chunks)) == LARGE
    assert [file.closed for file in opened] == [True]


def test_a_path_is_closed_when_reading_stops_early(
    large: Path, opened: list[io.FileIO]
) -> None:
    """A scan that fails closes the chunks, and they close the file."""
    chunks = open_chunks(large)
    next(chunks)
    chunks.close()
    assert [file.closed for file in opened] == [True]


def test_a_path_may_be_any_pathlike(large: Path) -> None:
    """Also one that stands for bytes."""

    class Named:
        def __fspath__(self) -> bytes:
            return os.fsencode(large)

    assert drain(Named()) == LARGE


def test_errors_of_the_system_come_through(tmp_path: Path) -> None:
    """They know the name and the reason."""
    with pytest.raises(FileNotFoundError, match=r"absent\.json"):
        drain(tmp_path / "absent.json")
    with pytest.raises(OSError, match=tmp_path.name):
        drain(tmp_path)


def test_a_file_that_shrinks_ends_early(large: Path) -> None:
    """A mapped one would end the process."""
    chunks = open_chunks(large)
    head = bytes(next(chunks))
    os.truncate(large, len(head) + 10)
    assert head + b"".join(map(bytes, chunks)) == LARGE[: len(head) + 10]


@pytest.mark.skipif(sys.platform == "win32", reason="open files cannot be removed")
def test_a_file_that_is_removed_is_read_on(large: Path) -> None:
    """It is there as long as it is open."""
    chunks = open_chunks(large)
    head = bytes(next(chunks))
    large.unlink()
    assert head + b"".join(map(bytes, chunks)) == LARGE


# Open files


class Duck:
    """A file of nobody's class, with nothing but read."""

    def __init__(self, data: Any, sizes: list[int]) -> None:
        self.data = data
        self.sizes = sizes

    def read(self, size: int) -> Any:
        """Return the next piece, and note how much was asked for."""
        self.sizes.append(size)
        piece, self.data = self.data[:size], self.data[size:]
        return piece


@pytest.fixture(
    params=["raw", "buffered", "gzip", "bytesio", "temporary", "spooled", "duck"]
)
def binary_file(request: pytest.FixtureRequest, large: Path) -> Iterator[Any]:
    """Open the same bytes as different kinds of file."""
    kind = request.param
    if kind == "duck":
        yield Duck(LARGE, [])
        return
    if kind == "raw":
        file: Any = large.open("rb", buffering=0)
    elif kind == "buffered":
        file = large.open("rb")
    elif kind == "gzip":
        file = gzip.GzipFile(fileobj=io.BytesIO(gzip.compress(LARGE)))
    elif kind == "bytesio":
        file = io.BytesIO(LARGE)
    else:
        file = {
            "temporary": tempfile.TemporaryFile,
            "spooled": tempfile.SpooledTemporaryFile,
        }[kind]()
        file.write(LARGE)
        file.seek(0)
    with file:
        yield file
        assert not file.closed


def test_a_binary_file_is_read_to_its_end(binary_file: Any) -> None:
    """It stays open: who opened it closes it."""
    sizes = [len(chunk) for chunk in open_chunks(binary_file)]
    assert sum(sizes) == len(LARGE)
    assert max(sizes) <= sources.READ_BYTES


def test_a_binary_file_is_read_in_threads(binary_file: Any) -> None:
    """The asynchronous reader gets the same."""
    assert adrain(binary_file) == LARGE


def test_a_file_is_read_from_where_it_stands() -> None:
    """What was read before is the caller's."""
    file = io.BytesIO(b"skipped" + DATA)
    file.read(7)
    assert drain(file) == DATA


def test_a_decoding_wrapper_is_not_evaded() -> None:
    """It passes on the readinto of what it wraps, which is not the text."""
    wrapped = codecs.getreader("utf-16")(io.BytesIO(TEXT.encode("utf-16")))
    assert hasattr(wrapped, "readinto")
    assert drain(wrapped) == DATA


def text_file(data: bytes, **options: Any) -> io.TextIOWrapper:
    """Open bytes as text."""
    return io.TextIOWrapper(io.BytesIO(data), **{"encoding": "utf-8", **options})


def test_a_utf8_text_file_gives_its_bytes() -> None:
    """Line ends and the byte order mark stay: the offsets are the file's."""
    data = b"\xef\xbb\xbf[1,\r\n" + DATA + b"]\r\n"
    assert drain(text_file(data)) == data


def test_bad_utf8_in_a_utf8_text_file_is_left_to_the_scanner() -> None:
    """It knows the offset, which Python's decoder does not."""
    assert drain(text_file(b'["\xff"]')) == b'["\xff"]'


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "gb18030"])
def test_a_text_file_in_another_encoding_is_encoded_anew(encoding: str) -> None:
    """What it gives out is text, whatever the bytes."""
    assert drain(text_file(TEXT.encode(encoding), encoding=encoding)) == DATA


@pytest.mark.parametrize(("encoding", "data"), [("ascii", DATA), ("utf-16", b"\0")])
def test_a_wrong_encoding_is_python_s_error(encoding: str, data: bytes) -> None:
    """It comes through as it is."""
    with pytest.raises(UnicodeDecodeError):
        drain(text_file(data, encoding=encoding))


def test_a_lenient_text_file_cannot_hide_bad_bytes() -> None:
    """What was escaped as a surrogate is no character of JSON."""
    with pytest.raises(InvalidJSONError) as caught:
        drain(text_file(b'["\xff"]', errors="surrogateescape"))
    assert caught.value.offset == 2
    assert drain(text_file(b'["\xff"]', errors="replace")) == '["\ufffd"]'.encode()


def test_a_text_file_is_read_from_where_it_stands() -> None:
    """By read, by seek, or by iteration: nothing is lost that was read ahead."""
    lines = b"first line\n" + DATA + b"\n"
    for skip in (
        lambda file: file.readline(),
        lambda file: file.seek(11),
        lambda file: (file.readline(), file.seek(0), file.read(11)),
        lambda file: next(file),
    ):
        file = text_file(lines)
        skip(file)
        assert drain(file) == DATA + b"\n"


def test_a_text_file_without_bytes_under_it() -> None:
    """A StringIO is its text."""
    assert drain(io.StringIO(TEXT)) == DATA
    assert drain(Duck(TEXT, [])) == DATA


def test_a_text_pipe_is_read() -> None:
    """It cannot tell where it stands."""
    receiver, sender = os.pipe()
    with os.fdopen(sender, "wb") as file:
        file.write(DATA)
    with os.fdopen(receiver, encoding="utf-8") as file:
        assert drain(file) == DATA


@pytest.mark.skipif(sys.platform == "win32", reason="pipes always block there")
@pytest.mark.parametrize("buffering", [0, -1])
def test_a_file_that_does_not_block_is_an_error(buffering: int) -> None:
    """Nothing there yet is not the end."""
    receiver, sender = os.pipe()
    os.set_blocking(receiver, False)
    with (
        os.fdopen(sender, "wb"),
        os.fdopen(receiver, "rb", buffering=buffering) as file,
        pytest.raises(BlockingIOError, match="non-blocking mode"),
    ):
        drain(file)


@pytest.mark.parametrize("mode", ["wb", "w"])
def test_a_file_that_cannot_be_read_says_so(tmp_path: Path, mode: str) -> None:
    """Python's own words come through."""
    with (tmp_path / "a").open(mode) as file, pytest.raises(io.UnsupportedOperation):
        drain(file)


@pytest.mark.parametrize("mode", ["rb", "r"])
def test_a_closed_file_says_so(large: Path, mode: str) -> None:
    """So do they here."""
    with large.open(mode) as file:
        pass
    with pytest.raises(ValueError, match="closed file"):
        drain(file)


# Iterables of chunks


@pytest.mark.parametrize(
    "kind", [bytes, bytearray, memoryview, lambda data: array.array("B", data)]
)
def test_chunks_may_be_any_buffer(kind: Callable[[bytes], Any]) -> None:
    """One byte each, if need be."""
    assert drain(kind(DATA[i : i + 1]) for i in range(len(DATA))) == DATA


def test_an_iterable_need_not_be_an_iterator() -> None:
    """Responses of HTTP clients are iterable only."""

    class Response:
        def __iter__(self) -> Iterator[bytes]:
            return iter([DATA[:5], DATA[5:]])

    assert drain(Response()) == DATA


def test_a_chunk_s_buffer_may_be_used_again() -> None:
    """No view keeps it from growing when the next chunk is asked for."""

    def chunks() -> Iterator[bytearray]:
        buffer = bytearray()
        for byte in DATA:
            buffer.clear()
            buffer.append(byte)
            yield buffer

    assert drain(chunks()) == DATA


def test_an_exception_of_the_source_comes_through() -> None:
    """It is not wrapped, and what came before it was handed out."""

    def chunks() -> Iterator[bytes]:
        yield b"[1"
        raise ConnectionResetError("by the other side")

    reader = open_chunks(chunks())
    assert next(reader) == b"[1"
    with pytest.raises(ConnectionResetError, match="by the other side"):
        next(reader)


@pytest.mark.parametrize("chunk", [{"id": 1}, ["a"], 7, None])
def test_objects_are_no_chunks(chunk: object) -> None:
    """The error names the function that takes them."""
    with pytest.raises(TypeError, match=r"not '\w+': .* use clip_records\(\)"):
        drain(iter([chunk]))
    with pytest.raises(TypeError, match=r"use clip_records\(\)"):
        adrain(iter([chunk]))


# Values


@dataclasses.dataclass
class Row:
    """A value that orjson writes itself."""

    id: int
    name: str


@pytest.mark.parametrize(
    "value",
    [
        {"a": [1, 2]},
        [],
        (1, "二"),
        Row(1, "甲"),
        None,
        True,
        1.5,
        types.MappingProxyType({"a": 1}),
    ],
    ids=repr,
)
def test_a_value_is_written_as_json(value: Any) -> None:
    """As orjson writes it; a mapping of any kind is an object."""
    plain = dict(value) if isinstance(value, types.MappingProxyType) else value
    assert drain(value) == orjson.dumps(plain)
    assert adrain(value) == orjson.dumps(plain)


def test_default_is_asked_for_other_values() -> None:
    """Below the value, or for all of it."""
    assert drain({"a": {1}}, default=list) == b'{"a":[1]}'
    assert drain({1}, default=list) == b"[1]"
    assert drain(object(), default=lambda _: "x") == b'"x"'


@pytest.mark.parametrize("value", [{"a": {1}}, {1: "a"}, ["\ud800"], [b"[1]"]])
def test_what_orjson_refuses_is_its_error(value: Any) -> None:
    """Its words come through; keys have to be str, as it has them."""
    with pytest.raises(orjson.JSONEncodeError):
        drain(value)


@pytest.mark.parametrize("source", [object(), {1, 2}, Row, 1j])
def test_other_sources_are_an_error(source: Any) -> None:
    """It lists what can be passed."""
    with pytest.raises(TypeError, match=r"cannot read JSON from '\w+': pass JSON text"):
        open_chunks(source)


# Records


def written(records: Iterable[Any], **options: Any) -> list[bytes]:
    """Return the chunks that records are written in."""
    return list(encode_records(records, **options))


@pytest.mark.parametrize("count", [0, 1, 2, 5000])
def test_records_become_one_array(count: int) -> None:
    """In chunks that are worth a call, and not much larger."""
    rows = [{"id": i, "name": "记录" * 5} for i in range(count)]
    chunks = written(iter(rows))
    assert b"".join(chunks) == orjson.dumps(rows)
    assert all(len(chunk) < records.BATCH_BYTES + 200 for chunk in chunks)
    assert all(len(chunk) >= records.BATCH_BYTES for chunk in chunks[:-1])


def test_an_array_may_end_with_a_full_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then only the bracket is left for the last one."""
    monkeypatch.setattr(records, "BATCH_BYTES", 1)
    assert written([1, 2]) == [b"[1", b",2", b"]"]


def test_records_are_asked_for_one_by_one() -> None:
    """An endless source is read only as far as its chunks are."""
    taken = itertools.count()
    chunks = encode_records({"id": number} for number in taken)
    size = len(next(chunks))
    assert next(taken) < size


def test_records_may_be_any_value() -> None:
    """Mappings, dataclasses, and what default makes of the others."""
    records = [types.MappingProxyType({"a": 1}), Row(1, "b"), {2}]
    expected = b'[{"a":1},{"id":1,"name":"b"},[2]]'
    assert b"".join(written(records, default=list)) == expected


def test_a_record_that_cannot_be_written_is_counted() -> None:
    """Among a million rows its number is what one needs."""
    with pytest.raises(
        TypeError, match=r"record 2 \(the first is 0\): Type is not JSON"
    ):
        written([1, 2, {3}])


def test_an_exception_of_the_records_comes_through() -> None:
    """The database's error is the database's."""

    def rows() -> Iterator[int]:
        yield 1
        raise TimeoutError("cursor lost")

    with pytest.raises(TimeoutError, match="cursor lost"):
        written(rows())


@pytest.mark.parametrize("records", ["[]", b"[]", {"a": 1}, io.BytesIO(b"[]"), 7])
def test_texts_and_files_are_no_records(records: Any) -> None:
    """Iterating over them would give characters, keys or lines."""
    with pytest.raises(TypeError, match=r"use clip\(\)"):
        encode_records(records)


# Asynchronous sources


async def asynchronous(items: Iterable[Any]) -> AsyncIterator[Any]:
    """Hand items out one by one, between other tasks."""
    for item in items:
        await asyncio.sleep(0)
        yield item


def test_an_asynchronous_iterable_is_read() -> None:
    """Its chunks follow the same rules."""
    assert adrain(asynchronous([TEXT[:5], b"", TEXT[5:].encode()])) == DATA
    with pytest.raises(TypeError, match=r"use clip_records\(\)"):
        adrain(asynchronous([{}]))
    with pytest.raises(InvalidJSONError) as caught:
        adrain(asynchronous([b'["', '\ud800"]']))
    assert caught.value.offset == 2


def test_an_asynchronous_file_is_read_by_read() -> None:
    """Its lines may be as long as the file."""

    class File(Duck):
        async def read(self, size: int) -> Any:  # type: ignore[override]
            return super().read(size)

        def __aiter__(self) -> Any:
            raise AssertionError("by lines")

    file = File(LARGE, [])
    assert adrain(file) == LARGE
    assert set(file.sizes) == {sources.READ_BYTES}
    with pytest.raises(TypeError, match=r"use aclip\(\)"):
        drain(File(LARGE, []))


def test_asynchronous_sources_need_the_asynchronous_form() -> None:
    """The error names it."""
    with pytest.raises(TypeError, match=r"use aclip\(\)"):
        drain(asynchronous([]))
    with pytest.raises(TypeError, match=r"use aclip_records\(\)"):
        encode_records(asynchronous([]))  # type: ignore[arg-type]


def test_blocking_sources_run_in_threads() -> None:
    """The event loop's own thread never waits for them."""
    seen: list[threading.Thread] = []

    def chunks() -> Iterator[bytes]:
        for i in range(len(DATA)):
            seen.append(threading.current_thread())
            yield DATA[i : i + 1]

    assert adrain(chunks()) == DATA
    assert threading.current_thread() not in seen


def test_a_path_is_read_and_closed(large: Path, opened: list[io.FileIO]) -> None:
    """Also when reading stops early."""
    assert adrain(large) == LARGE

    async def stop_early() -> None:
        chunks = aopen_chunks(large)
        await anext(chunks)
        await chunks.aclose()

    asyncio.run(stop_early())
    assert [file.closed for file in opened] == [True, True]


async def cancelled_read(path: Path) -> None:
    """Cancel a read that waits for a named pipe, then let its thread end."""
    task = asyncio.ensure_future(anext(aopen_chunks(path)))
    with await asyncio.to_thread(path.open, "wb") as file:
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 10)
        file.write(DATA)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_read_that_hangs_can_be_cancelled(
    tmp_path: Path, opened: list[io.FileIO]
) -> None:
    """At once; the file is closed when its read returns."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    asyncio.run(cancelled_read(path))
    assert [file.closed for file in opened] == [True]


def test_records_may_arrive_asynchronously() -> None:
    """From an asynchronous iterable, or from a plain one in a thread."""
    rows = [{"id": i, "name": "记录" * 5} for i in range(5000)]

    async def run(records: Any) -> list[bytes]:
        return [chunk async for chunk in aencode_records(records)]

    assert asyncio.run(run(asynchronous(rows))) == written(rows)
    assert asyncio.run(run(iter(rows))) == written(rows)


def test_trio_works_too(large: Path) -> None:
    """By anyio's threads."""
    pytest.importorskip("anyio")
    trio = pytest.importorskip("trio")

    async def run() -> bytes:
        return b"".join([bytes(chunk) async for chunk in aopen_chunks(large)])

    assert trio.run(run) == LARGE


# Hints


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("orders.json", "no such file"),
        ("/var/absent", "no such file"),
        ("./absent", "no such file"),
        ("~/absent", "no such file"),
        (r"C:\absent.txt", "no such file"),
        ("2026-03-01.JSONL.gz", "no such file"),
        ("https://example.org/orders", "URL"),
    ],
)
def test_a_str_that_looks_like_a_path_is_hinted_at(text: str, hint: str) -> None:
    """People pass the name where the content belongs."""
    assert hint in str(path_hint(text))


def test_a_str_that_names_a_file_is_hinted_at(large: Path) -> None:
    """The hint says how to read it."""
    assert "pathlib.Path" in str(path_hint(str(large)))


@pytest.mark.parametrize(
    "text", ["", '{"a": "b.json"', "{'a': 1}", "[", "x\n/y", "nan", "a\0b", "a" * 9000]
)
def test_other_text_is_not_taken_for_a_path(text: str) -> None:
    """It is only bad JSON."""
    assert path_hint(text) is None


@pytest.mark.parametrize(
    ("head", "hint"),
    [
        (gzip.compress(DATA)[:4], "gzip"),
        (TEXT.encode("utf-16")[:4], "UTF-16"),
        (b"PK\x03\x04", "zip"),
        (b"<htm", "HTML"),
        (b"data: {", "server-sent"),
        (b"event: message", "server-sent"),
        (b"HTTP/1.1 200 OK", "headers"),
        (b"---\na: 1", "YAML"),
        (b"apiVersion: v1", "YAML"),
    ],
)
def test_known_formats_are_hinted_at(head: bytes, hint: str) -> None:
    """What is not JSON is often one of these."""
    assert hint in str(head_hint(head))
    with pytest.raises(InvalidJSONError, match=hint):
        clip(head, max_bytes=400)


@pytest.mark.parametrize("head", [b"", b"\xff", b'{"a"', b"nope"])
def test_unknown_formats_are_not_guessed(head: bytes) -> None:
    """No hint is better than a wrong one."""
    assert head_hint(head) is None
