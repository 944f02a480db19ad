"""Kernels one by one: how each left the state."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from streamclip._core import ffi, lib

from native import AUTO

# States, as csrc/lex/lex.h numbers them, that have more to them than their number.
STRING, UTF8, LITERAL = 6, 12, 13
HEX_STATES = range(8, 12)


class State(NamedTuple):
    """All that a kernel may hand on to another one."""

    status: int
    offset: int
    count: int
    documents: int
    levels: bytes
    newline: bool
    state: int
    inside: tuple[int, ...]  # what it knows of the token that it is in


class Scanner:
    """A kernel and the grammar's state: feed it pieces, then look."""

    def __init__(self, name: str, max_depth: int = 1024, form: int = AUTO) -> None:
        scanner = lib.sc_scanner_new(name.encode(), max_depth, form)
        assert scanner
        self._scanner = ffi.gc(scanner, lib.sc_scanner_free)

    def feed(self, data: Any, size: int | None = None, floor: int = 0) -> int:
        """Read a piece, bytes or a pointer; return how much of it was taken."""
        if size is None:
            size = len(data)
            data = ffi.from_buffer("uint8_t[]", data)
        return int(lib.sc_scanner_feed(self._scanner, data, size, floor))

    def feed_each(self, pieces: Iterable[bytes], floor: int = 0) -> State:
        """Read pieces until one is not taken whole; return the state then."""
        for piece in pieces:
            if self.feed(piece, floor=floor) < len(piece):
                break
        return self.tell()

    def tell(self) -> State:
        """Return the state; of a failed document, what its error is."""
        told = ffi.new("sc_scanned *")
        lib.sc_scanner_tell(self._scanner, told)
        inside: tuple[int, ...] = ()
        if told.state == STRING or told.state in range(7, 13):
            inside = (told.in_key,)
        if told.state in HEX_STATES:
            inside += (told.hex,)
        if told.state == UTF8:
            inside += (told.utf8_len, told.utf8_left)
        if told.state == LITERAL:
            inside = (told.literal, told.literal_at)
        return State(
            told.status,
            told.offset,
            told.count,
            told.documents,
            bytes(ffi.buffer(told.levels + 1, told.depth)),
            told.newline,
            told.state,
            inside,
        )


def pieces_of(data: bytes, size: int) -> list[bytes]:
    """Cut data into pieces of a size."""
    return [data[at : at + size] for at in range(0, len(data), size)]
