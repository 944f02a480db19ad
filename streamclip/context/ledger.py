"""The ledger: what was kept, cut and dropped, what it costs, and why."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from streamclip.context.request import Request
from streamclip.context.shape import Message, System

__all__ = ["CHANNELS", "Item", "Ledger", "Reason"]

CHANNELS = ("system", "tools", "chunks", "history")
Reason: TypeAlias = Literal[
    "ok", "protected_overflow", "last_message_overflow", "assemble_overflow"
]


@dataclass(frozen=True, slots=True)
class Item:
    """A line of the ledger: a message, a chunk, or all tools.

    Args:
        channel: "system", "tools", "chunks" or "history".
        index: Where it is in the list of that name, or in that of the system
            prompt's messages; 0 for all tools.
        name: The chunk's id, or what a person calls it: `history[3]`.
        status: Whether it is sent whole, in part, or not.
        tokens: What it costs as it is sent; 0 if it is not.
        needed: What it costs whole.
        why: In words; empty if there is nothing to say.
        messages: How many messages the line is about.
    """

    channel: str
    index: int
    name: str
    status: Literal["kept", "cut", "dropped"]
    tokens: int
    needed: int
    why: str = ""
    messages: int = 1


@dataclass(frozen=True)
class Ledger:
    """What `assemble` made of a request.

    Args:
        reason: "ok", or why nothing is sent.
        detail: The reason in a sentence, with its numbers; empty if ok.
        system: What goes into the request beside the messages, for an API that has
            the system prompt there; else None.
        messages: What to send; None if the reason is not "ok".
        tools: The schemas as they came; None if the reason is not "ok".
        total: Tokens of all that is sent, counted from the messages. If nothing is,
            those of what did not fit, with all that goes before it.
        items: A line for each message of the system prompt, for the tools, each
            chunk in the order of packing, and each message of the history.
        request: What was asked for.
    """

    reason: Reason
    detail: str
    system: System
    messages: list[Message] | None
    tools: Sequence[Any] | None
    total: int
    items: tuple[Item, ...]
    request: Request = field(repr=False, compare=False)

    @property
    def ok(self) -> bool:
        """Whether there is something to send."""
        return self.reason == "ok"

    @property
    def input_budget(self) -> int:
        """The window less the output reserve and the safety margin."""
        return self.request.input_budget

    @property
    def remaining(self) -> int:
        """Tokens of the input budget that are left; negative if it is exceeded."""
        return self.input_budget - self.total

    @property
    def dropped_messages(self) -> int:
        """How many messages of the history are left out."""
        return sum(_is(item, "history", "dropped") for item in self.items)

    @property
    def kept_chunks(self) -> int:
        """How many chunks are sent, whole or in part."""
        return sum(_is(item, "chunks", "kept", "cut") for item in self.items)

    @property
    def tokens(self) -> dict[str, int]:
        """Tokens that are sent, by channel."""
        return {
            channel: sum(item.tokens for item in self.items if item.channel == channel)
            for channel in CHANNELS
        }

    def body(self) -> dict[str, Any]:
        """Return the members of the API's request that hold the conversation.

        Raises:
            ValueError: Nothing can be sent.
        """
        if self.messages is None:
            raise ValueError(f"there is nothing to send: {self.detail}")
        members: dict[str, Any] = {self.request.shape.member: self.messages}
        if self.system:
            members["system"] = self.system
        if self.tools:
            members["tools"] = self.tools
        return members

    def to_dict(self) -> dict[str, Any]:
        """Return what a log should have: numbers and reasons, no texts."""
        return {
            "reason": self.reason,
            "detail": self.detail,
            "shape": self.request.shape.name,
            "window": self.request.window,
            "output_reserve": self.request.output_reserve,
            "safety_margin": self.request.safety_margin,
            "input_budget": self.input_budget,
            "total": self.total,
            "remaining": self.remaining,
            "tokens": self.tokens,
            "dropped_messages": self.dropped_messages,
            "kept_chunks": self.kept_chunks,
            "items": [
                {name: getattr(item, name) for name in Item.__slots__}
                for item in _merged(self.items)
            ],
        }

    def __str__(self) -> str:
        request = self.request
        head = (
            f"{self.reason}: {self.total} of {self.input_budget} tokens, "
            f"{self.remaining} remain (window {request.window}, "
            f"reserve {request.output_reserve}, margin {request.safety_margin})"
        )
        rows = [("channel", "item", "tokens", "of", "status", "why")]
        rows += [
            (
                item.channel,
                item.name,
                f"{item.tokens}",
                f"{item.needed}",
                item.status,
                item.why,
            )
            for item in _merged(self.items)
        ]
        return "\n".join([head, *([self.detail] if self.detail else []), *_table(rows)])


def _is(item: Item, channel: str, *status: str) -> bool:
    return item.channel == channel and item.status in status


def _merged(items: Sequence[Item]) -> Iterator[Item]:
    """Join neighbours of the history that had the same fate."""
    for channel, group in itertools.groupby(items, key=_fate):
        run = list(group)
        if channel[0] != "history" or len(run) == 1:
            yield from run
            continue
        yield Item(
            channel="history",
            index=run[0].index,
            name=f"history[{run[0].index}:{run[-1].index + 1}]",
            status=run[0].status,
            tokens=sum(item.tokens for item in run),
            needed=sum(item.needed for item in run),
            why=run[0].why,
            messages=len(run),
        )


def _fate(item: Item) -> tuple[str, str, str]:
    return item.channel, item.status, item.why


def _table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Write rows in columns, numbers to the right; the last column is open."""
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)][:-1]
    for row in rows:
        cells = []
        for at, (cell, width) in enumerate(zip(row, widths, strict=False)):
            space = " " * (width - _width(cell))
            cells.append(space + cell if at in (2, 3) else cell + space)
        yield "  ".join([*cells, row[-1]]).rstrip()


def _width(text: str) -> int:
    """Return the columns that a text takes on a terminal."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)
