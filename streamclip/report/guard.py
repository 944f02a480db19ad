"""The last guard: every text that leaves is read by our own scanner.

A fault of the writer then is an error of ours, never JSON that is not valid.
"""

from __future__ import annotations

from streamclip.core.binding import check
from streamclip.errors import InternalError, InvalidJSONError
from streamclip.options.options import Limits

__all__ = ["guarded", "lines_with_text"]

# The report nests on its own account: a condition of a page may be this deep.
REPORT_LEVELS = 1000


def guarded(data: bytes, limits: Limits, max_depth: int, *, is_jsonl: bool) -> bytes:
    """Return a finished text as it is.

    Args:
        data: The text.
        limits: Budgets of bytes and characters.
        max_depth: Levels of nesting that the input may have.
        is_jsonl: Whether each line of it is a document.

    Raises:
        InternalError: It is not valid JSON, or over a budget.

    >>> guarded(b"[1]", Limits(3, None), 1024, is_jsonl=False)
    b'[1]'
    """
    text_format = "jsonl" if is_jsonl else "json"
    try:
        documents = check(data, max_depth + REPORT_LEVELS, text_format)
    except InvalidJSONError as error:
        reason = f"it is not valid JSON: {error.reason} at byte {error.offset}"
        raise InternalError(reason) from None
    if is_jsonl and documents != lines_with_text(data):
        raise InternalError("it has lines that are not one JSON document each")
    if not limits.hold(data):
        raise InternalError(f"it has {len(data)} bytes, which is over the budget")
    return data


def lines_with_text(data: bytes) -> int:
    """Return how many lines have more than white space."""
    return sum(bool(line.strip()) for line in data.split(b"\n"))
