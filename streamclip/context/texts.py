"""Where a text may be cut, and the longest part of it that fits.

JSON is clipped as JSON. Other text is cut before a line break, but never inside a
code fence, nor after the beginning of HTML. Only if the first line alone is too
long it is cut inside, between characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence

from streamclip._binding import check
from streamclip.clip import clip
from streamclip.errors import BudgetTooSmallError, InvalidJSONError

__all__ = ["is_json", "shortened"]

MAX_DEPTH = 1024  # clip's default
LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|$)")
LINE_BREAK = re.compile(r"[\r\n]")
# CommonMark's, also in a list or a quotation.
FENCE = re.compile(r"[\s>]*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}(?![^`]*`)|~{3,})")
HTML = re.compile(
    r"<(?:!--|!doctype\b|/?(?:a|article|aside|b|blockquote|body|br|button|code|dd|"
    r"details|div|dl|dt|em|figure|footer|form|h[1-6]|head|header|hr|html|i|iframe|"
    r"img|input|label|li|link|main|meta|nav|ol|option|p|pre|script|section|select|"
    r"span|strong|style|summary|svg|table|tbody|td|textarea|tfoot|th|thead|title|tr|"
    r"ul|video)(?=[\s/>]))",
    re.IGNORECASE,
)
CLUSTER_CHARS = 64  # no longer sequence of characters stays together


def is_json(text: str) -> bool:
    """Tell whether a text is a JSON object or array, or lines of them.

    >>> is_json('{"id": 1}'), is_json('{"id": 1'), is_json("1")
    (True, False, False)
    """
    if not text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        return False
    try:
        check(text.encode(), MAX_DEPTH, "auto")
    except (InvalidJSONError, UnicodeEncodeError):
        return False
    return True


def shortened(text: str, room: int, count: Callable[[str], int]) -> str | None:
    """Return as much of a text as fits, or None if nothing useful does.

    Args:
        text: The text, which does not fit whole.
        room: Tokens there are.
        count: Counts the tokens of what would be kept, with all around it.
    """
    if room < 1:
        return None
    if is_json(text):
        try:
            return clip(text, max_tokens=room, tokenizer=count).text
        except BudgetTooSmallError:
            return None

    def fits(end: int) -> bool:
        return count(text[:end]) <= room

    ends = list(line_ends(text))
    kept = _last_that(fits, [end for end in ends if end < len(text)])
    if kept is None and ends:
        kept = _last_that(fits, _cuts_in_first_line(text[: ends[0]], fits))
    return None if kept is None else text[:kept]


def line_ends(text: str) -> Iterator[int]:
    r"""Tell where a text may be cut: the ends of its lines.

    The end of a line without text is none, and none lies in a code fence or after
    the beginning of HTML.

    >>> list(line_ends("one\n\n```\ntwo\n```\nthree\n<p>four"))
    [3, 16, 22]
    """
    at = 0
    fence = ""
    while at < len(text):
        found = LINE.match(text, at)
        assert found is not None  # it matches everywhere
        line = found[1]
        if fence:
            mark = line.strip(" \t>")
            if len(mark) >= len(fence) and set(mark) == {fence[0]}:
                fence = ""
        elif HTML.search(line):
            return
        elif opening := FENCE.match(line):
            fence = opening[1]
        if line.strip() and not fence:
            yield found.end(1)
        at = found.end()


def _cuts_in_first_line(text: str, fits: Callable[[int], bool]) -> list[int]:
    """Return where the first line may be cut, as far as what is kept could fit.

    Args:
        text: It, and blank lines before it; a code fence is nothing to cut.
        fits: Tells whether so many characters fit.
    """
    blank = len(text) - len(text.lstrip())
    if LINE_BREAK.search(text, blank):
        return []
    enough = blank + 1
    while enough < len(text) and fits(enough):
        enough *= 2
    points = cut_points(text[: enough + CLUSTER_CHARS])
    return [point for point in points if point > blank]


def cut_points(text: str) -> list[int]:
    """Return the ends of a text's clusters: docs/semantics.md, section 6.

    >>> cut_points("ab\N{COMBINING ACUTE ACCENT}c")
    [1, 3, 4]
    """
    points: list[int] = []
    start = 0
    regionals = 0  # regional indicators that end directly before `at`
    for at in range(1, len(text)):
        before, char = text[at - 1], text[at]
        regionals = regionals + 1 if _is_regional(before) else 0
        joined = (
            _extends(char)
            or before == "\u200d"
            or (_is_regional(char) and regionals % 2 == 1)
            or (before, char) == ("\r", "\n")
        )
        if not joined or at - start == CLUSTER_CHARS:
            points.append(at)
            start = at
    return [*points, len(text)] if text else points


def _is_regional(char: str) -> bool:
    """Tell whether two such characters make a flag."""
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _extends(char: str) -> bool:
    """Tell whether a character always belongs to the one before it."""
    return (
        unicodedata.category(char).startswith("M")
        or char == "\u200d"
        or "\U0001f3fb" <= char <= "\U0001f3ff"  # skin tones
        or "\U000e0020" <= char <= "\U000e007f"  # tags
        or "\u1160" <= char <= "\u11ff"  # Hangul vowels, trailing consonants
    )


def _last_that(fits: Callable[[int], bool], ends: Sequence[int]) -> int | None:
    """Return the last end that fits, if what is longer never fits where less did not.

    The steps double first, so that nothing much longer than the answer is counted.
    """
    bad = 1
    while bad <= len(ends) and fits(ends[bad - 1]):
        bad *= 2
    good, bad = bad // 2, min(bad, len(ends) + 1)
    while bad - good > 1:
        middle = (good + bad) // 2
        if fits(ends[middle - 1]):
            good = middle
        else:
            bad = middle
    return ends[good - 1] if good else None
