"""Counting the tokens of texts that differ little: docs/tokens.md.

A budget of tokens is met by measuring one text after another, each of which is
much like the last. How that is done for the least depends on the tokenizer.

A caller's own function may have to be awaited. So it is not called here: what
measures is a generator that yields a text and is sent the number of its tokens.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from typing import Any, ClassVar, NamedTuple, TypeAlias, TypeVar

from streamclip.tokens.counting import adds_up, as_count, counter, is_async, stretches

__all__ = [
    "ENOUGH",
    "FIRST_GUESS",
    "Measure",
    "Measured",
    "Steps",
    "measure_of",
]

T = TypeVar("T")
Steps: TypeAlias = Generator[str, Any, T]

FIRST_GUESS = 3  # bytes a token, as long as nothing is known
ENOUGH = 0.98  # of a budget: what is nearer is not worth a call
NEAR = 0.995  # nor a step that costs none
AIM = 0.99  # of a budget, where a text that is found to have too much is lost
CALLS = 6  # of a caller's function
FAR_TOO_MANY = 2  # times the limit: what is sure to be over it without a call
TEXTS = 6  # that a tokenizer counts as wholes
PART_CHARS = 400  # of a part of such a text, at least
SEAMS = 1 / 16  # of the tokens of a text: what counting it in parts may add
EDGE = 64  # tokens that a first part of a text may have more than all of it
HEAD_BYTES = 3  # for each token to spare: a shorter stretch is not worth a head
HEAD_STEP = 1 / 4  # characters for each token to spare, that a head grows by


class Measured(NamedTuple):
    """Tokens of a text, or of a first part of it that has too many already."""

    tokens: int
    share: float = 1.0  # of the text that was counted

    @property
    def estimate(self) -> float:
        """Tokens of all of it."""
        return self.tokens / self.share if self.share else 0.0


class Measure:
    """A way to measure texts, each of them once.

    `counted` are the tokens of all that was counted so far, and `left` is how
    many more texts may be. Whoever searches aims at `aim` of a budget, and needs
    no further step from `near` of it on.

    Args:
        left: How many texts may be counted.
    """

    aim: ClassVar[float] = AIM
    near: ClassVar[float] = ENOUGH

    def __init__(self, left: float) -> None:
        self.counted = 0
        self.left = left

    def up_to(self, text: str, limit: float = math.inf) -> Steps[Measured]:
        """Measure a text, or a first part of it that is over the limit."""
        raise NotImplementedError

    def rules_out(self, size: int, limit: int) -> bool:
        """Tell whether a text is over a limit by far, without measuring it.

        Args:
            size: Its bytes. What was measured is it with more escapes and white
                space, which have fewer tokens a byte, or as many.
            limit: How many tokens there may be.
        """
        return False

    def _counted(self, tokens: int) -> int:
        """Note that so many tokens were counted."""
        self.counted += tokens
        return tokens


class Calls(Measure):
    """Measure with a caller's function, which may be far away."""

    def __init__(self) -> None:
        super().__init__(CALLS)
        self._known: dict[str, int] = {}

    def up_to(self, text: str, limit: float = math.inf) -> Steps[Measured]:
        """Measure a text, all of it whatever the limit is."""
        if text not in self._known:
            self.left -= 1
            self._known[text] = self._counted(as_count((yield text)))
        return Measured(self._known[text])

    def rules_out(self, size: int, limit: int) -> bool:
        """Tell it by the tokens a byte of what was measured."""
        return any(
            tokens * size > FAR_TOO_MANY * limit * len(text.encode())
            for text, tokens in self._known.items()
        )


class Wholes(Measure):
    """Measure with a tokenizer at hand, each text that may fit as a whole.

    Args:
        count: It counts the tokens of a text; what it counts of parts of one adds
            up roughly, if they are not too small.
    """

    def __init__(self, count: Callable[[str], int]) -> None:
        super().__init__(TEXTS)
        self._count = count
        self._known: dict[str, Measured] = {}
        self._parts: dict[str, int] = {}
        self._rate = 1 / FIRST_GUESS  # tokens a character

    def up_to(self, text: str, limit: float = math.inf) -> Steps[Measured]:
        """Measure a text, or a first part that is over the limit."""
        yield from ()
        known = self._known.get(text)
        if known is None or (known.tokens <= limit and known.share < 1):
            self.left -= 1
            known = self._first_part(text, limit + limit * SEAMS + EDGE)
            if known is None:
                known = Measured(self._counted(self._count(text)))
            self._known[text] = known
            self._rate = known.estimate / max(len(text), 1)
        return known

    def _first_part(self, text: str, limit: float) -> Measured | None:
        """Measure by parts; None if they are not over the limit, or hardly will be."""
        if len(text) * self._rate < limit:
            return None
        total = done = 0
        part = ""
        for stretch in (*stretches(text), ""):
            part += stretch
            if len(part) < PART_CHARS and stretch:
                continue
            if part not in self._parts:
                self._parts[part] = self._counted(self._count(part))
            total += self._parts[part]
            done += len(part)
            part = ""
            if total > limit:
                return Measured(total, done / len(text))
        return None


class ByStretch(Measure):
    """Measure with a tokenizer at hand, what texts have in common only once.

    Args:
        count: It counts the tokens of a text; what it counts of stretches adds up.
    """

    aim = 1.0
    near = NEAR

    def __init__(self, count: Callable[[str], int]) -> None:
        super().__init__(math.inf)
        self._count = count
        self._known: dict[str, int] = {}
        self._heads: dict[str, tuple[int, int]] = {}

    def up_to(self, text: str, limit: float = math.inf) -> Steps[Measured]:
        """Measure a text, or a first part that is over the limit."""
        yield from ()
        total = done = 0
        for stretch in stretches(text):
            if stretch not in self._known:
                head = self._head(stretch, limit - total + EDGE)
                if head is not None:
                    total, done = total + head[0], done + head[1]
                    break
                self._known[stretch] = self._counted(self._count(stretch))
            total += self._known[stretch]
            done += len(stretch)
            if total > limit:
                break
        return Measured(total, done / max(len(text), 1))

    def _head(self, stretch: str, spare: float) -> tuple[int, int] | None:
        """Measure the beginning of a stretch if that has too many tokens already.

        Returns:
            The tokens, and of how many characters; None if they are not too many,
            or the stretch is not so long that this would save much.
        """
        if len(stretch.encode()) < HEAD_BYTES * spare:
            return None
        size = int(spare * HEAD_STEP)
        total, end = self._heads.get(stretch, (0, 0))
        while total <= spare and end < len(stretch):
            total += self._counted(self._count(stretch[end : end + size]))
            end = min(end + size, len(stretch))
        self._heads[stretch] = total, end
        return (total, end) if total > spare else None


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
    return ByStretch(count) if adds_up(tokenizer) else Wholes(count)
