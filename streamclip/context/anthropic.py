"""The messages of Anthropic's API: content blocks, and a system prompt beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from streamclip.context.shape import (
    Message,
    Part,
    Shape,
    System,
    blocks_of,
    id_of,
    listed,
    map_texts,
    role_of,
)
from streamclip.errors import InvalidMessageError

__all__ = ["Anthropic"]

ROLES = ("user", "assistant", "system")


class Anthropic(Shape):
    """Blocks `tool_use` in the model's messages, `tool_result` in the user's.

    The system prompt is a member of the request, and chunks follow it there. A
    message of role system, which the newer models take inside a conversation,
    belongs to what it follows.
    """

    name = "anthropic"
    opens_with_user = True
    notes_follow = True

    def part(self, message: Message, index: int) -> Part:
        """Tell a message's part."""
        role = role_of(message, index, ROLES)
        blocks = blocks_of(message.get("content"), index)
        if role == "system":
            return Part("system")
        if role == "assistant":
            return Part("model", calls=_ids(blocks, "tool_use", "id", index))
        results = _ids(blocks, "tool_result", "tool_use_id", index)
        return Part("results", results=results) if results else Part("user")

    def map_results(self, message: Message, change: Callable[[str], str]) -> Message:
        """Return a message with each text of its tool results changed."""
        content = message.get("content")
        if message["role"] != "user" or not isinstance(content, (list, tuple)):
            return message
        changed = [
            {**block, "content": map_texts(block.get("content"), change)}
            if block["type"] == "tool_result" and "content" in block
            else block
            for block in content
        ]
        return {**message, "content": changed}

    def prefix(self, system: System) -> list[Message]:
        """Return each block of the system prompt as a message."""
        return [
            {"role": "system", "content": block.get("text")}
            for block in _blocks(system)
        ]

    def lay_out(
        self, system: System, more: list[Message], history: list[Message]
    ) -> tuple[System, list[Message]]:
        """Return the system prompt with what follows it, and the messages."""
        if not more:
            return system, history
        added = [{"type": "text", "text": message["content"]} for message in more]
        return [*_blocks(system), *added], history

    def is_leading(self, message: Message, index: int) -> bool:
        """Refuse a system prompt among the messages, as the API does."""
        if self.part(message, index).kind == "system":
            raise InvalidMessageError(
                "no conversation begins with a message of role system; "
                "pass the prompt as system=",
                index,
            )
        return False


def _blocks(system: System) -> list[Message]:
    if isinstance(system, str):
        return [{"type": "text", "text": system}] if system else []
    blocks = [*listed(system)]
    for block in blocks:
        if not isinstance(block, Mapping) or not isinstance(block.get("text"), str):
            raise TypeError("system is a text or a list of text blocks")
    return blocks


def _ids(
    blocks: Sequence[Message], kind: str, name: str, index: int
) -> tuple[str, ...]:
    return tuple(
        id_of(block, name, f"a {kind} block", index)
        for block in blocks
        if block["type"] == kind
    )
