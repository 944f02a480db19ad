"""The shapes there are, and which of them a conversation has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from streamclip.context.anthropic import Anthropic
from streamclip.context.chat import Chat
from streamclip.context.responses import Responses
from streamclip.context.shape import Shape

__all__ = ["SHAPES", "shape_of"]

SHAPES: dict[str, Shape] = {
    shape.name: shape for shape in (Chat(), Responses(), Anthropic())
}

# What only one of the shapes has: members of a message, roles, types of blocks.
CHAT_MEMBERS = frozenset({"tool_calls", "tool_call_id", "function_call"})
CHAT_ROLES = frozenset({"tool", "function"})
CHAT_BLOCKS = frozenset({"image_url", "input_audio", "file"})
RESPONSES_BLOCKS = frozenset({"input_text", "output_text", "input_image", "input_file"})
ANTHROPIC_BLOCKS = frozenset(
    {
        "document",
        "image",
        "redacted_thinking",
        "server_tool_use",
        "thinking",
        "tool_result",
        "tool_use",
    }
)


def shape_of(name: str, history: Sequence[Any], tools: Sequence[Any]) -> Shape:
    """Return the shape of that name, or for "auto" the one that is recognised.

    Messages of plain text look the same in all of them, and are then taken for
    those of Chat Completions.

    Raises:
        ValueError: There is no shape of that name, or the conversation has signs of
            several.

    >>> shape_of("auto", [{"type": "reasoning", "id": "rs_1", "summary": []}], ()).name
    'responses'
    """
    if name != "auto":
        if name not in SHAPES:
            raise ValueError(f"shape is auto, {', '.join(SHAPES)}, not {name!r}")
        return SHAPES[name]
    signs: dict[str, str] = {}
    for index, message in enumerate(history):
        for sign in _signs(message):
            signs.setdefault(sign, f"history[{index}]")
    for index, tool in enumerate(tools):
        for sign in _signs_of_tool(tool):
            signs.setdefault(sign, f"tools[{index}]")
    if len(signs) > 1:
        found = ", ".join(f"{sign} in {where}" for sign, where in signs.items())
        raise ValueError(f"signs of several shapes ({found}): tell which with shape=")
    return SHAPES[next(iter(signs), "chat")]


def _signs(message: Any) -> Iterator[str]:
    if not isinstance(message, Mapping):
        return
    if not CHAT_MEMBERS.isdisjoint(message) or str(message.get("role")) in CHAT_ROLES:
        yield "chat"
    if "role" not in message and "type" in message:
        yield "responses"
    content = message.get("content")
    if isinstance(content, (list, tuple)):
        for block in content:
            kind = str(block.get("type")) if isinstance(block, Mapping) else ""
            if kind in CHAT_BLOCKS:
                yield "chat"
            elif kind in RESPONSES_BLOCKS:
                yield "responses"
            elif kind in ANTHROPIC_BLOCKS:
                yield "anthropic"


def _signs_of_tool(tool: Any) -> Iterator[str]:
    if not isinstance(tool, Mapping):
        return
    if "function" in tool:
        yield "chat"
    elif "input_schema" in tool:
        yield "anthropic"
    elif tool.get("type") == "function":
        yield "responses"
