"""What the tests of the store share: values, and pointers to them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from documents import Sample


def loads(text: str | bytes) -> Any:
    """Read JSON; of members with one key the first counts, as for a pointer."""
    return json.loads(text, object_pairs_hook=_first_of_each)


def _first_of_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        found.setdefault(key, value)
    return found


def values_of(sample: Sample) -> Any:
    """Return a sample as Python values; JSON Lines as a list."""
    lines = [loads(Sample([tree], spaces=sample.spaces).data) for tree in sample.trees]
    return lines if sample.multi else lines[0]


def pointers(value: Any, pointer: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every value in a value, with its pointer."""
    yield pointer, value
    if isinstance(value, list):
        for at, element in enumerate(value):
            yield from pointers(element, f"{pointer}/{at}")
    elif isinstance(value, dict):
        for key, member in value.items():
            token = key.replace("~", "~0").replace("/", "~1")
            yield from pointers(member, f"{pointer}/{token}")
