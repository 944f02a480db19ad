"""The one door to the compiled core.

No other module touches `ffi` or `lib`. What comes out of here is Python: bytes,
ints, named tuples, and the exceptions of errors.py.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

from streamclip._core import ffi, lib
from streamclip.errors import IncompleteJSONError, InternalError, InvalidJSONError
from streamclip.errors.hints import NEAR_BYTES, fault_hint

__all__ = [
    "BOM",
    "Border",
    "Core",
    "CoreOptions",
    "CutString",
    "Fitted",
    "Found",
    "Seeker",
    "Texts",
    "TooSmall",
    "Words",
    "check",
    "clip_at_once",
    "kernel",
    "text_prefix",
    "usable_kernels",
    "using_kernel",
]

Buffer: TypeAlias = "bytes | bytearray | memoryview"

# Feeding so much at once takes milliseconds, and between calls Ctrl-C is heard.
SLICE_BYTES = 1 << 20

# Two megabytes of borders; in 2 GB, one in 256 KiB.
BORDER_STRIDE = 16 * 1024
BORDERS_MAX = 16 * 1024

# Of a clip that is made in one call; with more it is made in several.
LINES_BYTES = 4096
LINES_MAX = 64

NO_LIMIT = 2**64 - 1
new_without_zeros = ffi.new_allocator(should_clear_after_alloc=False)
NULL = ffi.NULL
SC_ENOUGH = lib.SC_ENOUGH  # looked up once: enums of a library are slow to reach
SC_NO_MEMORY = lib.SC_NO_MEMORY
SIZE_MAX = 2 ** (8 * ffi.sizeof("size_t")) - 1

BOM = b"\xef\xbb\xbf"

UNITS = ("items", "members", "chars")
FORMATS = {
    "auto": lib.SC_FORMAT_AUTO,
    "json": lib.SC_FORMAT_JSON,
    "jsonl": lib.SC_FORMAT_JSONL,
}
KEEPS = {
    "head": lib.SC_KEEP_HEAD,
    "tail": lib.SC_KEEP_TAIL,
    "ends": lib.SC_KEEP_ENDS,
}
FORMS = {
    "detached": lib.SC_DETACHED,
    "inline": lib.SC_INLINE,
    "siblings": lib.SC_SIBLINGS,
}

REASONS = {
    lib.SC_BAD_TOKEN: "unexpected {byte}",
    lib.SC_BAD_NUMBER: "malformed number",
    lib.SC_BAD_LITERAL: "malformed literal, expected true, false or null",
    lib.SC_BAD_ESCAPE: "malformed escape in a string",
    lib.SC_BAD_CONTROL: "control character in a string, it has to be escaped",
    lib.SC_BAD_UTF8: "malformed UTF-8; is the text in another encoding?",
    lib.SC_TOO_DEEP: "nested more deeply than max_depth",
    lib.SC_TRAILING: "unexpected {byte} after the document; JSON Lines has one a line",
}
# Those for which what stands at the wrong byte tells what it may be.
FAULT_KINDS = {
    lib.SC_BAD_TOKEN: "token",
    lib.SC_BAD_NUMBER: "word",
    lib.SC_BAD_LITERAL: "word",
    lib.SC_TRAILING: "trailing",
}


def usable_kernels() -> list[str]:
    """Return the kernels that this machine can run, fastest first."""
    names = map(lib.sc_kernel_at, itertools.count())
    known = itertools.takewhile(lambda name: name != ffi.NULL, names)
    return [ffi.string(name).decode() for name in known]


@functools.cache
def kernel() -> str:
    """Tell which kernel validates what is not retained.

    `STREAMCLIP_KERNEL` in the environment forces one; it is read once, when the
    first kernel is needed.

    Returns:
        Its name: "avx512", "avx2", "sse2", "neon" or, everywhere, "scalar".

    Raises:
        ValueError: The environment names one that does not exist, or that this
            processor cannot run.
    """
    forced = os.environ.get("STREAMCLIP_KERNEL")
    if forced and not lib.sc_kernel_use(forced.encode()):
        usable = ", ".join(usable_kernels())
        raise ValueError(
            f"STREAMCLIP_KERNEL={forced}: no such kernel, or not for this processor, "
            f"which can run {usable}; unset it to have one chosen"
        )
    return str(ffi.string(lib.sc_kernel()).decode())


@contextlib.contextmanager
def using_kernel(name: str) -> Iterator[None]:
    """Use a kernel for a while, to compare it with others.

    Args:
        name: One of `usable_kernels()`.

    Raises:
        ValueError: It is none of them.
    """
    used = kernel()
    if not lib.sc_kernel_use(name.encode()):
        raise ValueError(f"{name}: no such kernel, or not for this processor")
    try:
        yield
    finally:
        lib.sc_kernel_use(used.encode())


def check(data: Buffer, max_depth: int, text_format: str) -> int:
    """Validate a whole input without keeping any of it.

    Args:
        data: The document.
        max_depth: Levels of nesting that are accepted.
        text_format: "auto", "json" or "jsonl".

    Returns:
        How many documents it has: one, or the lines of JSON Lines.

    Raises:
        InvalidJSONError: It is not valid.
    """
    kernel()
    # bytes need no view of their own, and nobody asks for the offset of no error
    whole = data if isinstance(data, bytes) else ffi.from_buffer("uint8_t[]", data)
    size, form = len(data), FORMATS[text_format]
    found: int = lib.sc_check(whole, size, max_depth, form, NULL)
    if found < 0:
        offset = ffi.new("uint64_t *")
        lib.sc_check(whole, size, max_depth, form, offset)
        raise _error(found, offset[0], data, offset[0])
    return found


def text_prefix(body: bytes, max_chars: int) -> int:
    """Find where a text may be cut: docs/semantics.md, section 6.

    Args:
        body: The text as the body of a JSON string with the fewest escapes.
        max_chars: Characters there may be at most before the cut.

    Returns:
        The characters before the last cut point within that.
    """
    chars = ffi.new("uint64_t *")
    with ffi.from_buffer("uint8_t[]", body) as pointer:
        lib.sc_text_prefix(pointer, len(body), NO_LIMIT, max_chars, chars)
    return int(chars[0])


def _error(status: int, offset: int, data: Buffer = b"", at: int = 0) -> Exception:
    """Return the exception for a status; `at` is the wrong byte in the data, if any."""
    if status == SC_NO_MEMORY:
        return MemoryError()
    if status == lib.SC_NOT_FINISHED:
        return InternalError("it does not measure what was reckoned")
    if status == lib.SC_INCOMPLETE:
        if offset == 0:
            return IncompleteJSONError("the input is empty", 0, None)
        return IncompleteJSONError("the input ended before the document did", offset)
    reason = REASONS[status].format(byte=_name(bytes(data[at : at + 1])))
    hint = None
    if status in FAULT_KINDS:
        before, after = data[max(0, at - NEAR_BYTES) : at], data[at : at + NEAR_BYTES]
        hint = fault_hint(bytes(before), bytes(after), FAULT_KINDS[status])
    return InvalidJSONError(reason, offset, hint)


def _name(byte: bytes) -> str:
    """Write a byte for an error: as itself if it is visible ASCII."""
    if b" " < byte < b"\x7f":
        return f'"{byte.decode()}"' if byte == b"'" else f"'{byte.decode()}'"
    return f"byte 0x{byte.hex()}"


def _owned(make: Any, free: Any, *args: Any) -> Any:
    """Make an object of the core that is freed when nobody refers to it.

    Raises:
        MemoryError: There is not enough.
    """
    # Two steps in one call, between which no interrupt comes that loses it.
    own = functools.partial(ffi.gc, destructor=free)
    native = next(map(own, map(make, *((arg,) for arg in args))))
    if native == NULL:
        raise MemoryError
    return native


class Texts:
    """Several texts, as the core takes them.

    Args:
        texts: The texts; keys as bodies of strings with the fewest escapes.
    """

    __slots__ = ("_alive", "array", "texts")

    def __init__(self, texts: Iterable[bytes]) -> None:
        self.texts = tuple(texts)
        self._alive = [ffi.from_buffer("uint8_t[]", text) for text in self.texts]
        sizes = map(len, self.texts)
        self.array: Any = ffi.new("sc_bytes[]", [*zip(self._alive, sizes, strict=True)])


class Words:
    """The texts that the core writes reports with, as it wants them.

    Args:
        form: "inline", "siblings" or "detached".
        texts: Values of the fields of `sc_words`: bytes, ints, tuples of ints, and
            for arrays of texts `Texts`.
    """

    __slots__ = ("_alive", "pointer")

    def __init__(
        self, form: str, **texts: bytes | int | tuple[int, ...] | Texts
    ) -> None:
        self.pointer: Any = ffi.new("sc_words *")
        self._alive: list[Any] = []
        self.pointer.report = FORMS[form]
        for name, value in texts.items():
            if isinstance(value, bytes):
                self._alive.append(ffi.from_buffer("uint8_t[]", value))
                field = getattr(self.pointer, name)
                field.data, field.len = self._alive[-1], len(value)
            elif isinstance(value, Texts):
                self._alive.append(value)
                setattr(self.pointer, name, value.array)
                setattr(self.pointer, f"{name}_len", len(value.texts))
            else:
                setattr(self.pointer, name, value)


class Fitted(NamedTuple):
    """What `Core.fit` found.

    `data` is the clip with its marks, without the report. `lines` are the JSON
    texts of the cuts, most important first; `first` is the unit of the first of
    them, what it has kept, and its total. `gap` is the path of the pagination
    cursor that skips what was left out, as a JSON string, empty if there is none.
    """

    room: int
    complete: bool
    note: bool
    selection: bool
    root_is_object: bool
    data: bytes
    chars: int
    lines: list[bytes]
    untold: int  # more cuts, with paths that are too long, or too many, to be written
    first: tuple[str, int, int] | None
    gap: bytes


class CutString(NamedTuple):
    """A shortened string of a clip that begins as JSON does.

    `body` is all that was retained of it, `whole` whether that is all of it.
    """

    offset: int  # of its body in the data, `size` bytes
    size: int
    line: int | None  # which line counts it
    kept: int
    total: int
    body: bytes
    whole: bool


class TooSmall(NamedTuple):
    """`Core.fit` found nothing: the least text needs so much, if known."""

    bytes: int | None
    chars: int | None


def _size(fitted: Any) -> int:
    """Return the bytes of all that was written of a fit."""
    return int(fitted.data_len + fitted.lines_len + fitted.gap_len)


def _fitted(fitted: Any, out: Any, ends: Any) -> Fitted:
    """Read what the core came to, and what it wrote of it."""
    text = ffi.buffer(out, _size(fitted))[:]
    data_len = begin = fitted.data_len
    lines, first = [], None
    if fitted.lines:
        first = UNITS[fitted.first_unit], fitted.first_kept, fitted.first_total
    for end in ends[0 : fitted.lines]:
        lines.append(text[begin : data_len + end])
        begin = data_len + end + 1
    return Fitted(
        fitted.room,
        fitted.complete,
        fitted.note,
        fitted.selection,
        fitted.root_is_object,
        text[:data_len],
        fitted.data_chars,
        lines,
        fitted.untold,
        first,
        text[data_len + fitted.lines_len :],
    )


@functools.lru_cache(maxsize=64)
def _limits(max_bytes: int | None, max_chars: int | None) -> Any:
    limits = ffi.new("sc_limits *")  # which the core only reads
    limits.max_bytes = NO_LIMIT if max_bytes is None else max_bytes
    limits.max_chars = NO_LIMIT if max_chars is None else max_chars
    return limits


class CoreOptions:
    """What a core is made with, as it wants it.

    Args:
        room: Bytes that the retained tree renders to.
        max_depth: Levels of nesting that are accepted.
        text_format: "auto", "json" or "jsonl".
        max_record_bytes: Share of an array's element, or None.
        max_items: Elements of an array that are kept at most, or None.
        max_string_chars: Characters of a string that are kept at most, or None.
        collection: Reference tokens of the named collection, each as the body
            of a JSON string with the fewest escapes.
        fields: Keys, likewise, of the members that a record keeps; if there are
            none it keeps all.
        drop: Keys of members that are nowhere kept.
        keep: Which elements of an array remain: "head", "tail" or "ends".
        cut_atoms: Shorten atoms as other text is.
        stop_early: Stop reading where something first has to be given up.
    """

    __slots__ = ("_alive", "pointer")

    def __init__(
        self,
        *,
        room: int,
        max_depth: int,
        text_format: str,
        max_record_bytes: int | None,
        max_items: int | None,
        max_string_chars: int | None,
        collection: tuple[bytes, ...],
        fields: tuple[bytes, ...],
        drop: tuple[bytes, ...],
        keep: str,
        cut_atoms: bool,
        stop_early: bool,
    ) -> None:
        self._alive = pointer, selected, dropped = (
            Texts(collection),
            Texts(fields),
            Texts(drop),
        )
        self.pointer: Any = ffi.new(
            "sc_options *",
            {
                "room": room,
                # A compaction takes long for its size, but so does memory. Only
                # at the head there are ever fewer of them.
                "slack": room // 4 if keep == "head" else room,
                "max_depth": max_depth,
                "max_record_bytes": max_record_bytes or 0,
                "max_items": max_items or 0,
                "max_string_chars": max_string_chars or 0,
                "format": FORMATS[text_format],
                "keep": KEEPS[keep],
                "cut_atoms": cut_atoms,
                "stop_early": stop_early,
                "pointer": pointer.array,
                "pointer_len": len(collection),
                "fields": selected.array,
                "fields_len": len(fields),
                "drop": dropped.array,
                "drop_len": len(drop),
            },
        )


def clip_at_once(
    options: CoreOptions,
    words: Words,
    data: bytes,
    max_bytes: int,
    max_chars: int | None,
) -> Fitted | None:
    """Clip a whole input in one call.

    Args:
        options: What a core would be made with.
        words: What the report is written with.
        data: The input.
        max_bytes: Budget in bytes; so much memory is taken for the result.
        max_chars: Budget in code points, or None.

    Returns:
        What `Core.fit` would; None if a `Core` is needed, for an error, because it
        is JSON Lines, or because the words are not the right ones.

    Raises:
        MemoryError: There is not enough.
    """
    kernel()
    fitted = ffi.new("sc_fitted *")
    out = new_without_zeros("uint8_t[]", max_bytes + LINES_BYTES)
    ends = new_without_zeros("size_t[]", LINES_MAX)
    status = lib.sc_clip(
        options.pointer,
        words.pointer,
        _limits(max_bytes, max_chars),
        data,
        len(data),
        fitted,
        out,
        max_bytes + LINES_BYTES,
        ends,
        LINES_MAX,
    )
    if status == SC_NO_MEMORY:
        raise MemoryError
    return _fitted(fitted, out, ends) if status == 0 else None


class Core:
    """Drive one native clipper. Not for two threads at once."""

    __slots__ = ("_clipper", "_words")

    def __init__(self, options: CoreOptions) -> None:
        kernel()
        self._clipper = _owned(lib.sc_clipper_new, lib.sc_clipper_free, options.pointer)

    def feed(self, data: Buffer) -> bool:
        """Take the next bytes.

        Returns:
            False if no more are needed.

        Raises:
            InvalidJSONError: One of them cannot belong to a valid document.
        """
        before = self.offset
        with ffi.from_buffer("uint8_t[]", data) as pointer:
            for start in range(0, len(data), SLICE_BYTES):
                size = min(SLICE_BYTES, len(data) - start)
                status = lib.sc_clipper_feed(self._clipper, pointer + start, size)
                if status == SC_ENOUGH:
                    return False
                if status < 0:
                    at = self.offset - before
                    # Only a broken byte order mark begins in an earlier chunk.
                    near = (data, at) if at >= 0 else (BOM, 0)
                    raise _error(status, self.offset, *near)
        return True

    def expect_lines(self) -> None:
        """Take what comes for JSON Lines, though it be a single line."""
        lib.sc_clipper_expect_lines(self._clipper)

    def expect_number(self, number: int) -> None:
        """Take the root's next child for this one of its collection."""
        lib.sc_clipper_expect_number(self._clipper, number)

    @property
    def is_full(self) -> bool:
        """Whether nothing of what follows in the root can be kept."""
        return bool(lib.sc_clipper_is_full(self._clipper))

    @property
    def leading(self) -> int:
        """How many of the root's children the last fit has, up to a missing one."""
        return int(lib.sc_clipper_leading(self._clipper))

    def finish(self, *, keep_incomplete: bool) -> None:
        """Tell that the input has ended.

        Raises:
            IncompleteJSONError: The document has not; or, with
                `keep_incomplete`, nothing of it ever came.
        """
        self._check(lib.sc_clipper_finish(self._clipper, keep_incomplete))

    @property
    def offset(self) -> int:
        """How many bytes were taken."""
        return int(lib.sc_clipper_offset(self._clipper))

    @property
    def is_cut_short(self) -> bool:
        """Whether the document was closed before its end."""
        return bool(lib.sc_clipper_cut_short(self._clipper))

    @property
    def is_stopped(self) -> bool:
        """Whether that was because `stop_early` had enough."""
        return bool(lib.sc_clipper_stopped(self._clipper))

    @property
    def documents(self) -> int:
        """How many documents have begun."""
        return int(lib.sc_clipper_documents(self._clipper))

    @property
    def is_jsonl(self) -> bool:
        """Whether the document is a list of lines."""
        return bool(lib.sc_clipper_is_jsonl(self._clipper))

    def key_is_taken(self, words: Words) -> bool:
        """Tell whether the key of the words' marks is used for anything else."""
        return bool(lib.sc_clipper_key_taken(self._clipper, words.pointer))

    @property
    def has_deselected(self) -> bool:
        """Whether a member was deselected, as far as more than counts was read."""
        return bool(lib.sc_clipper_deselected(self._clipper))

    def fit(
        self, words: Words, max_bytes: int | None, max_chars: int | None
    ) -> Fitted | TooSmall:
        """Find the most whose text fits, its report included.

        Args:
            words: What the report is written with.
            max_bytes: Budget in bytes, or None.
            max_chars: Budget in code points, or None.
        """
        self._words = words  # which the core uses until the next fit
        limits = _limits(max_bytes, max_chars)
        fitted = ffi.new("sc_fitted *")
        status = lib.sc_clipper_fit(self._clipper, words.pointer, limits, fitted)
        if status == lib.SC_TOO_SMALL:
            if fitted.need_bytes == NO_LIMIT:
                return TooSmall(None, None)
            return TooSmall(fitted.need_bytes, fitted.need_chars)
        self._check(status)
        out = ffi.new("uint8_t[]", _size(fitted))
        ends = ffi.new("size_t[]", fitted.lines)
        self._check(lib.sc_clipper_put(self._clipper, out, len(out), ends, len(ends)))
        return _fitted(fitted, out, ends)

    def cursor_gap(self, arrays: Texts) -> bytes:
        """Find the cursor that skips what was left out, by more than the last fit.

        Args:
            arrays: Paths, as lines have them, of arrays that lost elements elsewhere.

        Returns:
            Its path as a JSON string, empty if there is none.
        """
        out, size = ffi.new("uint8_t[]", lib.SC_GAP_MAX), ffi.new("size_t *")
        count = len(arrays.texts)
        self._check(
            lib.sc_clipper_cursor_gap(self._clipper, arrays.array, count, out, size)
        )
        return bytes(ffi.buffer(out, size[0]))

    def cut_strings(self, most: int) -> list[CutString]:
        """Find the shortened strings of the last fit that may hold JSON."""
        found = ffi.new("sc_cut_string[]", most)
        count = lib.sc_clipper_cut_strings(self._clipper, found, most)
        return [
            CutString(
                s.offset,
                s.len,
                None if s.line == SIZE_MAX else s.line,
                s.kept,
                s.total,
                bytes(ffi.buffer(s.body, s.body_len)),
                s.whole,
            )
            for s in found[0:count]
        ]

    def close(self) -> None:
        """Free the memory now. No other method may be called afterwards."""
        ffi.release(self._clipper)

    def _check(self, status: int) -> None:
        if status < 0:
            raise _error(status, self.offset)


class Border(NamedTuple):
    """A place where reading can begin in the middle of a document.

    `numbers` are the line (0 for JSON) and then the child at each level on the
    way; the last one is the child that begins at `offset`, or as many as there are if
    its container ends there, or, if `text`, the characters of a string that stand before it. Bit k of `objects` tells that
    `numbers[k]` counts members.
    """

    offset: int
    numbers: tuple[int, ...]
    objects: int
    text: bool


class Found(NamedTuple):
    """What a `Seeker` came to: a child, a character, or an end.

    `number` is the child's or the character's; at an end, how many there are.
    `begin` is where the child begins, with its key if it has one, `at` where its
    value does, `last` where what stands before it has ended.
    """

    is_end: bool
    number: int
    begin: int
    at: int
    last: int


class Seeker:
    """Find places in a document without keeping any of it.

    Levels are counted as in a border: 0 is the list of lines, 1 the root if it is
    a container.

    Args:
        max_depth: Levels of nesting that are accepted.
        text_format: "auto", "json" or "jsonl".
    """

    __slots__ = ("_found", "_key", "_seeker", "_taken")

    def __init__(self, max_depth: int, text_format: str) -> None:
        form = FORMATS[text_format]
        self._seeker = _owned(lib.sc_seeker_new, lib.sc_seeker_free, max_depth, form)
        self._found = ffi.new("sc_found *")
        self._taken = ffi.new("size_t *")
        self._key: Any = ffi.NULL

    def note_borders(
        self, stride: int = BORDER_STRIDE, most: int = BORDERS_MAX
    ) -> None:
        """Note borders from now on, about one in `stride` bytes, less than `most`."""
        lib.sc_seeker_note_borders(self._seeker, stride, most)

    def borders(self) -> list[Border]:
        """Return those noted so far, in order."""
        found = ffi.new("sc_border **")
        count = lib.sc_seeker_borders(self._seeker, found)
        return [
            Border(b.offset, tuple(b.numbers[0 : b.levels]), b.objects, b.text)
            for b in found[0][0:count]
        ]

    def go(self, border: Border) -> None:
        """Go to a border."""
        native = ffi.new("sc_border *")
        native.offset, native.objects = border.offset, border.objects
        native.text, native.levels = border.text, len(border.numbers)
        native.numbers[0 : native.levels] = border.numbers
        lib.sc_seeker_go(self._seeker, native)

    def look_for_end(self) -> None:
        """Read all that comes."""
        self._look(lib.SC_THE_END, 0)

    def look_for_next(self, level: int) -> None:
        """Look for the next child at a level, or its end."""
        self._look(lib.SC_NEXT, level)

    def look_for_number(self, level: int, number: int) -> None:
        """Look for a child by its number, or the end of its level."""
        self._look(lib.SC_NUMBER, level, number)

    def look_for_key(self, level: int, key: bytes) -> None:
        """Look for a member by its key, with lone surrogates as UTF-8 if any."""
        self._key = ffi.from_buffer("uint8_t[]", key)
        self._look(lib.SC_KEY, level, 0, self._key, len(key))

    def look_for_character(self, number: int) -> None:
        """Look for a character of the string at hand, or its end."""
        self._look(lib.SC_CHARACTER, 0, number)

    def _look(
        self,
        target: int,
        level: int,
        number: int = 0,
        key: Any = ffi.NULL,
        size: int = 0,
    ) -> None:
        lib.sc_seeker_look(self._seeker, target, level, number, key, size)

    def feed(self, data: Buffer) -> tuple[int, Found | None]:
        """Read on until what is looked for is found.

        Returns:
            How many bytes were read, and what was found in them.

        Raises:
            InvalidJSONError: It is no valid document.
        """
        found = self._found
        with ffi.from_buffer("uint8_t[]", data) as pointer:
            status = lib.sc_seeker_feed(
                self._seeker, pointer, len(data), self._taken, found
            )
        taken = int(self._taken[0])
        if status:
            offset = lib.sc_seeker_offset(self._seeker)
            raise _error(status, offset, data, taken)
        if found.kind == lib.SC_FOUND_NOTHING:
            return taken, None
        is_end = found.kind == lib.SC_FOUND_CLOSED
        return taken, Found(is_end, found.number, found.begin, found.at, found.last)

    @property
    def whole(self) -> int:
        """Up to where the children at the level, or the characters, are whole."""
        return int(lib.sc_seeker_whole(self._seeker))

    def count(self, level: int) -> int:
        """Tell how many children have begun at an open level."""
        return int(lib.sc_seeker_count(self._seeker, level))

    @property
    def chars(self) -> int:
        """How many characters of the string at hand were read."""
        return int(lib.sc_seeker_chars(self._seeker))
