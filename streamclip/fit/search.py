"""Meeting a budget of tokens in a few measured steps: docs/tokens.md.

How many bytes make a token differs from place to place, and a text's tokens are
not a sum over its parts. So the core is asked for the best text of so many bytes,
that text is measured, and from what was found the next number of bytes is guessed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from streamclip.core.binding import TooSmall
from streamclip.report.values import Report, Slice
from streamclip.tokens.measures import ENOUGH, FIRST_GUESS, Measure, Steps

__all__ = [
    "Made",
    "Met",
    "Missed",
    "TextAt",
    "meet",
    "within",
]

PROBES = 12  # texts that are made at most; fewer, where fewer may be measured
FINE = 200  # one of so many parts of a text is not worth a step
LONG = 2  # times the limit: after counting so much, what is near is near enough


def within(measure: Measure, text: str, limit: int) -> Steps[int | None]:
    """Return how many tokens a text has, None if they are more than the limit."""
    found = yield from measure.up_to(text, limit)
    return found.tokens if found.tokens <= limit else None


class Made(NamedTuple):
    """A text that is within a number of bytes, and what is to be said of it."""

    data: bytes
    report: Callable[[], Report]  # which is read when somebody asks for it
    complete: bool
    is_all: bool  # nothing of what was retained is missing in it
    is_cut: bool  # something of the input was left out
    part: Slice | None  # of the value that it is a page of


class Met(NamedTuple):
    """What a budget was met with."""

    made: Made
    tokens: int


class Missed(NamedTuple):
    """Nothing meets the budget: the least text there is has so many tokens."""

    tokens: int


TextAt: TypeAlias = Callable[[int], Made | TooSmall]


def meet(
    measure: Measure, limit: int, at: TextAt, top: int, first: Made
) -> Steps[Met | Missed]:
    """Find the most that has no more tokens than the limit.

    Args:
        measure: Counts the tokens.
        limit: How many there may be.
        at: Makes the best text within a number of bytes.
        top: The largest such number.
        first: What `at` made for it. It has to be made first: once something
            has to go, the core gives up what a larger number would keep.
    """
    search = _Search(measure, limit, at, top + 1)
    if first.is_all and not measure.rules_out(len(first.data), limit):
        tokens = yield from within(measure, first.data.decode(), limit)
        if tokens is not None:
            return Met(first, tokens)
        found = yield from measure.up_to(first.data.decode(), limit)
        search.note(_Point(top, found.estimate, first), fits=False)
    yield from search.run()
    if search.low is not None:
        return Met(search.low.made, int(search.low.tokens))
    return (yield from _least(measure, limit, at, first))


def _least(
    measure: Measure, limit: int, at: TextAt, first: Made
) -> Steps[Met | Missed]:
    """Take the least text there is, if nothing larger was found."""
    made = at(1)  # or else the core tells how many bytes it needs
    if isinstance(made, TooSmall):
        made = first if made.bytes is None else at(made.bytes)
    if isinstance(made, TooSmall):
        made = first
    found = yield from measure.up_to(made.data.decode())
    return Met(made, found.tokens) if found.tokens <= limit else Missed(found.tokens)


class _Point(NamedTuple):
    """A text that was measured, and how many bytes it was made for."""

    asked: int
    tokens: float
    made: Made

    @property
    def size(self) -> int:
        return len(self.made.data)


class _Search:
    """Close in on a limit from both sides.

    Args:
        measure: Counts the tokens.
        limit: How many there may be.
        at: Makes the best text within a number of bytes.
        ceiling: A number of bytes that is not to be reached.
    """

    def __init__(self, measure: Measure, limit: int, at: TextAt, ceiling: int) -> None:
        self.low: _Point | None = None  # the largest text found that fits
        self._high: _Point | None = None  # the smallest that does not
        self._floor = 0  # up to here there is `low`, or nothing
        self._ceiling = ceiling  # from here on there is too much
        self._fitted = False  # of the last text: whether it did
        self._in_a_row = 0  # of such texts
        self._measure = measure
        self._limit = limit
        self._at = at

    def run(self) -> Steps[None]:
        """Take steps until none is worth it."""
        for _ in range(PROBES):
            if self._is_done():
                return
            asked = self._guess()
            made = self._at(asked)
            if isinstance(made, TooSmall):
                self._floor = max(asked, (made.bytes or 0) - 1)
            elif self.low is not None and made.data == self.low.made.data:
                self._floor = asked
            else:
                found = yield from self._measure.up_to(made.data.decode(), self._limit)
                point = _Point(asked, found.estimate, made)
                self.note(point, fits=found.tokens <= self._limit)

    def note(self, point: _Point, fits: bool) -> None:
        """Learn whether a text fits."""
        self._in_a_row = self._in_a_row + 1 if fits == self._fitted else 1
        self._fitted = fits
        if fits:
            self.low, self._floor = point, point.asked
        else:
            self._high, self._ceiling = point, point.asked

    def _is_done(self) -> bool:
        low, left, between = self.low, self._measure.left, self._ceiling - self._floor
        if low is None:
            # A last call is left for the least text.
            return left <= 1 or between <= 1
        is_long = self._measure.counted > LONG * self._limit
        near = ENOUGH if is_long else self._measure.near
        if left < 1 or between <= 1 or low.tokens >= near * self._limit:
            return True
        if low.tokens >= ENOUGH * self._limit:
            return self._is_stuck()
        return self._high is not None and between * FINE < low.size

    def _is_stuck(self) -> bool:
        """Tell whether the text that should just fit is one that was found."""
        return self.low is not None and self._target(1) <= self._floor

    def _target(self, in_a_row: int) -> float:
        """Return how many bytes should have as many tokens as there may be.

        Args:
            in_a_row: How many texts in a row were found on the same side. The other
                is then too far away to be a good guide, and weighs the less: the
                Illinois variant of regula falsi (Dowell and Jarratt, 1971).
        """
        low, high = self.low, self._high
        limit = self._limit * self._measure.aim
        if low and high:
            below = max(limit - low.tokens, 0)
            above = max(high.tokens - limit, 1)
            if self._fitted:
                above /= 2 ** (in_a_row - 1)
            else:
                below /= 2 ** (in_a_row - 1)
            return low.size + (high.size - low.size) * below / (below + above)
        if low:
            return low.size * limit / max(low.tokens, 1)
        if high:
            # What stays may be denser than what goes: the share alone would then
            # come nearer from above, step by step, and not get there.
            return high.size * limit / high.tokens / 2.0 ** (in_a_row - 1)
        return FIRST_GUESS * limit

    def _guess(self) -> int:
        """Return the number of bytes to try next."""
        guess = self._target(self._in_a_row)
        if self.low and self._is_stuck():
            # Away from what was found, at most half-way to what is too much.
            gone = self._floor - self.low.size
            guess = self._floor + max(gone, self._floor // FINE)
            guess = min(guess, (self._floor + self._ceiling) / 2)
        return min(max(int(guess), self._floor + 1), self._ceiling - 1)
