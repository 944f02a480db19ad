"""Names on the command line that found nothing, and so may be mistyped.

That is no error, for input differs from day to day. What is said is true of the
result, which is all that is looked at here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from streamclip.clipper import Clip
    from streamclip.report.values import Report

__all__ = ["doubts"]


def doubts(
    result: Clip, collection: str | None, fields: Sequence[str] | None
) -> list[str]:
    """Say which options have found nothing in a clip that lacks something.

    Args:
        result: The clip.
        collection: The JSON Pointer that was given, if any.
        fields: The names that were given, if any.

    Returns:
        A sentence for each.
    """
    report = result.report
    found: list[str] = []
    if not (collection and report.cuts) and not (fields and report.selection):
        return found
    try:
        roots = [json.loads(line) for line in result.text.split("\n") if line.strip()]
    except RecursionError:
        return found
    if collection and report.cuts and not any(_lead(roots, collection, report)):
        found.append(f"--collection: there is no {collection} in the result")
    if fields and report.selection:
        records = [value for value in _values(roots) if isinstance(value, dict)]
        if {} in records and not any(record.keys() & {*fields} for record in records):
            names = ", ".join(fields)
            found.append(f"--fields: no record in the result has any of: {names}")
    return found


def _lead(roots: list[Any], pointer: str, report: Report) -> Iterator[bool]:
    """Tell of each document, and of what it may wrap, whether a pointer leads on."""
    for root in roots:
        yield _leads(root, pointer, report)
        if isinstance(root, dict) and "data" in root:
            yield _leads(root["data"], pointer, report)


def _leads(value: Any, pointer: str, report: Report) -> bool:
    """Tell whether a pointer leads to something, or may have done so in the input."""
    path = ""
    for token in pointer.split("/")[1:]:
        if isinstance(value, list):
            return token.isdecimal()  # elements may have stood at other places
        if not isinstance(value, dict):
            return False
        key = token.replace("~1", "/").replace("~0", "~")
        if key not in value:
            return any(c.path == path and c.unit == "members" for c in report.cuts)
        value, path = value[key], f"{path}/{token}"
    return True


def _values(values: list[Any]) -> Iterator[Any]:
    """Go through values, and all that is in them."""
    left = [*values]
    while left:
        value = left.pop()
        yield value
        if isinstance(value, (dict, list)):
            left += value.values() if isinstance(value, dict) else value
