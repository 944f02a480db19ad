"""Whether a JSON text is a clip of another one, by what stands in both.

Only what `clip` leaves to the reader is looked at, and no code of it is used: it is
the second opinion on what it made.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, TypeAlias

from streamclip.report.earlier import OUR_KEYS

__all__ = ["is_clip_of"]

# A number or a literal is its text; a string is its value behind a quote; the
# others begin with their bracket: ["[", element, …], ["{", key, value, …].
Value: TypeAlias = "str | list[Any]"

TOKEN = re.compile(r'[\[\]{}]|"(?:[^"\\]|\\.)*"|[^\s,:"\[\]{}]+')
OUR_KEY = re.compile(r'"_clip(?:_\d+)?')
OUR_MEMBERS = frozenset('"' + name for name in OUR_KEYS)


def is_clip_of(part: str, whole: str) -> bool:
    """Tell whether a text is the other one, or has a report and less than it.

    Without the report and the marks of shortened records, arrays are beginnings of
    what they were, objects have some of their members in the same order, and strings
    are beginnings; numbers and literals are as written. Whether the numbers of the
    report are true is not looked at.

    Args:
        part: A JSON text, or lines of them.
        whole: Likewise; an object or array, or lines.

    >>> rows = '{"rows": [{"id": 1}, {"id": 2}, {"id": 3}]}'
    >>> is_clip_of('{"_clip":{"more_cuts":1},"rows":[{"id":1}]}', rows)
    True
    >>> is_clip_of('{"_clip":{"more_cuts":1},"rows":[{"id":2}]}', rows)
    False
    >>> is_clip_of('{"rows":[{"id":1}]}', rows)  # without a report
    False
    """
    kept, given = _read(part), _read(whole)
    if kept == given:
        return True
    key = _report_key(kept)
    if key is None:
        return False
    kept[0] = ["{", *kept[0][3:]]
    if len(given) > 1:
        # The report is a line of its own, and of an earlier clip's there may be one.
        starts = (0, 1) if _report_key(given) else (0,)
        return kept[0] == ["{"] and any(
            _is_part(["[", *kept[1:]], ["[", *given[start:]], key) for start in starts
        )
    if given[0][0] == "[" and kept[0][:2] == ["{", '"data']:
        kept = kept[0][2:]
    return len(kept) == 1 and _is_part(kept[0], given[0], key)


def _read(text: str) -> list[Any]:
    """Read valid JSON texts that stand one after the other, however deep they are."""
    values: list[Any] = []
    is_open = [values]
    for token in TOKEN.findall(text.removeprefix("\ufeff")):
        if token in ("]", "}"):
            is_open.pop()
        elif token in ("[", "{"):
            inner: list[Any] = [token]
            is_open[-1].append(inner)
            is_open.append(inner)
        else:
            is_string = token.startswith('"')
            is_open[-1].append('"' + json.loads(token) if is_string else token)
    return values


def _report_key(values: list[Any]) -> str | None:
    """Return the key of the report that the first of some texts begins with."""
    if values[0][:1] != ["{"] or len(values[0]) < 3:
        return None
    _, key, report = values[0][:3]
    if not OUR_KEY.fullmatch(key) or report[:1] != ["{"]:
        return None
    return key if OUR_MEMBERS.issuperset(report[1::2]) else None


def _is_part(part: Value, whole: Value, key: str) -> bool:
    """Tell whether a value is what a clip whose report has this key kept of another."""
    pairs = [(part, whole)]
    while pairs:
        kept, given = pairs.pop()
        if isinstance(kept, str) or isinstance(given, str):
            if kept != given and not _is_beginning(kept, given):
                return False
            continue
        # Of a record that an earlier clip had marked the mark alone may be left.
        is_none = len(kept) == 1 and len(given) > 1
        kept = _unmarked(kept, key)
        if kept[0] != given[0] or is_none:
            return False
        if kept[0] == "[":
            if len(kept) > len(given):
                return False
            pairs += zip(kept[1:], given[1:], strict=False)
            continue
        found = _matched(kept, given, key)
        if found is None:
            return False
        pairs += found
    return True


def _is_beginning(kept: Value, given: Value) -> bool:
    """Tell whether a string is a beginning of another one, and not nothing of it."""
    if isinstance(kept, list) or isinstance(given, list):
        return False
    return kept.startswith('"') and kept != '"' and given.startswith(kept)


def _unmarked(kept: list[Any], key: str) -> list[Any]:
    """Return an object without the mark of a shortened record, if it has one."""
    if kept[:2] == ["{", key] and kept[2][:3] == ["{", '"truncated', "true"]:
        return ["{", *kept[3:]]
    return kept


def _matched(
    kept: list[Any], given: list[Any], key: str
) -> list[tuple[Value, Value]] | None:
    """Pair the members that are left of an object with those that it had.

    Where it had several of a key, the value tells which of them is meant; these are
    not among the pairs.

    Returns:
        The values to compare; None if one of the members is not there.
    """
    pairs = []
    names = Counter(given[1::2])
    rest = _members(given)
    for name, value in _members(kept):
        for other, candidate in rest:
            if name != other:
                continue
            if names[name] == 1:
                pairs.append((value, candidate))
                break
            if _is_part(value, candidate, key):
                break
        else:
            return None
    return pairs


def _members(value: list[Any]) -> Iterator[tuple[str, Value]]:
    return zip(value[1::2], value[2::2], strict=True)
