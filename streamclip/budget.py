"""Meeting a budget of tokens in a few measured steps: docs/tokens.md.

How many bytes make a token differs from place to place, and a text's tokens are
not a sum over its parts. So the core is asked for the best text of so many bytes,
that text is measured, and from what was found the next number of bytes is guessed.

A caller's own function may have to be awaited. So it is not called here: the
generators here yield a text and are sent the number of its tokens.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from typing import Any, NamedTuple, TypeAlias, TypeVar

from streamclip._binding import TooSmall
from streamclip.report import Report, Slice
from streamclip.tokens import adds_up, as_count, chunks, counter, is_async

__all__ = [
    "At",
    "Counting",
    "Made",
    "Measure",
    "Met",
    "Missed",
    "measure_of",
    "meet",
    "within",
]

T = TypeVar("T")
Counting: TypeAlias = Generator[str, Any, T]

FIRST_GUESS = 3  # bytes a token, as long as nothing is known
CALLS = 6  # of a caller's function
TEXTS = 6  # that a tokenizer counts as wholes
PART_CHARS = 400
PROBES = 12  # with a tokenizer at hand
ENOUGH = 0.98  # of a budget: what is nearer is not worth a call
NEAR = 0.995  # nor a step that costs none
FINE = 200  # nor is so small a part of a text
EDGE = 64  # tokens that a first part of a text may have more than all of it


class Measured(NamedTuple):
    """Tokens of a text, or of a first part of it that has too many already."""

    tokens: int
    share: float = 1.0  # of the text that was counted

    @property
    def estimate(self) -> float:
        """Tokens of all of it."""
        return self.tokens / self.share if self.share else 0.0


class Calls:
    """Measure with a caller's function, which may be far away."""

    aim = 0.99  # of a budget: a text that is found to have too much is lost
    near = ENOUGH  # of a budget: what is nearer needs no further step

    def __init__(self) -> None:
        self.counted = 0
        self.left: float = CALLS
        self._known: dict[str, int] = {}

    def up_to(self, text: str, _: float = math.inf) -> Counting[Measured]:
        """Measure a text."""
        if text not in self._known:
            self.left -= 1
            self._known[text] = as_count((yield text))
            self.counted += self._known[text]
        return Measured(self._known[text])

    def rules_out(self, made: Made, limit: int) -> bool:
        """Tell whether a complete text has far too many tokens, without a call.

        What was measured is it with more escapes and white space, which have fewer
        tokens a byte, or as many.
        """
        return any(
            tokens * len(made.data) > 2 * limit * len(text.encode())
            for text, tokens in self._known.items()
        )


class Wholes:
    """Measure with a tokenizer at hand, each text that may fit as a whole.

    Args:
        count: It counts the tokens of a text; what it counts of parts of one adds
            up roughly, if they are not too small.
    """

    aim = 0.99
    near = ENOUGH

    def __init__(self, count: Callable[[str], int]) -> None:
        self.counted = 0
        self.left: float = TEXTS
        self._count = count
        self._known: dict[str, Measured] = {}
        self._parts: dict[str, int] = {}
        self._rate = 1 / FIRST_GUESS  # tokens a character

    def up_to(self, text: str, limit: float = math.inf) -> Counting[Measured]:
        """Measure a text, or a first part that is over the limit."""
        yield from ()
        known = self._known.get(text)
        if known is None or (known.tokens <= limit and known.share < 1):
            self.left -= 1
            known = self._first_part(text, limit + limit / 16 + EDGE)
            if known is None:
                known = Measured(self._counted(text))
            self._known[text] = known
            self._rate = known.estimate / max(len(text), 1)
        return known

    def _first_part(self, text: str, limit: float) -> Measured | None:
        """Measure by parts; None if they are not over the limit, or hardly will be."""
        if len(text) * self._rate < limit:
            return None
        total = done = 0
        part = ""
        for chunk in (*chunks(text), ""):
            part += chunk
            if len(part) < PART_CHARS and chunk:
                continue
            if part not in self._parts:
                self._parts[part] = self._counted(part)
            total += self._parts[part]
            done += len(part)
            part = ""
            if total > limit:
                return Measured(total, done / len(text))
        return None

    def _counted(self, text: str) -> int:
        tokens = self._count(text)
        self.counted += tokens
        return tokens


class Chunks:
    """Measure with a tokenizer at hand, what texts have in common only once.

    Args:
        count: It counts the tokens of a text; what it counts of chunks adds up.
    """

    aim = 1.0
    near = NEAR
    left = math.inf

    def __init__(self, count: Callable[[str], int]) -> None:
        self.counted = 0
        self._count = count
        self._known: dict[str, int] = {}
        self._heads: dict[str, tuple[int, int]] = {}

    def up_to(self, text: str, limit: float = math.inf) -> Counting[Measured]:
        """Measure a text, or a first part that is over the limit."""
        yield from ()
        total = done = 0
        for chunk in chunks(text):
            if chunk not in self._known:
                head = self._head(chunk, limit - total + EDGE)
                if head is not None:
                    total, done = total + head[0], done + head[1]
                    break
                self._known[chunk] = self._counted(chunk)
            total += self._known[chunk]
            done += len(chunk)
            if total > limit:
                break
        return Measured(total, done / max(len(text), 1))

    def _head(self, chunk: str, spare: float) -> tuple[int, int] | None:
        """Measure the beginning of a chunk if that has too many tokens already.

        Returns:
            The tokens, and of how many characters; None if they are not too many,
            or the chunk is not so long that this would save much.
        """
        if len(chunk.encode()) < 3 * spare:
            return None
        size = int(spare / 4)
        total, end = self._heads.get(chunk, (0, 0))
        while total <= spare and end < len(chunk):
            total += self._counted(chunk[end : end + size])
            end = min(end + size, len(chunk))
        self._heads[chunk] = total, end
        return (total, end) if total > spare else None

    def _counted(self, text: str) -> int:
        tokens = self._count(text)
        self.counted += tokens
        return tokens


Measure: TypeAlias = Calls | Wholes | Chunks


def measure_of(tokenizer: Any, may_await: bool) -> Measure:
    """Choose how to measure.

    Args:
        tokenizer: See `streamclip.tokens.counter`, which says what is raised.
        may_await: Whether it may also be a function whose results are awaited.
    """
    if may_await and is_async(tokenizer):
        return Calls()
    count = counter(tokenizer)
    if count is tokenizer:
        return Calls()
    return Chunks(count) if adds_up(tokenizer) else Wholes(count)


def within(measure: Measure, text: str, limit: int) -> Counting[int | None]:
    """Return how many tokens a text has, None if they are more than the limit."""
    found = yield from measure.up_to(text, limit)
    return found.tokens if found.tokens <= limit else None


class Made(NamedTuple):
    """A text that is within a number of bytes, and what is to be said of it."""

    data: bytes
    report: Report
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


At: TypeAlias = Callable[[int], Made | TooSmall]


def meet(
    measure: Measure, limit: int, at: At, top: int, first: Made
) -> Counting[Met | Missed]:
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
    ruled_out = isinstance(measure, Calls) and measure.rules_out(first, limit)
    if first.is_all and not ruled_out:
        tokens = yield from within(measure, first.data.decode(), limit)
        if tokens is not None:
            return Met(first, tokens)
        found = yield from measure.up_to(first.data.decode(), limit)
        search.note(_Point(top, found.estimate, first), fits=False)
    yield from search.run()
    if search.low is not None:
        return Met(search.low.made, int(search.low.tokens))
    return (yield from _least(measure, limit, at, first))


def _least(measure: Measure, limit: int, at: At, first: Made) -> Counting[Met | Missed]:
    """Take the least text there is, if nothing larger was found."""
    made = at(1)
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

    def __init__(self, measure: Measure, limit: int, at: At, ceiling: int) -> None:
        self.low: _Point | None = None  # the largest text found that fits
        self._high: _Point | None = None  # the smallest that does not
        self._floor = 0  # up to here there is `low`, or nothing
        self._ceiling = ceiling  # from here on there is too much
        self._fitted = False  # of the last text: whether it did
        self._in_a_row = 0  # of such texts
        self._measure = measure
        self._limit = limit
        self._at = at

    def run(self) -> Counting[None]:
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
        is_long = self._measure.counted > 2 * self._limit
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
