"""What messages and tools cost, in tokens.

A message costs its overhead and the tokens of its members: a text as it is,
anything else as compact JSON, a content that is null as `""` with its quotes. An
item of Responses that is no message costs all its members so, but its `id` and its
`status`, which the model does not see.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from streamclip.context.shape import Message
from streamclip.errors import InvalidMessageError
from streamclip.tokens.counting import as_count

__all__ = ["Costs"]

MEMBERS = ("name", "tool_call_id", "tool_calls", "function_call", "refusal")
UNSEEN = ("id", "status")
BLOCKS = ("content", "output")  # the members that may have blocks
NULL = '""'

# Blocks that are text, or JSON that the model reads as text. What else there is,
# an image or a file, has a price that only the caller knows.
TEXT_BLOCKS = frozenset(
    {
        "compaction",
        "input_text",
        "mcp_tool_use",
        "output_text",
        "reasoning_text",
        "redacted_thinking",
        "refusal",
        "search_result",
        "server_tool_use",
        "summary_text",
        "text",
        "thinking",
        "tool_reference",
        "tool_result",
        "tool_use",
    }
)
RESULT_OF_SERVER = "_tool_result"  # web_search_tool_result and the like
OPAQUE_ITEMS = frozenset({"image_generation_call", "item_reference"})
UNWRITABLE = (TypeError, ValueError, RecursionError)  # by json.dumps: no JSON value
SHORT = 40  # characters; roles and names come again and again


def compact(value: Any) -> str:
    """Write a value as JSON without white space, non-ASCII as itself."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Costs:
    """Count tokens for one conversation.

    Args:
        count: Counts the tokens of a text.
        overhead: Tokens of a message beside its members.
        block_cost: Tells the tokens of a block that is no text.
    """

    def __init__(
        self,
        count: Callable[[str], int],
        overhead: int,
        block_cost: Callable[[Message], int] | None,
    ) -> None:
        self._count = count
        self._overhead = overhead
        self._block_cost = block_cost
        self._known: dict[str, int] = {}

    def text(self, text: str) -> int:
        """Count a text."""
        if len(text) > SHORT:
            return as_count(self._count(text))
        if text not in self._known:
            self._known[text] = as_count(self._count(text))
        return self._known[text]

    def tools(self, tools: Sequence[Any]) -> int:
        """Count tool schemas, as one JSON text; none cost nothing.

        Raises:
            TypeError: JSON cannot write them.
        """
        if not tools:
            return 0
        try:
            written = compact(tools)
        except UNWRITABLE as error:
            raise TypeError(f"JSON cannot write the tools: {error}") from None
        return self.text(written)

    def message(self, message: Message, index: int) -> int:
        """Count a message or an item.

        Raises:
            InvalidMessageError: A block of it is no text, and there is no
                `block_cost`; or JSON cannot write it.
        """
        written: list[str] = []
        others: list[Message] = []
        try:
            for name, value in _seen(message):
                written += _texts(name, value, others)
        except UNWRITABLE as error:
            raise InvalidMessageError(f"JSON cannot write it: {error}", index) from None
        cost = self._overhead + sum(self.text(text) for text in written)
        return cost + sum(self._block(block, index) for block in others)

    def system(self, text: str) -> int:
        """Count a system message."""
        return self._overhead + self.text("system") + self.text(text)

    def _block(self, block: Message, index: int) -> int:
        if self._block_cost is None:
            raise InvalidMessageError(
                f"the tokens of its {block.get('type')!r} are not known: pass "
                "block_cost=, a function that tells them (--block-tokens)",
                index,
            )
        return as_count(self._block_cost(block), "block_cost")


def _seen(message: Message) -> list[tuple[str, Any]]:
    """Return the members of a message that the model sees."""
    if "role" in message and message.get("type", "message") == "message":
        content = message.get("content")
        names = ("role", *(name for name in MEMBERS if message.get(name)))
        return [
            ("content", NULL if content is None else content),
            *((name, message[name]) for name in names),
        ]
    if message.get("type") in OPAQUE_ITEMS:
        return [("content", message)]
    return [
        (name, value)
        for name, value in message.items()
        if value is not None and name not in UNSEEN
    ]


def _texts(name: str, value: Any, others: list[Message]) -> list[str]:
    """Return a member as the text that is counted, and add its other blocks."""
    if isinstance(value, str):
        return [value]
    if name not in BLOCKS:
        return [compact(value)]
    before = len(others)
    listed = value if isinstance(value, (list, tuple)) else [value]
    readable = _readable(listed, others)
    return [compact(readable)] if readable or len(others) == before else []


def _readable(blocks: Sequence[Any], others: list[Message]) -> list[Any]:
    """Return the blocks that are text, and add those that are not to `others`."""
    readable = []
    for block in blocks:
        kind = block.get("type") if isinstance(block, Mapping) else None
        if not isinstance(kind, str) or kind.endswith(RESULT_OF_SERVER):
            readable.append(block)
        elif kind not in TEXT_BLOCKS:
            others.append(block)
        elif isinstance(block.get("content"), (list, tuple)):
            readable.append({**block, "content": _readable(block["content"], others)})
        else:
            readable.append(block)
    return readable
