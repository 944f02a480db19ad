"""The items of OpenAI's Responses: messages, calls, outputs, reasoning."""

from __future__ import annotations

from collections.abc import Callable

from streamclip.context.shape import (
    Message,
    Part,
    Shape,
    blocks_of,
    id_of,
    map_texts,
    members_of,
    role_of,
)
from streamclip.errors import InvalidMessageError

__all__ = ["Responses"]

ROLES = ("system", "developer", "user", "assistant")

# Calls that the caller answers, and the item and the member that answer them.
CALLS = {
    "function_call": "call_id",
    "custom_tool_call": "call_id",
    "computer_call": "call_id",
    "local_shell_call": "call_id",
    "shell_call": "call_id",
    "apply_patch_call": "call_id",
    "mcp_approval_request": "id",
    "program": "call_id",
    "tool_search_call": "call_id",
}
RESULTS = {
    "function_call_output": "call_id",
    "custom_tool_call_output": "call_id",
    "computer_call_output": "call_id",
    "local_shell_call_output": "id",
    "shell_call_output": "call_id",
    "apply_patch_call_output": "call_id",
    "mcp_approval_response": "approval_request_id",
    "program_output": "call_id",
    "tool_search_output": "call_id",
}
BY_SERVER = ("tool_search_call", "tool_search_output")  # if they have no call_id

# What the model, or the server for it, wrote and nobody has to answer.
MODEL = (
    "code_interpreter_call",
    "compaction",
    "file_search_call",
    "image_generation_call",
    "item_reference",
    "mcp_call",
    "mcp_list_tools",
    "web_search_call",
)

# What the caller tells beside messages.
NOTES = ("additional_tools", "compaction_trigger", "configuration_update")


class Responses(Shape):
    """Messages are items; calls and outputs are items of their own.

    A reasoning item is refused by the API without the item after it, and that item
    without the reasoning, so they stay together, with all that the model wrote in
    that response.
    """

    name = "responses"
    member = "input"

    def part(self, message: Message, index: int) -> Part:
        """Tell an item's part."""
        kind = str(members_of(message, index).get("type", "message"))
        if kind == "message":
            role = role_of(message, index, ROLES)
            blocks_of(message.get("content"), index)
            if role in ("system", "developer"):
                return Part("system")
            return Part("user" if role == "user" else "model")
        if kind == "reasoning":
            return Part("reasoning")
        if kind in NOTES:
            return Part("system")
        if kind in MODEL or (kind in BY_SERVER and message.get("call_id") is None):
            return Part("model")
        if kind in CALLS:
            return Part("model", calls=(id_of(message, CALLS[kind], "it", index),))
        if kind in RESULTS:
            blocks_of(message.get("output"), index)
            return Part(
                "results", results=(id_of(message, RESULTS[kind], "it", index),)
            )
        raise InvalidMessageError(f"no item is of the type {kind!r}", index)

    def map_results(self, message: Message, change: Callable[[str], str]) -> Message:
        """Return an item with each text of its output changed."""
        if message.get("type") not in (
            "function_call_output",
            "custom_tool_call_output",
        ):
            return message
        return {**message, "output": map_texts(message.get("output"), change)}
