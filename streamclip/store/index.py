"""The index of a stored document: places from which it can be read on.

While a document is stored, borders are noted (csrc/seek.c): so many bytes in, this
line, this member, this element. They stand in document order, and the numbers of
their places are in lexicographic order, so that each search is a bisection.

It is written as JSON, compressed; of the offsets the differences.
"""

from __future__ import annotations

import bisect
import itertools
import zlib
from collections.abc import Iterator
from typing import Any

import orjson

from streamclip.core.binding import Border

__all__ = ["Index"]

Numbers = tuple[int, ...]
END = float("inf")  # behind every number


class Index:
    """Borders of one document, in order.

    Args:
        borders: The borders.
    """

    def __init__(self, borders: list[Border]) -> None:
        self._fill(
            [border.offset for border in borders],
            [border.objects * 2 + border.text for border in borders],
            [border.numbers for border in borders],
        )

    def _fill(
        self, offsets: list[int], kinds: list[int], numbers: list[Numbers]
    ) -> None:
        # Columns, not borders: it is read for each page, which needs a few of them.
        self._offsets = offsets
        self._kinds = kinds
        self._numbers: list[tuple[float, ...]] = [*numbers]

    def encode(self) -> bytes:
        """Write it as bytes."""
        steps = [b - a for a, b in itertools.pairwise([0, *self._offsets])]
        return zlib.compress(orjson.dumps([steps, self._kinds, self._numbers]))

    @classmethod
    def decode(cls, data: bytes) -> Index:
        """Read what `encode` has written.

        Raises:
            TypeError: It was something else.
            ValueError: It was something else.
        """
        try:
            steps, kinds, numbers = orjson.loads(zlib.decompress(data))
        except zlib.error as error:
            raise ValueError(str(error)) from error
        index = cls([])
        index._fill([*itertools.accumulate(steps)], kinds, [*map(tuple, numbers)])
        return index

    def _border(self, at: int) -> Border:
        kind = self._kinds[at]
        numbers: Any = self._numbers[at]
        return Border(self._offsets[at], numbers, kind >> 1, bool(kind & 1))

    def before(self, parent: Numbers, number: int) -> Border | None:
        """Find the last border in a value that is not behind its child's begin."""
        return self._last(parent, (*parent, number))

    def last_in(self, value: Numbers) -> Border | None:
        """Find the last border in a value."""
        return self._last(value, (*value, END))

    def _last(self, value: Numbers, limit: tuple[float, ...]) -> Border | None:
        at = bisect.bisect_right(self._numbers, limit) - 1
        if at < 0 or len(self._numbers[at]) <= len(value):
            return None
        return self._border(at) if self._numbers[at][: len(value)] == value else None

    def large_children(self, parent: Numbers) -> Iterator[tuple[int, Border]]:
        """Find the children that have borders inside.

        Yields:
            For each the offset of its first border, and its last border.
        """
        level = len(parent)
        at = bisect.bisect_left(self._numbers, (*parent, -1))
        while at < len(self._numbers):
            numbers = self._numbers[at]
            if numbers[:level] != parent:
                return
            if len(numbers) == level + 1:
                at += 1
                continue
            end = bisect.bisect_right(self._numbers, (*numbers[: level + 1], END))
            yield self._offsets[at], self._border(end - 1)
            at = end
