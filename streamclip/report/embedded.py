"""JSON inside strings: clipped as JSON where a prefix of it would be no use.

A tool's result often travels as text, `{"content":[{"type":"text","text":"{…"}]}`.
What the core gives such a string is a prefix. Here, if what was retained of the
string is JSON, the prefix gives way to a clip of it, no longer than the prefix
was; what it lacks is told in it and, under `PATH#INNER`, in the report.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable

from streamclip.core.binding import CutString, Fitted
from streamclip.errors import BudgetTooSmallError, InvalidJSONError
from streamclip.options.options import squeezed
from streamclip.report.block import with_cuts
from streamclip.report.values import Cut, cuts_of, in_order

__all__ = ["STRINGS_MAX", "with_embedded"]

STRINGS_MAX = 32  # clipped so, at most; the others stay prefixes
TRIES = 8

# Clip a text to so many bytes; `whole` tells whether it is all there.
ClipText = Callable[[str, int, bool], tuple[str, tuple[Cut, ...]]]


def with_embedded(
    fitted: Fitted, strings: list[CutString], clip_text: ClipText
) -> Fitted:
    """Put clips in the place of strings that hold JSON.

    Args:
        fitted: What the core came to.
        strings: Its shortened strings that may hold JSON, in document order.
        clip_text: Clips one text.

    Returns:
        The same with those strings replaced; never longer.
    """
    cuts: list[Cut | None] = [*cuts_of(fitted.lines)]
    inner: dict[tuple[str, str], Cut] = {}
    parts, at = [], 0
    for string in strings:
        end = string.offset + string.size
        made = _shorter(string, fitted.data[string.offset : end], clip_text)
        if made is None or string.line is None:
            continue
        body, lost = made
        outer = cuts[string.line]
        parts += [fitted.data[at : string.offset], body]
        at = end
        if outer is not None:
            cuts[string.line] = _without(outer, string)
        path = cuts_of(fitted.lines)[string.line].path
        for cut in lost:
            _add(inner, dataclasses.replace(cut, path=f"{path}#{cut.path}"))
    data = b"".join([*parts, fitted.data[at:]])
    left = [cut for cut in cuts if cut is not None]
    fitted = fitted._replace(data=data, chars=len(data.decode()))
    return with_cuts(fitted, in_order([*left, *inner.values()]))


def _shorter(
    string: CutString, prefix: bytes, clip_text: ClipText
) -> tuple[bytes, tuple[Cut, ...]] | None:
    """Clip what a string holds so that, escaped, it is no longer than its prefix."""
    text = json.loads(b'"' + string.body + b'"')
    budget = string.size
    for _ in range(TRIES):
        try:
            clipped, cuts = clip_text(text, budget, string.whole)
        except (InvalidJSONError, BudgetTooSmallError, UnicodeEncodeError):
            return None  # it only looked like JSON, or there is no room for any
        body = squeezed(clipped)
        fill = max(len(body) / len(prefix), len(body.decode()) / len(prefix.decode()))
        if fill <= 1:
            return body, cuts
        budget = min(budget - 1, int(budget / fill))
    return None


def _without(cut: Cut, string: CutString) -> Cut | None:
    """Take one place out of a cut."""
    if cut.places == 1:
        return None
    kept, total = cut.kept - string.kept, cut.total - string.total
    return dataclasses.replace(
        cut, kept=kept, total=total, omitted=total - kept, places=cut.places - 1
    )


def _add(cuts: dict[tuple[str, str], Cut], cut: Cut) -> None:
    old = cuts.get((cut.path, cut.unit))
    if old is not None:
        cut = dataclasses.replace(
            cut,
            kept=cut.kept + old.kept,
            total=cut.total + old.total,
            omitted=cut.omitted + old.omitted,
            places=cut.places + old.places,
            names=cut.names if cut.names == old.names else (),
            gap_at=cut.gap_at if cut.gap_at == old.gap_at else None,
        )
    cuts[cut.path, cut.unit] = cut
