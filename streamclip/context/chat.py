"""The messages of OpenAI's Chat Completions, which many other servers take."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from streamclip.context.shape import (
    Message,
    Part,
    Shape,
    blocks_of,
    id_of,
    map_texts,
    role_of,
)
from streamclip.errors import InvalidMessageError

__all__ = ["Chat"]

ROLES = ("system", "developer", "user", "assistant", "tool", "function")


class Chat(Shape):
    """Roles, `tool_calls` and messages of role tool.

    The older `function_call`, answered by a message of role function, is paired by
    the function's name.
    """

    name = "chat"
    merges_turns = False

    def part(self, message: Message, index: int) -> Part:
        """Tell a message's part."""
        role = role_of(message, index, ROLES)
        blocks_of(message.get("content"), index)
        if role in ("system", "developer"):
            return Part("system")
        if role == "user":
            return Part("user")
        if role == "assistant":
            return Part("model", calls=_calls(message, index))
        name = "tool_call_id" if role == "tool" else "name"
        return Part("results", results=(id_of(message, name, "it", index),))

    def map_results(self, message: Message, change: Callable[[str], str]) -> Message:
        """Return a message with each text of its tool results changed."""
        if message["role"] not in ("tool", "function"):
            return message
        return {**message, "content": map_texts(message.get("content"), change)}


def _calls(message: Message, index: int) -> tuple[str, ...]:
    calls = message.get("tool_calls") or ()
    if not isinstance(calls, (list, tuple)):
        raise InvalidMessageError("its tool_calls are no list", index)
    found = [id_of(call, "id", "one of its tool_calls", index) for call in calls]
    function = message.get("function_call")
    if isinstance(function, Mapping):
        found.append(id_of(function, "name", "its function_call", index))
    return tuple(found)
