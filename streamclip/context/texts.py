"""Where a text may be cut, and the longest part of it that fits.

JSON is clipped as JSON. Other text is cut before a line break, but never inside a
code fence, nor after the beginning of HTML. Only if the first line alone is too
long it is cut inside, between characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from streamclip.api import clip
from streamclip.core.binding import check, text_prefix
from streamclip.errors import BudgetTooSmallError, InvalidJSONError
from streamclip.options.options import MAX_TOKENS, squeezed

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
            budget = min(room, MAX_TOKENS)
            return clip(text, max_tokens=budget, tokenizer=count).text
        except BudgetTooSmallError:
            return None

    def fits(end: int) -> bool:
        return count(text[:end]) <= room

    ends = list(line_ends(text))
    kept = _last_that(fits, [end for end in ends if end < len(text)])
    if kept is None and ends:
        kept = _cut_in_first_line(text[: ends[0]], fits)
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


def _cut_in_first_line(text: str, fits: Callable[[int], bool]) -> int | None:
    """Return where the first line may be cut as late as fits, None if nowhere.

    Args:
        text: It, and blank lines before it; a code fence is nothing to cut.
        fits: Tells whether so many characters fit.
    """
    blank = len(text) - len(text.lstrip())
    if LINE_BREAK.search(text, blank):
        return None
    body = squeezed(text)
    most = _last_that(
        lambda most: fits(text_prefix(body, most)), range(blank + 1, len(text))
    )
    kept = 0 if most is None else text_prefix(body, most)
    return kept if kept > blank else None


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
