"""Marks that other tools leave where they have cut a text."""

from __future__ import annotations

import re

__all__ = ["HELD_BYTES", "find_marker"]

HELD_BYTES = 256  # no marker is longer

DOTS = rb"(?:\.{3,}|\xe2\x80\xa6)"  # three dots, or an ellipsis
WORDS = rb"(?:truncated|clipped|omitted|elided|abridged|cut[ ]off|too[ ]long)"
PLAIN = rb"[^][(){}<>\"\\]{0,80}?"

MARKER = (
    # [... 1,234 characters truncated ...]   <response clipped>   (output truncated)
    rb"(?i)\s*(?:" + DOTS + rb"?\s*[\[(<]" + PLAIN + WORDS + PLAIN + rb"[\])>]" + DOTS + rb"?"
    # ... output truncated   ...
    rb"|" + DOTS + rb"(?:" + PLAIN + WORDS + rb")?" + DOTS + rb"?)\s*\Z"
)  # fmt: skip


def find_marker(end: bytes) -> int | None:
    r"""Find a marker at the end of a text that is to be JSON.

    Args:
        end: The last bytes of the text.

    Returns:
        Where it begins, or None if there is none.

    >>> find_marker(b'{"a":[1,2\n... [truncated]')
    9
    >>> find_marker(b'{"a":"[truncated]"}')
    """
    found = re.search(MARKER, end)
    return found.start() if found else None
