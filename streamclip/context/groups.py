"""Groups of messages that stay together: calls with all their results.

Ids repeat in real logs, so pairing goes by adjacency: results follow the calls that
they answer, and ids only tell which of these calls is meant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from streamclip.context.shape import Message, Part, Shape
from streamclip.errors import InvalidMessageError

__all__ = ["Group", "grouped"]


@dataclass(frozen=True, slots=True)
class Group:
    """Messages that are kept or dropped as one.

    Args:
        start: Index of the first.
        stop: Index after the last.
        opens: Whether a history may well begin here: a user or a system message.
        calls: Whether it has calls.
    """

    start: int
    stop: int
    opens: bool
    calls: bool


class _Open:
    """The group that grows while messages are read.

    Args:
        start: Index of its first message.
        part: That message's part.
    """

    def __init__(self, start: int, part: Part) -> None:
        self.start = start
        self.first = part
        self.calls: set[str] = set()
        self.waiting: Counter[str] = Counter()
        self.has_results = False
        self.reasons = False
        self.add(part)

    def add(self, part: Part) -> None:
        self.calls.update(part.calls)
        self.waiting.update(part.calls)
        self.waiting -= Counter(part.results)
        self.has_results |= bool(part.results)
        self.reasons |= part.kind == "reasoning"

    def closed(self, stop: int) -> Group:
        opens = self.first.kind in ("user", "system")
        return Group(self.start, stop, opens, bool(self.calls))


def grouped(history: Sequence[Message], shape: Shape, start: int = 0) -> list[Group]:
    """Form the groups of a conversation.

    The last group may have calls without results, which are still to come.

    Args:
        history: The messages or items, oldest first.
        shape: What they are.
        start: Index of the first one that belongs to a group.

    Returns:
        The groups, oldest first; together they are all from `start` on.

    Raises:
        InvalidMessageError: A message is malformed, a result has no call before it,
            or a call no result after it.

    >>> from streamclip.context.chat import Chat
    >>> call = {"id": "c1", "type": "function", "function": {"name": "f"}}
    >>> for group in grouped([
    ...     {"role": "user", "content": "look"},
    ...     {"role": "assistant", "content": None, "tool_calls": [call]},
    ...     {"role": "tool", "tool_call_id": "c1", "content": "found"},
    ... ], Chat()):
    ...     print(group)
    Group(start=0, stop=1, opens=True, calls=False)
    Group(start=1, stop=3, opens=False, calls=True)
    """
    groups: list[Group] = []
    current: _Open | None = None
    for index in range(start, len(history)):
        part = shape.part(history[index], index)
        if current and _belongs(part, current, index, shape):
            current.add(part)
            continue
        if part.results:
            raise _orphan(part.results[0], index)
        if current:
            groups.append(current.closed(index))
        current = _Open(index, part)
    if current:
        groups.append(current.closed(len(history)))
    return groups


def _belongs(part: Part, group: _Open, index: int, shape: Shape) -> bool:
    """Tell whether a message belongs to the group before it."""
    if part.results:
        strange = [found for found in part.results if found not in group.calls]
        if strange:
            raise _orphan(strange[0], index)
        return True
    is_output = part.kind in ("model", "reasoning")
    if group.waiting:
        if is_output and shape.merges_turns:
            return True
        raise InvalidMessageError(
            f"the call {min(group.waiting)!r} has no result before the message at "
            f"{index}: add its result, or leave the call out",
            group.start,
        )
    if group.reasons and not group.has_results:
        return is_output
    return part.kind == "system" and shape.notes_follow


def _orphan(found: str, index: int) -> InvalidMessageError:
    return InvalidMessageError(
        f"it is the result of {found!r}, which no call directly before it has: add "
        "the call, or leave the result out",
        index,
    )
