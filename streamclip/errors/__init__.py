"""What can go wrong, as exceptions.

    StreamclipError
    ├── InvalidJSONError(ValueError)         the input is not JSON: .reason .offset
    │   └── IncompleteJSONError              it ended before the document did
    ├── BudgetTooSmallError(ValueError)      nothing useful fits: .needed .unit
    ├── InternalError                        a fault of streamclip: report it
    ├── InvalidMessageError(ValueError)      no message of that API: .reason .index
    ├── ClipperBusyError                     a Clipper was used by two threads
    └── ReferenceNotFoundError(LookupError)  a store does not have it: .ref

Each message says what happened, where, and what to do about it. All of them
survive pickling, so they can cross a process boundary.

What a source itself raises (an `OSError`, a `UnicodeDecodeError`, the exception
of a generator) is not translated: it comes through as it is.
"""

from __future__ import annotations

__all__ = [
    "BudgetTooSmallError",
    "ClipperBusyError",
    "IncompleteJSONError",
    "InternalError",
    "InvalidJSONError",
    "InvalidMessageError",
    "ReferenceNotFoundError",
    "StreamclipError",
]


SHOWN = 200  # characters of a reference


class StreamclipError(Exception):
    """Stand for every error that streamclip raises on its own account."""


class InvalidJSONError(StreamclipError, ValueError):
    """Tell that the input is not valid JSON, and where it stops being so.

    Args:
        reason: What is wrong there, in a few words.
        offset: The first byte that cannot belong to a valid document, counted
            in bytes of UTF-8 from the start of the stream. For bad UTF-8 it is
            the start of the sequence.
        hint: What the input may be instead, or what to do about it.

    >>> print(InvalidJSONError("a comma is missing", 1234))
    invalid JSON at byte 1234: a comma is missing
    """

    def __init__(self, reason: str, offset: int, hint: str | None = None) -> None:
        super().__init__(reason, offset, hint)
        self.reason = reason
        self.offset = offset
        self.hint = hint

    def __str__(self) -> str:
        text = f"invalid JSON at byte {self.offset}: {self.reason}"
        return f"{text} ({self.hint})" if self.hint else text


class IncompleteJSONError(InvalidJSONError):
    """Tell that the input ended before the document did.

    Args:
        reason: What is missing, in a few words.
        offset: The length of the input in bytes.
        hint: What to do about it.

    >>> print(IncompleteJSONError("the input ended early", 70))
    invalid JSON at byte 70: the input ended early (incomplete="keep" \
clips what arrived)
    """

    def __init__(
        self,
        reason: str,
        offset: int,
        hint: str | None = 'incomplete="keep" clips what arrived',
    ) -> None:
        super().__init__(reason, offset, hint)


class BudgetTooSmallError(StreamclipError, ValueError):
    """Tell that nothing useful fits the budget, and what would.

    Args:
        needed: The size of the smallest text there is, in `unit`.
        unit: What it is counted in: "bytes", "chars" or "tokens"; "string_chars"
            if it is `max_string_chars` that leaves nothing.

    >>> print(BudgetTooSmallError(131, "bytes"))
    nothing useful fits the budget: 131 bytes are needed; raise max_bytes
    """

    def __init__(self, needed: int, unit: str) -> None:
        super().__init__(needed, unit)
        self.needed = needed
        self.unit = unit

    def __str__(self) -> str:
        return (
            f"nothing useful fits the budget: {self.needed} {self.unit} are needed; "
            f"raise max_{self.unit}"
        )


class ClipperBusyError(StreamclipError):
    """Tell that a Clipper was called while another thread was inside it.

    >>> print(ClipperBusyError())
    this Clipper is in use by another thread: give each thread its own, or use a lock
    """

    def __str__(self) -> str:
        if self.args:
            return super().__str__()
        return (
            "this Clipper is in use by another thread: give each thread its own, "
            "or use a lock"
        )


class InternalError(StreamclipError):
    """Report a fault of streamclip itself, which no input can excuse.

    Every text is read by the scanner before it leaves. One that is not valid
    JSON, or over its budget, is not returned.

    Args:
        reason: What is wrong with the text.

    >>> print(InternalError("it is not valid JSON: unexpected ']' at byte 44"))
    streamclip made a text that it must not return: it is not valid JSON: unexpected \
']' at byte 44; this is a fault of streamclip, not of the input: please report it, \
with the options and, if possible, the input
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return (
            f"streamclip made a text that it must not return: {self.reason}; this is "
            "a fault of streamclip, not of the input: please report it, with the "
            "options and, if possible, the input"
        )


class InvalidMessageError(StreamclipError, ValueError):
    """Tell that a message of a conversation is malformed, or out of its place.

    Args:
        reason: What is wrong with it, and what to do about it.
        index: Where it is in the history, counted from 0.

    >>> print(InvalidMessageError("its role is one of user, assistant, not 'me'", 4))
    history[4]: its role is one of user, assistant, not 'me'
    """

    def __init__(self, reason: str, index: int) -> None:
        super().__init__(reason, index)
        self.reason = reason
        self.index = index

    def __str__(self) -> str:
        return f"history[{self.index}]: {self.reason}"


class ReferenceNotFoundError(StreamclipError, LookupError):
    """Tell that a reference leads to nothing in the store.

    Args:
        ref: The reference as it was asked for.
        reason: What is wrong with it, and what to do, if that is known.

    >>> print(ReferenceNotFoundError("clip:7f3a9c2k8m4q"))
    the store has no 'clip:7f3a9c2k8m4q': it has expired, or is in another store; \
repeat the call that gave it, which clips the source again
    """

    def __init__(self, ref: str, reason: str | None = None) -> None:
        super().__init__(ref, reason)
        self.ref = ref
        self.reason = reason

    def __str__(self) -> str:
        ref = repr(self.ref if len(self.ref) < SHOWN else self.ref[:SHOWN] + "…")
        if self.reason:
            return f"{ref}: {self.reason}"
        return (
            f"the store has no {ref}: it has expired, or is in another store; "
            "repeat the call that gave it, which clips the source again"
        )
