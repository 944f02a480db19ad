"""What is asked for: a window, and what is to share it, checked in one place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from streamclip.context.chunks import Chunk
from streamclip.context.costs import Costs
from streamclip.context.groups import Group, grouped
from streamclip.context.shape import Message, Shape, System

__all__ = ["CAPPED", "ORDERS", "Request", "check_size"]

CAPPED = ("system", "tools", "system+tools", "chunks", "history")
ORDERS = ("chunks-first", "history-first")


@dataclass(frozen=True, slots=True)
class Request:
    """The arguments of `assemble`, valid, with the messages in groups.

    Raises:
        TypeError: A value is of the wrong type.
        ValueError: A value is out of its range, or there is no input budget.
        InvalidMessageError: A message of the history is malformed.
    """

    window: int
    output_reserve: int
    safety_margin: int
    system: System
    tools: Sequence[Any]
    chunks: tuple[Chunk, ...]
    history: tuple[Message, ...]
    order: str
    caps: Mapping[str, int]
    clip_tool_results: int | None
    shape: Shape
    costs: Costs

    def __post_init__(self) -> None:
        for name in ("window", "output_reserve", "safety_margin"):
            check_size(name, getattr(self, name), 0)
        if self.input_budget < 1:
            raise ValueError(
                f"the window of {self.window} tokens leaves no input budget: "
                f"output_reserve and safety_margin take "
                f"{self.output_reserve + self.safety_margin}"
            )
        if self.order not in ORDERS:
            raise ValueError(f"order is {' or '.join(ORDERS)}, not {self.order!r}")
        for channel, cap in self.caps.items():
            if channel not in CAPPED:
                raise ValueError(f"caps are for {', '.join(CAPPED)}, not {channel!r}")
            check_size(f"the cap of {channel}", cap, 0)
        if self.clip_tool_results is not None:
            check_size("clip_tool_results", self.clip_tool_results, 1)
        if not isinstance(self.tools, (list, tuple)):
            raise TypeError(f"tools is a list of schemas, not {self.tools!r}")
        for chunk in self.chunks:
            if not isinstance(chunk, Chunk):
                raise TypeError(f"chunks are of the class Chunk, not {chunk!r}")

    @property
    def input_budget(self) -> int:
        """Tokens that the messages and tools may have together."""
        return self.window - self.output_reserve - self.safety_margin

    def cap(self, channel: str) -> int:
        """Tokens that a channel may have; where there is no cap, the budget."""
        return min(self.caps.get(channel, self.input_budget), self.input_budget)

    def leading(self) -> int:
        """Count the system messages that the history begins with."""
        for index, message in enumerate(self.history):
            if not self.shape.is_leading(message, index):
                return index
        return len(self.history)

    def groups(self) -> list[Group]:
        """Return the groups of the history after its leading system messages."""
        return grouped(self.history, self.shape, self.leading())


def check_size(name: str, value: object, least: int) -> None:
    """Check a number of tokens.

    Raises:
        TypeError: It is no whole number.
        ValueError: It is less than `least`.
    """
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} is a number of tokens, not {value!r}")
    if value < least:
        raise ValueError(f"{name} is at least {least}, not {value}")
