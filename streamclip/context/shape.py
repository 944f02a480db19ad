"""What the API shapes have in common: how one message is seen when groups form.

A shape knows one API: which messages it has, which of them are calls and results,
and where the system prompt goes. It does not count, and it decides nothing.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from streamclip.errors import InvalidMessageError

__all__ = ["Message", "Part", "Shape", "System"]

Message: TypeAlias = Mapping[str, Any]
System: TypeAlias = "str | Message | Sequence[Message] | None"
PROMPTS = "the API's own system messages or text blocks"


@dataclass(frozen=True, slots=True)
class Part:
    """A message's part in a conversation.

    Args:
        kind: Who speaks: "system", "user" or "model"; "reasoning" is the model's,
            and belongs to what follows it; "results" answers calls.
        calls: Ids of the calls in it that wait for a result.
        results: Ids of the calls that it answers.
    """

    kind: Literal["system", "user", "model", "reasoning", "results"]
    calls: tuple[str, ...] = ()
    results: tuple[str, ...] = ()


class Shape(abc.ABC):
    """An API's way to write a conversation.

    Attributes:
        name: What `shape=` calls it.
        member: Which member of a request has the messages.
        overhead: Tokens that a message costs beside its members.
        merges_turns: Whether several messages of the model in a row are one turn,
            so that calls may be spread over them.
        opens_with_user: Whether the API wants a user turn first.
        notes_follow: Whether a system message inside a conversation belongs to the
            message before it.
    """

    name: ClassVar[str]
    member: ClassVar[str] = "messages"
    overhead: ClassVar[int] = 4
    merges_turns: ClassVar[bool] = True
    opens_with_user: ClassVar[bool] = False
    notes_follow: ClassVar[bool] = False

    @abc.abstractmethod
    def part(self, message: Message, index: int) -> Part:
        """Tell a message's part.

        Raises:
            InvalidMessageError: The message is none of this API.
        """

    @abc.abstractmethod
    def map_results(self, message: Message, change: Callable[[str], str]) -> Message:
        """Return a message with each text of its tool results changed."""

    def prefix(self, system: System) -> list[Message]:
        """Return the system prompt as messages.

        Raises:
            TypeError: It is none.
        """
        if isinstance(system, str):
            return [{"role": "system", "content": system}] if system else []
        messages = listed(system)
        for index, message in enumerate(messages):
            try:
                is_prompt = self.part(message, index).kind == "system"
            except InvalidMessageError as error:
                raise TypeError(f"system[{index}]: {error.reason}") from None
            if not is_prompt or not _is_text(message.get("content")):
                raise TypeError(f"system is a text, or {PROMPTS}")
        return [*messages]

    def lay_out(
        self, system: System, more: list[Message], history: list[Message]
    ) -> tuple[System, list[Message]]:
        """Return what goes outside the messages, and the messages.

        Args:
            system: The system prompt as it was given.
            more: The system messages that follow it: chunks.
            history: The messages that follow those.
        """
        return None, [*self.prefix(system), *more, *history]

    def is_leading(self, message: Message, index: int) -> bool:
        """Tell whether a message at the head of a history is a system prompt."""
        return self.part(message, index).kind == "system"


def listed(system: Message | Sequence[Message] | None) -> Sequence[Message]:
    """Return the messages or blocks of a system prompt that is no text.

    Raises:
        TypeError: It has none.
    """
    if system is None:
        return ()
    if isinstance(system, Mapping):
        return [system]
    if not isinstance(system, (list, tuple)):
        raise TypeError(f"system is a text, or {PROMPTS}, not {system!r}")
    return system


def members_of(message: object, index: int) -> Message:
    """Return a message that is one.

    Raises:
        InvalidMessageError: It is no mapping.
    """
    if isinstance(message, Mapping):
        return message
    found = f"a message is a dict, not {type(message).__name__}"
    if hasattr(message, "model_dump"):
        found += ": give its model_dump(exclude_none=True)"
    raise InvalidMessageError(found, index)


def role_of(message: object, index: int, roles: tuple[str, ...]) -> str:
    """Return a message's role.

    Raises:
        InvalidMessageError: It is no object, or has none of these roles.
    """
    role = members_of(message, index).get("role")
    if not isinstance(role, str) or role not in roles:
        known = ", ".join(roles)
        raise InvalidMessageError(f"its role is one of {known}, not {role!r}", index)
    return role


def blocks_of(content: object, index: int) -> Sequence[Message]:
    """Return the blocks of a content; a text has none.

    Raises:
        InvalidMessageError: It is neither a text nor blocks that have a type.
    """
    if content is None or isinstance(content, str):
        return ()
    if not isinstance(content, (list, tuple)):
        kind = type(content).__name__
        raise InvalidMessageError(
            f"its content is a text or a list of blocks, not {kind}", index
        )
    for block in content:
        if not isinstance(block, Mapping) or not isinstance(block.get("type"), str):
            raise InvalidMessageError(
                "a block of its content is no object with a type", index
            )
    return content


def id_of(holder: object, name: str, what: str, index: int) -> str:
    """Return the id that pairs a call with its result.

    Raises:
        InvalidMessageError: There is none.
    """
    found = holder.get(name) if isinstance(holder, Mapping) else None
    if not isinstance(found, str):
        raise InvalidMessageError(f"{what} has no {name}", index)
    return found


def _is_text(content: object) -> bool:
    """Tell whether a content is a text, or blocks of text."""
    if not isinstance(content, (list, tuple)):
        return isinstance(content, str)
    return all(isinstance(block.get("text"), str) for block in content)


def map_texts(content: Any, change: Callable[[str], str]) -> Any:
    """Return a content with its text, or the texts of its blocks, changed."""
    if isinstance(content, str):
        return change(content)
    if not isinstance(content, (list, tuple)):
        return content
    return [
        {**block, "text": change(block["text"])}
        if isinstance(block, Mapping) and isinstance(block.get("text"), str)
        else block
        for block in content
    ]
