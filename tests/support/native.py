"""A thin handle on the native core, for tests that go below the Python API."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from streamclip._core import ffi, lib

from reference import Limits, Options, Words

KEEPS = {
    "head": lib.SC_KEEP_HEAD,
    "tail": lib.SC_KEEP_TAIL,
    "ends": lib.SC_KEEP_ENDS,
}
AUTO, JSON, JSONL = lib.SC_FORMAT_AUTO, lib.SC_FORMAT_JSON, lib.SC_FORMAT_JSONL
NO_LIMIT = 2**64 - 1


@dataclass(frozen=True)
class Result:
    """What the core wrote at one room, or that it could not."""

    fits: bool
    room: int
    complete: bool
    root_is_object: bool
    data: bytes
    chars: int
    lines: tuple[bytes, ...]
    untold: int
    need_bytes: int
    need_chars: int


class CoreError(Exception):
    """A status that is an error."""

    def __init__(self, status: int, offset: int) -> None:
        super().__init__(f"status {status} at offset {offset}")
        self.status = status
        self.offset = offset


def _bytes(target: Any, data: bytes, alive: list[Any]) -> None:
    """Point an sc_bytes at data, which has to live as long as it."""
    alive.append(ffi.from_buffer(data))
    target.data = ffi.cast("const uint8_t *", alive[-1])
    target.len = len(data)


def _texts(texts: tuple[bytes, ...], alive: list[Any]) -> Any:
    array = ffi.new("sc_bytes[]", max(1, len(texts)))
    alive.append(array)
    for at, text in enumerate(texts):
        _bytes(array[at], text, alive)
    return array


def _words(words: Words, alive: list[Any]) -> Any:
    native = ffi.new("sc_words *")
    native.report = lib.SC_INLINE if words.inline else lib.SC_DETACHED
    for name, value in vars(words).items():
        if isinstance(value, bytes):
            _bytes(getattr(native, name), value, alive)
        elif name != "inline":
            setattr(native, name, value)
    return native


class Native:
    """A clipper: feed it, finish it, then look at it as often as you like."""

    def __init__(
        self,
        options: Options,
        *,
        room: int,
        slack: int = 0,
        text_format: int = AUTO,
        max_depth: int = 1024,
        stop_early: bool = False,
    ) -> None:
        alive: list[Any] = []
        native = ffi.new(
            "sc_options *",
            {
                "room": room,
                "slack": slack,
                "max_depth": max_depth,
                "max_record_bytes": options.max_record_bytes,
                "max_items": options.max_items,
                "max_string_chars": options.max_string_chars,
                "format": text_format,
                "keep": KEEPS[options.keep],
                "stop_early": stop_early,
                "pointer": _texts(options.collection, alive),
                "pointer_len": len(options.collection),
                "fields": _texts(options.fields, alive),
                "fields_len": len(options.fields),
                "drop": _texts(options.drop, alive),
                "drop_len": len(options.drop),
            },
        )
        clipper = lib.sc_clipper_new(native)
        if clipper == ffi.NULL:
            raise MemoryError
        self._clipper = ffi.gc(clipper, lib.sc_clipper_free)
        self._alive: list[Any] = []

    def _check(self, status: int) -> int:
        if status < 0:
            raise CoreError(status, lib.sc_clipper_offset(self._clipper))
        return status

    def feed(self, chunks: Iterable[bytes]) -> bool:
        """Feed chunks; tell whether the core asked for no more."""
        return any(
            self._check(lib.sc_clipper_feed(self._clipper, chunk, len(chunk)))
            == lib.SC_ENOUGH
            for chunk in chunks
        )

    def finish(self, *, keep_incomplete: bool = False) -> None:
        """End the input."""
        self._check(lib.sc_clipper_finish(self._clipper, keep_incomplete))

    @property
    def deselected(self) -> bool:
        """Whether a member was deselected."""
        return bool(lib.sc_clipper_deselected(self._clipper))

    def view(self, words: Words, room: int) -> Result:
        """Go to a room, and return what is there."""
        fitted = ffi.new("sc_fitted *")
        alive: list[Any] = []
        native = _words(words, alive)
        status = lib.sc_clipper_view(self._clipper, native, room, fitted)
        return self._result(status, fitted)

    def fit(self, words: Words, limits: Limits) -> Result:
        """Go to the largest room whose text fits, and return what is there."""
        fitted = ffi.new("sc_fitted *")
        alive: list[Any] = []
        native = _words(words, alive)
        allowed = ffi.new(
            "sc_limits *",
            {
                "max_bytes": _or_no_limit(limits.max_bytes),
                "max_chars": _or_no_limit(limits.max_chars),
            },
        )
        status = lib.sc_clipper_fit(self._clipper, native, allowed, fitted)
        return self._result(status, fitted)

    def _result(self, status: int, fitted: Any) -> Result:
        fits = status != lib.SC_TOO_SMALL
        if fits:
            self._check(status)
        data, lines = self._put(fitted) if fits else (b"", ())
        return Result(
            fits=fits,
            room=fitted.room,
            complete=fitted.complete,
            root_is_object=fitted.root_is_object,
            data=data,
            chars=fitted.data_chars,
            lines=lines,
            untold=fitted.untold,
            need_bytes=fitted.need_bytes,
            need_chars=fitted.need_chars,
        )

    def _put(self, fitted: Any) -> tuple[bytes, tuple[bytes, ...]]:
        size, count = fitted.data_len + fitted.lines_len, fitted.lines
        assert fitted.gap_len == 0
        out = ffi.new("uint8_t[]", size + 1)
        ends = ffi.new("size_t[]", count + 1)
        out[size], ends[count] = 0xA5, 0xA5A5
        self._check(lib.sc_clipper_put(self._clipper, out, size, ends, count))
        assert (out[size], ends[count]) == (0xA5, 0xA5A5), "it wrote past its end"
        joined = bytes(ffi.buffer(out + fitted.data_len, fitted.lines_len))
        assert not count or ends[count - 1] == len(joined)
        starts = [0, *(ends[at] + 1 for at in range(count - 1))]
        lines = tuple(joined[starts[at] : ends[at]] for at in range(count))
        assert b",".join(lines) == joined
        return bytes(ffi.buffer(out, fitted.data_len)), lines


def _or_no_limit(limit: int | None) -> int:
    return NO_LIMIT if limit is None else limit
